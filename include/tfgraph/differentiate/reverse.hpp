// Reverse mode: from a graph to the graph that computes its results and the gradients.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/dependence.hpp>
#include <tfgraph/ops/all.hpp>

namespace tfgraph::detail {

/// Cotangents of the nodes of a graph, at the end of which they are computed.
class cotangents {
 public:
  constexpr cotangents(graph& g, list<char> active)
      : g_(g), active_(std::move(active)), of_(active_.size(), no_node) {}

  /// Adds a contribution to a node's cotangent.
  constexpr void add(node_id to, node_id contribution) {
    if (active_[to] == 0 || contribution == no_node) return;
    if (of_[to] != no_node) {
      const node_id operands[] = {of_[to], contribution};
      contribution = emit(g_, ops::id<ops::add>, operands);
    }
    of_[to] = contribution;
  }

  /// Each node hands its cotangent on to its operands: users before operands, every node once.
  constexpr void propagate() {
    for (node_id id = static_cast<node_id>(of_.size()) - 1; id >= 0; --id) {
      if (of_[id] == no_node) continue;
      const operation* op = g_[id].op;
      if (op->kind == operation_kind::input) continue;
      for (int k = 0; k < g_[id].operand_count; ++k)
        if (const node_id o = g_.operand(id, k); active_[o] != 0)
          add(o, op->vjp(g_, id, k, of_[id]));
    }
  }

  /// The cotangent of a node: zeros if nothing depends on it.
  [[nodiscard]] constexpr node_id operator[](node_id id) {
    return of_[id] != no_node ? of_[id] : ops::zeros_like(ops::term{&g_, id}).id;
  }

 private:
  graph& g_;
  list<char> active_;
  list<node_id> of_;
};

/// A growing copy of a graph, with the same inputs and nodes; it has no outputs yet.
constexpr graph start_from(const graph_view& f) {
  graph g;
  g.nodes.reserve(8 * f.nodes.size());
  g.nodes.append(f.nodes.data(), f.nodes.size());
  g.types.append(f.types.data(), f.types.size());
  g.operand_list.append(f.operand_list.data(), f.operand_list.size());
  g.attribute_list.append(f.attribute_list.data(), f.attribute_list.size());
  g.pool.append(f.pool.data(), f.pool.size());
  g.input_list.append(f.input_list.data(), f.input_list.size());
  return g;
}

constexpr void append_outputs(graph& g, const graph_view& f) {
  for (node_id o : f.output_list) g.output_list.push_back(o);
}

/// The graph of the results of f and the gradients of its first result, a scalar, by the inputs
/// with these numbers.
constexpr graph with_gradients(const graph_view& f, std::span<const int> sources) {
  graph g = start_from(f);
  append_outputs(g, f);
  cotangents c(g, differentiable_nodes(f, sources));
  const node_id loss = f.output_list[0];
  c.add(loss, ops::number(1, ops::term{&g, loss}).id);
  c.propagate();
  for (int s : sources) g.output_list.push_back(c[f.input_list[s]]);
  return g;
}

/// The graph of the results of f and of the products of given cotangents with the Jacobian. The
/// cotangents of the results are further inputs.
constexpr graph with_pullback(const graph_view& f, std::span<const int> sources) {
  graph g = start_from(f);
  append_outputs(g, f);
  cotangents c(g, differentiable_nodes(f, sources));
  for (node_id o : f.output_list) c.add(o, g.add_input(ops::id<ops::input>, spec(g.type(o))));
  c.propagate();
  for (int s : sources) g.output_list.push_back(c[f.input_list[s]]);
  return g;
}

}  // namespace tfgraph::detail
