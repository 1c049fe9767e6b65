// The matrix product: register tiles, and what feeds them.
//
// An element is the chain c = a[i, k] * b[k, j] + c over ascending k, each step rounded once.
// With a single column it is a sum in the order of reduction_order instead.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/kernels/matrix.hpp>
#include <tfgraph/execute/kernels/matrix_vector.hpp>
#include <tfgraph/execute/scratch.hpp>

namespace tfgraph::kernels {
namespace detail {

/// The same value. g++ would load it again for every row.
template <class T, int W>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> in_register(simd::batch<T, W> x) {
  using batch = simd::batch<T, W>;
  if constexpr (batch::is_register) return batch(simd::detail::opaque(x.value.data));
  else return x;
}

// ---- one tile ----------------------------------------------------------------------------------

/// R rows by V registers of W columns of the product. The sums stay in registers: every index is a
/// constant of a pack expansion, since compilers keep an array that a loop runs over in memory.
template <class T, int W, int R, int V>
struct tile {
  using batch = simd::batch<T, W>;
  static constexpr int rows_per_pointer = 3;  // the addresses p, p + stride, p + 2 stride
  static constexpr int pointers = (R + rows_per_pointer - 1) / rows_per_pointer;

  batch sum[std::size_t{R} * V];

  [[gnu::always_inline]] void clear() {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      ((sum[I] = batch(T(0))), ...);
    }(std::make_integer_sequence<int, R * V>());
  }

  /// Adds the products of `depth` columns of a and rows of b. Columns of b are contiguous, and
  /// `last` of the last register's exist.
  [[gnu::always_inline]] void accumulate(matrix<T> a, const T* b, index b_stride, index depth,
                                         first_lanes<T, W> last) {
    [&]<int... P>(std::integer_sequence<int, P...>) __attribute__((always_inline)) {
      const T* row[] = {(a.data + P * rows_per_pointer * a.row_stride)...};
      for (index k = 0; k < depth; ++k) {
        step(row, a.row_stride, b, last, std::make_integer_sequence<int, R>(),
             std::make_integer_sequence<int, V - 1>());
        ((row[P] += a.column_stride), ...);
        b += b_stride;
      }
    }(std::make_integer_sequence<int, pointers>());
  }

  /// Calls f(row, register, sums).
  template <class F>
  [[gnu::always_inline]] void for_each(F f) {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      (f(I / V, I % V, sum[I]), ...);
    }(std::make_integer_sequence<int, R * V>());
  }

 private:
  template <int... Row, int... Register>
  [[gnu::always_inline]] void step(const T* const* row, index row_stride, const T* b,
                                   first_lanes<T, W> last, std::integer_sequence<int, Row...> rows,
                                   std::integer_sequence<int, Register...>) {
    step(row, row_stride, rows, in_register(batch::load(b + Register * W))...,
         in_register(last.load(b + (V - 1) * W)));
  }

  template <int... Row, class... Batch>
  [[gnu::always_inline]] void step(const T* const* row, index row_stride,
                                   std::integer_sequence<int, Row...>, Batch... columns) {
    (row_step<Row>(batch(row[Row / rows_per_pointer][Row % rows_per_pointer * row_stride]),
                   std::make_integer_sequence<int, V>(), columns...),
     ...);
  }

  template <int Row, int... Register, class... Batch>
  [[gnu::always_inline]] void row_step(batch a, std::integer_sequence<int, Register...>,
                                       Batch... columns) {
    ((sum[Row * V + Register] = multiply_add(a, columns, sum[Row * V + Register])), ...);
  }
};

/// The first R rows of a times V registers of columns of b, which go to the sink as rows i and
/// columns j and on.
template <int W, int R, int V, class T, class Sink>
[[gnu::always_inline]] inline void tile_to_sink(matrix<T> a, const T* b, index b_stride,
                                                index depth, int last, index i, index j,
                                                Sink& sink) {
  tile<T, W, R, V> t;
  t.clear();
  t.accumulate(a, b, b_stride, depth, first_lanes<T, W>(last));
  t.for_each([&](int row, int r, simd::batch<T, W> sums) {
    sink(i + row, j + r * W, sums, r == V - 1 ? last : W);
  });
}

// A tile needs registers for the sums, for the columns of b and for an element of a.
inline constexpr int registers_for_sums = simd::native_lanes<std::uint8_t> == 64 ? 24 : 12;

// ---- static extents ----------------------------------------------------------------------------

/// Rows of a tile for m rows: a divisor of m or, if none is near the most, about equal parts.
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
  constexpr int W = lanes_for<T>(rest);
  constexpr int V = rest < W        ? 1
                    : rest / W == 3 ? 3
                                    : static_cast<int>(std::min<index>(rest / W, 2));
  constexpr index columns = std::min<index>(rest, V * W);
  constexpr int last = static_cast<int>(columns - (V - 1) * W);
  constexpr int R = balanced_rows(M, registers_for_sums / V);
  index i = 0;
  for (; i + R <= M; i += R)
    tile_to_sink<W, R, V>(a.from(i, 0), b + J, b_stride, K, last, i, J, sink);
  if constexpr (M % R != 0)
    tile_to_sink<W, M % R, V>(a.from(i, 0), b + J, b_stride, K, last, i, J, sink);
  if constexpr (columns < rest) static_columns<M, N, K, J + columns>(a, b, b_stride, sink);
}

// ---- extents of the running program ------------------------------------------------------------

// The tile of large products. Tiles of few rows are wider: a chain of sums must not wait for
// itself.
inline constexpr int tile_registers = 2;
inline constexpr int tile_rows = registers_for_sums / tile_registers;
inline constexpr int few_rows = registers_for_sums / 8;

/// Stores the sums of a tile row by row.
template <class T>
using tile_function = void(matrix<T> a, const T* b, index b_stride, index depth, int last, T* out);

template <class T, int R, int V>
void tile_to_memory(matrix<T> a, const T* b, index b_stride, index depth, int last, T* out) {
  constexpr int W = simd::native_lanes<T>;
  tile<T, W, R, V> t;
  t.clear();
  t.accumulate(a, b, b_stride, depth, first_lanes<T, W>(last));
  t.for_each([&](int row, int r, simd::batch<T, W> sums) { sums.store(out + (row * V + r) * W); });
}

template <class T, int V, int... R>
constexpr tile_function<T>* tile_of(int rows, std::integer_sequence<int, R...>) {
  constexpr tile_function<T>* functions[] = {&tile_to_memory<T, R + 1, V>...};
  return functions[rows - 1];
}

/// The tile of `rows` rows and 1 or 2 registers, or, for few rows, 4 or 8.
template <class T>
[[nodiscard]] tile_function<T>* tile_of(int rows, int registers) {
  constexpr auto few = std::make_integer_sequence<int, few_rows>();
  constexpr auto all = std::make_integer_sequence<int, tile_rows>();
  if (registers == 8) return tile_of<T, 8>(rows, few);
  if (registers == 4) return tile_of<T, 4>(rows, few);
  return registers == 2 ? tile_of<T, 2>(rows, all) : tile_of<T, 1>(rows, all);
}

/// A tile's rows of a, wherever they lie, times `count` columns of b, the first of which is column
/// j.
template <class T, class Sink>
void row_of_tiles(matrix<T> a, int rows, const T* b, index b_stride, index depth, index i, index j,
                  index count, Sink& sink) {
  constexpr int W = simd::native_lanes<T>;
  while (count > 0) {
    int registers = count > W ? 2 : 1;
    if (rows == tile_rows && count >= tile_registers * W) {
      tile_to_sink<W, tile_rows, tile_registers>(a, b, b_stride, depth, W, i, j, sink);
    } else {
      if (rows <= few_rows && count > 3 * W) registers = count > 7 * W ? 8 : 4;
      alignas(64) T sums[std::size_t{registers_for_sums} * W];
      const index columns = std::min<index>(count, registers * W);
      tile_of<T>(rows, registers)(a, b, b_stride, depth,
                                  static_cast<int>(columns - (registers - 1) * W), sums);
      for (index r = 0; r < rows; ++r)
        for (index c = 0; c < columns; c += W)
          sink(i + r, j + c, simd::batch<T, W>::load(sums + r * registers * W + c),
               static_cast<int>(std::min<index>(W, columns - c)));
    }
    b += registers * W;
    j += registers * W;
    count -= registers * W;
  }
}

/// Whether rows of this stride fall into the same places of the nearest cache and each into a page
/// of its own.
template <class T>
constexpr bool is_far(index stride) {
  return (stride < 0 ? -stride : stride) * static_cast<index>(sizeof(T)) >= 4096;
}

/// So many columns of depth k, a multiple of the tile's, that they take about so many bytes.
template <class T>
constexpr index columns_in(index bytes, index n, index k) {
  constexpr index panel = tile_registers * simd::native_lanes<T>;
  constexpr index size = sizeof(T);
  if (k * n * size <= bytes) return n;
  return std::max(bytes / (k * size * panel), index{1}) * panel;
}

/// All rows of a times `count` columns of b from column j.
template <class T, class Sink>
void multiply_direct(matrix<T> a, matrix<T> b, index m, index k, index j, index count, Sink& sink) {
  for (index i = 0; i < m; i += tile_rows)
    row_of_tiles(a.from(i, 0), static_cast<int>(std::min<index>(tile_rows, m - i)), b.at(0, j),
                 b.row_stride, k, i, j, count, sink);
}

/// The same with columns of b copied so that tiles read memory in order, and rows of a if they are
/// far from each other. A tile's columns need not be in a near cache: they stream.
template <class T, class Sink>
void multiply_copied(matrix<T> a, matrix<T> b, index m, index k, index j, index count, Sink& sink) {
  constexpr index panel = tile_registers * simd::native_lanes<T>;
  const bool copy_a = a.column_stride == 1 && is_far<T>(a.row_stride) && count >= 8 * panel;
  const index a_stride = k + 64 / static_cast<index>(sizeof(T));  // seldom a power of two
  const auto bytes = [](index n) { return static_cast<std::size_t>(n) * sizeof(T); };
  const tfgraph::detail::scratch panels(bytes(k * (count + panel - 1)));
  const tfgraph::detail::scratch some_rows(copy_a ? bytes(tile_rows * a_stride) : 0);
  for (index c = 0; c < count; c += panel)
    pack(b.from(0, j + c), k, std::min(panel, count - c), panels.as<T>() + c * k, panel);
  for (index i = 0; i < m; i += tile_rows) {
    const int rows = static_cast<int>(std::min<index>(tile_rows, m - i));
    matrix<T> rows_of_a = a.from(i, 0);
    if (copy_a) {
      pack(rows_of_a, rows, k, some_rows.as<T>(), a_stride);
      rows_of_a = {some_rows.as<T>(), a_stride, 1};
    }
    for (index c = 0; c < count; c += panel)
      row_of_tiles(rows_of_a, rows, panels.as<const T>() + c * k, panel, k, i, j + c,
                   std::min(panel, count - c), sink);
  }
}

}  // namespace detail

/// Every element of the product of a (m by k) and b (k by n), for extents of the running program.
/// sink(i, j, c, lanes) gets columns j up to j + lanes of row i as the first lanes of the batch c;
/// it is called once for every element, in any order.
template <class T, class Sink>
void matmul(matrix<T> a, matrix<T> b, index m, index n, index k, Sink sink) {
  if (m <= 0 || n <= 0) return;
  if (n == 1) return detail::matrix_vector(a, b.data, b.row_stride, m, k, sink);
  const bool copy =
      b.column_stride != 1 || (detail::is_far<T>(b.row_stride) && m >= 4 * detail::tile_rows);
  const index columns = detail::columns_in<T>(copy ? 4 << 20 : 2 << 20, n, k);
  for (index j = 0; j < n; j += columns) {
    const index count = std::min(columns, n - j);
    if (copy) detail::multiply_copied(a, b, m, k, j, count, sink);
    else detail::multiply_direct(a, b, m, k, j, count, sink);
  }
}

/// The same for static extents: small products are a stretch of code without a call.
template <class T, index M, index N, index K, class Sink>
[[gnu::always_inline]] inline void matmul(matrix<T> a, matrix<T> b, Sink sink) {
  constexpr bool small = N > 1 && N <= 64 && N * K <= 64 * 64 && M * N * K <= 64 * 64 * 64;
  constexpr bool small_column = N == 1 && K > 0 && K <= detail::virtual_lanes<T> && M <= 32;
  if constexpr (M <= 0 || N <= 0) {
    return;
  } else if constexpr (small) {
    alignas(64) T copy[static_cast<std::size_t>(std::max<index>(N * K, 1))];
    const bool direct = b.column_stride == 1;
    if (!direct) detail::pack(b, K, N, copy, N);
    detail::static_columns<M, N, K, 0>(a, direct ? b.data : copy, direct ? b.row_stride : N, sink);
  } else if constexpr (small_column) {
    if (a.column_stride == 1 && b.row_stride == 1)
      detail::static_matrix_vector<M, K>(a.data, a.row_stride, b.data, sink);
    else detail::matrix_vector(a, b.data, b.row_stride, M, K, sink);
  } else {
    matmul(a, b, M, N, K, sink);
  }
}

}  // namespace tfgraph::kernels
