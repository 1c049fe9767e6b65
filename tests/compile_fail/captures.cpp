// What is bound to a callable is seen by the compiler, what it captured is not.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: bind_front takes a callable without captures
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
auto call(float factor) {
#ifdef CONTROL
  return tg::function(tg::bind_front([](auto f, auto x) { return x * f; }, factor))(1.0f);
#else
  return tg::function(tg::bind_front([factor](auto f, auto x) { return x * f * factor; }, factor))(
      1.0f);
#endif
}
