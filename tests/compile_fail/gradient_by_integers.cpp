// There is no derivative by integers.
// SPDX-License-Identifier: BSL-1.0
// expect: grad: an argument of type int32 has no derivative
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using tensor = tg::tensor<float, 3>;
#else
using tensor = tg::tensor<int, 3>;
#endif
constexpr auto f = tg::grad([](auto x) { return tg::sum(tg::astype<float>(x)); });
auto call(const tensor& x) { return f(x); }
