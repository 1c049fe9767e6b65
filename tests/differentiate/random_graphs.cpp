// Properties of derivatives of any graph: forward and reverse mode agree, and their cost is linear.
// SPDX-License-Identifier: BSL-1.0
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion"  // references are computed in wider types
#endif
#include <tfgraph/differentiate/forward.hpp>
#include <tfgraph/differentiate/reverse.hpp>
#include <tfgraph/graph/verify.hpp>
#include <tfgraph/optimize/pipeline.hpp>

#include <support/random_graph.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

namespace {

namespace tg = tfgraph;
using tg::graph;
using tg::node_id;
using tg::value;

std::vector<int> floating_inputs(const graph& g) {
  std::vector<int> numbers;
  for (std::size_t k = 0; k < g.input_list.size(); ++k)
    if (tg::is_floating(g.type(g.input_list[k]).type)) numbers.push_back(static_cast<int>(k));
  return numbers;
}

double number(const value& v, std::size_t i) {
  if (v.type.type == tg::dtype::float32) return double{tg::detail::from_bits<float>(v.elements[i])};
  return tg::detail::from_bits<double>(v.elements[i]);
}

// Away from the range's ends, so that most results are finite.
value tame(const tg::spec& type, std::mt19937_64& random) {
  value v{type, {}};
  std::uniform_real_distribution<double> any(0.2, 0.9);
  for (tg::index i = 0; i < type.shape.size(); ++i)
    v.elements.push_back(tg::detail::visit_dtype(type.type, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>)
        return tg::detail::to_bits(static_cast<T>(any(random)));
      else return tg::detail::to_bits(static_cast<T>(random() % 3));
    }));
  return v;
}

// <a, b>, and the sum of the absolute products, to compare with.
struct product {
  double sum = 0;
  double size = 0;
  void add(const value& a, const value& b) {
    for (std::size_t i = 0; i < a.elements.size(); ++i) {
      const double p = number(a, i) * number(b, i);
      sum += p;
      size += std::abs(p);
    }
  }
};

TEST_CASE("forward and reverse mode agree on random graphs") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    tg::test::graph_case c = tg::test::random_graph(seed).make();
    const std::vector<int> sources = floating_inputs(c.g);
    if (sources.empty()) continue;
    CAPTURE(seed);
    REQUIRE(tg::detail::derivative_objection(c.g.view(), sources, "jvp", true, false).empty());
    const graph reverse = tg::detail::with_pullback(c.g.view(), sources);
    const graph forward = tg::detail::with_pushforward(c.g.view(), sources);
    REQUIRE(tg::verify(reverse.view()).empty());
    REQUIRE(tg::verify(forward.view()).empty());

    std::mt19937_64 random(seed);
    std::vector<value> in;
    for (node_id i : c.g.input_list) in.push_back(tame(c.g.type(i), random));
    std::vector<value> in_reverse = in;
    std::vector<value> in_forward = in;
    for (node_id o : c.g.output_list) in_reverse.push_back(tame(c.g.type(o), random));
    for (int s : sources) in_forward.push_back(tame(c.g.type(c.g.input_list[s]), random));
    const std::vector<value> out_reverse = tg::evaluate(reverse.view(), in_reverse);
    const std::vector<value> out_forward = tg::evaluate(forward.view(), in_forward);

    const std::size_t outputs = c.g.output_list.size();
    product by_outputs;
    product by_inputs;
    for (std::size_t k = 0; k < outputs; ++k)
      if (tg::is_floating(out_forward[k].type.type))
        by_outputs.add(out_forward[outputs + k], in_reverse[in.size() + k]);
    for (std::size_t k = 0; k < sources.size(); ++k)
      by_inputs.add(out_reverse[outputs + k], in_forward[in.size() + k]);
    if (!std::isfinite(by_outputs.size) || !std::isfinite(by_inputs.size)) continue;
    const double size = std::max(by_outputs.size, by_inputs.size);
    if (size < 0.1) continue;  // what cancellation left of larger values
    ++compared;
    CHECK(std::abs(by_outputs.sum - by_inputs.sum) <= 1e-3 * size);
  }
  MESSAGE("compared " << compared);
  CHECK(compared > 400);
}

// What differentiation adds, after common subexpressions have become one.
TEST_CASE("the gradient of a random graph adds at most 6 times its nodes") {
  double worst = 0;
  std::uint64_t worst_seed = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    tg::test::graph_case c = tg::test::random_graph(seed).make();
    const std::vector<int> sources = floating_inputs(c.g);
    if (sources.empty()) continue;
    // The product of many elements has a tree as its derivative, and digamma a series.
    if (c.g.view().count("prod") > 0 || c.g.view().count("digamma") > 0 ||
        c.g.view().count("lgamma") > 0)
      continue;
    const int primal = c.g.size();
    const graph all = tg::optimized(tg::detail::with_pullback(c.g.view(), sources).view());
    const int cotangents = static_cast<int>(c.g.output_list.size());
    const double ratio = static_cast<double>(all.size() - primal - cotangents) / primal;
    if (ratio > worst) {
      worst = ratio;
      worst_seed = seed;
    }
  }
  CAPTURE(worst_seed);
  MESSAGE("worst ratio " << worst);
  CHECK(worst <= 6);
}

// t = t * t + t, n times.
graph chain(int n) {
  graph g;
  node_id t = g.add_input(tg::ops::id<tg::ops::input>, {tg::dtype::float64, {}});
  for (int i = 0; i < n; ++i) {
    const node_id squared[] = {t, t};
    const node_id sum[] = {tg::detail::emit(g, tg::ops::id<tg::ops::mul>, squared), t};
    t = tg::detail::emit(g, tg::ops::id<tg::ops::add>, sum);
  }
  g.output_list.push_back(t);
  return g;
}

TEST_CASE("shared values are visited once") {
  const int source[] = {0};
  for (int n : {60, 200}) {
    const graph g = chain(n);
    const graph gradient = tg::optimized(tg::detail::with_gradients(g.view(), source).view());
    CHECK(gradient.size() <= 6 * g.size());
    // The derivative is the product of 2 t + 1 over the values of t.
    if (n > 60) continue;
    const std::vector<value> in{{{tg::dtype::float64, {}}, {tg::detail::to_bits(1e-3)}}};
    double t = 1e-3;
    double expected = 1;
    for (int i = 0; i < n; ++i) {
      expected *= 2 * t + 1;
      t = t * t + t;
    }
    CHECK(number(tg::evaluate(gradient.view(), in)[1], 0) ==
          doctest::Approx(expected).epsilon(1e-12));
  }
}

}  // namespace
