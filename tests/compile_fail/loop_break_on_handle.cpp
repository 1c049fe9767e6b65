// `if` on a traced value in the body of a loop, as for `if (...) break`.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a traced value has no value yet
// expect: where\(condition, yes, no\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  return tg::while_loop([](auto y) { return y < 100; }, [](auto y) { return y * 2; }, x);
#else
  for (auto i : tg::range(10, x)) {
    x = x * 2 + i;
    if (x > 100) break;
  }
  return x;
#endif
});
auto call(float x) { return f(x); }
