// A slice that does not move on.
// SPDX-License-Identifier: BSL-1.0
// expect: slice: the step of axis 1 is 0
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr tg::index step = 2;
#else
constexpr tg::index step = 0;
#endif
constexpr auto f =
    tg::function([](auto x) { return tg::slice(x, tg::all, tg::section<0, tg::end, step>); });
auto call(const tg::tensor<float, 2, 3>& x) { return f(x); }
