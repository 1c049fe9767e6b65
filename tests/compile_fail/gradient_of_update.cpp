// What assigns to variables is not differentiated.
// SPDX-License-Identifier: BSL-1.0
// expect: grad: the function assigns to variables
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
struct model {
  tg::variable<float, 2> w;
};
constexpr auto f = [](auto& m, auto x) {
#ifndef CONTROL
  m.w.assign(x);
#endif
  return tg::sum(m.w * x);
};
auto call(model& m, const tg::tensor<float, 2>& x) { return tg::grad(f, tg::wrt<1>)(m, x); }
