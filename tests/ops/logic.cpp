// Comparisons; the types of logic, selection and conversion.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

// ---- types --------------------------------------------------------------------------------------

template <class T>
constexpr bool gives_booleans = [] {
  const tensor<T, 2, 3> m{};
  const tensor<T, 3> row{};
  return is_tensor<decltype(tg::equal(m, row)), bool, 2, 3> &&
         is_tensor<decltype(tg::not_equal(row, m)), bool, 2, 3> &&
         is_tensor<decltype(tg::less(m, T{})), bool, 2, 3> &&
         is_tensor<decltype(tg::less_equal(T{}, row)), bool, 3> &&
         is_tensor<decltype(tg::greater(m, row)), bool, 2, 3> &&
         is_tensor<decltype(tg::greater_equal(m, row)), bool, 2, 3> &&
         std::is_same_v<decltype(tg::less(T{}, T{})), bool>;
}();
static_assert(gives_booleans<std::int8_t> && gives_booleans<std::uint64_t> && gives_booleans<double>);

using mask = tensor<bool, 2, 1>;
static_assert(is_tensor<decltype(tg::logical_and(mask{}, tensor<bool, 3>{})), bool, 2, 3>);
static_assert(is_tensor<decltype(tg::logical_not(mask{})), bool, 2, 1>);
static_assert(is_tensor<decltype(tg::where(mask{}, tensor<float, 3>{}, 0)), float, 2, 3>);
static_assert(is_tensor<decltype(tg::where(mask{}, tensor<std::int8_t, 3>{}, tensor<std::uint8_t>{})), std::int16_t, 2, 3>);
static_assert(is_tensor<decltype(tg::isnan(tensor<float, 3>{})), bool, 3>);
static_assert(is_tensor<decltype(tg::isinf(tensor<double, 3>{})), bool, 3>);
static_assert(is_tensor<decltype(tg::isfinite(tensor<float, 3>{})), bool, 3>);
static_assert(is_tensor<decltype(tg::astype<std::int16_t>(tensor<float, 2, 3>{})), std::int16_t, 2, 3>);
static_assert(is_tensor<decltype(tg::bitwise_and(mask{}, tensor<bool, 3>{})), bool, 2, 3>);
static_assert(is_tensor<decltype(tg::bitwise_left_shift(tensor<std::uint8_t, 3>{}, 2)), std::uint8_t, 3>);
static_assert(is_tensor<decltype(tg::bitwise_invert(tensor<int, 3>{})), int, 3>);

// ---- comparisons --------------------------------------------------------------------------------

constexpr auto comparisons = std::tuple(
    expectation{tg::equal, [](auto a, auto b) { return a == b; }},
    expectation{tg::not_equal, [](auto a, auto b) { return a != b; }},
    expectation{tg::less, [](auto a, auto b) { return a < b; }},
    expectation{tg::less_equal, [](auto a, auto b) { return a <= b; }},
    expectation{tg::greater, [](auto a, auto b) { return a > b; }},
    expectation{tg::greater_equal, [](auto a, auto b) { return a >= b; }});

constexpr void comparing() {
  for_each_type(numeric_types{}, []<class T>(T) {
    check_operators(comparisons, specials<tensor<T, 2, 5>>(0), specials<tensor<T, 5>>(1));
  });
}
TFGRAPH_BOTH(comparing);

// NaN, infinities, zeros of both signs, limits: against each other in every lane.
TEST_CASE_TEMPLATE("special values compare as in C++", T, std::int8_t, std::uint64_t, float,
                   double) {
  constexpr std::size_t count = special_values<T>().size();
  using X = tensor<T, 2 * lanes<T> + 3>;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) check_operators(comparisons, specials<X>(i), specials<X>(j));
}

TEST_CASE("comparisons under every kind of broadcast") {
  check_broadcasts<double>(comparisons, make_numbers{}, make_numbers{});
}

}  // namespace
