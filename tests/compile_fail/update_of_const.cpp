// A function that assigns to variables needs a model that may change.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: the function assigns to a variable of a model that is const in this call
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
struct model {
  tg::variable<float, 2> w;
};
constexpr auto step = tg::function([](auto& m, auto x) { m.w.assign_sub(x); });
#ifdef CONTROL
void call(model& m, const tg::tensor<float, 2>& x) { step(m, x); }
#else
void call(const model& m, const tg::tensor<float, 2>& x) { static_cast<void>(step(m, x)); }
#endif
