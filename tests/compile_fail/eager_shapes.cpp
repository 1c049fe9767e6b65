// Without a trace, too: tensors that do not broadcast together.
// SPDX-License-Identifier: BSL-1.0
// expect: mul: the shapes \(2, 3, 4\) and \(4, 3, 2\) do not broadcast together
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using other = tg::tensor<float, 1, 3, 1>;
#else
using other = tg::tensor<float, 4, 3, 2>;
#endif
auto call(const tg::tensor<float, 2, 3, 4>& x, const other& y) { return x * y; }
