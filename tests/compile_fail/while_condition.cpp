// The condition of a loop is one bool.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: while_loop: the condition must be a bool of rank 0
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  return tg::while_loop([](auto y) { return tg::any(y < 100); }, [](auto y) { return y * 2; }, x);
#else
  return tg::while_loop([](auto y) { return y < 100; }, [](auto y) { return y * 2; }, x);
#endif
});
auto call(const tg::tensor<float, 3>& x) { return f(x); }
