// Six elements do not fill a shape of four.
// SPDX-License-Identifier: BSL-1.0
// expect: reshape: the shape \(2, 3\) has 6 elements, the new shape \(2, 2\) does not
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using to = tg::shape<3, 2>;
#else
using to = tg::shape<2, 2>;
#endif
constexpr auto f = tg::function([](auto x) { return tg::reshape(x, to{}); });
auto call(const tg::tensor<float, 2, 3>& x) { return f(x); }
