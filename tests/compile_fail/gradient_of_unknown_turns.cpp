// Reverse mode keeps the states of a loop, so the number of its turns must be known.
// SPDX-License-Identifier: BSL-1.0
// expect: a loop whose number of turns is not known when it is compiled
// expect: use a plain number or scan, or jvp
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = [](auto x) {
#ifdef CONTROL
  return tg::fori(10, [&](auto i, auto y) { return y * x + i; }, x);
#else
  return tg::while_loop([](auto y) { return y < 100; }, [&](auto y) { return y * x; }, x);
#endif
};
auto call(double x) { return tg::grad(f)(x); }
