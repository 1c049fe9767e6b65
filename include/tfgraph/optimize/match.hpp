// Finding the pattern of a rule in a graph.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/movement.hpp>
#include <tfgraph/optimize/fold.hpp>
#include <tfgraph/optimize/pattern.hpp>

#include <initializer_list>
#include <limits>

namespace tfgraph::optimize {
namespace detail {

/// The bits of a number as an element of type `t`; not `ok` where the type does not have it.
struct number_bits {
  bool ok = false;
  element_bits bits = 0;
};

constexpr number_bits bits_of_number(double v, dtype t) {
  return tfgraph::detail::visit_dtype(t, [v]<class T>(T) -> number_bits {
    if constexpr (std::is_floating_point_v<T>)
      return {true, tfgraph::detail::to_bits(static_cast<T>(v))};
    else {
      if (v < 0 && !std::is_signed_v<T>) return {};
      const auto i = static_cast<std::int64_t>(v);
      if (static_cast<double>(i) != v || (std::is_same_v<T, bool> && v > 1)) return {};
      return {true, tfgraph::detail::to_bits(static_cast<T>(i))};
    }
  });
}

/// The smallest or largest element: for floating point the infinities.
constexpr element_bits extreme_bits(bool highest, dtype t) {
  return tfgraph::detail::visit_dtype(t, [highest]<class T>(T) {
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>)
      return tfgraph::detail::to_bits<T>(highest ? limits::infinity() : -limits::infinity());
    else return tfgraph::detail::to_bits<T>(highest ? limits::max() : limits::lowest());
  });
}

/// Whether two shapes are known to be equal: an extent of which nothing is known equals nothing.
constexpr bool surely_equal(const spec& a, const spec& b) {
  if (!(a == b)) return false;
  for (int i = 0; i < a.shape.rank; ++i)
    if (a.shape[i] == extents::unknown) return false;
  return true;
}

}  // namespace detail

/// What rules may ask of whoever applies them.
class rule_context {
 public:
  /// Appends a node, in its final form unless it is the outermost of a result; no_node if the
  /// operands do not fit the operator.
  constexpr virtual node_id make(const operation* op, std::span<const node_id> operands,
                                 std::span<const index> attributes, bool outermost = false) = 0;
  /// Whether one operand only refers to what the node stands for.
  [[nodiscard]] constexpr virtual bool single_use(node_id n) = 0;
  /// An operator that rules may introduce, or null.
  [[nodiscard]] constexpr virtual tfgraph::detail::optional_pointer<const operation> find_operator(
      std::uint64_t key) const = 0;

 protected:
  constexpr ~rule_context() = default;
};

/// A rule's pattern found at a node: what its variables and operators stand for.
class match {
 public:
  constexpr match(rule_context& owner, graph& in, const rule_set& set, const parsed_rule& rule,
                  node_id at)
      : g(in), root(at), owner_(owner), set_(set), rule_(rule) {}

  graph& g;
  node_id root;

  /// Tries the pattern with the operands of commutative operators in every order.
  constexpr bool find() {
    for (unsigned order = 0; order < 1u << rule_.swaps; ++order) {
      for (node_id& b : bound_) b = no_node;
      if (found(rule_.from, root, order)) return true;
    }
    return false;
  }

  /// What a variable stands for.
  [[nodiscard]] constexpr node_id operator[](char variable) const {
    int i = 0;
    while (rule_.variables[i] != variable) ++i;
    return bound_[i];
  }
  /// What the i-th part of the pattern (in the order of the text) stands for; 0 is the root.
  [[nodiscard]] constexpr node_id part(int i) const { return parts_[i]; }

  /// The element type that decides whether the rule holds: the first variable's.
  [[nodiscard]] constexpr dtype element_type() const { return element(bound_[0]); }

  [[nodiscard]] constexpr spec type(node_id n) const { return g.type(n); }
  [[nodiscard]] constexpr extents shape(node_id n) const { return g.type(n).shape; }
  [[nodiscard]] constexpr dtype element(node_id n) const { return g.type(n).type; }
  [[nodiscard]] constexpr std::span<const index> attributes(node_id n) const {
    return g.view().attributes(n);
  }
  /// The value of a node that is one value everywhere, as a floating-point number.
  [[nodiscard]] constexpr double number(node_id n) const {
    return tfgraph::detail::visit_dtype(element(n), [&]<class T>(T) {
      return static_cast<double>(tfgraph::detail::from_bits<T>(detail::full_bits(g, n)));
    });
  }
  [[nodiscard]] constexpr element_bits bits(node_id n) const { return detail::full_bits(g, n); }
  [[nodiscard]] constexpr bool is_full(node_id n) const { return detail::is_full(g, n); }
  /// Whether the matched node alone uses this one.
  [[nodiscard]] constexpr bool single_use(node_id n) const { return owner_.single_use(n); }

  /// Makes a node (in its simplest form) for the result; no_node if the operands do not fit.
  constexpr node_id make(const operation* op, std::initializer_list<node_id> operands,
                         std::span<const index> attributes = {}) {
    return owner_.make(op, {operands.begin(), operands.size()}, attributes);
  }
  template <class Op>
  constexpr node_id make(std::initializer_list<node_id> operands,
                         std::span<const index> attributes = {}) {
    return make(ops::id<Op>, operands, attributes);
  }
  constexpr node_id make_number(double v, const spec& type) {
    const detail::number_bits n = detail::bits_of_number(v, type.type);
    return n.ok ? tfgraph::detail::record_full(g, type, n.bits) : no_node;
  }
  constexpr node_id reshape(node_id x, const extents& e) {
    if (x == no_node || shape(x) == e) return x;
    return make<ops::reshape>({x}, {e.value, static_cast<std::size_t>(e.rank)});
  }
  constexpr node_id broadcast(node_id x, const extents& e) {
    if (x == no_node || shape(x) == e) return x;
    return make<ops::broadcast_to>({x}, {e.value, static_cast<std::size_t>(e.rank)});
  }

  /// What the `to` pattern of the rule says, or no_node.
  constexpr node_id build() { return build(rule_.to, true); }

 private:
  static constexpr int most_parts = 24;

  constexpr bool found(std::int16_t at, node_id n, unsigned order) {
    const term& t = set_.terms[at];
    parts_[at - rule_.from] = n;
    switch (t.kind) {
      case term_kind::operation: {
        const node& x = g[n];
        if (x.op->key != rule_.key_of(t)) return false;
        if (t.arguments == term::any_number) {
          return found(static_cast<std::int16_t>(at + 1), g.operand(n, 0), order);
        }
        if (x.operand_count != t.arguments) return false;
        const bool swapped = t.swap >= 0 && (order >> t.swap & 1) != 0;
        std::int16_t argument = static_cast<std::int16_t>(at + 1);
        for (int k = 0; k < t.arguments; ++k) {
          if (!found(argument, g.operand(n, swapped ? 1 - k : k), order)) return false;
          argument = set_.terms[argument].next;
        }
        return true;
      }
      case term_kind::known:
        if (!detail::is_known(g, n)) return false;
        [[fallthrough]];
      case term_kind::variable: {
        node_id& b = bound_[t.variable];
        if (b == no_node) b = n;
        return b == n;
      }
      default:
        return is_full(n) && is_value(t, n);
    }
  }

  [[nodiscard]] constexpr bool is_value(const term& t, node_id n) const {
    const dtype type = element(n);
    if (t.kind != term_kind::number)
      return type != dtype::boolean &&
             bits(n) == detail::extreme_bits(t.kind == term_kind::highest, type);
    const detail::number_bits v = detail::bits_of_number(t.number, type);
    return v.ok && v.bits == bits(n);
  }

  constexpr node_id build(std::int16_t at, bool outermost);

  rule_context& owner_;
  const rule_set& set_;
  const parsed_rule& rule_;
  node_id bound_[parsed_rule::most_variables] = {};
  node_id parts_[most_parts] = {};
};

constexpr node_id match::build(std::int16_t at, bool outermost) {
  const term& t = set_.terms[at];
  if (t.kind == term_kind::variable || t.kind == term_kind::known) return bound_[t.variable];
  if (t.kind != term_kind::operation) {  // a number: for the whole result, or to compute with
    spec type = g.type(root);
    if (!outermost) type = {element(g.operand(root, g[root].operand_count - 1)), {}};
    if (t.kind == term_kind::number) return make_number(t.number, type);
    const element_bits b = detail::extreme_bits(t.kind == term_kind::highest, type.type);
    return tfgraph::detail::record_full(g, type, b);
  }
  tfgraph::detail::optional_pointer<const operation> op;
  node_id like = no_node;  // attributes come from here
  for (std::int16_t p = rule_.from; !op && p < set_.terms[rule_.from].next; ++p)
    if (rule_.key_of(set_.terms[p]) == rule_.key_of(t)) {
      like = parts_[p - rule_.from];
      op = g[like].op;
    }
  if (!op) {
    op = owner_.find_operator(rule_.key_of(t));
    if (!op) return no_node;
    for (std::int16_t p = rule_.from; like == no_node && p < set_.terms[rule_.from].next; ++p)
      if (op->kind != operation_kind::elementwise && set_.terms[p].key != 0 &&
          g[parts_[p - rule_.from]].op->kind == op->kind)
        like = parts_[p - rule_.from];
  }
  const std::span<const index> attributes =
      like == no_node ? std::span<const index>() : this->attributes(like);
  index copied[3 * max_rank] = {};
  const std::size_t count = attributes.size();
  for (std::size_t i = 0; i < count; ++i) copied[i] = attributes[i];  // the graph's lists move
  node_id operands[4] = {};
  std::int16_t argument = static_cast<std::int16_t>(at + 1);
  for (int k = 0; k < t.arguments; ++k) {
    operands[k] = build(argument, false);
    argument = set_.terms[argument].next;
  }
  return owner_.make(op.pointer, {operands, static_cast<std::size_t>(t.arguments)}, {copied, count},
                     outermost);
}

}  // namespace tfgraph::optimize
