// A plain number of turns alone does not tell which trace captures the loop.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: range\(n\) with a plain n does not see what traces the loop
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  for (auto i : tg::range(10, x)) x = x + i;
#else
  for (auto i : tg::range(10)) x = x + i;
#endif
  return x;
});
auto call(float x) { return f(x); }
