// A variable of a loop keeps its type and shape; the sentence names it.
// SPDX-License-Identifier: BSL-1.0
// expect: fori: loop variable 1 of .*type float32 \(\) becomes .*float32 \(1\) in the body
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x) {
  return std::get<1>(tg::fori(
      10,
      [](auto i, auto a, auto b) {
#ifdef CONTROL
        return std::tuple(a * i, b + a);
#else
        return std::tuple(a * i, tg::reshape(b, tg::shape<1>{}));
#endif
      },
      x, x));
});
auto call(float x) { return f(x); }
