// Which values of a graph have a derivative by given inputs, and why one may be missing.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/control.hpp>
#include <tfgraph/ops/all.hpp>

namespace tfgraph::detail {

/// Whether a node depends on one of the marked ones, by its operands or by what its loop or branch
/// gives.
constexpr bool depends_on_any(const graph_view& g, node_id id, const list<char>& marked) {
  const auto operands = g.operands(id);
  if (g[id].op->kind != operation_kind::result) {
    for (node_id o : operands)
      if (marked[o] != 0) return true;
    return false;
  }
  if (marked[operands[1]] != 0) return true;
  if (g[operands[0]].op->kind != operation_kind::branch) return false;
  const std::int32_t first = region_of(g, operands[0]);
  for (int r = 0; r < region_count(g, operands[0]); ++r)
    if (marked[g.region_outputs(first + r)[g.attributes(id)[0]]] != 0) return true;
  return false;
}

/// Marks the states of loops that a turn gives a marked value; says whether there were any more.
constexpr bool mark_states(const graph_view& g, list<char>& marked) {
  if (g.regions.size() == 1) return false;
  bool more = false;
  for (node_id id = 0; id < g.size(); ++id) {
    if (g[id].op->kind != operation_kind::loop) continue;
    const std::int32_t r = region_of(g, id);
    std::size_t next = is_while(g, id) ? 1 : 0;
    for (node_id p : g.region_inputs(r)) {
      if (role_of(g, p) != parameter_role::state) continue;
      const node_id o = g.region_outputs(r)[next++];
      if (marked[o] == 0 || marked[p] != 0) continue;
      marked[p] = 1;
      more = true;
    }
  }
  return more;
}

/// For each node whether it depends on one of the inputs (given by number) by way of
/// floating-point values only, with a derivative that is not zero everywhere.
constexpr list<char> differentiable_nodes(const graph_view& g, std::span<const int> sources) {
  list<char> active(g.nodes.size(), 0);
  for (int s : sources) active[g.input_list[s]] = 1;
  do {
    for (node_id id = 0; id < g.size(); ++id)
      if (active[id] == 0 && is_floating(g.type(id).type) && !g[id].op->flat)
        active[id] = depends_on_any(g, id, active) ? 1 : 0;
  } while (mark_states(g, active));
  return active;
}

/// Refuses a loop whose states cannot be kept for reverse mode.
constexpr sentence reverse_loop_objection(const graph_view& g, node_id loop,
                                          const list<char>& active) {
  sentence s;
  bool needed = false;
  for (node_id p : g.region_inputs(region_of(g, loop))) needed = needed || active[p] != 0;
  for (node_id id = loop + 1; id < g.size(); ++id)
    needed = needed || (active[id] != 0 && g[id].op->kind == operation_kind::result &&
                        g.operand(id, 0) == loop);
  const bool counted = turns_of(g, loop) == turns_by::rows ||
                       (turns_of(g, loop) == turns_by::number &&
                        ops::is<ops::full>(g[g.operand(loop, 0)].op));
  if (!needed || counted) return s;
  return s << "a loop whose number of turns is not known when it is compiled (while_loop, or range "
              "and fori of a traced number) has no reverse-mode derivative, because its states "
              "could not be kept; use a plain number or scan, or jvp";
}

/// Refuses what has no derivative. `transformation` begins the sentence.
constexpr sentence derivative_objection(const graph_view& g, std::span<const int> sources,
                                        std::string_view transformation, bool reverse,
                                        bool scalar) {
  sentence s;
  if (!g.update_list.empty())
    return s << transformation << ": the function assigns to variables; differentiate what it computes "
                                  "from, in a function of its own";
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
    if (reverse && op.kind == operation_kind::loop)
      if (const sentence loop = reverse_loop_objection(g, id, active); !loop.empty())
        return s << transformation << ": " << loop;
    if (active[id] == 0 || op.kind == operation_kind::input || is_structural(op.kind)) continue;
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
