// What can be passed and returned: scalars, constants, unused arguments, nothing, large tensors,
// views in any order, and other traced functions.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <boost/hana/integral_constant.hpp>

#include <tuple>
#include <vector>

namespace {

namespace tg = tfgraph;
namespace hana = boost::hana;
using tg::tensor;
using tg::view;
using vec = tensor<int, 3>;
using mat = tensor<int, 2, 3>;

constexpr auto cube = tg::function([](auto x) { return x * x * x; });

constexpr void scalars() {
  static_assert(std::is_same_v<decltype(cube(2)), int>);
  static_assert(std::is_same_v<decltype(cube(2.0f)), float>);
  TFGRAPH_CHECK(cube(2) == 8 && cube(1.5) == 3.375 && cube(vec{1, 2, 3}) == vec{1, 8, 27});
}
TFGRAPH_BOTH(scalars);

constexpr auto above = tg::function([](auto x) { return cube(x) + 1; });
constexpr auto combined = tg::function([](auto x, auto y) { return above(x) + cube(above(y)); });
constexpr auto halves = tg::function([](auto x) { return std::tuple(x / 2, x % 2); });
constexpr auto whole = tg::function([](auto x) {
  const auto [a, b] = halves(x);
  return a * 2 + b;
});

constexpr void nested_functions() {
  TFGRAPH_CHECK(above(2) == 9 && combined(2, 1) == 9 + 8);
  TFGRAPH_CHECK(above(vec{1, 2, 3}) == vec{2, 9, 28});
  TFGRAPH_CHECK(combined(vec{1, 2, 3}, 0) == vec{3, 10, 29});
  TFGRAPH_CHECK(whole(vec{7, 8, 9}) == vec{7, 8, 9});
  static_assert(combined.graph<vec, int>().inputs().size() == 2);
}
TFGRAPH_BOTH(nested_functions);

constexpr void constants() {
  constexpr auto f = tg::function([](auto x, auto c) { return x * c + tg::constant(1); });
  TFGRAPH_CHECK(f(vec{1, 2, 3}, tg::constant_c<10>) == vec{11, 21, 31});
  constexpr auto named = tg::function([](auto x, auto c) { return tg::multiply(x, c); });
  TFGRAPH_CHECK(named(vec{1, 2, 3}, hana::int_c<4>) == vec{4, 8, 12});
  TFGRAPH_CHECK(f(vec{1, 2, 3}, std::integral_constant<int, 2>{}) == vec{3, 5, 7});
  static_assert(f.graph<vec, tg::constant_t<10>>().inputs().size() == 1);
  constexpr auto g = tg::function([](auto x) { return x + tg::constant(vec{10, 20, 30}); });
  TFGRAPH_CHECK(g(1) == vec{11, 21, 31} && g(vec{1, 2, 3}) == vec{11, 22, 33});
}
TFGRAPH_BOTH(constants);

// Hana has operators for its constants and anything; ours must be chosen.
constexpr void hana_constants_in_operators() {
  using namespace hana::literals;
  constexpr auto f = tg::function([](auto x, auto n) {
    auto y = x * n;
    y += n;
    y -= 1_c;
    return (n - y) / 2_c + hana::int_c<3> + n * x + x % n;
  });
  constexpr vec expected{(4 - 7) / 2 + 3 + 4 + 1, (4 - 11) / 2 + 3 + 8 + 2,
                         (4 - 15) / 2 + 3 + 12 + 3};
  TFGRAPH_CHECK(f(vec{1, 2, 3}, 4_c) == expected);
  TFGRAPH_CHECK(f(vec{1, 2, 3}, tg::constant_c<4>) == expected);
  constexpr auto g =
      tg::function([](const auto& x, auto n) { return tg::where(x > 1_c && n < x, x << n, -x); });
  TFGRAPH_CHECK(g(vec{1, 2, 3}, 1_c) == vec{-1, 4, 6});
  TFGRAPH_CHECK(vec{1, 2, 3} * 4_c == vec{4, 8, 12});
}
TFGRAPH_BOTH(hana_constants_in_operators);

constexpr void arguments_that_are_not_used() {
  constexpr auto f = tg::function([](auto, auto x, auto) { return x + x; });
  TFGRAPH_CHECK(f(mat{}, vec{1, 2, 3}, 4.5) == vec{2, 4, 6});
  static_assert(f.graph<mat, vec, double>().inputs().size() == 3);
  constexpr auto nothing = tg::function([](auto) { return tg::full(tg::shape<3>{}, 7); });
  TFGRAPH_CHECK(nothing(1) == vec{7, 7, 7});
  constexpr auto none = tg::function([] { return tg::arange<int>(tg::constant_c<3>); });
  TFGRAPH_CHECK(none() == vec{0, 1, 2});
}
TFGRAPH_BOTH(arguments_that_are_not_used);

constexpr void an_argument_as_result() {
  constexpr auto same = tg::function([](auto x) { return x; });
  TFGRAPH_CHECK(same(vec{1, 2, 3}) == vec{1, 2, 3} && same(4) == 4);
  constexpr auto copies = tg::function([](auto x, auto y) { return std::tuple(y, x, x, y); });
  const auto [a, b, c, d] = copies(vec{1, 2, 3}, 5);
  TFGRAPH_CHECK(a == 5 && b == vec{1, 2, 3} && c == b && d == 5);
}
TFGRAPH_BOTH(an_argument_as_result);

constexpr void nothing_at_all() {
  using none = tensor<float, 0, 3>;
  constexpr auto f = tg::function([](auto x) { return tg::exp(x) * 2; });
  TFGRAPH_CHECK(f(none{}).size() == 0);
  constexpr auto s = tg::function([](auto x) { return std::tuple(tg::sum(x), tg::prod(x)); });
  TFGRAPH_CHECK(s(none{}) == std::tuple(0.0f, 1.0f));
  constexpr auto columns = tg::function([](auto x) { return tg::sum(x, tg::axis<0>); });
  TFGRAPH_CHECK(columns(none{}) == tensor<float, 3>{0, 0, 0});
  constexpr auto product = tg::function([](auto a, auto b) { return tg::matmul(a, b); });
  TFGRAPH_CHECK(product(tensor<float, 2, 0>{}, none{}) == tensor<float, 2, 3>{});
}
TFGRAPH_BOTH(nothing_at_all);

constexpr void strided_arguments() {
  constexpr auto f = tg::function([](auto x, auto y) { return x * 10 + y; });
  int memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const mat zero{};
  // Every second element of rows of 6; backwards; transposed; one row for all.
  TFGRAPH_CHECK(f(view<int, 2, 3>(memory, {2, 3}, {6, 2}), zero) ==
                mat{{0, 20, 40}, {60, 80, 100}});
  TFGRAPH_CHECK(f(view<int, 2, 3>(memory + 5, {2, 3}, {-3, -1}), zero) ==
                mat{{50, 40, 30}, {20, 10, 0}});
  TFGRAPH_CHECK(f(view<int, 2, 3>(memory, {2, 3}, {1, 2}), zero) == mat{{0, 20, 40}, {10, 30, 50}});
  TFGRAPH_CHECK(f(view<const int, 2, 3>(memory + 1, {2, 3}, {0, 1}), zero) ==
                mat{{10, 20, 30}, {10, 20, 30}});
  TFGRAPH_CHECK(f(view<int, 2, 3>(memory), view<int, 2, 3>(memory + 5, {2, 3}, {-3, -1})) ==
                mat{{5, 14, 23}, {32, 41, 50}});
}
TFGRAPH_BOTH(strided_arguments);

TEST_CASE("tensors on the heap") {
  using large = tensor<float, 100, 200>;
  large x;
  large y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.data()[i] = static_cast<float>(i % 17);
    y.data()[i] = static_cast<float>(i % 5);
  }
  constexpr auto f = tg::function(
      [](auto a, auto b) { return std::tuple(a * b + 1, tg::sum(a, tg::axis<0>), tg::max(b)); });
  const auto [z, columns, largest] = f(x, y);
  bool same = true;
  for (std::size_t i = 0; i < x.size(); ++i)
    same = same && z.data()[i] == static_cast<float>((i % 17) * (i % 5) + 1);
  CHECK(same);
  for (int j = 0; j < 200; ++j) {
    float sum = 0;  // of small integers: exact
    for (int i = 0; i < 100; ++i) sum += x(i, j);
    CHECK(columns(j) == sum);
  }
  CHECK(largest == 4);
  // A tensor that was moved from is zeros.
  const large moved = std::move(x);
  CHECK(std::get<2>(f(y, x)) == 0);
  CHECK(moved(0, 16) == 16);
}

TEST_CASE("unaligned memory and elements of a vector") {
  std::vector<float> memory(11);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  const tensor<float, 10> r = cube(view<float, 10>(memory.data() + 1));
  for (int i = 0; i < 10; ++i) CHECK(r(i) == static_cast<float>((i + 1) * (i + 1) * (i + 1)));
  const std::vector<vec> list(3, vec{1, 2, 3});
  for (const vec& v : list) CHECK(cube(v) == vec{1, 8, 27});
}

}  // namespace
