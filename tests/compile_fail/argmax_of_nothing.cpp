// An axis without elements has no largest one.
// SPDX-License-Identifier: BSL-1.0
// expect: argmax: axis 1 of the shape \(2, 0\) has no elements
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using tensor = tg::tensor<float, 2, 1>;
#else
using tensor = tg::tensor<float, 2, 0>;
#endif
constexpr auto f = tg::function([](auto x) { return tg::argmax(x, tg::axis<1>); });
auto call(const tensor& x) { return f(x); }
