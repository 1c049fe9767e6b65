// Binding: a graph with dynamic extents becomes the graph for the extents of a call.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/control.hpp>
#include <tfgraph/ops/all.hpp>
#include <tfgraph/optimize/rewrite.hpp>

#include <span>
#include <vector>

namespace tfgraph {

/// A graph whose extents are all known, or why the extents do not fit the graph.
struct binding {
  graph bound;
  detail::sentence objection;
};

/// Infers the type of every node anew from those of the inputs, and replaces what asks for a shape.
[[nodiscard]] constexpr binding bind_extents(const graph_view& g, std::span<const spec> inputs) {
  detail::rewriting r(g);
  std::vector<spec> operands;
  std::size_t next_input = 0;
  for (node_id id = 0; id < g.size(); ++id) {
    const operation& op = *g[id].op;
    r.to.current = g[id].region;
    if (op.kind == operation_kind::input) {
      const node_id n = r.copy(id);
      r.to.nodes[n].type = r.to.intern(inputs[next_input++]);
      continue;
    }
    if (op.arity == 0) {  // created, with static extents
      r.copy(id);
      continue;
    }
    operands.clear();
    for (node_id o : g.operands(id)) operands.push_back(r.to.type(r[o]));
    const inference now = op.infer(operands, g.attributes(id));
    if (!now.objection.empty()) return {{}, now.objection};
    const node_id first = r[g.operand(id, 0)];
    if (op.kind == operation_kind::shape_query) {
      const index bits[1] = {static_cast<index>(op.generate(operands[0], g.attributes(id), 0))};
      r.replace(id, r.to.add(ops::id<ops::full>, now.result, {}, bits));
    } else if (op.kind == operation_kind::unbound) {
      const node_id two[2] = {first, r[g.operand(id, 1)]};
      r.replace(id, op.expand(r.to, std::span<const node_id>(two), g.attributes(id)));
    } else {
      const node_id n = r.copy(id);
      r.to.nodes[n].type = r.to.intern(now.result);
    }
    if (op.kind == operation_kind::loop || op.kind == operation_kind::branch) {
      const detail::sentence objection = detail::control_objection(
          g, id, [&](node_id n) { return r.to.type(r[n]); });
      if (!objection.empty()) return {{}, objection};
    }
  }
  return {r.finish(), {}};
}

}  // namespace tfgraph
