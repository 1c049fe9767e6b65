// What the kernels of matrix products share: where a matrix is, a step of a sum, copies.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/shape.hpp>
#include <tfgraph/execute/kernels/partial.hpp>
#include <tfgraph/simd/floating.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tfgraph::kernels {

/// Where a matrix is in memory; strides are in elements and may be zero or negative.
template <class T>
struct matrix {
  const T* data;
  index row_stride;
  index column_stride;

  [[nodiscard]] const T* at(index i, index j) const {
    return data + i * row_stride + j * column_stride;
  }
  [[nodiscard]] matrix from(index i, index j) const {
    return {at(i, j), row_stride, column_stride};
  }
  [[nodiscard]] matrix transposed() const { return {data, column_stride, row_stride}; }
};

namespace detail {

/// a * b + c, rounded once; integers wrap.
template <class T, int W>
[[gnu::always_inline]] inline simd::batch<T, W> multiply_add(simd::batch<T, W> a,
                                                             simd::batch<T, W> b,
                                                             simd::batch<T, W> c) {
  if constexpr (simd::floating<T>) return simd::fma(a, b, c);
  else return a * b + c;
}

/// Lanes of the smallest register for n elements, or of the largest.
template <class T>
constexpr int lanes_for(index n) {
  int lanes = simd::native_lanes<T>;
  while (lanes / 2 >= n && lanes * static_cast<int>(sizeof(T)) > 16) lanes /= 2;
  return lanes;
}

/// Copies a matrix to row-major memory with the given row stride.
template <class T>
[[gnu::noinline]] void pack(matrix<T> from, index rows, index columns, T* to, index stride) {
  constexpr int W = simd::native_lanes<T>;
  if (from.column_stride == 1) {
    const first_lanes<T, W> rest(static_cast<int>(columns % W));
    for (index i = 0; i < rows; ++i) {
      const T* const source = from.at(i, 0);
      T* const row = to + i * stride;
      index j = 0;
      for (; j + W <= columns; j += W) simd::batch<T, W>::load(source + j).store(row + j);
      if (j < columns) rest.store(rest.load(source + j), row + j);
    }
    return;
  }
  // Squares, so that neither side's cache lines are left before all of them is used.
  constexpr index side = 16;
  for (index i = 0; i < rows; i += side)
    for (index j = 0; j < columns; j += side)
      for (index c = j; c < std::min(j + side, columns); ++c)
        for (index r = i; r < std::min(i + side, rows); ++r) to[r * stride + c] = *from.at(r, c);
}

}  // namespace detail
}  // namespace tfgraph::kernels
