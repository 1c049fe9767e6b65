// A user's program: the first example of README.md, which the test docs.example compares.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <iostream>

namespace tg = tfgraph;

constexpr auto cube = tg::function([](auto x) { return tg::pow(x, 3); });
static_assert(cube(2) == 8);  // evaluated inside the compiler

constexpr auto score = tg::function([](auto x, auto y) { return (x * y + 2 * x) * (x * y + y); });

int main() {
  using vector = tg::tensor<float, 2>;

  const vector a = cube(vector{10, 20});    // traced, optimised and emitted by the compiler
  const vector b = score.original()(a, a);  // the callable itself, one operator after the other
  std::cout << a << '\n' << tg::to_string(score.graph<vector, vector>());
  return a == vector{1000, 8000} && b == score(a, a) ? 0 : 1;
}
