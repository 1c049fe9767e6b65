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
  // (R(z) - 2/3) / z (minimax; relative error of the logarithm 2^-80).
  const B rest =
      z.high * polynomial(z.high, {0x1.9999999999995p-2, 0x1.249249249305ep-2, 0x1.c71c71c57b7ebp-3,
                                   0x1.745d1834ae81fp-3, 0x1.3b136214eb31ep-3, 0x1.1120cde05574cp-3,
                                   0x1.de2f97251ab78p-4, 0x1.eb313ae9c7ccp-4});
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
/// pow(1, y) are 1 for every x and y. Error below 0.6 ulp (float) and 1 ulp (double).
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
  using B = batch<double, W>;
  const B v = cast<double>(x), third(0x1.5555555555555p-2);
  // |x| = 2^n (1 + f), n = 3 q + k, |k| <= 1: cbrt(x) = 2^q cbrt(m) with m = 2^k (1 + f).
  const auto [n, f] = detail::split_log(abs(v));
  const B q = detail::nearest_integer(n * third);
  const B m = detail::scale(f + B(1.0), n - q * B(3.0));
  // m^(-1/3) for 0.353 < m < 2.829 (minimax, error 2^-9.5), Newton steps for it, and one for the
  // root itself.
  B t = detail::polynomial(
      m, {0x1.1009f21a1518cp1, -0x1.86f3efc1910c4p1, 0x1.e5baccb3d7d08p1, -0x1.692632ad00a75p1,
          0x1.3367b17d35b2bp0, -0x1.13e4d8769a32fp-2, 0x1.940d75f6b1b96p-6});
  for (int i = 0; i < (std::is_same_v<T, float> ? 1 : 2); ++i)
    t = fma(t * third, fnma(m * t * t, t, B(1.0)), t);
  const B root = m * t * t;
  const auto square = detail::two_product(root, root);
  const B rest = fnma(square.low, root, fnma(square.high, root, m));
  const B result = copysign(detail::scale(fma(rest * third, t * t, root), q), v);
  return cast<T>(select((v == B(0.0)) | ~isfinite(v), v, result));
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
