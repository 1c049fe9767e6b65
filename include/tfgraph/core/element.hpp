// One element whose type is a run-time value: its bits, and the way between them and C++ types.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tfgraph {

/// The bits of one element, zero-extended to 64.
using element_bits = std::uint64_t;

namespace detail {

template <std::size_t Bytes>
using unsigned_of_size = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <element T>
[[nodiscard]] constexpr element_bits to_bits(T value) {
  if constexpr (std::is_same_v<T, bool>) return value ? 1 : 0;
  else return std::bit_cast<unsigned_of_size<sizeof(T)>>(value);
}

template <element T>
[[nodiscard]] constexpr T from_bits(element_bits bits) {
  if constexpr (std::is_same_v<T, bool>) return bits != 0;
  else return std::bit_cast<T>(static_cast<unsigned_of_size<sizeof(T)>>(bits));
}

/// Calls f with a value-initialised object of the C++ type of `t`.
template <class F>
constexpr decltype(auto) visit_dtype(dtype t, F&& f) {
  switch (t) {
    case dtype::boolean:
      return f(bool{});
    case dtype::int8:
      return f(std::int8_t{});
    case dtype::int16:
      return f(std::int16_t{});
    case dtype::int32:
      return f(std::int32_t{});
    case dtype::int64:
      return f(std::int64_t{});
    case dtype::uint8:
      return f(std::uint8_t{});
    case dtype::uint16:
      return f(std::uint16_t{});
    case dtype::uint32:
      return f(std::uint32_t{});
    case dtype::uint64:
      return f(std::uint64_t{});
    case dtype::float32:
      return f(float{});
    case dtype::float64:
      break;
  }
  return f(double{});
}

// Contents of constants: elements packed little-endian in 64-bit words.
static_assert(std::endian::native == std::endian::little, "tfgraph stores constants little-endian");

template <class Words>
[[nodiscard]] constexpr element_bits packed_element(const Words& words, dtype t, std::size_t i) {
  const std::size_t size = size_of(t);
  if (size == 8) return words[i];
  const std::size_t per_word = 8 / size;
  const unsigned shift = static_cast<unsigned>(i % per_word * size * 8);
  return words[i / per_word] >> shift & ((std::uint64_t{1} << (size * 8)) - 1);
}

template <class Words>
constexpr void append_packed(Words& words, dtype t, std::size_t i, element_bits bits) {
  const std::size_t per_word = 8 / size_of(t);
  if (i % per_word == 0) words.push_back(bits);
  else words.back() |= bits << (i % per_word * size_of(t) * 8);
}

}  // namespace detail
}  // namespace tfgraph
