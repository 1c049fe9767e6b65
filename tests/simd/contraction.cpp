// A product is rounded before it is added, whatever the compiler would like to contract: built with
// -O3 -march=native and nothing else that matters.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/simd/floating.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace simd = tfgraph::simd;
using simd::batch;

namespace {

constexpr std::size_t count = 4096;

template <class T>
struct numbers {
  std::vector<T> a, b, c, d;
};

// c * d is close to a * b, so that what a contraction would keep of a product is all that is left.
template <class T>
numbers<T> arguments() {
  std::mt19937_64 random(1);
  const auto number = [&] {
    return static_cast<T>(1 + static_cast<double>(random() >> 11) * 0x1p-53);
  };
  numbers<T> x;
  for (std::size_t i = 0; i < count; ++i) {
    x.a.push_back(number());
    x.b.push_back(number());
    x.c.push_back(i % 2 == 0 ? x.b[i] : number());
    x.d.push_back(i % 2 == 0 ? x.a[i] : number());
  }
  return x;
}

// Every step through memory.
template <class T>
T rounded(T x) {
  volatile T stored = x;
  return stored;
}

template <class T, int W>
void check_lanes() {
  const auto x = arguments<T>();
  std::vector<T> difference(count), sum(count);
  for (std::size_t i = 0; i < count; i += W) {
    const auto a = batch<T, W>::load(&x.a[i]), b = batch<T, W>::load(&x.b[i]);
    const auto c = batch<T, W>::load(&x.c[i]), d = batch<T, W>::load(&x.d[i]);
    (a * b - c * d).store(&difference[i]);
    (c + a * b).store(&sum[i]);
  }
  int wrong = 0, contracted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T ab = rounded(x.a[i] * x.b[i]), cd = rounded(x.c[i] * x.d[i]);
    using bits = simd::scalar::unsigned_of<T>;
    const auto same = [](T p, T q) { return std::bit_cast<bits>(p) == std::bit_cast<bits>(q); };
    wrong += !same(difference[i], rounded(ab - cd)) + !same(sum[i], rounded(x.c[i] + ab));
    contracted += !same(std::fma(x.a[i], x.b[i], -cd), rounded(ab - cd));
  }
  CAPTURE(W);
  CHECK(wrong == 0);
  CHECK(contracted > 100);  // these arguments would tell
}

}  // namespace

TEST_CASE_TEMPLATE("products are not contracted", T, float, double) {
  check_lanes<T, 1>();
  check_lanes<T, 4>();
  check_lanes<T, simd::native_lanes<T>>();
  check_lanes<T, 2 * simd::native_lanes<T>>();
}
