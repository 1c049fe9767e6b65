// Products of vectors, matrices and batches against three plain loops; tensors from nothing.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::axis;
using tg::constant_c;
using tg::shape;
using tg::tensor;

// ---- types --------------------------------------------------------------------------------------

template <class T>
constexpr bool multiplies = [] {
  return is_tensor<decltype(tg::matmul(tensor<T, 2, 3>{}, tensor<T, 3, 4>{})), T, 2, 4> &&
         is_tensor<decltype(tg::matmul(tensor<T, 3>{}, tensor<T, 3, 4>{})), T, 4> &&
         is_tensor<decltype(tg::matmul(tensor<T, 2, 3>{}, tensor<T, 3>{})), T, 2> &&
         std::is_same_v<decltype(tg::matmul(tensor<T, 3>{}, tensor<T, 3>{})), T> &&
         is_tensor<decltype(tg::matmul(tensor<T, 5, 1, 2, 3>{}, tensor<T, 6, 3, 4>{})), T, 5, 6, 2, 4> &&
         is_tensor<decltype(tg::matmul(tensor<T, 5, 2, 3>{}, tensor<T, 3>{})), T, 5, 2>;
}();
static_assert(multiplies<std::int8_t> && multiplies<std::uint64_t> && multiplies<float> && multiplies<double>);
static_assert(is_tensor<decltype(tg::matmul(tensor<float, 2, 3>{}, tensor<double, 3>{})), double, 2>);

// ---- products -----------------------------------------------------------------------------------

// Small whole numbers: exact in every order.
template <class T, std::size_t N, std::size_t D, std::size_t M>
constexpr void check_product() {
  const auto a = numbers<tensor<T, N, D>>(1);
  const auto b = numbers<tensor<T, D, M>>(2);
  tensor<T, N, M> expected;
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = 0; j < M; ++j)
      for (std::size_t k = 0; k < D; ++k)
        expected(i, j) = static_cast<T>(expected(i, j) + a(i, k) * b(k, j));
  TFGRAPH_CHECK(tg::matmul(a, b) == expected);
}

constexpr void products() {
  check_product<float, 2, 3, 4>();
  check_product<std::int8_t, 3, 2, 1>();
  check_product<double, 2, 0, 3>();
}
TFGRAPH_BOTH(products);

TEST_CASE_TEMPLATE("products around a register", T, float, double, std::int8_t, std::uint32_t) {
  check_product<T, 5, 7, lanes<T> + 1>();
  check_product<T, 1, 3, 2 * lanes<T>>();
  check_product<T, 13, lanes<T> + 3, 1>();
}
TEST_CASE("empty and large products") {
  check_product<float, 0, 3, 2>();
  check_product<float, 3, 0, 2>();
  check_product<float, 33, 70, 45>();
}

constexpr void vectors_and_batches() {
  const tensor<int, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
  const tensor<int, 3> v{1, 10, 100};
  TFGRAPH_CHECK(tg::matmul(a, v) == tensor<int, 2>{321, 654} && tg::matmul(v, v) == 10101);
  TFGRAPH_CHECK(tg::matmul(tensor<int, 2>{1, 10}, a) == tensor<int, 3>{41, 52, 63});
  const auto batches = tg::stack(axis<0>, a, a * 2);
  TFGRAPH_CHECK(tg::matmul(batches, v) == tensor<int, 2, 2>{{321, 654}, {642, 1308}});
  TFGRAPH_CHECK(tg::matmul(a, tg::matrix_transpose(batches)) ==
                tensor<int, 2, 2, 2>{{{14, 32}, {32, 77}}, {{28, 64}, {64, 154}}});
}
TFGRAPH_BOTH(vectors_and_batches);

TEST_CASE("batches that broadcast") {
  const auto a = numbers<tensor<double, 2, 1, 3, 5>>(1);
  const auto b = numbers<tensor<double, 4, 5, 9>>(2);
  const auto c = tg::matmul(a, b);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 9; ++column) {
          double sum = 0;
          for (int k = 0; k < 5; ++k) sum += a(i, 0, row, k) * b(j, k, column);
          CHECK(c(i, j, row, column) == sum);
        }
}

TEST_CASE("NaN and infinities go through") {
  auto a = numbers<tensor<float, 3, 4>>(1);
  a(1, 2) = std::numeric_limits<float>::quiet_NaN();
  const tensor<float, 3, 20> c = tg::matmul(a, tg::zeros<float>(shape<4, 20>{}));
  for (int j = 0; j < 20; ++j) CHECK((c(0, j) == 0 && c(1, j) != c(1, j) && c(2, j) == 0));
}

// ---- tensors from nothing -----------------------------------------------------------------------

template <class T, class Handle>
constexpr bool is_made(const Handle&) {
  return std::is_same_v<typename Handle::value_type, T>;
}

constexpr void from_nothing() {
  const tensor<float, 2, 3> zeros = tg::zeros<float>(shape<2, 3>{});
  const tensor<bool, 2> ones = tg::ones<bool>(shape<2>{});
  const tensor<std::int8_t, 2> full = tg::full(shape<2>{}, std::int8_t{-7});
  TFGRAPH_CHECK(zeros == tensor<float, 2, 3>{} && ones == tensor<bool, 2>{true, true});
  TFGRAPH_CHECK(full == tensor<std::int8_t, 2>{-7, -7});
  const tensor<int, 4> up = tg::arange<int>(constant_c<4>);
  const tensor<double, 3> down = tg::arange<double>(constant_c<5>, constant_c<-1>, constant_c<-2>);
  const tensor<float, 0> none = tg::arange<float>(constant_c<5>, constant_c<2>);
  TFGRAPH_CHECK(up == tensor<int, 4>{0, 1, 2, 3} && down == tensor<double, 3>{5, 3, 1} && none.empty());
  const tensor<int, 2, 3> above = tg::eye<int>(shape<2, 3>{}, 1);
  const tensor<int, 2, 2> below = tg::eye<int>(shape<2, 2>{}, -1);
  TFGRAPH_CHECK(above == tensor<int, 2, 3>{{0, 1, 0}, {0, 0, 1}} && below == tensor<int, 2, 2>{{0, 0}, {1, 0}});
  const tensor<int, 2, 2> unit = tg::eye<int>(shape<2>{});
  TFGRAPH_CHECK(unit == tensor<int, 2, 2>{{1, 0}, {0, 1}});
  const tensor<float, 2, 3> like = tg::ones_like(zeros);
  const tensor<float, 2, 3> filled = tg::full_like(zeros, 2);
  TFGRAPH_CHECK(like == tg::broadcast_to(1.0f, shape<2, 3>{}) && filled == like + like);
  const tensor<float, 2, 3> none_like = tg::zeros_like(like);
  TFGRAPH_CHECK(none_like == zeros && is_made<float>(tg::constant(1.5f)));
}
TFGRAPH_BOTH(from_nothing);

constexpr void one_hot() {
  TFGRAPH_CHECK(tg::one_hot<float>(tensor<int, 4>{0, 2, -1, 3}, constant_c<3>) ==
                tensor<float, 4, 3>{{1, 0, 0}, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}});
  TFGRAPH_CHECK(tg::one_hot<bool>(std::uint8_t{1}, constant_c<2>) == tensor<bool, 2>{false, true});
  static_assert(is_tensor<decltype(tg::one_hot<std::int8_t>(tensor<std::int64_t, 2, 3>{}, constant_c<5>)),
                          std::int8_t, 2, 3, 5>);
}
TFGRAPH_BOTH(one_hot);

}  // namespace
