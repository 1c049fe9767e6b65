// Functions that assign to the variables of models: as arguments, referred to, and bound.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <tuple>

namespace {

namespace tg = tfgraph;
using tg::tensor;

struct counter {
  tg::variable<int, 3> count;
  tg::variable<int> calls;
  constexpr auto operator()(const auto& x) {
    const auto before = count + 0;
    count.assign_add(x);
    calls.assign_add(1);
    return std::tuple(before, count * 2);  // reads see the assignments before them
  }
};

TEST_CASE("a function of a reference to a model") {
  counter c;
  const auto f = tg::function(std::ref(c));
  const auto [before, twice] = f(tensor<int, 3>{1, 2, 3});
  CHECK(before == tensor<int, 3>{0, 0, 0});
  CHECK(twice == tensor<int, 3>{2, 4, 6});
  CHECK(c.count.value() == tensor<int, 3>{1, 2, 3});
  static_cast<void>(f(tensor<int, 3>{10, 10, 10}));
  CHECK(c.count.value() == tensor<int, 3>{11, 12, 13});
  CHECK(c.calls.value() == tensor<int>(2));
}

constexpr auto exchange = tg::function([](auto& a, auto& b, auto by) {
  const auto old = a.count * by;
  a.count.assign(b.count);
  b.count.assign(old);
});

TEST_CASE("models as arguments: all is computed before a variable changes") {
  counter a, b;
  a.count.assign(tensor<int, 3>{1, 2, 3});
  b.count.assign(tensor<int, 3>{4, 5, 6});
  exchange(a, b, 10);
  CHECK(a.count.value() == tensor<int, 3>{4, 5, 6});
  CHECK(b.count.value() == tensor<int, 3>{10, 20, 30});
  CHECK(a.calls.value() == tensor<int>(0));
  // The same model twice: it gets what is assigned last.
  exchange(a, a, 2);
  CHECK(a.count.value() == tensor<int, 3>{8, 10, 12});
}

constexpr int in_the_compiler() {
  counter a, b;
  a.count.assign(tensor<int, 3>{1, 2, 3});
  exchange(a, b, 10);
  return a.count.value()(0) + b.count.value()(2);
}
static_assert(in_the_compiler() == 30);

TEST_CASE("a model that is bound by reference") {
  counter c;
  const auto f = tg::function(tg::bind_front(
      [](auto& model, auto x) {
        for (auto i : tg::range(4, x)) model.count.assign(model.count * 2 + x * i);
        return tg::sum(model.count);
      },
      std::ref(c)));
  CHECK(f(tensor<int, 3>{1, 2, 3}) == 66);  // 4 * 1 + 2 * 2 + 3, times each
  CHECK(c.count.value() == tensor<int, 3>{11, 22, 33});
}

// A straight line, by gradient descent, in functions that update the model and the velocity in place.
struct line {
  tg::variable<double, 2> slope;
  tg::variable<double> offset;
  constexpr auto operator()(const auto& x) const { return tg::matmul(x, slope) + offset; }
};
constexpr auto error = [](const auto& model, const auto& x, const auto& y) {
  return tg::mean(tg::square(model(x) - y));
};
constexpr auto train = tg::function([](auto& model, auto& velocity, auto x, auto y) {
  const auto [loss, gradient] = tg::value_and_grad(error)(model, x, y);
  tg::for_each_variable(velocity, gradient, [](auto& v, const auto& g) { v.assign(v * 0.5 - 0.1 * g); });
  tg::for_each_variable(model, velocity, [](auto& w, const auto& v) { w.assign_add(v); });
  return loss;
});

TEST_CASE("a training step") {
  tensor<double, 16, 2> x;
  tensor<double, 16> y;
  for (std::size_t i = 0; i < 16; ++i) {
    x(i, 0) = static_cast<double>(i % 4) - 1.5;
    x(i, 1) = static_cast<double>(i / 4) - 1.5;
    y(i) = 3 * x(i, 0) - 2 * x(i, 1) + 0.5;
  }
  line model, velocity;
  double first = 0, last = 0;
  for (int step = 0; step < 200; ++step) {
    last = train(model, velocity, x, y);
    if (step == 0) first = last;
  }
  CHECK(first > 10);
  CHECK(last < 1e-12);
  CHECK(std::abs(model.slope.value()(0) - 3) < 1e-6);
  CHECK(std::abs(model.slope.value()(1) + 2) < 1e-6);
  CHECK(std::abs(*model.offset.data() - 0.5) < 1e-6);
}

TEST_CASE("what the running program traces cannot assign") {
  counter c;
  const auto f = tg::function([one = 1](auto& model, auto x) {
    model.count.assign(x + one);
    return x;
  });
  CHECK_THROWS_AS(static_cast<void>(f(c, tensor<int, 3>{1, 2, 3})), tg::trace_error);
}

}  // namespace
