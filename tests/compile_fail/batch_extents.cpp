// All arguments of vmap have the same batch.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: vmap: the batches of the arguments differ in their extents
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using second = tg::tensor<float, 3>;
#else
using second = tg::tensor<float, 4>;
#endif
constexpr auto f = tg::vmap([](auto x, auto y) { return x * y; });
auto call(const tg::tensor<float, 3>& x, const second& y) { return f(x, y); }
