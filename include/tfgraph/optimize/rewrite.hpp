// The frame of every pass: a new graph grows from an old one, node by node in topological order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/graph.hpp>

#include <utility>

namespace tfgraph::detail {

/// Copies a graph; a pass decides for each node what stands in its place.
class rewriting {
 public:
  constexpr explicit rewriting(const graph_view& from) : from_(from) {
    to.nodes.reserve(from.nodes.size() + 64);
    to.operand_list.reserve(from.operand_list.size() + 64);
    to.pool.append(from.pool.data(), from.pool.size());
    to.types.append(from.types.data(), from.types.size());
    to.regions.clear();
    to.regions.append(from.regions.data(), from.regions.size());
    place_.resize(from.nodes.size(), no_node);
  }

  graph to;
  bool regions_replaced = false;  ///< whether the pass lists what regions take and give itself

  [[nodiscard]] constexpr const graph_view& from() const { return from_; }
  /// What stands in the new graph for an old node.
  [[nodiscard]] constexpr node_id operator[](node_id old) const { return place_[old]; }
  constexpr void replace(node_id old, node_id by) { place_[old] = by; }

  /// Copies a node as it is.
  constexpr node_id copy(node_id old) {
    node n = from_.nodes[old];
    const node_id* operands = from_.operand_list.data() + n.first_operand;
    const index* attributes = from_.attribute_list.data() + n.first_attribute;
    n.first_operand = static_cast<std::int32_t>(to.operand_list.size());
    n.first_attribute = static_cast<std::int32_t>(to.attribute_list.size());
    for (std::int32_t k = 0; k < n.operand_count; ++k)
      to.operand_list.push_back(place_[operands[k]]);
    for (std::int32_t k = 0; k < n.attribute_count; ++k) to.attribute_list.push_back(attributes[k]);
    to.nodes.push_back(n);
    return place_[old] = to.size() - 1;
  }

  /// The finished graph.
  [[nodiscard]] constexpr graph finish() {
    for (node_id i : from_.input_list) to.input_list.push_back((*this)[i]);
    for (node_id o : from_.output_list) to.output_list.push_back((*this)[o]);
    if (!regions_replaced)
      for (node_id v : from_.region_values) to.region_values.push_back((*this)[v]);
    to.current = 0;
    return std::move(to);
  }

 private:
  graph_view from_;
  list<node_id> place_;
};

}  // namespace tfgraph::detail
