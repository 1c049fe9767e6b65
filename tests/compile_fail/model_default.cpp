// A model that can be made only from values.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a model must be default-constructible
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
struct scale {
  tg::variable<float, 3> factor;
#ifndef CONTROL
  const tg::variable<float, 3>& other;
#endif
  constexpr auto operator()(const auto& x) const { return x * factor; }
};
tg::variable<float, 3> stored;
#ifdef CONTROL
auto f = tg::function(scale{stored});
#else
auto f = tg::function(scale{stored, stored});
#endif
auto call(const tg::tensor<float, 3>& x) { return f(x); }
