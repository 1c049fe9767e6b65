// Comparisons, logic, selection, conversion, bits and shifts.
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

// ---- logic and bits -----------------------------------------------------------------------------

constexpr auto logic = std::tuple(
    expectation{tg::logical_and, [](bool a, bool b) { return a && b; }},
    expectation{tg::logical_or, [](bool a, bool b) { return a || b; }},
    expectation{tg::logical_xor, [](bool a, bool b) { return a != b; }},
    expectation{tg::bitwise_and, [](bool a, bool b) { return a && b; }},
    expectation{tg::bitwise_or, [](bool a, bool b) { return a || b; }},
    expectation{tg::bitwise_xor, [](bool a, bool b) { return a != b; }},
    expectation{tg::equal, [](bool a, bool b) { return a == b; }},
    expectation{tg::not_equal, [](bool a, bool b) { return a != b; }});
constexpr auto inversion = std::tuple(expectation{tg::logical_not, [](bool a) { return !a; }},
                                      expectation{tg::bitwise_invert, [](bool a) { return !a; }});

constexpr void booleans() {
  check_operators(logic, numbers<tensor<bool, 2, 5>>(1), numbers<tensor<bool, 5>>(2));
  check_operators(inversion, numbers<tensor<bool, 7>>(3));
}
TFGRAPH_BOTH(booleans);

TEST_CASE("booleans of every length") {
  check_lengths<bool>(inversion, make_numbers{});
  check_operators(logic, numbers<tensor<bool, 3, 67>>(1), numbers<tensor<bool, 3, 1>>(2));
}

constexpr auto bits = std::tuple(
    expectation{tg::bitwise_and, []<class T>(T a, T b) { return wrapped<T>(static_cast<std::uint64_t>(a) & static_cast<std::uint64_t>(b)); }},
    expectation{tg::bitwise_or, []<class T>(T a, T b) { return wrapped<T>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b)); }},
    expectation{tg::bitwise_xor, []<class T>(T a, T b) { return wrapped<T>(static_cast<std::uint64_t>(a) ^ static_cast<std::uint64_t>(b)); }});

constexpr void bits_of_integers() {
  for_each_type(integer_types{}, []<class T>(T) {
    check_operators(bits, specials<tensor<T, 2, 5>>(0), specials<tensor<T, 5>>(3));
    const auto x = specials<tensor<T, 2, 5>>(1);
    TFGRAPH_CHECK(same(tg::bitwise_invert(x), elementwise<tensor<T, 2, 5>>([](T a) {
                    return wrapped<T>(~static_cast<std::uint64_t>(a));
                  }, x)));
  });
}
TFGRAPH_BOTH(bits_of_integers);

}  // namespace
