// Statistics, softmax and their kin against plain loops in double.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::axis;
using tg::keepdims;
using tg::tensor;

// ---- types --------------------------------------------------------------------------------------

using matrix = tensor<float, 2, 3>;
static_assert(is_tensor<decltype(tg::relu(tensor<int, 3>{})), int, 3>);
static_assert(std::is_same_v<decltype(tg::mean(matrix{})), float>);
static_assert(is_tensor<decltype(tg::mean(matrix{}, axis<0>)), float, 3>);
static_assert(is_tensor<decltype(tg::mean(matrix{}, axis<0>, keepdims)), float, 1, 3>);
static_assert(is_tensor<decltype(tg::var(tensor<double, 2, 3>{}, axis<-1>)), double, 2>);
static_assert(std::is_same_v<decltype(tg::var(matrix{})), float>);
static_assert(is_tensor<decltype(tg::var(matrix{}, keepdims)), float, 1, 1>);
static_assert(is_tensor<decltype(tg::softmax(matrix{})), float, 2, 3>);
static_assert(is_tensor<decltype(tg::log_softmax(matrix{}, axis<0>)), float, 2, 3>);
static_assert(is_tensor<decltype(tg::logsumexp(matrix{}, axis<-1>)), float, 2>);
static_assert(is_tensor<decltype(tg::logsumexp(matrix{}, axis<-1>, keepdims)), float, 2, 1>);

// ---- behaviour ----------------------------------------------------------------------------------

constexpr void relu() {
  TFGRAPH_CHECK(tg::relu(tensor<int, 3>{-2, 0, 3}) == tensor<int, 3>{0, 0, 3});
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  TFGRAPH_CHECK(same(tg::relu(tensor<float, 3>{nan, -1.5f, 2.5f}), tensor<float, 3>{nan, 0, 2.5f}));
}
TFGRAPH_BOTH(relu);

constexpr void mean_and_variance() {
  const tensor<double, 2, 4> x{{1, 2, 3, 6}, {0, 0, 8, 8}};
  TFGRAPH_CHECK(tg::mean(x) == 3.5 && tg::mean(x, axis<1>) == tensor<double, 2>{3, 4});
  TFGRAPH_CHECK(tg::mean(x, axis<0>) == tensor<double, 4>{0.5, 1, 5.5, 7});
  TFGRAPH_CHECK(tg::var(x, axis<1>) == tensor<double, 2>{3.5, 16} && tg::var(x) == 10);
  TFGRAPH_CHECK(tg::var(x, axis<1>, keepdims) == tensor<double, 2, 1>{{3.5}, {16}});
  TFGRAPH_CHECK(same(tg::mean(tensor<float, 0>{}), std::numeric_limits<float>::quiet_NaN()));
}
TFGRAPH_BOTH(mean_and_variance);

bool close(double found, double expected) { return std::abs(found - expected) <= 4e-6 * (1 + std::abs(expected)); }

template <std::size_t N>
void check_softmax(float scale) {
  tensor<float, 3, N> x = numbers<tensor<float, 3, N>>(1) * scale;
  const auto soft = tg::softmax(x);
  const auto logarithm = tg::log_softmax(x, axis<1>);
  const auto total = tg::logsumexp(x, axis<-1>);
  const auto columns = tg::softmax(x, axis<0>);
  for (std::size_t i = 0; i < 3; ++i) {
    double largest = static_cast<double>(x(i, 0u));
    for (std::size_t j = 0; j < N; ++j) largest = std::max(largest, static_cast<double>(x(i, j)));
    double sum = 0;
    for (std::size_t j = 0; j < N; ++j) sum += std::exp(static_cast<double>(x(i, j)) - largest);
    CHECK(close(static_cast<double>(total(i)), largest + std::log(sum)));
    for (std::size_t j = 0; j < N; ++j) {
      const double shifted = static_cast<double>(x(i, j)) - largest;
      CHECK(close(static_cast<double>(soft(i, j)), std::exp(shifted) / sum));
      CHECK(close(static_cast<double>(logarithm(i, j)), shifted - std::log(sum)));
      double column = 0;
      for (std::size_t k = 0; k < 3; ++k) column += std::exp(static_cast<double>(x(k, j)) - static_cast<double>(x(i, j)));
      CHECK(close(static_cast<double>(columns(i, j)), 1 / column));
    }
  }
}

TEST_CASE("softmax, log_softmax, logsumexp") {
  check_softmax<1>(1);
  check_softmax<lanes<float> + 1>(1);
  check_softmax<37>(1000);  // exp alone would overflow
}

constexpr void softmax_of_equals() {
  TFGRAPH_CHECK(tg::softmax(tensor<float, 4>{2, 2, 2, 2}) == tensor<float, 4>{0.25f, 0.25f, 0.25f, 0.25f});
  TFGRAPH_CHECK(tg::log_softmax(tensor<float, 1>{7}) == tensor<float, 1>{0});
}
TFGRAPH_BOTH(softmax_of_equals);

TEST_CASE("a row of -inf") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(tg::logsumexp(tensor<float, 2>{-infinity, -infinity}, axis<0>) == -infinity);
  CHECK(tg::logsumexp(tensor<float, 2>{infinity, 0}, axis<0>) == infinity);
}

}  // namespace
