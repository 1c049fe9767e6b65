// Rules of matrix products.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/ops/generate.hpp>
#include <tfgraph/ops/matmul.hpp>
#include <tfgraph/optimize/rules/movement.hpp>

namespace tfgraph::optimize {
namespace detail {

constexpr bool is_matrix(const match& m, node_id n) {
  return m.shape(n).rank == 2 && m.shape(n).is_static();
}

constexpr bool is_unit(const match& m, node_id eye) {
  const extents e = m.shape(eye);
  return e.is_static() && e[0] == e[1] && m.attributes(eye)[0] == 0;
}

/// Multiplications of a product of matrices; a vector is a row at the left, a column at the right.
constexpr double product_cost(const extents& a, const extents& b) {
  double n = 1;
  for (int i = 0; i < a.rank; ++i) n *= static_cast<double>(a[i]);
  return b.rank > 1 ? n * static_cast<double>(b[b.rank - 1]) : n;
}

constexpr extents product_shape(const extents& a, const extents& b) {
  extents e;
  if (a.rank > 1) e.push_back(a[0]);
  if (b.rank > 1) e.push_back(b[1]);
  return e;
}

/// Whether (a b) c costs more than a (b c). Vectors can only stand at the ends.
constexpr bool right_first_is_cheaper(const match& m, bool left_now) {
  const extents a = m.shape(m['a']);
  const extents b = m.shape(m['b']);
  const extents c = m.shape(m['c']);
  if (!a.is_static() || !b.is_static() || !c.is_static()) return false;
  if (a.rank > 2 || b.rank != 2 || c.rank > 2) return false;
  const double left = product_cost(a, b) + product_cost(product_shape(a, b), c);
  const double right = product_cost(b, c) + product_cost(a, product_shape(b, c));
  return left_now ? right < left : left < right;
}

template <int Inner>
constexpr bool scales_less(const match& m) {
  return m.shape(m['k']).rank == 0 && m.shape(m.root).is_static() && m.shape(m['x']).is_static() &&
         m.shape(m.root).size() <= m.shape(m['x']).size() && m.single_use(m.part(Inner));
}

}  // namespace detail

inline constexpr rule matmul_rules[] = {
    {.name = "matmul_with_eye",
     .from = "matmul(x, eye())",
     .to = "x",
     .needs = numerics::no_nans | numerics::no_signed_zeros,
     .when = {"eye is the unit matrix",
              [](const match& m) { return detail::is_unit(m, m.part(2)); }}},
    {.name = "eye_with_matmul",
     .from = "matmul(eye(), x)",
     .to = "x",
     .needs = numerics::no_nans | numerics::no_signed_zeros,
     .when = {"eye is the unit matrix",
              [](const match& m) { return detail::is_unit(m, m.part(1)); }}},
    {.name = "matmul_with_zero",
     .from = "matmul(x, 0)",
     .to = "0",
     .needs = numerics::no_nans | numerics::no_signed_zeros},
    {.name = "zero_with_matmul",
     .from = "matmul(0, x)",
     .to = "0",
     .needs = numerics::no_nans | numerics::no_signed_zeros},
    {.name = "transposed_product_of_transposed",
     .from = "permute_dims(matmul(permute_dims(a), permute_dims(b)))",
     .to = "matmul(b, a)",
     .when = {"of matrices; for floating point with several rows and columns",
              [](const match& m) {
                if (!detail::is_matrix(m, m.root)) return false;
                for (int part : {0, 2, 4}) {
                  const detail::permutation p = detail::permutation_of(m, m.part(part));
                  if (p.rank != 2 || p.axis[0] != 1) return false;
                }
                const extents e = m.shape(m.root);
                return is_integer(m.element(m.root)) || (e[0] > 1 && e[1] > 1);
              }}},
    {.name = "product_right_first",
     .from = "matmul(matmul(a, b), c)",
     .to = "matmul(a, matmul(b, c))",
     .needs = numerics::reassociate,
     .when = {"of matrices and vectors, it has fewer multiplications, and the inner product has "
              "no other use",
              [](const match& m) {
                return detail::right_first_is_cheaper(m, true) && m.single_use(m.part(1));
              }}},
    {.name = "product_left_first",
     .from = "matmul(a, matmul(b, c))",
     .to = "matmul(matmul(a, b), c)",
     .needs = numerics::reassociate,
     .when = {"of matrices and vectors, it has fewer multiplications, and the inner product has "
              "no other use",
              [](const match& m) {
                return detail::right_first_is_cheaper(m, false) && m.single_use(m.part(2));
              }}},
    {.name = "scaled_left_factor",
     .from = "matmul(mul(x, k), y)",
     .to = "mul(matmul(x, y), k)",
     .needs = numerics::reassociate,
     .when = {"k is a scalar, the product is not larger than x, and the inner node has no other "
              "use",
              detail::scales_less<1>}},
    {.name = "scaled_right_factor",
     .from = "matmul(y, mul(x, k))",
     .to = "mul(matmul(y, x), k)",
     .needs = numerics::reassociate,
     .when = {"k is a scalar, the product is not larger than x, and the inner node has no other "
              "use",
              detail::scales_less<2>}},
    {.name = "outer_product",
     .from = "matmul(x, y)",
     .to = "mul(x, y), broadcast",
     .needs = numerics::no_signed_zeros,
     .when = {"x is a column and y a row",
              [](const match& m) {
                return detail::is_matrix(m, m['x']) && detail::is_matrix(m, m['y']) &&
                       m.shape(m['x'])[1] == 1;
              }},
     .build = [](match& m) { return m.make<ops::mul>({m['x'], m['y']}); }},
};

}  // namespace tfgraph::optimize
