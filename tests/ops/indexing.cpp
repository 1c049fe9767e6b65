// take and scatter_add, against plain loops.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::axis;
using tg::tensor;

using cube = tensor<float, 2, 3, 4>;

// ---- types --------------------------------------------------------------------------------------

static_assert(is_tensor<decltype(tg::take(cube{}, tensor<int, 5>{}, axis<0>)), float, 5, 3, 4>);
static_assert(is_tensor<decltype(tg::take(cube{}, tensor<int, 5>{}, axis<-1>)), float, 2, 3, 5>);
static_assert(is_tensor<decltype(tg::take(cube{}, tensor<std::uint8_t, 6, 7>{}, axis<1>)), float, 2, 6, 7, 4>);
static_assert(is_tensor<decltype(tg::take(cube{}, 1, axis<1>)), float, 2, 4>);
static_assert(std::is_same_v<decltype(tg::take(tensor<bool, 3>{}, 1, axis<0>)), bool>);
static_assert(is_tensor<decltype(tg::scatter_add(cube{}, tensor<int, 5>{}, tensor<float, 2, 5, 4>{}, axis<1>)), float, 2, 3, 4>);

// ---- behaviour ----------------------------------------------------------------------------------

constexpr tensor<int, 4> where{2, 0, -1, 1};

template <class T>
constexpr void check_take() {
  const auto x = numbers<tensor<T, 3, 3, 3>>(1);
  const auto first = tg::take(x, where, axis<0>);
  const auto middle = tg::take(x, where, axis<1>);
  const auto last = tg::take(x, where, axis<-1>);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t from = where(i) < 0 ? 2 : static_cast<std::size_t>(where(i));
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) {
        TFGRAPH_CHECK(same(first(i, a, b), x(from, a, b)));
        TFGRAPH_CHECK(same(middle(a, i, b), x(a, from, b)));
        TFGRAPH_CHECK(same(last(a, b, i), x(a, b, from)));
      }
  }
}
constexpr void takes() {
  check_take<bool>();
  check_take<std::int8_t>();
  check_take<std::uint16_t>();
  check_take<int>();
  check_take<std::uint64_t>();
  check_take<float>();
  check_take<double>();
}
TFGRAPH_BOTH(takes);

constexpr void indices_of_any_rank() {
  const tensor<int, 3> x{10, 20, 30};
  TFGRAPH_CHECK(tg::take(x, 2, axis<0>) == 30);
  TFGRAPH_CHECK(tg::take(x, -3, axis<0>) == 10);
  TFGRAPH_CHECK(tg::take(x, tg::constant_c<1>, axis<0>) == 20);
  TFGRAPH_CHECK(tg::take(x, tensor<std::int8_t, 2, 2>{{0, 1}, {-1, 0}}, axis<0>) ==
                tensor<int, 2, 2>{{10, 20}, {30, 10}});
  TFGRAPH_CHECK(tg::take(x, tensor<int, 0>{}, axis<0>) == tensor<int, 0>{});
}
TFGRAPH_BOTH(indices_of_any_rank);

template <class T>
constexpr void check_scatter() {
  const auto x = numbers<tensor<T, 2, 3, 2>>(1);
  const auto u = numbers<tensor<T, 2, 4, 2>>(2);
  auto expected = x;
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t b = 0; b < 2; ++b) {
        T& e = expected(a, where(i) < 0 ? 2 : static_cast<std::size_t>(where(i)), b);
        e = static_cast<T>(e + u(a, i, b));  // small numbers: nothing wraps
      }
  TFGRAPH_CHECK(tg::scatter_add(x, where, u, axis<1>) == expected);
}
constexpr void scatters() {
  check_scatter<std::int8_t>();
  check_scatter<int>();
  check_scatter<float>();
  check_scatter<double>();
  TFGRAPH_CHECK(tg::scatter_add(tensor<std::int8_t, 2>{127, 0}, tensor<int, 2>{0, 0},
                                tensor<std::int8_t, 2>{1, 1}, axis<0>) ==
                tensor<std::int8_t, 2>{-127, 0});  // integers wrap
}
TFGRAPH_BOTH(scatters);

TEST_CASE("an index that is out of range throws, wherever the function runs") {
  constexpr auto f = tg::function([](auto x, auto i) { return tg::take(x, i, axis<0>); });
  const tensor<float, 3> x{1, 2, 3};
  const char* const said = "take: the index 3 is out of range for an axis of extent 3";
  CHECK_THROWS_WITH_AS(static_cast<void>(f(x, 3)), said, tg::domain_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(f(tg::any_tensor(x), tg::any_tensor(tensor<int, 2>{0, 3}))), said,
                       tg::domain_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(f(tensor<float, tg::dyn>(x), tensor<int, 1>{3})), said, tg::domain_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(f(x, -4)), "take: the index -4 is out of range for an axis of extent 3",
                       tg::domain_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(tg::scatter_add(x, 7, 1.0f, axis<0>)),
                       "scatter_add: the index 7 is out of range for an axis of extent 3",
                       tg::domain_error);
  CHECK_THROWS_AS(static_cast<void>(f(tensor<float, 0>{}, 0)), tg::domain_error);
}

TEST_CASE("what is known at run time only is refused there") {
  const tg::any_tensor x(tensor<float, 3>{1, 2, 3});
  CHECK_THROWS_WITH_AS(static_cast<void>(tg::take(x, x, axis<0>)),
                       "take and scatter_add: the indices must be integers that int64 can hold",
                       tg::dtype_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(tg::take(x, 0, axis<1>)),
                       "take: axis 1 is out of range for the shape (3)", tg::shape_error);
}

}  // namespace
