// A model with a number as member: the compiler cannot see its value.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a data member of a model must be a tg::variable, another model or a static value
// expect: would silently be ignored
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
struct scale {
#ifdef CONTROL
  tg::variable<float, 1> factor;
#else
  float factor;
#endif
  constexpr auto operator()(const auto& x) const { return x * factor; }
};
auto call(float x) { return tg::function(scale{})(x); }
