// A matrix times one column: sums of products in the order of reduction_order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/kernels/matrix.hpp>
#include <tfgraph/execute/scratch.hpp>
#include <tfgraph/graph/reduction_order.hpp>

namespace tfgraph::kernels::detail {

template <class T>
inline constexpr int virtual_lanes = reduction_order::lanes(sizeof(T));
template <class T>
inline constexpr index block_size = reduction_order::block(sizeof(T));

/// The lanes that a block of n elements is summed in.
template <class T>
[[nodiscard, gnu::always_inline]] constexpr index width_of(index n) {
  index width = virtual_lanes<T>;
  while (width / 2 >= n && width > 1) width /= 2;
  return width;
}

// ---- products into lanes -----------------------------------------------------------------------

/// sum[i] = a[i] * b[i] + sum[i] for the first n lanes; the others stay as they are.
template <class T, int W>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> add_products(const T* a, const T* b,
                                                                        simd::batch<T, W> sum,
                                                                        index n) {
  using batch = simd::batch<T, W>;
  if (n <= 0) return sum;
  if (n >= W) return multiply_add(batch::load(a), batch::load(b), sum);
  if constexpr (W > simd::native_lanes<T>) {
    return batch({add_products(a, b, low(sum), n),
                  add_products(a + W / 2, b + W / 2, high(sum), n - W / 2)});
  } else {
    const first_lanes<T, W> first(static_cast<int>(n));
    const batch products = multiply_add(first.load(a), first.load(b), sum);
    if constexpr (simd::integer<T>) return products;  // + 0 in the others
    else return select(batch::iota() < batch(static_cast<T>(n)), products, sum);
  }
}

/// Folds the first `width` lanes by halves until W are left.
template <int W, class T, int L>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> fold_to(simd::batch<T, L> x,
                                                                   index width) {
  if constexpr (L == W) return x;
  else return fold_to<W>(width >= L ? low(x) + high(x) : low(x), width);
}

// ---- lanes into sums ---------------------------------------------------------------------------

/// x and y consist of segments of S lanes. Those are folded to their halves, which are put side by
/// side.
template <int S, class T, int W>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> fold_segments(simd::batch<T, W> x,
                                                                         simd::batch<T, W> y,
                                                                         bool add) {
  using batch = simd::batch<T, W>;
  using vector = simd::detail::vector_of<T, W>;
  const auto a = __builtin_bit_cast(vector, x);
  const auto b = __builtin_bit_cast(vector, y);
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    constexpr int half = S / 2;
    const auto lower =
        __builtin_bit_cast(batch, __builtin_shufflevector(a, b, (I / half * S + I % half)...));
    const auto upper = __builtin_bit_cast(
        batch, __builtin_shufflevector(a, b, (I / half * S + half + I % half)...));
    return add ? lower + upper : lower;
  }(std::make_integer_sequence<int, W>());
}

/// Lane i of the result is the sum of the first `width` lanes of row[i], folded by halves.
template <int S, class T, int W>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> fold_rows(simd::batch<T, W>* row,
                                                                     index width) {
  if constexpr (S == 1) {
    return row[0];
  } else {
    [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      ((row[I] = fold_segments<S>(row[2 * I], row[2 * I + 1], width >= S)), ...);
    }(std::make_integer_sequence<int, S / 2>());
    return fold_rows<S / 2>(row, width);
  }
}

// ---- extents of the running program ------------------------------------------------------------

/// How many rows' lanes there are registers for.
inline constexpr int rows_in_registers = simd::native_lanes<std::uint8_t> == 64 ? 4 : 1;

/// Sums n products for each of R rows, at most a block; what is left are W lanes each.
template <int R, int W, class T>
[[gnu::noinline]] void sum_rows(const T* a, index a_stride, const T* b, index n,
                                simd::batch<T, W>* result) {
  constexpr int lanes = virtual_lanes<T>;
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    const T* row[] = {(a + I * a_stride)...};
    if (n <= W) {
      ((result[I] = add_products(row[I], b, simd::batch<T, W>(T(0)), n)), ...);
      return;
    }
    simd::batch<T, lanes> sum[] = {(static_cast<void>(I), simd::batch<T, lanes>(T(0)))...};
    index k = 0;
    for (; k + lanes <= n; k += lanes) {
      const auto column = simd::batch<T, lanes>::load(b + k);
      ((sum[I] = multiply_add(simd::batch<T, lanes>::load(row[I] + k), column, sum[I])), ...);
    }
    if (k < n) ((sum[I] = add_products(row[I] + k, b + k, sum[I], n - k)), ...);
    ((result[I] = fold_to<W>(sum[I], width_of<T>(n))), ...);
  }(std::make_integer_sequence<int, R>());
}

/// Rows whose sums are formed together.
template <class T>
inline constexpr int rows_together = std::min(simd::native_lanes<T>, 16);

/// The products of up to rows_together rows with at most a block of the column.
template <class T>
[[nodiscard]] simd::batch<T, rows_together<T>> multiply_block(const T* a, index a_stride,
                                                              const T* b, index n, int rows) {
  constexpr int W = rows_together<T>;
  simd::batch<T, W> row[std::size_t{W}];
  int i = 0;
  for (; i + rows_in_registers <= rows; i += rows_in_registers)
    sum_rows<rows_in_registers>(a + i * a_stride, a_stride, b, n, row + i);
  for (; i < rows; ++i) sum_rows<1>(a + i * a_stride, a_stride, b, n, row + i);
  for (; i < W; ++i) row[i] = simd::batch<T, W>(T(0));
  return fold_rows<W>(row, width_of<T>(n));
}

/// Columns of a are contiguous, so a register holds a lane of several rows.
template <class T>
void multiply_columns(matrix<T> a, const T* b, index m, index k, T* out) {
  constexpr int W = simd::native_lanes<T>;
  constexpr index lanes = virtual_lanes<T>;
  using batch = simd::batch<T, W>;
  const auto add = [](batch x, batch y) { return x + y; };
  for (index i = 0; i < m; i += W) {
    const first_lanes<T, W> rows(static_cast<int>(std::min<index>(W, m - i)));
    reduction_order::pairwise<batch> blocks;
    for (index first = 0; first < k; first += block_size<T>) {
      const index n = std::min(block_size<T>, k - first);
      const T* column = a.at(i, first);
      batch lane[std::size_t{lanes}];
      const index width = width_of<T>(n);
      for (index l = 0; l < width; ++l) lane[l] = batch(T(0));
      for (index d = 0; d < n; ++d, column += a.column_stride)
        lane[d % lanes] = multiply_add(rows.load(column), batch(b[first + d]), lane[d % lanes]);
      for (index half = width / 2; half > 0; half /= 2)
        for (index l = 0; l < half; ++l) lane[l] = lane[l] + lane[l + half];
      blocks.push(lane[0], add);
    }
    rows.store(blocks.finish(add), out + i);
  }
}

/// out = a (m by k) times b (k contiguous elements), k >= 1.
template <class T>
[[gnu::noinline]] void multiply_column(matrix<T> a, const T* b, index m, index k, T* out) {
  if (a.row_stride == 1 && a.column_stride != 1 && m > 1) return multiply_columns(a, b, m, k, out);
  constexpr int W = rows_together<T>;
  const index block = std::min(k, block_size<T>);
  const bool copy = a.column_stride != 1;
  const tfgraph::detail::scratch copied(copy ? static_cast<std::size_t>(W * block) * sizeof(T) : 0);
  for (index i = 0; i < m; i += W) {
    const int rows = static_cast<int>(std::min<index>(W, m - i));
    const auto multiply = [&](index first, index n) {
      if (!copy) return multiply_block<T>(a.at(i, first), a.row_stride, b + first, n, rows);
      pack(a.from(i, first), rows, n, copied.as<T>(), n);
      return multiply_block<T>(copied.as<T>(), n, b + first, n, rows);
    };
    if (k <= block) {
      store_first(multiply(0, k), out + i, rows);
    } else {
      reduction_order::pairwise<simd::batch<T, W>> blocks;
      const auto add = [](auto x, auto y) { return x + y; };
      for (index first = 0; first < k; first += block)
        blocks.push(multiply(first, std::min(block, k - first)), add);
      store_first(blocks.finish(add), out + i, rows);
    }
  }
}

/// Passes rows i, i + 1, ... of the only column on: one by one, or, if the sink can take them,
/// together by sink.column(i, sums, lanes).
template <int W, class T, class Sink>
[[gnu::always_inline]] inline void column_to_sink(index i, simd::batch<T, W> sums, int rows,
                                                  Sink& sink) {
  if constexpr (requires { sink.column(i, sums, rows); }) {
    sink.column(i, sums, rows);
  } else {
    T sum[std::size_t{W}];
    sums.store(sum);
    for (int r = 0; r < rows; ++r) sink(i + r, index{0}, simd::batch<T, 1>(sum[r]), 1);
  }
}

template <class T, class Sink>
void matrix_vector(matrix<T> a, const T* b, index b_stride, index m, index k, Sink& sink) {
  constexpr int W = rows_together<T>;
  const tfgraph::detail::scratch copy(b_stride == 1 ? 0 : static_cast<std::size_t>(k) * sizeof(T));
  if (b_stride != 1) {
    pack<T>({b, b_stride, 1}, k, 1, copy.as<T>(), 1);
    b = copy.as<T>();
  }
  constexpr index some = 256;
  alignas(64) T out[std::size_t{some}] = {};
  for (index i = 0; i < m; i += some) {
    const index rows = std::min(some, m - i);
    if (k > 0) multiply_column(a.from(i, 0), b, rows, k, out);
    for (index r = 0; r < rows; r += W)
      column_to_sink(i + r, simd::batch<T, W>::load(out + r),
                     static_cast<int>(std::min<index>(W, rows - r)), sink);
  }
}

// ---- static extents ----------------------------------------------------------------------------

/// The products of R <= W rows with a column of K elements, at most the virtual lanes.
template <int R, int W, index K, class T>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> sums_of_rows(const T* a, index a_stride,
                                                                        const T* b) {
  constexpr index width = width_of<T>(K);
  using lanes = simd::batch<T, std::max(W, static_cast<int>(width))>;
  simd::batch<T, W> row[std::size_t{W}];
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    ((row[I] = fold_to<W>(add_products(a + I * a_stride, b, lanes(T(0)), K), width)), ...);
  }(std::make_integer_sequence<int, R>());
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    ((row[R + I] = simd::batch<T, W>(T(0))), ...);
  }(std::make_integer_sequence<int, W - R>());
  return fold_rows<W>(row, width);
}

/// A product of few rows as a stretch of code.
template <index M, index K, index I = 0, class T, class Sink>
[[gnu::always_inline]] inline void static_matrix_vector(const T* a, index a_stride, const T* b,
                                                        Sink& sink) {
  constexpr int W = std::min(lanes_for<T>(K), 16);
  constexpr int rows = static_cast<int>(std::min<index>(W, M - I));
  column_to_sink(I, sums_of_rows<rows, W, K>(a + I * a_stride, a_stride, b), rows, sink);
  if constexpr (I + W < M) static_matrix_vector<M, K, I + W>(a, a_stride, b, sink);
}

}  // namespace tfgraph::kernels::detail
