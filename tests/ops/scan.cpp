// cumulative_sum, against plain loops.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::axis;
using tg::tensor;

static_assert(is_tensor<decltype(tg::cumulative_sum(tensor<float, 2, 3>{}, axis<1>)), float, 2, 3>);
static_assert(is_tensor<decltype(tg::cumulative_sum(tensor<std::int8_t, 3>{})), std::int8_t, 3>);

template <class T>
constexpr void check_sums() {
  const auto x = numbers<tensor<T, 2, 3, 4>>(1);
  auto expected = x;
  const auto step = [&](T& to, T from) { to = static_cast<T>(from + to); };
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 1; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k) step(expected(i, j, k), expected(i, j - 1, k));
  TFGRAPH_CHECK(tg::cumulative_sum(x, axis<1>) == expected);
  TFGRAPH_CHECK(tg::cumulative_sum(x, axis<-2>) == expected);
  expected = x;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 1; k < 4; ++k) step(expected(i, j, k), expected(i, j, k - 1));
  TFGRAPH_CHECK(tg::cumulative_sum(x, axis<-1>) == expected);
}
constexpr void sums() {
  check_sums<std::int16_t>();
  check_sums<std::uint32_t>();
  check_sums<float>();
  check_sums<double>();
  TFGRAPH_CHECK(tg::cumulative_sum(tensor<std::int8_t, 3>{100, 100, 100}) ==
                tensor<std::int8_t, 3>{100, -56, 44});  // integers wrap
  TFGRAPH_CHECK(tg::cumulative_sum(tensor<float, 3>{1e8f, 1, -1e8f}) ==
                tensor<float, 3>{1e8f, 1e8f, 0});  // in this order
  TFGRAPH_CHECK(same(tg::cumulative_sum(tensor<float, 2>{-0.0f, -0.0f}), tensor<float, 2>{-0.0f, -0.0f}));
  TFGRAPH_CHECK(tg::cumulative_sum(tensor<float, 0, 3>{}, axis<0>) == tensor<float, 0, 3>{});
}
TFGRAPH_BOTH(sums);

}  // namespace
