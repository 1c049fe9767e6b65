// Random graphs that contain the pattern of a rewrite rule, with inputs for them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/all.hpp>
#include <tfgraph/optimize/pipeline.hpp>

#include <support/random_graph.hpp>

#include <boost/hana/for_each.hpp>

#include <map>
#include <random>
#include <vector>

namespace tfgraph::test {

[[nodiscard]] inline const std::vector<const operation*>& every_operator() {
  static const std::vector<const operation*> all = [] {
    std::vector<const operation*> list;
    boost::hana::for_each(
        all_operators, [&](auto type) { list.push_back(ops::id<typename decltype(type)::type>); });
    return list;
  }();
  return all;
}

/// Puts instances of patterns into a graph. Variables become inputs or nodes that exist.
class rule_case {
 public:
  /// `tame`: only positive numbers near 1, where every formula is well-conditioned.
  explicit rule_case(std::uint64_t seed, bool tame = false, bool floating = false)
      : random_(seed), tame_(tame), floating_(floating) {}

  graph_case c;

  /// Whether an instance of the pattern was added (its root is the last output then).
  bool add(const optimize::rule_set& set, const optimize::parsed_rule& p) {
    for (int tries = 0; tries < 60; ++tries) {
      const graph_case before = c;
      type_ = any_type();
      shape_ = any_shape();
      bound_.clear();
      const node_id root = term(set, p, p.from);
      if (root != no_node && c.g.type(root).shape.size() < 5000) {
        c.g.output_list.push_back(root);
        return true;
      }
      c = before;
    }
    return false;
  }

 private:
  std::mt19937_64 random_;
  bool tame_, floating_;
  dtype type_ = dtype::float32;
  extents shape_;
  std::map<int, node_id> bound_;

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

  dtype any_type() {
    if (floating_) return dtype::float64;
    if (one_in(2)) return one_in(2) ? dtype::float32 : dtype::float64;
    return static_cast<dtype>(below(dtype_count));
  }
  extents any_shape() {
    extents e;
    for (int i = below(4); i > 0; --i) e.push_back(one_in(20) ? 0 : 1 + below(4));
    return e;
  }

  element_bits any_element(dtype t) {
    return detail::visit_dtype(t, [&]<class T>(T) -> element_bits {
      if constexpr (std::is_same_v<T, bool>) return one_in(2) ? 1 : 0;
      else if constexpr (std::is_integral_v<T>)
        return detail::to_bits(one_in(2) ? static_cast<T>(below(7) - 3)
                                         : static_cast<T>(random_()));
      else {
        using limits = std::numeric_limits<T>;
        if (tame_) return detail::to_bits(static_cast<T>(0.5 + below(1000) / 1000.0));
        if (one_in(3)) {
          const T special[] = {limits::quiet_NaN(),
                               limits::infinity(),
                               -limits::infinity(),
                               T(0),
                               T(-0.0),
                               limits::denorm_min(),
                               -limits::denorm_min(),
                               limits::max(),
                               limits::lowest(),
                               limits::min(),
                               T(1)};
          return detail::to_bits(special[below(11)]);
        }
        return detail::to_bits(static_cast<T>((below(4001) - 2000) / 700.0));
      }
    });
  }

  node_id variable(int number) {
    if (const auto found = bound_.find(number); found != bound_.end()) return found->second;
    const dtype t = one_in(6) ? dtype::boolean : type_;
    if (c.g.size() > 0 && one_in(3)) {
      const node_id n = below(c.g.size());
      if (c.g.type(n).type == t) return bound_[number] = n;
    }
    extents e;
    for (int i = one_in(4) ? below(shape_.rank + 1) : 0; i < shape_.rank; ++i)
      e.push_back(one_in(6) ? 1 : one_in(10) ? 1 + below(3) : shape_[i]);
    const spec type{t, e};
    value v{type, {}};
    for (index i = 0; i < e.size(); ++i) v.elements.push_back(any_element(t));
    c.inputs.push_back(v);
    return bound_[number] = c.g.add_input(ops::id<ops::input>, type);
  }

  node_id known(int number) {
    if (const auto found = bound_.find(number); found != bound_.end()) return found->second;
    const double some[] = {1, 2, 4, 0.25, 3, 7, 64, 1 << 20, -2};
    double v = some[below(tame_ ? 6 : 9)];
    if (!is_floating(type_) && v < 1) v = 8;
    const spec type{type_, one_in(3) ? shape_ : extents{}};
    const auto n = optimize::detail::bits_of_number(v, type_);
    return bound_[number] = detail::record_full(c.g, type,
                                                n.ok && !one_in(8) ? n.bits
                                                : one_in(2)        ? all_ones()
                                                                   : any_element(type_));
  }
  element_bits all_ones() {
    if (is_floating(type_)) return any_element(type_);
    const std::size_t bits = type_ == dtype::boolean ? 1 : 8 * size_of(type_);
    return ~element_bits{0} >> (64 - bits);
  }

  node_id term(const optimize::rule_set& set, const optimize::parsed_rule& p, std::int16_t at) {
    using optimize::term_kind;
    const optimize::term& t = set.terms[at];
    if (t.kind == term_kind::variable) return variable(t.variable);
    if (t.kind == term_kind::known) return known(t.variable);
    if (t.kind != term_kind::operation) {
      const spec type{one_in(6) ? dtype::boolean : type_, one_in(4) ? shape_ : extents{}};
      if (t.kind != term_kind::number) {
        if (type.type == dtype::boolean) return no_node;
        return detail::record_full(
            c.g, type, optimize::detail::extreme_bits(t.kind == term_kind::highest, type.type));
      }
      const auto n = optimize::detail::bits_of_number(t.number, type.type);
      return n.ok ? detail::record_full(c.g, type, n.bits) : no_node;
    }
    const operation* op = nullptr;
    for (const operation* o : every_operator())
      if (o->key == p.key_of(t)) op = o;
    if (op == nullptr) return no_node;
    if (op->kind == operation_kind::generator) {  // eye
      const index n = one_in(2) && shape_.rank > 0 ? shape_[shape_.rank - 1] : 1 + below(3);
      const index attributes[1] = {one_in(8) ? 1 : 0};
      return c.g.add(op, {type_, {n, one_in(10) ? n + 1 : n}}, {}, attributes);
    }
    std::vector<node_id> operands;
    std::int16_t argument = static_cast<std::int16_t>(at + 1);
    if (t.arguments == optimize::term::any_number) {
      operands = parts(variable(set.terms[argument].variable));
    } else
      for (int k = 0; k < t.arguments; ++k, argument = set.terms[argument].next) {
        operands.push_back(term(set, p, argument));
        if (operands.back() == no_node) return no_node;
      }
    if (op->commutative && one_in(2)) std::swap(operands[0], operands[1]);
    return add(op, operands, attributes(op, c.g.type(operands[0])));
  }

  // Operands for a concat: x itself, slices of it, a concat.
  std::vector<node_id> parts(node_id x) {
    const spec type = c.g.type(x);
    if (type.shape.rank == 0) return {x};
    const index half = type.shape[0] / 2;
    const std::vector<index> zero{0};
    switch (below(4)) {
      case 0:
        return {x};
      case 1:
        return {add(ops::id<ops::concat>, {x, x}, zero), x};
      case 2:
        return {add(ops::id<ops::slice>, {x}, {0, half, 1}),
                add(ops::id<ops::slice>, {x}, {half, end, 1})};
      default:
        return {x, x};
    }
  }

  std::vector<index> attributes(const operation* op, const spec& x) {
    std::vector<index> a;
    const int rank = x.shape.rank;
    if (op->kind == operation_kind::reduction) {
      a.push_back(below(2));
      for (int i = 0; i < rank; ++i)
        if (one_in(2)) a.push_back(i);
    } else if (op->kind == operation_kind::concatenation) a.push_back(0);
    else if (ops::is<ops::cast>(op)) a.push_back(below(floating_ ? 1 : dtype_count));
    else if (ops::is<ops::integer_power>(op)) a.push_back(below(8));
    else if (ops::is<ops::permute_dims>(op)) {
      for (int i = 0; i < rank; ++i) a.push_back(i);
      if (one_in(2)) std::reverse(a.begin(), a.end());
      else std::shuffle(a.begin(), a.end(), random_);
    } else if (ops::is<ops::reshape>(op)) {
      if (one_in(2)) a = {x.shape.size()};
      else
        for (int i = 0; i < rank; ++i) a.push_back(x.shape[i]);
    } else if (ops::is<ops::broadcast_to>(op)) {
      for (int i = below(3); i > 0; --i) a.push_back(1 + below(3));
      for (int i = 0; i < rank; ++i)
        a.push_back(x.shape[i] == 1 && one_in(2) ? 1 + below(3) : x.shape[i]);
    } else if (ops::is<ops::expand_dims>(op)) a.push_back(below(rank + 1));
    else if (ops::is<ops::squeeze>(op)) {
      for (int i = 0; i < rank; ++i)
        if (x.shape[i] == 1) a.push_back(i);
    } else if (ops::is<ops::slice>(op)) {
      for (int i = 0; i < rank && !one_in(5); ++i) {
        const index steps[] = {1, 1, 2, -1};
        const index step = steps[below(4)];
        a.push_back(one_in(2) ? (step > 0 ? 0 : end) : below(7) - 3);
        a.push_back(one_in(2) ? end : below(7) - 3);
        a.push_back(step);
      }
    }
    return a;
  }

  node_id add(const operation* op, const std::vector<node_id>& operands,
              const std::vector<index>& a) {
    std::vector<spec> types;
    for (node_id o : operands) {
      if (o == no_node) return no_node;
      types.push_back(c.g.type(o));
    }
    if (op->partial && !is_floating(types[0].type)) {  // it must not throw
      if (!ops::is<ops::full>(c.g[operands.back()].op)) return no_node;
      const auto by = static_cast<element_bits>(c.g.attribute(operands.back(), 0));
      const bool shifts = ops::is<ops::shift_left>(op) || ops::is<ops::shift_right>(op);
      if (shifts ? by >= 8 * size_of(types[0].type) : by == 0) return no_node;
    }
    const inference r = op->infer(types, a);
    if (!r.objection.empty()) return no_node;
    return c.g.add(op, r.result, operands, a);
  }
};

}  // namespace tfgraph::test
