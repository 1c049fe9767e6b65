// The code that the dynamic executor runs for an operator: function pointers on blocks of elements,
// per element type of the operands. A program fills in what its own callables use
// (execute/blocks.hpp), and so compiles no more than that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/element.hpp>
#include <tfgraph/core/shape.hpp>

#include <atomic>
#include <span>

namespace tfgraph {

/// What an elementwise operator is applied to: `count` elements, consecutive in memory. An operand
/// whose step is 0 is one element, which is there 64 times.
struct block {
  void* result;
  const void* operand[3];
  index step[3];
  index count;
  std::span<const index> attributes;
};

/// A matrix product of one batch: out (contiguous rows of `columns` elements) = left * right.
struct block_product {
  const void* left;
  const void* right;
  void* out;
  index rows, columns, depth;
  index left_row, left_depth;
  index right_depth, right_column;
  index out_row;
};

/// The functions of one operator and element type; those that its kind does not have are null.
struct block_functions {
  /// elementwise: the operator; reductions: two blocks combined.
  void (*apply)(const block&);
  /// reductions: combines elements with the virtual lanes (see reduction_order), in order.
  void (*accumulate)(void* lanes, const void* x, index count);
  /// reductions: the virtual lanes folded by halves.
  element_bits (*fold)(void* lanes);
  /// reductions to a position: goes on over a run of elements.
  void (*find)(const void* x, index stride, index count, index first, void* best, index* where);
  /// contractions.
  void (*multiply)(const block_product&);
};

struct block_code {
  std::atomic<const block_functions*> of_type[dtype_count] = {};
};

}  // namespace tfgraph
