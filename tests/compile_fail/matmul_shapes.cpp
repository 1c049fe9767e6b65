// Matrices whose inner extents differ.
// SPDX-License-Identifier: BSL-1.0
// expect: matmul: the shapes \(2, 3\) and \(4, 5\) do not multiply: 3 is not 4
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using right = tg::tensor<float, 3, 5>;
#else
using right = tg::tensor<float, 4, 5>;
#endif
constexpr auto f = tg::function([](auto x, auto y) { return tg::matmul(x, y); });
auto call(const tg::tensor<float, 2, 3>& x, const right& y) { return f(x, y); }
