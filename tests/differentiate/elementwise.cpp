// The derivative of every elementwise operator, first and second, against central differences in
// long double of functions of the C++ library.
// SPDX-License-Identifier: BSL-1.0
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion"  // references are computed in wider types
#endif
#include <tfgraph/differentiate/forward.hpp>
#include <tfgraph/differentiate/reverse.hpp>
#include <tfgraph/graph/evaluate.hpp>

#include <boost/hana/for_each.hpp>
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

namespace tg = tfgraph;
namespace ops = tg::ops;
using real = long double;

struct unary_case {
  const tg::operation* op;
  real (*f)(real);
  std::vector<double> points;
  tg::index attribute = 0;
};

const std::vector<double> all{-2.5, -0.75, 0.3, 1.25, 3.5};
const std::vector<double> positive{0.2, 0.75, 1.25, 4.5};
const std::vector<double> inside{-0.85, -0.3, 0.1, 0.6};

real digamma(real x) {  // by recurrence and the asymptotic series
  real shift = 0;
  for (; x < 40; x += 1) shift -= 1 / x;
  const real w = 1 / (x * x);
  return shift + std::log(x) - 1 / (2 * x) -
         w * (1 / 12.0L - w * (1 / 120.0L - w * (1 / 252.0L - w / 240.0L)));
}

const std::vector<unary_case> unary{
    {ops::id<ops::neg>, [](real x) { return -x; }, all},
    {ops::id<ops::abs>, [](real x) { return std::fabs(x); }, all},
    {ops::id<ops::square>, [](real x) { return x * x; }, all},
    {ops::id<ops::reciprocal>, [](real x) { return 1 / x; }, all},
    {ops::id<ops::sqrt>, [](real x) { return std::sqrt(x); }, positive},
    {ops::id<ops::rsqrt>, [](real x) { return 1 / std::sqrt(x); }, positive},
    {ops::id<ops::cbrt>, [](real x) { return std::cbrt(x); }, all},
    {ops::id<ops::exp>, [](real x) { return std::exp(x); }, all},
    {ops::id<ops::exp2>, [](real x) { return std::exp2(x); }, all},
    {ops::id<ops::expm1>, [](real x) { return std::expm1(x); }, all},
    {ops::id<ops::log>, [](real x) { return std::log(x); }, positive},
    {ops::id<ops::log2>, [](real x) { return std::log2(x); }, positive},
    {ops::id<ops::log10>, [](real x) { return std::log10(x); }, positive},
    {ops::id<ops::log1p>, [](real x) { return std::log1p(x); }, positive},
    {ops::id<ops::sin>, [](real x) { return std::sin(x); }, all},
    {ops::id<ops::cos>, [](real x) { return std::cos(x); }, all},
    {ops::id<ops::tan>, [](real x) { return std::tan(x); }, all},
    {ops::id<ops::asin>, [](real x) { return std::asin(x); }, inside},
    {ops::id<ops::acos>, [](real x) { return std::acos(x); }, inside},
    {ops::id<ops::atan>, [](real x) { return std::atan(x); }, all},
    {ops::id<ops::sinh>, [](real x) { return std::sinh(x); }, all},
    {ops::id<ops::cosh>, [](real x) { return std::cosh(x); }, all},
    {ops::id<ops::tanh>, [](real x) { return std::tanh(x); }, inside},
    {ops::id<ops::asinh>, [](real x) { return std::asinh(x); }, all},
    {ops::id<ops::acosh>, [](real x) { return std::acosh(x); }, {1.25, 2.5, 8}},
    {ops::id<ops::atanh>, [](real x) { return std::atanh(x); }, inside},
    {ops::id<ops::erf>, [](real x) { return std::erf(x); }, inside},
    {ops::id<ops::erfc>, [](real x) { return std::erfc(x); }, inside},
    {ops::id<ops::lgamma>, [](real x) { return std::lgamma(x); }, {-1.5, 0.3, 2.25, 7.5}},
    {ops::id<ops::tgamma>, [](real x) { return std::tgamma(x); }, {-1.5, 0.3, 2.25, 4.5}},
    {ops::id<ops::digamma>, digamma, {0.3, 1.75, 2.25, 9.5}},
    {ops::id<ops::sigmoid>, [](real x) { return 1 / (1 + std::exp(-x)); }, all},
    {ops::id<ops::softplus>, [](real x) { return std::log1p(std::exp(x)); }, all},
    {ops::id<ops::floor>, [](real x) { return std::floor(x); }, all},
    {ops::id<ops::ceil>, [](real x) { return std::ceil(x); }, all},
    {ops::id<ops::trunc>, [](real x) { return std::trunc(x); }, all},
    {ops::id<ops::round>, [](real x) { return std::nearbyint(x); }, {-2.25, 0.3, 1.2}},
    {ops::id<ops::sign>, [](real x) { return x > 0 ? 1.0L : -1.0L; }, all},
    {ops::id<ops::integer_power>, [](real) { return 1.0L; }, all, 0},
    {ops::id<ops::integer_power>, [](real x) { return x; }, all, 1},
    {ops::id<ops::integer_power>, [](real x) { return x * x * x; }, all, 3},
    {ops::id<ops::integer_power>, [](real x) { return 1 / (x * x); }, all, -2},
};

struct binary_case {
  const tg::operation* op;
  real (*f)(real, real);
  std::vector<std::pair<double, double>> points;
};

const std::vector<std::pair<double, double>> pairs{{-2.5, 0.75}, {0.3, -1.25}, {1.5, 2.25}};
const std::vector<binary_case> binary{
    {ops::id<ops::add>, [](real a, real b) { return a + b; }, pairs},
    {ops::id<ops::sub>, [](real a, real b) { return a - b; }, pairs},
    {ops::id<ops::mul>, [](real a, real b) { return a * b; }, pairs},
    {ops::id<ops::div>, [](real a, real b) { return a / b; }, pairs},
    {ops::id<ops::floor_div>, [](real a, real b) { return std::floor(a / b); }, pairs},
    {ops::id<ops::maximum>, [](real a, real b) { return a > b ? a : b; }, pairs},
    {ops::id<ops::minimum>, [](real a, real b) { return a < b ? a : b; }, pairs},
    {ops::id<ops::hypot>, [](real a, real b) { return std::hypot(a, b); }, pairs},
    {ops::id<ops::atan2>, [](real a, real b) { return std::atan2(a, b); }, pairs},
    {ops::id<ops::pow>, [](real a, real b) { return std::pow(a, b); }, {{0.3, -1.25}, {1.5, 2.25}}},
};

// Of fourth order.
real difference(auto f, real x) {
  const real h = 5e-4L * std::fabs(x);
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}
real second_difference(auto f, real x) {
  const real h = 1e-3L * std::fabs(x);
  return (16 * (f(x + h) + f(x - h)) - (f(x + 2 * h) + f(x - 2 * h)) - 30 * f(x)) / (12 * h * h);
}

template <class T>
tg::value scalar(double x) {
  return {{tg::dtype_of<T>, {}}, {tg::detail::to_bits(static_cast<T>(x))}};
}
template <class T>
double result(const tg::graph& g, const std::vector<tg::value>& in, std::size_t k) {
  return static_cast<double>(tg::detail::from_bits<T>(tg::evaluate(g.view(), in)[k].elements[0]));
}

template <class T>
tg::graph graph_of(const tg::operation* op, int operands, tg::index attribute) {
  tg::graph g;
  std::vector<tg::node_id> in;
  for (int k = 0; k < operands; ++k)
    in.push_back(g.add_input(ops::id<ops::input>, {tg::dtype_of<T>, {}}));
  const tg::index attributes[] = {attribute};
  const bool takes = op->name == "integer_power";
  g.output_list.push_back(tg::detail::emit(g, op, in, std::span(attributes, takes ? 1u : 0u)));
  return g;
}

// The k-th derivative graph has the results of the graph before it, and then the gradient.
tg::graph gradient_of_last(const tg::graph& g, int source) {
  tg::graph only = g;
  only.output_list.clear();
  only.output_list.push_back(g.output_list[g.output_list.size() - 1]);
  const int sources[] = {source};
  return tg::detail::with_gradients(only.view(), sources);
}

template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-10;

bool close(double found, real expected, double tolerance) {
  return std::abs(static_cast<real>(found) - expected) <= tolerance * (1 + std::fabs(expected));
}

template <class T, class F>
void check(const tg::graph& g, const std::vector<tg::value>& in, int k, double at, F f) {
  const tg::graph first = gradient_of_last(g, k);
  CHECK(close(result<T>(first, in, 1), difference(f, static_cast<T>(at)), tolerance<T>));
  const tg::graph second = gradient_of_last(first, k);
  CHECK(close(result<T>(second, in, 1), second_difference(f, static_cast<T>(at)),
              std::is_same_v<T, float> ? 2e-4 : 1e-8));
  const int sources[] = {k};
  const tg::graph forward = tg::detail::with_pushforward(g.view(), sources);
  std::vector<tg::value> with_tangent = in;
  with_tangent.push_back(scalar<T>(1));
  CHECK(
      close(result<T>(forward, with_tangent, 1), difference(f, static_cast<T>(at)), tolerance<T>));
}

template <class T>
void check_all() {
  for (const unary_case& c : unary)
    for (double x : c.points) {
      const std::string name(c.op->name);
      CAPTURE(name);
      CAPTURE(x);
      check<T>(graph_of<T>(c.op, 1, c.attribute), {scalar<T>(x)}, 0, x, c.f);
    }
  for (const binary_case& c : binary)
    for (auto [a, b] : c.points) {
      const std::string name(c.op->name);
      CAPTURE(name);
      CAPTURE(a);
      CAPTURE(b);
      const tg::graph g = graph_of<T>(c.op, 2, 0);
      const real x = static_cast<T>(a);
      const real y = static_cast<T>(b);
      check<T>(g, {scalar<T>(a), scalar<T>(b)}, 0, a, [&](real t) { return c.f(t, y); });
      check<T>(g, {scalar<T>(a), scalar<T>(b)}, 1, b, [&](real t) { return c.f(x, t); });
    }
}

TEST_CASE("derivatives of elementwise operators, double") { check_all<double>(); }
TEST_CASE("derivatives of elementwise operators, float") { check_all<float>(); }

TEST_CASE("every elementwise operator of floating-point results has a derivative") {
  int missing = 0;
  boost::hana::for_each(tg::all_operators, [&](auto type) {
    using Op = typename decltype(type)::type;
    const tg::operation& op = *ops::id<Op>;
    // What only the optimiser and dynamic extents introduce is never differentiated.
    constexpr bool as_written =
        !std::is_same_v<Op, ops::multiply_add> && !std::is_same_v<Op, ops::full_like>;
    if constexpr (Op::kind == tg::operation_kind::elementwise && as_written)
      if (ops::contains(Op::operands, tg::dtype::float64) && !Op::predicate && !op.flat &&
          (!op.vjp || !op.jvp))
        ++missing;
  });
  CHECK(missing == 0);
}

TEST_CASE("clip: the derivative goes to the operand that is the result") {
  tg::graph g;
  std::vector<tg::node_id> in;
  for (int k = 0; k < 3; ++k)
    in.push_back(g.add_input(ops::id<ops::input>, {tg::dtype::float64, {}}));
  g.output_list.push_back(tg::detail::emit(g, ops::id<ops::clip>, in));
  const double points[][3] = {{0.5, 0, 1}, {-0.5, 0, 1}, {1.5, 0, 1}, {0.5, 2, 1}};
  const int receives[] = {0, 1, 2, 2};
  for (std::size_t i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) {
      const tg::graph d = gradient_of_last(g, k);
      const std::vector<tg::value> x{scalar<double>(points[i][0]), scalar<double>(points[i][1]),
                                     scalar<double>(points[i][2])};
      CHECK(result<double>(d, x, 1) == (receives[i] == k ? 1 : 0));
    }
}

}  // namespace
