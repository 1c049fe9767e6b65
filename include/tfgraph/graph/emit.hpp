// Appending to a graph: an operator with the type that its rule gives, and another graph.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/graph.hpp>

namespace tfgraph::detail {

/// A list as a span. (Said aloud: g++ warns of the choice between two ways to convert.)
template <class T>
constexpr std::span<const T> span_of(const list<T>& l) {
  return {l.data(), l.size()};
}

/// Appends an operator; its rule gives the type of the node.
constexpr node_id emit(graph& g, const operation* op, std::span<const node_id> operands,
                       std::span<const index> attributes = {}) {
  list<spec> types;
  types.reserve(operands.size());
  for (node_id o : operands) types.push_back(g.type(o));
  const inference r = op->infer(span_of(types), attributes);
  if (!r.objection.empty()) throw_shape_error(r.objection);
  return g.add(op, r.result, operands, attributes);
}

/// Appends the nodes of a graph, with `inputs` in the place of its inputs. The result says where
/// each of its nodes is.
constexpr list<node_id> append(graph& g, const graph_view& from, std::span<const node_id> inputs) {
  list<node_id> place(from.nodes.size(), no_node);
  for (std::size_t k = 0; k < inputs.size(); ++k) place[from.input_list[k]] = inputs[k];
  list<std::int32_t> types;
  types.reserve(from.types.size());
  for (const spec& t : from.types) types.push_back(g.intern(t));
  const index first_word = static_cast<index>(g.pool.size());
  // Region 0 becomes the current region; the others follow those that there are.
  const auto first_region = static_cast<std::int32_t>(g.regions.size()) - 1;
  const auto first_value = static_cast<std::int32_t>(g.region_values.size());
  const auto region_in_g = [&](std::int32_t r) { return r == 0 ? g.current : r + first_region; };
  for (std::size_t r = 1; r < from.regions.size(); ++r) {
    region copy = from.regions[r];
    copy.parent = region_in_g(copy.parent);
    copy.first_value += first_value;
    g.regions.push_back(copy);
  }
  g.pool.append(from.pool.data(), from.pool.size());
  for (node_id id = 0; id < from.size(); ++id) {
    if (place[id] != no_node) continue;
    node n = from[id];
    const node_id* operands = from.operand_list.data() + n.first_operand;
    const index* attributes = from.attribute_list.data() + n.first_attribute;
    n.type = types[n.type];
    n.region = region_in_g(n.region);
    n.first_operand = static_cast<std::int32_t>(g.operand_list.size());
    n.first_attribute = static_cast<std::int32_t>(g.attribute_list.size());
    for (std::int32_t k = 0; k < n.operand_count; ++k) g.operand_list.push_back(place[operands[k]]);
    for (std::int32_t k = 0; k < n.attribute_count; ++k) g.attribute_list.push_back(attributes[k]);
    if (n.op->kind == operation_kind::constant) g.attribute_list[n.first_attribute] += first_word;
    if (n.op->kind == operation_kind::loop || n.op->kind == operation_kind::branch)
      g.attribute_list[n.first_attribute] += first_region;
    g.nodes.push_back(n);
    place[id] = g.size() - 1;
  }
  for (node_id v : from.region_values) g.region_values.push_back(place[v]);
  return place;
}

}  // namespace tfgraph::detail
