// The matrix product.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>

namespace tfgraph {
namespace ops {

// a * b + c rounded once; integers wrap.
struct multiply_add : elementwise<3> {
  static constexpr std::string_view name = "multiply_add";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V a, V b, V c) {
    if constexpr (std::is_integral_v<typename V::value_type>) return a * b + c;
    else return simd::fma(a, b, c);
  }
};

// An element of the result is the chain c = multiply_add(a[k], b[k], c) over k ascending, from 0;
// where the result has one column, the products are summed in the order of
// graph/reduction_order.hpp.
struct matmul : operator_defaults {
  static constexpr std::string_view name = "matmul", onnx = "MatMul";
  static constexpr operation_kind kind = operation_kind::contraction;
  static constexpr int arity = 2;
  using accumulate = ops::multiply_add;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    inference r{{x[0].type, {}}, {}};
    const extents& a = x[0].shape;
    const extents& b = x[1].shape;
    if (x[0].type != x[1].type || !contains(domain::numeric, x[0].type)) {
      r.objection << "matmul: the element types " << x[0].type << " and " << x[1].type
                  << " do not multiply";
      r.about_types = true;
      return r;
    }
    if (a.rank == 0 || b.rank == 0) {
      r.objection << "matmul: the shapes " << a << " and " << b
                  << " must each have one dimension at least";
      return r;
    }
    const index inner_a = a[a.rank - 1];
    const index inner_b = b[b.rank == 1 ? 0 : b.rank - 2];
    if (inner_a >= 0 && inner_b >= 0 && inner_a != inner_b) {
      r.objection << "matmul: the shapes " << a << " and " << b << " do not multiply: " << inner_a
                  << " is not " << inner_b;
      return r;
    }
    extents batch_a;
    extents batch_b;
    for (int i = 0; i + 2 < a.rank; ++i) batch_a.push_back(a[i]);
    for (int i = 0; i + 2 < b.rank; ++i) batch_b.push_back(b[i]);
    const broadcast_result batch = broadcast(batch_a, batch_b);
    if (!batch.ok) {
      r.objection << "matmul: the shapes " << a << " and " << b
                  << " do not broadcast together before their last two axes";
      return r;
    }
    r.result.shape = batch.shape;
    if (a.rank > 1) r.result.shape.push_back(a[a.rank - 2]);
    if (b.rank > 1) r.result.shape.push_back(b[b.rank - 1]);
    return r;
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    const X a{y.g, y.g->operand(y.id, 0)};
    const X b{y.g, y.g->operand(y.id, 1)};
    return k == 0 ? record<matmul>(d, b) : record<matmul>(a, d);
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    const X a{y.g, y.g->operand(y.id, 0)};
    const X b{y.g, y.g->operand(y.id, 1)};
    if (a.rank() == 1 && b.rank() == 1) return d * (k == 0 ? b : a);
    if (k == 1 && a.rank() == 2 && b.rank() == 1) return record<matmul>(transposed(a), d);
    if (k == 0 && a.rank() == 1 && b.rank() == 2) return record<matmul>(b, d);
    // With vectors as matrices of one row or column.
    const X row = a.rank() == 1 ? record_with<expand_dims>({0}, a) : a;
    const X column = b.rank() == 1 ? record_with<expand_dims>({1}, b) : b;
    if (a.rank() == 1) d = record_with<expand_dims>({b.rank() == 1 ? -1 : -2}, d);
    else if (b.rank() == 1) d = record_with<expand_dims>({-1}, d);
    const X of = k == 0 ? a : b;
    if (k == 1 && b.rank() <= 2 && a.rank() > 2 && are_static(a, b)) {
      // One matrix for all rows of the batch: one product.
      const index depth = a.shape()[a.rank() - 1];
      const index width = column.shape()[1];
      const X all = record_with<reshape>({-1, depth}, a);
      const X flat_d = record_with<reshape>({-1, width}, d);
      return reshape_to(b, record<matmul>(transposed(all), flat_d));
    }
    const X full =
        k == 0 ? record<matmul>(d, transposed(column)) : record<matmul>(transposed(row), d);
    return reshape_to(of, sum_to(k == 0 ? row : column, full));
  }
};

}  // namespace ops

/// matmul(a, b): product of matrices over the last two axes; leading axes broadcast; a vector is a
/// row at the left and a column at the right, and its axis disappears from the result.
struct matmul_function {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const {
    return detail::apply<ops::matmul>(a, b);
  }
};
inline constexpr matmul_function matmul{};

}  // namespace tfgraph
