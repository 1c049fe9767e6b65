// Floating point with integers, which astype must bring together.
// SPDX-License-Identifier: BSL-1.0
// expect: add: the element types float32 and int32 do not mix; convert one with astype
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x, auto y) {
#ifdef CONTROL
  return x + tg::astype<float>(y);
#else
  return x + y;
#endif
});
auto call(const tg::tensor<float, 3>& x, const tg::tensor<int, 3>& y) { return f(x, y); }
