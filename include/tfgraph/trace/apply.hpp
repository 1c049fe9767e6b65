// Applying an operator: its rule is checked on the operands' types at compile time; then a node is
// recorded if a handle is among the operands, and the result computed at once if not.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/operand.hpp>

#include <array>

namespace tfgraph::detail {

/// Computes an operator of tensors at once. Defined in function/eager.hpp.
template <class Op, class Attributes>
struct eager_operator;

/// The element type that operands agree on, by the promotion table; C++ scalars take the type of
/// the tensors if it represents them. `conditions` leading operands have no part in it.
template <class... A>
constexpr promotion agreed_type(int conditions) {
  constexpr std::size_t n = sizeof...(A);
  constexpr dtype types[n] = {dtype_of<typename operand<A>::value_type>...};
  constexpr bool literal[n] = {(kind_of<A> == operand_kind::literal)...};
  promotion p;
  bool only_literals = true;
  for (std::size_t i = static_cast<std::size_t>(conditions); i < n; ++i)
    only_literals = only_literals && literal[i];
  bool first = true;
  for (std::size_t i = static_cast<std::size_t>(conditions); i < n; ++i) {
    if (literal[i] && !only_literals) continue;
    // Scalars among themselves follow C++: an integer with a float is a float.
    const bool mixed = only_literals && !first && is_floating(types[i]) != is_floating(p.type) &&
                       types[i] != dtype::boolean && p.type != dtype::boolean;
    if (first) p = {true, types[i]};
    else if (mixed) p.type = is_floating(types[i]) ? types[i] : p.type;
    else p = promote(p.type, types[i]);
    if (!p.ok) return p;
    first = false;
  }
  for (std::size_t i = static_cast<std::size_t>(conditions); i < n; ++i)
    if (literal[i] && !only_literals && !literal_fits(types[i], p.type)) return {};
  return p;
}

/// The rule of operator Op applied to operand types: the result, or the sentence of refusal.
template <class Op, class Attributes, class... A>
struct rule {
  static constexpr std::size_t count = sizeof...(A);
  static constexpr promotion agreed = agreed_type<A...>(Op::conditions);

  /// The element type to which the k-th operand is brought.
  static constexpr dtype type_of(std::size_t k) {
    constexpr dtype own[count] = {dtype_of<typename operand<A>::value_type>...};
    return agreed.ok && k >= static_cast<std::size_t>(Op::conditions) ? agreed.type : own[k];
  }
  static constexpr inference infer() {
    spec operands[count] = {spec{dtype::boolean, operand<A>::shape_type::value}...};
    for (std::size_t k = 0; k < count; ++k) operands[k].type = type_of(k);
    if constexpr (Op::kind == operation_kind::elementwise)
      return ops::detail::infer_elementwise<Op>(operands, Attributes::value);
    else return Op::infer(operands, Attributes::value);
  }
  // Kept apart: g++ copies all of an object to read a member of it in a constant expression.
  static constexpr sentence value = infer().objection;
  static constexpr spec result = infer().result;
  static constexpr bool accepted = value.empty();

  using value_type = element_t<result.type>;
  using shape_type = shape_of_value<result.shape>;
};

template <class Op, class Attributes>
struct application {
  template <class... A>
  static constexpr auto to(const A&... a) {
    return record(Attributes::value, a...);
  }
  /// With an attribute that the result's type does not depend on.
  template <class... A>
  static constexpr auto with(index attribute, const A&... a) {
    return record(std::array<index, 1>{attribute}, a...);
  }

 private:
  template <std::size_t N, class... A>
  static constexpr auto record(const std::array<index, N>& attributes, const A&... a) {
    static_assert((is_operand<A> && ...),
                  "tfgraph: an operand must be a tensor, a view, a C++ scalar or a traced value");
    using applied = rule<Op, Attributes, A...>;
    require_no_objection<applied>();
    if constexpr (!applied::accepted) {
      return;
    } else if constexpr ((is_handle<A> || ...)) {
      using result = expr<typename applied::value_type, typename applied::shape_type>;
      tracing* trace = nullptr;
      (..., (trace = trace != nullptr ? trace : trace_of(a)));
      std::size_t k = 0;
      if (trace != nullptr) {
        const node_id operands[] = {record_operand(*trace, a, applied::type_of(k++))...};
        return result(*trace,
                      trace->recorded.add(ops::id<Op>, applied::result, operands, attributes));
      }
      const value values[] = {value_of(a, applied::type_of(k++))...};
      const value* operands[sizeof...(A)] = {};
      for (std::size_t i = 0; i < sizeof...(A); ++i) operands[i] = &values[i];
      return result(
          known{false, nullptr, {}, evaluate(*ops::id<Op>, applied::result, attributes, operands)});
    } else {
      return eager_operator<Op, Attributes>::call(attributes, a...);
    }
  }
};

}  // namespace tfgraph::detail
