// What no traced value has a part in is not seen by a captured loop, unless it is named.
// SPDX-License-Identifier: BSL-1.0
// expect: name the handle in the loop: range\(n, x, it\)|name .*the handle in the loop
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
  auto sum = tg::zeros<float>(tg::shape<>{});
#ifdef CONTROL
  for (auto i : tg::range(10, x, sum)) sum = sum * 0.5f + x * i;
#else
  for (auto i : tg::range(10, x)) sum = sum * 0.5f + x * i;
#endif
  return sum;
});
auto call(float x) { return f(x); }
