// Forward mode: from a graph to the graph that computes its results and their directional
// derivative.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/reverse.hpp>

namespace tfgraph::detail {

/// The tangent of one node from those of its operands.
constexpr node_id tangent_of(graph& g, node_id id, const list<node_id>& tangent) {
  const operation* op = g[id].op;
  const int count = g[id].operand_count;
  if (op->kind == operation_kind::concatenation) {
    list<node_id> parts;
    for (int k = 0; k < count; ++k) {
      const node_id o = g.operand(id, k);
      parts.push_back(tangent[o] != no_node ? tangent[o] : ops::zeros_like(ops::term{&g, o}).id);
    }
    const index axis[1] = {g.attribute(id, 0)};
    return emit(g, op, span_of(parts), axis);
  }
  node_id total = no_node;
  for (int k = 0; k < count; ++k) {
    const node_id t = tangent[g.operand(id, k)];
    const node_id share = t == no_node ? no_node : op->jvp(g, id, k, t);
    if (share == no_node) continue;
    const node_id both[] = {total, share};
    total = total == no_node ? share : emit(g, ops::id<ops::add>, both);
  }
  if (total == no_node) return total;
  return ops::stretch_to(ops::term{&g, id}, ops::term{&g, total}).id;
}

/// The graph of the results of f and of their derivatives along the tangents of the inputs with
/// these numbers. The tangents are further inputs.
constexpr graph with_pushforward(const graph_view& f, std::span<const int> sources) {
  graph g = start_from(f);
  append_outputs(g, f);
  const list<char> active = differentiable_nodes(f, sources);
  list<node_id> tangent(f.nodes.size(), no_node);
  for (int s : sources) {
    const node_id x = f.input_list[s];
    tangent[x] = g.add_input(ops::id<ops::input>, spec(g.type(x)));
  }
  for (node_id id = 0; id < f.size(); ++id)
    if (active[id] != 0 && f[id].op->kind != operation_kind::input)
      tangent[id] = tangent_of(g, id, tangent);
  for (node_id o : f.output_list) {
    if (tangent[o] == no_node) tangent[o] = ops::zeros_like(ops::term{&g, o}).id;
    g.output_list.push_back(tangent[o]);
  }
  return g;
}

}  // namespace tfgraph::detail
