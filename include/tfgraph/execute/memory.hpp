// The memory that a call of a program works on.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/element.hpp>

#include <cstddef>
#include <cstdint>

namespace tfgraph::execute {

/// Where the places of a program are.
struct memory {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  std::byte* arena = nullptr;
  std::byte** pointers = nullptr;  ///< of loops
  // Where the program is not a constant:
  const std::uint64_t* pool = nullptr;
  const element_bits* numbers = nullptr;  ///< by node; see place_kind::number
};

}  // namespace tfgraph::execute
