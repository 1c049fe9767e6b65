// Strict mode leaves alone what is not exact, and each licence allows just what it says.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

namespace tg = tfgraph;
namespace numerics = tg::numerics;
using tg::tensor;

using row = tensor<float, 8>;

/// How many nodes of an operator are left of a function of one row.
template <tg::options O = tg::strict_options, class F>
constexpr int left(F f, const char* op) {
  return decltype(tg::function<O>(f))::template graph<row>().count(op);
}
template <tg::options O = tg::strict_options, class F>
constexpr int left_of_two(F f, const char* op) {
  return decltype(tg::function<O>(f))::template graph<row, row>().count(op);
}

// ---- what stays as written, and what would be wrong with it
// ------------------------------------------

constexpr auto times_zero = [](auto x) { return x * 0; };
constexpr auto minus_itself = [](auto x) { return x - x; };
constexpr auto over_itself = [](auto x) { return x / x; };
constexpr auto not_below = [](auto x, auto y) { return !(x < y); };
constexpr auto twice_inverted = [](auto x) { return 1 / (1 / x); };
constexpr auto exponentials = [](auto x, auto y) { return tg::exp(x) * tg::exp(y); };
constexpr auto log_of_power = [](auto x) { return tg::log(tg::pow(x, x)); };
constexpr auto root_of_square = [](auto x) { return tg::sqrt(tg::square(x)); };
constexpr auto there_and_back = [](auto x) { return (x + 3) - 3; };
constexpr auto zero_minus = [](auto x) { return 0 - x; };
constexpr auto plus_zero = [](auto x) { return x + 0; };
constexpr auto cross = [](auto a, auto b) { return a * b - b * a; };
constexpr auto largest_root = [](auto x) { return tg::max(tg::sqrt(x)); };
constexpr auto saturated = [](auto x) { return tg::argmax(tg::tanh(x)); };

static_assert(left(times_zero, "mul") == 1);
static_assert(left(minus_itself, "sub") == 1);
static_assert(left(over_itself, "div") == 1);
static_assert(left_of_two(not_below, "not") == 1);
static_assert(left(twice_inverted, "reciprocal") == 2);
static_assert(left_of_two(exponentials, "exp") == 2);
static_assert(left(log_of_power, "log") == 1 && left(log_of_power, "pow") == 1);
static_assert(left(root_of_square, "sqrt") == 1);
static_assert(left(there_and_back, "add") == 1 && left(there_and_back, "sub") == 1);
static_assert(left(zero_minus, "sub") == 1);
static_assert(left(plus_zero, "add") == 1);
static_assert(left(largest_root, "sqrt") == 1);
static_assert(left(saturated, "tanh") == 1);

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float most = std::numeric_limits<float>::max();

row filled(float v) {
  row r;
  r.fill(v);
  return r;
}

TEST_CASE("strict mode keeps what is not exact") {
  CHECK(std::isnan(tg::function(times_zero)(filled(inf))(3)));
  CHECK(std::signbit(tg::function(times_zero)(filled(-1))(3)));
  CHECK(std::isnan(tg::function(minus_itself)(filled(inf))(0)));
  CHECK(std::isnan(tg::function(over_itself)(filled(0))(0)));
  CHECK(tg::function(not_below)(filled(nan), filled(1))(0));
  CHECK(std::isinf(tg::function(twice_inverted)(filled(1e-45f))(0)) == false);
  CHECK(tg::function(twice_inverted)(filled(1e-45f))(0) == 0);
  CHECK(tg::function(exponentials)(filled(100), filled(-100))(0) ==
        std::numeric_limits<float>::infinity());
  CHECK(std::isnan(tg::function(log_of_power)(filled(-1.5f))(0)));
  CHECK(std::isinf(tg::function(root_of_square)(filled(most))(0)));
  CHECK(tg::function(there_and_back)(filled(1e-9f))(0) == 0);
  CHECK(!std::signbit(tg::function(zero_minus)(filled(0.0f))(0)));
  CHECK(!std::signbit(tg::function(plus_zero)(filled(-0.0f))(0)));
  CHECK(tg::function(cross)(filled(1.1f), filled(3.3f))(0) == 0);
  CHECK(std::isnan(tg::function(largest_root)(row{4, -1, 1, 1, 1, 1, 1, 1})));
  CHECK(tg::function(saturated)(row{1, 50, 60, 2, 3, 4, 5, 6}) == 1);  // the first of the ones
}

// ---- each licence
// -------------------------------------------------------------------------------------

constexpr tg::options no_nans(numerics::no_nans);
constexpr tg::options zeros(numerics::no_signed_zeros);
constexpr tg::options reassociate(numerics::reassociate);
constexpr tg::options reciprocal(numerics::reciprocal);
constexpr tg::options contract(numerics::contract);
constexpr tg::options improve(numerics::improve);

static_assert(left<no_nans>(minus_itself, "sub") == 0);
static_assert(left<no_nans>(over_itself, "div") == 0);
static_assert(left<no_nans>(times_zero, "mul") == 1);  // the sign of zero
static_assert(left < numerics::no_nans | numerics::no_signed_zeros > (times_zero, "mul") == 0);
static_assert(left_of_two<no_nans>(not_below, "not") == 0);
static_assert(left<zeros>(plus_zero, "add") == 0);
static_assert(left<zeros>(zero_minus, "neg") == 1);
static_assert(left<zeros>(minus_itself, "sub") == 1);
static_assert(left<reassociate>(there_and_back, "sub") == 0);
static_assert(left<reassociate>(root_of_square, "abs") == 1);
static_assert(left<reassociate>(minus_itself, "sub") == 1);
static_assert(left<reassociate>([](auto x) { return x / 3; }, "div") == 1);
static_assert(left<reciprocal>([](auto x) { return x / 3; }, "div") == 0);
static_assert(left([](auto x) { return x / 3; }, "div") == 1);
static_assert(left([](auto x) { return x / 4; }, "div") == 0);  // exact
static_assert(left<reciprocal>(there_and_back, "sub") == 1);
static_assert(left_of_two<contract>(cross, "multiply_add") == 0);  // both products are one node
static_assert(left_of_two<contract>([](auto a, auto b) { return a * b + 1; }, "multiply_add") == 1);
static_assert(left_of_two([](auto a, auto b) { return a * b + 1; }, "multiply_add") == 0);
static_assert(left<improve>([](auto x) { return tg::log(1 + x); }, "log1p") == 1);
static_assert(left([](auto x) { return tg::log(1 + x); }, "log1p") == 0);
static_assert(left<improve>([](auto x) { return tg::exp(x) - 1; }, "expm1") == 1);
static_assert(left<improve>([](auto x) { return tg::log(1 + tg::exp(x)); }, "softplus") == 1);
static_assert(left<improve>([](auto x) { return 1 / (1 + tg::exp(-x)); }, "sigmoid") == 1);
static_assert(left<improve>([](auto x) { return tg::log(tg::softmax(x)); }, "div") == 0);
static_assert(left<improve>([](auto x) { return tg::log(tg::sum(tg::exp(x))); }, "max") == 1);
static_assert(left<numerics::fast>(there_and_back, "input") == 1);

TEST_CASE("improved formulas are finite where those written are not") {
  const auto written = [](auto x) { return tg::log(tg::sum(tg::exp(x))); };
  CHECK(std::isinf(tg::function(written)(filled(100))));
  CHECK(tg::function<numerics::improve>(written)(filled(100)) ==
        doctest::Approx(100 + std::log(8.0)));
  const auto softmax = [](auto x) { return tg::log(tg::softmax(x)); };
  const row far{0, -200, 0, 0, 0, 0, 0, 0};
  CHECK(std::isinf(tg::function(softmax)(far)(1)));
  CHECK(tg::function<numerics::improve>(softmax)(far)(1) == doctest::Approx(-200 - std::log(7.0)));
}

TEST_CASE("a contracted product is rounded once") {
  const auto f = [](auto a, auto b, auto c) { return a * b + c; };
  const float a = 1.1f;
  const float b = 3.3f;
  const row found = tg::function<numerics::contract>(f)(filled(a), filled(b), filled(-a * b));
  for (float v : found) CHECK(v == std::fma(a, b, -(a * b)));
  CHECK(tg::function<numerics::contract>(f)(a, b, -(a * b)) == std::fma(a, b, -(a * b)));
  static_assert(tg::function<numerics::contract>(f)(2.0f, 3.0f, 4.0f) == 10);
}

// ---- rules by name, and rules of a program
// ------------------------------------------------------------

constexpr auto twice_negated = [](auto x) { return -(-x); };
static_assert(left(twice_negated, "neg") == 0);
static_assert(left<tg::strict_options.without("double_negation")>(twice_negated, "neg") == 2);

inline constexpr tg::optimize::rule own_rules[] = {
    {.name = "pythagoras",
     .from = "add(mul(sin(x), sin(x)), mul(cos(x), cos(x)))",
     .to = "1",
     .needs = numerics::reassociate},
};
constexpr auto sine_and_cosine = [](auto x) {
  return tg::square(tg::sin(x)) + tg::square(tg::cos(x));
};
static_assert(left(sine_and_cosine, "sin") == 1);
static_assert(left<reassociate>(sine_and_cosine, "sin") == 1);
static_assert(left<reassociate.with(tg::optimize::rules<own_rules>)>(sine_and_cosine, "sin") == 0);

// ---- explanations
// -------------------------------------------------------------------------------------

constexpr auto explained = tg::function(twice_negated).explain<row>();
static_assert(explained.count("double_negation") == 1);
static_assert(explained.before.nodes == 3 && explained.after.nodes == 1);
static_assert(explained.before.operations == 16 && explained.before.bytes == 128);

TEST_CASE("explanations as text") {
  CHECK(to_string(explained) ==
        "1 x double_negation\nnodes: 3 -> 1\noperations: 16 -> 0\nbytes: 128 -> 0\n");
}

// ---- integers are modular
// -----------------------------------------------------------------------------

using whole = tensor<int, 3, 3>;
constexpr auto from_unit = tg::function([](auto x) {
  auto p = tg::matmul(tg::eye<int>(tg::shape<3, 3>{}), x);
  for (int i = 1; i < 100; ++i) p = tg::matmul(p, x);
  return p;
});
static_assert(from_unit.graph<whole>().count("matmul") == 8);
static_assert(from_unit.graph<whole>().count("eye") == 0);

constexpr auto hundred = tg::function([](auto x) {
  auto p = x;
  for (int i = 1; i < 100; ++i) p = tg::matmul(p, x);
  return p;
});
static_assert(hundred.graph<whole>().count("matmul") == 8);
static_assert(hundred.graph<tensor<float, 3, 3>>().count("matmul") == 99);

TEST_CASE("powers of an integer matrix") {
  const whole x{{1, 2, 0}, {3, -1, 1}, {5, 4, 2}};
  unsigned p[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int n = 0; n < 100; ++n) {
    unsigned q[3][3] = {};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) q[i][j] += p[i][k] * static_cast<unsigned>(x(k, j));
    std::copy(&q[0][0], &q[0][0] + 9, &p[0][0]);
  }
  const whole found = hundred(x);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK(found(i, j) == static_cast<int>(p[i][j]));
}

// A @ B @ v: two products with a vector instead of one of matrices.
constexpr auto matrices_and_vector = [](auto a, auto b, auto v) {
  return tg::matmul(tg::matmul(a, b), v);
};
using square_matrix = tensor<float, 50, 50>;
using column = tensor<float, 50>;
static_assert(tg::function(matrices_and_vector)
                  .explain<square_matrix, square_matrix, column>()
                  .after.operations == 2.0 * 50 * 50 * 50 + 2 * 50 * 50);
static_assert(tg::function<numerics::reassociate>(matrices_and_vector)
                  .explain<square_matrix, square_matrix, column>()
                  .after.operations == 2.0 * (2 * 50 * 50));

}  // namespace
