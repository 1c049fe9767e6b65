// Reductions by their definition, over every choice of axes.
// SPDX-License-Identifier: BSL-1.0
#include <support/reductions.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::axis;
using tg::keepdims;
using tg::tensor;

// ---- types --------------------------------------------------------------------------------------

template <class T>
constexpr bool has_the_right_types = [] {
  const tensor<T, 2, 3, 4> x{};
  return std::is_same_v<decltype(tg::sum(x)), T> &&
         is_tensor<decltype(tg::sum(x, axis<1>)), T, 2, 4> &&
         is_tensor<decltype(tg::prod(x, axis<0, -1>)), T, 3> &&
         is_tensor<decltype(tg::max(x, axis<-1>, keepdims)), T, 2, 3, 1> &&
         is_tensor<decltype(tg::min(x, keepdims)), T, 1, 1, 1> &&
         std::is_same_v<decltype(tg::argmax(x)), std::int64_t> &&
         is_tensor<decltype(tg::argmin(x, axis<1>)), std::int64_t, 2, 4> &&
         is_tensor<decltype(tg::argmax(x, axis<0>, keepdims)), std::int64_t, 1, 3, 4>;
}();
static_assert(has_the_right_types<std::int8_t> && has_the_right_types<std::uint64_t> &&
              has_the_right_types<float> && has_the_right_types<double>);
static_assert(is_tensor<decltype(tg::any(tensor<bool, 2, 3>{}, axis<0>)), bool, 3>);
static_assert(std::is_same_v<decltype(tg::all(tensor<bool, 2, 3>{})), bool>);

// ---- behaviour ----------------------------------------------------------------------------------

constexpr void over_axes() {
  check_all_axes(numbers<tensor<float, 2, 3, 4>>(1));
  check_all_axes(numbers<tensor<std::uint8_t, 3, 1, 2>>(2));
}
TFGRAPH_BOTH(over_axes);

template <class T, std::size_t N>
constexpr void check_positions() {
  for (std::size_t shift = 0; shift < special_values<T>().size(); ++shift) {
    const auto x = specials<tensor<T, N>>(shift);
    std::int64_t high = 0;
    std::int64_t low = 0;
    const auto is_nan = [&](std::int64_t i) { return x(i) != x(i); };
    for (std::int64_t i = 1; i < static_cast<std::int64_t>(N); ++i) {  // the first NaN wins
      if ((x(i) > x(high) && !is_nan(high)) || (is_nan(i) && !is_nan(high))) high = i;
      if ((x(i) < x(low) && !is_nan(low)) || (is_nan(i) && !is_nan(low))) low = i;
    }
    TFGRAPH_CHECK(tg::argmax(x) == high && tg::argmin(x) == low);
    TFGRAPH_CHECK(tg::argmax(x, axis<0>) == high && tg::argmin(x, axis<-1>) == low);
    TFGRAPH_CHECK(same(tg::max(x), x(high)) && same(tg::min(x), x(low)));
  }
}

constexpr void positions() {
  const tensor<int, 2, 3> x{{1, 5, 5}, {7, 0, 0}};
  TFGRAPH_CHECK(tg::argmax(x) == 3 && tg::argmin(x) == 4);
  TFGRAPH_CHECK(tg::argmax(x, axis<1>) == tensor<std::int64_t, 2>{1, 0});
  TFGRAPH_CHECK(tg::argmin(x, axis<0>) == tensor<std::int64_t, 3>{0, 1, 1});
  TFGRAPH_CHECK(tg::argmax(x, axis<0>, keepdims) == tensor<std::int64_t, 1, 3>{{1, 0, 0}});
  check_positions<std::int8_t, 5>();
}
TFGRAPH_BOTH(positions);

TEST_CASE("positions among special values") {
  check_positions<std::uint16_t, 40>();
  check_positions<std::int64_t, 11>();
}

constexpr void products_and_booleans() {
  const tensor<int, 2, 3> x{{1, 2, 3}, {-1, 4, 5}};
  TFGRAPH_CHECK(tg::prod(x) == -120 && tg::prod(x, axis<1>) == tensor<int, 2>{6, -20});
  const tensor<bool, 2, 2> b{{true, false}, {true, true}};
  TFGRAPH_CHECK(tg::any(b) && !tg::all(b) && tg::all(b, axis<0>) == tensor<bool, 2>{true, false});
  TFGRAPH_CHECK(tg::any(b, axis<1>, keepdims) == tensor<bool, 2, 1>{{true}, {true}});
  const tensor<std::int8_t, 3> wraps{100, 100, 100};
  TFGRAPH_CHECK(tg::sum(wraps) == 44 && tg::prod(wraps) == 64);
}
TFGRAPH_BOTH(products_and_booleans);

constexpr void of_nothing() {
  const tensor<float, 0, 3> x;
  TFGRAPH_CHECK(tg::sum(x, axis<0>) == tensor<float, 3>{} && same(tg::sum(x), 0.0f) && tg::prod(x) == 1);
  TFGRAPH_CHECK(tg::sum(x, axis<1>) == tensor<float, 0>{} && tg::prod(x, axis<0>) == tensor<float, 3>{1, 1, 1});
  const tensor<bool, 0> b;
  TFGRAPH_CHECK(!tg::any(b) && tg::all(b));
}
TFGRAPH_BOTH(of_nothing);

constexpr void nan_in_any_place() {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < 5; ++i) {
    auto x = numbers<tensor<float, 5>>(1);
    x.data()[i] = nan;
    TFGRAPH_CHECK(same(tg::max(x), nan) && same(tg::min(x), nan) && same(tg::sum(x), nan));
    TFGRAPH_CHECK(tg::argmax(x) == static_cast<std::int64_t>(i));
  }
  TFGRAPH_CHECK(same(tg::sum(tensor<float, 2>{-0.0f, -0.0f}), -0.0f));
}
TFGRAPH_BOTH(nan_in_any_place);

TEST_CASE("NaN in every lane and in the tail") {
  constexpr std::size_t n = 2 * lanes<float> + 3;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < n; ++i) {
    auto x = numbers<tensor<float, n>>(1);
    x.data()[i] = nan;
    CHECK(same(tg::max(x), nan));
    CHECK(same(tg::min(x), nan));
    CHECK(tg::argmin(x) == static_cast<std::int64_t>(i));
  }
}

}  // namespace
