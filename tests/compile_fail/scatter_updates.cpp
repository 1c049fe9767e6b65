// The updates of scatter_add have the shape of what take would find.
// SPDX-License-Identifier: BSL-1.0
// expect: scatter_add: the updates must have the shape \(4, 3\), not \(5, 3\)
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
constexpr std::size_t n = 4;
#else
constexpr std::size_t n = 5;
#endif
constexpr auto f =
    tg::function([](auto x, auto i, auto u) { return tg::scatter_add(x, i, u, tg::axis<0>); });
auto call(const tg::tensor<float, 2, 3>& x, const tg::tensor<int, 4>& i,
          const tg::tensor<float, n, 3>& u) {
  return f(x, i, u);
}
