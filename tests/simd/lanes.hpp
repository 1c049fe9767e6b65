// Checks an operation on lanes against the same on scalars and against plain C++, for many values.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/floating.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#define ELEMENT_TYPES                                                                 \
  std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, \
      std::uint32_t, std::uint64_t, float, double

namespace tests {

namespace simd = tfgraph::simd;
using simd::batch;
using simd::mask;

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using bits = simd::scalar::unsigned_of<T>;
    return (a != a && b != b) || std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
  } else {
    return a == b;
  }
}

template <class T>
std::vector<T> interesting() {
  using limits = std::numeric_limits<T>;
  std::vector<T> v;
  for (T x : {T(0), T(1), T(2), T(3), T(5), T(100), limits::max(), limits::min(), limits::lowest(),
              T(limits::max() / 2)})
    v.push_back(x);
  if constexpr (std::is_signed_v<T>)
    for (T x : {T(-1), T(-2), T(-7)}) v.push_back(x);
  if constexpr (std::is_floating_point_v<T>)
    for (T x : {T(-0.0),
                limits::infinity(),
                -limits::infinity(),
                limits::quiet_NaN(),
                limits::denorm_min(),
                T(0.5),
                T(1.5),
                T(2.5),
                T(-0.5),
                T(-1.5),
                T(-0.3),
                T(127.9),
                T(-128.9),
                T(255.5),
                T(65535.5),
                T(8388607.5),
                T(4503599627370495.5),
                T(2147483647.0),
                T(-2147483648.0),
                T(4.5e9),
                T(-3e9),
                T(9.3e18),
                T(-1e19),
                T(2e19)})
      v.push_back(x);
  return v;
}

// All pairs of interesting values, W at a time.
template <class T, int W, class F>
void for_all_pairs(F f) {
  const auto values = interesting<T>();
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      std::array<T, batch<T, W>::size> a, b;
      for (std::size_t k = 0; k < a.size(); ++k) {
        a[k] = values[(i + k) % n];
        b[k] = values[(j + 2 * k) % n];
      }
      f(a, b);
    }
}

// op(a, b) lane by lane is the same as op of scalars, which is the same as `expected`.
template <class T, int W, class Op, class Expected>
void check(const char* name, Op op, Expected expected) {
  const std::string operation = name;
  CAPTURE(operation);
  CAPTURE(W);
  for_all_pairs<T, W>([&](const auto& a, const auto& b) {
    const auto result = op(batch<T, W>::load(a.data()), batch<T, W>::load(b.data()));
    for (std::size_t k = 0; k < a.size(); ++k) {
      const auto lane = result.get(static_cast<int>(k));
      const auto scalar = op(batch<T, 1>(a[k]), batch<T, 1>(b[k])).value;
      if (!same(lane, scalar) || !same(lane, expected(a[k], b[k])))
        FAIL_CHECK("lane " << k << ": " << +a[k] << ", " << +b[k] << " give " << +lane
                           << ", scalar " << +scalar);
    }
  });
}

template <class T>
void check_every_width(auto f) {
  // Between them halves, and registers of 128, 256 and 512 bits where the processor has them.
  f.template operator()<T, 4>();
  f.template operator()<T, 16>();
}

}  // namespace tests
