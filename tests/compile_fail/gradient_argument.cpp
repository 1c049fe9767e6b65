// wrt names an argument that is not there.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: wrt names an argument that the function does not have
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr auto which = tg::wrt<0>;
#else
constexpr auto which = tg::wrt<1>;
#endif
constexpr auto f = tg::grad([](auto x) { return tg::sum(x); }, which);
auto call(const tg::tensor<float, 3>& x) { return f(x); }
