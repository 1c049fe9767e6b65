// The memory plan: intermediates whose lives do not overlap share bytes of one arena.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/core/shape.hpp>

namespace tfgraph::schedule {

inline constexpr index alignment = 64;

/// A buffer that lives from the kernel that writes it to the last kernel that reads it.
struct buffer {
  index bytes = 0;
  int first_kernel = 0;
  int last_kernel = 0;
  index offset = 0;
};

/// Gives each buffer the lowest offset where it meets no other that lives at the same time, in the
/// order in which they are written. Returns the size of the arena.
constexpr index place_buffers(tfgraph::detail::list<buffer>& buffers) {
  index end = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    buffer& b = buffers[i];
    const index bytes = (b.bytes + alignment - 1) / alignment * alignment;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t j = 0; j < i; ++j) {
        const buffer& other = buffers[j];
        const bool together =
            b.first_kernel <= other.last_kernel && other.first_kernel <= b.last_kernel;
        if (together && b.offset < other.offset + other.bytes && other.offset < b.offset + bytes) {
          b.offset = (other.offset + other.bytes + alignment - 1) / alignment * alignment;
          moved = true;
        }
      }
    }
    end = b.offset + bytes > end ? b.offset + bytes : end;
  }
  return end;
}

}  // namespace tfgraph::schedule
