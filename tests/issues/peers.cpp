// What other libraries were reported to get wrong, as values that this one must give.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>
#include <support/reference.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace {

namespace tg = tfgraph;
using tfgraph::test::same;
using tg::axis;
using tg::tensor;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// ---- shapes and broadcasting --------------------------------------------------------------------

constexpr void outer_product_with_an_expanded_view() {
  const tensor<float, 3> v{1, 2, 3};
  const auto outer = tg::function([](auto x) { return x * tg::expand_dims(x, axis<1>); })(v);
  TFGRAPH_CHECK(outer == tensor<float, 3, 3>{{1, 2, 3}, {2, 4, 6}, {3, 6, 9}});
}
TFGRAPH_BOTH(outer_product_with_an_expanded_view);

// A tensor of three dimensions does not become one of two.
static_assert(!std::is_convertible_v<tensor<float, 2, 3, 1>, tensor<float, 2, 3>>);
static_assert(!std::is_assignable_v<tensor<float, 2, 3>&, tensor<float, 1, 2, 3>>);

TEST_CASE("an index past an axis of extent 1, and one past the end") {
  tensor<float, 1, 3> x;
  CHECK_THROWS_AS(static_cast<void>(x.at(1, 0)), tg::shape_error);
  CHECK_THROWS_AS(static_cast<void>(x.at(0, 3)), tg::shape_error);
  CHECK_THROWS_AS(static_cast<void>(x.at(0, -1)), tg::shape_error);
}

TEST_CASE("extents that do not fit are an exception, never the end of the program") {
  CHECK_THROWS_AS((tensor<float, tg::dyn, 3>{{1, 2, 3}, {4, 5}}), tg::shape_error);
  CHECK_THROWS_AS((tensor<float, tg::dyn>(-1)), tg::shape_error);
}

constexpr void numbers_with_tensors_on_both_sides() {
  const tensor<float, 2> x{2, 4};
  TFGRAPH_CHECK(3 + x == tensor<float, 2>{5, 7} && x + 3 == 3 + x);
  TFGRAPH_CHECK(3 - x == tensor<float, 2>{1, -1} && x - 3 == tensor<float, 2>{-1, 1});
  TFGRAPH_CHECK(3 * x == tensor<float, 2>{6, 12} && x * 3 == 3 * x);
  TFGRAPH_CHECK(1 / x == tensor<float, 2>{0.5f, 0.25f} && x / 2 == tensor<float, 2>{1, 2});
  TFGRAPH_CHECK(tg::maximum(3, x) == tensor<float, 2>{3, 4} && tg::minimum(x, 3) == tensor<float, 2>{2, 3});
  TFGRAPH_CHECK(tg::where(x > 3, 1, x) == tensor<float, 2>{2, 1});
  TFGRAPH_CHECK((3 < x) == tensor<bool, 2>{false, true} && (x <= 2) == tensor<bool, 2>{true, false});
}
TFGRAPH_BOTH(numbers_with_tensors_on_both_sides);

// ---- common work, fusion ------------------------------------------------------------------------

using row = tensor<float, 64>;

constexpr auto rotate = tg::function([](auto x, auto phase) {
  return x * tg::sin(phase * 2 + 1) + x * tg::cos(phase * 2 + 1);
});
static_assert(rotate.graph<row, row>().count("mul") == 3);  // one of them is phase * 2

// A reduction under a broadcast is computed once, in a kernel of its own.
constexpr auto normalised = tg::function([](auto x) {
  return x / tg::expand_dims(tg::max(x, axis<1, 2>), axis<1, 2>);
});
static_assert(normalised.graph<tensor<float, 2, 101, 512>>().count("max") == 1);
static_assert(normalised.program<tensor<float, 2, 101, 512>>().kernels.size() == 2);

constexpr auto fused = tg::function([](auto a, auto b, auto c) { return tg::tanh(a * b + c) * 2 - a; });
static_assert(fused.program<row, row, row>().kernels.size() == 1);
static_assert(fused.program<row, row, row>().arena_bytes == 0);

// ---- tensors anywhere in memory -----------------------------------------------------------------

constexpr auto twice = tg::function([](auto x) { return x + x; });

TEST_CASE("tensors in containers, on the heap, as members") {
  struct record {
    char tag = 'x';
    tensor<float, 8> x;
    char end = 'y';
    tensor<double, 4> y;
  };
  std::vector<record> list(7);
  for (record& r : list) {
    r.x.fill(1.5f);
    r.y.fill(2.5);
    r.x = twice(r.x);
    twice.into(r.y, r.y);
  }
  for (const record& r : list) {
    CHECK(same(r.x, twice(tensor<float, 8>{1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f, 1.5f})));
    CHECK(r.y == tensor<double, 4>{5, 5, 5, 5});
    CHECK(r.tag == 'x');
    CHECK(r.end == 'y');
  }
  const auto p = std::make_unique<record>();
  p->x.fill(2);
  CHECK(twice(p->x)(7) == 4);
  const auto many = std::make_unique<tensor<float, 3>[]>(5);
  many[3].fill(1);
  CHECK(twice(many[3]) == tensor<float, 3>{2, 2, 2});
}

TEST_CASE("buffers of any alignment") {
  std::vector<float> buffer(64 + 37);
  for (std::size_t first = 0; first < 17; ++first) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = static_cast<float>(i);
    const tg::view<float, 37> x(buffer.data() + first);
    const tensor<float, 37> y = twice(x);
    for (int i = 0; i < 37; ++i) CHECK(y(i) == 2 * static_cast<float>(static_cast<std::size_t>(i) + first));
    twice.into(x, x);  // in place, through the view
    CHECK(x(36) == y(36));
    CHECK(buffer[first + 37] == static_cast<float>(first + 37));  // and not beyond
  }
}

// ---- numbers ------------------------------------------------------------------------------------

template <class F, class... X>
constexpr bool gives(float expected, F f, X... x) {
  return same(tg::function(f)(x...), expected);
}

constexpr void products_with_zero_keep_nan() {
  const auto zero_times = [](auto x) { return x * 0; };
  const auto minus_itself = [](auto x) { return x - x; };
  const auto by_itself = [](auto x) { return x / x; };
  for (float x : {nan, infinity, -infinity}) {
    TFGRAPH_CHECK(gives(nan, zero_times, x) && gives(nan, minus_itself, x) && gives(nan, by_itself, x));
  }
  TFGRAPH_CHECK(gives(-0.0f, zero_times, -2.0f) && gives(nan, by_itself, 0.0f));
}
TFGRAPH_BOTH(products_with_zero_keep_nan);

constexpr void twice_the_reciprocal_is_rounded_twice() {
  const auto f = [](auto x) { return 1 / (1 / x); };
  const float inverse = 1.0f / 7;
  TFGRAPH_CHECK(1 / inverse != 7.0f);
  TFGRAPH_CHECK(gives(1 / inverse, f, 7.0f) && gives(0.0f, f, 0.0f) && gives(-0.0f, f, -0.0f));
}
TFGRAPH_BOTH(twice_the_reciprocal_is_rounded_twice);

TEST_CASE("exponentials are not merged") {
  CHECK(gives(infinity, [](auto x) { return tg::exp(x) * tg::exp(-x); }, 100.0f));
}

TEST_CASE("the logarithm of a power is not its product") {
  CHECK(gives(nan, [](auto x, auto y) { return tg::log(tg::pow(x, y)); }, -1.5f, -1.5f));
}

constexpr void overflow_stays() {
  const float largest = std::numeric_limits<float>::max();
  TFGRAPH_CHECK(gives(infinity, [](auto x) { return tg::sqrt(tg::abs(tg::square(x))); }, largest));
  TFGRAPH_CHECK(gives(infinity, [](auto x) { return x * 2 / 2; }, largest));
}
TFGRAPH_BOTH(overflow_stays);

TEST_CASE("a * b - a * b is zero, and the cross product of a vector with itself too") {
  const auto cross = tg::function([](auto a, auto b) {
    auto turn = [](auto v, auto by) {
      return tg::concat(axis<0>, tg::slice(v, tg::section<by.value>), tg::slice(v, tg::section<0, by.value>));
    };
    return turn(a, tg::constant_c<tg::index{1}>) * turn(b, tg::constant_c<tg::index{2}>) -
           turn(a, tg::constant_c<tg::index{2}>) * turn(b, tg::constant_c<tg::index{1}>);
  });
  const tensor<float, 3> v{1.1f, 2.3f, 1 / 3.0f};
  CHECK(cross(v, v) == tensor<float, 3>{0, 0, 0});
  CHECK(gives(0.0f, [](auto a, auto b) { return a * b - b * a; }, 1.1f, 1 / 3.0f));
}

constexpr void zeros_have_signs() {
  const float n = -0.0f;
  TFGRAPH_CHECK(gives(0.0f, [](auto x) { return x + 0.0f; }, n));
  TFGRAPH_CHECK(gives(n, [](auto x, auto y) { return tg::minimum(x, y); }, 0.0f, n));
  TFGRAPH_CHECK(gives(0.0f, [](auto x, auto y) { return tg::maximum(x, y); }, n, 0.0f));
  TFGRAPH_CHECK(gives(n, [](auto x) { return -x; }, 0.0f));
  TFGRAPH_CHECK(gives(0.0f, [](auto x) { return 0 - x; }, 0.0f));
  TFGRAPH_CHECK(gives(n, [](auto x) { return tg::sqrt(x); }, n));
}
TFGRAPH_BOTH(zeros_have_signs);

TEST_CASE("the power one half and the zeros of IEEE 754") {
  CHECK(gives(0.0f, [](auto x, auto y) { return tg::pow(x, y); }, -0.0f, 0.5f));
  CHECK(gives(infinity, [](auto x, auto y) { return tg::pow(x, y); }, -infinity, 0.5f));
}

}  // namespace
