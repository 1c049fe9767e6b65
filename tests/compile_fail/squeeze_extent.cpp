// Only axes of extent 1 can be dropped.
// SPDX-License-Identifier: BSL-1.0
// expect: squeeze: axis 1 of the shape \(1, 3\) is not 1
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr tg::index axis = 0;
#else
constexpr tg::index axis = 1;
#endif
constexpr auto f = tg::function([](auto x) { return tg::squeeze(x, tg::axis<axis>); });
auto call(const tg::tensor<float, 1, 3>& x) { return f(x); }
