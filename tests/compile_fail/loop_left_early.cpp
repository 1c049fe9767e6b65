// A captured loop cannot end early: its body is run once, to record it.
// SPDX-License-Identifier: BSL-1.0
// expect: a captured loop was left by break or return
// expect: use while_loop
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
  for (auto i : tg::range(10, x)) {
    x = x + i;
#ifndef CONTROL
    break;
#endif
  }
  return x;
});
auto call(float x) { return f(x); }
