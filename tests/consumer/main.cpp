// A user's program, the first example of the README.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;

constexpr auto cube = tg::function([](auto x) { return tg::pow(x, 3); });
static_assert(cube(2) == 8);

int main() {
  const tg::tensor<float, 2> a = cube(tg::tensor<float, 2>{10, 20});
  return a == tg::tensor<float, 2>{1000, 8000} ? 0 : 1;
}
