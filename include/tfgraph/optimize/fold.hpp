// Constant folding: a node whose operands are all known is replaced by its value.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/generate.hpp>
#include <tfgraph/optimize/rewrite.hpp>
#include <tfgraph/trace/operand.hpp>

namespace tfgraph::optimize {

/// What folding may cost.
struct fold_limits {
  std::size_t bytes = 100 * 1024;  ///< the largest constant that it makes
  /// Elements computed in one pass: a pass is one constant expression, and compilers bound its
  /// length. What is left over is folded by the next pass.
  index elements = 4096;
};

namespace detail {

constexpr bool is_known(const graph& g, node_id id) {
  const operation_kind k = g[id].op->kind;
  return k == operation_kind::constant || k == operation_kind::generator;
}

constexpr bool has_known_operand(const graph& g, node_id id) {
  const node& n = g[id];
  for (std::int32_t k = 0; k < n.operand_count; ++k)
    if (is_known(g, g.operand_list[n.first_operand + k])) return true;
  return false;
}

constexpr bool is_full(const graph& g, node_id id) { return ops::is<ops::full>(g[id].op); }

constexpr element_bits full_bits(const graph& g, node_id id) {
  return static_cast<element_bits>(g.attribute_list[g[id].first_attribute]);
}

constexpr value value_of_node(const graph& g, node_id id) {
  return evaluate(*g[id].op, g.type(id), g.view().attributes(id), {}, g.pool);
}

}  // namespace detail

/// The node that folds `id` (a node of `g` with known operands), or no_node where that would cost
/// too much. `budget` counts down the elements computed; it is negative once something was too
/// much.
[[nodiscard]] constexpr node_id fold(graph& g, node_id id, const fold_limits& limits,
                                     index& budget) {
  const node n = g[id];
  if (n.operand_count == 0 || !detail::is_known(g, g.operand(id, 0))) return no_node;
  if (n.op->partial && !is_floating(g.type(g.operand(id, 0)).type)) return no_node;
  bool all_full = true;
  index work = 0;
  for (int k = 0; k < n.operand_count; ++k) {
    const node_id o = g.operand(id, k);
    if (!detail::is_known(g, o)) return no_node;
    all_full = all_full && detail::is_full(g, o);
    work += g.type(o).shape.size();
  }
  const spec type = g.type(id);
  const graph_view view = g.view();
  if (all_full && n.op->kind == operation_kind::elementwise) {
    element_bits lane[4] = {};
    for (int k = 0; k < n.operand_count; ++k) lane[k] = detail::full_bits(g, g.operand(id, k));
    const dtype operand = g.type(g.operand(id, n.operand_count - 1)).type;
    return tfgraph::detail::record_full(
        g, type, n.op->element(operand, type.type, view.attributes(id), lane));
  }
  if (all_full && n.op->kind == operation_kind::movement)
    return tfgraph::detail::record_full(g, type, detail::full_bits(g, g.operand(id, 0)));

  const index count = type.shape.size();
  if (n.op->kind == operation_kind::contraction) work *= count;
  if (static_cast<std::size_t>(count) * size_of(type.type) > limits.bytes) return no_node;
  if (work + count > limits.elements) return no_node;
  if (work + count > budget) {
    budget = -1;
    return no_node;
  }
  budget -= work + count;

  std::vector<value> values;
  for (node_id o : view.operands(id)) values.push_back(detail::value_of_node(g, o));
  std::vector<const value*> pointers;
  for (const value& v : values) pointers.push_back(&v);
  return tfgraph::detail::record_value(g, evaluate(*n.op, type, view.attributes(id), pointers));
}

}  // namespace tfgraph::optimize
