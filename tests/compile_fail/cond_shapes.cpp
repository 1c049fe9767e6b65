// The alternatives of a branch give the same types.
// SPDX-License-Identifier: BSL-1.0
// expect: cond: result 0 of type .*float32 \(3\) becomes float32 .*\(\) in another alternative
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
#ifdef CONTROL
  return tg::cond(x > 0, [&] { return x; }, [&] { return x * 2; });
#else
  return tg::cond(
      x > 0, [&] { return x; }, [&] { return x * tg::arange<float>(tg::constant_c<3>); });
#endif
});
auto call(float x) { return f(x); }
