// Every unary function of the simd layer with its MPFR reference, where it is hard, and how exact
// it must be.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/math.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mpfr.h>
#include <random>
#include <utility>
#include <vector>

namespace tests {

namespace simd = tfgraph::simd;

using reference = void (*)(mpfr_t result, mpfr_t x);
// Lanes of the widest register, or of TFGRAPH_TEST_BYTES bytes.
#if defined(TFGRAPH_TEST_BYTES)
template <class T>
inline constexpr int tested_lanes = TFGRAPH_TEST_BYTES / int(sizeof(T));
#else
template <class T>
inline constexpr int tested_lanes = simd::native_lanes<T>;
#endif

using binary_reference = void (*)(mpfr_t result, mpfr_t x, mpfr_t y);
using ranges = std::vector<std::pair<double, double>>;

/// A number of MPFR that frees itself.
struct big_number {
  mpfr_t value;
  explicit big_number(mpfr_prec_t bits = 160) { mpfr_init2(value, bits); }
  ~big_number() { mpfr_clear(value); }
  big_number(const big_number&) = delete;
  big_number& operator=(const big_number&) = delete;
};

/// Calls visit(name, function, reference, hard ranges, bound for float, bound for double) for every
/// function. Bounds are in units in the last place. Where a function has zeros that are no simple
/// numbers (lgamma and digamma on the negative axis), the range is named but negative arguments are
/// not bounded: see accuracy.md.
template <class Visitor>
void for_each_unary(Visitor visit) {
  const auto add = [&](const char* name, auto f, reference r, const ranges& hard, double single = 1,
                       double twice = 1.5) { visit(name, f, r, hard, single, twice); };
  add(
      "exp", [](auto x) { return exp(x); }, [](mpfr_t y, mpfr_t x) { mpfr_exp(y, x, MPFR_RNDN); },
      {{-104, 89}, {-746, 710}, {-1, 1}});
  add(
      "exp2", [](auto x) { return exp2(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_exp2(y, x, MPFR_RNDN); },
      {{-150, 128}, {-1075, 1024}, {-1, 1}});
  add(
      "expm1", [](auto x) { return expm1(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_expm1(y, x, MPFR_RNDN); }, {{-40, 89}, {-2, 2}, {1e-20, 1}});
  add(
      "log", [](auto x) { return log(x); }, [](mpfr_t y, mpfr_t x) { mpfr_log(y, x, MPFR_RNDN); },
      {{0.5, 2}, {0.99, 1.01}, {0, 1e30}});
  add(
      "log2", [](auto x) { return log2(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_log2(y, x, MPFR_RNDN); }, {{0.5, 2}, {0.99, 1.01}, {0, 1e30}});
  add(
      "log10", [](auto x) { return log10(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_log10(y, x, MPFR_RNDN); }, {{0.5, 2}, {0.99, 1.01}, {0, 1e30}});
  add(
      "log1p", [](auto x) { return log1p(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_log1p(y, x, MPFR_RNDN); }, {{-1, 2}, {-0.3, 0.5}, {1e-20, 1}});
  add(
      "sqrt", [](auto x) { return sqrt(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_sqrt(y, x, MPFR_RNDN); }, {{0.5, 8}}, 0.5, 0.5);
  add(
      "rsqrt", [](auto x) { return rsqrt(x); },
      [](mpfr_t y, mpfr_t x) {
        mpfr_rec_sqrt(y, x, MPFR_RNDN);
        mpfr_setsign(y, y, mpfr_zero_p(x) && mpfr_signbit(x),
                     MPFR_RNDN);  // IEEE 754: rSqrt(-0) is -Inf
      },
      {{0.5, 8}});
  add(
      "cbrt", [](auto x) { return cbrt(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_cbrt(y, x, MPFR_RNDN); }, {{0.5, 8}});
  add(
      "sin", [](auto x) { return sin(x); }, [](mpfr_t y, mpfr_t x) { mpfr_sin(y, x, MPFR_RNDN); },
      {{-4, 4}, {-100, 100}, {1e5, 1e30}});
  add(
      "cos", [](auto x) { return cos(x); }, [](mpfr_t y, mpfr_t x) { mpfr_cos(y, x, MPFR_RNDN); },
      {{-4, 4}, {-100, 100}, {1e5, 1e30}});
  add(
      "tan", [](auto x) { return tan(x); }, [](mpfr_t y, mpfr_t x) { mpfr_tan(y, x, MPFR_RNDN); },
      {{-4, 4}, {-100, 100}, {1e5, 1e30}});
  add(
      "asin", [](auto x) { return asin(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_asin(y, x, MPFR_RNDN); }, {{-1, 1}, {0.45, 0.55}, {0.99, 1}});
  add(
      "acos", [](auto x) { return acos(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_acos(y, x, MPFR_RNDN); }, {{-1, 1}, {0.45, 0.55}, {0.99, 1}});
  add(
      "atan", [](auto x) { return atan(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_atan(y, x, MPFR_RNDN); }, {{-1, 1}, {0.4, 0.45}, {-5, 5}});
  add(
      "sinh", [](auto x) { return sinh(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_sinh(y, x, MPFR_RNDN); }, {{-1, 1}, {-90, 90}, {700, 711}});
  add(
      "cosh", [](auto x) { return cosh(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_cosh(y, x, MPFR_RNDN); }, {{-1, 1}, {-90, 90}, {700, 711}});
  add(
      "tanh", [](auto x) { return tanh(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_tanh(y, x, MPFR_RNDN); }, {{-1, 1}, {-5, 5}, {5, 30}});
  add(
      "asinh", [](auto x) { return asinh(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_asinh(y, x, MPFR_RNDN); }, {{-5, 5}, {1e-9, 1}, {1e-4, 1e4}});
  add(
      "acosh", [](auto x) { return acosh(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_acosh(y, x, MPFR_RNDN); }, {{1, 1.1}, {1, 2}, {1, 50}});
  add(
      "atanh", [](auto x) { return atanh(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_atanh(y, x, MPFR_RNDN); }, {{-1, 1}, {0.9, 1}, {1e-9, 0.5}});
  add(
      "erf", [](auto x) { return erf(x); }, [](mpfr_t y, mpfr_t x) { mpfr_erf(y, x, MPFR_RNDN); },
      {{-1, 1}, {-6, 6}, {0.45, 0.6}});
  add(
      "erfc", [](auto x) { return erfc(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_erfc(y, x, MPFR_RNDN); }, {{-1, 1}, {-6, 28}, {0.45, 0.6}});
  add(
      "lgamma", [](auto x) { return lgamma(x); },
      [](mpfr_t y, mpfr_t x) {
        int sign;
        mpfr_lgamma(y, &sign, x, MPFR_RNDN);
      },
      {{0, 3}, {0.99, 1.01}, {1.99, 2.01}, {0, 20}, {-10, 0}}, 1, 4);
  add(
      "tgamma", [](auto x) { return tgamma(x); },
      [](mpfr_t y, mpfr_t x) { mpfr_gamma(y, x, MPFR_RNDN); },
      {{0, 3}, {1e-3, 1}, {0, 172}, {-10, 0}, {-185, 0}}, 1, 4);
  add(
      "digamma", [](auto x) { return digamma(x); },
      [](mpfr_t y, mpfr_t x) {
        // MPFR has no value at the poles, and does not end soon on huge negative arguments.
        if (mpfr_sgn(x) < 0 && (mpfr_integer_p(x) || mpfr_cmp_d(x, -0x1p52) < 0)) mpfr_set_nan(y);
        else mpfr_digamma(y, x, MPFR_RNDN);
      },
      {{0, 3}, {1.46, 1.47}, {0, 20}, {-10, 0}}, 1, 4);
  add(
      "sigmoid", [](auto x) { return sigmoid(x); },
      [](mpfr_t y, mpfr_t x) {
        mpfr_neg(y, x, MPFR_RNDN);
        mpfr_exp(y, y, MPFR_RNDN);
        mpfr_add_ui(y, y, 1, MPFR_RNDN);
        mpfr_ui_div(y, 1, y, MPFR_RNDN);
      },
      {{-104, 89}, {-746, 40}, {-2, 2}});
  add(
      "softplus", [](auto x) { return softplus(x); },
      [](mpfr_t y, mpfr_t x) {
        if (mpfr_cmp_d(x, 1000) > 0) {
          mpfr_set(y, x, MPFR_RNDN);
        } else {
          mpfr_exp(y, x, MPFR_RNDN);
          mpfr_log1p(y, y, MPFR_RNDN);
        }
      },
      {{-104, 89}, {-746, 40}, {-2, 2}});
}

/// Calls visit(name, function, reference, the same of the C library, bound for float, bound for
/// double) for every function of two arguments.
template <class Visitor>
void for_each_binary(Visitor visit) {
  visit(
      "pow", [](auto x, auto y) { return pow(x, y); },
      [](mpfr_t z, mpfr_t x, mpfr_t y) { mpfr_pow(z, x, y, MPFR_RNDN); },
      [](auto x, auto y) { return std::pow(x, y); }, 1, 1.5);
  visit(
      "hypot", [](auto x, auto y) { return hypot(x, y); },
      [](mpfr_t z, mpfr_t x, mpfr_t y) { mpfr_hypot(z, x, y, MPFR_RNDN); },
      [](auto x, auto y) { return std::hypot(x, y); }, 1, 1.5);
  visit(
      "atan2", [](auto x, auto y) { return atan2(x, y); },
      [](mpfr_t z, mpfr_t x, mpfr_t y) { mpfr_atan2(z, x, y, MPFR_RNDN); },
      [](auto x, auto y) { return std::atan2(x, y); }, 1, 1.5);
}

/// The distance of a result from the exact one, in units in the last place of the exact one. NaN is
/// equal to NaN; a wrong sign of zero, a wrong Inf or a NaN are infinitely far away.
template <class T>
double error_in_ulp(T result, mpfr_t exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact) || result != result)
    return mpfr_nan_p(exact) && result != result ? 0 : wrong;
  const T nearest = sizeof(T) == 4 ? static_cast<T>(mpfr_get_flt(exact, MPFR_RNDN))
                                   : static_cast<T>(mpfr_get_d(exact, MPFR_RNDN));
  if (std::isinf(nearest) || std::isinf(result)) return nearest == result ? 0 : wrong;
  if (mpfr_zero_p(exact))
    return result == 0 && std::signbit(result) == (mpfr_signbit(exact) != 0) ? 0 : wrong;
  using limits = std::numeric_limits<T>;
  long exponent = static_cast<long>(mpfr_get_exp(exact)) - limits::digits;
  exponent = std::max(exponent, static_cast<long>(limits::min_exponent - limits::digits));
  big_number difference;
  mpfr_set_d(difference.value, static_cast<double>(result), MPFR_RNDN);
  mpfr_sub(difference.value, difference.value, exact, MPFR_RNDN);
  mpfr_mul_2si(difference.value, difference.value, -exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference.value, MPFR_RNDN));
}

/// Whether two results are the same bits; all NaNs are one value.
template <class T>
bool same(T a, T b) {
  using bits = simd::scalar::unsigned_of<T>;
  return (a != a && b != b) || std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

/// Numbers where functions have something special to say.
template <class T>
std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> v;
  for (T x : {T(0), limits::denorm_min(), limits::min(), T(1e-20), T(0.25), T(0.5), T(1), T(1.5),
              T(2), T(2.5), T(3), T(4), T(10), T(100), T(16777215), T(1e10), T(1e30), limits::max(),
              limits::infinity()}) {
    v.push_back(x);
    v.push_back(-x);
  }
  v.push_back(limits::quiet_NaN());
  return v;
}

/// Arguments of every size and sign (random bits), and `count` more in every hard range.
template <class T>
std::vector<T> arguments(const ranges& hard, int count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  using bits = simd::scalar::unsigned_of<T>;
  std::vector<T> v = special_values<T>();
  for (int i = 0; i < count; ++i) v.push_back(std::bit_cast<T>(static_cast<bits>(random())));
  for (const auto& [low, high] : hard)
    for (int i = 0; i < count;
         ++i)  // fused, lest the compiler choose: the arguments are the same in every build
      v.push_back(
          static_cast<T>(std::fma(high - low, static_cast<double>(random() >> 11) * 0x1p-53, low)));
  return v;
}

}  // namespace tests
