// Operators whose result has the shape of their second operand, whose elements do not matter. They
// are recorded where extents are not known yet; when they are, others stand in their place.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/movement.hpp>

namespace tfgraph::ops {

struct like : operator_defaults {
  static constexpr operation_kind kind = operation_kind::unbound;
  static constexpr int arity = 2;
  static constexpr domain operands = domain::any;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    return {{x[0].type, x[1].shape}, {}};
  }
};

/// Broadcast to the shape.
struct full_like : like {
  static constexpr std::string_view name = "full_like";
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    inference r{{x[0].type, x[1].shape}, {}};
    if (!broadcast(x[0].shape, x[1].shape).ok)
      r.objection << "full_like: the shape " << x[0].shape << " does not broadcast to "
                  << x[1].shape;
    return r;
  }
  template <class X>
  static constexpr X expand(X x, X shape, std::span<const index>) {
    return stretch_to(extents(shape.shape()), x);
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    return k == 0 ? stretch_to(y, d) : X::none();
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    return k == 0 ? sum_to(X{y.g, y.g->operand(y.id, 0)}, d) : X::none();
  }
};

/// Summed over what broadcasting has stretched.
struct sum_like : like {
  static constexpr std::string_view name = "sum_like";
  static constexpr domain operands = domain::numeric;
  template <class X>
  static constexpr X expand(X x, X shape, std::span<const index>) {
    return sum_to(extents(shape.shape()), x);
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    return k == 0 ? sum_to(y, d) : X::none();
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    return k == 0 ? stretch_to(X{y.g, y.g->operand(y.id, 0)}, d) : X::none();
  }
};

struct reshape_like : like {
  static constexpr std::string_view name = "reshape_like";
  template <class X>
  static constexpr X expand(X x, X shape, std::span<const index>) {
    return reshape_to(extents(shape.shape()), x);
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    return k == 0 ? reshape_to(y, d) : X::none();
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    return k == 0 ? reshape_to(X{y.g, y.g->operand(y.id, 0)}, d) : X::none();
  }
};

/// What a slice has taken, at its place among zeros. Attributes: the slice's.
struct unslice : like {
  static constexpr std::string_view name = "unslice";
  template <class X>
  static constexpr X expand(X x, X shape, std::span<const index> attributes) {
    return slice::put_back(x, extents(shape.shape()), attributes);
  }
  template <class X>
  static constexpr X jvp(int k, X d, X y) {
    const attribute_list a = attributes_of(y);
    return k == 0 ? record_with<unslice>(std::span<const index>(a), d, y) : X::none();
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    const attribute_list a = attributes_of(y);
    return k == 0 ? record_with<slice>(std::span<const index>(a), d) : X::none();
  }
};

}  // namespace tfgraph::ops
