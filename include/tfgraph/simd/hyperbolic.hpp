// Hyperbolic functions and their inverses.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/exp.hpp>
#include <tfgraph/simd/log.hpp>

namespace tfgraph::simd {
namespace detail {

/// For a >= 0: (e^a - 1) / 2 in two parts if a <= 40, and e^a / 2 for larger ones, where it is sinh
/// and cosh.
template <class B>
struct hyperbolic_parts {
  twofold<B> half_expm1;
  B half_exp;
};

template <class B>
constexpr hyperbolic_parts<B> split_hyperbolic(B a) {
  using T = typename B::value_type;
  const B clamped = clamp(a, T(0), std::is_same_v<T, float> ? T(90) : T(712));
  const auto [n, r] = reduce_exp(clamped, B(T(0)));
  const B tail = precise_expm1_tail(r);
  return {half_expm1(clamp(n, T(0), T(60)), r.high, tail),
          scale(B(T(1)) + (r.high + tail), n - B(T(1)))};
}

/// 1 + 2 h
template <class B>
constexpr twofold<B> twice_plus_one(twofold<B> h) {
  const auto sum = two_sum(B(1), h.high + h.high);
  return {sum.high, sum.low + (h.low + h.low)};
}

/// Where odd functions like sinh and atan are their argument.
template <class T, int W>
constexpr mask<T, W> is_tiny(batch<T, W> magnitude) {
  return magnitude < batch<T, W>(std::numeric_limits<T>::epsilon() / 4);
}

/// Where squares would overflow, and asinh(x) and acosh(x) are log(2 x).
template <class T>
inline constexpr T large_for_inverse = std::is_same_v<T, float> ? T(0x1p30) : T(0x1p60);

}  // namespace detail

/// The hyperbolic sine. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> sinh(batch<T, W> x) {
  using B = batch<T, W>;
  const B a = abs(x);
  const auto [h, half_exp] = detail::split_hyperbolic(a);
  // With h = (e^a - 1) / 2: sinh(a) = h + h / (1 + 2 h).
  const auto q = detail::divide(h, detail::twice_plus_one(h));
  const auto sum = detail::fast_two_sum(h.high, q.high);
  const B result = select(a > B(T(40)), half_exp, sum.high + (sum.low + (h.low + q.low)));
  return select(detail::is_tiny(a), x, copysign(result, x));
}

/// The hyperbolic cosine. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> cosh(batch<T, W> x) {
  using B = batch<T, W>;
  const B a = abs(x);
  const auto [h, half_exp] = detail::split_hyperbolic(a);
  // e^a / 2 + (1/4) / (e^a / 2)
  const auto e = detail::two_sum(h.high, B(T(0.5)));
  const B result = e.high + (e.low + h.low + B(T(0.25)) / e.high);
  return select(a > B(T(40)), half_exp, result);
}

/// The hyperbolic tangent. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> tanh(batch<T, W> x) {
  using B = batch<T, W>;
  const B a = abs(x);
  // With h = (e^2a - 1) / 2: tanh(a) = h / (1 + h); 1 from a = 20 on.
  const auto [n, r] = detail::reduce_exp(detail::clamp(a + a, T(0), T(40)), B(T(0)));
  const auto h = detail::half_expm1(n, r.high, detail::precise_expm1_tail(r));
  const auto sum = detail::two_sum(B(T(1)), h.high);
  const auto q = detail::divide<B>(h, {sum.high, sum.low + h.low});
  return select(detail::is_tiny(a), x, copysign(q.high + q.low, x));
}

/// The inverse hyperbolic sine. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> asinh(batch<T, W> x) {
  using B = batch<T, W>;
  const B a = abs(x), one(T(1)), zero(T(0));
  const auto large = a > B(detail::large_for_inverse<T>);
  // log(1 + y) with y = a + (sqrt(1 + a^2) - 1); for small a the bracket is a^2/2 - a^4/8.
  const B b = select(large, one, a);
  const auto square = detail::two_product(b, b);
  const auto sum = detail::two_sum(one, square.high);
  const auto root = detail::square_root<B>({sum.high, sum.low + square.low});
  const auto bracket = detail::fast_two_sum(root.high - one, root.low);
  const auto small = b < B(std::is_same_v<T, float> ? T(0x1p-10) : T(0x1p-20));
  const B half_square = B(T(0.5)) * square.high;
  const B c = select(small, fnma(B(T(0.5)) * half_square, half_square + half_square, half_square),
                     bracket.high);
  const B c_low = select(small, zero, bracket.low);
  const auto y = detail::two_sum(b, c);
  const auto l = detail::log1p_of<B>({select(large, a, y.high), select(large, zero, y.low + c_low)},
                                     select(large, one, zero));
  const B result = copysign(l.high + l.low, x);
  return select(detail::is_tiny(a) | ~isfinite(x), x, result);
}

/// The inverse hyperbolic cosine; NaN below 1. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> acosh(batch<T, W> x) {
  using B = batch<T, W>;
  const B one(T(1)), zero(T(0));
  const auto large = x > B(detail::large_for_inverse<T>);
  // log(1 + y) with y = (x - 1) + sqrt(x^2 - 1)
  const B b = select(large, one + one, x);
  const auto square = detail::two_product(b, b);
  const auto difference = detail::two_sum(square.high, -one);
  const auto root =
      detail::square_root(detail::fast_two_sum(difference.high, difference.low + square.low));
  const auto t = detail::two_sum(b, -one);
  const auto y = detail::two_sum(t.high, root.high);
  const auto l = detail::log1p_of<B>(
      {select(large, x, y.high), select(large, zero, y.low + (t.low + root.low))},
      select(large, one, zero));
  B result = select(x < B(scalar::format<T>::infinity), l.high + l.low, x);
  result = select(x < one, B(scalar::format<T>::nan), result);
  return select(x == one, zero, result);
}

/// The inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> atanh(batch<T, W> x) {
  using B = batch<T, W>;
  const B a = abs(x), one(T(1));
  // log(1 + y) / 2 with y = 2 a / (1 - a)
  const B b = select(a < one, a, B(T(0)));
  const auto y = detail::divide<B>({b + b, B(T(0))}, detail::two_sum(one, -b));
  const auto l = detail::log1p_of<B>(detail::fast_two_sum(y.high, y.low));
  B result = select(a == one, B(scalar::format<T>::infinity), B(T(0.5)) * (l.high + l.low));
  result = select(a > one, B(scalar::format<T>::nan), copysign(result, x));
  return select(detail::is_tiny(a) | isnan(x), x, result);
}

}  // namespace tfgraph::simd
