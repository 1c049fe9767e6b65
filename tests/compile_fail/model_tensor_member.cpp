// A model, inside another, with a tensor as member instead of a variable.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a data member of a model must be a tg::variable, another model or a static value
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
struct shift {
#ifdef CONTROL
  tg::variable<float, 3> by;
#else
  tg::tensor<float, 3> by;
#endif
};
struct network {
  shift first;
  tg::variable<float, 3> scale;
  constexpr auto operator()(const auto& x) const { return (x + first.by) * scale; }
};
auto call(const tg::tensor<float, 3>& x) { return tg::function(network{})(x); }
