// The matrix product: register tiles, and what feeds them.
//
// An element is the chain c = a[i, k] * b[k, j] + c over ascending k, rounded once per step, whatever
// the tiles. A product with a single column is a sum in the order of reduction_order instead.
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

/// The first R rows of a times V registers of columns of b, which go to the sink as rows i and columns
/// j and on.
template <int W, int R, int V, class T, class Sink>
[[gnu::always_inline]] inline void tile_to_sink(matrix<T> a, const T* b, index b_stride, index depth,
                                                int last, index i, index j, Sink& sink) {
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
  constexpr int V = rest < W ? 1 : rest / W == 3 ? 3 : static_cast<int>(std::min<index>(rest / W, 2));
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

// The tile of large products. Tiles of few rows are wider: a chain of sums must not wait for itself.
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

/// A tile's rows of a, wherever they lie, times `count` columns of b, the first of which is column j.
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

/// What is copied, and what is held in the cache of the second level at a time.
template <class T>
struct blocking {
  static constexpr index panel = tile_registers * simd::native_lanes<T>;
  static constexpr index cache = 512 * 1024 / static_cast<index>(sizeof(T));

  bool copy_a, copy_b;
  index columns;   // whole panels
  index a_stride;  // of copied rows: never a power of two, which would meet in one place of the cache

  blocking(matrix<T> b, index m, index n, index k)
      : copy_a(n >= 8 * panel),
        copy_b(b.column_stride != 1 || (b.row_stride * static_cast<index>(sizeof(T)) >= 2048 && m >= 4 * tile_rows)),
        columns(std::max<index>(cache / std::max<index>(k, 1) / panel, 1) * panel),
        a_stride((k + panel - 1) / panel * panel + panel / 2) {
    columns = std::min(columns, (n + panel - 1) / panel * panel);
  }
  [[nodiscard]] std::size_t bytes_of_a() const {
    return copy_a ? static_cast<std::size_t>(tile_rows * a_stride) * sizeof(T) : 0;
  }
  [[nodiscard]] std::size_t bytes_of_b(index k) const {
    return copy_b ? static_cast<std::size_t>(k * columns) * sizeof(T) : 0;
  }
};

}  // namespace detail

/// Every element of the product of a (m by k) and b (k by n), for extents of the running program.
/// sink(i, j, c, lanes) gets columns j up to j + lanes of row i as the first lanes of the batch c; it
/// is called once for every element, in any order.
template <class T, class Sink>
void matmul(matrix<T> a, matrix<T> b, index m, index n, index k, Sink sink) {
  if (m <= 0 || n <= 0) return;
  if (n == 1) return detail::matrix_vector(a, b.data, b.row_stride, m, k, sink);
  constexpr index panel = detail::blocking<T>::panel;
  const detail::blocking<T> plan(b, m, n, k);
  const tfgraph::detail::scratch copy_of_a(plan.bytes_of_a());
  const tfgraph::detail::scratch copy_of_b(plan.bytes_of_b(k));
  for (index first = 0; first < n; first += plan.columns) {
    const index columns = std::min(plan.columns, n - first);
    if (plan.copy_b)
      for (index j = 0; j < columns; j += panel)
        detail::pack(b.from(0, first + j), k, std::min(panel, columns - j),
                     copy_of_b.as<T>() + j * k, panel);
    for (index i = 0; i < m; i += detail::tile_rows) {
      const int rows = static_cast<int>(std::min<index>(detail::tile_rows, m - i));
      matrix<T> rows_of_a = a.from(i, 0);
      if (plan.copy_a) {
        detail::pack(rows_of_a, rows, k, copy_of_a.as<T>(), plan.a_stride);
        rows_of_a = {copy_of_a.as<T>(), plan.a_stride, 1};
      }
      if (!plan.copy_b) {
        detail::row_of_tiles(rows_of_a, rows, b.at(0, first), b.row_stride, k, i, first, columns,
                             sink);
        continue;
      }
      for (index j = 0; j < columns; j += panel)
        detail::row_of_tiles(rows_of_a, rows, copy_of_b.as<const T>() + j * k, panel, k, i,
                             first + j, std::min(panel, columns - j), sink);
    }
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
    if (b.column_stride == 1) {
      detail::static_columns<M, N, K, 0>(a, b.data, b.row_stride, sink);
    } else {
      alignas(64) T copy[static_cast<std::size_t>(std::max<index>(N * K, 1))];
      detail::pack(b, K, N, copy, N);
      detail::static_columns<M, N, K, 0>(a, static_cast<const T*>(copy), N, sink);
    }
  } else if constexpr (small_column) {
    if (a.column_stride == 1 && b.row_stride == 1)
      detail::static_matrix_vector<M, K>(a.data, a.row_stride, b.data, sink);
    else detail::matrix_vector(a, b.data, b.row_stride, M, K, sink);
  } else {
    matmul(a, b, M, N, K, sink);
  }
}

}  // namespace tfgraph::kernels
