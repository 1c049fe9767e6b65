// `if` on a value that does not exist yet.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a traced value has no value yet
// expect: where\(condition, yes, no\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  return tg::where(x > 0, x, -x);
#else
  if (x > 0) return x;
  return -x;
#endif
});
auto call(float x) { return f(x); }
