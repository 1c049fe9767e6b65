// The language of derivative rules: terms are nodes of the graph that a rule writes. Rules are
// templates over the type of terms, so that a rule can name operators that are defined after it.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/emit.hpp>
#include <tfgraph/ops/define.hpp>

#include <bit>
#include <concepts>
#include <initializer_list>
#include <span>

namespace tfgraph::ops {

// Operators that rules name.
struct add;
struct sub;
struct mul;
struct div;
struct neg;
struct sign;
struct square;
struct maximum;
struct full;
struct equal;
struct less;
struct less_equal;
struct greater;
struct logical_and;
struct where;
struct cast;
struct sqrt;
struct exp;
struct log;
struct sin;
struct cos;
struct sinh;
struct cosh;
struct pow;
struct integer_power;
struct digamma;
struct sigmoid;
struct sum;
struct matmul;
struct permute_dims;
struct reshape;
struct broadcast_to;
struct expand_dims;
struct squeeze;
struct slice;
struct concat;
struct scatter_add;
struct full_like;
struct sum_like;
struct reshape_like;
struct unslice;

/// A node of a graph that grows.
struct term {
  graph* g;
  node_id id;

  [[nodiscard]] constexpr spec type() const { return g->type(id); }
  [[nodiscard]] constexpr const extents& shape() const { return g->type(id).shape; }
  [[nodiscard]] constexpr int rank() const { return shape().rank; }
  /// No contribution.
  [[nodiscard]] static constexpr term none() { return {nullptr, no_node}; }
};

template <class X>
concept a_term = std::same_as<X, term>;

/// Records operator Op.
template <class Op, a_term... X>
constexpr term record_with(std::span<const index> attributes, X... x) {
  const node_id operands[] = {x.id...};
  graph* g = nullptr;
  ((g = x.g), ...);
  return {g, tfgraph::detail::emit(*g, id<Op>, operands, attributes)};
}
template <class Op, a_term... X>
constexpr term record(X... x) {
  return record_with<Op>(std::span<const index>{}, x...);
}
template <class Op, a_term... X>
constexpr term record_with(std::initializer_list<index> attributes, X... x) {
  return record_with<Op>(std::span<const index>(attributes.begin(), attributes.size()), x...);
}

template <a_term X>
constexpr term operator+(X a, X b) {
  return record<add>(a, b);
}
template <a_term X>
constexpr term operator-(X a, X b) {
  return record<sub>(a, b);
}
template <a_term X>
constexpr term operator*(X a, X b) {
  return record<mul>(a, b);
}
template <a_term X>
constexpr term operator/(X a, X b) {
  return record<div>(a, b);
}
template <a_term X>
constexpr term operator-(X a) {
  return record<neg>(a);
}

/// The number v everywhere, in the element type of x.
template <a_term X, class Full = full>
constexpr term full_of(const extents& shape, double v, X x) {
  const dtype t = x.type().type;
  const index bits[1] = {static_cast<index>(
      t == dtype::float32 ? element_bits{std::bit_cast<std::uint32_t>(static_cast<float>(v))}
                          : std::bit_cast<element_bits>(v))};
  return {x.g, x.g->add(id<Full>, spec{t, shape}, {}, bits)};
}
template <a_term X>
constexpr term number(double v, X x) {
  return full_of({}, v, x);
}
template <a_term X, class Like = full_like>
constexpr term zeros_like(X x) {
  if (x.shape().is_static()) return full_of(extents(x.shape()), 0, x);
  return record<Like>(number(0, x), x);
}
template <a_term X>
constexpr term operator*(double v, X x) {
  return number(v, x) * x;
}
template <a_term X>
constexpr term operator+(double v, X x) {
  return number(v, x) + x;
}
template <a_term X>
constexpr term operator-(double v, X x) {
  return number(v, x) - x;
}

/// Attributes that are computed.
struct attribute_list {
  index value[3 * max_rank + 1] = {};
  std::size_t size = 0;
  constexpr void push_back(index v) { value[size++] = v; }
  constexpr operator std::span<const index>() const { return {value, size}; }
};

/// The attributes of a term's node.
template <a_term X>
[[nodiscard]] constexpr attribute_list attributes_of(X y) {
  attribute_list a;
  for (int i = 0; i < (*y.g)[y.id].attribute_count; ++i) a.push_back(y.g->attribute(y.id, i));
  return a;
}

[[nodiscard]] constexpr attribute_list extents_of(const extents& e) {
  attribute_list a;
  for (int i = 0; i < e.rank; ++i) a.push_back(e[i]);
  return a;
}

/// Undoes broadcasting: sums over the axes along which the shape was stretched.
template <a_term X>
constexpr term sum_to(const extents& shape, X x) {
  const extents from = x.shape();
  if (from == shape) return x;
  attribute_list summed;
  attribute_list ones;
  summed.push_back(0);
  const int lead = from.rank - shape.rank;
  for (int i = 0; i < from.rank; ++i) {
    const bool stretched = i >= lead && shape[i - lead] == 1 && from[i] != 1;
    if (i < lead || stretched) summed.push_back(i);
    if (stretched) ones.push_back(i - lead);
  }
  if (summed.size == 1) return x;
  const X total = record_with<sum>(std::span<const index>(summed), x);
  return ones.size == 0 ? total : record_with<expand_dims>(std::span<const index>(ones), total);
}

/// Broadcasts to a shape, if it is not there yet.
template <a_term X>
constexpr term stretch_to(const extents& shape, X x) {
  if (x.shape() == shape) return x;
  return record_with<broadcast_to>(std::span<const index>(extents_of(shape)), x);
}

template <a_term X>
constexpr term reshape_to(const extents& shape, X x) {
  if (x.shape() == shape) return x;
  return record_with<reshape>(std::span<const index>(extents_of(shape)), x);
}

// The same with the shape of another term, whose extents need not be known yet.
template <a_term X>
constexpr bool are_static(X a, X b) {
  return a.shape().is_static() && b.shape().is_static();
}
template <a_term X, class Like = sum_like>
constexpr term sum_to(X like, X x) {
  return are_static(like, x) ? sum_to(extents(like.shape()), x) : record<Like>(x, like);
}
template <a_term X, class Like = full_like>
constexpr term stretch_to(X like, X x) {
  return are_static(like, x) ? stretch_to(extents(like.shape()), x) : record<Like>(x, like);
}
template <a_term X, class Like = reshape_like>
constexpr term reshape_to(X like, X x) {
  return are_static(like, x) ? reshape_to(extents(like.shape()), x) : record<Like>(x, like);
}

/// The last two axes exchanged.
template <a_term X>
constexpr term transposed(X x) {
  attribute_list p;
  const int rank = x.rank();
  for (int i = 0; i < rank; ++i) p.push_back(i < rank - 2 ? i : 2 * rank - 3 - i);
  return record_with<permute_dims>(std::span<const index>(p), x);
}

namespace detail {

template <class Op>
constexpr std::int32_t expand(graph& g, std::span<const std::int32_t> operands,
                              std::span<const index> attributes) {
  return Op::expand(term{&g, operands[0]}, term{&g, operands[1]}, attributes).id;
}

template <class Op, class X>
constexpr std::int32_t elementwise_jvp(graph& g, std::int32_t node, [[maybe_unused]] int k,
                                       std::int32_t given) {
  const X y{&g, node};
  const X d{&g, given};
  const X of_result = [&]<std::size_t... I>(std::index_sequence<I...>) -> X {
    if constexpr (Op::takes_attributes) {
      const index attributes[] = {g.attribute(node, 0)};
      return Op::derivative(std::span<const index>(attributes), d,
                            X{&g, g.operand(node, static_cast<int>(I))}..., y);
    } else if constexpr (Op::arity == 1) return Op::derivative(d, X{&g, g.operand(node, 0)}, y);
    else return Op::derivative(k, d, X{&g, g.operand(node, static_cast<int>(I))}..., y);
  }(std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
  return of_result.id;
}

template <class Op, class X>
constexpr std::int32_t elementwise_vjp(graph& g, std::int32_t node, int k, std::int32_t given) {
  const std::int32_t full = elementwise_jvp<Op, X>(g, node, k, given);
  if (full < 0) return full;
  return sum_to(X{&g, g.operand(node, k)}, X{&g, full}).id;
}

template <class Op, class X>
constexpr std::int32_t linear_jvp(graph& g, std::int32_t node, int, std::int32_t given) {
  const attribute_list attributes = attributes_of(X{&g, node});
  return record_with<Op>(std::span<const index>(attributes), X{&g, given}).id;
}

template <class Op, class X>
constexpr std::int32_t own_jvp(graph& g, std::int32_t node, int k, std::int32_t given) {
  return Op::jvp(k, X{&g, given}, X{&g, node}).id;
}

template <class Op, class X>
constexpr std::int32_t own_vjp(graph& g, std::int32_t node, int k, std::int32_t given) {
  return Op::vjp(k, X{&g, given}, X{&g, node}).id;
}

template <class Op>
constexpr void describe_derivative(operation& o) {
  o.flat = Op::flat;
  if constexpr (requires { &Op::template vjp<term>; }) {
    o.vjp = own_vjp<Op, term>;
    if constexpr (Op::linear) o.jvp = linear_jvp<Op, term>;
    else if constexpr (requires { &Op::template jvp<term>; }) o.jvp = own_jvp<Op, term>;
  } else if constexpr (requires { &Op::template derivative<term>; }) {
    o.vjp = elementwise_vjp<Op, term>;
    o.jvp = elementwise_jvp<Op, term>;
  }
}

}  // namespace detail
}  // namespace tfgraph::ops
