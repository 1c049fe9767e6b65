// Derivatives of random graphs, first and second, against central differences of the same graph
// evaluated by plain loops in long double.
// SPDX-License-Identifier: BSL-1.0
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wdouble-promotion"  // references are computed in wider types
#endif
#include <tfgraph/differentiate/forward.hpp>
#include <tfgraph/differentiate/reverse.hpp>

#include <support/random_graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace {

namespace tg = tfgraph;
namespace ops = tg::ops;
using real = long double;
using tg::graph;
using tg::graph_view;
using tg::index;
using tg::node_id;
using tg::value;
using numbers = std::vector<real>;

// ---- a graph in long double --------------------------------------------------------------------

const std::map<std::string_view, real (*)(const real*)> functions{
    {"add", [](const real* x) { return x[0] + x[1]; }},
    {"sub", [](const real* x) { return x[0] - x[1]; }},
    {"mul", [](const real* x) { return x[0] * x[1]; }},
    {"div", [](const real* x) { return x[0] / x[1]; }},
    {"neg", [](const real* x) { return -x[0]; }},
    {"abs", [](const real* x) { return std::fabs(x[0]); }},
    {"square", [](const real* x) { return x[0] * x[0]; }},
    {"reciprocal", [](const real* x) { return 1 / x[0]; }},
    {"maximum", [](const real* x) { return std::max(x[0], x[1]); }},
    {"minimum", [](const real* x) { return std::min(x[0], x[1]); }},
    {"clip", [](const real* x) { return std::min(std::max(x[0], x[1]), x[2]); }},
    {"pow", [](const real* x) { return std::pow(x[0], x[1]); }},
    {"hypot", [](const real* x) { return std::hypot(x[0], x[1]); }},
    {"atan2", [](const real* x) { return std::atan2(x[0], x[1]); }},
    {"where", [](const real* x) { return x[0] != 0 ? x[1] : x[2]; }},
    {"cast", [](const real* x) { return x[0]; }},
    {"sign", [](const real* x) { return real((x[0] > 0) - (x[0] < 0)); }},
    {"sqrt", [](const real* x) { return std::sqrt(x[0]); }},
    {"rsqrt", [](const real* x) { return 1 / std::sqrt(x[0]); }},
    {"cbrt", [](const real* x) { return std::cbrt(x[0]); }},
    {"exp", [](const real* x) { return std::exp(x[0]); }},
    {"expm1", [](const real* x) { return std::expm1(x[0]); }},
    {"log", [](const real* x) { return std::log(x[0]); }},
    {"log1p", [](const real* x) { return std::log1p(x[0]); }},
    {"sin", [](const real* x) { return std::sin(x[0]); }},
    {"cos", [](const real* x) { return std::cos(x[0]); }},
    {"tanh", [](const real* x) { return std::tanh(x[0]); }},
    {"sinh", [](const real* x) { return std::sinh(x[0]); }},
    {"cosh", [](const real* x) { return std::cosh(x[0]); }},
    {"sigmoid", [](const real* x) { return 1 / (1 + std::exp(-x[0])); }},
    {"softplus", [](const real* x) { return std::log1p(std::exp(x[0])); }}};

std::size_t at(index i) { return static_cast<std::size_t>(i); }

value with_bits(const tg::spec& type, const numbers& x) {
  value v{type, {}};
  for (real e : x)
    v.elements.push_back(tg::detail::visit_dtype(
        type.type, [&]<class T>(T) { return tg::detail::to_bits(static_cast<T>(e)); }));
  return v;
}
numbers without_bits(const value& v) {
  numbers x;
  for (tg::element_bits b : v.elements)
    x.push_back(tg::detail::visit_dtype(
        v.type.type, [&]<class T>(T) { return static_cast<real>(tg::detail::from_bits<T>(b)); }));
  return x;
}

class in_long_double {
 public:
  explicit in_long_double(const graph_view& g) : g_(g) {}

  // The values of the outputs; false if the graph has an operator that is not known here.
  bool run(const std::vector<numbers>& inputs, std::vector<numbers>& outputs) {
    x_.assign(g_.nodes.size(), {});
    std::size_t next = 0;
    for (node_id id = 0; id < g_.size(); ++id) {
      if (g_[id].op->kind == tg::operation_kind::input) x_[at(id)] = inputs[next++];
      else if (!compute(id)) return false;
    }
    outputs.clear();
    for (node_id o : g_.outputs()) outputs.push_back(x_[at(o)]);
    return true;
  }

 private:
  using kind = tg::operation_kind;

  bool compute(node_id id) {
    const auto op = g_[id].op;
    numbers& y = x_[at(id)];
    if (g_[id].operand_count == 0 || !tg::is_floating(g_.type(id).type) || ops::is<ops::sign>(op))
      y = exactly(id);
    else if (op->kind == kind::elementwise) return elementwise(id, y);
    else if (op->kind == kind::movement || op->kind == kind::concatenation ||
             ops::is<ops::take>(op))
      y = selected(id);
    else if (op->kind == kind::reduction) reduce(id, y);
    else if (op->kind == kind::contraction) multiply(id, y);
    else if (ops::is<ops::scatter_add>(op)) scatter(id, y);
    else if (ops::is<ops::cumulative_sum>(op)) accumulate(id, y);
    else return false;
    return true;
  }

  const numbers& operand(node_id id, int k) const { return x_[at(g_.operand(id, k))]; }
  const tg::extents& shape(node_id id) const { return g_.type(id).shape; }

  value evaluated(node_id id, const std::vector<value>& operands) const {
    std::vector<const value*> pointers;
    for (const value& v : operands) pointers.push_back(&v);
    tg::spec type = g_.type(id);
    if (!operands.empty() && g_[id].op->kind != kind::elementwise &&
        g_[id].op->kind != kind::reduction)
      type.type = operands.back().type.type;
    return tg::evaluate(*g_[id].op, type, g_.attributes(id), pointers, g_.pool);
  }
  // What has no derivative.
  numbers exactly(node_id id) const {
    std::vector<value> operands;
    for (node_id o : g_.operands(id)) operands.push_back(with_bits(g_.type(o), x_[at(o)]));
    return without_bits(evaluated(id, operands));
  }
  // Operators that select elements are given the numbers of elements to select.
  numbers selected(node_id id) const {
    std::vector<value> operands;
    numbers all;
    for (node_id o : g_.operands(id)) {
      if (ops::is<ops::take>(g_[id].op) && operands.empty()) {
        operands.push_back(with_bits(g_.type(o), x_[at(o)]));
        continue;
      }
      value positions{{tg::dtype::int64, shape(o)}, {}};
      for (real e : x_[at(o)]) {
        positions.elements.push_back(all.size());
        all.push_back(e);
      }
      operands.push_back(positions);
    }
    numbers y;
    for (real position : without_bits(evaluated(id, operands)))
      y.push_back(all[static_cast<std::size_t>(position)]);
    return y;
  }

  bool elementwise(node_id id, numbers& y) const {
    const std::string_view name = g_[id].op->name;
    const auto f = functions.find(name);
    if (f == functions.end() && name != "integer_power") return false;
    std::vector<tg::detail::cursor> where;
    for (node_id o : g_.operands(id))
      where.emplace_back(tg::layout::contiguous(shape(o)).broadcast_to(shape(id)));
    for (index i = 0; i < shape(id).size(); ++i) {
      real x[3] = {};
      for (std::size_t k = 0; k < where.size(); ++k) {
        x[k] = operand(id, static_cast<int>(k))[where[k].offset()];
        where[k].next();
      }
      y.push_back(f != functions.end() ? f->second(x)
                                       : std::pow(x[0], static_cast<real>(g_.attributes(id)[0])));
    }
    return true;
  }

  void reduce(node_id id, numbers& y) const {
    const tg::extents& e = shape(g_.operand(id, 0));
    const ops::reduced_axes axes(g_.attributes(id), e.rank);
    const std::string_view name = g_[id].op->name;
    std::vector<char> seen(at(shape(id).size()), 0);
    y.assign(seen.size(), name == "prod" ? 1 : 0);
    for (index i = 0; i < e.size(); ++i) {
      index rest = i;
      index to = 0;
      index step = 1;
      for (int a = e.rank - 1; a >= 0; --a) {
        if (!axes[a]) {
          to += rest % e[a] * step;
          step *= e[a];
        }
        rest /= e[a];
      }
      const real x = operand(id, 0)[at(i)];
      real& r = y[at(to)];
      if (name == "sum") r += x;
      else if (name == "prod") r *= x;
      else if (seen[at(to)] == 0) r = x;
      else r = name == "max" ? std::max(r, x) : std::min(r, x);
      seen[at(to)] = 1;
    }
  }

  void multiply(node_id id, numbers& y) const {
    const auto p = tg::detail::plan_contraction(tg::layout::contiguous(shape(g_.operand(id, 0))),
                                                tg::layout::contiguous(shape(g_.operand(id, 1))));
    tg::detail::cursor a(p.batch_a);
    tg::detail::cursor b(p.batch_b);
    for (index n = 0; n < p.batch_a.shape.size(); ++n, a.next(), b.next())
      for (index i = 0; i < p.rows; ++i)
        for (index j = 0; j < p.columns; ++j) {
          real sum = 0;
          for (index k = 0; k < p.depth; ++k)
            sum += operand(id, 0)[a.offset() + at(i * p.a_row + k * p.a_depth)] *
                   operand(id, 1)[b.offset() + at(k * p.b_depth + j * p.b_column)];
          y.push_back(sum);
        }
  }

  void scatter(node_id id, numbers& y) const {
    // Where `take` would find an element, an update is added.
    y = operand(id, 1);
    value positions{{tg::dtype::int64, shape(g_.operand(id, 1))}, {}};
    for (std::size_t i = 0; i < y.size(); ++i) positions.elements.push_back(i);
    const value indices = with_bits(g_.type(g_.operand(id, 0)), operand(id, 0));
    const value* both[] = {&indices, &positions};
    const value where =
        tg::evaluate(*ops::id<ops::take>, {tg::dtype::int64, shape(g_.operand(id, 2))},
                     g_.attributes(id), both, {});
    for (std::size_t i = 0; i < where.elements.size(); ++i)
      y[where.elements[i]] += operand(id, 2)[i];
  }

  void accumulate(node_id id, numbers& y) const {
    y = operand(id, 0);
    const tg::extents& e = shape(id);
    index axis = g_.attributes(id)[0];
    if (axis < 0) axis += e.rank;
    index inner = 1;
    for (int a = e.rank - 1; a > axis; --a) inner *= e[a];
    const index n = e[static_cast<int>(axis)];
    const bool back = g_.attributes(id)[1] != 0;
    const auto size = static_cast<index>(y.size());
    for (index k = 0; k < size; ++k) {
      const index i = back ? size - 1 - k : k;
      const index place = i / inner % n;
      if (back ? place + 1 < n : place > 0) y[at(i)] += y[at(back ? i + inner : i - inner)];
    }
  }

  graph_view g_;
  std::vector<numbers> x_;
};

// ---- directional derivatives -------------------------------------------------------------------

struct compared {
  int graphs = 0;
  int not_finite = 0;
  std::set<std::string_view> operators;
};

// The derivative of the outputs of g along random tangents of its inputs: by forward mode, and by
// central differences of two steps, which must agree with each other where g is smooth.
void compare(const graph& g, std::mt19937_64& random, compared& found) {
  std::vector<int> sources;
  for (std::size_t k = 0; k < g.input_list.size(); ++k)
    if (tg::is_floating(g.type(g.input_list[k]).type)) sources.push_back(static_cast<int>(k));
  if (sources.empty()) return;
  const graph forward = tg::detail::with_pushforward(g.view(), sources);

  std::uniform_real_distribution<float> any(0.2f, 0.9f);
  std::vector<value> in;
  std::vector<numbers> point;
  for (node_id i : g.input_list) {
    numbers x;
    for (index k = 0; k < g.type(i).shape.size(); ++k)
      x.push_back(tg::is_floating(g.type(i).type) ? any(random) : static_cast<real>(random() % 2));
    in.push_back(with_bits(g.type(i), x));
    point.push_back(x);
  }
  std::vector<numbers> tangent(point.size());
  for (int s : sources) {
    for (std::size_t k = 0; k < point[static_cast<std::size_t>(s)].size(); ++k)
      tangent[static_cast<std::size_t>(s)].push_back(any(random) - 0.5f);
    in.push_back(with_bits(g.type(g.input_list[s]), tangent[static_cast<std::size_t>(s)]));
  }
  in_long_double reference(g.view());
  const auto moved = [&](real h, std::vector<numbers>& out) {
    std::vector<numbers> x = point;
    for (std::size_t k = 0; k < x.size(); ++k)
      for (std::size_t i = 0; i < tangent[k].size(); ++i) x[k][i] += h * tangent[k][i];
    return reference.run(x, out);
  };
  std::vector<numbers> here, up, down, up2, down2;
  const real h = 1e-4L;
  if (!moved(0, here) || !moved(h, up) || !moved(-h, down) || !moved(2 * h, up2) ||
      !moved(-2 * h, down2))
    return;
  const std::vector<value> out = tg::evaluate(forward.view(), in);
  bool any_compared = false;
  for (std::size_t k = 0; k < here.size(); ++k) {
    const tg::dtype type = g.type(g.output_list[k]).type;
    if (!tg::is_floating(type)) continue;
    const numbers value_found = without_bits(out[k]);
    const numbers slope_found = without_bits(out[here.size() + k]);
    real size = 0;
    for (real v : slope_found) size = std::max(size, std::fabs(v));
    for (std::size_t i = 0; i < here[k].size(); ++i) {
      const real one = (up[k][i] - down[k][i]) / (2 * h);
      const real two = (up2[k][i] - down2[k][i]) / (4 * h);
      const real slope = (4 * one - two) / 3;
      // Not at kinks and jumps, nor where values are lost to cancellation or overflow.
      const real scale = 1 + std::fabs(slope) + std::fabs(here[k][i]) + size;
      const real bend = (up[k][i] - 2 * here[k][i] + down[k][i]) / h;
      if (!std::isfinite(slope) || scale > 1e4L || std::fabs(one - two) > 1e-4L * scale ||
          std::fabs(bend) > 1e-2L * scale)
        continue;
      if (!std::isfinite(slope_found[i])) {  // at 0 to the power of less than 1, which is infinite
        ++found.not_finite;
        continue;
      }
      const real exact = type == tg::dtype::float32 ? 1e-5L : 1e-13L;
      if (!(std::fabs(value_found[i] - here[k][i]) <= exact * (1 + std::fabs(here[k][i]))))
        continue;
      any_compared = true;
      const bool has_float = std::any_of(g.types.begin(), g.types.end(), [](const tg::spec& t) {
        return t.type == tg::dtype::float32;
      });
      CHECK(std::fabs(slope_found[i] - slope) <= (has_float ? 3e-3L : 1e-7L) * scale);
    }
  }
  if (!any_compared) return;
  ++found.graphs;
  for (node_id id = 0; id < g.size(); ++id) found.operators.insert(g[id].op->name);
}

// The parts of a random graph that the reference knows: a graph with one output.
void for_each_small_graph(int seeds, auto f) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(seeds); ++seed) {
    const tg::test::graph_case c = tg::test::random_graph(seed).make();
    if (c.g.size() > 40) continue;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    f(c.g, random);
  }
}

TEST_CASE("first derivatives of random graphs") {
  compared found;
  for_each_small_graph(4000, [&](const graph& g, auto& random) { compare(g, random, found); });
  MESSAGE("compared " << found.graphs);
  CHECK(found.graphs > 1000);
  CHECK(found.not_finite <= 1);  // (x - x) to a power below 1
  for (const char* name : {"sum",     "prod",         "max",
                           "min",     "matmul",       "where",
                           "take",    "scatter_add",  "cumulative_sum",
                           "concat",  "slice",        "permute_dims",
                           "reshape", "broadcast_to", "expand_dims",
                           "squeeze", "pow",          "integer_power",
                           "clip",    "cast"}) {
    CAPTURE(name);
    CHECK(found.operators.count(name) == 1);
  }
}

TEST_CASE("second derivatives of random graphs") {
  compared found;
  for_each_small_graph(4000, [&](const graph& g, auto& random) {
    std::vector<int> sources;
    for (std::size_t k = 0; k < g.input_list.size(); ++k)
      if (tg::is_floating(g.type(g.input_list[k]).type)) sources.push_back(static_cast<int>(k));
    if (sources.empty()) return;
    for (node_id o : g.output_list)
      if (!tg::is_floating(g.type(o).type)) return;
    compare(tg::detail::with_pullback(g.view(), sources), random, found);
  });
  MESSAGE("compared " << found.graphs);
  CHECK(found.graphs > 700);
  CHECK(found.not_finite <= 4);
  for (const char* name : {"sum", "max", "matmul", "where", "take", "scatter_add", "cumulative_sum",
                           "concat", "slice", "permute_dims", "reshape", "broadcast_to"}) {
    CAPTURE(name);
    CHECK(found.operators.count(name) == 1);
  }
}

}  // namespace
