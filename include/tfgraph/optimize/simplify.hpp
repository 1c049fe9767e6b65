// Local rewrites that change no bit of any result: a table of rules, tried on each node in turn.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/all.hpp>
#include <tfgraph/optimize/cse.hpp>
#include <tfgraph/optimize/fold.hpp>

#include <iterator>

namespace tfgraph::optimize {
namespace detail {

/// A node under inspection, in the graph that grows.
struct candidate {
  graph& g;
  node_id id;

  [[nodiscard]] constexpr const node& self() const { return g[id]; }
  [[nodiscard]] constexpr spec type() const { return g.type(id); }
  [[nodiscard]] constexpr node_id operand(int k) const { return g.operand(id, k); }
  template <class Op>
  [[nodiscard]] constexpr bool is(node_id n) const {
    return ops::is<Op>(g[n].op);
  }
  /// The node if it has the type of this one (no broadcast is lost), else no_node.
  [[nodiscard]] constexpr node_id if_same_type(node_id n) const {
    return g[n].type == g[id].type ? n : no_node;
  }
  /// Whether n is everywhere the number v (with its sign, for zeros).
  [[nodiscard]] constexpr bool is_number(node_id n, int v, bool negative_zero = false) const {
    if (!is_full(g, n)) return false;
    const dtype t = g.type(n).type;
    if (t == dtype::boolean) return false;
    const element_bits bits = full_bits(g, n);
    if (negative_zero) return is_floating(t) && bits == element_bits{1} << (8 * size_of(t) - 1);
    return bits == tfgraph::detail::literal_bits(v, t);
  }
  template <class Op>
  constexpr node_id make(std::initializer_list<node_id> operands) const {
    return g.add(ops::id<Op>, type(), operands);
  }
  template <class Op>
  constexpr node_id make(std::initializer_list<node_id> operands,
                         std::initializer_list<index> attributes) const {
    return g.add(ops::id<Op>, type(), operands, attributes);
  }
};

/// What stands for the candidate instead, or no_node.
using rewrite_rule = node_id(const candidate&);

/// What must be so for a rule to be tried; it saves trying most rules on most nodes.
enum class rule_needs : std::uint8_t { nothing, known_operand };

struct rule {
  std::string_view name;
  const operation* op;  ///< the operator of the node that it rewrites
  rewrite_rule* apply;
  rule_needs needs = rule_needs::nothing;
};

// The value-preserving conversions: every value of `from` is a value of `to`.
constexpr bool preserves_value(dtype from, dtype to) {
  if (from == to || from == dtype::boolean) return true;
  if (to == dtype::boolean) return false;
  if (is_floating(from)) return is_floating(to) && size_of(to) > size_of(from);
  if (is_floating(to)) return size_of(from) < size_of(to);
  if (is_signed_integer(to))
    return size_of(to) > size_of(from) || (is_signed_integer(from) && size_of(to) == size_of(from));
  return is_unsigned_integer(from) && size_of(to) >= size_of(from);
}

constexpr node_id reshape_to_own_type(const candidate& c, node_id x) {
  if (c.g[x].type == c.self().type) return x;
  index e[max_rank] = {};
  for (int i = 0; i < c.type().shape.rank; ++i) e[i] = c.type().shape[i];
  const node_id operands[1] = {x};
  return c.g.add(ops::id<ops::reshape>, c.type(), operands,
                 std::span<const index>(e, static_cast<std::size_t>(c.type().shape.rank)));
}

inline constexpr rule rules[] = {
    // Arithmetic with neutral elements. x + 0 is exact for integers and for -0, not for +0.
    {"add_zero", ops::id<ops::add>,
     [](const candidate& c) {
       for (int k = 0; k < 2; ++k) {
         const node_id zero = c.operand(k);
         const bool integer = is_integer(c.type().type);
         if (integer ? c.is_number(zero, 0) : c.is_number(zero, 0, true))
           if (const node_id x = c.if_same_type(c.operand(1 - k)); x != no_node) return x;
       }
       return no_node;
     },
     rule_needs::known_operand},
    {"add_negated", ops::id<ops::add>,
     [](const candidate& c) {
       for (int k = 1; k >= 0; --k)
         if (c.is<ops::neg>(c.operand(k)))
           return c.make<ops::sub>({c.operand(1 - k), c.g.operand(c.operand(k), 0)});
       return no_node;
     }},
    {"subtract_zero", ops::id<ops::sub>,
     [](const candidate& c) {
       return c.is_number(c.operand(1), 0) ? c.if_same_type(c.operand(0)) : no_node;
     },
     rule_needs::known_operand},
    {"subtract_negated", ops::id<ops::sub>,
     [](const candidate& c) {
       if (!c.is<ops::neg>(c.operand(1))) return no_node;
       return c.make<ops::add>({c.operand(0), c.g.operand(c.operand(1), 0)});
     }},
    {"multiply_by_one", ops::id<ops::mul>,
     [](const candidate& c) {
       for (int k = 0; k < 2; ++k)
         if (c.is_number(c.operand(k), 1))
           if (const node_id x = c.if_same_type(c.operand(1 - k)); x != no_node) return x;
       return no_node;
     },
     rule_needs::known_operand},
    {"multiply_by_minus_one", ops::id<ops::mul>,
     [](const candidate& c) {
       if (is_unsigned_integer(c.type().type)) return no_node;
       for (int k = 0; k < 2; ++k)
         if (c.is_number(c.operand(k), -1))
           if (const node_id x = c.if_same_type(c.operand(1 - k)); x != no_node)
             return c.make<ops::neg>({x});
       return no_node;
     },
     rule_needs::known_operand},
    {"multiply_negated", ops::id<ops::mul>,
     [](const candidate& c) {
       if (!c.is<ops::neg>(c.operand(0)) || !c.is<ops::neg>(c.operand(1))) return no_node;
       return c.make<ops::mul>({c.g.operand(c.operand(0), 0), c.g.operand(c.operand(1), 0)});
     }},
    {"divide_by_one", ops::id<ops::div>,
     [](const candidate& c) {
       return c.is_number(c.operand(1), 1) ? c.if_same_type(c.operand(0)) : no_node;
     },
     rule_needs::known_operand},
    {"square_is_product", ops::id<ops::square>,
     [](const candidate& c) { return c.make<ops::mul>({c.operand(0), c.operand(0)}); }},
    {"integer_power_is_products", ops::id<ops::integer_power>,
     [](const candidate& c) {
       const index exponent = c.g.attribute(c.id, 0);
       const node_id x = c.operand(0);
       if (exponent == 1) return x;
       if (exponent == 0)
         return tfgraph::detail::record_full(c.g, c.type(),
                                             tfgraph::detail::literal_bits(1, c.type().type));
       if (exponent < 0) {
         if (!is_floating(c.type().type)) return no_node;  // refused where it is called
         return c.make<ops::reciprocal>({c.make<ops::integer_power>({x}, {-exponent})});
       }
       // Binary powering from the lowest bit, as the operator is defined.
       node_id power = no_node;
       node_id base = x;
       for (index n = exponent; n != 0; n >>= 1) {
         if ((n & 1) != 0) power = power == no_node ? base : c.make<ops::mul>({power, base});
         if (n > 1) base = c.make<ops::mul>({base, base});
       }
       return power;
     }},

    // f(f(x)), f(g(x)).
    {"double_negation", ops::id<ops::neg>,
     [](const candidate& c) {
       return c.is<ops::neg>(c.operand(0)) ? c.g.operand(c.operand(0), 0) : no_node;
     }},
    {"double_not", ops::id<ops::logical_not>,
     [](const candidate& c) {
       return c.is<ops::logical_not>(c.operand(0)) ? c.g.operand(c.operand(0), 0) : no_node;
     }},
    {"double_inversion", ops::id<ops::bit_not>,
     [](const candidate& c) {
       return c.is<ops::bit_not>(c.operand(0)) ? c.g.operand(c.operand(0), 0) : no_node;
     }},
    {"abs_of_abs", ops::id<ops::abs>,
     [](const candidate& c) {
       if (c.is<ops::abs>(c.operand(0))) return c.operand(0);
       if (c.is<ops::neg>(c.operand(0)) && !is_unsigned_integer(c.type().type))
         return c.make<ops::abs>({c.g.operand(c.operand(0), 0)});
       return no_node;
     }},
    {"rounding_twice", ops::id<ops::floor>,
     [](const candidate& c) { return c.is<ops::floor>(c.operand(0)) ? c.operand(0) : no_node; }},
    {"rounding_twice", ops::id<ops::ceil>,
     [](const candidate& c) { return c.is<ops::ceil>(c.operand(0)) ? c.operand(0) : no_node; }},
    {"rounding_twice", ops::id<ops::trunc>,
     [](const candidate& c) { return c.is<ops::trunc>(c.operand(0)) ? c.operand(0) : no_node; }},
    {"rounding_twice", ops::id<ops::round>,
     [](const candidate& c) { return c.is<ops::round>(c.operand(0)) ? c.operand(0) : no_node; }},
    {"not_of_equality", ops::id<ops::logical_not>,
     [](const candidate& c) {
       const node_id x = c.operand(0);
       if (c.is<ops::equal>(x))
         return c.make<ops::not_equal>({c.g.operand(x, 0), c.g.operand(x, 1)});
       if (c.is<ops::not_equal>(x))
         return c.make<ops::equal>({c.g.operand(x, 0), c.g.operand(x, 1)});
       return no_node;
     }},

    // f(x, x).
    {"maximum_of_same", ops::id<ops::maximum>,
     [](const candidate& c) { return c.operand(0) == c.operand(1) ? c.operand(0) : no_node; }},
    {"minimum_of_same", ops::id<ops::minimum>,
     [](const candidate& c) { return c.operand(0) == c.operand(1) ? c.operand(0) : no_node; }},
    {"and_of_same", ops::id<ops::logical_and>,
     [](const candidate& c) { return c.operand(0) == c.operand(1) ? c.operand(0) : no_node; }},
    {"or_of_same", ops::id<ops::logical_or>,
     [](const candidate& c) { return c.operand(0) == c.operand(1) ? c.operand(0) : no_node; }},
    {"bit_and_of_same", ops::id<ops::bit_and>,
     [](const candidate& c) { return c.operand(0) == c.operand(1) ? c.operand(0) : no_node; }},
    {"bit_or_of_same", ops::id<ops::bit_or>,
     [](const candidate& c) { return c.operand(0) == c.operand(1) ? c.operand(0) : no_node; }},

    // Selection.
    {"where_known", ops::id<ops::where>,
     [](const candidate& c) {
       if (c.operand(1) == c.operand(2)) return c.if_same_type(c.operand(1));
       if (!is_full(c.g, c.operand(0))) return no_node;
       return c.if_same_type(c.operand(full_bits(c.g, c.operand(0)) != 0 ? 1 : 2));
     }},

    // What differentiation alone looks at.
    {"stop_gradient_is_identity", ops::id<ops::stop_gradient>,
     [](const candidate& c) { return c.operand(0); }},
    {"custom_gradient_is_identity", ops::id<ops::custom_gradient>,
     [](const candidate& c) { return c.operand(0); }},

    // Conversions that lose nothing.
    {"cast_to_own_type", ops::id<ops::cast>,
     [](const candidate& c) { return c.if_same_type(c.operand(0)); }},
    {"cast_of_cast", ops::id<ops::cast>,
     [](const candidate& c) {
       const node_id inner = c.operand(0);
       if (!c.is<ops::cast>(inner)) return no_node;
       const node_id x = c.g.operand(inner, 0);
       const dtype from = c.g.type(x).type;
       const dtype over = c.g.type(inner).type;
       const dtype to = c.type().type;
       if (!preserves_value(from, over)) return no_node;
       // Floating point saturates where integers wrap.
       if (is_floating(over) && is_integer(from) && is_integer(to) && !preserves_value(from, to))
         return no_node;
       if (c.g.type(x).type == c.type().type) return x;
       return c.make<ops::cast>({x}, {static_cast<index>(c.type().type)});
     }},

    // Movement.
    {"permute_nothing", ops::id<ops::permute_dims>,
     [](const candidate& c) {
       for (int i = 0; i < c.type().shape.rank; ++i)
         if (ops::detail::normal_axis(c.g.attribute(c.id, i), c.type().shape.rank) != i)
           return no_node;
       return c.operand(0);
     }},
    {"permute_of_permute", ops::id<ops::permute_dims>,
     [](const candidate& c) {
       const node_id inner = c.operand(0);
       if (!c.is<ops::permute_dims>(inner)) return no_node;
       const int rank = c.type().shape.rank;
       index p[max_rank] = {};
       for (int i = 0; i < rank; ++i) {
         const int outer = ops::detail::normal_axis(c.g.attribute(c.id, i), rank);
         p[i] = ops::detail::normal_axis(c.g.attribute(inner, outer), rank);
       }
       const node_id operands[1] = {c.g.operand(inner, 0)};
       return c.g.add(ops::id<ops::permute_dims>, c.type(), operands,
                      std::span<const index>(p, static_cast<std::size_t>(rank)));
     }},
    {"expand_dims_is_reshape", ops::id<ops::expand_dims>,
     [](const candidate& c) { return reshape_to_own_type(c, c.operand(0)); }},
    {"squeeze_is_reshape", ops::id<ops::squeeze>,
     [](const candidate& c) { return reshape_to_own_type(c, c.operand(0)); }},
    {"reshape_nothing", ops::id<ops::reshape>,
     [](const candidate& c) { return c.if_same_type(c.operand(0)); }},
    {"reshape_of_reshape", ops::id<ops::reshape>,
     [](const candidate& c) {
       const node_id inner = c.operand(0);
       return c.is<ops::reshape>(inner) ? reshape_to_own_type(c, c.g.operand(inner, 0)) : no_node;
     }},
    {"broadcast_nothing", ops::id<ops::broadcast_to>,
     [](const candidate& c) { return c.if_same_type(c.operand(0)); }},
    {"broadcast_of_broadcast", ops::id<ops::broadcast_to>,
     [](const candidate& c) {
       const node_id inner = c.operand(0);
       if (!c.is<ops::broadcast_to>(inner)) return no_node;
       index e[max_rank] = {};
       for (int i = 0; i < c.type().shape.rank; ++i) e[i] = c.type().shape[i];
       const node_id operands[1] = {c.g.operand(inner, 0)};
       return c.g.add(ops::id<ops::broadcast_to>, c.type(), operands,
                      std::span<const index>(e, static_cast<std::size_t>(c.type().shape.rank)));
     }},
    {"slice_nothing", ops::id<ops::slice>,
     [](const candidate& c) {
       // With all elements kept and no step negative, nothing moves.
       if (!(c.g[c.operand(0)].type == c.self().type)) return no_node;
       for (int i = 0; 3 * i < c.self().attribute_count; ++i)
         if (c.g.attribute(c.id, 3 * i + 2) < 0 && c.type().shape[i] > 1) return no_node;
       return c.operand(0);
     }},
    {"concat_of_one", ops::id<ops::concat>,
     [](const candidate& c) { return c.self().operand_count == 1 ? c.operand(0) : no_node; }},
};

// A reduction over axes of extent 1 only moves its operand.
constexpr node_id reduce_nothing(const candidate& c) {
  if (c.self().op->kind != operation_kind::reduction || c.self().op->to_position) return no_node;
  const node_id x = c.operand(0);
  if (c.g.type(x).shape.size() != c.type().shape.size() || c.type().shape.size() == 0)
    return no_node;
  return reshape_to_own_type(c, x);
}

// The rules of an operator stand in its chain; the table is indexed by its name.
struct rule_index {
  static constexpr std::size_t size = 64;
  static constexpr std::size_t slot(const operation* op) { return op->key % size; }
  static constexpr int end = -1;
  int first[size] = {};
  int next[std::size(rules)] = {};

  constexpr rule_index() {
    for (int& f : first) f = end;
    for (int r = static_cast<int>(std::size(rules)) - 1; r >= 0; --r) {
      int& f = first[slot(rules[r].op)];
      next[r] = f;
      f = r;
    }
  }
};
inline constexpr rule_index rule_table{};

}  // namespace detail

/// Folds constants, applies the rules and merges common subexpressions, in one sweep from the
/// inputs to the outputs: when a node is visited, its operands are in their final form. The result
/// is `settled` if another sweep would find nothing.
[[nodiscard]] constexpr graph simplify(const graph_view& g, const fold_limits& limits = {}) {
  constexpr int most_rewrites_per_node = 16;
  tfgraph::detail::rewriting r(g);
  distinct_nodes distinct(g.nodes.size());
  index budget = limits.elements;
  bool settled = true;
  for (node_id id = 0; id < g.size(); ++id) {
    const node_id before = r.to.size();
    node_id now = r.copy(id);
    if (g[id].op->kind == operation_kind::input) continue;
    if (r.to[now].operand_count > 0 && r.to.type(now).shape.is_static()) {
      for (int i = 0; i < most_rewrites_per_node; ++i) {
        const detail::candidate c{r.to, now};
        const operation* op = c.self().op;
        const bool some_known = detail::has_known_operand(r.to, now);
        node_id next = some_known ? fold(r.to, now, limits, budget) : no_node;
        if (next == no_node && op->kind == operation_kind::reduction)
          next = detail::reduce_nothing(c);
        for (int k = detail::rule_table.first[detail::rule_index::slot(op)];
             next == no_node && k != detail::rule_index::end; k = detail::rule_table.next[k]) {
          const detail::rule& rule = detail::rules[k];
          if (rule.op->key == op->key && (some_known || rule.needs == detail::rule_needs::nothing))
            next = rule.apply(c);
        }
        if (next == no_node) break;
        now = next;
        if (now < before || r.to[now].operand_count == 0) break;  // seen before, or a constant
      }
      // Nodes that a rule made under its result have not been visited themselves.
      settled = settled && r.to.size() - before <= 2;
    }
    if (now >= before) {
      const node_id first = distinct.find_or_enter(r.to, now);
      if (first != now && now == before && r.to.size() == before + 1) r.to.remove_last();
      now = first;
    }
    r.replace(id, now);
  }
  r.to.settled = settled && budget >= 0;
  return r.finish();
}

}  // namespace tfgraph::optimize
