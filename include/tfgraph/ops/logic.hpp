// Comparisons, logic on booleans, selection and conversion between element types.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>

namespace tfgraph {
namespace ops {

struct comparison : elementwise<2> {
  static constexpr domain operands = domain::numeric;
  static constexpr bool predicate = true;
};

struct equal : comparison {
  static constexpr std::string_view name = "equal", onnx = "Equal";
  static constexpr domain operands = domain::any;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr auto apply(V a, V b) {
    if constexpr (detail::is_mask<V>) return ~(a ^ b);
    else return a == b;
  }
};

struct not_equal : comparison {
  static constexpr std::string_view name = "not_equal";
  static constexpr domain operands = domain::any;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr auto apply(V a, V b) {
    if constexpr (detail::is_mask<V>) return a ^ b;
    else return a != b;
  }
};

struct less : comparison {
  static constexpr std::string_view name = "less", onnx = "Less";
  template <class V>
  static constexpr auto apply(V a, V b) {
    return a < b;
  }
};

struct less_equal : comparison {
  static constexpr std::string_view name = "less_equal", onnx = "LessOrEqual";
  template <class V>
  static constexpr auto apply(V a, V b) {
    return a <= b;
  }
};

struct greater : comparison {
  static constexpr std::string_view name = "greater", onnx = "Greater";
  template <class V>
  static constexpr auto apply(V a, V b) {
    return a > b;
  }
};

struct greater_equal : comparison {
  static constexpr std::string_view name = "greater_equal", onnx = "GreaterOrEqual";
  template <class V>
  static constexpr auto apply(V a, V b) {
    return a >= b;
  }
};

struct logical_and : elementwise<2> {
  static constexpr std::string_view name = "and", onnx = "And";
  static constexpr domain operands = domain::boolean;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a & b;
  }
};

struct logical_or : elementwise<2> {
  static constexpr std::string_view name = "or", onnx = "Or";
  static constexpr domain operands = domain::boolean;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a | b;
  }
};

struct logical_xor : elementwise<2> {
  static constexpr std::string_view name = "xor", onnx = "Xor";
  static constexpr domain operands = domain::boolean;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a ^ b;
  }
};

struct logical_not : elementwise<1> {
  static constexpr std::string_view name = "not", onnx = "Not";
  static constexpr domain operands = domain::boolean;
  template <class V>
  static constexpr V apply(V x) {
    return ~x;
  }
};

struct where : elementwise<3> {
  static constexpr std::string_view name = "where", onnx = "Where";
  static constexpr domain operands = domain::any;
  static constexpr int conditions = 1;
  template <class M, class V>
  static constexpr V apply(M condition, V yes, V no) {
    if constexpr (detail::is_mask<V>) {
      const V c = simd::mask_cast<typename V::value_type>(condition);
      return (c & yes) | (~c & no);
    } else return simd::select(condition, yes, no);
  }
  template <class X>
  static constexpr X derivative(int k, X d, X condition, X, X, X) {
    // It selects: a factor of 0 would make NaN of what was not selected.
    const X zero = number(0, d);
    return k == 1 ? record<where>(condition, d, zero) : record<where>(condition, zero, d);
  }
};

struct isnan : elementwise<1> {
  static constexpr std::string_view name = "isnan", onnx = "IsNaN";
  static constexpr domain operands = domain::floating;
  static constexpr bool predicate = true;
  template <class V>
  static constexpr auto apply(V x) {
    return simd::isnan(x);
  }
};

struct isinf : elementwise<1> {
  static constexpr std::string_view name = "isinf", onnx = "IsInf";
  static constexpr domain operands = domain::floating;
  static constexpr bool predicate = true;
  template <class V>
  static constexpr auto apply(V x) {
    return simd::isinf(x);
  }
};

struct isfinite : elementwise<1> {
  static constexpr std::string_view name = "isfinite";
  static constexpr domain operands = domain::floating;
  static constexpr bool predicate = true;
  template <class V>
  static constexpr auto apply(V x) {
    return simd::isfinite(x);
  }
};

// Attribute: the dtype to convert to.
struct cast : elementwise<1> {
  static constexpr std::string_view name = "cast", onnx = "Cast";
  static constexpr domain operands = domain::any;
  static constexpr bool takes_type = true;
  [[nodiscard]] static constexpr dtype result_type(std::span<const index> attributes) {
    return static_cast<dtype>(attributes[0]);
  }
  /// For executors that know the result's C++ type U.
  template <class U, class V>
  static constexpr auto apply_to(V x) {
    if constexpr (detail::is_mask<V>) {
      if constexpr (std::is_same_v<U, bool>) return x;
      else return simd::from_mask<U>(x);
    } else return simd::cast<U>(x);
  }
  [[nodiscard]] static constexpr element_bits element(dtype from, dtype to, std::span<const index>,
                                                      const element_bits* x) {
    return tfgraph::detail::visit_dtype(from, [&]<class T>(T) {
      return tfgraph::detail::visit_dtype(to, [&]<class U>(U) -> element_bits {
        if constexpr (std::is_same_v<T, bool>)
          return detail::encode(dtype_of<U>, apply_to<U>(detail::decode<bool>(from, x[0])));
        else
          return detail::encode(dtype_of<U>,
                                apply_to<U>(simd::batch<T, 1>(detail::from_bits<T>(x[0]))));
      });
    });
  }
  template <class X>
  static constexpr X jvp(int, X d, X y) {
    return record_with<cast>({static_cast<index>(y.type().type)}, d);
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    const dtype t = y.g->type(y.g->operand(y.id, 0)).type;
    return record_with<cast>({static_cast<index>(t)}, d);
  }
};

}  // namespace ops

/// Comparisons follow IEEE 754: every ordered comparison with NaN is false, NaN != NaN is true.
inline constexpr elementwise_function<ops::equal> equal{};
inline constexpr elementwise_function<ops::not_equal> not_equal{};
inline constexpr elementwise_function<ops::less> less{};
inline constexpr elementwise_function<ops::less_equal> less_equal{};
inline constexpr elementwise_function<ops::greater> greater{};
inline constexpr elementwise_function<ops::greater_equal> greater_equal{};
inline constexpr elementwise_function<ops::logical_and> logical_and{};
inline constexpr elementwise_function<ops::logical_or> logical_or{};
inline constexpr elementwise_function<ops::logical_xor> logical_xor{};
inline constexpr elementwise_function<ops::logical_not> logical_not{};
/// where(condition, yes, no): selects elements; what is not selected has no influence, NaN or not.
inline constexpr elementwise_function<ops::where> where{};
inline constexpr elementwise_function<ops::isnan> isnan{};
inline constexpr elementwise_function<ops::isinf> isinf{};
inline constexpr elementwise_function<ops::isfinite> isfinite{};

/// astype<T>(x): converts. Integers wrap among themselves; floating point to integer saturates and
/// takes NaN to 0; to bool asks `x != 0`.
template <element T>
struct astype_function {
  template <class A>
  constexpr auto operator()(const A& x) const {
    return detail::apply<ops::cast, detail::attributes<static_cast<index>(dtype_of<T>)>>(x);
  }
};
template <element T, class A>
[[nodiscard]] constexpr auto astype(const A& x) {
  return astype_function<T>{}(x);
}

}  // namespace tfgraph
