// What differentiation does with the bodies of loops and the alternatives of branches: it copies them
// to where their derivatives are computed.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/control.hpp>
#include <tfgraph/graph/emit.hpp>
#include <tfgraph/ops/all.hpp>

namespace tfgraph::detail {

/// Appends what belongs to a region of the graph, and to those in it, to the current region. The
/// nodes stand before `end`. `place` says where parameters are already, and then where each copy is;
/// what it does not name is from outside.
constexpr void copy_region(graph& g, std::int32_t from, node_id end, list<node_id>& place) {
  const auto count = static_cast<std::int32_t>(g.regions.size());
  list<std::int32_t> to(g.regions.size(), -1);
  to[from] = g.current;
  for (std::int32_t r = from + 1; r < count; ++r)
    if (encloses(g, from, r)) {
      to[r] = static_cast<std::int32_t>(g.regions.size());
      g.regions.push_back({to[g.regions[r].parent], 0, 0, 0});
    }
  const auto placed = [&](node_id o) { return o < end && place[o] != no_node ? place[o] : o; };
  for (node_id id = 0; id < end; ++id) {
    const std::int32_t r = g[id].region;
    if (r >= count || to[r] < 0 || place[id] != no_node) continue;
    node n = g[id];
    const std::int32_t operands = n.first_operand;
    const std::int32_t attributes = n.first_attribute;
    n.region = to[r];
    n.first_operand = static_cast<std::int32_t>(g.operand_list.size());
    n.first_attribute = static_cast<std::int32_t>(g.attribute_list.size());
    for (std::int32_t k = 0; k < n.operand_count; ++k) {
      const node_id o = placed(g.operand_list[operands + k]);
      g.operand_list.push_back(o);
    }
    for (std::int32_t k = 0; k < n.attribute_count; ++k) {
      const index a = g.attribute_list[attributes + k];
      g.attribute_list.push_back(a);
    }
    if (n.op->kind == operation_kind::loop || n.op->kind == operation_kind::branch)
      g.attribute_list[n.first_attribute] = to[g.attribute_list[n.first_attribute]];
    place[id] = g.size();
    g.nodes.push_back(n);
  }
  for (std::int32_t r = from + 1; r < count; ++r) {
    if (to[r] < 0) continue;
    const region old = g.regions[r];
    region& copy = g.regions[to[r]];
    copy.first_value = static_cast<std::int32_t>(g.region_values.size());
    copy.input_count = old.input_count;
    copy.output_count = old.output_count;
    for (std::int32_t k = 0; k < old.input_count + old.output_count; ++k) {
      const node_id v = placed(g.region_values[old.first_value + k]);
      g.region_values.push_back(v);
    }
  }
}

/// A tensor with its rows in reverse.
constexpr node_id reversed(graph& g, node_id x) {
  constexpr index last = INT64_MAX;
  list<index> sections;
  for (int i = 0; i < g.type(x).shape.rank; ++i)
    for (index a : {i == 0 ? last : index{0}, last, i == 0 ? index{-1} : index{1}})
      sections.push_back(a);
  const node_id operands[1] = {x};
  return emit(g, ops::id<ops::slice>, operands, span_of(sections));
}

constexpr node_id add_parameter(graph& g, node_id operand, parameter_role role) {
  const node_id operands[1] = {operand};
  const index attributes[1] = {static_cast<index>(role)};
  return emit(g, ops::id<ops::parameter>, operands, attributes);
}
/// What a state is after a loop.
constexpr node_id add_result(graph& g, node_id owner, node_id value, index number = 0) {
  const node_id operands[2] = {owner, value};
  const index attributes[1] = {number};
  return emit(g, ops::id<ops::result>, operands, attributes);
}
/// The values that an output of a loop had in all turns, of which there are as many as `rows` has.
constexpr node_id add_stacked(graph& g, node_id loop, node_id value, node_id rows) {
  const node_id operands[3] = {loop, value, rows};
  return emit(g, ops::id<ops::stacked>, operands);
}
constexpr node_id add_control(graph& g, const operation* op, node_id operand, std::int32_t region,
                              index second) {
  const node_id operands[1] = {operand};
  const index attributes[2] = {region, second};
  return emit(g, op, operands, attributes);
}

/// Makes a node one of the outputs of a loop's region, which has ended, that may be stacked.
constexpr void add_stacked_output(graph& g, node_id loop, node_id output) {
  const std::int32_t r = region_of(g.view(), loop);
  const region old = g.regions[r];
  std::int32_t first = is_while(g.view(), loop) ? 1 : 0;
  for (node_id p : g.view().region_inputs(r))
    first += role_of(g.view(), p) == parameter_role::state ? 1 : 0;
  for (std::int32_t k = first; k < old.output_count; ++k)
    if (g.region_values[old.first_value + old.input_count + k] == output) return;
  g.regions[r].first_value = static_cast<std::int32_t>(g.region_values.size());
  ++g.regions[r].output_count;
  for (std::int32_t k = 0; k < old.input_count + old.output_count; ++k) {
    const node_id v = g.region_values[old.first_value + k];
    g.region_values.push_back(v);
  }
  g.region_values.push_back(output);
}

/// The results of a loop or branch among the first nodes of a graph.
[[nodiscard]] constexpr list<node_id> results_of(const graph& g, node_id owner, node_id end) {
  list<node_id> results;
  for (node_id id = owner + 1; id < end; ++id)
    if (g[id].op->kind == operation_kind::result && g.operand(id, 0) == owner) results.push_back(id);
  return results;
}

[[nodiscard]] constexpr list<node_id> copy_of(const list_view<node_id>& l) {
  list<node_id> c;
  c.append(l.data(), l.size());
  return c;
}

}  // namespace tfgraph::detail
