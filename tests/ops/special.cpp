// The error function, the gamma function, and rounding.
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
    FUNCTION(erf, std::erf(x), -10, 10), FUNCTION(erfc, std::erfc(x), -10, 5),
    FUNCTION(lgamma, std::lgamma(x), 0.01, 100), FUNCTION(tgamma, std::tgamma(x), 0.01, 20),
    FUNCTION(floor, std::floor(x), -100, 100), FUNCTION(ceil, std::ceil(x), -100, 100),
    FUNCTION(trunc, std::trunc(x), -100, 100), FUNCTION(round, std::nearbyint(x), -100, 100));
static_assert(keeps_type_and_shape<std::remove_const_t<decltype(tg::digamma)>>);

template <class... Op, class... Reference>
constexpr bool all_keep(const std::tuple<function_of<Op, Reference>...>&) {
  return (keeps_type_and_shape<tg::elementwise_function<Op>> && ...);
}
static_assert(all_keep(functions));

// ---- behaviour ----------------------------------------------------------------------------------

TEST_CASE("float") { check_functions<float>(functions); }
TEST_CASE("double") { check_functions<double>(functions); }

}  // namespace
