// What can stand as an operand of an operator: handles, tensors, views, C++ scalars and static
// values; and how each becomes a node of a graph or a value.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/constant.hpp>
#include <tfgraph/core/view.hpp>
#include <tfgraph/ops/all.hpp>
#include <tfgraph/trace/live.hpp>

#include <limits>

namespace tfgraph::detail {

enum class operand_kind { none, handle, array, literal };

/// Kind, element type and shape of an operand type.
template <class A>
struct operand {
  static constexpr operand_kind kind = operand_kind::none;
};

template <class T, class Shape>
struct operand<expr<T, Shape>> {
  static constexpr operand_kind kind = operand_kind::handle;
  using value_type = T;
  using shape_type = Shape;
};

template <class T, class Shape>
struct operand<live_expr<T, Shape>> : operand<expr<T, Shape>> {};

template <class T, std::size_t... E>
struct operand<tensor<T, E...>> {
  static constexpr operand_kind kind = operand_kind::array;
  using value_type = T;
  using shape_type = shape<E...>;
};

template <class T, std::size_t... E>
struct operand<view<T, E...>> {
  static constexpr operand_kind kind = operand_kind::array;
  using value_type = std::remove_const_t<T>;
  using shape_type = shape<E...>;
};

// Without value_type and shape_type: only the running program knows them.
template <>
struct operand<any_expr> {
  static constexpr operand_kind kind = operand_kind::handle;
};
template <>
struct operand<any_tensor> {
  static constexpr operand_kind kind = operand_kind::array;
};

template <class A>
  requires std::is_arithmetic_v<A>
struct operand<A> {
  static_assert(element<A>, "tfgraph: this arithmetic type is not an element type of tensors");
  static constexpr operand_kind kind = operand_kind::literal;
  using value_type = A;
  using shape_type = shape<>;
};

template <static_value A>
  requires(!std::is_arithmetic_v<A>)
struct operand<A> : operand<std::remove_cv_t<decltype(A::value)>> {};

/// A handle whose element type gives way to that of tensors, as a C++ scalar's does: the number of a
/// loop's turn, and what is computed from it and scalars.
template <class Handle>
class weak : public Handle {
 public:
  using Handle::Handle;
  using Handle::operator=;
};
template <class Handle>
struct operand<weak<Handle>> : operand<Handle> {};

template <class A>
inline constexpr operand_kind kind_of = operand<A>::kind;
template <class A>
inline constexpr bool is_operand = kind_of<A> != operand_kind::none;

/// Whether an operand takes the element type of the tensors that it meets.
template <class A>
inline constexpr bool gives_way = kind_of<A> == operand_kind::literal;
template <class Handle>
inline constexpr bool gives_way<weak<Handle>> = true;

template <class T>
  requires(kind_of<T> == operand_kind::handle)
inline constexpr bool is_handle<T> = true;
template <>
inline constexpr bool is_any<any_expr> = true;
template <>
inline constexpr bool is_any<any_tensor> = true;
/// Whether a handle belongs to a trace by the running program.
template <class A>
inline constexpr bool is_live = false;
template <>
inline constexpr bool is_live<any_expr> = true;
template <class T, class Shape>
inline constexpr bool is_live<live_expr<T, Shape>> = true;
template <class Handle>
inline constexpr bool is_live<weak<Handle>> = is_live<Handle>;
template <class T>
  requires(is_operand<T> && !is_any<T>)
inline constexpr int rank_of<T> = operand<T>::shape_type::rank;

/// Whether a leaf of an argument becomes an input of the graph (static values and tags do not).
template <class Leaf>
inline constexpr bool is_input = is_operand<Leaf> && !std::is_empty_v<Leaf>;

/// The type of an operand, as a value.
template <class A>
[[nodiscard]] constexpr spec spec_of(const A& a) {
  if constexpr (std::is_same_v<A, any_expr>) return a.type();
  else if constexpr (std::is_same_v<A, any_tensor>) return {a.dtype(), a.shape()};
  else if constexpr (operand<A>::shape_type::is_static || is_handle<A>)
    return {dtype_of<typename operand<A>::value_type>, operand<A>::shape_type::value};
  else return {dtype_of<typename operand<A>::value_type>, extents_of(a)};
}

/// Whether a C++ scalar of type `literal` may stand for an element of type `t`.
[[nodiscard]] constexpr bool literal_fits(dtype literal, dtype t) {
  if (literal == dtype::boolean) return t == dtype::boolean;
  if (is_floating(literal)) return is_floating(t);
  return t != dtype::boolean;
}

/// A C++ scalar as an element of dtype `t`; an integer that the type cannot hold throws
/// dtype_error.
template <class L>
[[nodiscard]] constexpr element_bits literal_bits(L literal, dtype t) {
  return visit_dtype(t, [&]<class T>(T) -> element_bits {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<L, bool>) return literal != L{} ? 1 : 0;
    else {
      if constexpr (std::is_integral_v<T> && std::is_integral_v<L>)
        if (!std::in_range<T>(literal))
          throw dtype_error("the integer does not fit the element type of the tensor");
      if constexpr (std::is_integral_v<T> && !std::is_integral_v<L>)
        return 0;  // refused by its type
      else if constexpr (std::is_floating_point_v<L>)
        return to_bits<T>(simd::cast<T>(simd::batch<L, 1>(literal)).get(0));
      else return to_bits<T>(static_cast<T>(literal));
    }
  });
}

/// The elements of a tensor or view, as a value.
template <std::same_as<any_tensor> A>
[[nodiscard]] value value_of_array(const A& a) {
  value v{{a.dtype(), a.shape()}, {}};
  visit(a, [&](const auto& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i)
      v.elements.push_back(to_bits(elements.flat(i)));
  });
  return v;
}
template <class A>
[[nodiscard]] constexpr value value_of_array(const A& a) {
  using T = typename operand<A>::value_type;
  value v{{dtype_of<T>, {}}, {}};
  for (int i = 0; i < A::rank; ++i) v.type.shape.push_back(static_cast<index>(a.extent(i)));
  v.elements.reserve(a.size());
  for (const T& x : a) v.elements.push_back(to_bits<T>(x));
  return v;
}

/// The operand as a value of element type `t` (a literal takes it; others have it or are
/// converted).
template <class A>
[[nodiscard]] constexpr value value_of(const A& a, dtype t) {
  if constexpr (kind_of<A> == operand_kind::literal) {
    using L = typename operand<A>::value_type;
    return {{t, {}}, {literal_bits(static_cast<L>(a), t)}};
  } else {
    value v = [&] {
      if constexpr (kind_of<A> == operand_kind::handle) {
        if constexpr (requires { a.note_read(); }) a.note_read();
        return a.known().evaluate();
      }
      else return value_of_array(a);
    }();
    if (v.type.type != t) {
      for (element_bits& e : v.elements) e = ops::id<ops::cast>->element(v.type.type, t, {}, &e);
      v.type.type = t;
    }
    return v;
  }
}

/// A node converted to an element type.
constexpr node_id record_cast(graph& g, node_id n, dtype t) {
  if (g.type(n).type == t) return n;
  const spec type{t, g.type(n).shape};
  const node_id operands[1] = {n};
  const index attributes[1] = {static_cast<index>(t)};
  return g.add(ops::id<ops::cast>, type, operands, attributes);
}

/// A tensor that the callable holds, as an input: each call sees its elements as they are then.
template <class A>
node_id record_capture(tracing& trace, const A& a) {
  std::vector<capture>& known = trace.live->captures;
  for (const capture& c : known)
    if (c.object == &a) return c.node;
  const auto elements = [](const void* object) -> captured_elements {
    const A& x = *static_cast<const A*>(object);
    if constexpr (std::is_arithmetic_v<A>) return {object, spec_of(x), {}};
    else if constexpr (requires { x.strides(); }) return {x.data(), spec_of(x), x.strides()};
    else return {x.data(), spec_of(x), row_major(spec_of(x).shape)};
  };
  const spec type = spec_of(a);
  known.push_back({&a, trace.recorded.add_input(ops::id<ops::input>, type), type, elements});
  return known.back().node;
}

/// The operand as a node of the trace, of element type `t`.
template <class A>
[[nodiscard]] constexpr node_id record_operand(tracing& trace, const A& a, dtype t) {
  graph& g = trace.recorded;
  if constexpr (kind_of<A> == operand_kind::literal) {
    using L = typename operand<A>::value_type;
    return record_full(g, {t, {}}, literal_bits(static_cast<L>(a), t));
  } else if constexpr (kind_of<A> == operand_kind::array) {
    if (trace.live != nullptr && trace.live->holds(&a))
      return record_cast(g, record_capture(trace, a), t);
    return record_value(g, value_of(a, t));
  } else if constexpr (std::is_same_v<A, any_expr>) {
    return record_cast(g, a.node(), t);
  } else {
    if (a.trace() == nullptr) {
      if constexpr (requires { a.value(); })  // a variable: state, whoever has it
        if (trace.live != nullptr) return record_cast(g, record_capture(trace, a), t);
      if constexpr (requires { a.enter_loop(trace); })
        if (trace.in_loop()) {
          a.enter_loop(trace);
          return record_cast(g, a.node(), t);
        }
      if constexpr (requires { a.record(trace); })
        if (a.known().content.type.type == t) return a.record(trace);
      return record_value(g, value_of(a, t));
    }
    return record_cast(g, a.node(), t);
  }
}

/// The trace that a handle belongs to, if any.
template <class A>
constexpr tracing* trace_of(const A& a) {
  if constexpr (kind_of<A> == operand_kind::handle) return a.trace();
  else return nullptr;
}

/// Whether an operand without a trace has got its value by assignment.
template <class A>
constexpr bool is_reassigned(const A& a) {
  if constexpr (requires { a.known().reassigned; }) return a.known().reassigned;
  else return false;
}

}  // namespace tfgraph::detail
