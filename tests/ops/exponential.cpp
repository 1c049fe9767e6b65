// Powers, exponentials and logarithms.
// SPDX-License-Identifier: BSL-1.0
#include <support/math.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tfgraph::test;

// ---- types --------------------------------------------------------------------------------------

constexpr auto functions =
    std::tuple(FUNCTION(sqrt, std::sqrt(x), 0, 1e3), FUNCTION(rsqrt, 1 / std::sqrt(x), 1e-6, 1e3),
               FUNCTION(cbrt, std::cbrt(x), -1e3, 1e3), FUNCTION(exp, std::exp(x), -50, 50),
               FUNCTION(exp2, std::exp2(x), -50, 50), FUNCTION(expm1, std::expm1(x), -50, 50),
               FUNCTION(log, std::log(x), 1e-6, 1e3), FUNCTION(log2, std::log2(x), 1e-6, 1e3),
               FUNCTION(log10, std::log10(x), 1e-6, 1e3),
               FUNCTION(log1p, std::log1p(x), -0.99, 1e3), FUNCTION(reciprocal, 1 / x, 1e-6, 1e3));
static_assert(keep_type_and_shape(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
