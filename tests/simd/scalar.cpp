// The arithmetic of constant expressions against the processor's.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/simd/floating.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace scalar = tfgraph::simd::scalar;

namespace {

// Random bits, small integers, powers of two, and neighbours of 1: what rounds, cancels, overflows
// and underflows.
template <class T>
T any_number(std::mt19937_64& random) {
  const auto pick = static_cast<int>(random() % 5);
  const auto n = static_cast<int>(random() % 64);
  if (pick == 0) return std::bit_cast<T>(static_cast<scalar::unsigned_of<T>>(random()));
  if (pick == 1) return static_cast<T>(static_cast<double>(random() % 4096) - 2048);
  if (pick == 2) return static_cast<T>(std::ldexp(1.0, n - 32));
  if (pick == 3) return static_cast<T>(1 + std::ldexp(n - 32.0, -static_cast<int>(random() % 60)));
  return static_cast<T>(std::ldexp(static_cast<double>(random() >> 11), n - 84));
}

template <class T>
bool same(T a, T b) {
  using bits = scalar::unsigned_of<T>;
  return (a != a && b != b) || std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

}  // namespace

TEST_CASE_TEMPLATE("arithmetic without the processor is exact", T, float, double) {
  std::mt19937_64 random(1);
  const auto rounded = [](T x) {
    volatile T stored = x;  // no contraction here
    return T(stored);
  };
  for (int i = 0; i < 300000; ++i) {
    const T a = any_number<T>(random), b = any_number<T>(random);
    // Every other addend nearly cancels the product.
    const T c = i % 2 == 0 ? any_number<T>(random)
                           : -rounded(a * b) * (1 + std::numeric_limits<T>::epsilon() * T(i % 5));
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(c);
    if (!same(scalar::add_constant(a, b), rounded(a + b))) FAIL_CHECK("sum");
    if (!same(scalar::multiply_constant(a, b), rounded(a * b))) FAIL_CHECK("product");
    if (!same(scalar::divide_constant(a, b), rounded(a / b))) FAIL_CHECK("quotient");
    if (!same(scalar::sqrt_constant(a), std::sqrt(a))) FAIL_CHECK("square root");
    if (!same(scalar::fma_constant(a, b, c), std::fma(a, b, c))) FAIL_CHECK("fused multiply-add");
    if (scalar::is_finite(a) && scalar::is_finite(b) && scalar::is_finite(c) && a != 0 && b != 0 &&
        c != 0 && !same(scalar::fma_of_finite(a, b, c), std::fma(a, b, c)))
      FAIL_CHECK("fused multiply-add by integers");
  }
}
