// Hyperbolic functions, their inverses, and what neural networks make of them.
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
    FUNCTION(sinh, std::sinh(x), -50, 50), FUNCTION(cosh, std::cosh(x), -50, 50),
    FUNCTION(tanh, std::tanh(x), -100, 100), FUNCTION(asinh, std::asinh(x), -100, 100),
    FUNCTION(acosh, std::acosh(x), 1, 100), FUNCTION(atanh, std::atanh(x), -0.999, 0.999),
    FUNCTION(sigmoid, 1 / (1 + std::exp(-x)), -50, 50),
    FUNCTION(softplus, std::log1p(std::exp(x)), -50, 50));

template <class... Op, class... Reference>
constexpr bool all_keep(const std::tuple<function_of<Op, Reference>...>&) {
  return (keeps_type_and_shape<tg::elementwise_function<Op>> && ...);
}
static_assert(all_keep(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
