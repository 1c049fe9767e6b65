// Powers and roots.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/exp.hpp>
#include <tfgraph/simd/log.hpp>

namespace tfgraph::simd {
namespace detail {

/// log(x) for 0 < x < Inf with a relative error of 2^-65. Like log1p_tail for double, but in two
/// parts as far as it matters: log(1 + f) = 2 s + s z R(z) with s = f / (2 + f), z = s^2, R(z) =
/// 2/3 + 2/5 z + ...
template <int W>
constexpr twofold<batch<double, W>> precise_log(batch<double, W> x) {
  using B = batch<double, W>;
  const auto [n, f] = split_log(x);
  const auto s = divide<B>({f, B(0.0)}, fast_two_sum(B(2.0), f));
  const B s_high = s.high + s.low;
  const B s_low = (s.high - s_high) + s.low;
  const auto square = two_product(s_high, s_high);
  const twofold<B> z{square.high, fma(s_high + s_high, s_low, square.low)};
  // (R(z) - 2/3) / z (minimax; relative error of the logarithm 2^-68).
  const B rest =
      z.high * polynomial(z.high, {0x1.9999999999965p-2, 0x1.24924924992c3p-2, 0x1.c71c71bbfe17cp-3,
                                   0x1.745d1bed37cc5p-3, 0x1.3b1290e67f1f7p-3, 0x1.113ae86a46511p-3,
                                   0x1.dab8a11ba2dc7p-4, 0x1.01c4d5fd7dc7cp-3});
  const auto r = fast_two_sum(B(0x1.5555555555555p-1), rest);
  const B r_low = r.low + B(0x1.5555555555555p-55);
  const auto zr = two_product(z.high, r.high);
  const B zr_low = fma(z.high, r_low, fma(z.low, r.high, zr.low));
  const auto szr = two_product(s_high, zr.high);
  const B szr_low = fma(s_high, zr_low, fma(s_low, zr.high, szr.low));
  const auto log1p = fast_two_sum(s_high + s_high, szr.high);
  const auto sum = fast_two_sum(n * B(ln2<double>::high), log1p.high);
  const B low = sum.low + fma(n, B(ln2<double>::low), log1p.low + (s_low + s_low + szr_low));
  return fast_two_sum(sum.high, low);
}

/// e^(x.high + x.low)
template <class B>
constexpr B exp_of_sum(twofold<B> x) {
  using T = typename B::value_type;
  const B high = clamp_exp(x.high);
  const auto [n, r] = reduce_exp(high, select(high == x.high, x.low, B(T(0))));
  return scale(B(T(1)) + (r.high + expm1_tail(r)), n);
}

/// x^y for 0 < x < Inf and any y but NaN.
template <class T, int W>
constexpr batch<T, W> power_of_positive(batch<T, W> x, batch<T, W> y) {
  if constexpr (std::is_same_v<T, float>) {
    return cast<float>(short_exp(cast<double>(y) * short_log(cast<double>(x))));
  } else {
    using B = batch<T, W>;
    const auto l = precise_log(x);
    const B high = y * l.high;
    const B low = fma(y, l.low, fms(y, l.high, high));
    return exp_of_sum<B>({high, low});
  }
}

}  // namespace detail

/// x^y. The values at zeros, infinities and NaN are those of IEEE 754; in particular pow(x, 0) and
/// pow(1, y) are 1 for every x and y. Error below 0.6 ulp (float) and 1.2 ulp (double).
template <floating T, int W>
constexpr batch<T, W> pow(batch<T, W> x, batch<T, W> y) {
  using B = batch<T, W>;
  const B zero(T(0)), one(T(1)), infinity(scalar::format<T>::infinity), nan(scalar::format<T>::nan);
  const B base = abs(x);
  const auto grows = (base > one) ^ (y < zero);  // whether large |y| mean large results
  B result = detail::power_of_positive(select((base > zero) & (base < infinity), base, one), y);
  result = select((base == zero) | (base == infinity) | (abs(y) == infinity),
                  select(grows, infinity, zero), result);
  // Negative bases have powers with integers only; odd ones are negative.
  const B half = y * B(T(0.5));
  const auto integral = trunc(y) == y;
  const auto odd = integral & (trunc(half) != half);
  result = select((x < zero) & ~integral & (base < infinity), nan, result);
  result = select(signbit(x) & odd, -result, result);
  result = select(isnan(x) | isnan(y), nan, result);
  return select((y == zero) | (x == one) | ((x == -one) & (abs(y) == infinity)), one, result);
}

/// x^n by repeated multiplication: the bits of n from the lowest to the highest, each step squares
/// the base and multiplies the result by it where the bit is set. x^3 is x * (x * x). Negative n
/// give 1 / x^|n|, and integers wrap (negative powers of integers are refused by the caller).
template <class T, int W>
constexpr batch<T, W> integer_power(batch<T, W> x, long long n) {
  auto bits =
      n < 0 ? 0ULL - static_cast<unsigned long long>(n) : static_cast<unsigned long long>(n);
  batch<T, W> result(T(1));
  for (bool first = true; bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result = first ? x : result * x;
    if ((bits & 1) != 0) first = false;
    if (bits > 1) x = x * x;
  }
  if constexpr (floating<T>) return n < 0 ? reciprocal(result) : result;
  else return result;
}

/// 1 / sqrt(x). Error below 0.6 ulp.
template <floating T, int W>
constexpr batch<T, W> rsqrt(batch<T, W> x) {
  using B = batch<T, W>;
  // Small arguments are scaled, for the residuals below are smaller still.
  const auto small = x < B(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
  constexpr T scale = scalar::power_of_two<T>(scalar::format<T>::digits);
  const B v = select(small, x * B(scale * scale), x);
  const B root = sqrt(v), inverse = reciprocal(root);
  // What is missing: the residuals of the division and of the root.
  const B half_rest = B(T(0.5)) * fnma(root, root, v);
  const B correction = fnma(root, inverse, B(T(1))) - half_rest * inverse * inverse;
  const B corrected = fma(inverse, correction, inverse) * select(small, B(scale), B(T(1)));
  return select((x > B(T(0))) & (x < B(scalar::format<T>::infinity)), corrected, inverse);
}

/// The cube root. Error below 0.6 ulp.
template <floating T, int W>
constexpr batch<T, W> cbrt(batch<T, W> x) {
  using B = batch<T, W>;
  const B third(T(0x1.5555555555555p-2)), one(T(1));
  // |x| = 2^n m, n = 3 q + k, |k| <= 1: cbrt(x) = 2^q cbrt(v) with v = 2^k m.
  const auto [n, m] = detail::split(abs(x));
  const B q = detail::nearest_integer(n, third);
  const B v = detail::scale(m, fnma(q, B(T(3)), n));
  // v^(-1/3) for 3/8 <= v < 3 (minimax, relative error 2^-9.6), Newton steps for it, and one for
  // the root itself.
  B t = detail::polynomial(v, {T(0x1.0aaf7p1), T(-0x1.691edp1), T(0x1.a6d27ep1), T(-0x1.284f9cp1),
                               T(0x1.db7f34p-1), T(-0x1.924f32p-3), T(0x1.15bcbp-6)});
  for (int i = 0; i < (std::is_same_v<T, float> ? 1 : 2); ++i)
    t = fma(t * third, fnma(v * t * t, t, one), t);
  const B square = t * t, root = v * square;
  const auto p = detail::two_product(root, root);
  const B rest = fnma(p.low, root, fnma(p.high, root, v));
  const B result = detail::scale(fma(rest * third, square, root), q);
  return detail::keep_specials(x, copysign(result, x));
}

/// sqrt(x^2 + y^2) without overflow; Inf if either is infinite, even if the other is NaN. Error
/// below 0.6 ulp.
template <floating T, int W>
constexpr batch<T, W> hypot(batch<T, W> x, batch<T, W> y) {
  using B = batch<T, W>;
  const B infinity(scalar::format<T>::infinity);
  const B a = max(abs(x), abs(y)), b = min(abs(x), abs(y));
  B result;
  if constexpr (std::is_same_v<T, float>) {
    const auto u = cast<double>(a), v = cast<double>(b);
    result = cast<float>(sqrt(fma(u, u, v * v)));
  } else {
    // Scaled to where squares neither overflow nor lose bits.
    const auto large = a > B(0x1p500), small = a < B(0x1p-450);
    const B up = select(large, B(0x1p-600), select(small, B(0x1p600), B(1.0)));
    const B down = select(large, B(0x1p600), select(small, B(0x1p-600), B(1.0)));
    const B u = a * up, v = b * up;
    const auto p = detail::two_product(u, u), q = detail::two_product(v, v);
    const auto sum = detail::fast_two_sum(p.high, q.high);
    const auto root = detail::square_root<B>({sum.high, sum.low + (p.low + q.low)});
    result = (root.high + root.low) * down;
    result = select(a == B(0.0), a, result);
  }
  result = select(isnan(a), a, result);
  return select(isinf(x) | isinf(y), infinity, result);
}

}  // namespace tfgraph::simd
