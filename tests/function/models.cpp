// Models: callables whose state is variables, owned, referred to, or passed as arguments.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <boost/hana/define_struct.hpp>

#include <functional>

namespace {

namespace tg = tfgraph;
using tg::tensor;
using tg::variable;

struct affine {
  variable<float, 2, 3> w;
  variable<float, 3> b;
  constexpr auto operator()(const auto& x) const { return tg::matmul(x, w) + b; }
};

struct described {
  BOOST_HANA_DEFINE_STRUCT(described, (variable<float, 2, 3>, w), (variable<float, 3>, b));
  constexpr auto operator()(const auto& x) const { return tg::matmul(x, w) + b; }
};

struct network {
  affine first;
  variable<float, 3> scale;
  affine second;
  tg::constant_t<2> factor;
  constexpr auto operator()(const auto& x) const {
    const auto h = tg::relu(first(x)) * scale;
    return second(tg::slice(h, tg::all, tg::section<0, 2>)) * factor;
  }
};

using in = tensor<float, 2, 2>;
using out = tensor<float, 2, 3>;
constexpr in x{{1, 2}, {3, -4}};

// The same by loops. All values are small integers, so every order gives the same sums.
constexpr out affine_by_loops(const in& a, const out& w, const tensor<float, 3>& b) {
  out r;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      r(i, j) = b(j);
      for (int k = 0; k < 2; ++k) r(i, j) += a(i, k) * w(k, j);
    }
  return r;
}

constexpr out w1{{1, -2, 3}, {4, 5, -6}};
constexpr tensor<float, 3> b1{1, 2, 3};
constexpr out w2{{2, 0, 1}, {-1, 3, 1}};
constexpr tensor<float, 3> b2{-1, 0, 7};

constexpr void owned() {
  const auto f = tg::function(affine{w1, b1});
  TFGRAPH_CHECK(f(x) == affine_by_loops(x, w1, b1));
  const auto copy = f;  // NOLINT: copies the elements
  TFGRAPH_CHECK(copy(x) == affine_by_loops(x, w1, b1));
  TFGRAPH_CHECK(f.original().w.value() == w1);
}
TFGRAPH_BOTH(owned);

constexpr void hana_structs() {
  described model;
  model.w.assign(w1);
  model.b.assign(b1);
  TFGRAPH_CHECK(tg::function(model)(x) == affine_by_loops(x, w1, b1));
  int elements = 0;
  tg::for_each_variable(model, [&](auto& v) { elements += static_cast<int>(v.size()); });
  TFGRAPH_CHECK(elements == 9);
}
TFGRAPH_BOTH(hana_structs);

constexpr void referred_to() {
  affine model{w1, b1};
  const auto f = tg::function(std::ref(model));
  TFGRAPH_CHECK(f(x) == affine_by_loops(x, w1, b1));
  model.b.assign(b2);
  TFGRAPH_CHECK(f(x) == affine_by_loops(x, w1, b2));
  model.w.value()(1, 0) = 100;
  out w = w1;
  w(1, 0) = 100;
  TFGRAPH_CHECK(f(x) == affine_by_loops(x, w, b2));
  const affine fixed{w2, b2};
  TFGRAPH_CHECK(tg::function(std::cref(fixed))(x) == affine_by_loops(x, w2, b2));
}
TFGRAPH_BOTH(referred_to);

constexpr void as_argument() {
  constexpr auto call = tg::function([](auto& model, auto a) { return model(a); });
  affine model{w1, b1};
  TFGRAPH_CHECK(call(model, x) == affine_by_loops(x, w1, b1));
  model.w.assign(w2);
  TFGRAPH_CHECK(call(model, x) == affine_by_loops(x, w2, b1));
  constexpr auto bias = tg::function([](const auto& m) { return m.b * 2; });
  TFGRAPH_CHECK(bias(model) == tensor<float, 3>{2, 4, 6});
}
TFGRAPH_BOTH(as_argument);

constexpr void nested() {
  const network model{{w1, b1}, tensor<float, 3>{1, 2, 3}, {w2, b2}, {}};
  const out h = affine_by_loops(x, w1, b1);
  in middle;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      middle(i, j) = (h(i, j) > 0 ? h(i, j) : 0) * static_cast<float>(j + 1);
  out expected = affine_by_loops(middle, w2, b2);
  for (float& e : expected) e *= 2;
  const auto f = tg::function(model);
  TFGRAPH_CHECK(f(x) == expected);
  // Inputs: the argument, then the five variables; the static member is none.
  static_assert(decltype(f)::graph<in>().inputs().size() == 6);

  int count = 0;
  std::size_t elements = 0;
  tg::for_each_variable(model, [&](const auto& v) {
    ++count;
    elements += v.size();
  });
  TFGRAPH_CHECK(count == 5 && elements == 6 + 3 + 3 + 6 + 3);
}
TFGRAPH_BOTH(nested);

constexpr void two_models() {
  network model{{w1, b1}, tensor<float, 3>{1, 2, 3}, {w2, b2}, {}};
  const network gradient{{w2, b2}, tensor<float, 3>{1, 1, 1}, {w1, b1}, {}};
  tg::for_each_variable(model, gradient, [](auto& v, const auto& g) {
    auto from = g.begin();
    for (float& e : v) e -= 2 * *from++;
  });
  for (int j = 0; j < 3; ++j) {
    TFGRAPH_CHECK(model.first.b.value()(j) == b1(j) - 2 * b2(j));
    TFGRAPH_CHECK(model.second.b.value()(j) == b2(j) - 2 * b1(j));
    TFGRAPH_CHECK(model.scale.value()(j) == static_cast<float>(j + 1 - 2));
    for (int i = 0; i < 2; ++i)
      TFGRAPH_CHECK(model.first.w.value()(i, j) == w1(i, j) - 2 * w2(i, j));
  }
}
TFGRAPH_BOTH(two_models);

constexpr void variables_are_values() {
  variable<int, 2> a(tensor<int, 2>{1, 2});
  variable<int, 2> b = a;
  b.value()(0) = 5;
  TFGRAPH_CHECK(a.value() == tensor<int, 2>{1, 2} && b.value() == tensor<int, 2>{5, 2});
  a = b;
  TFGRAPH_CHECK(a == b);
  const variable<int, 2> moved = std::move(b);
  TFGRAPH_CHECK(moved == a);
  variable<int, 2> zero;
  TFGRAPH_CHECK(zero.value() == tensor<int, 2>{0, 0});
}
TFGRAPH_BOTH(variables_are_values);

// A model in another traced callable, and a model called operator by operator.
constexpr void models_in_functions() {
  constexpr auto loss = tg::function([](const auto& model, auto a, auto wanted) {
    return tg::sum(tg::square(model(a) - wanted));
  });
  const affine model{w1, b1};
  const out r = affine_by_loops(x, w1, b1);
  float expected = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) expected += (r(i, j) - w2(i, j)) * (r(i, j) - w2(i, j));
  TFGRAPH_CHECK(loss(model, x, w2) == expected);
}
TFGRAPH_BOTH(models_in_functions);

TEST_CASE("variables without elements are zeros") {
  const auto f = tg::function(affine{});
  CHECK(f(x) == out{});
}

TEST_CASE("a model's variable as output") {
  affine model{w1, b1};
  constexpr auto step = tg::function([](auto v, auto g) { return v - g * 2; });
  step.into(model.b.value(), model.b.value(), b2);
  for (int j = 0; j < 3; ++j) CHECK(model.b.value()(j) == b1(j) - 2 * b2(j));
}

}  // namespace
