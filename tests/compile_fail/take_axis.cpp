// An axis that the tensor does not have.
// SPDX-License-Identifier: BSL-1.0
// expect: take: axis 2 is out of range for the shape \(2, 3\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr tg::index axis = 1;
#else
constexpr tg::index axis = 2;
#endif
constexpr auto f = tg::function([](auto x, auto i) { return tg::take(x, i, tg::axis<axis>); });
auto call(const tg::tensor<float, 2, 3>& x, const tg::tensor<int, 2>& i) { return f(x, i); }
