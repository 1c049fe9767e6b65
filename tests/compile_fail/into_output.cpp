// An output of another shape than the result.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: into: the output has not the element type and shape of the result
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using out = tg::tensor<float, 2, 3>;
#else
using out = tg::tensor<float, 3, 2>;
#endif
constexpr auto f = tg::function([](auto x) { return -x; });
void call(out& y, const tg::tensor<float, 2, 3>& x) { f.into(y, x); }
