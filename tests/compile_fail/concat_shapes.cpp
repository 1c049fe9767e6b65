// Parts that do not fit side by side.
// SPDX-License-Identifier: BSL-1.0
// expect: concat: float32 \(2, 4\) does not fit to float32 \(2, 3\) along axis 0
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using other = tg::tensor<float, 5, 3>;
#else
using other = tg::tensor<float, 2, 4>;
#endif
constexpr auto f = tg::function([](auto x, auto y) { return tg::concat(tg::axis<0>, x, y); });
auto call(const tg::tensor<float, 2, 3>& x, const other& y) { return f(x, y); }
