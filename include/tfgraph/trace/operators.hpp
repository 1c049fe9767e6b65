// The C++ operators on handles, tensors and views.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/trace/apply.hpp>

#include <boost/hana/integral_constant.hpp>

#include <type_traits>

namespace tfgraph {
namespace detail {

template <class A>
inline constexpr bool is_tensorial =
    kind_of<A> == operand_kind::handle || kind_of<A> == operand_kind::array;

template <class A>
inline constexpr bool is_hana_constant = false;
template <class T, T V>
inline constexpr bool is_hana_constant<boost::hana::integral_constant<T, V>> = true;

// A C++ operator with one operand of ours, so that no one else's is taken over.
template <class A, class B>
concept operands_of_operator =
    is_operand<A> && is_operand<B> && (is_tensorial<A> || is_tensorial<B>) &&
    !is_hana_constant<A> && !is_hana_constant<B>;
// == and friends: tensors compare as values (to one bool), handles element by element.
template <class A, class B>
concept operands_of_comparison = operands_of_operator<A, B> && (is_handle<A> || is_handle<B>);
// The same with one of Hana's constants. Hana has operators for these and anything, so ours must
// take them in a more special way.
template <class A>
concept beside_constant_in_operator = is_tensorial<std::remove_cvref_t<A>>;
template <class A>
concept beside_constant_in_comparison = is_handle<std::remove_cvref_t<A>>;

}  // namespace detail

#define TFGRAPH_OPERATOR(symbol, function, allowed)                                               \
  template <class A, class B>                                                                     \
    requires detail::operands_of_                                                                 \
  ##allowed<A, B> [[nodiscard]] constexpr auto operator symbol(const A& a, const B& b) {          \
    return function(a, b);                                                                        \
  }                                                                                               \
  template <class A, class T, T V>                                                                \
    requires detail::beside_constant_in_                                                          \
  ##allowed<A> [[nodiscard]] constexpr auto operator symbol(                                      \
      A&& a, boost::hana::integral_constant<T, V>) {                                              \
    return function(a, V);                                                                        \
  }                                                                                               \
  template <class T, T V, class B>                                                                \
    requires detail::beside_constant_in_                                                          \
  ##allowed<B> [[nodiscard]] constexpr auto operator symbol(boost::hana::integral_constant<T, V>, \
                                                            B&& b) {                              \
    return function(V, b);                                                                        \
  }

TFGRAPH_OPERATOR(+, add, operator)
TFGRAPH_OPERATOR(-, subtract, operator)
TFGRAPH_OPERATOR(*, multiply, operator)
TFGRAPH_OPERATOR(/, divide, operator)
TFGRAPH_OPERATOR(%, fmod, operator)
TFGRAPH_OPERATOR(&, bitwise_and, operator)
TFGRAPH_OPERATOR(|, bitwise_or, operator)
TFGRAPH_OPERATOR(^, bitwise_xor, operator)
TFGRAPH_OPERATOR(<<, bitwise_left_shift, operator)
TFGRAPH_OPERATOR(>>, bitwise_right_shift, operator)
TFGRAPH_OPERATOR(<, less, operator)
TFGRAPH_OPERATOR(<=, less_equal, operator)
TFGRAPH_OPERATOR(>, greater, operator)
TFGRAPH_OPERATOR(>=, greater_equal, operator)
TFGRAPH_OPERATOR(&&, logical_and, operator)
TFGRAPH_OPERATOR(||, logical_or, operator)
TFGRAPH_OPERATOR(==, equal, comparison)
TFGRAPH_OPERATOR(!=, not_equal, comparison)

#undef TFGRAPH_OPERATOR

#define TFGRAPH_OPERATOR(symbol, function)                   \
  template <class A>                                         \
    requires detail::is_tensorial<A>                         \
  [[nodiscard]] constexpr auto operator symbol(const A& a) { \
    return function(a);                                      \
  }

TFGRAPH_OPERATOR(-, negative)
TFGRAPH_OPERATOR(~, bitwise_invert)
TFGRAPH_OPERATOR(!, logical_not)

#undef TFGRAPH_OPERATOR

template <class A>
  requires detail::is_tensorial<A>
[[nodiscard]] constexpr A operator+(const A& a) {
  return a;
}

#define TFGRAPH_OPERATOR(symbol)                               \
  template <class A, class B>                                  \
    requires(detail::is_tensorial<A> && detail::is_operand<B>) \
  constexpr A& operator symbol##=(A & a, const B & b) {        \
    return a = a symbol b;                                     \
  }

TFGRAPH_OPERATOR(+)
TFGRAPH_OPERATOR(-)
TFGRAPH_OPERATOR(*)
TFGRAPH_OPERATOR(/)
TFGRAPH_OPERATOR(%)
TFGRAPH_OPERATOR(&)
TFGRAPH_OPERATOR(|)
TFGRAPH_OPERATOR(^)
TFGRAPH_OPERATOR(<<)
TFGRAPH_OPERATOR(>>)

#undef TFGRAPH_OPERATOR

}  // namespace tfgraph
