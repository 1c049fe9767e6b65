// Logarithms.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/exp.hpp>

namespace tfgraph::simd {
namespace detail {

/// x as 2^n * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for 0 < x < Inf.
template <class B>
struct log_parts {
  B n, f;
};

template <class T, int W>
constexpr log_parts<batch<T, W>> split_log(batch<T, W> x) {
  using B = batch<T, W>;
  using bits = scalar::signed_of<T>;
  using I = batch<bits, W>;
  using format = scalar::format<T>;
  const mask<T, W> subnormal = x < B(std::numeric_limits<T>::min());
  const B normal = select(subnormal, x * B(scalar::power_of_two<T>(format::digits + 1)), x);
  const I pattern = bit_cast_to<bits>(normal);
  constexpr bits root_half = std::bit_cast<bits>(T(0x1.6a09e667f3bcdp-1));
  const I n = (pattern - I(root_half)) >> I(bits(format::mantissa_bits));
  const B m = bit_cast_to<T>(pattern - (n << I(bits(format::mantissa_bits))));
  return {integer_to_float<T>(n) - select(subnormal, B(T(format::digits + 1)), B(T(0))),
          m - B(T(1))};
}

/// log(1 + f) - f, for 1 + f between sqrt(1/2) and sqrt(2).
template <class B>
constexpr B log1p_tail(B f) {
  using T = typename B::value_type;
  if constexpr (std::is_same_v<T, float>) {
    // (log(1 + f) - f + f^2/2) / f^3 (minimax; relative error of the logarithm 2^-30).
    const B p = polynomial(
        f, {0x1.555546p-2f, -0x1.ffffeep-3f, 0x1.99a54cp-3f, -0x1.5562ecp-3f, 0x1.23323cp-3f,
            -0x1.fb4114p-4f, 0x1.e656a2p-4f, -0x1.e2f998p-4f, 0x1.1b4864p-4f});
    return f * f * fma(f, p, B(T(-0.5)));
  } else {
    // With s = f / (2 + f): log(1 + f) = 2 atanh(s) = 2 s + s z R(z), z = s^2 (minimax; relative
    // error 2^-58), and 2 s = f - s f, s f = f^2/2 - s f^2/2 (as in FreeBSD's msun).
    const B s = f / (B(T(2)) + f);
    const B z = s * s;
    const B r = polynomial(
        z, {0x1.5555555555593p-1, 0x1.999999997f8a8p-2, 0x1.249249423e60fp-2, 0x1.c71c51c656ec6p-3,
            0x1.74664d7c67947p-3, 0x1.39a02e38981f8p-3, 0x1.2f15c312c420bp-3});
    const B half_square = B(T(0.5)) * f * f;
    return fms(s, fma(z, r, half_square), half_square);
  }
}

/// log(x) for 0 < x < Inf by arithmetic in double for a result in float: relative error 2^-36.
template <class B>
constexpr B short_log(B x) {
  const auto [n, f] = split_log(x);
  const B s = f / (B(2.0) + f);
  const B z = s * s;
  const B r = polynomial(
      z, {0x1.555554fd89e65p-1, 0x1.999a7aafa4d5fp-2, 0x1.2438cdcb10ac1p-2, 0x1.e2f7edd992d07p-3});
  return fma(n, B(0x1.62e42fefa39efp-1), fma(s * z, r, s + s));
}

/// n ln(2) + log(1 + f) + tail.
template <class B>
constexpr twofold<B> sum_log(log_parts<B> x, B tail) {
  using T = typename B::value_type;
  const auto sum = fast_two_sum(x.n * B(ln2<T>::high), x.f);
  return {sum.high, sum.low + fma(x.n, B(ln2<T>::low), log1p_tail(x.f) + tail)};
}

/// n a + b log(1 + f), where a and b are given in two parts: logarithms to another base.
template <class B>
constexpr B sum_log_to_base(log_parts<B> x, twofold<B> a, twofold<B> b) {
  const auto l = fast_two_sum(x.f, log1p_tail(x.f));
  const auto p = two_product(l.high, b.high);
  const B p_low = fma(l.low, b.high, fma(l.high, b.low, p.low));
  const auto sum = fast_two_sum(x.n * a.high, p.high);
  return sum.high + (sum.low + fma(x.n, a.low, p_low));
}

/// The values of a logarithm where it is not finite.
template <class T, int W>
constexpr batch<T, W> with_log_specials(batch<T, W> x, batch<T, W> result) {
  using B = batch<T, W>;
  result = select(x < B(scalar::format<T>::infinity), result, x);  // Inf and NaN stay
  result = select(x < B(T(0)), B(scalar::format<T>::nan), result);
  return select(x == B(T(0)), B(-scalar::format<T>::infinity), result);
}

/// log(1 + y) + n log(2) for finite y above -1.
template <class B>
constexpr twofold<B> log1p_of(twofold<B> y, B n = B(0)) {
  const auto u = two_sum(B(1), y.high);
  const auto parts = split_log(u.high);
  // Near 1, y itself is f; elsewhere it has been rounded to u - 1, and the rest is added to the
  // logarithm.
  const auto near = parts.n == B(0);
  return sum_log<B>({parts.n + n, select(near, y.high, parts.f)},
                    (y.low + select(near, B(0), u.low)) / u.high);
}

}  // namespace detail

/// The natural logarithm. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> log(batch<T, W> x) {
  const auto sum = detail::sum_log(detail::split_log(x), batch<T, W>(T(0)));
  return detail::with_log_specials(x, sum.high + sum.low);
}

/// The logarithm to base 2, exact for powers of two. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> log2(batch<T, W> x) {
  using B = batch<T, W>;
  constexpr T high = std::is_same_v<T, float> ? T(0x1.715476p0f) : T(0x1.71547652b82fep0);
  constexpr T low = std::is_same_v<T, float> ? T(0x1.4ae0cp-26f) : T(0x1.777d0ffda0d24p-56);
  const auto parts = detail::split_log(x);
  return detail::with_log_specials(
      x, detail::sum_log_to_base<B>(parts, {B(T(1)), B(T(0))}, {B(high), B(low)}));
}

/// The logarithm to base 10. Error below 0.9 ulp.
template <floating T, int W>
constexpr batch<T, W> log10(batch<T, W> x) {
  using B = batch<T, W>;
  constexpr bool single = std::is_same_v<T, float>;
  constexpr T log2_high = single ? T(0x1.344p-2f) : T(0x1.34413509f78p-2);
  constexpr T log2_low = single ? T(0x1.3509f8p-18f) : T(0x1.fef311f12b358p-46);
  constexpr T high = single ? T(0x1.bcb7b2p-2f) : T(0x1.bcb7b1526e50ep-2);
  constexpr T low = single ? T(-0x1.5b235ep-27f) : T(0x1.95355baaafad3p-57);
  const auto parts = detail::split_log(x);
  return detail::with_log_specials(
      x, detail::sum_log_to_base<B>(parts, {B(log2_high), B(log2_low)}, {B(high), B(low)}));
}

/// log(1 + x) without cancellation. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> log1p(batch<T, W> x) {
  using B = batch<T, W>;
  const auto sum = detail::log1p_of<B>({x, B(T(0))});
  B result = select(x < B(scalar::format<T>::infinity), sum.high + sum.low, x);
  result = select(x < B(T(-1)), B(scalar::format<T>::nan), result);
  result = select(x == B(T(-1)), B(-scalar::format<T>::infinity), result);
  return select(x == B(T(0)), x, result);
}

/// log(1 + e^x) without overflow. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> softplus(batch<T, W> x) {
  using B = batch<T, W>;
  const B zero(T(0));
  // max(x, 0) + log(1 + e^-|x|)
  const auto [n, r] = detail::reduce_exp(detail::clamp_exp(-abs(x)), zero);
  const auto u = detail::exp_of_reduced(r);
  const B power = detail::scale(B(T(1)), n);
  const auto l = detail::log1p_of<B>({power * u.high, power * u.low});
  const auto sum = detail::two_sum(select(x < zero, zero, x), l.high);
  // Where t = e^x is tiny: t - t^2/2.
  const B tiny = detail::scale(u.high + fnma(B(T(0.5)) * power * u.high, u.high, u.low), n);
  const B result =
      select(x < B(std::is_same_v<T, float> ? T(-10) : T(-20)), tiny, sum.high + (sum.low + l.low));
  return select(x < B(scalar::format<T>::infinity), result, x);
}

}  // namespace tfgraph::simd
