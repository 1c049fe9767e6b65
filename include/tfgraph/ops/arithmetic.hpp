// Arithmetic, bitwise and sign operators. Integers wrap; division of integers by zero and shifts
// out of range throw domain_error.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>

namespace tfgraph {
namespace ops {

namespace detail {

[[noreturn]] inline void throw_domain_error(const char* what) { throw domain_error(what); }

template <class V>
constexpr void require_nonzero(V divisor, const char* what) {
  if (simd::any(divisor == V(0))) throw_domain_error(what);
}

template <class V>
constexpr void require_shift(V count, const char* what) {
  using T = typename V::value_type;
  if (simd::any((count < V(0)) | (count >= V(static_cast<T>(8 * sizeof(T))))))
    throw_domain_error(what);
}

}  // namespace detail

struct add : elementwise<2> {
  static constexpr std::string_view name = "add", onnx = "Add";
  static constexpr domain operands = domain::numeric;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a + b;
  }
  template <class X>
  static constexpr X derivative(int, X d, X, X, X) {
    return d;
  }
};

struct sub : elementwise<2> {
  static constexpr std::string_view name = "sub", onnx = "Sub";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a - b;
  }
  template <class X>
  static constexpr X derivative(int k, X d, X, X, X) {
    return k == 0 ? d : -d;
  }
};

struct mul : elementwise<2> {
  static constexpr std::string_view name = "mul", onnx = "Mul";
  static constexpr domain operands = domain::numeric;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a * b;
  }
  template <class X>
  static constexpr X derivative(int k, X d, X a, X b, X) {
    return d * (k == 0 ? b : a);
  }
};

struct div : elementwise<2> {
  static constexpr std::string_view name = "div", onnx = "Div";
  static constexpr domain operands = domain::numeric;
  static constexpr bool partial = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    if constexpr (detail::is_integer_lane<V>) {
      detail::require_nonzero(b, "div: integer division by zero");
      return simd::trunc_div(a, b);
    } else return a / b;
  }
  template <class X>
  static constexpr X derivative(int k, X d, X, X b, X y) {
    return k == 0 ? d / b : -(d * (y / b));
  }
};

struct floor_div : elementwise<2> {
  static constexpr std::string_view name = "floor_div";
  static constexpr domain operands = domain::numeric;
  static constexpr bool partial = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    if constexpr (detail::is_integer_lane<V>) {
      detail::require_nonzero(b, "floor_div: integer division by zero");
      return simd::floor_div(a, b);
    } else return simd::floor(a / b);
  }
  static constexpr bool flat = true;
};

// The sign of the divisor, as Python's and the array API's.
struct floor_mod : elementwise<2> {
  static constexpr std::string_view name = "floor_mod", onnx = "Mod";
  static constexpr domain operands = domain::integer;
  static constexpr bool partial = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    detail::require_nonzero(b, "floor_mod: integer division by zero");
    return simd::floor_mod(a, b);
  }
};

// The sign of the dividend, as C++'s %.
struct trunc_mod : elementwise<2> {
  static constexpr std::string_view name = "trunc_mod";
  static constexpr domain operands = domain::integer;
  static constexpr bool partial = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    detail::require_nonzero(b, "trunc_mod: integer division by zero");
    return a - simd::trunc_div(a, b) * b;
  }
};

struct neg : elementwise<1> {
  static constexpr std::string_view name = "neg", onnx = "Neg";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V x) {
    return -x;
  }
  template <class X>
  static constexpr X derivative(X d, X, X) {
    return -d;
  }
};

struct abs : elementwise<1> {
  static constexpr std::string_view name = "abs", onnx = "Abs";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V x) {
    return simd::abs(x);
  }
  template <class X>
  static constexpr X derivative(X d, X x, X) {
    return d * record<sign>(x);
  }
};

struct sign : elementwise<1> {
  static constexpr std::string_view name = "sign", onnx = "Sign";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V x) {
    return simd::sign(x);
  }
  static constexpr bool flat = true;
};

struct square : elementwise<1> {
  static constexpr std::string_view name = "square";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V x) {
    return x * x;
  }
  template <class X>
  static constexpr X derivative(X d, X x, X) {
    return d * (x + x);
  }
};

struct reciprocal : elementwise<1> {
  static constexpr std::string_view name = "reciprocal", onnx = "Reciprocal";
  static constexpr domain operands = domain::floating;
  template <class V>
  static constexpr V apply(V x) {
    return V(1) / x;
  }
  template <class X>
  static constexpr X derivative(X d, X, X y) {
    return -(d * (y * y));
  }
};

struct maximum : elementwise<2> {
  static constexpr std::string_view name = "maximum", onnx = "Max";
  static constexpr domain operands = domain::numeric;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return simd::max(a, b);
  }
  template <class X>
  static constexpr X derivative(int k, X d, X a, X b, X) {
    // Equal operands share.
    const X shared = record<where>(record<equal>(a, b), 0.5 * d, number(0, d));
    return record<where>(k == 0 ? record<less>(b, a) : record<less>(a, b), d, shared);
  }
};

struct minimum : elementwise<2> {
  static constexpr std::string_view name = "minimum", onnx = "Min";
  static constexpr domain operands = domain::numeric;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return simd::min(a, b);
  }
  template <class X>
  static constexpr X derivative(int k, X d, X a, X b, X) {
    // Equal operands share.
    const X shared = record<where>(record<equal>(a, b), 0.5 * d, number(0, d));
    return record<where>(k == 0 ? record<less>(a, b) : record<less>(b, a), d, shared);
  }
};

struct clip : elementwise<3> {
  static constexpr std::string_view name = "clip", onnx = "Clip";
  static constexpr domain operands = domain::numeric;
  template <class V>
  static constexpr V apply(V x, V low, V high) {
    return simd::min(simd::max(x, low), high);
  }
  template <class X>
  static constexpr X derivative(int k, X d, X x, X low, X high, X) {
    // x has the derivative at the bounds, too.
    const X inside =
        k == 0   ? record<logical_and>(record<less_equal>(low, x), record<less_equal>(x, high))
        : k == 1 ? record<logical_and>(record<less>(x, low), record<less_equal>(low, high))
                 : record<less>(high, record<maximum>(x, low));
    return record<where>(inside, d, number(0, d));
  }
};

struct bit_and : elementwise<2> {
  static constexpr std::string_view name = "bit_and", onnx = "BitwiseAnd";
  static constexpr domain operands = domain::bits;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a & b;
  }
};

struct bit_or : elementwise<2> {
  static constexpr std::string_view name = "bit_or", onnx = "BitwiseOr";
  static constexpr domain operands = domain::bits;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a | b;
  }
};

struct bit_xor : elementwise<2> {
  static constexpr std::string_view name = "bit_xor", onnx = "BitwiseXor";
  static constexpr domain operands = domain::bits;
  static constexpr bool commutative = true;
  template <class V>
  static constexpr V apply(V a, V b) {
    return a ^ b;
  }
};

struct bit_not : elementwise<1> {
  static constexpr std::string_view name = "bit_not", onnx = "BitwiseNot";
  static constexpr domain operands = domain::bits;
  template <class V>
  static constexpr V apply(V x) {
    return ~x;
  }
};

struct shift_left : elementwise<2> {
  static constexpr std::string_view name = "shift_left", onnx = "BitShift";
  static constexpr domain operands = domain::integer;
  static constexpr bool partial = true;
  template <class V>
  static constexpr V apply(V a, V count) {
    detail::require_shift(count, "shift_left: the count is negative or not below the width");
    return a << count;
  }
};

struct shift_right : elementwise<2> {
  static constexpr std::string_view name = "shift_right", onnx = "BitShift";
  static constexpr domain operands = domain::integer;
  static constexpr bool partial = true;
  template <class V>
  static constexpr V apply(V a, V count) {
    detail::require_shift(count, "shift_right: the count is negative or not below the width");
    return a >> count;
  }
};

}  // namespace ops

/// Sum, difference, product; integers wrap. Operands broadcast; also `+`, `-`, `*`.
inline constexpr elementwise_function<ops::add> add{};
inline constexpr elementwise_function<ops::sub> subtract{};
inline constexpr elementwise_function<ops::mul> multiply{};
/// Quotient; of integers cut towards zero, as C++'s `/`. Throws domain_error for an integer x / 0.
inline constexpr elementwise_function<ops::div> divide{};
/// The largest integer not above the quotient.
inline constexpr elementwise_function<ops::floor_div> floor_divide{};
/// Remainder of integers with the sign of the divisor (`%` has the sign of the dividend, as in
/// C++).
inline constexpr elementwise_function<ops::floor_mod> remainder{};
inline constexpr elementwise_function<ops::trunc_mod> fmod{};
inline constexpr elementwise_function<ops::neg> negative{};
inline constexpr elementwise_function<ops::abs> abs{};
/// -1, 0 or 1; the sign of a zero is kept and NaN is NaN.
inline constexpr elementwise_function<ops::sign> sign{};
inline constexpr elementwise_function<ops::square> square{};
/// 1 / x, correctly rounded.
inline constexpr elementwise_function<ops::reciprocal> reciprocal{};
/// The larger; NaN if either is NaN; +0 is larger than -0.
inline constexpr elementwise_function<ops::maximum> maximum{};
inline constexpr elementwise_function<ops::minimum> minimum{};
/// minimum(maximum(x, low), high).
inline constexpr elementwise_function<ops::clip> clip{};
inline constexpr elementwise_function<ops::bit_and> bitwise_and{};
inline constexpr elementwise_function<ops::bit_or> bitwise_or{};
inline constexpr elementwise_function<ops::bit_xor> bitwise_xor{};
inline constexpr elementwise_function<ops::bit_not> bitwise_invert{};
/// x * 2^count, wrapping. Throws domain_error for a count that is negative or not below the width.
inline constexpr elementwise_function<ops::shift_left> bitwise_left_shift{};
/// floor(x / 2^count). Throws domain_error for a count that is negative or not below the width.
inline constexpr elementwise_function<ops::shift_right> bitwise_right_shift{};

}  // namespace tfgraph
