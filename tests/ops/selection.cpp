// where, astype, isnan and its kin.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

// ---- selection ----------------------------------------------------------------------------------

constexpr auto choose = [](bool c, auto a, auto b) { return c ? a : b; };

constexpr void selecting() {
  for_each_type(types<bool, std::int8_t, std::uint32_t, std::int64_t, float, double>{}, []<class T>(T) {
    const auto c = numbers<tensor<bool, 2, 1>>(1);
    const auto a = specials<tensor<T, 2, 5>>(0);
    const auto b = specials<tensor<T, 5>>(1);
    TFGRAPH_CHECK(same(tg::where(c, a, b), elementwise<tensor<T, 2, 5>>(choose, c, a, b)));
  });
}
TFGRAPH_BOTH(selecting);

TEST_CASE_TEMPLATE("selection in every lane", T, bool, std::uint8_t, std::int16_t, float, double) {
  using X = tensor<T, 2 * lanes<T> + 3>;
  const auto c = numbers<tensor<bool, 2 * lanes<T> + 3>>(1);
  for (std::size_t shift = 0; shift < special_values<T>().size(); ++shift) {
    const auto a = specials<X>(shift);
    const auto b = specials<X>(shift + 1);
    CHECK(same(tg::where(c, a, b), elementwise<X>(choose, c, a, b)));
  }
}

// ---- what kind of number ------------------------------------------------------------------------

template <class T>
constexpr T largest = std::numeric_limits<T>::max();
constexpr auto kinds = std::tuple(
    expectation{tg::isnan, [](auto x) { return x != x; }},
    expectation{tg::isinf, []<class T>(T x) { return x > largest<T> || x < -largest<T>; }},
    expectation{tg::isfinite, []<class T>(T x) { return x <= largest<T> && x >= -largest<T>; }});

constexpr void kinds_of_numbers() {
  for_each_type(floating_types{}, []<class T>(T) { check_operators(kinds, specials<tensor<T, 18>>(0)); });
}
TFGRAPH_BOTH(kinds_of_numbers);

TEST_CASE("kinds of numbers at every length") {
  check_lengths<float>(kinds, make_specials{});
  check_lengths<double>(kinds, make_specials{});
}

// ---- conversion ---------------------------------------------------------------------------------

// Integers wrap; floating point to integers saturates; NaN becomes 0; bool asks for != 0.
template <class To, class From>
constexpr To converted(From x) {
  if constexpr (std::is_same_v<To, bool>) return x != From(0);
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using limits = std::numeric_limits<To>;
    if (x != x) return 0;
    if (x >= static_cast<From>(std::ldexp(From(1), limits::digits))) return limits::max();
    if (x <= static_cast<From>(limits::min())) return limits::min();
    return static_cast<To>(x);
  } else return static_cast<To>(x);
}

template <class From, class... To>
void check_conversions(types<To...>) {
  constexpr std::size_t n = 2 * lanes<From> + 3;
  for (std::size_t shift = 0; shift < special_values<From>().size(); ++shift) {
    const auto x = specials<tensor<From, n>>(shift);
    const auto found = tg::function([](auto y) { return std::tuple(tg::astype<To>(y)...); })(x);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (..., TFGRAPH_CHECK(same(
                std::get<I>(found),
                elementwise<tensor<To, n>>([](From e) { return converted<To>(e); }, x))));
    }(std::index_sequence_for<To...>{});
  }
}

TEST_CASE_TEMPLATE("conversions", T, bool, std::int8_t, std::int32_t, std::int64_t, std::uint16_t,
                   std::uint64_t, float, double) {
  check_conversions<T>(types<bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t, float, double>{});
}

constexpr void converting_constants() {
  const tensor<float, 5> x{-1.75f, 300, 0, -0.5f, 1e10f};
  TFGRAPH_CHECK(tg::astype<std::uint8_t>(x) == tensor<std::uint8_t, 5>{0, 255, 0, 0, 255});
  TFGRAPH_CHECK(tg::astype<int>(x) == tensor<int, 5>{-1, 300, 0, 0, 2147483647});
  TFGRAPH_CHECK(tg::astype<bool>(x) == tensor<bool, 5>{true, true, false, true, true});
  TFGRAPH_CHECK(tg::astype<std::int8_t>(tensor<int, 2>{300, -200}) == tensor<std::int8_t, 2>{44, 56});
  TFGRAPH_CHECK(tg::astype<float>(tensor<bool, 2>{true, false}) == tensor<float, 2>{1, 0});
}
TFGRAPH_BOTH(converting_constants);

}  // namespace
