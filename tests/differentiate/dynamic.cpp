// Derivatives where extents, or all types, are known only to the running program, against the same
// functions on static extents.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <doctest/doctest.h>

#include <tuple>

namespace {

namespace tg = tfgraph;
using tg::any_tensor;
using tg::tensor;
using vector = tensor<double, tg::dyn>;
using matrix = tensor<double, tg::dyn, tg::dyn>;

constexpr auto cubes = [](auto x) { return tg::sum(x * x * x); };
constexpr auto curvature = [](auto x) { return tg::sum(tg::square(tg::grad(cubes)(x))); };
// Broadcasting, a product, reductions over axes, a slice, a shape, a selection.
constexpr auto network = [](auto w, auto b, auto x) {
  const auto h = tg::where(tg::matmul(x, w) > 0, tg::matmul(x, w), 0.1) + b;
  const auto rows = tg::sum(tg::exp(h), tg::axis<1>, tg::keepdims);
  return tg::mean(tg::softmax(h * rows)) + tg::max(h) + tg::sum(tg::mean(h, tg::axis<0>)) +
         tg::sum(tg::slice(w, tg::section<1>, tg::section<0, tg::end, 2>));
};
constexpr auto picked = [](auto x, auto i) {
  return tg::sum(tg::square(tg::take(x, i, tg::axis<0>))) + tg::sum(tg::cumulative_sum(x) * x);
};

template <class T>
void fill(T& t, int seed) {
  for (std::size_t i = 0; i < t.size(); ++i)
    t.data()[i] = static_cast<double>((static_cast<int>(i) * 37 + seed * 11) % 23 - 9) / 8;
}

vector free_extents(const auto& t)
  requires(std::remove_cvref_t<decltype(t)>::rank == 1)
{
  return vector(t);
}
matrix free_extents(const auto& t)
  requires(std::remove_cvref_t<decltype(t)>::rank == 2)
{
  return matrix(t);
}

template <std::size_t N, std::size_t M>
void check_extents() {
  tensor<double, N> x;
  tensor<double, N, M> w;
  tensor<double, M> b;
  tensor<double, 5, N> data;
  fill(x, 1);
  fill(w, 2);
  fill(b, 3);
  fill(data, 4);
  const vector dx(x), db(b);
  const matrix dw(w), ddata(data);

  constexpr auto slope = tg::grad(cubes);
  CHECK(slope(dx) == free_extents(slope(x)));
  CHECK(slope(any_tensor(x)).to<tensor<double, N>>() == slope(x));
  constexpr auto second = tg::grad(curvature);
  CHECK(second(dx) == free_extents(second(x)));
  CHECK(second(any_tensor(x)).to<tensor<double, N>>() == second(x));
  constexpr auto product = tg::hvp(cubes);
  CHECK(product(dx, dx) == free_extents(product(x, x)));
  CHECK(product(any_tensor(x), any_tensor(x)).to<tensor<double, N>>() == product(x, x));

  constexpr auto gradient = tg::value_and_grad(network, tg::wrt<0, 1, 2>);
  const auto [value, by] = gradient(w, b, data);
  const auto [dyn_value, dyn_by] = gradient(dw, db, ddata);
  CHECK(dyn_value == value);
  CHECK(std::get<0>(dyn_by) == free_extents(std::get<0>(by)));
  CHECK(std::get<1>(dyn_by) == free_extents(std::get<1>(by)));
  CHECK(std::get<2>(dyn_by) == free_extents(std::get<2>(by)));
  const auto [any_value, any_by] = gradient(any_tensor(w), any_tensor(b), any_tensor(data));
  CHECK(any_value.template item<double>() == value);
  CHECK(std::get<0>(any_by).template to<tensor<double, N, M>>() == std::get<0>(by));
  CHECK(std::get<1>(any_by).template to<tensor<double, M>>() == std::get<1>(by));
  CHECK(std::get<2>(any_by).template to<tensor<double, 5, N>>() == std::get<2>(by));

  const tensor<int, 3> i{0, -1, 0};
  constexpr auto by_picked = tg::grad(picked);
  CHECK(by_picked(dx, i) == free_extents(by_picked(x, i)));
  CHECK(by_picked(any_tensor(x), any_tensor(i)).to<tensor<double, N>>() == by_picked(x, i));
}

TEST_CASE("derivatives of dynamic and run-time signatures are those of static ones") {
  check_extents<2, 3>();
  check_extents<7, 1>();  // one column: the bias is broadcast, or is not
}

TEST_CASE("what broadcasts is only known at run time") {
  constexpr auto f = tg::grad([](auto x, auto y) { return tg::sum(x * y); });
  CHECK(f(free_extents(tensor<double, 1>{2}), free_extents(tensor<double, 3>{1, 2, 3})) ==
        free_extents(tensor<double, 1>{6}));
  CHECK(f(free_extents(tensor<double, 3>{1, 2, 3}), free_extents(tensor<double, 1>{2})) ==
        free_extents(tensor<double, 3>{2, 2, 2}));
}

TEST_CASE("a traced function of dynamic extents takes a step along a gradient") {
  constexpr auto step = tg::function([](auto x) { return x - 0.5 * tg::grad(cubes)(x); });
  CHECK(step(free_extents(tensor<double, 2>{1, 2})) == free_extents(tensor<double, 2>{-0.5, -4}));
  CHECK(step(any_tensor(tensor<double, 2>{1, 2})).to<tensor<double, 2>>() == tensor<double, 2>{-0.5, -4});
}

TEST_CASE("what has no derivative is refused when it is known") {
  const auto f = tg::grad([](auto x) { return tg::astype<double>(tg::sum(x)); });
  CHECK_THROWS_WITH_AS(
      static_cast<void>(f(any_tensor(tensor<int, 2>{1, 2}))),
      "grad: an argument of type int32 has no derivative; only floating-point ones have",
      tg::dtype_error);
  const auto g = tg::grad([](auto x) { return x * 2; });
  CHECK_THROWS_WITH_AS(static_cast<void>(g(any_tensor(tensor<double, 2>{1, 2}))),
                       "grad: the result must be a floating-point scalar, not float64 (2); see "
                       "jacobian and vjp",
                       tg::shape_error);
}

}  // namespace
