// Strided layouts: where the elements of a tensor lie in a buffer, and how movement operators
// (transpose, slice, broadcast, ...) change only that.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/shape.hpp>

namespace tfgraph {

/// Element (i0, i1, ...) lies at offset + i0*stride[0] + i1*stride[1] + ... of its buffer.
struct layout {
  extents shape;
  strides stride;
  index offset = 0;
  bool valid = true;  ///< false: the result of a movement that no strided layout expresses

  [[nodiscard]] static constexpr layout contiguous(const extents& e) {
    return {e, row_major(e), 0, true};
  }

  [[nodiscard]] constexpr bool is_contiguous() const {
    index step = 1;
    for (int i = shape.rank - 1; i >= 0; --i) {
      if (shape[i] != 1 && stride[i] != step) return false;
      step *= shape[i];
    }
    return true;
  }

  /// The tensor seen in a larger shape: extents of 1 and missing leading ones repeat (stride 0).
  [[nodiscard]] constexpr layout broadcast_to(const extents& e) const;

  /// The same elements in row-major order under another shape; not valid where no strides do that.
  [[nodiscard]] constexpr layout reshaped(const extents& e) const;
};

constexpr layout layout::broadcast_to(const extents& e) const {
  layout y{e, {}, offset, valid};
  for (int i = 1; i <= shape.rank; ++i) {
    const int from = shape.rank - i;
    const int to = e.rank - i;
    y.stride[to] = shape[from] == e[to] ? stride[from] : 0;
  }
  return y;
}

constexpr layout layout::reshaped(const extents& e) const {
  layout y{e, row_major(e), offset, valid};
  if (is_contiguous() || e.size() == 0) return y;
  // Axes that lie evenly merge to a run; the axes of the result must split each run exactly.
  int from = shape.rank - 1;
  int to = e.rank - 1;
  while (from >= 0) {
    const index step = stride[from];
    index run = shape[from--];
    while (from >= 0 && (shape[from] == 1 || stride[from] == step * run)) run *= shape[from--];
    index covered = 1;
    while (to >= 0 && covered * e[to] <= run && run % (covered * e[to]) == 0) {
      y.stride[to] = step * covered;
      covered *= e[to--];
    }
    if (covered != run) return {e, {}, offset, false};
  }
  return y;
}

}  // namespace tfgraph
