// What only floating-point batches can do: fused multiply-add, rounding, square root,
// classification.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/batch.hpp>

namespace tfgraph::simd {

/// a * b + c, rounded once, on every instruction set.
template <floating T, int W>
constexpr batch<T, W> fma(batch<T, W> a, batch<T, W> b, batch<T, W> c) {
  if constexpr (W == 1) {
    if (std::is_constant_evaluated())
      return batch<T, 1>(scalar::fma_constant(a.value, b.value, c.value));
    return batch<T, 1>(std::fma(a.value, b.value, c.value));
  } else if constexpr (a.is_register) {
    return batch<T, W>(detail::fused(a.value, b.value, c.value));
  } else {
    return detail::by_halves<batch<T, W>>([](auto x, auto y, auto z) { return fma(x, y, z); }, a, b,
                                          c);
  }
}

/// a * b - c, rounded once.
template <floating T, int W>
constexpr batch<T, W> fms(batch<T, W> a, batch<T, W> b, batch<T, W> c) {
  return fma(a, b, -c);
}

/// c - a * b, rounded once.
template <floating T, int W>
constexpr batch<T, W> fnma(batch<T, W> a, batch<T, W> b, batch<T, W> c) {
  return fma(-a, b, c);
}

template <floating T, int W>
constexpr batch<T, W> sqrt(batch<T, W> x) {
  if constexpr (W == 1) {
    if (std::is_constant_evaluated()) return batch<T, 1>(scalar::sqrt_constant(x.value));
    return batch<T, 1>(std::sqrt(x.value));
  } else if constexpr (x.is_register) {
    return batch<T, W>(detail::square_root(x.value));
  } else {
    return detail::by_halves<batch<T, W>>([](auto h) { return sqrt(h); }, x);
  }
}

/// The magnitude of x with the sign of y.
template <floating T, int W>
constexpr batch<T, W> copysign(batch<T, W> x, batch<T, W> y) {
  using bits = scalar::unsigned_of<T>;
  if constexpr (!x.is_scalar && !x.is_register) {
    return detail::by_halves<batch<T, W>>([](auto a, auto b) { return copysign(a, b); }, x, y);
  } else {
    const batch<bits, W> sign_bits(scalar::format<T>::sign);
    const auto result = bit_cast_to<T>((bit_cast_to<bits>(x) & ~sign_bits) |
                                       (bit_cast_to<bits>(y) & sign_bits));
    if constexpr (x.is_register) return batch<T, W>(detail::unmerged(result.value));
    else return result;
  }
}

template <floating T, int W>
constexpr mask<T, W> isnan(batch<T, W> x) {
  return x != x;
}

template <floating T, int W>
constexpr mask<T, W> isinf(batch<T, W> x) {
  return abs(x) == batch<T, W>(scalar::format<T>::infinity);
}

template <floating T, int W>
constexpr mask<T, W> isfinite(batch<T, W> x) {
  return abs(x) <= batch<T, W>(scalar::format<T>::max);
}

template <floating T, int W>
constexpr mask<T, W> signbit(batch<T, W> x) {
  using integers = scalar::signed_of<T>;
  return mask_cast<T>(bit_cast_to<integers>(x) < batch<integers, W>(integers(0)));
}

/// The integer towards zero; -0 for (-1, -0].
template <floating T, int W>
constexpr batch<T, W> trunc(batch<T, W> x) {
  if constexpr (W == 1) {
    if (std::is_constant_evaluated()) return batch<T, 1>(scalar::truncate_constant(x.value));
    return batch<T, 1>(std::trunc(x.value));
  } else if constexpr (x.is_register) {
    return batch<T, W>(detail::truncated(x.value));
  } else {
    return detail::by_halves<batch<T, W>>([](auto h) { return trunc(h); }, x);
  }
}

/// The nearest integer, ties to the even one.
template <floating T, int W>
constexpr batch<T, W> round(batch<T, W> x) {
  // From 2^(digits - 1) on every number is an integer; adding and subtracting it rounds smaller
  // ones.
  const batch<T, W> limit(1 / std::numeric_limits<T>::epsilon());
  if constexpr (W == 1) {
    if (std::is_constant_evaluated()) {
      if (!(scalar::magnitude(x.value) < limit.value)) return x;
      return copysign((abs(x) + limit) - limit, x);
    }
    return batch<T, 1>(std::nearbyint(x.value));
  } else if constexpr (x.is_register) {
    return batch<T, W>(detail::nearest(x.value));
  } else {
    return detail::by_halves<batch<T, W>>([](auto h) { return round(h); }, x);
  }
}

/// The largest integer that is not above x.
template <floating T, int W>
constexpr batch<T, W> floor(batch<T, W> x) {
  const auto t = trunc(x);
  return select(x < t, t - batch<T, W>(T(1)), t);
}

/// The smallest integer that is not below x.
template <floating T, int W>
constexpr batch<T, W> ceil(batch<T, W> x) {
  const auto t = trunc(x);
  return copysign(select(t < x, t + batch<T, W>(T(1)), t), x);
}

/// 1 / x, a true division.
template <floating T, int W>
constexpr batch<T, W> reciprocal(batch<T, W> x) {
  return batch<T, W>(T(1)) / x;
}

}  // namespace tfgraph::simd
