// + - * and their kin on every numeric type.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

// ---- types --------------------------------------------------------------------------------------

template <class T>
constexpr bool keeps_the_type = [] {
  using matrix = tensor<T, 2, 3>;
  const matrix m{};
  const tensor<T, 3> row{};
  return is_tensor<decltype(tg::add(m, row)), T, 2, 3> &&
         is_tensor<decltype(tg::subtract(row, m)), T, 2, 3> &&
         is_tensor<decltype(tg::multiply(m, T{})), T, 2, 3> &&
         is_tensor<decltype(tg::maximum(m, row)), T, 2, 3> &&
         is_tensor<decltype(tg::minimum(m, row)), T, 2, 3> &&
         is_tensor<decltype(tg::clip(row, T{}, m)), T, 2, 3> &&
         is_tensor<decltype(tg::negative(m)), T, 2, 3> && is_tensor<decltype(tg::abs(m)), T, 2, 3> &&
         is_tensor<decltype(tg::sign(row)), T, 3> && is_tensor<decltype(tg::square(m)), T, 2, 3> &&
         is_tensor<decltype(tg::divide(m, row)), T, 2, 3> &&
         is_tensor<decltype(tg::floor_divide(m, row)), T, 2, 3> &&
         std::is_same_v<decltype(tg::add(T{}, T{})), T>;
}();
static_assert(keeps_the_type<std::int8_t> && keeps_the_type<std::uint16_t> &&
              keeps_the_type<std::int64_t> && keeps_the_type<float> && keeps_the_type<double>);

// The array API's promotion; a C++ number takes the tensor's type.
template <class A, class B>
using sum_of = typename decltype(tensor<A, 2>{} + tensor<B, 2>{})::value_type;
static_assert(std::is_same_v<sum_of<std::int8_t, std::uint8_t>, std::int16_t>);
static_assert(std::is_same_v<sum_of<std::int8_t, std::int32_t>, std::int32_t>);
static_assert(std::is_same_v<sum_of<std::uint32_t, std::int16_t>, std::int64_t>);
static_assert(std::is_same_v<sum_of<float, double>, double>);
static_assert(is_tensor<decltype(tensor<float, 2>{} * 2.5), float, 2>);
static_assert(is_tensor<decltype(2 - tensor<std::uint8_t, 2>{}), std::uint8_t, 2>);
static_assert(is_tensor<decltype(tg::reciprocal(tensor<float, 2>{})), float, 2>);

// ---- behaviour ----------------------------------------------------------------------------------

// Computed in 64 bits and cut, or in the type itself if it is floating.
template <class T, class F>
constexpr T plain(T a, T b, F f) {
  if constexpr (std::is_floating_point_v<T>) return f(a, b);
  else return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

constexpr auto binary_operators = std::tuple(
    expectation{tg::add, []<class T>(T a, T b) { return plain(a, b, [](auto x, auto y) { return x + y; }); }},
    expectation{tg::subtract, []<class T>(T a, T b) { return plain(a, b, [](auto x, auto y) { return x - y; }); }},
    expectation{tg::multiply, []<class T>(T a, T b) { return plain(a, b, [](auto x, auto y) { return x * y; }); }},
    expectation{tg::maximum, []<class T>(T a, T b) { return a > b ? a : b; }},
    expectation{tg::minimum, []<class T>(T a, T b) { return a < b ? a : b; }});

constexpr auto unary_operators = std::tuple(
    expectation{tg::negative, []<class T>(T x) {
                  if constexpr (std::is_floating_point_v<T>) return -x;
                  else return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
                }},
    expectation{tg::abs, []<class T>(T x) { return static_cast<T>(x < T(0) ? -x : x == T(0) ? T(0) : x); }},
    expectation{tg::sign, []<class T>(T x) { return static_cast<T>((x > T(0)) - (x < T(0))); }},
    expectation{tg::square, []<class T>(T x) { return plain(x, x, [](auto a, auto b) { return a * b; }); }});

constexpr void arithmetic() {
  for_each_type(numeric_types{}, []<class T>(T) {
    check_operators(binary_operators, numbers<tensor<T, 2, 3>>(1), numbers<tensor<T, 3>>(2));
    check_operators(unary_operators, numbers<tensor<T, 5>>(3));
  });
}
TFGRAPH_BOTH(arithmetic);

TEST_CASE("every kind of broadcast") {
  check_broadcasts<float>(binary_operators, make_numbers{}, make_numbers{});
}

constexpr void the_operators_of_the_language() {
  const tensor<int, 3> a{7, -8, 9};
  const tensor<int, 3> b{2, 3, -4};
  TFGRAPH_CHECK(a + b == tensor<int, 3>{9, -5, 5} && a - b == tensor<int, 3>{5, -11, 13});
  TFGRAPH_CHECK(a * b == tensor<int, 3>{14, -24, -36} && a / b == tensor<int, 3>{3, -2, -2});
  TFGRAPH_CHECK(a % b == tensor<int, 3>{1, -2, 1} && -a == tensor<int, 3>{-7, 8, -9});
  TFGRAPH_CHECK(+a == a && 10 - a == tensor<int, 3>{3, 18, 1} && a * 2 == tensor<int, 3>{14, -16, 18});
  auto c = a;
  c += b;
  c -= 1;
  c *= 2;
  c /= b;
  TFGRAPH_CHECK(c == tensor<int, 3>{8, -4, -2});
}
TFGRAPH_BOTH(the_operators_of_the_language);

constexpr void zeros_keep_their_sign() {
  const float n = -0.0f;
  TFGRAPH_CHECK(same(tg::add(n, n), n) && same(tg::add(n, 0.0f), 0.0f) && same(tg::subtract(0.0f, 0.0f), 0.0f));
  TFGRAPH_CHECK(same(tg::negative(0.0f), n) && same(tg::abs(n), 0.0f));
  TFGRAPH_CHECK(same(tg::minimum(n, 0.0f), n) && same(tg::minimum(0.0f, n), n));
  TFGRAPH_CHECK(same(tg::maximum(n, 0.0f), 0.0f) && same(tg::maximum(0.0f, n), 0.0f));
}
TFGRAPH_BOTH(zeros_keep_their_sign);

TEST_CASE("the sign of a zero") { CHECK(same(tg::sign(-0.0f), -0.0f)); }

constexpr void nan_is_passed_on() {
  for_each_type(floating_types{}, []<class T>(T) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    for (T x : special_values<T>()) {
      TFGRAPH_CHECK(same(tg::maximum(x, nan), nan) && same(tg::maximum(nan, x), nan));
      TFGRAPH_CHECK(same(tg::minimum(x, nan), nan) && same(tg::minimum(nan, x), nan));
      TFGRAPH_CHECK(same(tg::add(x, nan), nan) && same(tg::multiply(nan, x), nan));
    }
    TFGRAPH_CHECK(same(tg::sign(nan), nan) && same(tg::clip(nan, T(0), T(1)), nan));
  });
}
TFGRAPH_BOTH(nan_is_passed_on);

}  // namespace
