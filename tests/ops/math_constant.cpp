// Functions computed by the compiler have the bits that they have at run time.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

template <class T>
inline constexpr tensor<T, 7> arguments{T(0.3), T(-1.75), T(12.5), T(-0.0), std::numeric_limits<T>::infinity(),
                                        std::numeric_limits<T>::quiet_NaN(), T(1e-5)};

template <class T, class Function>
inline constexpr tensor<T, 7> by_the_compiler = Function{}(arguments<T>);

template <class T, class Function>
void check(const char* name) {
  static_assert(by_the_compiler<T, Function>.size() == 7);
  tensor<T, 7> x = arguments<T>;
  INFO(name);
  CHECK(same(by_the_compiler<T, Function>, Function{}(x)));
}

#define FUNCTION(name)                                                       \
  TEST_CASE(#name) {                                                         \
    check<float, std::remove_const_t<decltype(tg::name)>>(#name ", float");  \
    check<double, std::remove_const_t<decltype(tg::name)>>(#name ", double"); \
  }
FUNCTION(sqrt)
FUNCTION(rsqrt)
FUNCTION(cbrt)
FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
FUNCTION(erf)
FUNCTION(erfc)
FUNCTION(lgamma)
FUNCTION(tgamma)
FUNCTION(digamma)
FUNCTION(sigmoid)
FUNCTION(softplus)
FUNCTION(reciprocal)
FUNCTION(floor)
FUNCTION(ceil)
FUNCTION(trunc)
FUNCTION(round)

// Functions of two numbers, and composites.
template <class T>
inline constexpr tensor<T, 7> power = tg::pow(tensor<T, 7>{2, T(0.5), 3, T(1.5), 0, 1, 10}, arguments<T>);
template <class T>
inline constexpr tensor<T, 7> angle = tg::atan2(arguments<T>, T(-0.5));
template <class T>
inline constexpr tensor<T, 7> distance = tg::hypot(arguments<T>, T(3));
template <class T>
inline constexpr tensor<T, 4> soft = tg::softmax(tensor<T, 4>{1, T(2.5), -3, 0});

TEST_CASE_TEMPLATE("functions of two numbers and softmax", T, float, double) {
  tensor<T, 7> x = arguments<T>;
  CHECK(same(power<T>, tg::pow(tensor<T, 7>{2, T(0.5), 3, T(1.5), 0, 1, 10}, x)));
  CHECK(same(angle<T>, tg::atan2(x, T(-0.5))));
  CHECK(same(distance<T>, tg::hypot(x, T(3))));
  CHECK(same(soft<T>, tg::softmax(tensor<T, 4>{1, T(2.5), -3, 0})));
}

}  // namespace
