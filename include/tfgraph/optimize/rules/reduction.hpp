// Rules of reductions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/reduce.hpp>
#include <tfgraph/optimize/rules/movement.hpp>

namespace tfgraph::optimize {
namespace detail {

constexpr ops::reduced_axes axes_of(const match& m, node_id n, int rank) {
  return {m.attributes(n), rank};
}

constexpr bool keeps_dims(const match& m, node_id n) { return m.attributes(n)[0] != 0; }

/// Attributes of a reduction.
struct reduction_attributes {
  index value[max_rank + 1] = {};
  std::size_t count = 1;
  constexpr explicit reduction_attributes(bool keeps) : value{keeps ? 1 : 0} {}
  constexpr void push_back(index axis) { value[count++] = axis; }
  [[nodiscard]] constexpr std::span<const index> view() const { return {value, count}; }
};

/// The reduction of x over all axes that `reduced` says; of none it is x.
constexpr node_id reduce(match& m, const operation* op, node_id x, const bool* reduced,
                         const extents& result) {
  reduction_attributes a(true);
  for (int i = 0; i < m.shape(x).rank; ++i)
    if (reduced[i]) a.push_back(i);
  const node_id y = a.count == 1 ? x : m.make(op, {x}, a.view());
  return m.reshape(y, result);
}

constexpr bool reduces_broadcast_axis(const match& m) {
  const extents from = m.shape(m['x']);
  const extents wide = m.shape(m.part(1));
  const ops::reduced_axes axes = axes_of(m, m.root, wide.rank);
  if (!from.is_static() || !wide.is_static() || wide.size() == 0) return false;
  const int leading = wide.rank - from.rank;
  for (int i = 0; i < wide.rank; ++i)
    if (axes[i] && wide[i] > 1 && (i < leading || from[i - leading] == 1)) return true;
  return false;
}

/// The reduction of what was broadcast, and how many copies of each element it took.
constexpr node_id reduction_before_broadcast(match& m, index* copies) {
  const extents from = m.shape(m['x']);
  const extents wide = m.shape(m.part(1));
  const ops::reduced_axes axes = axes_of(m, m.root, wide.rank);
  const int leading = wide.rank - from.rank;
  extents same_rank;
  for (int i = 0; i < wide.rank; ++i) {
    same_rank.push_back(i < leading ? 1 : from[i - leading]);
    if (axes[i] && same_rank[i] == 1) *copies *= wide[i];
  }
  reduction_attributes a(true);
  for (int i = 0; i < wide.rank; ++i)
    if (axes[i]) a.push_back(i);
  const node_id reduced = m.make(m.g[m.root].op, {m.reshape(m['x'], same_rank)}, a.view());
  // Axes that stay but were broadcast still are.
  extents kept;
  for (int i = 0; i < wide.rank; ++i) kept.push_back(axes[i] ? 1 : wide[i]);
  return m.reshape(m.broadcast(reduced, kept), m.shape(m.root));
}

constexpr node_id reduction_of_permuted(match& m) {
  const permutation p = permutation_of(m, m.part(1));
  const ops::reduced_axes axes = axes_of(m, m.root, p.rank);
  bool reduced[max_rank] = {};
  for (int i = 0; i < p.rank; ++i) reduced[p.axis[i]] = axes[i];
  reduction_attributes a(true);
  for (int i = 0; i < p.rank; ++i)
    if (reduced[i]) a.push_back(i);
  if (a.count == 1) return no_node;
  const node_id y = m.make(m.g[m.root].op, {m['x']}, a.view());
  return m.reshape(m.make<ops::permute_dims>({y}, p.view()), m.shape(m.root));
}

constexpr node_id reduction_of_reduction(match& m) {
  const node_id inner = m.part(1);
  const int rank = m.shape(m['x']).rank;
  const ops::reduced_axes first = axes_of(m, inner, rank);
  const int between = m.shape(inner).rank;
  const ops::reduced_axes second = axes_of(m, m.root, between);
  const bool kept = keeps_dims(m, inner);
  bool reduced[max_rank] = {};
  int at = 0;
  for (int i = 0; i < rank; ++i) {
    reduced[i] = first[i];
    if (first[i] && !kept) continue;
    reduced[i] = reduced[i] || second[at];
    ++at;
  }
  return reduce(m, m.g[m.root].op, m['x'], reduced, m.shape(m.root));
}

constexpr bool reduces_all(const match& m, node_id n, int rank) {
  const ops::reduced_axes axes = axes_of(m, n, rank);
  for (int i = 0; i < rank; ++i)
    if (!axes[i]) return false;
  return true;
}

constexpr bool has_elements(const match& m) {
  return m.shape(m['x']).is_static() && m.shape(m['x']).size() > 0;
}

}  // namespace detail

inline constexpr guard reduces_copies{"an axis that was broadcast is reduced",
                                      detail::reduces_broadcast_axis};
inline constexpr guard of_elements{"x has elements", detail::has_elements};

inline constexpr rule reduction_rules[] = {
    {.name = "reduce_nothing",
     .from = "f(x)",
     .to = "reshape(x)",
     .when = {"only axes of extent 1 are reduced",
              [](const match& m) {
                const extents from = m.shape(m['x']);
                return from.is_static() && from.size() != 0 &&
                       from.size() == m.shape(m.root).size();
              }},
     .build = [](match& m) { return m.reshape(m['x'], m.shape(m.root)); },
     .f = "sum prod max min any all"},
    {.name = "extreme_of_broadcast",
     .from = "f(broadcast_to(x))",
     .to = "f(x), broadcast",
     .when = reduces_copies,
     .build =
         [](match& m) {
           index copies = 1;
           return detail::reduction_before_broadcast(m, &copies);
         },
     .f = "max min any all"},
    {.name = "sum_of_broadcast",
     .from = "sum(broadcast_to(x))",
     .to = "mul(sum(x), number of copies)",
     .needs = numerics::reassociate,
     .when = reduces_copies,
     .build =
         [](match& m) {
           index copies = 1;
           const node_id once = detail::reduction_before_broadcast(m, &copies);
           // Integers wrap: the count modulo the width.
           const spec type{m.element(m.root), {}};
           const element_bits bits = tfgraph::detail::visit_dtype(type.type, [&]<class T>(T) {
             return tfgraph::detail::to_bits(static_cast<T>(copies));
           });
           return m.make<ops::mul>({once, tfgraph::detail::record_full(m.g, type, bits)});
         }},
    {.name = "extreme_of_permuted",
     .from = "f(permute_dims(x))",
     .to = "f(x), the axes permuted",
     .when = inner_used_once,
     .build = detail::reduction_of_permuted,
     .f = "max min any all"},
    {.name = "sum_of_permuted",
     .from = "f(permute_dims(x))",
     .to = "f(x), the axes permuted",
     .needs = numerics::reassociate,
     .when = inner_used_once,
     .build = detail::reduction_of_permuted,
     .f = "sum prod"},
    {.name = "reduction_of_reshaped",
     .from = "f(reshape(x))",
     .to = "f(x), over all axes",
     .when = {"all axes are reduced",
              [](const match& m) {
                return detail::reduces_all(m, m.root, m.shape(m.part(1)).rank);
              }},
     .build =
         [](match& m) {
           bool all[max_rank];
           for (bool& a : all) a = true;
           return detail::reduce(m, m.g[m.root].op, m['x'], all, m.shape(m.root));
         },
     .f = "sum prod max min any all"},
    {.name = "extreme_of_extreme",
     .from = "f(f(x))",
     .to = "f(x), over the axes of both",
     .when = inner_used_once,
     .build = detail::reduction_of_reduction,
     .f = "max min any all"},
    {.name = "sum_of_sum",
     .from = "f(f(x))",
     .to = "f(x), over the axes of both",
     .needs = numerics::reassociate,
     .when = inner_used_once,
     .build = detail::reduction_of_reduction,
     .f = "sum prod"},
    {.name = "sum_of_negated",
     .from = "sum(neg(x))",
     .to = "neg(sum(x))",
     .needs = numerics::no_signed_zeros,
     .when = inner_used_once},
    {.name = "sum_of_scaled",
     .from = "sum(mul(x, k))",
     .to = "mul(sum(x), k)",
     .needs = numerics::reassociate,
     .when = {"k is a scalar and the product has no other use",
              [](const match& m) { return m.shape(m['k']).rank == 0 && m.single_use(m.part(1)); }}},
    {.name = "max_of_negated",
     .from = "max(neg(x))",
     .to = "neg(min(x))",
     .where = types::floating,
     .when = inner_used_once},
    {.name = "min_of_negated",
     .from = "min(neg(x))",
     .to = "neg(max(x))",
     .where = types::floating,
     .when = inner_used_once},
    {.name = "any_of_not", .from = "any(not(x))", .to = "not(all(x))", .when = inner_used_once},
    {.name = "all_of_not", .from = "all(not(x))", .to = "not(any(x))", .when = inner_used_once},
    {.name = "argmax_of_negated",
     .from = "argmax(neg(x))",
     .to = "argmin(x)",
     .where = types::floating},
    {.name = "argmin_of_negated",
     .from = "argmin(neg(x))",
     .to = "argmax(x)",
     .where = types::floating},
    {.name = "max_of_monotone",
     .from = "max(f(x))",
     .to = "f(max(x))",
     .where = types::floating,
     .when = inner_used_once,
     .f = "floor ceil trunc round sign"},
    {.name = "min_of_monotone",
     .from = "min(f(x))",
     .to = "f(min(x))",
     .where = types::floating,
     .when = inner_used_once,
     .f = "floor ceil trunc round sign"},
    {.name = "max_of_increasing",
     .from = "max(f(x))",
     .to = "f(max(x))",
     .needs = numerics::reassociate,
     .where = types::floating,
     .when = inner_used_once,
     .f = "exp exp2 expm1 tanh sigmoid softplus atan asinh sinh cbrt erf"},
    {.name = "min_of_increasing",
     .from = "min(f(x))",
     .to = "f(min(x))",
     .needs = numerics::reassociate,
     .where = types::floating,
     .when = inner_used_once,
     .f = "exp exp2 expm1 tanh sigmoid softplus atan asinh sinh cbrt erf"},
    // NaN where one operand is outside of the domain: not by the largest alone.
    {.name = "max_of_partial",
     .from = "max(f(x))",
     .to = "f(max(x))",
     .needs = numerics::no_nans | numerics::reassociate,
     .where = types::floating,
     .when = inner_used_once,
     .f = "sqrt log log2 log10 log1p acosh atanh asin"},
    {.name = "min_of_partial",
     .from = "min(f(x))",
     .to = "f(min(x))",
     .needs = numerics::no_nans | numerics::reassociate,
     .where = types::floating,
     .when = inner_used_once,
     .f = "sqrt log log2 log10 log1p acosh atanh asin"},
};

}  // namespace tfgraph::optimize
