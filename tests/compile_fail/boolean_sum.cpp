// Booleans are not added.
// SPDX-License-Identifier: BSL-1.0
// expect: sum: the argument must have a numeric type, not bool
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  return tg::sum(tg::astype<int>(x));
#else
  return tg::sum(x);
#endif
});
auto call(const tg::tensor<bool, 3>& x) { return f(x); }
