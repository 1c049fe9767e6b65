// clip on every numeric type, and integer arithmetic under every kind of broadcast.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

constexpr void clipping() {
  for_each_type(numeric_types{}, []<class T>(T) {
    const auto x = numbers<tensor<T, 2, 7>>(1);
    const auto low = numbers<tensor<T, 7>>(2);
    TFGRAPH_CHECK(same(tg::clip(x, T(1), T(3)), elementwise<tensor<T, 2, 7>>([](T a) {
                    return a < T(1) ? T(1) : a > T(3) ? T(3) : a;
                  }, x)));
    TFGRAPH_CHECK(same(tg::clip(x, low, T(2)), elementwise<tensor<T, 2, 7>>([](T a, T l) {
                    const T at_least = a < l ? l : a;
                    return at_least > T(2) ? T(2) : at_least;  // the upper limit wins
                  }, x, low)));
  });
}
TFGRAPH_BOTH(clipping);

constexpr auto integer_operators = std::tuple(
    expectation{tg::add, [](int a, int b) { return a + b; }},
    expectation{tg::multiply, [](int a, int b) { return a * b; }},
    expectation{tg::maximum, [](int a, int b) { return a > b ? a : b; }});

TEST_CASE("integers under every kind of broadcast") {
  check_broadcasts<std::int32_t>(integer_operators, make_numbers{}, make_numbers{});
}

}  // namespace
