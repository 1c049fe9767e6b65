// Derivatives of models that are referred to, and of functions that are computed again.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <functional>

namespace {

namespace tg = tfgraph;
using tg::any_tensor;
using tg::tensor;

// ---- models ---------------------------------------------------------------------------------------

struct scaled {
  tg::variable<double, 2> w;
  constexpr auto operator()(const auto& x) const { return tg::sum(tg::square(x * w)); }
};

constexpr void referred_models() {
  using d2 = tensor<double, 2>;
  scaled model{d2{3, 4}};
  const auto by_w = tg::grad(std::ref(model), tg::wrt_variables);
  const auto by_x = tg::value_and_grad(tg::function(std::ref(model)));
  const scaled g = by_w(d2{1, 2});
  TFGRAPH_CHECK(g.w.value() == d2{6, 32});
  TFGRAPH_CHECK(by_x(d2{1, 2}).second == d2{18, 64});
  model.w.assign(d2{5, 1});  // which the functions refer to
  TFGRAPH_CHECK(by_w(d2{1, 2}).w.value() == d2{10, 8});
  TFGRAPH_CHECK(by_x(d2{1, 2}).first == 29 && by_x(d2{1, 2}).second == d2{50, 4});
}
TFGRAPH_BOTH(referred_models);

TEST_CASE("a model and an argument that is known at run time only") {
  const scaled model{tensor<double, 2>{3, 4}};
  const any_tensor x(tensor<double, 2>{1, 2});
  CHECK(tg::grad(model)(x).to<tensor<double, 2>>() == tensor<double, 2>{18, 64});
}

// ---- checkpoints ----------------------------------------------------------------------------------

constexpr auto layer = [](auto x, auto w) { return tg::tanh(tg::exp(tg::matmul(x, w))); };
constexpr auto plain = [](auto x, auto w) {
  for (int i = 0; i < 6; ++i) x = layer(x, w);
  return tg::sum(x);
};
constexpr auto saving = [](auto x, auto w) {
  for (int i = 0; i < 6; ++i) x = tg::checkpoint(layer)(x, w);
  return tg::sum(x);
};

TEST_CASE("a checkpoint changes no bit, computes again and keeps less") {
  using square = tensor<double, 12, 12>;
  square x, w;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.data()[i] = static_cast<double>(i % 7) / 8;
    w.data()[i] = static_cast<double>(i % 11) / 90 - 0.05;
  }
  constexpr auto kept = tg::grad(plain, tg::wrt<0, 1>);
  constexpr auto recomputed = tg::grad(saving, tg::wrt<0, 1>);
  CHECK(kept(x, w) == recomputed(x, w));
  using Kept = decltype(kept);
  using Recomputed = decltype(recomputed);
  // Without a gradient nothing is computed twice; what the last layer needs is still there anyway.
  CHECK(tg::function(saving).graph<square, square>().count("exp") == 6);
  CHECK(Kept::graph<square, square>().count("exp") == 6);
  CHECK(Recomputed::graph<square, square>().count("exp") > 10);
  CHECK(4 * Recomputed::program<square, square>().arena_bytes <
        3 * Kept::program<square, square>().arena_bytes);
}

constexpr void checkpoints() {
  constexpr auto cube = tg::checkpoint([](auto x) { return x * x * x; });
  TFGRAPH_CHECK(cube(2.0) == 8 && tg::grad(cube)(2.0) == 12);
  TFGRAPH_CHECK(tg::grad(tg::grad(cube))(2.0) == 12);
  TFGRAPH_CHECK(tg::jvp(cube)(2.0, 10.0).second == 120);
  TFGRAPH_CHECK(tg::vmap(tg::grad(cube))(tensor<double, 2>{1, 2}) == tensor<double, 2>{3, 12});
  constexpr auto scaled_by = tg::checkpoint([](auto x, auto n) { return x * tg::astype<double>(n); });
  TFGRAPH_CHECK(tg::grad(scaled_by)(2.0, 3) == 3);  // an argument without a derivative
}
TFGRAPH_BOTH(checkpoints);

}  // namespace
