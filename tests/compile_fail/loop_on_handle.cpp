// `while` on a value that does not exist yet.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a traced value has no value yet
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  for (int i = 0; i < 3; ++i) x = x - 1;
#else
  while (x > 0) x = x - 1;
#endif
  return x;
});
auto call(float x) { return f(x); }
