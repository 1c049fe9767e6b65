// Creating tensors without operands: constant, zeros, ones, full, arange, eye, and the *_like
// forms. The results are handles that know their value: they cost nothing until they are used,
// enter a trace as one node, and convert to a tensor outside of one.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/trace/apply.hpp>

namespace tfgraph {
namespace detail {

template <class T, class Shape>
[[nodiscard]] constexpr auto generated(const operation* op, index a, index b = 0) {
  static_assert(Shape::is_static, "tfgraph: a tensor can be created only with static extents");
  return expr<T, Shape>(known{true, op, {a, b}, {{dtype_of<T>, Shape::value}, {}}});
}

template <class T, class L>
[[nodiscard]] constexpr index attribute_of(L literal) {
  return static_cast<index>(literal_bits(literal, dtype_of<T>));
}

}  // namespace detail

/// constant(v): a scalar as something to compute with, of its own element type. A tensor is one
/// already.
template <element T>
[[nodiscard]] constexpr auto constant(T v) {
  return detail::generated<T, shape<>>(ops::id<ops::full>, detail::attribute_of<T>(v));
}
template <element T, std::size_t... E>
[[nodiscard]] constexpr tensor<T, E...> constant(tensor<T, E...> v) {
  return v;
}

/// full(shape<2, 3>{}, v): every element is v.
template <element T, std::size_t... E>
[[nodiscard]] constexpr auto full(shape<E...>, T v) {
  return detail::generated<T, shape<E...>>(ops::id<ops::full>, detail::attribute_of<T>(v));
}

/// zeros<float>(shape<2, 3>{}).
template <element T, std::size_t... E>
[[nodiscard]] constexpr auto zeros(shape<E...> s) {
  return full(s, T(0));
}
/// ones<float>(shape<2, 3>{}).
template <element T, std::size_t... E>
[[nodiscard]] constexpr auto ones(shape<E...> s) {
  return full(s, T(1));
}

/// full_like(x, v), zeros_like(x), ones_like(x): with the shape and the element type of x.
template <class X, class V>
[[nodiscard]] constexpr auto full_like(const X& x, V v) {
  if constexpr (detail::is_any<X>) return detail::apply<ops::full_like>(v, x);
  else {
    using T = typename detail::operand<X>::value_type;
    using Shape = typename detail::operand<X>::shape_type;
    if constexpr (Shape::is_static && detail::is_handle<X>) {
      using handle = std::conditional_t<detail::is_live<X>, detail::live_expr<T, Shape>, expr<T, Shape>>;
      if (detail::tracing* const trace = x.trace(); trace != nullptr)
        return handle(*trace, detail::record_full(trace->recorded, {dtype_of<T>, Shape::value},
                                                  detail::literal_bits(v, dtype_of<T>)));
      return handle(full(Shape{}, static_cast<T>(v)).known());
    } else if constexpr (Shape::is_static) return full(Shape{}, static_cast<T>(v));
    else return detail::apply<ops::full_like>(static_cast<T>(v), x);
  }
}
template <class X>
[[nodiscard]] constexpr auto zeros_like(const X& x) {
  return full_like(x, 0);
}
template <class X>
[[nodiscard]] constexpr auto ones_like(const X& x) {
  return full_like(x, 1);
}

/// arange<int>(constant_c<10>) is 0 ... 9; arange<float>(constant_c<2>, constant_c<11>,
/// constant_c<3>) is 2, 5, 8. Start, stop and step are static, since they make the shape.
template <element T, detail::static_value Start, detail::static_value Stop,
          detail::static_value Step = constant_t<1>>
[[nodiscard]] constexpr auto arange(Start, Stop, Step = {}) {
  static_assert(Step::value != 0, "tfgraph: arange: the step is 0");
  constexpr auto count = [] {
    const double n = (static_cast<double>(Stop::value) - static_cast<double>(Start::value)) /
                     static_cast<double>(Step::value);
    const auto whole = static_cast<index>(n);
    return n <= 0 ? index{0} : static_cast<double>(whole) < n ? whole + 1 : whole;
  }();
  using Shape = shape<static_cast<std::size_t>(count)>;
  return detail::generated<T, Shape>(ops::id<ops::iota>, detail::attribute_of<T>(Start::value),
                                     detail::attribute_of<T>(Step::value));
}
template <element T, detail::static_value Stop>
[[nodiscard]] constexpr auto arange(Stop stop) {
  return arange<T>(constant_c<0>, stop);
}

/// eye<float>(shape<3, 4>{}, k): ones on the k-th diagonal (k > 0 above the main one).
template <element T, std::size_t N, std::size_t M>
[[nodiscard]] constexpr auto eye(shape<N, M>, index k = 0) {
  return detail::generated<T, shape<N, M>>(ops::id<ops::eye>, k);
}
template <element T, std::size_t N>
[[nodiscard]] constexpr auto eye(shape<N>) {
  return eye<T>(shape<N, N>{});
}

}  // namespace tfgraph
