// The C++ operators on handles, tensors and views.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/trace/apply.hpp>

namespace tfgraph {
namespace detail {

template <class A>
inline constexpr bool is_tensorial =
    kind_of<A> == operand_kind::handle || kind_of<A> == operand_kind::array;

// A C++ operator with one operand of ours, so that no one else's is taken over.
template <class A, class B>
concept operands_of_operator =
    is_operand<A> && is_operand<B> && (is_tensorial<A> || is_tensorial<B>);
// == and friends: tensors compare as values (to one bool), handles element by element.
template <class A, class B>
concept operands_of_comparison = is_operand<A> && is_operand<B> && (is_handle<A> || is_handle<B>);

}  // namespace detail

#define TFGRAPH_OPERATOR(symbol, function, allowed)                      \
  template <class A, class B>                                            \
    requires detail::allowed<A, B>                                       \
  [[nodiscard]] constexpr auto operator symbol(const A& a, const B& b) { \
    return function(a, b);                                               \
  }

TFGRAPH_OPERATOR(+, add, operands_of_operator)
TFGRAPH_OPERATOR(-, subtract, operands_of_operator)
TFGRAPH_OPERATOR(*, multiply, operands_of_operator)
TFGRAPH_OPERATOR(/, divide, operands_of_operator)
TFGRAPH_OPERATOR(%, fmod, operands_of_operator)
TFGRAPH_OPERATOR(&, bitwise_and, operands_of_operator)
TFGRAPH_OPERATOR(|, bitwise_or, operands_of_operator)
TFGRAPH_OPERATOR(^, bitwise_xor, operands_of_operator)
TFGRAPH_OPERATOR(<<, bitwise_left_shift, operands_of_operator)
TFGRAPH_OPERATOR(>>, bitwise_right_shift, operands_of_operator)
TFGRAPH_OPERATOR(<, less, operands_of_operator)
TFGRAPH_OPERATOR(<=, less_equal, operands_of_operator)
TFGRAPH_OPERATOR(>, greater, operands_of_operator)
TFGRAPH_OPERATOR(>=, greater_equal, operands_of_operator)
TFGRAPH_OPERATOR(&&, logical_and, operands_of_operator)
TFGRAPH_OPERATOR(||, logical_or, operands_of_operator)
TFGRAPH_OPERATOR(==, equal, operands_of_comparison)
TFGRAPH_OPERATOR(!=, not_equal, operands_of_comparison)

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
