// A batch goes through a branch or a loop as one.
// SPDX-License-Identifier: BSL-1.0
// expect: vmap: a loop or a branch takes another course for each element of the batch
// expect: use where
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr auto f = [](auto x) { return tg::fori(10, [&](auto i, auto y) { return y * x + i; }, x); };
#else
constexpr auto f = [](auto x) { return tg::cond(x > 0, [&] { return x; }, [&] { return -x; }); };
#endif
auto call(const tg::tensor<double, 3>& x) { return tg::vmap(f)(x); }
