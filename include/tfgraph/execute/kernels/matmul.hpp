// The matrix product: register tiles, and what feeds them.
//
// An element is the chain c = a[i, k] * b[k, j] + c over ascending k, rounded once per step, whatever
// the tiles. A product with a single column is a sum in the order of reduction_order instead.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/shape.hpp>
#include <tfgraph/execute/kernels/partial.hpp>
#include <tfgraph/execute/scratch.hpp>
#include <tfgraph/graph/reduction_order.hpp>
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
};

namespace detail {

template <class T, int W>
[[gnu::always_inline]] inline simd::batch<T, W> multiply_add(simd::batch<T, W> a,
                                                             simd::batch<T, W> b,
                                                             simd::batch<T, W> c) {
  if constexpr (simd::floating<T>) return simd::fma(a, b, c);
  else return a * b + c;
}

// ---- one tile --------------------------------------------------------------------------------

/// R rows by V registers of W columns of the product. The sums stay in registers: every index is a
/// constant of a pack expansion, since compilers keep an array that a loop runs over in memory.
template <class T, int W, int R, int V>
struct tile {
  using batch = simd::batch<T, W>;
  static constexpr int rows_per_pointer = 3;
  static constexpr int pointers = (R + rows_per_pointer - 1) / rows_per_pointer;

  batch sum[std::size_t{R} * V];

  /// Adds the products of `depth` columns of a and rows of b. The columns of b are adjacent; `last` of
  /// the last register exist.
  [[gnu::always_inline]] void accumulate(matrix<T> a, const T* b, index b_stride, index depth,
                                         int last) {
    const T* row[std::size_t{pointers}];
    for (int p = 0; p < pointers; ++p) row[p] = a.data + p * rows_per_pointer * a.row_stride;
    for (index k = 0; k < depth; ++k) {
      step(row, a.row_stride, b, last, std::make_integer_sequence<int, R>(),
           std::make_integer_sequence<int, V>());
      for (int p = 0; p < pointers; ++p) row[p] += a.column_stride;
      b += b_stride;
    }
  }

  [[gnu::always_inline]] void clear() { clear(std::make_integer_sequence<int, R * V>()); }

  /// Calls f(row, register, sums).
  template <class F>
  [[gnu::always_inline]] void for_each(F f) {
    for_each(f, std::make_integer_sequence<int, R * V>());
  }

 private:
  template <int... I>
  [[gnu::always_inline]] void clear(std::integer_sequence<int, I...>) {
    ((sum[I] = batch(T(0))), ...);
  }

  template <class F, int... I>
  [[gnu::always_inline]] void for_each(F& f, std::integer_sequence<int, I...>) {
    (f(I / V, I % V, sum[I]), ...);
  }

  template <int... Row, int... Register>
  [[gnu::always_inline]] void step(const T* const* row, index row_stride, const T* b, int last,
                                   std::integer_sequence<int, Row...>,
                                   std::integer_sequence<int, Register...> registers) {
    const batch columns[std::size_t{V}] = {load_first<W>(b + Register * W, Register == V - 1 ? last : W)...};
    (row_step<Row>(batch(row[Row / rows_per_pointer][Row % rows_per_pointer * row_stride]), columns,
                   registers),
     ...);
  }

  template <int Row, int... Register>
  [[gnu::always_inline]] void row_step(batch a, const batch* columns,
                                       std::integer_sequence<int, Register...>) {
    ((sum[Row * V + Register] = multiply_add(a, columns[Register], sum[Row * V + Register])), ...);
  }
};

/// The R rows of the product that begin at row i, columns j up to j + (V - 1) * W + last.
template <int W, int R, int V, class T, class Sink>
[[gnu::always_inline]] inline void tile_to_sink(matrix<T> a, const T* b, index b_stride, index depth,
                                                index i, index j, int last, Sink& sink) {
  tile<T, W, R, V> t;
  t.clear();
  t.accumulate({a.at(i, 0), a.row_stride, a.column_stride}, b, b_stride, depth, last);
  t.for_each([&](int row, int r, simd::batch<T, W> sums) {
    sink(i + row, j + r * W, sums, r == V - 1 ? last : W);
  });
}

// Tiles are as large as the registers: sums, the columns of b and one element of a.
inline constexpr int registers_for_sums = simd::native_lanes<std::uint8_t> == 64 ? 24 : 12;
inline constexpr int tile_registers = 2;
inline constexpr int tile_rows = registers_for_sums / tile_registers;

// ---- static extents ----------------------------------------------------------------------------

/// Lanes of the smallest register for n elements, or of the largest.
template <class T>
constexpr int lanes_for(index n) {
  int lanes = simd::native_lanes<T>;
  while (lanes / 2 >= n && lanes * static_cast<int>(sizeof(T)) > 16) lanes /= 2;
  return lanes;
}

/// Rows of a tile, as equal as possible for m rows.
constexpr int balanced_rows(index m, int most) {
  if (m <= most) return static_cast<int>(m);
  for (int rows = most; rows > most / 2; --rows)
    if (m % rows == 0) return rows;
  const index tiles = (m + most - 1) / most;
  return static_cast<int>((m + tiles - 1) / tiles);
}

template <index M, index N, index K, index J, class T, class Sink>
[[gnu::always_inline]] inline void static_columns(matrix<T> a, const T* b, index b_stride,
                                                  Sink& sink) {
  constexpr index rest = N - J;
  constexpr int lanes = lanes_for<T>(rest);
  constexpr int registers = static_cast<int>(
      std::clamp<index>(rest / lanes == 3 ? 3 : std::min<index>(rest / lanes, 2), 1, 3));
  constexpr index columns = std::min<index>(rest, registers * lanes);
  constexpr int last = static_cast<int>(columns - (registers - 1) * lanes);
  constexpr int rows = balanced_rows(M, registers_for_sums / registers);
  index i = 0;
  for (; i + rows <= M; i += rows)
    tile_to_sink<lanes, rows, registers>(a, b + J, b_stride, K, i, J, last, sink);
  if constexpr (M % rows != 0)
    tile_to_sink<lanes, M % rows, registers>(a, b + J, b_stride, K, i, J, last, sink);
  if constexpr (columns < rest) static_columns<M, N, K, J + columns>(a, b, b_stride, sink);
}

// ---- a single column ---------------------------------------------------------------------------

/// The sum of the first `width` lanes (a power of two), by halves.
template <class T, int W>
[[gnu::always_inline]] inline T fold(simd::batch<T, W> x, index width) {
  if constexpr (W == 1) return x.value;
  else return fold(width >= W ? low(x) + high(x) : low(x), width);
}

template <class T>
inline constexpr int virtual_lanes = reduction_order::lanes(sizeof(T));

/// sum[i] = a[i] * b[i] + sum[i] for the first n lanes; the others stay.
template <class T, int W>
[[gnu::always_inline]] inline simd::batch<T, W> add_products(const T* a, const T* b,
                                                             simd::batch<T, W> sum, index n) {
  if constexpr (W > simd::native_lanes<T>) {
    if (n < W)
      return simd::batch<T, W>({add_products(a, b, low(sum), n),
                                add_products(a + W / 2, b + W / 2, high(sum), n - W / 2)});
  }
  if (n >= W)
    return multiply_add(simd::batch<T, W>::load(a), simd::batch<T, W>::load(b), sum);
  if (n <= 0) return sum;
  if constexpr (W <= simd::native_lanes<T>) {
    const auto products =
        multiply_add(load_first<W>(a, static_cast<int>(n)), load_first<W>(b, static_cast<int>(n)), sum);
    if constexpr (simd::integer<T>) return products;  // + 0
    else return select(simd::batch<T, W>::iota() < simd::batch<T, W>(static_cast<T>(n)), products, sum);
  }
  return sum;
}

/// The sum of n >= 1 products, at most a block of reduction_order.
template <class T>
[[nodiscard]] T dot_block(const T* a, const T* b, index n) {
  constexpr int lanes = virtual_lanes<T>;
  simd::batch<T, lanes> sum(T(0));
  index k = 0;
  for (; k + lanes <= n; k += lanes)
    sum = add_products(a + k, b + k, sum, lanes);
  if (k < n) sum = add_products(a + k, b + k, sum, n - k);
  index width = lanes;
  while (width / 2 >= n) width /= 2;
  return fold(sum, width);
}

template <class T>
[[nodiscard]] const T* contiguous(const T* p, index stride, index n, T* copy) {
  if (stride == 1) return p;
  for (index k = 0; k < n; ++k) copy[k] = p[k * stride];
  return copy;
}

template <class T>
[[nodiscard]] T dot(const T* a, index a_stride, const T* b, index k) {
  constexpr index block = reduction_order::block(sizeof(T));
  T copy[static_cast<std::size_t>(block)];
  reduction_order::pairwise<T> blocks;
  const auto add = [](T x, T y) {
    return (simd::batch<T, 1>(x) + simd::batch<T, 1>(y)).value;
  };
  for (index first = 0; first < k; first += block) {
    const index n = std::min(k - first, block);
    blocks.push(dot_block(contiguous(a + first * a_stride, a_stride, n, copy), b + first, n), add);
  }
  return blocks.empty() ? T(0) : blocks.finish(add);
}

template <class T, class Sink>
void matrix_vector(matrix<T> a, const T* b, index b_stride, index m, index k, Sink& sink) {
  const tfgraph::detail::scratch copy(b_stride == 1 ? 0 : static_cast<std::size_t>(k) * sizeof(T));
  b = contiguous(b, b_stride, k, copy.as<T>());
  for (index i = 0; i < m; ++i)
    sink(i, index{0}, simd::batch<T, 1>(dot(a.at(i, 0), a.column_stride, b, k)), 1);
}

// ---- extents of the running program ------------------------------------------------------------

/// R rows and `registers` registers of columns, stored row by row.
template <int R, class T>
[[gnu::noinline]] void tile_to_memory(matrix<T> a, const T* b, index b_stride, index depth, T* out) {
  constexpr int W = simd::native_lanes<T>;
  tile<T, W, R, tile_registers> t;
  t.clear();
  t.accumulate(a, b, b_stride, depth, W);
  t.for_each([&](int row, int r, simd::batch<T, W> sums) {
    sums.store(out + (row * tile_registers + r) * W);
  });
}

/// The same for a number of rows below R.
template <int R = tile_rows - 1, class T>
void rows_to_memory(int rows, matrix<T> a, const T* b, index b_stride, index depth, T* out) {
  if constexpr (R > 0) {
    if (rows == R) tile_to_memory<R>(a, b, b_stride, depth, out);
    else rows_to_memory<R - 1>(rows, a, b, b_stride, depth, out);
  }
}

/// Copies `columns` columns of k rows side by side, with zeros up to `width`.
template <class T>
[[gnu::noinline]] void pack(matrix<T> b, index k, index columns, index width, T* out) {
  for (index d = 0; d < k; ++d, out += width) {
    const T* const row = b.at(d, 0);
    if (b.column_stride == 1) {
      for (index j = 0; j < columns; ++j) out[j] = row[j];
    } else {
      for (index j = 0; j < columns; ++j) out[j] = row[j * b.column_stride];
    }
    for (index j = columns; j < width; ++j) out[j] = T(0);
  }
}

}  // namespace detail

/// Every element of the product of a (m by k) and b (k by n), for extents of the running program.
/// sink(i, j, c, lanes) gets the columns j up to j + lanes of row i as the first lanes of c; it is
/// called once for every element, in any order.
template <class T, class Sink>
void matmul(matrix<T> a, matrix<T> b, index m, index n, index k, Sink sink) {
  constexpr int lanes = simd::native_lanes<T>;
  constexpr int width = detail::tile_registers * lanes;
  if (m <= 0 || n <= 0) return;
  if (n == 1) return detail::matrix_vector(a, b.data, b.row_stride, m, k, sink);
  const tfgraph::detail::scratch panel(static_cast<std::size_t>(k * width) * sizeof(T));
  for (index j = 0; j < n; j += width) {
    const index columns = std::min<index>(width, n - j);
    const T* p = b.at(0, j);
    index stride = b.row_stride;
    if (columns < width || b.column_stride != 1) {
      detail::pack(matrix<T>{p, b.row_stride, b.column_stride}, k, columns, width,
                   panel.as<T>());
      p = panel.as<T>();
      stride = width;
    }
    const auto pass_on = [&](index i, index column, simd::batch<T, lanes> c, int) {
      if (column < n) sink(i, column, c, static_cast<int>(std::min<index>(lanes, n - column)));
    };
    index i = 0;
    for (; i + detail::tile_rows <= m; i += detail::tile_rows)
      detail::tile_to_sink<lanes, detail::tile_rows, detail::tile_registers>(a, p, stride, k, i, j,
                                                                            lanes, pass_on);
    if (i < m) {
      alignas(64) T out[static_cast<std::size_t>(detail::tile_rows * width)];
      const int rows = static_cast<int>(m - i);
      detail::rows_to_memory(rows, {a.at(i, 0), a.row_stride, a.column_stride}, p, stride, k, out);
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < width; c += lanes)
          pass_on(i + r, j + c, simd::batch<T, lanes>::load(out + r * width + c), lanes);
    }
  }
}

/// The same for static extents: small products are one stretch of code without loops over tiles.
template <class T, index M, index N, index K, class Sink>
[[gnu::always_inline]] inline void matmul(matrix<T> a, matrix<T> b, Sink sink) {
  constexpr bool small = M * N * K <= 64 * 64 * 64 && N <= 64 && N * K <= 64 * 64;
  if constexpr (M <= 0 || N <= 0) {
    return;
  } else if constexpr (N == 1) {
    detail::matrix_vector(a, b.data, b.row_stride, M, K, sink);
  } else if constexpr (!small) {
    matmul(a, b, M, N, K, sink);
  } else if (b.column_stride == 1) {
    detail::static_columns<M, N, K, 0>(a, b.data, b.row_stride, sink);
  } else {
    alignas(64) T copy[static_cast<std::size_t>(std::max<index>(N * K, 1))];
    detail::pack(b, K, N, N, copy);
    detail::static_columns<M, N, K, 0>(a, static_cast<const T*>(copy), N, sink);
  }
}

}  // namespace tfgraph::kernels
