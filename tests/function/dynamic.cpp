// Tensors whose extents only the running program knows: one trace, a plan per extents; size 0 and
// 1 and broadcasting that is decided at run time included. What is right is what the graph as
// written means for these extents, evaluated node by node.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>
#include <support/reference.hpp>

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::axis;
using tg::dyn;
using tg::index;
using tg::tensor;

template <class T>
using vec = tensor<T, dyn>;
template <class T>
using mat = tensor<T, dyn, dyn>;

/// Numbers that differ from each other, of both signs.
template <class Tensor>
Tensor filled(std::initializer_list<index> e, int seed) {
  tg::extents shape;
  for (index n : e) shape.push_back(n);
  Tensor t(shape);
  int k = seed;
  for (auto& x : t) {
    k = (k * 37 + 11) % 101;
    x = static_cast<typename Tensor::value_type>(k - 50) / 4;
  }
  return t;
}

/// Bits of the leaves of a result.
template <class Result>
std::vector<tg::value> values_of(const Result& r) {
  std::vector<tg::value> values;
  tg::detail::for_each_leaf(r, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (std::is_arithmetic_v<Leaf>)
      values.push_back({{tg::dtype_of<Leaf>, {}}, {tg::detail::to_bits(leaf)}});
    else values.push_back(tg::detail::value_of_array(leaf));
  });
  return values;
}

template <class F, class... Args>
void check(F f, const Args&... args) {
  const auto traced = tg::function(f);
  constexpr tg::graph_view written = decltype(traced)::template traced<Args...>();
  const std::vector<tg::spec> types = tg::detail::types_of(args...);
  const tg::binding b = tg::bind_extents(written, types);
  if (!b.objection.empty()) {
    CHECK_THROWS_WITH_AS(static_cast<void>(traced(args...)),
                         std::string(b.objection.view()).c_str(), tg::shape_error);
    return;
  }
  CHECK(tg::verify(b.bound.view()).view() == "");
  std::vector<tg::value> inputs;
  (inputs.push_back(tg::detail::value_of(args, tg::dtype_of<typename Args::value_type>)), ...);
  const std::vector<tg::value> expected = tg::evaluate(b.bound.view(), inputs);
  const std::vector<tg::value> found = values_of(traced(args...));
  REQUIRE(found.size() == expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    CHECK(found[k].type == expected[k].type);
    CHECK(found[k].elements == expected[k].elements);
  }
}

const std::vector<index> lengths{0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257, 5000};
const std::vector<index> sides{0, 1, 2, 3, 7, 16, 19, 40};

template <class T, class F>
void check_lengths(F f) {
  for (index n : lengths) {
    CAPTURE(n);
    check(f, filled<vec<T>>({n}, 1), filled<vec<T>>({n}, 2));
  }
  // Extents of 1 broadcast, and others that differ do not.
  check(f, filled<vec<T>>({1}, 1), filled<vec<T>>({33}, 2));
  check(f, filled<vec<T>>({33}, 1), filled<vec<T>>({1}, 2));
  check(f, filled<vec<T>>({0}, 1), filled<vec<T>>({1}, 2));
  check(f, filled<vec<T>>({5}, 1), filled<vec<T>>({4}, 2));
}

template <class T, class F>
void check_sides(F f) {
  for (index n : sides)
    for (index m : sides) {
      CAPTURE(n);
      CAPTURE(m);
      check(f, filled<mat<T>>({n, m}, 1), filled<mat<T>>({n, m}, 2));
      check(f, filled<mat<T>>({n, 1}, 1), filled<mat<T>>({1, m}, 2));
      check(f, filled<mat<T>>({1, m}, 1), filled<mat<T>>({n, m}, 2));
      check(f, filled<mat<T>>({n, m}, 1), filled<mat<T>>({n, 1}, 2));
    }
}

TEST_CASE("elementwise functions of any length") {
  check_lengths<float>([](auto x, auto y) { return tg::exp(x) * y + x / (tg::abs(y) + 1); });
  check_lengths<double>([](auto x, auto y) {
    return std::tuple(tg::where(x < y, x * 2, y), x < y, tg::astype<int>(x - y));
  });
  check_lengths<std::int8_t>([](auto x, auto y) { return (x + y) * x - (x & y); });
  check_lengths<float>([](auto x, auto y) { return x + tg::zeros_like(y) * 3 + tg::ones_like(x); });
}

TEST_CASE("reductions of any length") {
  check_lengths<float>([](auto x, auto y) { return std::tuple(tg::sum(x * y), tg::mean(x), y); });
  check_lengths<double>(
      [](auto x, auto y) { return std::tuple(tg::var(x), tg::mean(x + y, tg::keepdims)); });
  check_lengths<int>([](auto x, auto y) {
    return std::tuple(tg::sum(x), tg::prod(y), tg::any(x < y), tg::all(x == x));
  });
}

TEST_CASE("positions and extremes need an element") {
  check_lengths<float>(
      [](auto x, auto y) { return std::tuple(tg::max(x - y), tg::argmax(x), tg::argmin(y)); });
}

TEST_CASE("matrices of any extents") {
  check_sides<float>([](auto x, auto y) { return x * y - tg::transpose(tg::transpose(x) + 1); });
  check_sides<float>([](auto x, auto y) {
    return std::tuple(tg::sum(x + y, axis<0>), tg::sum(x * y, axis<1>), tg::mean(x - y, axis<0>));
  });
  check_sides<double>([](auto x, auto y) {
    return std::tuple(tg::concat(axis<0>, x, y), tg::flip(x, axis<1>),
                      tg::slice(y, tg::section<1>, tg::section<0, tg::end, 2>));
  });
}

TEST_CASE("products of any extents") {
  const auto f = [](auto a, auto b, auto bias) { return tg::relu(tg::matmul(a, b) + bias); };
  for (index n : {index{0}, index{1}, index{3}, index{17}})
    for (index m : {index{0}, index{1}, index{2}, index{16}, index{33}})
      for (index k : {index{0}, index{1}, index{5}, index{70}}) {
        CAPTURE(n);
        CAPTURE(m);
        CAPTURE(k);
        check(f, filled<mat<float>>({n, k}, 1), filled<mat<float>>({k, m}, 2),
              filled<vec<float>>({m}, 3));
        check(f, filled<mat<std::int16_t>>({n, k}, 1), filled<mat<std::int16_t>>({k, m}, 2),
              filled<vec<std::int16_t>>({1}, 3));
      }
  check(f, filled<mat<float>>({2, 3}, 1), filled<mat<float>>({4, 5}, 2),
        filled<vec<float>>({5}, 3));
  check(
      [](auto a, auto v) { return std::tuple(tg::matmul(a, v), tg::matmul(v, tg::transpose(a))); },
      filled<mat<double>>({40, 70}, 1), filled<vec<double>>({70}, 2));
}

TEST_CASE("static and dynamic extents mix") {
  using rows = tensor<float, dyn, 3>;
  const auto f = [](auto x, auto b) { return tg::softmax(x + b) + tg::sum(x, axis<0>); };
  for (index n : lengths) {
    CAPTURE(n);
    check(f, filled<rows>({n, 3}, 1), filled<tensor<float, 3>>({3}, 2));
    check(f, filled<rows>({n, 3}, 1), filled<vec<float>>({3}, 2));
    check(f, filled<rows>({n, 3}, 1), filled<vec<float>>({1}, 2));
  }
  check(f, filled<rows>({4, 3}, 1), filled<vec<float>>({2}, 2));
  const auto g = [](auto x) { return tg::reshape(x, tg::shape<dyn, 6>{}); };
  check(g, filled<rows>({4, 3}, 1));
  check(g, filled<rows>({3, 3}, 1));
}

constexpr void tensors_that_the_callable_made() {
  constexpr auto f =
      tg::function([](auto x) { return std::pair(x + 1, tensor<int, dyn>{1, 2, 3}); });
  TFGRAPH_CHECK(f(1).second == tensor<int, dyn>{1, 2, 3});
  TFGRAPH_CHECK(f(tensor<int, dyn>{1, 2}).second == tensor<int, dyn>{1, 2, 3});
  TFGRAPH_CHECK(f(tensor<int, dyn>{1, 2}).first == tensor<int, dyn>{2, 3});
}
TFGRAPH_BOTH(tensors_that_the_callable_made);

TEST_CASE("results have the extents that are static") {
  constexpr auto f = tg::function([](auto x, auto b) { return std::tuple(x + b, tg::sum(x)); });
  using result = decltype(f(tensor<float, dyn, 3>(2), tensor<float, 3>()));
  static_assert(std::is_same_v<result, std::tuple<tensor<float, dyn, 3>, float>>);
  constexpr auto g = tg::function([](auto x, auto y) { return x + y; });
  static_assert(std::is_same_v<decltype(g(vec<int>(2), tensor<int, 3>())), tensor<int, 3>>);
}

constexpr void in_a_constant_expression() {
  constexpr auto f = tg::function([](auto x) { return tg::mean(x * 2, axis<0>); });
  const tensor<double, dyn, 2> x{{1, 2}, {3, 4}, {5, 9}};
  TFGRAPH_CHECK(f(x) == tensor<double, 2>{6, 10});
  tensor<double, 2> out;
  f.into(out, x);
  TFGRAPH_CHECK(out == tensor<double, 2>{6, 10});
}
TFGRAPH_BOTH(in_a_constant_expression);

TEST_CASE("views with any strides, and outputs that overlap") {
  constexpr auto f = tg::function([](auto x) { return tg::flip(x, axis<0>) * 2; });
  float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const tg::view<const float, dyn> odd(data + 1, {6}, tg::strides{{2}});
  CHECK(f(odd) == vec<float>{22, 18, 14, 10, 6, 2});
  const tg::view<float, dyn> all(data);
  f.into(all, all);
  CHECK(vec<float>(tg::view<const float, dyn>(all)) ==
        vec<float>{22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0});
  vec<float> wrong(3);
  CHECK_THROWS_WITH_AS(f.into(wrong, all), "into: the output has the shape (3), the result (12)",
                       tg::shape_error);
}

TEST_CASE("eager operators on tensors of dynamic extents") {
  const vec<int> a{1, 2, 3};
  CHECK(a * 2 + a == vec<int>{3, 6, 9});
  CHECK(tg::sum(a) == 6);
  CHECK(tg::pow(a, 2) == vec<int>{1, 4, 9});
  int n = 3;
  CHECK(tg::pow(a, n) == vec<int>{1, 8, 27});
  CHECK_THROWS_WITH_AS(static_cast<void>(a + vec<int>{1, 2}),
                       "add: the shapes (3) and (2) do not broadcast together", tg::shape_error);
  CHECK_THROWS_AS(static_cast<void>(a / vec<int>{1, 0, 1}), tg::domain_error);
}

TEST_CASE("one trace, a plan per extents, bounded by the capacity") {
  const auto f = tg::function([](auto x) { return tg::sum(x + 1); });
  const auto check_sum = [&](index n, int seed) {
    const auto x = filled<vec<float>>({n}, seed);
    float sum = 0;  // of quarters: exact in any order
    for (float e : x) sum += e + 1;
    CHECK(f(x) == sum);
  };
  for (index n = 1; n <= 100; ++n) check_sum(n, 3);
  for (index n = 1; n <= 100; ++n) check_sum(n, 4);
  CHECK(f.trace_count() == 1);
  CHECK(f.cache_info().size == 100);
  CHECK(f.cache_info().misses == 100);
  CHECK(f.cache_info().hits == 100);
  for (index n = 101; n <= 1000; ++n) check_sum(n, 3);
  CHECK(f.cache_info().size == f.cache_info().capacity);
  f.clear_cache();
  CHECK(f.cache_info().size == 0);
  CHECK(f.trace_count() == 1);
}

}  // namespace
