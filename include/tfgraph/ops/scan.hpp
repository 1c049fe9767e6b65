// Sums that go on along an axis.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/movement.hpp>

namespace tfgraph {
namespace ops {

// Attributes: the axis, and whether it starts from the end (1).
struct cumulative_sum : along_axis {
  static constexpr std::string_view name = "cumulative_sum", onnx = "CumSum";
  static constexpr domain operands = domain::numeric;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{x[0], {}};
    if (!contains(operands, x[0].type)) {
      r.objection << name << ": the argument must have " << name_of(operands) << ", not "
                  << x[0].type;
      r.about_types = true;
      return r;
    }
    if (detail::normal_axis(attributes[0], x[0].shape.rank) < 0)
      return detail::bad_axis(name, attributes[0], x[0].shape);
    return r;
  }
  [[nodiscard]] static constexpr axis_extents axis(std::span<const spec> x,
                                                   std::span<const index> attributes) {
    const extents& e = x[0].shape;
    const int at = detail::normal_axis(attributes[0], e.rank);
    axis_extents a;
    for (int i = 0; i < e.rank; ++i) (i < at ? a.outer : i == at ? a.from : a.inner) *= e[i];
    a.to = a.from;
    return a;
  }
  template <class T>
  static constexpr void run(const axis_extents& e, std::span<const index> attributes, const T* x,
                            T* out) {
    using V = simd::batch<T, 1>;
    const bool back = attributes[1] != 0;
    for (index o = 0; o < e.outer; ++o)
      for (index i = 0; i < e.from; ++i) {
        const index row = (o * e.from + (back ? e.from - 1 - i : i)) * e.inner;
        const index before = row + (back ? e.inner : -e.inner);
        for (index k = 0; k < e.inner; ++k)
          out[row + k] = i == 0 ? x[row + k] : (V(out[before + k]) + V(x[row + k])).get(0);
      }
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    return record_with<cumulative_sum>({y.g->attribute(y.id, 0), 1 - y.g->attribute(y.id, 1)}, d);
  }
};

}  // namespace ops

/// cumulative_sum(x, axis<0>): each element is the sum of those up to it along the axis, added in
/// this order. Integers wrap. Without an axis, of a tensor of one dimension.
struct cumulative_sum_function {
  template <class X, index A>
  constexpr auto operator()(const X& x, axis_t<A>) const {
    return detail::apply<ops::cumulative_sum, detail::attributes<A, 0>>(x);
  }
  template <class X>
  constexpr auto operator()(const X& x) const {
    static_assert(detail::is_any<X> || detail::rank_of<X> == 1,
                  "tfgraph: cumulative_sum: name the axis of a tensor that has not one dimension");
    return (*this)(x, axis<0>);
  }
};
inline constexpr cumulative_sum_function cumulative_sum{};

}  // namespace tfgraph
