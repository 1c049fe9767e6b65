// Formulas that are nearer to the exact value than what was written, under `improve`; and products
// with a sum that are rounded once, under `contract`.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/logic.hpp>
#include <tfgraph/ops/reduce.hpp>
#include <tfgraph/optimize/rules/guards.hpp>

namespace tfgraph::optimize {
namespace detail {

/// log(sum(exp(x))) with the largest element subtracted first.
constexpr node_id stable_logsumexp(match& m) {
  const node_id x = m['x'];
  const node_id total = m.part(1);
  const std::span<const index> given = m.attributes(total);
  index axes[max_rank + 1] = {1};  // keepdims
  const std::size_t count = given.size();
  for (std::size_t i = 1; i < count; ++i) axes[i] = given[i];
  const std::span<const index> kept(axes, count);
  const operation* log = m.g[m.root].op;
  const operation* sum = m.g[total].op;
  const operation* exp = m.g[m.part(2)].op;
  const node_id largest = m.make<ops::max>({x}, kept);
  const node_id zero = m.make_number(0, {m.element(x), {}});
  const node_id shift = m.make<ops::where>({m.make<ops::isfinite>({largest}), largest, zero});
  const node_id small = m.make(sum, {m.make(exp, {m.make<ops::sub>({x, shift})})}, kept);
  return m.reshape(m.make<ops::add>({m.make(log, {small}), shift}), m.shape(m.root));
}

}  // namespace detail

inline constexpr rule improve_rules[] = {
    {.name = "log_of_one_plus",
     .from = "log(add(x, 1))",
     .to = "log1p(x)",
     .needs = numerics::improve},
    {.name = "exp_minus_one",
     .from = "sub(exp(x), 1)",
     .to = "expm1(x)",
     .needs = numerics::improve},
    {.name = "one_minus_exp",
     .from = "sub(1, exp(x))",
     .to = "neg(expm1(x))",
     .needs = numerics::improve},
    {.name = "softplus", .from = "log1p(exp(x))", .to = "softplus(x)", .needs = numerics::improve},
    {.name = "sigmoid",
     .from = "reciprocal(add(exp(neg(x)), 1))",
     .to = "sigmoid(x)",
     .needs = numerics::improve},
    {.name = "sigmoid_quotient",
     .from = "div(exp(x), add(exp(x), 1))",
     .to = "sigmoid(x)",
     .needs = numerics::improve},
    {.name = "one_minus_sigmoid",
     .from = "sub(1, sigmoid(x))",
     .to = "sigmoid(neg(x))",
     .needs = numerics::improve},
    {.name = "log_sigmoid",
     .from = "log(sigmoid(x))",
     .to = "neg(softplus(neg(x)))",
     .needs = numerics::improve},
    {.name = "one_minus_erf",
     .from = "sub(1, erf(x))",
     .to = "erfc(x)",
     .needs = numerics::improve},
    {.name = "hypotenuse",
     .from = "sqrt(add(mul(x, x), mul(y, y)))",
     .to = "hypot(x, y)",
     .needs = numerics::improve},
    {.name = "log_softmax",
     .from = "log(div(exp(x), sum(exp(x))))",
     .to = "sub(x, log(sum(exp(x))))",
     .needs = numerics::improve},
    {.name = "logsumexp",
     .from = "log(sum(exp(x)))",
     .to = "add(log(sum(exp(sub(x, s)))), s), s = max(x) where that is finite",
     .needs = numerics::improve,
     .when = {"x is not shifted already",
              [](const match& m) { return !ops::is<ops::sub>(m.g[m['x']].op); }},
     .build = detail::stable_logsumexp},
};

// The last of all rules, so that they hide no sum or product from others.
inline constexpr rule contract_rules[] = {
    {.name = "contract_sum",
     .from = "add(mul(a, b), c)",
     .to = "multiply_add(a, b, c)",
     .needs = numerics::contract,
     .where = types::floating,
     .when = inner_used_once},
    {.name = "contract_difference",
     .from = "sub(mul(a, b), c)",
     .to = "multiply_add(a, b, neg(c))",
     .needs = numerics::contract,
     .where = types::floating,
     .when = inner_used_once},
    {.name = "contract_subtraction",
     .from = "sub(c, mul(a, b))",
     .to = "multiply_add(neg(a), b, c)",
     .needs = numerics::contract,
     .where = types::floating,
     .when = {"the product has no other use",
              [](const match& m) { return m.single_use(m.part(2)); }}},
};

}  // namespace tfgraph::optimize
