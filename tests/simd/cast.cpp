// Casts between all element types, and of masks.
// SPDX-License-Identifier: BSL-1.0
#include "lanes.hpp"

using namespace tests;

namespace {

template <class U, class T, int W>
void check_cast() {
  check<T, W>(
      "cast", [](auto a, auto) { return simd::cast<U>(a); },
      [](T a, T) { return simd::scalar::convert<U>(a); });
  check<T, W>(
      "mask_cast", [](auto a, auto b) { return simd::mask_cast<U>(a < b); },
      [](T a, T b) { return a < b; });
  check<T, W>(
      "from_mask", [](auto a, auto b) { return simd::from_mask<U>(a < b); },
      [](T a, T b) { return U(a < b); });
}

template <class T, int W>
void check_casts() {
  check_cast<std::int8_t, T, W>();
  check_cast<std::int16_t, T, W>();
  check_cast<std::int32_t, T, W>();
  check_cast<std::int64_t, T, W>();
  check_cast<std::uint8_t, T, W>();
  check_cast<std::uint16_t, T, W>();
  check_cast<std::uint32_t, T, W>();
  check_cast<std::uint64_t, T, W>();
  check_cast<float, T, W>();
  check_cast<double, T, W>();
  check<T, W>(
      "cast to bool", [](auto a, auto) { return simd::cast<bool>(a); },
      [](T a, T) { return a != T(0); });
}

}  // namespace

TEST_CASE_TEMPLATE("casts between all element types", T, ELEMENT_TYPES) {
  check_every_width<T>([]<class U, int W> { check_casts<U, W>(); });
}
