// Exponential functions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/building_blocks.hpp>

namespace tfgraph::simd {
namespace detail {

/// (e^r - 1 - r) / r^2 for |r| <= ln(2)/2 (minimax; relative error of e^r - 1: float 2^-32, double
/// 2^-61).
template <class B>
constexpr B exp_polynomial(B r) {
  if constexpr (std::is_same_v<typename B::value_type, float>)
    return polynomial(r, {0x1p-1f, 0x1.555556p-3f, 0x1.5554aep-5f, 0x1.11109p-7f, 0x1.6d7528p-10f,
                          0x1.a1a214p-13f});
  else
    return polynomial(r, {0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555ap-5, 0x1.111111110f67ep-7,
                          0x1.6c16c16c143fap-10, 0x1.a01a01affb222p-13, 0x1.a01a01b0d0d9cp-16,
                          0x1.71ddf81665a01p-19, 0x1.27e4c56a709acp-22, 0x1.af5f331366dd3p-26,
                          0x1.1f95b6ff8f97cp-29});
}

/// A number as n ln(2) + r, |r| <= ln(2)/2.
template <class B>
struct exp_parts {
  B n;
  twofold<B> r;
};

/// Reduces x + tail by multiples of ln(2) (Cody and Waite: n * ln2_high and its difference from x
/// are exact).
template <class B>
constexpr exp_parts<B> reduce_exp(B x, B tail) {
  using T = typename B::value_type;
  const B n = nearest_integer(x, B(T(0x1.71547652b82fep0)));
  const B high = fnma(n, B(ln2<T>::high), x);
  const B low = fnma(n, B(ln2<T>::low), tail);
  return {n, fast_two_sum(high, low)};
}

/// e^r - 1 - r.high
template <class B>
constexpr B expm1_tail(twofold<B> r) {
  return fma(r.high * r.high, exp_polynomial(r.high), r.low);
}

/// e^r in two parts.
template <class B>
constexpr twofold<B> exp_of_reduced(twofold<B> r) {
  const auto sum = fast_two_sum(B(typename B::value_type(1)), r.high);
  return fast_two_sum(sum.high, sum.low + expm1_tail(r));
}

/// The same where e^r - 1 is small itself: half of r^2 is a good part of it, so the error of r^2
/// counts.
template <class B>
constexpr B precise_expm1_tail(twofold<B> r) {
  using T = typename B::value_type;
  const auto square = two_product(r.high, r.high);
  return fma(square.high, exp_polynomial(r.high), fma(B(T(0.5)), square.low, r.low));
}

/// (2^n e^r - 1) / 2, where tail = e^r - 1 - r.
template <class B>
constexpr twofold<B> half_expm1(B n, B r, B tail) {
  using T = typename B::value_type;
  const B half_power = scale(B(T(0.5)), n);
  const auto constant = two_sum(half_power, B(T(-0.5)));
  const auto sum = fast_two_sum(constant.high, half_power * r);
  return fast_two_sum(sum.high, fma(half_power, tail, sum.low + constant.low));
}

/// e^x by arithmetic in double for a result in float: relative error 2^-34.
template <class B>
constexpr B short_exp(B x) {
  x = clamp(x, -200.0, 200.0);
  const B n = nearest_integer(x, B(0x1.71547652b82fep0));
  const B r = fnma(n, B(0x1.62e42fefa39efp-1), x);
  const B p = polynomial(r, {0x1.0000003a1c31dp-1, 0x1.555554429e9d5p-3, 0x1.55548dcc69b82p-5,
                             0x1.1112714ae2e4p-7, 0x1.6d8d03196af0ep-10, 0x1.9f08082da07a8p-13});
  return scale(fma(r * r, p, r + B(1.0)), n);
}

/// x within the range outside of which e^x is 0 or Inf.
template <class B>
constexpr B clamp_exp(B x) {
  using T = typename B::value_type;
  constexpr bool single = std::is_same_v<T, float>;
  return clamp(x, single ? T(-104) : T(-746), single ? T(89) : T(710));
}

}  // namespace detail

/// e^x. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> exp(batch<T, W> x) {
  using B = batch<T, W>;
  const B one(T(1)), clamped = detail::clamp_exp(x);
  const B n = detail::nearest_integer(clamped, B(T(0x1.71547652b82fep0)));
  const B high = fnma(n, B(detail::ln2<T>::high), clamped);
  const B r = fnma(n, B(detail::ln2<T>::low), high);
  return detail::scale(fma(r, fma(r, detail::exp_polynomial(r), one), one), n);
}

/// 2^x. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> exp2(batch<T, W> x) {
  using B = batch<T, W>;
  constexpr bool single = std::is_same_v<T, float>;
  x = detail::clamp(x, single ? T(-151) : T(-1076), single ? T(128) : T(1024));
  const B n = detail::nearest_integer(x);
  const B r = x - n;
  // (2^r - 1) / r for |r| <= 1/2 (minimax; relative error of 2^r - 1: float 2^-29, double 2^-64).
  B q;
  if constexpr (single)
    q = detail::polynomial(r, {0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6aecep-5f, 0x1.3b29a8p-7f,
                               0x1.5f4896p-10f, 0x1.44909p-13f});
  else
    q = detail::polynomial(
        r, {0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0d1p-5, 0x1.3b2ab6fba4e82p-7,
            0x1.5d87fe78a2241p-10, 0x1.430912f868cb2p-13, 0x1.ffcbfc7611a38p-17,
            0x1.62c0224dd06fdp-20, 0x1.b524daeea25acp-24, 0x1.e4cee79ad6d76p-28,
            0x1.ea04c0e89830ep-32, 0x1.c4db7ec759748p-36});
  return detail::scale(fma(q, r, B(T(1))), n);
}

/// e^x - 1 without cancellation. Error below 0.8 ulp (float) and 1.1 ulp (double).
template <floating T, int W>
constexpr batch<T, W> expm1(batch<T, W> x) {
  using B = batch<T, W>;
  constexpr bool single = std::is_same_v<T, float>;
  const B clamped = detail::clamp(x, single ? T(-40) : T(-80), single ? T(89) : T(710));
  const auto [n, r] = detail::reduce_exp(clamped, B(T(0)));
  const auto half = detail::half_expm1(n, r.high, detail::precise_expm1_tail(r));
  // x itself where e^x - 1 is x to working precision: halves of subnormals would not be exact.
  return select(abs(x) < B(std::numeric_limits<T>::epsilon() / 4), x, half.high + half.high);
}

/// 1 / (1 + e^-x). Error below 0.8 ulp.
template <floating T, int W>
constexpr batch<T, W> sigmoid(batch<T, W> x) {
  using B = batch<T, W>;
  const B one(T(1)), zero(T(0));
  // With t = e^-|x| = 2^n u: 1 / (1 + t), or t / (1 + t) for negative x.
  const auto [n, r] = detail::reduce_exp(detail::clamp_exp(-abs(x)), zero);
  const auto u = detail::exp_of_reduced(r);
  const B power = detail::scale(one, n);
  const auto sum = detail::fast_two_sum(one, power * u.high);
  const mask<T, W> negative = x < zero;
  const auto result =
      detail::divide<B>({select(negative, u.high, one), select(negative, u.low, zero)},
                        {sum.high, fma(power, u.low, sum.low)});
  const B rounded = result.high + result.low;
  return select(negative, detail::scale(rounded, n), rounded);
}

}  // namespace tfgraph::simd
