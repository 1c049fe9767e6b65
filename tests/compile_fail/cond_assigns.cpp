// An alternative gives its result back; it does not assign to handles from outside.
// SPDX-License-Identifier: BSL-1.0
// expect: cond: an alternative assigned to a traced value from outside of it
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
  auto y = x;
  const auto z = tg::cond(
      x > 0,
      [&] {
#ifndef CONTROL
        y = x + 1;
#endif
        return x;
      },
      [&] { return -x; });
  return z + y;
});
auto call(float x) { return f(x); }
