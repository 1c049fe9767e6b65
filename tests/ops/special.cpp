// The error function, the gamma function, and rounding.
// SPDX-License-Identifier: BSL-1.0
#include <support/math.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;

// ---- types --------------------------------------------------------------------------------------

constexpr auto functions = std::tuple(
    FUNCTION(erf, std::erf(x), -10, 10), FUNCTION(erfc, std::erfc(x), -10, 5),
    FUNCTION(lgamma, std::lgamma(x), 0.01, 100), FUNCTION(tgamma, std::tgamma(x), 0.01, 20),
    FUNCTION(floor, std::floor(x), -100, 100), FUNCTION(ceil, std::ceil(x), -100, 100),
    FUNCTION(trunc, std::trunc(x), -100, 100), FUNCTION(round, std::nearbyint(x), -100, 100));
static_assert(keeps_type_and_shape<std::remove_const_t<decltype(tg::digamma)>>);
static_assert(keep_type_and_shape(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
