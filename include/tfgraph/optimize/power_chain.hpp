// Chains of products by the same factor, x * x * ... * x, which repeated squaring computes in a
// logarithmic number of products. Exact where arithmetic is modular.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/graph.hpp>
#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/ops/matmul.hpp>
#include <tfgraph/optimize/numerics.hpp>

#include <bit>

namespace tfgraph::optimize {

class power_chains {
 public:
  constexpr power_chains(const graph_view& g, numerics::licence allowed) {
    constexpr std::uint64_t mul = tfgraph::detail::operation_key(ops::mul::name);
    for (node_id id = 0; id < g.size(); ++id) {
      const node& n = g.nodes.data()[id];
      const bool is_matmul = n.op->kind == operation_kind::contraction;
      if (n.op->key != mul && !is_matmul) continue;
      const spec& type = g.types.data()[n.type];
      if (is_floating(type.type) && !allowed.allows(numerics::reassociate)) continue;
      if (n.type != g[g.operand(id, 0)].type || n.type != g[g.operand(id, 1)].type) continue;
      if (is_matmul && (type.shape.rank < 2 || !type.shape.is_static())) continue;
      ++products_seen_;
      enter(g, id);
    }
    // Only the last product of a chain counts.
    if (any_) mark_ends(g);
  }

  [[nodiscard]] constexpr bool any() const { return any_; }
  /// Whether there are products enough for a chain, now or once other rules were applied.
  [[nodiscard]] constexpr bool possible() const { return products_seen_ > 2; }
  [[nodiscard]] constexpr node_id base_at(node_id id) const { return base_[id]; }
  /// How many factors the chain has that ends at a node; 0 if none ends there.
  [[nodiscard]] constexpr index exponent_at(node_id id) const {
    return is_end_[id] != 0 ? exponent_[id] : 0;
  }

 private:
  /// Whether repeated squaring takes fewer products than the chain has.
  [[nodiscard]] constexpr bool saves(node_id id) const {
    const auto n = static_cast<std::uint64_t>(exponent_[id]);
    return static_cast<int>(std::bit_width(n)) - 1 + std::popcount(n) - 1 < products_[id];
  }

  constexpr void enter(const graph_view& g, node_id id) {
    if (base_.empty()) {
      base_.resize(g.nodes.size(), no_node);
      exponent_.resize(g.nodes.size(), 0);
      products_.resize(g.nodes.size(), 0);
      is_end_.resize(g.nodes.size(), 0);
      uses_.resize(g.nodes.size(), 0);
      for (node_id o : g.operand_list) ++uses_[o];
      for (node_id o : g.output_list) ++uses_[o];
      for (node_id o : g.region_values) ++uses_[o];
    }
    const node_id a = g.operand(id, 0);
    const node_id b = g.operand(id, 1);
    // What is used elsewhere is computed anyway: a chain starts there.
    const auto in_chain = [&](node_id x) {
      return base_[x] != no_node && g[x].op->key == g[id].op->key && uses_[x] == (a == b ? 2 : 1);
    };
    const node_id base_a = in_chain(a) ? base_[a] : a;
    const node_id base_b = in_chain(b) ? base_[b] : b;
    node_id base = no_node;
    index exponent = 0;
    const auto factors = [&](node_id x, node_id of) {
      return x == of ? 1 : in_chain(x) && base_[x] == of ? exponent_[x] : 0;
    };
    for (node_id candidate : {base_a, base_b}) {
      const index p = factors(a, candidate);
      const index q = factors(b, candidate);
      if (p == 0 || q == 0) continue;
      base = candidate;
      exponent = p + q;
    }
    if (base == no_node || exponent > 1 << 20) return;
    base_[id] = base;
    exponent_[id] = exponent;
    products_[id] = 1 + (in_chain(a) ? products_[a] : 0);
    if (b != a) products_[id] += in_chain(b) ? products_[b] : 0;
    any_ = any_ || saves(id);
  }

  constexpr void mark_ends(const graph_view& g) {
    tfgraph::detail::list<char> inside(g.nodes.size(), 0);
    for (node_id id = 0; id < g.size(); ++id)
      if (base_[id] != no_node)
        for (node_id o : g.operands(id))
          if (base_[o] == base_[id] && g[o].op->key == g[id].op->key) inside[o] = 1;
    any_ = false;
    for (node_id id = 0; id < g.size(); ++id)
      if (base_[id] != no_node && inside[id] == 0 && saves(id)) {
        is_end_[id] = 1;
        any_ = true;
      }
  }

  tfgraph::detail::list<node_id> base_;
  tfgraph::detail::list<index> exponent_;
  tfgraph::detail::list<std::int32_t> products_, uses_;
  tfgraph::detail::list<char> is_end_;
  bool any_ = false;
  int products_seen_ = 0;
};

}  // namespace tfgraph::optimize
