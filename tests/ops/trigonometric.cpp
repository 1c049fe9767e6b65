// Trigonometric functions and their inverses.
// SPDX-License-Identifier: BSL-1.0
#include <support/math.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

// ---- types --------------------------------------------------------------------------------------

template <class F>
constexpr bool keeps_type_and_shape =
    is_tensor<decltype(F{}(tensor<float, 2, 3>{})), float, 2, 3> &&
    is_tensor<decltype(F{}(tensor<double, 3>{})), double, 3> &&
    std::is_same_v<decltype(F{}(1.0f)), float> && std::is_same_v<decltype(F{}(1.0)), double>;

#define FUNCTION(name, reference, low, high) \
  function_of { tg::name, [](long double x) -> long double { return reference; }, low, high }

constexpr auto functions = std::tuple(
    FUNCTION(sin, std::sin(x), -100, 100), FUNCTION(cos, std::cos(x), -100, 100),
    FUNCTION(tan, std::tan(x), -100, 100), FUNCTION(asin, std::asin(x), -1, 1),
    FUNCTION(acos, std::acos(x), -1, 1), FUNCTION(atan, std::atan(x), -100, 100));

template <class... Op, class... Reference>
constexpr bool all_keep(const std::tuple<function_of<Op, Reference>...>&) {
  return (keeps_type_and_shape<tg::elementwise_function<Op>> && ...);
}
static_assert(all_keep(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
