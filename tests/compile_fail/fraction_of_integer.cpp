// A tensor of integers times 2.5.
// SPDX-License-Identifier: BSL-1.0
// expect: mul: the element types int32 and float64 do not mix
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr int factor = 2;
#else
constexpr double factor = 2.5;
#endif
constexpr auto f = tg::function([](auto x) { return x * factor; });
auto call(const tg::tensor<int, 3>& x) { return f(x); }
