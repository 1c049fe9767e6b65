// The number of turns is an integer of rank 0.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: range: the number of turns must be an integer of rank 0
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x, auto n) {
  for (auto i : tg::range(n)) x = x + i;
  return x;
});
#ifdef CONTROL
auto call(float x) { return f(x, 3); }
#else
auto call(float x) { return f(x, 3.0f); }
#endif
