// The library's rules, and the operators that they introduce.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/math.hpp>
#include <tfgraph/optimize/rules/arithmetic.hpp>
#include <tfgraph/optimize/rules/gradient.hpp>
#include <tfgraph/optimize/rules/improve.hpp>
#include <tfgraph/optimize/rules/logic.hpp>
#include <tfgraph/optimize/rules/matmul.hpp>
#include <tfgraph/optimize/rules/movement.hpp>
#include <tfgraph/optimize/rules/reduction.hpp>
#include <tfgraph/optimize/rules/strength.hpp>

#include <array>

namespace tfgraph::optimize {
namespace detail {

template <std::size_t... N>
constexpr auto joined(const rule (&... tables)[N]) {
  std::array<rule, (N + ...)> all{};
  std::size_t n = 0;
  (..., [&] {
    for (const rule& r : tables) all[n++] = r;
  }());
  return all;
}

}  // namespace detail

inline constexpr auto library_table =
    detail::joined(arithmetic_rules, logic_rules, strength_rules, movement_rules, reduction_rules,
                   matmul_rules, gradient_rules, improve_rules, contract_rules);
inline constexpr const rule_set& library_rules = rules<library_table>;

namespace detail {

/// What strict rules put in the place of other operators.
inline constexpr const operation* strict_operators[] = {
    ops::id<ops::add>,        ops::id<ops::sub>,         ops::id<ops::mul>,
    ops::id<ops::neg>,        ops::id<ops::reciprocal>,  ops::id<ops::maximum>,
    ops::id<ops::minimum>,    ops::id<ops::max>,         ops::id<ops::min>,
    ops::id<ops::any>,        ops::id<ops::all>,         ops::id<ops::argmax>,
    ops::id<ops::argmin>,     ops::id<ops::logical_not>, ops::id<ops::isnan>,
    ops::id<ops::equal>,      ops::id<ops::not_equal>,   ops::id<ops::less>,
    ops::id<ops::less_equal>, ops::id<ops::greater>,     ops::id<ops::greater_equal>,
    ops::id<ops::bit_not>};

/// The same with what licences allow. Compilers spend time on each function that is named here, so
/// that strict programs do not name it.
template <numerics::licence>
inline constexpr auto operators = [] {
  constexpr const operation* more[] = {
      ops::id<ops::abs>,   ops::id<ops::sqrt>,        ops::id<ops::rsqrt>,   ops::id<ops::log1p>,
      ops::id<ops::expm1>, ops::id<ops::softplus>,    ops::id<ops::sigmoid>, ops::id<ops::erfc>,
      ops::id<ops::hypot>, ops::id<ops::multiply_add>};
  std::array<const operation*, std::size(strict_operators) + std::size(more)> all{};
  std::size_t n = 0;
  for (const operation* op : strict_operators) all[n++] = op;
  for (const operation* op : more) all[n++] = op;
  return all;
}();

template <numerics::licence L>
constexpr tfgraph::detail::list_view<const operation*> operators_for() {
  if constexpr (L == numerics::strict) return {strict_operators, std::size(strict_operators)};
  else return {operators<L>.data(), operators<L>.size()};
}

}  // namespace detail
}  // namespace tfgraph::optimize
