// Operators on elements that are found by indices: take, and scatter_add, which brings them back.
// (Their functions are in trace/indexing.hpp.)
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/movement.hpp>

#include <string>

namespace tfgraph {
namespace ops {
namespace detail {

[[noreturn]] inline void throw_index_error(std::string_view name, index i, index n) {
  throw domain_error(std::string(name) + ": the index " + std::to_string(i) +
                     " is out of range for an axis of extent " + std::to_string(n));
}

/// The position that an index names on an axis of n elements; negative ones count from the end.
constexpr index position(std::string_view name, index i, index n) {
  const index p = i < 0 ? i + n : i;
  if (p < 0 || p >= n) throw_index_error(name, i, n);
  return p;
}

/// Rules of operators whose first operand is indices. Attributes: the axis, and the number of
/// leading axes that the indices and the other operands have in common.
struct indexed : along_axis {
  static constexpr domain operands = domain::any;
  static constexpr int conditions = 1;
  static constexpr dtype leading_type = dtype::int64;
  static constexpr bool partial = true;

  /// The type of x with the axes of the indices in the place of the one that they index.
  [[nodiscard]] static constexpr inference infer_taken(std::string_view name, const spec& indices,
                                                       const spec& x,
                                                       std::span<const index> attributes) {
    inference r{{x.type, {}}, {}};
    if (indices.type != leading_type) {
      r.objection << name << ": the indices must have int64, not " << indices.type;
      r.about_types = true;
      return r;
    }
    const int axis = normal_axis(attributes[0], x.shape.rank);
    if (axis < 0) return bad_axis(name, attributes[0], x.shape);
    const int shared = static_cast<int>(attributes[1]);
    bool fits = shared <= axis && shared <= indices.shape.rank;
    for (int i = 0; fits && i < shared; ++i)
      fits = indices.shape[i] == x.shape[i] || indices.shape[i] < 0 || x.shape[i] < 0;
    if (!fits) {
      r.objection << name << ": the shapes " << indices.shape << " and " << x.shape
                  << " do not begin with the same " << static_cast<index>(shared) << " axes";
      return r;
    }
    if (x.shape.rank - 1 + indices.shape.rank - shared > max_rank) {
      r.objection << name << ": a tensor has at most " << max_rank << " dimensions";
      return r;
    }
    for (int i = 0; i < axis; ++i) r.result.shape.push_back(x.shape[i]);
    for (int i = shared; i < indices.shape.rank; ++i) r.result.shape.push_back(indices.shape[i]);
    for (int i = axis + 1; i < x.shape.rank; ++i) r.result.shape.push_back(x.shape[i]);
    return r;
  }

  /// `from` is the axis of x, and `to` the indices.
  [[nodiscard]] static constexpr axis_extents axis(std::span<const spec> x,
                                                   std::span<const index> attributes) {
    const extents& e = x[1].shape;
    const int at = normal_axis(attributes[0], e.rank);
    const int shared = static_cast<int>(attributes[1]);
    axis_extents a;
    for (int i = 0; i < e.rank; ++i)
      (i < shared ? a.batch : i < at ? a.outer : i == at ? a.from : a.inner) *= e[i];
    for (int i = shared; i < x[0].shape.rank; ++i) a.to *= x[0].shape[i];
    return a;
  }

  /// Calls f(element of x, element of what was taken, which follow by `inner`) for every index.
  template <class F>
  static constexpr void for_each_index(std::string_view name, const axis_extents& e,
                                       const index* indices, F f) {
    for (index b = 0; b < e.batch; ++b, indices += e.to)
      for (index o = b * e.outer; o < (b + 1) * e.outer; ++o)
        for (index i = 0; i < e.to; ++i)
          f((o * e.from + position(name, indices[i], e.from)) * e.inner, (o * e.to + i) * e.inner);
  }

  template <class X>
  static constexpr X indices_of(X y) {
    return {y.g, y.g->operand(y.id, 0)};
  }
};

}  // namespace detail

// Operands: indices, x.
struct take : detail::indexed {
  static constexpr std::string_view name = "take", onnx = "Gather";
  static constexpr int arity = 2;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    return infer_taken(name, x[0], x[1], attributes);
  }
  template <class T>
  static constexpr void run(const axis_extents& e, std::span<const index>, const index* indices,
                            const T* x, T* out) {
    for_each_index(name, e, indices, [&](index from, index to) {
      for (index k = 0; k < e.inner; ++k) out[to + k] = x[from + k];
    });
  }
  template <class X, class Scatter = scatter_add>
  static constexpr X vjp(int k, X d, X y) {
    if (k == 0) return X::none();
    const X x{y.g, y.g->operand(y.id, 1)};
    const attribute_list a = attributes_of(y);
    return record_with<Scatter>(std::span<const index>(a), indices_of(y), zeros_like(x), d);
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    if (k == 0) return X::none();
    const attribute_list a = attributes_of(y);
    return record_with<take>(std::span<const index>(a), indices_of(y), d);
  }
};

// Operands: indices, x, what is added to the elements of x that `take` would find, in this order.
struct scatter_add : detail::indexed {
  static constexpr std::string_view name = "scatter_add";
  static constexpr domain operands = domain::numeric;
  static constexpr int arity = 3;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r = infer_taken(name, x[0], x[1], attributes);
    if (!r.objection.empty()) return r;
    if (!contains(operands, x[1].type) || x[1].type != x[2].type) {
      r.objection << name << ": the element types " << x[1].type << " and " << x[2].type
                  << " cannot be added";
      r.about_types = true;
      return r;
    }
    bool fits = r.result.shape.rank == x[2].shape.rank;
    for (int i = 0; fits && i < x[2].shape.rank; ++i)
      fits = r.result.shape[i] == x[2].shape[i] || r.result.shape[i] < 0 || x[2].shape[i] < 0;
    if (!fits) {
      r.objection << name << ": the updates must have the shape " << r.result.shape << ", not "
                  << x[2].shape;
      return r;
    }
    r.result = x[1];
    return r;
  }
  template <class T>
  static constexpr void run(const axis_extents& e, std::span<const index>, const index* indices,
                            const T* x, const T* updates, T* out) {
    const index all = e.batch * e.outer * e.from * e.inner;
    for (index i = 0; i < all; ++i) out[i] = x[i];
    for_each_index(name, e, indices, [&](index at, index from) {
      using V = simd::batch<T, 1>;
      for (index k = 0; k < e.inner; ++k)
        out[at + k] = (V(out[at + k]) + V(updates[from + k])).get(0);
    });
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    if (k == 0) return X::none();
    return k == 1 ? d : take::jvp(1, d, y);
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    if (k < 2) return k == 1 ? d : X::none();
    const X x{y.g, y.g->operand(y.id, 1)};
    const attribute_list a = attributes_of(y);
    return record_with<scatter_add>(std::span<const index>(a), indices_of(y), zeros_like(x), d);
  }
};

}  // namespace ops
}  // namespace tfgraph
