// Common-subexpression elimination: nodes of the same operator, operands and attributes are one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/graph.hpp>

namespace tfgraph::optimize {

/// The distinct nodes of a graph that grows (a hash table).
class distinct_nodes {
 public:
  constexpr explicit distinct_nodes(std::size_t expected) {
    std::size_t slots = 16;
    while (slots < 2 * expected) slots *= 2;
    table_.resize(slots, no_node);
  }

  /// The node that was entered first of those like `id`: itself if it is new.
  [[nodiscard]] constexpr node_id find_or_enter(const graph& g, node_id id) {
    if (is_structural(g[id].op->kind)) return id;
    if (2 * entered_ >= table_.size()) grow(g);
    const std::size_t slot = find(g, id);
    if (table_[slot] != no_node) return table_[slot];
    table_[slot] = id;
    ++entered_;
    return id;
  }

 private:
  static constexpr std::uint64_t hash(const graph& g, node_id id) {
    const node& n = g[id];
    std::uint64_t h = n.op->key;
    // A sum, so that the order of the operands does not count: some operators commute.
    for (std::int32_t k = 0; k < n.operand_count; ++k)
      h += static_cast<std::uint64_t>(g.operand(id, k)) * 0xd1342543de82ef95u;
    for (std::int32_t k = 0; k < n.attribute_count; ++k)
      h = (h ^ static_cast<std::uint64_t>(g.attribute(id, k))) * 0x9e3779b97f4a7c15u;
    if (n.op->kind == operation_kind::constant)  // by content, not by place
      h = pool_words(g.type(id)) > 0 ? g.pool[g.attribute(id, 0)] : 0;
    return h ^ h >> 32;
  }

  static constexpr bool same(const graph& g, node_id a, node_id b) {
    const node& x = g[a];
    const node& y = g[b];
    if (x.op->key != y.op->key || x.type != y.type || x.operand_count != y.operand_count ||
        x.region != y.region || x.attribute_count != y.attribute_count)
      return false;
    if (x.op->kind == operation_kind::constant) return same_content(g, a, b);
    bool equal = true;
    for (std::int32_t k = 0; equal && k < x.operand_count; ++k)
      equal = g.operand(a, k) == g.operand(b, k);
    if (!equal && x.op->commutative)
      equal = g.operand(a, 0) == g.operand(b, 1) && g.operand(a, 1) == g.operand(b, 0);
    for (std::int32_t k = 0; equal && k < x.attribute_count; ++k)
      equal = g.attribute(a, k) == g.attribute(b, k);
    return equal;
  }

  static constexpr bool same_content(const graph& g, node_id a, node_id b) {
    const auto from_a = static_cast<std::size_t>(g.attribute(a, 0));
    const auto from_b = static_cast<std::size_t>(g.attribute(b, 0));
    for (std::size_t w = 0; w < pool_words(g.type(a)); ++w)
      if (g.pool[from_a + w] != g.pool[from_b + w]) return false;
    return true;
  }

  [[nodiscard]] constexpr std::size_t find(const graph& g, node_id id) const {
    std::size_t slot = static_cast<std::size_t>(hash(g, id)) & (table_.size() - 1);
    while (table_[slot] != no_node && !same(g, table_[slot], id))
      slot = (slot + 1) & (table_.size() - 1);
    return slot;
  }

  constexpr void grow(const graph& g) {
    tfgraph::detail::list<node_id> old(2 * table_.size(), no_node);
    old.swap(table_);
    for (node_id id : old)
      if (id != no_node) table_[find(g, id)] = id;
  }

  tfgraph::detail::list<node_id> table_;
  std::size_t entered_ = 0;
};

}  // namespace tfgraph::optimize
