// The order in which sums and products are formed. It is fixed by the shape alone, so the result
// has the same bits on one lane or sixteen, on one thread or many.
//
// The innermost run of reduced axes (m elements that follow each other) is cut into blocks. In a
// block, element i goes to lane i mod `lanes`; then the lanes are folded by halves. Block results,
// and the rows of the remaining reduced axes in blocks of `rows`, are combined pairwise.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/shape.hpp>

#include <cstddef>

namespace tfgraph::reduction_order {

/// Virtual lanes: 256 bytes of elements, four AVX-512 registers.
[[nodiscard]] constexpr int lanes(std::size_t element_size) {
  return static_cast<int>(256 / (element_size < 4 ? 4 : element_size));
}
/// Elements of a block of the innermost run.
[[nodiscard]] constexpr index block(std::size_t element_size) { return 64 * lanes(element_size); }
/// Rows of a block of the remaining reduced axes.
inline constexpr index rows = 64;

/// Combines a stream of values as a balanced binary tree, with one value per level of memory.
template <class V>
class pairwise {
 public:
  template <class Combine>
  constexpr void push(V v, Combine combine) {
    int level = 0;
    for (std::size_t n = count_++; (n & 1) != 0; n >>= 1) v = combine(levels_[level++], v);
    levels_[level] = v;
  }
  /// The combination of all that was pushed (at least one value).
  template <class Combine>
  [[nodiscard]] constexpr V finish(Combine combine) const {
    int level = 0;
    std::size_t n = count_;
    for (; (n & 1) == 0; n >>= 1) ++level;
    V v = levels_[level];
    while ((n >>= 1) != 0) {
      ++level;
      if ((n & 1) != 0) v = combine(levels_[level], v);
    }
    return v;
  }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }

 private:
  V levels_[40] = {};
  std::size_t count_ = 0;
};

}  // namespace tfgraph::reduction_order
