// A gradient is of a scalar.
// SPDX-License-Identifier: BSL-1.0
// expect: grad: the result must be a floating-point scalar, not float32 \(3\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr auto f = tg::grad([](auto x) { return tg::sum(x * x); });
#else
constexpr auto f = tg::grad([](auto x) { return x * x; });
#endif
auto call(const tg::tensor<float, 3>& x) { return f(x); }
