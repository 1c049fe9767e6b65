// Operators on tensors, views and scalars: each is a traced function of that one operator.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/function/function.hpp>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

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
  /// With operands whose types are values.
  template <class... A>
  static auto call_any(std::span<const index> attributes, const A&... a) {
    std::array<spec, sizeof...(A)> types{spec_of(a)...};
    static_cast<void>(infer_any<Op, A...>(attributes, types));  // brings scalars to their types
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return compute(attributes, as_any(a, types[K].type)...);
    }(std::index_sequence_for<A...>{});
  }

  template <std::size_t N, class... A>
  static constexpr auto call(const std::array<index, N>& attributes, const A&... a) {
    using applied = rule<Op, Attributes, A...>;
    if constexpr (N == Attributes::value.size())
      return call_each<applied>(std::index_sequence_for<A...>{}, a...);
    else return interpret<applied>(attributes, a...);
  }

 private:
  // An operand as a tensor of a type that is a value, of element type t if it is a scalar.
  template <class A>
  static decltype(auto) as_any(const A& a, dtype t) {
    if constexpr (std::is_same_v<A, any_tensor>) return (a);
    else if constexpr (kind_of<A> == operand_kind::literal) {
      any_tensor scalar(uninitialized, t, {});
      const element_bits bits = literal_bits(static_cast<typename operand<A>::value_type>(a), t);
      std::memcpy(scalar.data(), &bits, size_of(t));
      return scalar;
    } else if constexpr (kind_of<A> == operand_kind::handle) {
      return any_tensor(static_cast<typename A::tensor_type>(a));
    } else return any_tensor::borrow(a);
  }
  template <class... A>
  static any_tensor compute(std::span<const index> attributes, const A&... a) {
    if (std::ranges::equal(attributes, Attributes::value))
      return function(one_operator<Op, Attributes>{})(a...);
    // With attributes that only the running program knows, the graph is made for this call.
    return interpret_any(attributes, a...);
  }
  template <class... A>
  static any_tensor interpret_any(std::span<const index> attributes, const A&... a) {
    const std::vector<spec> types{spec_of(a)...};
    tracing trace;
    std::vector<any_expr> handles;
    for (const spec& type : types)
      handles.emplace_back(trace, trace.recorded.add_input(ops::id<ops::input>, type));
    const any_expr result = [&]<std::size_t... K>(std::index_sequence<K...>) {
      return application<Op, Attributes>::to_any(attributes, handles[K]...);
    }(std::index_sequence_for<A...>{});
    trace.recorded.output_list.push_back(result.node());
    const plan p(trace.recorded.view(), types, {});
    any_tensor out(uninitialized, p.outputs()[0].type, p.outputs()[0].shape);
    const argument_pointers<sizeof...(A), sizeof...(A)> in(a...);
    void* const pointers[1] = {out.data()};
    p.run(in.data, pointers);
    return out;
  }

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
