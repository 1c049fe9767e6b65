// Broadcasting only makes larger.
// SPDX-License-Identifier: BSL-1.0
// expect: broadcast_to: the shape \(2, 3\) does not broadcast to \(3\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using to = tg::shape<4, 2, 3>;
#else
using to = tg::shape<3>;
#endif
constexpr auto f = tg::function([](auto x) { return tg::broadcast_to(x, to{}); });
auto call(const tg::tensor<float, 2, 3>& x) { return f(x); }
