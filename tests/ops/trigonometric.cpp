// Trigonometric functions and their inverses.
// SPDX-License-Identifier: BSL-1.0
#include <support/math.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tfgraph::test;

// ---- types --------------------------------------------------------------------------------------

constexpr auto functions =
    std::tuple(FUNCTION(sin, std::sin(x), -100, 100), FUNCTION(cos, std::cos(x), -100, 100),
               FUNCTION(tan, std::tan(x), -100, 100), FUNCTION(asin, std::asin(x), -1, 1),
               FUNCTION(acos, std::acos(x), -1, 1), FUNCTION(atan, std::atan(x), -100, 100));
static_assert(keep_type_and_shape(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
