// Building blocks of the math functions: polynomials, powers of two, sums of two numbers as one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/floating.hpp>

namespace tfgraph::simd::detail {

/// ln(2) in two parts; integers up to 2^12 times the first are exact.
template <class T>
struct ln2 {
  static constexpr bool single = std::is_same_v<T, float>;
  static constexpr T high = single ? T(0x1.62ep-1) : T(0x1.62e42fefa38p-1);
  static constexpr T low = single ? T(0x1.0bfbe8p-15) : T(0x1.ef35793c7673p-45);
};

/// x between low and high; NaN stays.
template <class T, int W>
constexpr batch<T, W> clamp(batch<T, W> x, T low, T high) {
  using B = batch<T, W>;
  if constexpr (x.is_register) {
    return B(clamped(x.value, B(low).value, B(high).value));
  } else if constexpr (W == 1) {
    x = select(x < B(low), B(low), x);
    return select(B(high) < x, B(high), x);
  } else {
    return by_halves<B>([=](auto h) { return clamp(h, low, high); }, x);
  }
}

/// From this number on all floating-point numbers are integers, and in its last bits it counts in
/// ones.
template <class T>
inline constexpr T counter = T(1.5) / std::numeric_limits<T>::epsilon();

/// The nearest integer to a moderate number, or to x * factor.
template <class B>
constexpr B nearest_integer(B x) {
  const B magic(counter<typename B::value_type>);
  return (x + magic) - magic;
}

template <class B>
constexpr B nearest_integer(B x, B factor) {
  const B magic(counter<typename B::value_type>);
  return fma(x, factor, magic) - magic;
}

/// Integers of moderate size, as integer lanes of the same width and back.
template <class T, int W>
constexpr auto float_to_integer(batch<T, W> x) {
  using bits = scalar::signed_of<T>;
  const batch<T, W> magic(counter<T>);
  return bit_cast_to<bits>(x + magic) - bit_cast_to<bits>(magic);
}

template <class T, class I, int W>
constexpr batch<T, W> integer_to_float(batch<I, W> n) {
  const batch<T, W> magic(counter<T>);
  return bit_cast_to<T>(n + bit_cast_to<I>(magic)) - magic;
}

/// x * 2^n for an integer n, |n| at most 250 (float) or 2000 (double), rounded once if |x| is
/// between 1/4 and 4.
template <class T, int W>
constexpr batch<T, W> scale(batch<T, W> x, batch<T, W> n) {
  if constexpr (has_scale<T, W>) {
    return batch<T, W>(scaled(x.value, n.value));
  } else {
    using bits = scalar::signed_of<T>;
    using I = batch<bits, W>;
    const I k = float_to_integer(n);
    const I half = k >> I(bits(1));
    const auto power = [](I e) {
      return bit_cast_to<T>((e + I(bits(scalar::format<T>::bias)))
                            << I(bits(scalar::format<T>::mantissa_bits)));
    };
    return x * power(half) * power(k - half);
  }
}

/// x as 2^n * m, 3/4 <= m < 3/2; of 0, infinity and NaN: anything.
template <class B>
struct split_number {
  B n, m;
};

template <class T, int W>
constexpr split_number<batch<T, W>> split(batch<T, W> x) {
  using B = batch<T, W>;
  if constexpr (has_scale<T, W>) {
    const auto m = significand(x.value);
    return {B(exponent(x.value, m)), B(m)};
  } else {
    using bits = scalar::signed_of<T>;
    using I = batch<bits, W>;
    using format = scalar::format<T>;
    const mask<T, W> subnormal = x < B(std::numeric_limits<T>::min());
    const B normal = select(subnormal, x * B(scalar::power_of_two<T>(format::digits + 1)), x);
    const I pattern = bit_cast_to<bits>(normal);
    const I n = (pattern - I(std::bit_cast<bits>(T(0.75)))) >> I(bits(format::mantissa_bits));
    const B m = bit_cast_to<T>(pattern - (n << I(bits(format::mantissa_bits))));
    return {integer_to_float<T>(n) - select(subnormal, B(T(format::digits + 1)), B(T(0))), m};
  }
}

/// A result with the argument itself where that is zero, infinite or NaN.
template <class T, int W>
constexpr batch<T, W> keep_specials(batch<T, W> x, batch<T, W> result) {
  using B = batch<T, W>;
  if constexpr (has_scale<T, W>) return B(fixed_up<0x00110111>(result.value, x.value));
  else return select((x == B(T(0))) | ~isfinite(x), x, result);
}

/// The number high + low, where |low| is at most about one unit in the last place of high.
template <class B>
struct twofold {
  B high, low;
};

/// a + b exactly, if |a| >= |b| or a == 0 (Dekker).
template <class B>
constexpr twofold<B> fast_two_sum(B a, B b) {
  const B sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly (Knuth).
template <class B>
constexpr twofold<B> two_sum(B a, B b) {
  const B sum = a + b;
  const B b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a * b exactly.
template <class B>
constexpr twofold<B> two_product(B a, B b) {
  const B product = a * b;
  return {product, fms(a, b, product)};
}

/// a / b with an error of a few units of the last place of the low part.
template <class B>
constexpr twofold<B> divide(twofold<B> a, twofold<B> b) {
  const B inverse = reciprocal(b.high);
  const B quotient = a.high * inverse;
  const B rest = fnma(quotient, b.high, a.high) + fnma(quotient, b.low, a.low);
  return {quotient, rest * inverse};
}

/// sqrt(a) for a.high > 0.
template <class B>
constexpr twofold<B> square_root(twofold<B> a) {
  using T = typename B::value_type;
  const B root = sqrt(a.high);
  return {root, (fnma(root, root, a.high) + a.low) * (B(T(0.5)) / root)};
}

/// c[0] + c[1] x + c[2] x^2 + ... by Horner's rule.
template <class B, std::size_t N>
constexpr B polynomial(B x, const typename B::value_type (&c)[N]) {
  B sum(c[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;) sum = fma(sum, x, B(c[i]));
  return sum;
}

}  // namespace tfgraph::simd::detail
