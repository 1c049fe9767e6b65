// A handle keeps its type and shape.
// SPDX-License-Identifier: BSL-1.0
// expect: a handle of type float32 \(\) .*cannot become float32 \(2\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  for (auto i : tg::range(3, x)) x = x + i;
#else
  for (auto i : tg::range(3, x)) x = tg::broadcast_to(x + i, tg::shape<2>{});
#endif
  return x;
});
auto call(float x) { return f(x); }
