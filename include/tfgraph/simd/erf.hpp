// The error function and its complement. Both are computed in double, with short polynomials for
// float.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/exp.hpp>

namespace tfgraph::simd {
namespace detail {

/// erf(x) for |x| <= 1/2, in two parts: 2/sqrt(pi) x + x z P(z) with z = x^2 (minimax; relative
/// error of erf 2^-65, or 2^-36 for float).
template <class T, class B>
constexpr twofold<B> erf_of_small(B x) {
  constexpr double high = 0x1.20dd750429b6dp0, low = 0x1.1ae3a914fed8p-56;  // 2 / sqrt(pi)
  const B z = x * x;
  if constexpr (std::is_same_v<T, float>) {
    const B p = polynomial(z, {-0x1.812746831f4dcp-2, 0x1.ce2ef974c327ep-4, -0x1.b8213fcc8aa99p-6,
                               0x1.54e1c1255fc37p-8, -0x1.943638827899p-11});
    return {x * fma(z, p, B(high)), B(0.0)};
  } else {
    const B p =
        polynomial(z, {-0x1.812746b0379e7p-2, 0x1.ce2f21a042b4bp-4, -0x1.b82ce312808bp-6,
                       0x1.565bcd0af3605p-8, -0x1.c02db2562cfc5p-11, 0x1.f9a2ab3ccbde7p-14,
                       -0x1.f4bc2eb29b288p-17, 0x1.b77f4ab10ade6p-20, -0x1.3a388b16bc5a1p-23});
    const auto product = two_product(x, B(high));
    return fast_two_sum(product.high, fma(x, fma(z, p, B(low)), product.low));
  }
}

/// erfc(a) for a >= 1/2: (1 + 2 a) e^(a^2) erfc(a) is nearly constant, and a polynomial in t = (a -
/// k) / (a + k) (after Shepherd and Laframboise; minimax: relative error 2^-61 up to a = 28, or
/// 2^-30 up to 10.5 for float).
template <class T, class B>
constexpr B erfc_of_large(B a) {
  const B one(1.0);
  if constexpr (std::is_same_v<T, float>) {
    a = clamp(a, 0.5, 10.5);
    const B k(2.0), bottom = one + (a + a);
    const B inverse = reciprocal((a + k) * bottom);
    const B p = polynomial(
        (a - k) * bottom * inverse,
        {0x1.46e80e20fecd6p0, -0x1.7bf5e932fd268p-4, -0x1.5407b7d105aa3p-3, 0x1.4ff9d47ce12a1p-3,
         -0x1.bc2e181fb48f9p-5, -0x1.06ff6bf610e41p-7, 0x1.1e21c02634e39p-7, 0x1.4099e706ead8fp-10,
         -0x1.8579110a73cd8p-10, -0x1.5026664c63057p-12, 0x1.ec50f2af5f5d8p-13});
    return p * ((a + k) * inverse) * short_exp(-a * a);
  } else {
    a = clamp(a, 0.5, 28.0);
    const B k(3.75);
    const B t = (a - k) / (a + k);
    const B slope =
        polynomial(t, {-0x1.1f367683f89a7p-3, 0x1.d5f2948159ddcp-9,   0x1.510169d0967cbp-4,
                       -0x1.bda9309a28a5p-4,  0x1.7a14188a9a52ep-4,   -0x1.e0d0fa6dfa42cp-5,
                       0x1.d0b0037d97c2p-6,   -0x1.3f603c3556283p-7,  0x1.cc3a0e48cf018p-10,
                       0x1.33fb266a437fcp-12, -0x1.303fa1e31e90dp-12, 0x1.b143e5099337fp-15,
                       0x1.778b66b2fd84dp-16, -0x1.8002477c70dcfp-17, -0x1.056167bcb7d4ap-20,
                       0x1.d62e499f30a77p-20, -0x1.e5b24b297b65ap-25, -0x1.14c17ec0efb1dp-22,
                       0x1.7c4042806096ap-26, 0x1.3e2a5faa811p-25,    -0x1.82b46999fee42p-29,
                       -0x1.08a70bd448855p-28});
    const auto p = fast_two_sum(B(0x1.3ccda0b5d5dc2p0), fma(t, slope, B(0x1.e56b57cfb59dep-54)));
    const auto q = divide(p, two_sum(one, a + a));
    const auto square = two_product(a, a);
    const auto [n, r] = reduce_exp(-square.high, -square.low);
    const auto e = exp_of_reduced(r);
    const auto product = two_product(q.high, e.high);
    return scale(product.high + (product.low + fma(q.high, e.low, q.low * e.high)), n);
  }
}

}  // namespace detail

/// The error function. Error below 0.6 ulp (float) and 1.1 ulp (double).
template <floating T, int W>
constexpr batch<T, W> erf(batch<T, W> x) {
  using B = batch<double, W>;
  const B v = cast<double>(x), a = abs(v);
  const B small = detail::erf_of_small<T>(detail::clamp(a, 0.0, 0.5)).high;
  B result = select(a < B(0.5), small, B(1.0) - detail::erfc_of_large<T>(a));
  // Where erf(x) is 2/sqrt(pi) x it must not be the sum of parts below the range.
  if constexpr (std::is_same_v<T, double>)
    result = select(a < B(0x1p-500), fma(a, B(0x1.06eba8214db69p-3), a), result);
  return cast<T>(select(isnan(v), v, copysign(result, v)));
}

/// 1 - erf(x) without cancellation. Error below 0.6 ulp (float) and 1.4 ulp (double).
template <floating T, int W>
constexpr batch<T, W> erfc(batch<T, W> x) {
  using B = batch<double, W>;
  const B v = cast<double>(x), a = abs(v), one(1.0);
  const auto e = detail::erf_of_small<T>(detail::clamp(v, -0.5, 0.5));
  const auto difference = detail::two_sum(one, -e.high);
  const B tail = detail::erfc_of_large<T>(a);
  const B outer = select(v < B(0.0), B(2.0) - tail, tail);
  const B result = select(a < B(0.5), difference.high + (difference.low - e.low), outer);
  return cast<T>(select(isnan(v), v, result));
}

}  // namespace tfgraph::simd
