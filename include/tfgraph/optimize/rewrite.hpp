// The frame of every pass: a new graph grows from an old one, node by node in topological order.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/graph.hpp>

#include <vector>

namespace tfgraph::detail {

/// Copies a graph; a pass decides for each node what stands in its place.
class rewriting {
 public:
  constexpr explicit rewriting(const graph_view& from) : from_(from) {
    to.nodes.reserve(from.nodes.size());
    to.operand_list.reserve(from.operand_list.size());
    to.attribute_list.reserve(from.attribute_list.size());
    to.pool.reserve(from.pool.size());
    for (std::uint64_t word : from.pool) to.pool.push_back(word);
    to.types.reserve(from.types.size());
    for (const spec& type : from.types) to.types.push_back(type);
    to.regions.clear();
    for (const region& r : from.regions) to.regions.push_back(r);
    place_.resize(from.nodes.size(), no_node);
  }

  graph to;

  [[nodiscard]] constexpr const graph_view& from() const { return from_; }
  /// What stands in the new graph for an old node.
  [[nodiscard]] constexpr node_id operator[](node_id old) const {
    return place_[static_cast<std::size_t>(old)];
  }
  constexpr void replace(node_id old, node_id by) { place_[static_cast<std::size_t>(old)] = by; }

  /// Copies a node as it is.
  constexpr node_id copy(node_id old) {
    const node& n = from_[old];
    node_id operands[inline_operands] = {};
    std::vector<node_id> many;
    const std::size_t count = static_cast<std::size_t>(n.operand_count);
    node_id* mapped = operands;
    if (count > inline_operands) {
      many.resize(count);
      mapped = many.data();
    }
    for (std::size_t k = 0; k < count; ++k)
      mapped[k] = (*this)[from_.operand(old, static_cast<int>(k))];
    const node_id copied = to.add_interned(n.op, n.type, std::span<const node_id>(mapped, count),
                                           from_.attributes(old), n.region);
    replace(old, copied);
    return copied;
  }

  /// The finished graph.
  [[nodiscard]] constexpr graph finish() {
    for (node_id i : from_.input_list) to.input_list.push_back((*this)[i]);
    for (node_id o : from_.output_list) to.output_list.push_back((*this)[o]);
    for (node_id v : from_.region_values) to.region_values.push_back((*this)[v]);
    return to;
  }

 private:
  static constexpr std::size_t inline_operands = 4;
  graph_view from_;
  std::vector<node_id> place_;
};

}  // namespace tfgraph::detail
