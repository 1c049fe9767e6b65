// The public face of operators: function objects that take handles, tensors, views and scalars.
// What applying one means (record a node, or compute at once) is defined by the trace layer.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/shape.hpp>
#include <tfgraph/ops/define.hpp>
#include <tfgraph/ops/term.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace tfgraph {

/// Axes of a tensor, as a compile-time argument: `axis<0>`, `axis<-1>` (the last), `axis<0, 2>`.
template <index... Axes>
struct axis_t {};
template <index... Axes>
inline constexpr axis_t<Axes...> axis{};

/// Argument of reductions: keep the reduced axes as extents of 1.
struct keepdims_t {};
inline constexpr keepdims_t keepdims{};

namespace detail {

/// Attributes of a node that its type depends on, as a type.
template <index... A>
struct attributes {
  static constexpr std::array<index, sizeof...(A)> value{A...};
};

/// Defined in trace/apply.hpp.
template <class Op, class Attributes>
struct application;

/// Applies operator Op to operands.
template <class Op, class Attributes = attributes<>, class... A>
constexpr auto apply(const A&... a) {
  return application<Op, Attributes>::to(a...);
}

/// Applies operator Op to an operand whose type is a value, with attributes that are values.
template <class Op, class A>
auto apply_values(std::span<const index> attributes, const A& a) {
  return application<Op, detail::attributes<>>::to_any(attributes, a);
}

/// Applies operator Op with an attribute that the result's type does not depend on.
template <class Op, class... A>
constexpr auto apply_with(index attribute, const A&... a) {
  return application<Op, attributes<>>::with(attribute, a...);
}

/// Computes a composite function of tensors at once. Defined in function/eager.hpp.
template <class Composite>
struct eager_composite;

/// The rank of an operand. Specialised in trace/operand.hpp.
template <class T>
inline constexpr int rank_of = 0;

/// Whether an argument is a symbolic handle. Specialised in trace/operand.hpp.
template <class T>
inline constexpr bool is_handle = false;

/// Whether element type, rank and extents of an operand are values. Specialised in
/// trace/operand.hpp.
template <class T>
inline constexpr bool is_any = false;

}  // namespace detail

/// The function object of an elementwise operator.
template <class Op>
struct elementwise_function {
  template <class... A>
    requires(sizeof...(A) == static_cast<std::size_t>(Op::arity))
  constexpr auto operator()(const A&... a) const {
    return detail::apply<Op>(a...);
  }
};

/// Base of functions that are composed of operators: `Derived::compose(args...)` states how.
template <class Derived>
struct composite_function {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    if constexpr ((detail::is_handle<A> || ...)) return Derived::compose(a...);
    else return detail::eager_composite<Derived>::call(a...);
  }
};

}  // namespace tfgraph
