// pow with integer and floating-point exponents, hypot, atan2; digamma; rounding of integers.
// SPDX-License-Identifier: BSL-1.0
#include <support/math.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

static_assert(is_tensor<decltype(tg::pow(tensor<float, 2, 3>{}, tensor<float, 3>{})), float, 2, 3>);
static_assert(is_tensor<decltype(tg::pow(tensor<int, 3>{}, 2)), int, 3>);
static_assert(is_tensor<decltype(tg::pow(2.0f, tensor<float, 3>{})), float, 3>);
static_assert(is_tensor<decltype(tg::hypot(tensor<double, 3>{}, 1.0)), double, 3>);
static_assert(is_tensor<decltype(tg::atan2(tensor<float, 3>{}, tensor<float, 2, 1>{})), float, 2, 3>);

constexpr void integer_powers() {
  for_each_type(numeric_types{}, []<class T>(T) {
    const auto x = numbers<tensor<T, 5>>(1);
    TFGRAPH_CHECK(same(tg::pow(x, 3), x * x * x) && same(tg::pow(x, 2), x * x) && same(tg::pow(x, 1), x));
    TFGRAPH_CHECK(same(tg::pow(x, 0), tensor<T, 5>{1, 1, 1, 1, 1}));
  });
  TFGRAPH_CHECK(tg::pow(tensor<double, 2>{2, -4}, -2) == tensor<double, 2>{0.25, 0.0625});
  TFGRAPH_CHECK(tg::pow(tensor<std::uint8_t, 2>{3, 7}, 6) == tensor<std::uint8_t, 2>{217, 145});
}
TFGRAPH_BOTH(integer_powers);

constexpr void rounding_leaves_integers() {
  for_each_type(integer_types{}, []<class T>(T) {
    const auto x = specials<tensor<T, 5>>(1);
    TFGRAPH_CHECK(same(tg::floor(x), x) && same(tg::ceil(x), x) && same(tg::trunc(x), x) && same(tg::round(x), x));
  });
}
TFGRAPH_BOTH(rounding_leaves_integers);

template <class T, class Op, class Reference>
void check_binary(tg::elementwise_function<Op> op, double low, Reference reference) {
  using X = tensor<T, 2 * lanes<T> + 3>;
  for (int seed = 0; seed < 60; ++seed) {
    const X x = between<X>(low, 9, seed);
    const X y = between<X>(-9, 9, seed + 100);
    const X found = op(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(Op::name << "(" << x.data()[i] << ", " << y.data()[i] << ")");
      CHECK(ulps(found.data()[i], reference(static_cast<long double>(x.data()[i]),
                                            static_cast<long double>(y.data()[i]))) <= tolerance<T>);
    }
  }
  for (std::size_t i = 0; i < special_values<T>().size(); ++i)
    for (std::size_t j = 0; j < special_values<T>().size(); ++j)
      check_lanes_like_one<Op, T>(op, specials<X>(i), specials<X>(j));
}

TEST_CASE_TEMPLATE("functions of two numbers", T, float, double) {
  check_binary<T>(tg::elementwise_function<tg::ops::pow>{}, 1e-3, [](auto x, auto y) { return std::pow(x, y); });
  check_binary<T>(tg::hypot, -9, [](auto x, auto y) { return std::hypot(x, y); });
  check_binary<T>(tg::atan2, -9, [](auto x, auto y) { return std::atan2(x, y); });
}

TEST_CASE("powers of IEEE 754") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(tg::pow(nan, 0.0) == 1);
  CHECK(tg::pow(1.0, nan) == 1);
  CHECK(same(tg::pow(-8.0, 1 / 3.0), nan));
  CHECK(tg::pow(-2.0, 3.0) == -8);
  CHECK(same(tg::pow(-0.0, -1.0), -std::numeric_limits<double>::infinity()));
}

TEST_CASE("digamma") {
  // psi(1) = -gamma, psi(1/2) = -gamma - 2 log 2, psi(x + 1) = psi(x) + 1 / x.
  constexpr double gamma = 0.57721566490153286060651209008240243;
  const tensor<double, 3> found = tg::digamma(tensor<double, 3>{1, 0.5, 2});
  CHECK(std::abs(found(0) + gamma) < 1e-15);
  CHECK(std::abs(found(1) + gamma + 2 * std::log(2.0)) < 1e-15);
  CHECK(std::abs(found(2) - (1 - gamma)) < 1e-15);
}

}  // namespace
