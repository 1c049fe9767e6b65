// Operators that only differentiation looks at; the optimiser removes them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/ops/function.hpp>

namespace tfgraph {
namespace ops {

/// x, as if it were a constant.
struct stop_gradient : elementwise<1> {
  static constexpr std::string_view name = "stop_gradient", onnx = "Identity";
  static constexpr domain operands = domain::any;
  static constexpr bool flat = true;
  template <class V>
  static constexpr V apply(V x) {
    return x;
  }
};

/// Stands for a cotangent that is not known yet: what the backward pass of a custom gradient is
/// recorded with. Its operand is what it is a cotangent of. (Its value is never used.)
struct cotangent : elementwise<1> {
  static constexpr std::string_view name = "cotangent";
  static constexpr domain operands = domain::floating;
  static constexpr bool flat = true;
  template <class V>
  static constexpr V apply(V x) {
    return x;
  }
};

/// Its first operand y, with a gradient that the user states: the second operand is a cotangent c,
/// and then come pairs of a value x on which y depends and its cotangent as computed from c.
struct custom_gradient : operator_defaults {
  static constexpr std::string_view name = "custom_gradient", onnx = "Identity";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = -1;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    return {x[0], {}};
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents&,
                                             std::span<const index>) {
    return x;
  }
  /// The computation from c to the cotangent of x again, from d.
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    if (k < 2 || k % 2 != 0) return X::none();
    graph& g = *y.g;
    const node_id from = g.operand(y.id, 1);
    const node_id to = g.operand(y.id, k + 1);
    const auto at = [from](node_id n) { return n - from; };
    tfgraph::detail::list<node_id> place(static_cast<std::size_t>(to < from ? 1 : at(to) + 1),
                                         no_node);
    place[0] = d.id;
    for (node_id id = from + 1; id <= to; ++id) {
      const node n = g[id];
      tfgraph::detail::list<node_id> operands;
      tfgraph::detail::list<index> attributes;
      bool depends = n.op->key == tfgraph::detail::operation_key("recompute");
      if (depends) attributes.push_back(d.id);  // later than what was recorded: another value
      for (int i = 0; i < n.operand_count; ++i) {
        const node_id o = g.operand(id, i);
        const bool again = o >= from && place[at(o)] != no_node;
        depends = depends || again;
        operands.push_back(again ? place[at(o)] : o);
      }
      if (!depends) continue;
      if (attributes.empty())
        for (int i = 0; i < n.attribute_count; ++i) attributes.push_back(g.attribute(id, i));
      place[at(id)] = g.add_interned(n.op, n.type, {operands.data(), operands.size()},
                                     {attributes.data(), attributes.size()});
    }
    return {y.g, to < from || place[at(to)] == no_node ? to : place[at(to)]};
  }
};

/// The same, where what is stated is the derivative, computed anew from `recompute(x)`.
struct checkpoint : custom_gradient {
  static constexpr std::string_view name = "checkpoint", onnx = "Identity";
  template <class X>
  static constexpr X jvp(int k, X d, X) {
    return k == 0 ? d : X::none();
  }
};

/// x, as another value than x for the optimiser, so that what is computed of both is computed
/// twice. Attribute: any number, which makes it another value than those of other numbers.
struct recompute : operator_defaults {
  static constexpr std::string_view name = "recompute", onnx = "Identity";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    return {x[0], {}};
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents&,
                                             std::span<const index>) {
    return x;
  }
  template <class X>
  static constexpr X vjp(int, X d, X) {
    return d;
  }
};

}  // namespace ops

/// stop_gradient(x): x, which counts as a constant when a function is differentiated.
inline constexpr elementwise_function<ops::stop_gradient> stop_gradient{};

}  // namespace tfgraph
