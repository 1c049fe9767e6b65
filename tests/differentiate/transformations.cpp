// grad, value_and_grad, vjp, jvp, hvp, jacobian, hessian, vmap: what they return, for tensors,
// structures and models, and nested in each other. Values are whole numbers, so they are exact.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <boost/hana/at.hpp>
#include <boost/hana/integral_constant.hpp>

#include <array>
#include <limits>
#include <tuple>

namespace {

namespace tg = tfgraph;
using tg::tensor;
using d2 = tensor<double, 2>;
using d23 = tensor<double, 2, 3>;

constexpr auto cube = [](auto x) { return x * x * x; };
constexpr auto sum_of_cubes = [](auto x) { return tg::sum(x * x * x); };
// y_i = x_i^2 s with s the sum of x: dy_i/dx_j = 2 x_i s [i = j] + x_i^2.
constexpr auto coupled = [](auto x) { return x * x * tg::sum(x); };

constexpr void scalars() {
  TFGRAPH_CHECK(tg::grad(cube)(2.0) == 12);
  TFGRAPH_CHECK(tg::grad(tg::function(cube))(2.0f) == 12);
  TFGRAPH_CHECK(tg::grad(tg::grad(cube))(2.0) == 12);
  TFGRAPH_CHECK(tg::grad(tg::grad(tg::grad(cube)))(2.0) == 6);
  const auto [value, slope] = tg::value_and_grad(cube)(2.0);
  TFGRAPH_CHECK(value == 8 && slope == 12);
}
TFGRAPH_BOTH(scalars);

constexpr void several_arguments() {
  constexpr auto f = [](auto a, auto b, auto n) {
    return tg::sum(a * b) * 2 + tg::sum(tg::astype<double>(n));
  };
  const tensor<int, 2> n{1, 2};
  TFGRAPH_CHECK(tg::grad(f)(d2{1, 2}, d2{3, 4}, n) == d2{6, 8});
  TFGRAPH_CHECK(tg::grad(f, tg::wrt<1>)(d2{1, 2}, d2{3, 4}, n) == d2{2, 4});
  const auto [a, b] = tg::grad(f, tg::wrt<1, 0>)(d2{1, 2}, d2{3, 4}, n);
  TFGRAPH_CHECK(a == d2{2, 4} && b == d2{6, 8});
}
TFGRAPH_BOTH(several_arguments);

constexpr void independent() {
  TFGRAPH_CHECK(tg::grad([](auto, auto y) { return tg::sum(y); })(d2{1, 2}, d2{3, 4}) == d2{0, 0});
  TFGRAPH_CHECK(tg::grad([](auto x) {
                  return tg::sum(tg::floor(x)) + tg::sum(tg::astype<double>(x > 1));
                })(d2{1, 2}) == d2{0, 0});
  TFGRAPH_CHECK(tg::grad([](auto x) { return tg::astype<double>(tg::argmax(x)); })(d2{1, 2}) ==
                d2{0, 0});
  TFGRAPH_CHECK(tg::grad([](auto x) { return tg::sum(x * tg::stop_gradient(x)); })(d2{1, 2}) ==
                d2{1, 2});
  TFGRAPH_CHECK(tg::jvp([](auto x) { return tg::round(x); })(d2{1, 2}, d2{1, 1}).second ==
                d2{0, 0});
}
TFGRAPH_BOTH(independent);

constexpr void auxiliary_results() {
  constexpr auto f = [](auto x) { return std::tuple(tg::sum(x * x), x + 1, tg::argmax(x)); };
  const auto [result, gradient] = tg::value_and_grad(f)(d2{1, 2});
  TFGRAPH_CHECK(std::get<0>(result) == 5 && std::get<1>(result) == d2{2, 3});
  TFGRAPH_CHECK(std::get<2>(result) == 1 && gradient == d2{2, 4});
  TFGRAPH_CHECK(tg::grad(f)(d2{1, 2}) == d2{2, 4});
}
TFGRAPH_BOTH(auxiliary_results);

template <class W, class B>
struct layer {
  W w;
  B b;
};

constexpr void structures() {
  constexpr auto f = [](auto p, auto x) { return tg::sum(tg::matmul(x, p.w) + p.b); };
  const layer<d23, tensor<double, 3>> p{d23{{1, 2, 3}, {4, 5, 6}}, {1, 1, 1}};
  const auto g = tg::grad(f)(p, tensor<double, 2, 2>{{1, 2}, {3, 4}});
  TFGRAPH_CHECK(g.w == d23{{4, 4, 4}, {6, 6, 6}} && g.b == tensor<double, 3>{2, 2, 2});

  constexpr auto h = [](auto t) {
    return tg::sum(std::get<0>(t) * std::get<1>(t)[1]) + 0 * std::get<1>(t)[0];
  };
  const auto [first, second] = tg::grad(h)(std::tuple(d2{1, 2}, std::array{3.0, 4.0}));
  TFGRAPH_CHECK(first == d2{4, 4} && second[0] == 0 && second[1] == 3);

  namespace hana = boost::hana;
  const auto k = tg::grad([](auto t) { return tg::sum(t[hana::size_c<0>] * t[hana::size_c<1>]); })(
      hana::tuple<d2, d2>(d2{1, 2}, d2{3, 4}));
  TFGRAPH_CHECK(k[hana::size_c<0>] == d2{3, 4} && k[hana::size_c<1>] == d2{1, 2});
}
TFGRAPH_BOTH(structures);

struct affine {
  tg::variable<double, 2, 3> w;
  tg::variable<double, 3> b;
  constexpr auto operator()(const auto& x) const { return tg::matmul(x, w) + b; }
};
struct affine_loss {
  affine inner;
  constexpr auto operator()(const auto& x) const { return tg::sum(tg::square(inner(x))); }
};

template <class T>
struct scaled {  // a model that is a template
  tg::variable<T, 2> factor;
  tg::variable<T> shift;
  constexpr auto operator()(const auto& x) const { return x * factor + shift; }
};

constexpr void models() {
  const affine model{d23{{1, 2, 3}, {4, 5, 6}}, tensor<double, 3>{1, 1, 1}};
  const tensor<double, 2, 2> x{{1, 2}, {3, 4}};
  // As an argument: the gradient is another model.
  const affine g = tg::grad([](const auto& m, auto a) { return tg::sum(m(a)); })(model, x);
  TFGRAPH_CHECK(g.w.value() == d23{{4, 4, 4}, {6, 6, 6}});
  TFGRAPH_CHECK(g.b.value() == tensor<double, 3>{2, 2, 2});
  const scaled<double> t = tg::grad([](const auto& m, auto a) { return tg::sum(m(a)); })(
      scaled<double>{d2{1, 2}, tensor<double>(0.5)}, d2{3, 4});
  TFGRAPH_CHECK(t.factor.value() == d2{3, 4} && t.shift.value() == tensor<double>(2));
  // As the callable. The outputs are (10, 13, 16) and (20, 27, 34).
  const affine_loss loss{model};
  const auto [value, gradient] = tg::value_and_grad(loss, tg::wrt_variables)(x);
  TFGRAPH_CHECK(value == 100 + 169 + 256 + 400 + 729 + 1156);
  TFGRAPH_CHECK(gradient.inner.b.value() == tensor<double, 3>{60, 80, 100});
  TFGRAPH_CHECK(gradient.inner.w.value() == d23{{140, 188, 236}, {200, 268, 336}});
  // By the argument of a model: 2 y w^T.
  TFGRAPH_CHECK(tg::grad(loss)(x) ==
                tensor<double, 2, 2>{{2 * (10 + 26 + 48), 2 * (40 + 65 + 96)},
                                     {2 * (20 + 54 + 102), 2 * (80 + 135 + 204)}});
}
TFGRAPH_BOTH(models);

constexpr void directional() {
  const auto [value, tangent] = tg::jvp(coupled)(d2{1, 2}, d2{1, 0});
  TFGRAPH_CHECK(value == d2{3, 12} && tangent == d2{7, 4});
  const auto [same, cotangent] = tg::vjp(coupled)(d2{1, 2}, d2{1, 0});
  TFGRAPH_CHECK(same == value && cotangent == d2{7, 1});
  TFGRAPH_CHECK(tg::hvp(sum_of_cubes)(d2{1, 2}, d2{1, 1}) == d2{6, 12});
}
TFGRAPH_BOTH(directional);

constexpr void matrices() {
  TFGRAPH_CHECK(tg::jacobian(coupled)(d2{1, 2}) == tensor<double, 2, 2>{{7, 1}, {4, 16}});
  // Few results of many arguments: reverse mode.
  TFGRAPH_CHECK(tg::jacobian([](auto x) { return tg::sum(x * x); })(d2{1, 2}) == d2{2, 4});
  TFGRAPH_CHECK(
      tg::jacobian([](auto x) { return tg::sum(x * x, tg::axis<1>); })(d23{{1, 2, 3}, {4, 5, 6}}) ==
      tensor<double, 2, 2, 3>{{{2, 4, 6}, {0, 0, 0}}, {{0, 0, 0}, {8, 10, 12}}});
  TFGRAPH_CHECK(tg::jacobian([](auto s) { return s * tg::constant(d2{3, 4}); })(2.0) == d2{3, 4});
  TFGRAPH_CHECK(tg::jacobian([](auto a, auto b) { return a * b; }, tg::wrt<1>)(
                    d2{1, 2}, d2{3, 4}) == tensor<double, 2, 2>{{1, 0}, {0, 2}});
  TFGRAPH_CHECK(tg::hessian(sum_of_cubes)(d2{1, 2}) == tensor<double, 2, 2>{{6, 0}, {0, 12}});
  TFGRAPH_CHECK(tg::hessian([](auto x) { return tg::prod(x); })(tensor<double, 3>{0, 0, 5}) ==
                tensor<double, 3, 3>{{0, 5, 0}, {5, 0, 0}, {0, 0, 0}});
}
TFGRAPH_BOTH(matrices);

constexpr auto weighted = [](auto w, auto x) { return tg::sum(w * x * x); };
constexpr void batches() {
  const tensor<double, 3, 2> xs{{1, 2}, {3, 4}, {5, 6}};
  TFGRAPH_CHECK(tg::vmap(sum_of_cubes)(xs) == tensor<double, 3>{9, 91, 341});
  TFGRAPH_CHECK(tg::vmap(sum_of_cubes, tg::in_axes<-1>)(xs) == d2{153, 288});
  TFGRAPH_CHECK(tg::vmap(tg::grad(weighted), tg::in_axes<tg::unmapped, 0>)(d2{1, 2}, xs) ==
                tensor<double, 3, 2>{{1, 4}, {9, 16}, {25, 36}});
  TFGRAPH_CHECK(tg::grad([](auto w, auto x) {
                  return tg::sum(tg::vmap(weighted, tg::in_axes<tg::unmapped, 0>)(w, x));
                })(d2{1, 2}, xs) == d2{35, 56});
  TFGRAPH_CHECK(tg::vmap(tg::hessian(sum_of_cubes))(xs)(2, 1, 1) == 36);
  const tensor<double, 2, 2, 2> m{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  constexpr auto product = [](auto a, auto b) { return tg::matmul(a, b); };
  TFGRAPH_CHECK(tg::vmap(product)(m, tensor<double, 2, 2>{{1, 1}, {1, 2}}) ==
                tensor<double, 2, 2>{{3, 7}, {17, 23}});
}
TFGRAPH_BOTH(batches);

constexpr void along_axes() {
  const tensor<int, 4> i{1, 0, -1, 1};
  constexpr auto taken = [](auto x, auto k) {
    return tg::sum(tg::square(tg::take(x, k, tg::axis<0>)));
  };
  TFGRAPH_CHECK(tg::grad(taken)(d2{3, 4}, i) == d2{6, 24});
  TFGRAPH_CHECK(tg::grad(tg::grad([](auto x) {
                  return x * tg::sum(tg::take(x * tg::constant(d2{1, 2}), 1, tg::axis<0>)) * x;
                }))(2.0) == 24);
  constexpr auto scattered = [](auto x, auto k, auto u, auto w) {
    return tg::sum(w * tg::scatter_add(x, k, u, tg::axis<0>));
  };
  const auto [by_x, by_u] = tg::grad(scattered, tg::wrt<0, 2>)(
      d2{0, 0}, i, tensor<double, 4>{1, 2, 3, 4}, d2{5, 7});
  TFGRAPH_CHECK(by_x == d2{5, 7} && by_u == tensor<double, 4>{7, 5, 7, 7});
  const auto [value, tangent] =
      tg::jvp([](auto x, auto u) {
        return tg::scatter_add(x, tg::constant(tensor<int, 2>{0, 0}), u, tg::axis<0>);
      })(d2{1, 2}, d2{3, 4}, d2{10, 20}, d2{100, 200});
  TFGRAPH_CHECK(value == d2{8, 2} && tangent == d2{310, 20});
  constexpr auto weighted_sums = [](auto x, auto w) {
    return tg::sum(w * tg::cumulative_sum(x, tg::axis<-1>));
  };
  TFGRAPH_CHECK(tg::grad(weighted_sums)(d23{}, d23{{1, 2, 3}, {4, 5, 6}}) ==
                d23{{6, 5, 3}, {15, 11, 6}});
  // In a batch: of what is indexed, of the indices, and of both.
  const d23 rows{{1, 2, 3}, {4, 5, 6}};
  const tensor<int, 2, 2> each{{0, 2}, {1, -1}};
  constexpr auto pick = [](auto x, auto k) { return tg::take(x, k, tg::axis<0>); };
  TFGRAPH_CHECK(tg::vmap(pick, tg::in_axes<0, tg::unmapped>)(rows, tensor<int, 2>{2, 0}) ==
                tensor<double, 2, 2>{{3, 1}, {6, 4}});
  TFGRAPH_CHECK(tg::vmap(pick)(rows, each) == tensor<double, 2, 2>{{1, 3}, {5, 6}});
  TFGRAPH_CHECK(tg::vmap(pick, tg::in_axes<tg::unmapped, 0>)(tensor<double, 3>{7, 8, 9}, each) ==
                tensor<double, 2, 2>{{7, 9}, {8, 9}});
  TFGRAPH_CHECK(tg::vmap(tg::grad(taken))(rows, each) == d23{{2, 0, 6}, {0, 10, 12}});
  TFGRAPH_CHECK(tg::vmap([](auto x) { return tg::cumulative_sum(x); })(rows) ==
                d23{{1, 3, 6}, {4, 9, 15}});
  TFGRAPH_CHECK(tg::jacobian([](auto x) { return tg::cumulative_sum(x); })(d2{}) ==
                tensor<double, 2, 2>{{1, 0}, {1, 1}});
}
TFGRAPH_BOTH(along_axes);

// A step of gradient descent: a gradient inside another traced function, with one graph for both.
constexpr void inside_functions() {
  constexpr auto step = tg::function([](auto x) { return x - tg::grad(sum_of_cubes)(x) * 0.5; });
  TFGRAPH_CHECK(step(d2{1, 2}) == d2{-0.5, -4});
  static_assert(decltype(step)::graph<d2>().inputs().size() == 1);
  constexpr auto length = [](auto x) { return tg::sum(tg::square(tg::grad(sum_of_cubes)(x))); };
  TFGRAPH_CHECK(tg::grad(length)(d2{1, 2}) == d2{36, 288});
}
TFGRAPH_BOTH(inside_functions);

// A gradient that is not the derivative, to see it used.
constexpr auto fake = tg::custom_gradient(
    [](auto x, auto y) { return x * y; },
    [](auto x, auto y, auto, auto c) { return std::tuple(c * x * x * 10, c * y); });
constexpr auto tripled = [](auto x, auto y) { return tg::sum(fake(x, y) * 3); };
constexpr void custom() {
  TFGRAPH_CHECK(fake(d2{1, 2}, d2{3, 4}) == d2{3, 8});
  TFGRAPH_CHECK(tg::grad(tripled)(d2{1, 2}, d2{3, 4}) == d2{30, 120});
  TFGRAPH_CHECK(tg::grad(tripled, tg::wrt<1>)(d2{1, 2}, d2{3, 4}) == d2{9, 12});
  // Second order goes through the stated gradient.
  constexpr auto slope = [](auto x, auto y) { return tg::sum(tg::grad(tripled)(x, y)); };
  TFGRAPH_CHECK(tg::grad(slope)(d2{1, 2}, d2{3, 4}) == d2{60, 120});
  // In a batch, a shared argument gets the sum.
  constexpr auto all = [](auto x, auto y) {
    return tg::sum(tg::vmap(fake, tg::in_axes<tg::unmapped, 0>)(x, y));
  };
  TFGRAPH_CHECK(tg::grad(all)(d2{1, 2}, tensor<double, 3, 2>{}) == d2{30, 120});
}
TFGRAPH_BOTH(custom);

constexpr void kinks() {
  constexpr auto at0 = [](auto f) {
    return tg::grad([](auto x) { return decltype(f){}(x); })(0.0);
  };
  TFGRAPH_CHECK(at0([](auto x) { return tg::abs(x); }) == 0);
  TFGRAPH_CHECK(at0([](auto x) { return tg::relu(x); }) == 0);
  TFGRAPH_CHECK(at0([](auto x) { return tg::maximum(x, 0); }) == 0.5);
  TFGRAPH_CHECK(at0([](auto x) { return tg::hypot(x, 0); }) == 0);
  TFGRAPH_CHECK(at0([](auto x) { return tg::pow(x, 2.0); }) == 0);
  constexpr auto root = tg::grad(
      [](auto x) { return tg::sum(tg::where(x > 0, tg::sqrt(tg::where(x > 0, x, 1)), 0)); });
  TFGRAPH_CHECK(root(tensor<double, 3>{-1, 0, 4}) == tensor<double, 3>{0, 0, 0.25});
  constexpr auto largest = tg::grad([](auto x) { return tg::max(x); });
  TFGRAPH_CHECK(largest(tensor<double, 4>{1, 3, 3, 2}) == tensor<double, 4>{0, 0.5, 0.5, 0});
  constexpr auto smallest = tg::grad([](auto x) { return tg::sum(tg::min(x, tg::axis<1>)); });
  TFGRAPH_CHECK(smallest(d23{{1, 1, 1.5}, {4, 3, 5}}) == d23{{0.5, 0.5, 0}, {0, 1, 0}});
  constexpr auto product = tg::grad([](auto x) { return tg::prod(x); });
  TFGRAPH_CHECK(product(tensor<double, 5>{2, 0, 3, 4, 5}) == tensor<double, 5>{0, 120, 0, 0, 0});
  TFGRAPH_CHECK(product(tensor<double, 3>{0, 0, 3}) == tensor<double, 3>{0, 0, 0});
  TFGRAPH_CHECK(product(tensor<double, 3>{2, 4, 8}) == tensor<double, 3>{32, 16, 8});
}
TFGRAPH_BOTH(kinks);

TEST_CASE("the slope of the root at 0 is infinite") {
  const auto slope = tg::grad([](auto x) { return tg::sqrt(x); })(0.0);
  CHECK(slope == std::numeric_limits<double>::infinity());
}

}  // namespace
