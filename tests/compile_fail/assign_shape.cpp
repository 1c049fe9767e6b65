// A variable keeps its element type and shape.
// SPDX-License-Identifier: BSL-1.0
// expect: variable: assign of float64 \(3\) .*to a variable of float32 \(2\)|variable: assign of .*float64 \(3\) to a variable of float32 \(2\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
struct model {
  tg::variable<float, 2> w;
};
constexpr auto step = tg::function([](auto& m, auto x) { m.w.assign(x); });
#ifdef CONTROL
void call(model& m, const tg::tensor<float, 2>& x) { step(m, x); }
#else
void call(model& m, const tg::tensor<double, 3>& x) { step(m, x); }
#endif
