// Elementary and special functions on floating-point tensors, and rounding.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>
#include <tfgraph/simd/math.hpp>

namespace tfgraph {
namespace ops {

// Each function's meaning stands in simd/; here it gets its name, its ONNX name and its domain.
#define TFGRAPH_UNARY(function, onnx_name)                                \
  struct function : elementwise<1> {                                      \
    static constexpr std::string_view name = #function, onnx = onnx_name; \
    static constexpr domain operands = domain::floating;                  \
    template <class V>                                                    \
    static constexpr V apply(V x) {                                       \
      return simd::function(x);                                           \
    }                                                                     \
  };
#define TFGRAPH_BINARY(function, onnx_name)                               \
  struct function : elementwise<2> {                                      \
    static constexpr std::string_view name = #function, onnx = onnx_name; \
    static constexpr domain operands = domain::floating;                  \
    template <class V>                                                    \
    static constexpr V apply(V x, V y) {                                  \
      return simd::function(x, y);                                        \
    }                                                                     \
  };

TFGRAPH_UNARY(sqrt, "Sqrt")
TFGRAPH_UNARY(rsqrt, "")
TFGRAPH_UNARY(cbrt, "")
TFGRAPH_UNARY(exp, "Exp")
TFGRAPH_UNARY(exp2, "")
TFGRAPH_UNARY(expm1, "")
TFGRAPH_UNARY(log, "Log")
TFGRAPH_UNARY(log2, "")
TFGRAPH_UNARY(log10, "")
TFGRAPH_UNARY(log1p, "")
TFGRAPH_UNARY(sin, "Sin")
TFGRAPH_UNARY(cos, "Cos")
TFGRAPH_UNARY(tan, "Tan")
TFGRAPH_UNARY(asin, "Asin")
TFGRAPH_UNARY(acos, "Acos")
TFGRAPH_UNARY(atan, "Atan")
TFGRAPH_UNARY(sinh, "Sinh")
TFGRAPH_UNARY(cosh, "Cosh")
TFGRAPH_UNARY(tanh, "Tanh")
TFGRAPH_UNARY(asinh, "Asinh")
TFGRAPH_UNARY(acosh, "Acosh")
TFGRAPH_UNARY(atanh, "Atanh")
TFGRAPH_UNARY(erf, "Erf")
TFGRAPH_UNARY(erfc, "")
TFGRAPH_UNARY(lgamma, "")
TFGRAPH_UNARY(tgamma, "")
TFGRAPH_UNARY(digamma, "")
TFGRAPH_UNARY(sigmoid, "Sigmoid")
TFGRAPH_UNARY(softplus, "Softplus")
TFGRAPH_BINARY(pow, "Pow")
TFGRAPH_BINARY(hypot, "")
TFGRAPH_BINARY(atan2, "")

#undef TFGRAPH_UNARY
#undef TFGRAPH_BINARY

// Rounding takes integers too, for which it is the identity.
#define TFGRAPH_ROUNDING(function, onnx_name)                             \
  struct function : elementwise<1> {                                      \
    static constexpr std::string_view name = #function, onnx = onnx_name; \
    static constexpr domain operands = domain::numeric;                   \
    template <class V>                                                    \
    static constexpr V apply(V x) {                                       \
      if constexpr (std::is_integral_v<typename V::value_type>) return x; \
      else return simd::function(x);                                      \
    }                                                                     \
  };

TFGRAPH_ROUNDING(floor, "Floor")
TFGRAPH_ROUNDING(ceil, "Ceil")
TFGRAPH_ROUNDING(trunc, "")
TFGRAPH_ROUNDING(round, "Round")

#undef TFGRAPH_ROUNDING

// x to a constant integer power. Attribute: the exponent.
struct integer_power : elementwise<1> {
  static constexpr std::string_view name = "integer_power";
  static constexpr domain operands = domain::numeric;
  static constexpr bool takes_attributes = true;
  template <class V>
  static constexpr V apply(std::span<const index> attributes, V x) {
    return simd::integer_power(x, attributes[0]);
  }
};

}  // namespace ops

inline constexpr elementwise_function<ops::sqrt> sqrt{};
/// 1 / sqrt(x).
inline constexpr elementwise_function<ops::rsqrt> rsqrt{};
inline constexpr elementwise_function<ops::cbrt> cbrt{};
inline constexpr elementwise_function<ops::exp> exp{};
inline constexpr elementwise_function<ops::exp2> exp2{};
/// exp(x) - 1, also accurate near 0.
inline constexpr elementwise_function<ops::expm1> expm1{};
inline constexpr elementwise_function<ops::log> log{};
inline constexpr elementwise_function<ops::log2> log2{};
inline constexpr elementwise_function<ops::log10> log10{};
/// log(1 + x), also accurate near 0.
inline constexpr elementwise_function<ops::log1p> log1p{};
inline constexpr elementwise_function<ops::sin> sin{};
inline constexpr elementwise_function<ops::cos> cos{};
inline constexpr elementwise_function<ops::tan> tan{};
inline constexpr elementwise_function<ops::asin> asin{};
inline constexpr elementwise_function<ops::acos> acos{};
inline constexpr elementwise_function<ops::atan> atan{};
inline constexpr elementwise_function<ops::sinh> sinh{};
inline constexpr elementwise_function<ops::cosh> cosh{};
inline constexpr elementwise_function<ops::tanh> tanh{};
inline constexpr elementwise_function<ops::asinh> asinh{};
inline constexpr elementwise_function<ops::acosh> acosh{};
inline constexpr elementwise_function<ops::atanh> atanh{};
inline constexpr elementwise_function<ops::erf> erf{};
/// 1 - erf(x), also accurate for large x.
inline constexpr elementwise_function<ops::erfc> erfc{};
/// log(|gamma(x)|).
inline constexpr elementwise_function<ops::lgamma> lgamma{};
inline constexpr elementwise_function<ops::tgamma> tgamma{};
/// The derivative of lgamma.
inline constexpr elementwise_function<ops::digamma> digamma{};
/// 1 / (1 + exp(-x)).
inline constexpr elementwise_function<ops::sigmoid> sigmoid{};
/// log(1 + exp(x)).
inline constexpr elementwise_function<ops::softplus> softplus{};
inline constexpr elementwise_function<ops::hypot> hypot{};
/// The angle of the point (second argument, first argument), in radians.
inline constexpr elementwise_function<ops::atan2> atan2{};
inline constexpr elementwise_function<ops::floor> floor{};
inline constexpr elementwise_function<ops::ceil> ceil{};
inline constexpr elementwise_function<ops::trunc> trunc{};
/// To the nearest integer, halves to the even one.
inline constexpr elementwise_function<ops::round> round{};

/// pow(x, y). With a C++ integer as exponent it is repeated multiplication (for any numeric x, and
/// for a negative exponent its reciprocal, floating point only); otherwise the power function of
/// IEEE 754, where pow(x, 0) and pow(1, y) are 1 also for NaN.
struct pow_function {
  template <class X, class Y>
  constexpr auto operator()(const X& x, const Y& y) const {
    if constexpr (std::is_integral_v<Y> && !std::is_same_v<Y, bool>)
      return detail::apply_with<ops::integer_power>(static_cast<index>(y), x);
    else return detail::apply<ops::pow>(x, y);
  }
};
inline constexpr pow_function pow{};

}  // namespace tfgraph
