// Hyperbolic functions, their inverses, and what neural networks make of them.
// SPDX-License-Identifier: BSL-1.0
#include <support/math.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tfgraph::test;

// ---- types --------------------------------------------------------------------------------------

constexpr auto functions = std::tuple(
    FUNCTION(sinh, std::sinh(x), -50, 50), FUNCTION(cosh, std::cosh(x), -50, 50),
    FUNCTION(tanh, std::tanh(x), -100, 100), FUNCTION(asinh, std::asinh(x), -100, 100),
    FUNCTION(acosh, std::acosh(x), 1, 100), FUNCTION(atanh, std::atanh(x), -0.999, 0.999),
    FUNCTION(sigmoid, 1 / (1 + std::exp(-x)), -50, 50),
    FUNCTION(softplus, std::log1p(std::exp(x)), -50, 50));
static_assert(keep_type_and_shape(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
