// The element types of tensors, as C++ types and as values, and how they promote.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tfgraph {

/// The element type of a tensor, as a value.
enum class dtype : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64
};

inline constexpr int dtype_count = 11;

[[nodiscard]] constexpr bool is_floating(dtype t) { return t >= dtype::float32; }
[[nodiscard]] constexpr bool is_signed_integer(dtype t) {
  return t >= dtype::int8 && t <= dtype::int64;
}
[[nodiscard]] constexpr bool is_unsigned_integer(dtype t) {
  return t >= dtype::uint8 && t <= dtype::uint64;
}
[[nodiscard]] constexpr bool is_integer(dtype t) {
  return is_signed_integer(t) || is_unsigned_integer(t);
}
[[nodiscard]] constexpr bool is_numeric(dtype t) { return t != dtype::boolean; }

/// Size of an element in bytes.
[[nodiscard]] constexpr std::size_t size_of(dtype t) {
  constexpr std::size_t sizes[dtype_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return sizes[static_cast<std::size_t>(t)];
}

/// The array API standard's name of the type: "bool", "int8", ..., "float64".
[[nodiscard]] constexpr std::string_view name_of(dtype t) {
  constexpr std::string_view names[dtype_count] = {"bool",   "int8",    "int16",  "int32",
                                                   "int64",  "uint8",   "uint16", "uint32",
                                                   "uint64", "float32", "float64"};
  return names[static_cast<std::size_t>(t)];
}

namespace detail {

// Every arithmetic C++ type maps to the dtype of the same size and signedness
// (so `long` and `long long` are both int64 on Linux).
template <class T>
constexpr int find_dtype() {
  if constexpr (std::is_same_v<T, bool>) return 0;
  else if constexpr (std::is_same_v<T, float>) return 9;
  else if constexpr (std::is_same_v<T, double>) return 10;
  else if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
    return (std::is_signed_v<T> ? 1 : 5) + (sizeof(T) == 1   ? 0
                                            : sizeof(T) == 2 ? 1
                                            : sizeof(T) == 4 ? 2
                                                             : 3);
  else return -1;
}

template <dtype>
struct element_type;
template <>
struct element_type<dtype::boolean> {
  using type = bool;
};
template <>
struct element_type<dtype::int8> {
  using type = std::int8_t;
};
template <>
struct element_type<dtype::int16> {
  using type = std::int16_t;
};
template <>
struct element_type<dtype::int32> {
  using type = std::int32_t;
};
template <>
struct element_type<dtype::int64> {
  using type = std::int64_t;
};
template <>
struct element_type<dtype::uint8> {
  using type = std::uint8_t;
};
template <>
struct element_type<dtype::uint16> {
  using type = std::uint16_t;
};
template <>
struct element_type<dtype::uint32> {
  using type = std::uint32_t;
};
template <>
struct element_type<dtype::uint64> {
  using type = std::uint64_t;
};
template <>
struct element_type<dtype::float32> {
  using type = float;
};
template <>
struct element_type<dtype::float64> {
  using type = double;
};

}  // namespace detail

/// The C++ types that can be elements of a tensor.
template <class T>
concept element = detail::find_dtype<std::remove_cv_t<T>>() >= 0;

/// The dtype of a C++ arithmetic type.
template <element T>
inline constexpr dtype dtype_of = static_cast<dtype>(detail::find_dtype<std::remove_cv_t<T>>());

/// The C++ type that stores elements of dtype `D`.
template <dtype D>
using element_t = typename detail::element_type<D>::type;

/// The outcome of a promotion: a dtype, or none when the two do not mix.
struct promotion {
  bool ok = false;
  dtype type = dtype::boolean;
};

/// The array API standard's promotion table for two tensors: within one kind the wider type; signed
/// with unsigned the next wider signed type; nothing for int64 with uint64, and nothing across
/// kinds (bool, integer, floating point), where `astype` must say what is meant.
[[nodiscard]] constexpr promotion promote(dtype a, dtype b) {
  if (a == b) return {true, a};
  if (is_floating(a) && is_floating(b)) return {true, dtype::float64};
  if (!is_integer(a) || !is_integer(b)) return {};
  if (is_signed_integer(a) == is_signed_integer(b)) return {true, a > b ? a : b};
  const dtype s = is_signed_integer(a) ? a : b;
  const dtype u = is_signed_integer(a) ? b : a;
  if (size_of(s) > size_of(u)) return {true, s};
  if (u == dtype::uint64) return {};
  // The signed type one step wider than u: uint8 -> int16, uint16 -> int32, uint32 -> int64.
  return {true, static_cast<dtype>(static_cast<int>(u) - static_cast<int>(dtype::uint8) +
                                   static_cast<int>(dtype::int16))};
}

}  // namespace tfgraph
