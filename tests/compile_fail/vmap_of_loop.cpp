// vmap does not go through loops.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: vmap does not go through loops and branches
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr auto f = [](auto x) { return x * x; };
#else
constexpr auto f = [](auto x) { return tg::fori(10, [&](auto i, auto y) { return y * x + i; }, x); };
#endif
auto call(const tg::tensor<double, 3>& x) { return tg::vmap(f)(x); }
