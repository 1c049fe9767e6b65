// Scalar arithmetic that is also safe in constant expressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

// A compiler refuses a constant expression whose arithmetic yields Inf or NaN. The functions of
// this header are the plain operators at run time. In a constant expression they decide such
// results by comparisons and compute everything else with the operators, or, near the ends of the
// range, exactly with integers.
namespace tfgraph::simd::scalar {

__extension__ using uint128 = unsigned __int128;

template <int Bytes>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};

/// The unsigned (signed) integer type that has the size of T.
template <class T>
using unsigned_of = typename unsigned_of_size<sizeof(T)>::type;
template <class T>
using signed_of = std::make_signed_t<unsigned_of<T>>;

/// What the bits of a float or double mean.
template <std::floating_point T>
struct format {
  using bits = unsigned_of<T>;
  static constexpr int digits =
      std::numeric_limits<T>::digits;  // of the significand, with the leading one
  static constexpr int mantissa_bits = digits - 1;
  static constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
  static constexpr int smallest_unit =
      std::numeric_limits<T>::min_exponent - digits;  // log2(denorm_min)
  static constexpr bits sign = bits{1} << (sizeof(T) * 8 - 1);
  static constexpr bits leading_one = bits{1} << mantissa_bits;
  static constexpr T infinity = std::numeric_limits<T>::infinity();
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  static constexpr T max = std::numeric_limits<T>::max();
  // Products and quotients of numbers between `small` and `large` can neither overflow nor divide
  // by zero.
  static constexpr T large = sizeof(T) == 4 ? T(0x1p62) : T(0x1p510);
  static constexpr T small = 1 / large;
};

template <std::floating_point T>
constexpr bool is_nan(T x) {
  return x != x;
}

template <std::floating_point T>
constexpr bool is_finite(T x) {
  return x <= format<T>::max && x >= -format<T>::max;
}

template <std::floating_point T>
constexpr bool sign_bit(T x) {
  return (std::bit_cast<unsigned_of<T>>(x) & format<T>::sign) != 0;
}

template <std::floating_point T>
constexpr T magnitude(T x) {
  return std::bit_cast<T>(std::bit_cast<unsigned_of<T>>(x) & ~format<T>::sign);
}

template <std::floating_point T>
constexpr T with_sign(T x, bool negative) {
  using bits = unsigned_of<T>;
  return std::bit_cast<T>((std::bit_cast<bits>(x) & ~format<T>::sign) |
                          (negative ? format<T>::sign : bits{0}));
}

/// 2^e; e from the smallest subnormal to the largest power of two.
template <std::floating_point T>
constexpr T power_of_two(int e) {
  using f = format<T>;
  using bits = unsigned_of<T>;
  return e >= 1 - f::bias ? std::bit_cast<T>(static_cast<bits>(e + f::bias) << f::mantissa_bits)
                          : std::bit_cast<T>(bits{1} << (e - f::smallest_unit));
}

/// A finite, non-zero number as significand * 2^exponent, the significand an integer with exactly
/// `digits` bits.
struct integer_and_exponent {
  std::uint64_t significand;
  int exponent;
};

template <std::floating_point T>
constexpr integer_and_exponent decompose(T x) {
  using f = format<T>;
  const auto b = static_cast<std::uint64_t>(std::bit_cast<unsigned_of<T>>(x) & ~f::sign);
  if (b >= f::leading_one)
    return {(b & (f::leading_one - 1)) | f::leading_one,
            static_cast<int>(b >> f::mantissa_bits) - 1 + f::smallest_unit};
  const int shift = f::digits - static_cast<int>(std::bit_width(b));
  return {b << shift, f::smallest_unit - shift};
}

/// significand * 2^exponent, rounded to nearest even once; subnormal or infinite where the range
/// ends.
template <std::floating_point T>
constexpr T compose(bool negative, uint128 significand, int exponent) {
  using f = format<T>;
  const auto high = static_cast<std::uint64_t>(significand >> 64);
  const int width = static_cast<int>(
      high ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(significand)));
  int drop = width - f::digits;
  if (drop < f::smallest_unit - exponent) drop = f::smallest_unit - exponent;
  if (drop > 127) return with_sign(T(0), negative);
  if (drop > 0) {
    const uint128 half = uint128{1} << (drop - 1);
    const uint128 rest = significand & (half + (half - 1));
    significand >>= drop;
    exponent += drop;
    if (rest > half || (rest == half && (significand & 1) != 0)) ++significand;
  }
  if (significand == 0) return with_sign(T(0), negative);
  const auto rounded = static_cast<std::uint64_t>(significand);
  if (exponent + static_cast<int>(std::bit_width(rounded)) > f::bias + 1)
    return with_sign(f::infinity, negative);
  return with_sign(T(rounded) * power_of_two<T>(exponent), negative);
}

/// a * b + c of finite numbers, none of them zero, rounded once.
template <std::floating_point T>
constexpr T fma_of_finite(T a, T b, T c) {
  const auto [ma, ea] = decompose(a);
  const auto [mb, eb] = decompose(b);
  const auto [mc, ec] = decompose(c);
  constexpr int room =
      126 - 2 * format<T>::digits;  // free bits above the product; one is left for a carry
  uint128 product = (uint128{ma} * mb) << room;
  uint128 addend = mc;
  int exponent = ea + eb - room;
  const int distance = ec - exponent;
  constexpr int reach = 126 - format<T>::digits;
  // The smaller operand is shifted right; what it loses is remembered in its last bit (rounding to
  // odd).
  const auto shift_right = [](uint128 m, int n) {
    if (n > 127) return uint128{1};
    return (m >> n) | uint128{(m & ((uint128{1} << n) - 1)) != 0};
  };
  if (distance > reach) {
    product = shift_right(product, distance - reach);
    addend <<= reach;
    exponent = ec - reach;
  } else if (distance >= 0) {
    addend <<= distance;
  } else {
    addend = shift_right(addend, -distance);
  }
  const bool product_sign = sign_bit(a) != sign_bit(b);
  const bool addend_sign = sign_bit(c);
  if (product_sign == addend_sign) return compose<T>(product_sign, product + addend, exponent);
  if (product == addend) return T(0);
  if (product > addend) return compose<T>(product_sign, product - addend, exponent);
  return compose<T>(addend_sign, addend - product, exponent);
}

template <std::floating_point T>
constexpr bool moderate(T x) {
  return x < format<T>::large && x > -format<T>::large;
}

template <std::floating_point T>
constexpr T add_constant(T a, T b) {
  if (a < format<T>::large && a > -format<T>::large && b < format<T>::large &&
      b > -format<T>::large)
    return a + b;
  if (is_nan(a) || is_nan(b)) return format<T>::nan;
  if (!is_finite(a)) return !is_finite(b) && a != b ? format<T>::nan : a;
  if (!is_finite(b)) return b;
  if (a == 0 || b == 0) return a + b;
  return fma_of_finite(a, T(1), b);
}

template <std::floating_point T>
constexpr T multiply_constant(T a, T b) {
  if (a < format<T>::large && a > -format<T>::large && b < format<T>::large &&
      b > -format<T>::large)
    return a * b;
  if (is_nan(a) || is_nan(b)) return format<T>::nan;
  const bool negative = sign_bit(a) != sign_bit(b);
  if (!is_finite(a) || !is_finite(b))
    return a == 0 || b == 0 ? format<T>::nan : with_sign(format<T>::infinity, negative);
  if (a == 0 || b == 0) return with_sign(T(0), negative);
  const auto [ma, ea] = decompose(a);
  const auto [mb, eb] = decompose(b);
  return compose<T>(negative, uint128{ma} * mb, ea + eb);
}

template <std::floating_point T>
constexpr T divide_constant(T a, T b) {
  if (moderate(a) && moderate(b) && magnitude(b) > format<T>::small) return a / b;
  if (is_nan(a) || is_nan(b)) return format<T>::nan;
  const bool negative = sign_bit(a) != sign_bit(b);
  if (!is_finite(a))
    return is_finite(b) ? with_sign(format<T>::infinity, negative) : format<T>::nan;
  if (!is_finite(b)) return with_sign(T(0), negative);
  if (b == 0) return a == 0 ? format<T>::nan : with_sign(format<T>::infinity, negative);
  if (a == 0) return with_sign(T(0), negative);
  const auto [ma, ea] = decompose(a);
  const auto [mb, eb] = decompose(b);
  const uint128 dividend = uint128{ma} << 64;
  const uint128 quotient = dividend / mb;
  return compose<T>(negative, (quotient << 1) | uint128{dividend % mb != 0}, ea - eb - 65);
}

/// high + low, rounded to odd: if it is inexact, to that neighbour whose last bit is set. A sum of
/// two that was rounded so, with two bits to spare, can be rounded again without error (Boldo and
/// Melquiond).
constexpr double add_to_odd(double a, double b) {
  const double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/// a * b + c of numbers far from the ends of the range, rounded once, with few operations.
constexpr float fma_of_moderate(float a, float b, float c) {
  return static_cast<float>(
      add_to_odd(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c)));
}

constexpr double fma_of_moderate(double a, double b, double c) {
  // The product exactly as p + e (Dekker), c + e exactly as u + v, p + u exactly as r + s.
  const double p = a * b, ta = a * 0x1.0000002p27, tb = b * 0x1.0000002p27;
  const double a1 = ta - (ta - a), a2 = a - a1, b1 = tb - (tb - b), b2 = b - b1;
  const double e = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
  const double u = c + e, e_part = u - c, v = (c - (u - e_part)) + (e - e_part);
  const double r = p + u, u_part = r - p, s = (p - (r - u_part)) + (u - u_part);
  return r + add_to_odd(s, v);
}

template <std::floating_point T>
constexpr T fma_constant(T a, T b, T c) {
  constexpr T high = sizeof(T) == 4 ? T(0x1p60) : T(0x1p400), low = 1 / high;
  if (a < high && a > -high && b < high && b > -high && c < high && c > -high &&
      (a > low || a < -low) && (b > low || b < -low) && (c > low || c < -low))
    return fma_of_moderate(a, b, c);
  if (!is_finite(a) || !is_finite(b)) return add_constant(multiply_constant(a, b), c);
  if (!is_finite(c)) return add_constant(T(0), c);
  if (a == 0 || b == 0) return add_constant(multiply_constant(a, b), c);
  if (c == 0) return multiply_constant(a, b);
  return fma_of_finite(a, b, c);
}

/// Square root, rounded correctly: a few Newton steps, then the exact integer decides the last bit.
template <std::floating_point T>
constexpr T sqrt_constant(T x) {
  if (is_nan(x) || x == 0) return x;
  if (x < 0) return format<T>::nan;
  if (!is_finite(x)) return x;
  const auto [m, e] = decompose(x);
  int shift = 125 - format<T>::digits;
  shift += (e - shift) & 1;
  const uint128 square = uint128{m} << shift;  // x = square * 4^n, and 2^124 <= square < 2^126
  const double approximate = static_cast<double>(static_cast<std::uint64_t>(square >> 64)) * 0x1p64;
  double newton = 0x1p63;
  for (int i = 0; i < 6; ++i) newton = 0.5 * (newton + approximate / newton);
  auto root = static_cast<std::uint64_t>(newton);
  root = static_cast<std::uint64_t>((root + square / root) / 2);
  while (uint128{root} * root > square) --root;
  while ((uint128{root} + 1) * (uint128{root} + 1) <= square) ++root;
  return compose<T>(false, (uint128{root} << 1) | uint128{uint128{root} * root != square},
                    (e - shift) / 2 - 1);
}

/// x without its fraction.
template <std::floating_point T>
constexpr T truncate_constant(T x) {
  if (!(magnitude(x) < T(1) / std::numeric_limits<T>::epsilon())) return x;
  return with_sign(T(static_cast<std::int64_t>(x)), sign_bit(x));
}

/// Conversions between all element types: integers wrap, floats saturate to integers, NaN becomes
/// 0.
template <class U, class T>
constexpr U convert(T x) {
  if constexpr (std::is_same_v<U, T>) {
    return x;
  } else if constexpr (std::is_same_v<U, bool>) {
    return x != T(0);
  } else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>) {
    // The first number above the range is a power of two, so both ends are exact.
    constexpr T above = T(std::numeric_limits<U>::max() / 2 + 1) * 2;
    if (is_nan(x)) return U(0);
    if (x >= above) return std::numeric_limits<U>::max();
    if (x <= T(std::numeric_limits<U>::min())) return std::numeric_limits<U>::min();
    return static_cast<U>(x);
  } else if constexpr (std::is_same_v<U, float> && std::is_same_v<T, double>) {
    if (std::is_constant_evaluated()) {
      if (is_nan(x)) return format<float>::nan;
      if (magnitude(x) >= 0x1.ffffffp127) return with_sign(format<float>::infinity, sign_bit(x));
    }
    return static_cast<float>(x);
  } else if constexpr (std::is_same_v<U, double> && std::is_same_v<T, float>) {
    if (std::is_constant_evaluated() && is_nan(x)) return format<double>::nan;
    return static_cast<double>(x);
  } else {
    return static_cast<U>(x);
  }
}

}  // namespace tfgraph::simd::scalar
