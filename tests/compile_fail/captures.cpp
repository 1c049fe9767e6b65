// A closure with captures: the compiler cannot see their values.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: the callable of tg::function has run-time state
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
auto call(float factor) {
#ifdef CONTROL
  return tg::function([](auto x, auto f) { return x * f; })(1.0f, factor);
#else
  return tg::function([factor](auto x) { return x * factor; })(1.0f);
#endif
}
