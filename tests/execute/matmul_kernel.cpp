// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/execute/kernels/matmul.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/define.hpp>
#include <tfgraph/ops/all.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using tfgraph::index;
namespace kernels = tfgraph::kernels;

template <class T>
constexpr bool is_float = std::is_floating_point_v<T>;

std::mt19937& generator() {
  static std::mt19937 g(20);
  return g;
}

index below(index n) { return static_cast<index>(generator()() % static_cast<unsigned>(n)); }

// ---- operands ----------------------------------------------------------------------------------

template <class T>
T any_value() {
  if constexpr (is_float<T>) return std::normal_distribution<T>()(generator());
  else return static_cast<T>(generator()() * std::uint64_t{0x9e3779b97f4a7c15} >> 13);
}

template <class T>
T special_value() {
  if constexpr (is_float<T>) {
    using limits = std::numeric_limits<T>;
    const T values[] = {T(0),           -T(0),          limits::infinity(),   -limits::infinity(),
                        limits::max(),  limits::min(),  limits::denorm_min(), -limits::denorm_min(),
                        -limits::max(), -limits::min(), limits::quiet_NaN(),  limits::epsilon()};
    return values[below(12)];
  } else {
    return below(2) == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
}

enum class arrangement { row_major, column_major, spread, reversed, repeated };
constexpr arrangement arrangements[] = {arrangement::row_major, arrangement::column_major,
                                        arrangement::spread, arrangement::reversed,
                                        arrangement::repeated};

// A matrix in memory of its own that ends where its last element ends.
template <class T>
struct operand {
  std::vector<T> memory;
  index first = 0, row_stride, column_stride;

  operand(index rows, index columns, arrangement how, bool special = false) {
    row_stride = columns;
    column_stride = 1;
    if (how == arrangement::column_major) {
      row_stride = 1;
      column_stride = rows;
    } else if (how == arrangement::spread) {
      column_stride = 3;
      row_stride = 3 * columns + 2;
    } else if (how == arrangement::reversed) {
      row_stride = -columns;
      first = std::max<index>(rows - 1, 0) * columns;
    } else if (how == arrangement::repeated) {
      row_stride = 0;
    }
    index last = first;
    for (index i = 0; i < rows; ++i)
      for (index j = 0; j < columns; ++j)
        last = std::max(last, first + i * row_stride + j * column_stride);
    memory.resize(rows * columns == 0 ? 0 : static_cast<std::size_t>(last + 1));
    for (T& x : memory) x = special && below(4) == 0 ? special_value<T>() : any_value<T>();
  }
  [[nodiscard]] kernels::matrix<T> matrix() const {
    return {memory.data() + (memory.empty() ? 0 : first), row_stride, column_stride};
  }
  T operator()(index i, index j) const {
    return memory[static_cast<std::size_t>(first + i * row_stride + j * column_stride)];
  }
};

// ---- what a product is, in scalar code ---------------------------------------------------------

template <class T>
T multiply_add(T a, T b, T c) {
  if constexpr (is_float<T>) return std::fma(a, b, c);
  else
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) +
                          static_cast<std::uint64_t>(c));
}

template <class T>
T add(T a, T b) {
  if constexpr (is_float<T>) return a + b;
  else return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Blocks of 64 times 256 bytes; in a block, 256 bytes of sums that are folded by halves.
template <class T>
T sum_of_products(const operand<T>& a, index i, const operand<T>& b, index first, index n) {
  constexpr index lanes = sizeof(T) == 8 ? 32 : 64;
  index width = 1;
  while (width < lanes && width < n) width *= 2;
  std::vector<T> lane(static_cast<std::size_t>(width), T(0));
  for (index k = 0; k < n; ++k) {
    T& sum = lane[static_cast<std::size_t>(k % lanes)];
    sum = multiply_add(a(i, first + k), b(first + k, 0), sum);
  }
  while (lane.size() > 1) {
    const std::size_t half = lane.size() / 2;
    for (std::size_t l = 0; l < half; ++l) lane[l] = add(lane[l], lane[l + half]);
    lane.resize(half);
  }
  return lane[0];
}

// A balanced tree over the blocks: the left part is the largest power of two below their number.
template <class T>
T tree(const std::vector<T>& blocks, std::size_t first, std::size_t count) {
  if (count == 1) return blocks[first];
  std::size_t left = 1;
  while (2 * left < count) left *= 2;
  return add(tree(blocks, first, left), tree(blocks, first + left, count - left));
}

template <class T>
T element(const operand<T>& a, const operand<T>& b, index i, index j, index n, index depth) {
  if (n == 1 && depth > 0) {
    constexpr index block = 64 * (sizeof(T) == 8 ? 32 : 64);
    std::vector<T> blocks;
    for (index k = 0; k < depth; k += block)
      blocks.push_back(sum_of_products(a, i, b, k, std::min(block, depth - k)));
    return tree(blocks, 0, blocks.size());
  }
  T sum = T(0);
  for (index k = 0; k < depth; ++k) sum = multiply_add(a(i, k), b(k, j), sum);
  return sum;
}

template <class T>
bool same(T a, T b) {
  if constexpr (is_float<T>)
    if (std::isnan(a) && std::isnan(b)) return true;
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

// ---- comparison --------------------------------------------------------------------------------

// Takes the elements, and counts how often each one comes.
template <class T>
struct collected {
  index rows, columns;
  std::vector<T> value = std::vector<T>(static_cast<std::size_t>(rows * columns));
  std::vector<int> times = std::vector<int>(value.size());
  bool in_range = true;

  template <int W>
  void take(index i, index j, tfgraph::simd::batch<T, W> c, int lanes) {
    if (i < 0 || i >= rows || j < 0 || lanes < 1 || lanes > W || j + lanes > columns) {
      in_range = false;
      return;
    }
    for (int l = 0; l < lanes; ++l) {
      const auto at = static_cast<std::size_t>(i * columns + j + l);
      value[at] = c.get(l);
      ++times[at];
    }
  }
  auto sink() {
    return [this](index i, index j, auto c, int lanes) { this->take(i, j, c, lanes); };
  }
};

template <class T>
bool agrees(const collected<T>& c, const operand<T>& a, const operand<T>& b, index depth) {
  if (!c.in_range) return false;
  for (index i = 0; i < c.rows; ++i)
    for (index j = 0; j < c.columns; ++j) {
      const auto at = static_cast<std::size_t>(i * c.columns + j);
      if (c.times[at] != 1) return false;
      if (!same(c.value[at], element(a, b, i, j, c.columns, depth))) return false;
    }
  return true;
}

template <class T>
void check_dynamic(index m, index n, index k, arrangement how_a, arrangement how_b, bool special) {
  const operand<T> a(m, k, how_a, special);
  const operand<T> b(k, n, how_b, special);
  collected<T> c{m, n};
  kernels::matmul(a.matrix(), b.matrix(), m, n, k, c.sink());
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(static_cast<int>(how_a));
  CAPTURE(static_cast<int>(how_b));
  CHECK(agrees(c, a, b, k));
}

template <class T, index M, index N, index K>
void check_static() {
  CAPTURE(M);
  CAPTURE(N);
  CAPTURE(K);
  for (const arrangement how_a : arrangements)
    for (const arrangement how_b : arrangements) {
      CAPTURE(static_cast<int>(how_a));
      CAPTURE(static_cast<int>(how_b));
      const operand<T> a(M, K, how_a, below(2) == 0);
      const operand<T> b(K, N, how_b, below(2) == 0);
      collected<T> c{M, N};
      kernels::matmul<T, M, N, K>(a.matrix(), b.matrix(), c.sink());
      CHECK(agrees(c, a, b, K));
    }
}

#define ALL_TYPES                                                                     \
  float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, \
      std::uint16_t, std::uint32_t, std::uint64_t

TEST_CASE_TEMPLATE("random extents, arrangements and values", T, ALL_TYPES) {
  const int rounds = is_float<T> ? 300 : 60;
  for (int round = 0; round < rounds; ++round)
    check_dynamic<T>(below(71), below(71), below(71), arrangements[below(5)],
                     arrangements[below(5)], below(3) == 0);
}

TEST_CASE_TEMPLATE("extents of zero and one", T, ALL_TYPES) {
  for (const index m : {0, 1, 2, 13})
    for (const index n : {0, 1, 2, 33})
      for (const index k : {0, 1, 2, 20})
        for (const arrangement how : arrangements)
          check_dynamic<T>(m, n, k, how, arrangements[below(5)], false);
}

TEST_CASE_TEMPLATE("a single column", T, ALL_TYPES) {
  for (const index k :
       {3, 4, 7, 31, 32, 33, 63, 64, 65, 100, 127, 128, 2047, 2048, 2049, 4096, 4097, 13000, 21000})
    for (const index m : {1, 2, 7})
      check_dynamic<T>(m, 1, k, arrangements[below(5)], arrangements[below(5)], below(2) == 0);
  for (int round = 0; round < 40; ++round)
    check_dynamic<T>(below(70), 1, below(300), arrangements[below(5)], arrangements[below(5)],
                     below(2) == 0);
}

// Products that underflow to -0: a lane without an element must not be added as +0, nor left out.
TEST_CASE_TEMPLATE("the sign of zero", T, float, double) {
  const T tiny = std::numeric_limits<T>::denorm_min();
  for (index k = 1; k < 140; ++k) {
    operand<T> a(1, k, arrangement::row_major);
    operand<T> b(k, 1, arrangement::row_major);
    for (T& x : a.memory) x = tiny;
    for (T& x : b.memory) x = -tiny;
    collected<T> c{1, 1};
    kernels::matmul(a.matrix(), b.matrix(), 1, 1, k, c.sink());
    CHECK(agrees(c, a, b, k));
  }
}

TEST_CASE_TEMPLATE("large extents", T, float, double, std::int32_t, std::uint8_t) {
  check_dynamic<T>(200, 150, 130, arrangement::row_major, arrangement::row_major, false);
  check_dynamic<T>(129, 97, 333, arrangement::row_major, arrangement::column_major, false);
  check_dynamic<T>(150, 131, 257, arrangement::column_major, arrangement::row_major, false);
  check_dynamic<T>(3, 500, 300, arrangement::row_major, arrangement::row_major, false);
  check_dynamic<T>(1, 700, 200, arrangement::row_major, arrangement::spread, false);
  check_dynamic<T>(26, 35, 5000, arrangement::row_major, arrangement::row_major, false);
  check_dynamic<T>(300, 2, 50, arrangement::reversed, arrangement::reversed, false);
  // Rows so far apart that they are copied, and more columns than are copied at a time.
  check_dynamic<T>(50, 1100, 7, arrangement::row_major, arrangement::row_major, false);
  check_dynamic<T>(50, 600, 1030, arrangement::row_major, arrangement::row_major, false);
  check_dynamic<T>(14, 130, 9000, arrangement::row_major, arrangement::column_major, false);
}

TEST_CASE_TEMPLATE("static extents of every kind of element", T, std::int8_t, std::uint16_t,
                   std::uint64_t) {
  check_static<T, 3, 4, 0>();
  check_static<T, 6, 1, 9>();
  check_static<T, 10, 10, 10>();
  check_static<T, 3, 70, 5>();
}

TEST_CASE_TEMPLATE("static extents", T, float, double, std::int32_t) {
  check_static<T, 0, 3, 4>();
  check_static<T, 3, 0, 4>();
  check_static<T, 3, 4, 0>();
  check_static<T, 1, 1, 1>();
  check_static<T, 1, 5, 1>();
  check_static<T, 2, 2, 2>();
  check_static<T, 3, 3, 3>();
  check_static<T, 6, 6, 6>();
  check_static<T, 6, 1, 6>();
  check_static<T, 4, 1, 1>();
  check_static<T, 21, 1, 3>();
  check_static<T, 16, 1, 16>();
  check_static<T, 3, 6, 3>();
  check_static<T, 10, 10, 10>();
  check_static<T, 1, 16, 8>();
  check_static<T, 16, 16, 16>();
  check_static<T, 9, 1, 70>();
  check_static<T, 5, 80, 90>();
}

TEST_CASE("static extents of several tiles") {
  check_static<float, 17, 23, 19>();
  check_static<float, 29, 45, 31>();
  check_static<double, 32, 32, 32>();
  check_static<float, 65, 65, 65>();
  check_static<float, 1, 128, 784>();
  check_static<double, 50, 13, 4>();
}

// A sink that can take the elements of a single column together.
struct column_sink {
  collected<float>* c;
  void operator()(index, index, auto, int) const { c->in_range = false; }
  void column(index i, auto sums, int rows) const {
    for (int r = 0; r < rows; ++r)
      c->take(i + r, 0, tfgraph::simd::batch<float, 1>(sums.get(r)), 1);
  }
};

TEST_CASE("the elements of a column together") {
  const operand<float> a(37, 50, arrangement::row_major);
  const operand<float> b(50, 1, arrangement::row_major);
  collected<float> c{37, 1};
  kernels::matmul(a.matrix(), b.matrix(), 37, 1, 50, column_sink{&c});
  CHECK(agrees(c, a, b, 50));
  collected<float> d{9, 1};
  kernels::matmul<float, 9, 1, 50>(a.matrix(), b.matrix(), column_sink{&d});
  CHECK(agrees(d, a, b, 50));
}

// ---- the reference evaluation of graphs means the same
// ---------------------------------------------

template <class T>
void check_evaluate(index m, index n, index k) {
  const operand<T> a(m, k, arrangement::row_major, below(2) == 0);
  const operand<T> b(k, n, arrangement::row_major, below(2) == 0);
  const tfgraph::dtype t = tfgraph::dtype_of<T>;
  const auto value_of = [&](const operand<T>& x, index rows, index columns) {
    tfgraph::value v{{t, {rows, columns}}, {}};
    for (const T e : x.memory) v.elements.push_back(tfgraph::detail::to_bits(e));
    return v;
  };
  const tfgraph::value va = value_of(a, m, k);
  const tfgraph::value vb = value_of(b, k, n);
  const tfgraph::value* const operands[] = {&va, &vb};
  const tfgraph::value c =
      tfgraph::evaluate(*tfgraph::ops::id<tfgraph::ops::matmul>, {t, {m, n}}, {}, operands);
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  REQUIRE(c.elements.size() == static_cast<std::size_t>(m * n));
  for (index i = 0; i < m; ++i)
    for (index j = 0; j < n; ++j)
      CHECK(same(tfgraph::detail::from_bits<T>(c.elements[static_cast<std::size_t>(i * n + j)]),
                 element(a, b, i, j, n, k)));
}

TEST_CASE_TEMPLATE("the reference evaluation", T, ALL_TYPES) {
  check_evaluate<T>(3, 4, 5);
  check_evaluate<T>(2, 3, 0);
  check_evaluate<T>(3, 1, 0);
  check_evaluate<T>(1, 1, 1);
  check_evaluate<T>(3, 1, 7);
  check_evaluate<T>(2, 1, 70);
  check_evaluate<T>(1, 1, 13000);
}

}  // namespace
