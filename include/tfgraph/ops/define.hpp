// How an operator is defined: one struct per operator states its name, its rules and its meaning
// for one lane or many; everything else (graph table, constant folding, executors) is derived here.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/element.hpp>
#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/layout.hpp>
#include <tfgraph/graph/operation.hpp>
#include <tfgraph/simd/floating.hpp>

#include <span>
#include <type_traits>

namespace tfgraph::ops {

/// Which element types an operator takes.
enum class domain : std::uint8_t {
  boolean = 1,
  integer = 2,
  floating = 4,
  numeric = integer | floating,
  bits = boolean | integer,
  any = boolean | integer | floating
};

[[nodiscard]] constexpr bool contains(domain d, dtype t) {
  const auto has = [d](domain x) { return (static_cast<int>(d) & static_cast<int>(x)) != 0; };
  return t == dtype::boolean ? has(domain::boolean)
         : is_floating(t)    ? has(domain::floating)
                             : has(domain::integer);
}

[[nodiscard]] constexpr std::string_view name_of(domain d) {
  switch (d) {
    case domain::boolean:
      return "bool";
    case domain::integer:
      return "an integer type";
    case domain::floating:
      return "a floating-point type";
    case domain::numeric:
      return "a numeric type";
    case domain::bits:
      return "bool or an integer type";
    case domain::any:
      break;
  }
  return "any type";
}

/// The shape that results when shapes broadcast together (NumPy's rule): aligned at the last axis,
/// extents equal or 1.
struct broadcast_result {
  extents shape;
  bool ok = true;
};

[[nodiscard]] constexpr broadcast_result broadcast(const extents& a, const extents& b) {
  broadcast_result r{a.rank >= b.rank ? a : b, true};
  const extents& small = a.rank >= b.rank ? b : a;
  for (int i = 1; i <= small.rank; ++i) {
    index& e = r.shape[r.shape.rank - i];
    const index other = small[small.rank - i];
    if (e == other || other == 1) continue;
    if (e == 1) e = other;
    else if (e >= 0 && other >= 0) r.ok = false;
    else if (e < 0) e = other >= 0 ? other : extents::unknown;  // checked when it is known
  }
  return r;
}

/// What every operator struct inherits: the defaults.
struct operator_defaults {
  static constexpr bool commutative = false;
  static constexpr bool partial = false;  ///< may throw domain_error for some integers
  /// So many leading operands are of type `leading_type`, whatever the rest.
  static constexpr int conditions = 0;
  static constexpr dtype leading_type = dtype::boolean;
  static constexpr std::string_view onnx = "";
  static constexpr bool linear = false;         ///< in its only operand: tangents pass through it
  static constexpr bool flat = false;           ///< the derivative is zero wherever there is one
  static constexpr bool needs_extents = false;  ///< for its derivative
};

/// An operator that works element by element on operands that broadcast together.
/// The struct states `name`, `operands` (a domain) and
/// `template <class V> static constexpr auto apply(V...)` over simd::batch or simd::mask; and, if
/// it has a derivative, `template <class X> static constexpr X derivative(int k, X d, X x..., X
/// y)`: d times the derivative of the result y by the k-th operand (without k if there is one
/// operand; with the attributes first if `apply` takes them).
template <int Arity>
struct elementwise : operator_defaults {
  static constexpr operation_kind kind = operation_kind::elementwise;
  static constexpr int arity = Arity;
  static constexpr bool predicate = false;         ///< the result is boolean
  static constexpr bool takes_attributes = false;  ///< apply(attributes, x...)
  static constexpr bool takes_type = false;        ///< apply_to<result's C++ type>(x...)
};

/// Combines the elements along axes. Attributes: keepdims (0 or 1), then the axes, ascending.
/// The struct states `combine` (an elementwise operator) and `identity<T>()`; and, if it has a
/// derivative, `derivative(d, x, y, attributes)`: d times the derivative by each element of x,
/// where d and y are stretched to the shape of x.
struct reduction : operator_defaults {
  static constexpr operation_kind kind = operation_kind::reduction;
  static constexpr int arity = 1;
};

/// Finds elements along one axis, or goes on from one to the next. The struct states `infer`,
/// `axis(operand types, attributes)`, which says where the axis is, and
/// `template <class T> static constexpr void run(axis_extents, attributes, const T* operands...,
/// T* result)` over operands that lie contiguous.
struct along_axis : operator_defaults {
  static constexpr operation_kind kind = operation_kind::along_axis;
};

namespace detail {

template <class V>
inline constexpr bool is_mask = false;
template <class T, int W>
inline constexpr bool is_mask<simd::mask<T, W>> = true;

template <class V>
inline constexpr bool is_integer_lane = std::is_integral_v<typename V::value_type>;

using tfgraph::detail::from_bits;
using tfgraph::detail::sentence;
using tfgraph::detail::to_bits;

template <class Op>
constexpr inference infer_elementwise(std::span<const spec> x, std::span<const index> attributes) {
  inference r;
  const std::size_t first = static_cast<std::size_t>(Op::conditions);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const dtype t = x[k].type;
    if (k < first ? t != dtype::boolean : !contains(Op::operands, t)) {
      r.objection << Op::name << ": argument " << static_cast<index>(k + 1) << " must have "
                  << name_of(k < first ? domain::boolean : Op::operands) << ", not " << t;
      r.about_types = true;
      return r;
    }
    if (k > first && t != x[first].type) {
      r.objection << Op::name << ": the element types " << x[first].type << " and " << t
                  << " do not mix; convert one with astype";
      r.about_types = true;
      return r;
    }
    const broadcast_result b =
        k == 0 ? broadcast_result{x[0].shape} : broadcast(r.result.shape, x[k].shape);
    if (!b.ok) {
      r.objection << Op::name << ": the shapes " << r.result.shape << " and " << x[k].shape
                  << " do not broadcast together";
      return r;
    }
    r.result.shape = b.shape;
  }
  if constexpr (requires { Op::result_type(attributes); })
    r.result.type = Op::result_type(attributes);
  else r.result.type = Op::predicate ? dtype::boolean : x[first].type;
  return r;
}

// Lanes of width one: how a single element is computed where its type is a run-time value.
// Integers are computed in 64 bits and cut to their width, which is what wrapping means.
template <class V>
constexpr element_bits encode(dtype result, V lane) {
  if constexpr (is_mask<V>) return lane.get(0) ? 1 : 0;
  else {
    const element_bits bits = to_bits(lane.get(0));
    const std::size_t size = size_of(result);
    return size == 8 ? bits : bits & ((element_bits{1} << (size * 8)) - 1);
  }
}

template <class C>
constexpr auto decode(dtype t, element_bits bits) {
  if constexpr (std::is_same_v<C, bool>) return simd::mask<std::uint64_t, 1>(bits != 0);
  else if constexpr (std::is_same_v<C, std::int64_t>) {
    const unsigned unused = static_cast<unsigned>(64 - 8 * size_of(t));
    return simd::batch<C, 1>(static_cast<std::int64_t>(bits << unused) >> unused);
  } else return simd::batch<C, 1>(from_bits<C>(bits));
}

template <class Op, class C, std::size_t... K>
constexpr element_bits apply_as(dtype operand, dtype result, std::span<const index> attributes,
                                const element_bits* x, std::index_sequence<K...>) {
  const auto lane = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if constexpr (static_cast<int>(I) < Op::conditions) return decode<bool>(dtype::boolean, x[I]);
    else return decode<C>(operand, x[I]);
  };
  if constexpr (Op::takes_attributes)
    return encode(result, Op::apply(attributes, lane(std::integral_constant<std::size_t, K>{})...));
  else return encode(result, Op::apply(lane(std::integral_constant<std::size_t, K>{})...));
}

template <class Op>
constexpr element_bits apply_element(dtype operand, dtype result, std::span<const index> attributes,
                                     const element_bits* x) {
  constexpr auto lanes = std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{};
  if constexpr (contains(Op::operands, dtype::boolean))
    if (operand == dtype::boolean) return apply_as<Op, bool>(operand, result, attributes, x, lanes);
  if constexpr (contains(Op::operands, dtype::int64)) {
    if (is_signed_integer(operand))
      return apply_as<Op, std::int64_t>(operand, result, attributes, x, lanes);
    if (is_unsigned_integer(operand))
      return apply_as<Op, std::uint64_t>(operand, result, attributes, x, lanes);
  }
  if constexpr (contains(Op::operands, dtype::float32)) {
    if (operand == dtype::float32)
      return apply_as<Op, float>(operand, result, attributes, x, lanes);
    if (operand == dtype::float64)
      return apply_as<Op, double>(operand, result, attributes, x, lanes);
  }
  return 0;  // not reached: the rule admits no other type
}

template <class Op>
constexpr element_bits identity_element(dtype, dtype result, std::span<const index>,
                                        const element_bits*) {
  return tfgraph::detail::visit_dtype(result, []<class T>(T) -> element_bits {
    if constexpr (contains(Op::operands, dtype_of<T>))
      return to_bits<T>(Op::template identity<T>());
    else return 0;
  });
}

/// The element type of the K-th operand of an operator along an axis whose result has T.
template <class Op, class T, std::size_t K>
using operand_along =
    std::conditional_t<(static_cast<int>(K) < Op::conditions), element_t<Op::leading_type>, T>;

template <class Op, class F>
constexpr void visit_along(dtype t, F f) {
  tfgraph::detail::visit_dtype(t, [&]<class T>(T) {
    if constexpr (contains(Op::operands, dtype_of<T>))
      f(T{}, std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
  });
}

template <class Op>
constexpr void run_elements(dtype t, const axis_extents& e, std::span<const index> attributes,
                            std::span<const std::span<const element_bits>> operands,
                            std::span<element_bits> result) {
  visit_along<Op>(t, [&]<class T, std::size_t... K>(T, std::index_sequence<K...>) {
    const auto unpacked = [](auto type, std::span<const element_bits> bits) {
      using X = decltype(type);
      tfgraph::detail::list<X> elements;
      for (element_bits b : bits) elements.push_back(from_bits<X>(b));
      return elements;
    };
    tfgraph::detail::list<T> out(result.size(), T{});
    Op::template run<T>(e, attributes, unpacked(operand_along<Op, T, K>{}, operands[K]).data()...,
                        out.data());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = to_bits(out[i]);
  });
}

template <class Op>
void run_memory(dtype t, const axis_extents& e, std::span<const index> attributes,
                const void* const* operands, void* result) {
  visit_along<Op>(t, [&]<class T, std::size_t... K>(T, std::index_sequence<K...>) {
    Op::template run<T>(e, attributes, static_cast<const operand_along<Op, T, K>*>(operands[K])...,
                        static_cast<T*>(result));
  });
}

// Defined in ops/term.hpp.
template <class Op>
constexpr std::int32_t expand(graph& g, std::span<const std::int32_t> operands,
                              std::span<const index> attributes);

// Enters the derivative rules of an operator. Defined in ops/term.hpp.
template <class Op>
constexpr void describe_derivative(operation& o);

template <class Op>
inline constinit block_code blocks_of{};

template <class Op>
constexpr operation describe() {
  operation o;
  o.name = Op::name;
  o.key = tfgraph::detail::operation_key(Op::name);
  o.kind = Op::kind;
  o.arity = Op::arity;
  o.commutative = Op::commutative;
  o.partial = Op::partial;
  o.onnx = Op::onnx;
  o.blocks = &blocks_of<Op>;
  o.needs_extents = Op::needs_extents;
  if constexpr (Op::kind == operation_kind::elementwise) {
    o.infer = infer_elementwise<Op>;
    if constexpr (requires { &Op::element; }) o.element = Op::element;
    else o.element = apply_element<Op>;
  } else {
    o.infer = Op::infer;
    if constexpr (requires { &Op::generate; }) o.generate = Op::generate;
    if constexpr (requires { &Op::view; }) o.view = Op::view;
    if constexpr (Op::kind == operation_kind::unbound) o.expand = expand<Op>;
    if constexpr (Op::kind == operation_kind::along_axis) {
      o.axis = Op::axis;
      o.run_elements = run_elements<Op>;
      o.run_memory = run_memory<Op>;
    }
    if constexpr (requires { typename Op::combine; }) {
      o.element = apply_element<typename Op::combine>;
      o.identity = identity_element<Op>;
    }
    if constexpr (requires { typename Op::compare; }) {
      o.element = apply_element<typename Op::compare>;
      o.to_position = true;
    }
    if constexpr (requires { typename Op::accumulate; })
      o.element = apply_element<typename Op::accumulate>;
  }
  describe_derivative<Op>(o);
  return o;
}

template <class Op>
inline constexpr operation described = describe<Op>();

// From a node's `const operation*` (a constant) back to the operator's struct: the friend function
// `operator_struct` is defined for the address when the operator is first recorded.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
template <const operation* Id>
struct identity {
  friend constexpr auto operator_struct(identity<Id>);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <class Op>
struct registered {
  friend constexpr auto operator_struct(identity<&described<Op>>) { return Op{}; }
  static constexpr const operation* id = &described<Op>;
};

}  // namespace detail

/// The identity of an operator in graphs.
template <class Op>
inline constexpr const operation* id = detail::registered<Op>::id;

/// Whether `op` is operator Op.
template <class Op>
[[nodiscard]] constexpr bool is(const operation* op) {
  constexpr std::uint64_t key = tfgraph::detail::operation_key(Op::name);
  return op->key == key;
}

/// The struct of an operator whose identity is a constant.
template <const operation* Id>
using struct_of = decltype(operator_struct(detail::identity<Id>{}));

}  // namespace tfgraph::ops
