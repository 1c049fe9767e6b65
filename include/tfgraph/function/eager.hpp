// Operators on tensors, views and scalars: each is a traced function of that one operator.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/function/function.hpp>

namespace tfgraph::detail {

/// A callable that applies one operator.
template <class Op, class Attributes>
struct one_operator {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    return application<Op, Attributes>::to(a...);
  }
};

/// A callable that applies a composite function.
template <class Composite>
struct one_composite {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    return Composite::compose(a...);
  }
};

// A C++ scalar beside tensors becomes an element of their type; as an argument of a traced function
// it would insist on its own.
template <dtype T, class A>
constexpr decltype(auto) as_argument(const A& a) {
  if constexpr (kind_of<A> == operand_kind::literal)
    return from_bits<element_t<T>>(
        literal_bits(static_cast<typename operand<A>::value_type>(a), T));
  else return (a);
}

template <class Op, class Attributes>
struct eager_operator {
  template <std::size_t N, class... A>
  static constexpr auto call(const std::array<index, N>& attributes, const A&... a) {
    using applied = rule<Op, Attributes, A...>;
    if constexpr (N == Attributes::value.size())
      return call_each<applied>(std::index_sequence_for<A...>{}, a...);
    else return interpret<applied>(attributes, a...);
  }

 private:
  template <class Applied, std::size_t... K, class... A>
  static constexpr auto call_each(std::index_sequence<K...>, const A&... a) {
    return function(one_operator<Op, Attributes>{})(as_argument<Applied::type_of(K)>(a)...);
  }

  // With an attribute that only the running program knows there is nothing to compile.
  template <class Applied, std::size_t N, class... A>
  static constexpr auto interpret(const std::array<index, N>& attributes, const A&... a) {
    using T = typename Applied::value_type;
    using result_tensor = typename tensor_of<T, typename Applied::shape_type>::type;
    std::size_t k = 0;
    const value values[] = {value_of(a, Applied::type_of(k++))...};
    const value* operands[sizeof...(A)] = {};
    for (std::size_t i = 0; i < sizeof...(A); ++i) operands[i] = &values[i];
    spec type = Applied::result;
    if constexpr (!Applied::shape_type::is_static) {
      std::array<spec, sizeof...(A)> types;
      for (std::size_t i = 0; i < sizeof...(A); ++i) types[i] = values[i].type;
      const inference now = ops::id<Op>->infer(types, attributes);
      if (!now.objection.empty()) throw_shape_error(now.objection);
      type = now.result;
    }
    const value result = evaluate(*ops::id<Op>, type, attributes, operands);
    if constexpr (result_tensor::rank == 0) return from_bits<T>(result.elements.front());
    else {
      result_tensor t(type.shape);
      for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = from_bits<T>(result.elements[i]);
      return t;
    }
  }
};

template <class Composite>
struct eager_composite {
  template <class... A>
  static constexpr auto call(const A&... a) {
    return function(one_composite<Composite>{})(a...);
  }
};

}  // namespace tfgraph::detail
