// Indices must be integers.
// SPDX-License-Identifier: BSL-1.0
// expect: take and scatter_add: the indices must be integers that int64 can hold
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using integer = int;
#else
using integer = float;
#endif
constexpr auto f = tg::function([](auto x, auto i) { return tg::take(x, i, tg::axis<0>); });
auto call(const tg::tensor<float, 2, 3>& x, const tg::tensor<integer, 2>& i) { return f(x, i); }
