// Logarithms.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/exp.hpp>

namespace tfgraph::simd {
namespace detail {

/// x as 2^n * (1 + f), -1/4 <= f < 1/2, for 0 < x < Inf.
template <class B>
struct log_parts {
  B n, f;
};

template <class B>
constexpr log_parts<B> split_log(B x) {
  const auto [n, m] = split(x);
  return {n, m - B(1)};
}

/// The same for 1 + x, -1 < x < Inf, where f is exact: x 2^-n + (2^-n - 1).
template <class B>
constexpr log_parts<B> split_log1p(B x, B sum) {
  const B one(1), n = split(sum).n;
  const B power = scale(one, -n);
  return {n, fma(x, power, power - one)};
}

/// A logarithm is n * (high + low) + (first + second + rest) * log(1 + f). Products of n and high
/// are exact, `first` and `second` are powers of two or 0, and close enough to the factor that
/// little is left to be rounded. For float, what is missing of (first + second) f is f times a
/// polynomial (minimax, relative error of the logarithm 2^-27).
template <class T>
struct base_e {
  static constexpr T high = ln2<T>::high, low = ln2<T>::low, first = 1, second = 0, rest = 0;
  template <class B>
  static constexpr B slope(B f) {
    return f * polynomial(
                   f, {-0x1p-1f, 0x1.5555a8p-2f, -0x1.000008p-2f, 0x1.99672ep-3f, -0x1.54fa82p-3f,
                       0x1.28bdcp-3f, -0x1.0d6e6p-3f, 0x1.a9a3ep-4f, -0x1.6b123ep-5f});
  }
};

template <class T>
struct base_2 {
  static constexpr T high = 1, low = 0, first = 1, second = T(0.25), rest = T(0x1.8aa3b295c17f1p-3);
  template <class B>
  static constexpr B slope(B f) {
    return polynomial(
        f, {0x1.8aa3b2p-3f, -0x1.715478p-1f, 0x1.ec7144p-2f, -0x1.715472p-2f, 0x1.274cdp-2f,
            -0x1.ebdc7ep-3f, 0x1.ac7108p-3f, -0x1.857cfep-3f, 0x1.32e2a6p-3f, -0x1.041c1p-4f});
  }
};

template <class T>
struct base_10 {
  static constexpr bool single = std::is_same_v<T, float>;
  static constexpr T high = single ? T(0x1.344p-2) : T(0x1.34413509f78p-2);
  static constexpr T low = single ? T(0x1.3509f8p-18) : T(0x1.fef311f12b358p-46);
  static constexpr T first = T(0.25), second = T(0.125), rest = T(0x1.e5bd8a9372872p-5);
  template <class B>
  static constexpr B slope(B f) {
    return polynomial(
        f, {0x1.e5bd8ap-5f, -0x1.bcb7b2p-3f, 0x1.287adap-3f, -0x1.bcb7dep-4f, 0x1.6393fp-4f,
            -0x1.2821aap-4f, 0x1.01f3cp-4f, -0x1.d4ff5ep-5f, 0x1.71878ep-5f, -0x1.393668p-6f});
  }
};

/// log(1 + f) - f for -1/4 <= f <= 1/2.
template <class B>
constexpr B log1p_tail(B f) {
  using T = typename B::value_type;
  if constexpr (std::is_same_v<T, float>) {
    return f * base_e<T>::slope(f);
  } else {
    // With s = f / (2 + f): log(1 + f) = 2 atanh(s) = 2 s + s z R(z), z = s^2 (minimax; relative
    // error 2^-61), and 2 s = f - s f, s f = f^2/2 - s f^2/2 (as in FreeBSD's msun).
    const B s = f / (B(T(2)) + f);
    const B z = s * s;
    const B r = polynomial(
        z, {0x1.555555555554fp-1, 0x1.999999999c32cp-2, 0x1.24924921caa91p-2, 0x1.c71c74a5883e1p-3,
            0x1.745c45f41f24ap-3, 0x1.3b365add0b678p-3, 0x1.0dc1db655183ap-3, 0x1.1bc0dc7eeb15p-3});
    const B half_square = B(T(0.5)) * f * f;
    return fms(s, fma(z, r, half_square), half_square);
  }
}

/// The logarithm to a base.
template <template <class> class Base, class T, int W>
constexpr batch<T, W> log_to(log_parts<batch<T, W>> x) {
  using B = batch<T, W>;
  using base = Base<T>;
  B f = base::first == 1 ? x.f : B(base::first) * x.f, low(T(0));
  if constexpr (base::second != 0) {
    const B both = fma(B(base::second), x.f, f);
    low = fma(B(base::second), x.f, f - both);
    f = both;
  }
  const B sum = fma(x.n, B(base::high), f), sum_low = f - fnma(x.n, B(base::high), sum);
  low = base::second != 0 ? low + sum_low : sum_low;
  if constexpr (base::low != 0) low = fma(x.n, B(base::low), low);
  if constexpr (std::is_same_v<T, float>) return sum + fma(x.f, base::slope(x.f), low);
  const B tail = log1p_tail(x.f);
  if constexpr (base::rest == 0) return sum + (low + tail);
  constexpr T factor = base::first + base::second + base::rest;
  return sum + fma(B(factor), tail, fma(B(base::rest), x.f, low));
}

/// log(x) for 0 < x < Inf by arithmetic in double for a result in float: relative error 2^-35.
template <class B>
constexpr B short_log(B x) {
  const auto [n, f] = split_log(x);
  const B s = f / (B(2.0) + f);
  const B z = s * s;
  const B r = polynomial(
      z, {0x1.5555540fee7efp-1, 0x1.999bf53cef0bcp-2, 0x1.23e4cc48fb072p-2, 0x1.ee152cae3280dp-3});
  return fma(n, B(0x1.62e42fefa39efp-1), fma(s * z, r, s + s));
}

/// n ln(2) + log(1 + f) + tail.
template <class B>
constexpr twofold<B> sum_log(log_parts<B> x, B tail) {
  using T = typename B::value_type;
  const auto sum = fast_two_sum(x.n * B(ln2<T>::high), x.f);
  if constexpr (std::is_same_v<T, float>) {
    const B low = fma(x.n, B(ln2<T>::low), sum.low + tail);
    return {sum.high, fma(x.f, base_e<T>::slope(x.f), low)};
  } else {
    return {sum.high, sum.low + fma(x.n, B(ln2<T>::low), log1p_tail(x.f) + tail)};
  }
}

/// The values of a logarithm where it is not finite.
template <class T, int W>
constexpr batch<T, W> with_log_specials(batch<T, W> x, batch<T, W> result) {
  using B = batch<T, W>;
  if constexpr (has_scale<T, W>) {
    return B(fixed_up<0x03530411>(result.value, x.value));
  } else {
    result = select(x < B(scalar::format<T>::infinity), result, x);  // Inf and NaN stay
    result = select(x < B(T(0)), B(scalar::format<T>::nan), result);
    return select(x == B(T(0)), B(-scalar::format<T>::infinity), result);
  }
}

/// log(1 + y) + n log(2) for finite y above -1.
template <class B>
constexpr twofold<B> log1p_of(twofold<B> y, B n = B(0)) {
  const B u = B(1) + y.high;
  const auto parts = split_log1p(y.high, u);
  return sum_log<B>({parts.n + n, parts.f}, y.low / u);
}

}  // namespace detail

/// The natural logarithm. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> log(batch<T, W> x) {
  return detail::with_log_specials(x, detail::log_to<detail::base_e>(detail::split_log(x)));
}

/// The logarithm to base 2, exact for powers of two. Error below 1 ulp (float) and 1.5 ulp
/// (double).
template <floating T, int W>
constexpr batch<T, W> log2(batch<T, W> x) {
  return detail::with_log_specials(x, detail::log_to<detail::base_2>(detail::split_log(x)));
}

/// The logarithm to base 10. Error below 1 ulp (float) and 1.5 ulp (double).
template <floating T, int W>
constexpr batch<T, W> log10(batch<T, W> x) {
  return detail::with_log_specials(x, detail::log_to<detail::base_10>(detail::split_log(x)));
}

/// log(1 + x) without cancellation. Error below 1 ulp.
template <floating T, int W>
constexpr batch<T, W> log1p(batch<T, W> x) {
  using B = batch<T, W>;
  const B sum = B(T(1)) + x;
  const B result = detail::log_to<detail::base_e>(detail::split_log1p(x, sum));
  return select(x == B(T(0)), x, detail::with_log_specials(sum, result));
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
