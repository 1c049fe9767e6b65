// An axis that is named twice.
// SPDX-License-Identifier: BSL-1.0
// expect: permute_dims: axis 1 is given twice
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr tg::index first = 0;
#else
constexpr tg::index first = 1;
#endif
constexpr auto f = tg::function([](auto x) { return tg::permute_dims(x, tg::axis<first, 1>); });
auto call(const tg::tensor<float, 2, 3>& x) { return f(x); }
