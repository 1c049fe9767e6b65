// What the optimiser did to a graph: the rules that it applied, and what the graph costs before and
// after. A constant, if the graph is one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/pipeline.hpp>

#include <string>

namespace tfgraph {

/// What evaluating a graph node by node costs. (Kernels that fuse nodes move fewer bytes.)
struct graph_cost {
  int nodes = 0;
  double operations = 0;  ///< arithmetic on elements; a multiply-add of a product counts as two
  double bytes = 0;       ///< operands read and results written
};

/// The cost of a graph of static shapes.
[[nodiscard]] constexpr graph_cost cost_of(const graph_view& g) {
  graph_cost c{g.size(), 0, 0};
  for (node_id id = 0; id < g.size(); ++id) {
    const operation_kind kind = g[id].op->kind;
    const spec& type = g.type(id);
    if (g[id].operand_count == 0 || kind == operation_kind::movement || !type.shape.is_static())
      continue;
    const auto elements = static_cast<double>(type.shape.size());
    const spec& first = g.type(g.operand(id, 0));
    if (kind == operation_kind::elementwise) c.operations += elements;
    if (kind == operation_kind::reduction) c.operations += static_cast<double>(first.shape.size());
    if (kind == operation_kind::contraction)
      c.operations += 2 * elements * static_cast<double>(first.shape[first.shape.rank - 1]);
    c.bytes += elements * static_cast<double>(size_of(type.type));
    for (node_id o : g.operands(id))
      c.bytes += static_cast<double>(g.type(o).shape.size()) *
                 static_cast<double>(size_of(g.type(o).type));
  }
  return c;
}

struct explanation {
  static constexpr int most_rules = 64;
  struct application {
    std::string_view rule;
    int count = 0;
  };

  application rules[most_rules] = {};  ///< in the order of their first application
  int rule_count = 0;
  graph_cost before, after;

  /// How often a rule was applied.
  [[nodiscard]] constexpr int count(std::string_view rule) const {
    for (int i = 0; i < rule_count; ++i)
      if (rules[i].rule == rule) return rules[i].count;
    return 0;
  }
};

/// Optimises a graph and says what was done.
template <options O = strict_options>
[[nodiscard]] constexpr explanation explain(const graph_view& written) {
  detail::list<optimize::application_count> applied;
  optimize::simplify_options o = detail::simplify_options_of<O>::value;
  o.log = &applied;
  const graph better = optimized(written, o);
  explanation e{{}, 0, cost_of(written), cost_of(better.view())};
  for (const optimize::application_count& a : applied)
    if (e.rule_count < explanation::most_rules)
      e.rules[e.rule_count++] = {a.applied->name, a.count};
  return e;
}

[[nodiscard]] inline std::string to_string(const explanation& e) {
  std::string s;
  for (int i = 0; i < e.rule_count; ++i)
    s += std::to_string(e.rules[i].count) + " x " + std::string(e.rules[i].rule) + "\n";
  const auto line = [&s](const char* what, double before, double after) {
    s += std::string(what) + ": " + std::to_string(static_cast<long long>(before)) + " -> " +
         std::to_string(static_cast<long long>(after)) + "\n";
  };
  line("nodes", e.before.nodes, e.after.nodes);
  line("operations", e.before.operations, e.after.operations);
  line("bytes", e.before.bytes, e.after.bytes);
  return s;
}

}  // namespace tfgraph
