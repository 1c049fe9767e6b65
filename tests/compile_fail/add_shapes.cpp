// Shapes that do not broadcast together.
// SPDX-License-Identifier: BSL-1.0
// expect: add: the shapes \(2, 3\) and \(4\) do not broadcast together
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using row = tg::tensor<float, 3>;
#else
using row = tg::tensor<float, 4>;
#endif
constexpr auto f = tg::function([](auto x, auto y) { return x + y; });
auto call(const tg::tensor<float, 2, 3>& x, const row& y) { return f(x, y); }
