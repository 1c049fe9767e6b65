// Which values of a graph have a derivative by given inputs, and why one may be missing.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/graph.hpp>

namespace tfgraph::detail {

/// For each node whether it depends on one of the inputs (given by number) by way of
/// floating-point values only, with a derivative that is not zero everywhere.
constexpr list<char> differentiable_nodes(const graph_view& g, std::span<const int> sources) {
  list<char> active(g.nodes.size(), 0);
  for (int s : sources) active[g.input_list[s]] = 1;
  for (node_id id = 0; id < g.size(); ++id) {
    if (!is_floating(g.type(id).type) || g[id].op->flat) continue;
    for (node_id o : g.operands(id)) active[id] = static_cast<char>(active[id] | active[o]);
  }
  return active;
}

/// Refuses what has no derivative. `transformation` begins the sentence.
constexpr sentence derivative_objection(const graph_view& g, std::span<const int> sources,
                                        std::string_view transformation, bool reverse,
                                        bool scalar) {
  sentence s;
  for (int k : sources) {
    const spec& type = g.type(g.input_list[k]);
    if (is_floating(type.type)) continue;
    return s << transformation << ": an argument of type " << type.type
             << " has no derivative; only floating-point ones have";
  }
  if (scalar) {
    if (g.output_list.empty()) return s << transformation << ": the function has no result";
    const spec& type = g.type(g.output_list[0]);
    if (type.shape.rank != 0 || !is_floating(type.type))
      return s << transformation << ": the result must be a floating-point scalar, not "
               << type.type << " " << type.shape << "; see jacobian and vjp";
  }
  const list<char> active = differentiable_nodes(g, sources);
  for (node_id id = 0; id < g.size(); ++id) {
    const operation& op = *g[id].op;
    if (active[id] == 0 || op.kind == operation_kind::input) continue;
    if (!(reverse ? op.vjp : op.jvp) && op.kind != operation_kind::concatenation)
      return s << transformation << ": the operator " << op.name << " has no derivative";
    for (node_id o : g.operands(id)) {
      const extents& from = g.type(o).shape;
      const index axis = op.kind == operation_kind::concatenation ? g.attributes(id)[0] : 0;
      const bool known = op.kind == operation_kind::concatenation
                             ? from[static_cast<int>(axis < 0 ? axis + from.rank : axis)] >= 0
                             : !op.needs_extents || from.is_static();
      if (!known)
        return s << transformation << ": the derivative of " << op.name
                 << " needs static extents, not the shape " << from;
    }
  }
  return s;
}

}  // namespace tfgraph::detail
