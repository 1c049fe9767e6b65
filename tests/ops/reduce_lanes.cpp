// Reductions around the length of a register, of rank 1 and 5, and in blocks.
// SPDX-License-Identifier: BSL-1.0
#include <support/reductions.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

TEST_CASE("over axes, around a register") {
  check_all_axes(numbers<tensor<float, 3, 2, lanes<float> + 1>>(1));
  check_all_axes(numbers<tensor<double, 2, 3, lanes<double>>>(2));
  check_all_axes(numbers<tensor<std::int16_t, 2, 2, 2 * lanes<std::int16_t> + 3>>(3));
}

TEST_CASE("rank 5 and rank 1") {
  check_axes<0, 2, 4>(numbers<tensor<std::int32_t, 2, 3, 2, 3, 5>>(1), {true, false, true, false, true});
  check_axes<1, 3>(numbers<tensor<std::int32_t, 2, 3, 2, 3, 5>>(2), {false, true, false, true});
  check_axes<0>(numbers<tensor<std::int64_t, 1>>(3), {true});
}

// Long runs and many rows go in blocks; small whole numbers make every order right.
TEST_CASE("blocks") {
  check_axes<0>(numbers<tensor<float, 10007>>(1), {true});
  check_axes<0>(numbers<tensor<double, 200, 3>>(2), {true});
  check_axes<0, 1>(numbers<tensor<std::int8_t, 70, 9>>(3), {true, true});
}

}  // namespace
