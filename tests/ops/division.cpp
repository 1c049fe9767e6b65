// Division and shifts: integers that throw, floating point that does not.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::tensor;

// ---- division and shifts of integers ------------------------------------------------------------

template <class T>
constexpr T floor_quotient(T a, T b) {
  const T q = static_cast<T>(a / b);
  return static_cast<T>(q - static_cast<T>(a % b != 0 && (a < 0) != (b < 0)));
}
constexpr auto divisions = std::tuple(
    expectation{tg::divide, []<class T>(T a, T b) { return static_cast<T>(a / b); }},
    expectation{tg::floor_divide, []<class T>(T a, T b) { return floor_quotient(a, b); }},
    expectation{tg::remainder, []<class T>(T a, T b) { return static_cast<T>(a - floor_quotient(a, b) * b); }},
    expectation{tg::fmod, []<class T>(T a, T b) { return static_cast<T>(a % b); }});
constexpr auto shifts = std::tuple(
    expectation{tg::bitwise_left_shift, []<class T>(T a, T n) { return wrapped<T>(static_cast<std::uint64_t>(a) << n); }},
    expectation{tg::bitwise_right_shift, []<class T>(T a, T n) { return static_cast<T>(a >> n); }});

struct make_counts {
  template <class Tensor>
  constexpr Tensor operator()(int) const {
    Tensor x;
    int i = 0;
    for (auto& e : x) e = static_cast<typename Tensor::value_type>(i++ % 8);
    return x;
  }
};

constexpr void divisions_of_integers() {
  for_each_type(integer_types{}, []<class T>(T) {
    check_operators(divisions, numbers<tensor<T, 2, 5>>(1), nonzero_numbers<tensor<T, 5>>(2));
    check_operators(shifts, specials<tensor<T, 2, 5>>(0), make_counts{}.template operator()<tensor<T, 5>>(0));
  });
}
TFGRAPH_BOTH(divisions_of_integers);

TEST_CASE_TEMPLATE("divisions and shifts in every lane", T, std::int8_t, std::uint8_t, std::int32_t, std::uint64_t) {
  constexpr std::size_t n = 2 * lanes<T> + 3;
  for (int seed = 0; seed < 9; ++seed) {
    check_operators(divisions, numbers<tensor<T, n>>(seed), nonzero_numbers<tensor<T, n>>(seed + 1));
    check_operators(shifts, specials<tensor<T, n>>(static_cast<std::size_t>(seed)), make_counts{}.template operator()<tensor<T, n>>(0));
  }
}

TEST_CASE("integers that cannot be divided or shifted so") {
  const tensor<int, 3> x{1, 2, 3};
  const tensor<int, 3> zero_somewhere{1, 0, 1};
  CHECK_THROWS_AS(static_cast<void>(x / zero_somewhere), tg::domain_error);
  CHECK_THROWS_AS(static_cast<void>(x % zero_somewhere), tg::domain_error);
  CHECK_THROWS_AS(static_cast<void>(tg::floor_divide(x, 0)), tg::domain_error);
  CHECK_THROWS_AS(static_cast<void>(tg::remainder(x, 0)), tg::domain_error);
  CHECK_THROWS_AS(static_cast<void>(x << 32), tg::domain_error);
  CHECK_THROWS_AS(static_cast<void>(x >> -1), tg::domain_error);
  CHECK((x << 31)(0) == std::numeric_limits<int>::min());
  const tensor<int, 1> lowest{std::numeric_limits<int>::min()};
  CHECK(lowest / -1 == lowest);  // wraps
  CHECK(lowest % -1 == tensor<int, 1>{0});
}

TEST_CASE("floating-point division does not throw") {
  for_each_type(floating_types{}, []<class T>(T) {
    using X = tensor<T, 2 * lanes<T> + 3>;
    for (std::size_t i = 0; i < special_values<T>().size(); ++i)
      for (std::size_t j = 0; j < special_values<T>().size(); ++j)
        check_operators(std::tuple(expectation{tg::divide, [](T a, T b) { return a / b; }},
                                   expectation{tg::floor_divide, [](T a, T b) { return std::floor(a / b); }}),
                        specials<X>(i), specials<X>(j));
  });
}

}  // namespace
