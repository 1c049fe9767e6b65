// cond takes one bool; elements are selected by where.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: cond: the condition must be a bool of rank 0
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  return tg::cond(tg::any(x > 0), [&] { return x; }, [&] { return -x; });
#else
  return tg::cond(x > 0, [&] { return x; }, [&] { return -x; });
#endif
});
auto call(const tg::tensor<float, 3>& x) { return f(x); }
