// A captured loop cannot be left by return.
// SPDX-License-Identifier: BSL-1.0
// expect: a captured loop was left by break or return
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
  for (auto i : tg::range(10, x)) {
    x = x + i;
#ifndef CONTROL
    return x;
#endif
  }
  return x;
});
auto call(float x) { return f(x); }
