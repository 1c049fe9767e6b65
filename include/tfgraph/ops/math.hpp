// Elementary and special functions on floating-point tensors, and rounding.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>
#include <tfgraph/simd/math.hpp>

#include <numbers>

namespace tfgraph {
namespace ops {

namespace detail {

// The derivative of digamma: the sum of 1 / (x + i)^2, by its first terms and Stirling's series;
// reflected where x is small.
template <class X>
constexpr X trigamma(X x) {
  const X reflected = record<less>(x, number(0.5, x));
  const X z = record<where>(reflected, 1.0 - x, x);
  X near = number(1, x) / (z * z);
  for (int i = 1; i < 8; ++i) {
    const X shifted = static_cast<double>(i) + z;
    near = near + number(1, x) / (shifted * shifted);
  }
  const X w = number(1, x) / (8.0 + z);
  const X w2 = w * w;
  X series = number(5. / 66, x);
  for (double c : {-1. / 30, 1. / 42, -1. / 30, 1. / 6}) series = c + w2 * series;
  const X positive = near + (w + (0.5 * w2 + w2 * w * series));
  const X sine = record<sin>(std::numbers::pi * x);
  const X squared = number(std::numbers::pi * std::numbers::pi, x) / (sine * sine);
  return record<where>(reflected, squared - positive, positive);
}

}  // namespace detail

// Each function's meaning stands in simd/; here it gets its name, its ONNX name, its domain and its
// derivative: d times the derivative of y, which is the function of x.
#define TFGRAPH_UNARY(function, onnx_name, ...)                               \
  struct function : elementwise<1> {                                          \
    static constexpr std::string_view name = #function, onnx = onnx_name;     \
    static constexpr domain operands = domain::floating;                      \
    template <class V>                                                        \
    static constexpr V apply(V x) {                                           \
      return simd::function(x);                                               \
    }                                                                         \
    template <class X>                                                        \
    static constexpr X derivative([[maybe_unused]] X d, [[maybe_unused]] X x, \
                                  [[maybe_unused]] X y) {                     \
      return __VA_ARGS__;                                                     \
    }                                                                         \
  };
#define TFGRAPH_BINARY(function, onnx_name, ...)                                \
  struct function : elementwise<2> {                                            \
    static constexpr std::string_view name = #function, onnx = onnx_name;       \
    static constexpr domain operands = domain::floating;                        \
    template <class V>                                                          \
    static constexpr V apply(V x, V y) {                                        \
      return simd::function(x, y);                                              \
    }                                                                           \
    template <class X>                                                          \
    static constexpr X derivative(int k, X d, X a, X b, [[maybe_unused]] X y) { \
      return __VA_ARGS__;                                                       \
    }                                                                           \
  };

TFGRAPH_UNARY(sqrt, "Sqrt", d / (y + y))
TFGRAPH_UNARY(rsqrt, "", d*(y / (-2.0 * x)))
TFGRAPH_UNARY(cbrt, "", d / (3.0 * (y * y)))
TFGRAPH_UNARY(exp, "Exp", d* y)
TFGRAPH_UNARY(exp2, "", d*(std::numbers::ln2* y))
TFGRAPH_UNARY(expm1, "", d * (1.0 + y))
TFGRAPH_UNARY(log, "Log", d / x)
TFGRAPH_UNARY(log2, "", d / (std::numbers::ln2 * x))
TFGRAPH_UNARY(log10, "", d / (std::numbers::ln10 * x))
TFGRAPH_UNARY(log1p, "", d / (1.0 + x))
TFGRAPH_UNARY(sin, "Sin", d* record<cos>(x))
TFGRAPH_UNARY(cos, "Cos", -(d* record<sin>(x)))
TFGRAPH_UNARY(tan, "Tan", d * (1.0 + y * y))
TFGRAPH_UNARY(asin, "Asin", d / record<sqrt>((1.0 - x) * (1.0 + x)))
TFGRAPH_UNARY(acos, "Acos", -(d / record<sqrt>((1.0 - x) * (1.0 + x))))
TFGRAPH_UNARY(atan, "Atan", d / (1.0 + x * x))
TFGRAPH_UNARY(sinh, "Sinh", d* record<cosh>(x))
TFGRAPH_UNARY(cosh, "Cosh", d* record<sinh>(x))
TFGRAPH_UNARY(tanh, "Tanh", d * (1.0 - y * y))
TFGRAPH_UNARY(asinh, "Asinh", d / record<sqrt>(1.0 + x * x))
TFGRAPH_UNARY(acosh, "Acosh", d / record<sqrt>((-1.0 + x) * (1.0 + x)))
TFGRAPH_UNARY(atanh, "Atanh", d / ((1.0 - x) * (1.0 + x)))
TFGRAPH_UNARY(erf, "Erf", d * (2 * std::numbers::inv_sqrtpi * record<exp>(-(x * x))))
TFGRAPH_UNARY(erfc, "", d * (-2 * std::numbers::inv_sqrtpi * record<exp>(-(x * x))))
TFGRAPH_UNARY(lgamma, "", d* record<digamma>(x))
TFGRAPH_UNARY(tgamma, "", d*(y* record<digamma>(x)))
TFGRAPH_UNARY(digamma, "", d* detail::trigamma(x))
TFGRAPH_UNARY(sigmoid, "Sigmoid", d*(y * (1.0 - y)))
TFGRAPH_UNARY(softplus, "Softplus", d* record<sigmoid>(x))
// By the base: 0 for the exponent 0; by the exponent: 0 for the base 0.
TFGRAPH_BINARY(pow, "Pow",
               k == 0 ? record<where>(record<equal>(b, number(0, b)), number(0, d),
                                      d*(b* record<pow>(a, -1.0 + b)))
                      : record<where>(record<equal>(a, number(0, a)), number(0, d),
                                      d*(y* record<log>(a))))
// The subgradient 0 at the origin.
TFGRAPH_BINARY(hypot, "",
               record<where>(record<equal>(y, number(0, y)), number(0, d),
                             d*((k == 0 ? a : b) / y)))
TFGRAPH_BINARY(atan2, "", k == 0 ? d * (b / (a * a + b * b)) : -(d * (a / (a * a + b * b))))

#undef TFGRAPH_UNARY
#undef TFGRAPH_BINARY

// Rounding takes integers too, for which it is the identity.
#define TFGRAPH_ROUNDING(function, onnx_name)                             \
  struct function : elementwise<1> {                                      \
    static constexpr std::string_view name = #function, onnx = onnx_name; \
    static constexpr domain operands = domain::numeric;                   \
    static constexpr bool flat = true;                                    \
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
  template <class X>
  static constexpr X derivative(std::span<const index> attributes, X d, X x, X) {
    const index n = attributes[0];
    if (n == 0) return X::none();
    if (n == 1) return d;
    return d * (static_cast<double>(n) * record_with<integer_power>({n - 1}, x));
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
