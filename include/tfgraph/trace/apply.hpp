// Applying an operator: its rule is checked on the operands' types at compile time; then a node is
// recorded if a handle is among the operands, and the result computed at once if not.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/operand.hpp>

#include <array>
#include <span>

namespace tfgraph::detail {

/// Computes an operator of tensors at once. Defined in function/eager.hpp.
template <class Op, class Attributes>
struct eager_operator;

/// Makes the dynamic executor have an operator. Defined in execute/blocks.hpp.
template <class Op>
struct dynamic_operator;

/// The element type that operands agree on, by the promotion table; C++ scalars (`literal`) take
/// the type of the tensors if it represents them. `conditions` leading operands have no part in it.
constexpr promotion agreed_type(std::span<const dtype> types, std::span<const bool> literal,
                                int conditions) {
  const std::size_t n = types.size();
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
template <class... A>
constexpr promotion agreed_type(int conditions) {
  constexpr dtype types[] = {dtype_of<typename operand<A>::value_type>...};
  constexpr bool literal[] = {gives_way<A>...};
  return agreed_type(types, literal, conditions);
}

/// The types to which operands that only the running program knows are brought; throws what the
/// operator objects to.
template <class Op, class... A>
[[nodiscard]] inference infer_any(std::span<const index> attributes,
                                  std::array<spec, sizeof...(A)>& operands) {
  std::array<dtype, sizeof...(A)> types;
  constexpr bool literal[] = {gives_way<A>...};
  for (std::size_t k = 0; k < operands.size(); ++k) types[k] = operands[k].type;
  const promotion agreed = agreed_type(types, literal, Op::conditions);
  for (std::size_t k = static_cast<std::size_t>(Op::conditions); agreed.ok && k < operands.size();
       ++k)
    operands[k].type = agreed.type;
  inference r = ops::id<Op>->infer(operands, attributes);
  require(r);
  return r;
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
  /// With operands whose types are values.
  template <class... A>
  static auto to_any(std::span<const index> attributes, const A&... a) {
    if constexpr ((is_handle<A> || ...)) {
      std::array<spec, sizeof...(A)> types{spec_of(a)...};
      const inference r = infer_any<Op, A...>(attributes, types);
      tracing* trace = nullptr;
      (..., (trace = trace != nullptr ? trace : trace_of(a)));
      std::size_t k = 0;
      const node_id operands[] = {record_operand(*trace, a, types[k++].type)...};
      dynamic_operator<Op>::template provide<>();
      return any_expr(*trace, trace->recorded.add(ops::id<Op>, r.result, operands, attributes));
    } else {
      return eager_operator<Op, Attributes>::call_any(attributes, a...);
    }
  }

 private:
  template <std::size_t N, class... A>
  static constexpr auto record(const std::array<index, N>& attributes, const A&... a) {
    static_assert((is_operand<A> && ...),
                  "tfgraph: an operand must be a tensor, a view, a C++ scalar or a traced value");
    if constexpr ((is_any<A> || ...)) return to_any(attributes, a...);
    else return record_typed(attributes, a...);
  }

  template <std::size_t N, class... A>
  static constexpr auto record_typed(const std::array<index, N>& attributes, const A&... a) {
    using applied = rule<Op, Attributes, A...>;
    require_no_objection<applied>();
    if constexpr (!applied::accepted) {
      return;
    } else if constexpr ((is_handle<A> || ...)) {
      constexpr bool live = (is_live<A> || ...);
      using T = typename applied::value_type;
      using Shape = typename applied::shape_type;
      using handle = std::conditional_t<live, live_expr<T, Shape>, expr<T, Shape>>;
      constexpr bool stays_weak = (gives_way<A> && ...) && Op::kind == operation_kind::elementwise &&
                                  !std::is_same_v<Op, ops::cast> && !std::is_same_v<T, bool>;
      using result = std::conditional_t<stays_weak, weak<handle>, handle>;
      if constexpr (live)
        dynamic_operator<Op>::template provide<element_t<applied::type_of(sizeof...(A) - 1)>>();
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
      return result(known{false,
                          nullptr,
                          {},
                          evaluate(*ops::id<Op>, applied::result, attributes, operands),
                          (is_reassigned(a) || ...)});
    } else {
      return eager_operator<Op, Attributes>::call(attributes, a...);
    }
  }
};

}  // namespace tfgraph::detail
