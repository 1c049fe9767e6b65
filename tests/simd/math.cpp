// Math functions: accuracy against MPFR, special values, and the same bits in constants, scalars,
// lanes and tails.
// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

#include "functions.hpp"

using namespace tests;
using simd::batch;

namespace {

// f of all arguments, W at a time; the rest by a partial load and store.
template <int W, class T, class F>
std::vector<T> by_lanes(const std::vector<T>& x, F f) {
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); i += W) {
    const int n = static_cast<int>(std::min<std::size_t>(W, x.size() - i));
    if (n == W) f(batch<T, W>::load(&x[i])).store(&y[i]);
    else f(batch<T, W>::load_partial(&x[i], n)).store_partial(&y[i], n);
  }
  return y;
}

template <class T>
void check_accuracy(const char* name, auto f, reference r, const ranges& hard, double bound) {
  const std::string function = name;
  const bool zeros_on_negative_axis = function == "lgamma" || function == "digamma";
  const auto x = arguments<T>(hard, 3000);
  const auto y = by_lanes<simd::native_lanes<T>>(x, f);
  big_number argument(60), exact;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (zeros_on_negative_axis && x[i] < 0 && sizeof(T) == 8) continue;
    mpfr_set_d(argument.value, static_cast<double>(x[i]), MPFR_RNDN);
    r(exact.value, argument.value);
    const double error = error_in_ulp(y[i], exact.value);
    if (error > bound)
      FAIL_CHECK(function << "(" << x[i] << ") = " << y[i] << ", error " << error << " ulp");
  }
}

template <class T>
void check_widths(const char* name, auto f, const ranges& hard) {
  const auto x = arguments<T>(hard, 500);
  const auto scalar = by_lanes<1>(x, f);
  for (const auto& lanes : {by_lanes<2>(x, f), by_lanes<4>(x, f), by_lanes<8>(x, f),
                            by_lanes<16>(x, f), by_lanes<32>(x, f)})
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!same(scalar[i], lanes[i]))
        FAIL_CHECK(name << "(" << x[i] << "): scalar " << scalar[i] << ", lane " << lanes[i]);
}

}  // namespace

TEST_CASE("results are within the promised error") {
  for_each_unary(
      [](const char* name, auto f, reference r, const ranges& hard, double single, double twice) {
        check_accuracy<float>(name, f, r, hard, single);
        check_accuracy<double>(name, f, r, hard, twice);
      });
}

TEST_CASE("every lane and every width gives the bits of the scalar") {
  for_each_unary([](const char* name, auto f, reference, const ranges& hard, double, double) {
    check_widths<float>(name, f, hard);
    check_widths<double>(name, f, hard);
  });
}

TEST_CASE_TEMPLATE("a special value does not disturb its neighbours", T, float, double) {
  constexpr int W = simd::native_lanes<T>;
  for_each_unary([](const char* name, auto f, reference, const ranges&, double, double) {
    for (T special : special_values<T>())
      for (int lane = 0; lane < W; ++lane) {
        std::array<T, std::size_t{W}> x;
        for (int i = 0; i < W; ++i) x[static_cast<std::size_t>(i)] = T(0.25) + T(i) / 32;
        x[static_cast<std::size_t>(lane)] = special;
        const auto y = f(batch<T, W>::load(x.data()));
        for (int i = 0; i < W; ++i) {
          CAPTURE(name);
          REQUIRE(same(y.get(i), f(batch<T, 1>(x[static_cast<std::size_t>(i)])).value));
        }
      }
  });
}

namespace {

// Each function at some arguments, once in a constant expression and once at run time.
template <class T>
constexpr std::array some_arguments{T(0.5),
                                    T(-0.75),
                                    T(2.25),
                                    T(-3.5),
                                    T(9.75),
                                    T(0),
                                    std::numeric_limits<T>::infinity(),
                                    std::numeric_limits<T>::quiet_NaN()};

template <class T>
constexpr auto results(auto f, const auto& x) {
  std::array<T, some_arguments<T>.size()> y{};
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = f(batch<T, 1>(x[i])).value;
  return y;
}

template <class T>
void check_constants(const char* name, auto f) {
  static constexpr auto constant = results<T>(f, some_arguments<T>);
  auto x = some_arguments<T>;
  const volatile T* hidden = x.data();  // keeps the compiler from computing these results, too
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = hidden[i];
  const auto computed = results<T>(f, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(name);
    CAPTURE(x[i]);
    CHECK(same(constant[i], computed[i]));
  }
}

}  // namespace

TEST_CASE("a constant expression gives the bits of run time") {
  for_each_unary([](const char* name, auto f, reference, const ranges&, double, double) {
    check_constants<float>(name, f);
    check_constants<double>(name, f);
  });
}

namespace {

template <class T>
void check_binary(const char* name, auto f, auto r, double bound) {
  std::mt19937_64 random(3);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
  };
  std::vector<T> x, y;
  for (T a : special_values<T>())
    for (T b : special_values<T>()) {
      x.push_back(a);
      y.push_back(b);
    }
  for (int i = 0; i < 20000; ++i) {
    const double a = std::exp2(uniform(-30, 30)),
                 b = uniform(-1, 1) * (sizeof(T) == 4 ? 90 : 720) / std::log(a);
    x.push_back(static_cast<T>(a));
    y.push_back(static_cast<T>(i % 2 == 0 ? b : a * uniform(-2, 2)));
  }
  constexpr int W = simd::native_lanes<T>;
  big_number p(60), q(60), exact;
  for (std::size_t i = 0; i + W <= x.size(); i += W) {
    const auto z = f(batch<T, W>::load(&x[i]), batch<T, W>::load(&y[i]));
    for (int k = 0; k < W; ++k) {
      const T u = x[i + static_cast<std::size_t>(k)], v = y[i + static_cast<std::size_t>(k)];
      mpfr_set_d(p.value, static_cast<double>(u), MPFR_RNDN);
      mpfr_set_d(q.value, static_cast<double>(v), MPFR_RNDN);
      r(exact.value, p.value, q.value);
      const double error = error_in_ulp(z.get(k), exact.value);
      if (error > bound)
        FAIL_CHECK(name << "(" << u << ", " << v << ") = " << z.get(k) << ", error " << error
                        << " ulp");
      if (!same(z.get(k), f(batch<T, 1>(u), batch<T, 1>(v)).value))
        FAIL_CHECK(name << "(" << u << ", " << v << ") differs between lane and scalar");
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("functions of two arguments", T, float, double) {
  for_each_binary(
      [](const char* name, auto f, binary_reference r, auto, double single, double twice) {
        check_binary<T>(name, f, r, sizeof(T) == 4 ? single : twice);
      });
}

TEST_CASE_TEMPLATE("whole powers are repeated multiplication", T, float, double) {
  for (T v : {T(1.1), T(-2.7), T(1e-3), T(123.456)}) {
    const batch<T, 1> x(v);
    CHECK(integer_power(x, 0).value == 1);
    CHECK(integer_power(x, 1).value == v);
    CHECK(same(integer_power(x, 2).value, (x * x).value));
    CHECK(same(integer_power(x, 3).value, (x * x * x).value));
    CHECK(same(integer_power(x, 5).value, (x * (square(square(x)))).value));
    CHECK(same(integer_power(x, -3).value, (batch<T, 1>(T(1)) / (x * x * x)).value));
  }
  static_assert(integer_power(batch<int, 1>(-3), 3).value == -27);
  static_assert(integer_power(batch<int, 1>(3), 40).value ==
                static_cast<int>(12157665459056928801u));
}
