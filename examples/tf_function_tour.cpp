// What TensorFlow's introduction to tf.function says of it, in C++, claim by claim. What can be
// known while compiling is a static_assert here.
// SPDX-License-Identifier: BSL-1.0
//
// prints: cube of 2 is the int 8, of 2.0f the float 8
// prints: cube of .10. 20.. is .1000. 8000..
// prints: the original callable: 27
// prints: mul %0, %1 : float32 .2.
// prints: constants are folded, x . .1 . 2. has no add
// prints: unused nodes are pruned: 4 nodes become 3
// prints: common subexpressions are computed once: 4 mul become 3
// prints: a loop of 3 rounds is 3 mul
#include <tfgraph/tfgraph.hpp>

#include <iostream>
#include <type_traits>

namespace tg = tfgraph;

// A function wraps a callable, and is called like it.
constexpr auto cube = tg::function([](auto x) { return tg::pow(x, 3); });

// It is polymorphic: each combination of argument types has a graph of its own.
static_assert(cube(2) == 8);
static_assert(cube(2.0F) == 8.0F);
static_assert(std::is_same_v<decltype(cube(2)), int>);
static_assert(std::is_same_v<decltype(cube(2.0F)), float>);

// The original callable is still there, and runs without a graph.
static_assert(cube.original()(3) == 27);

// A graph is a data structure that can be looked at.
static_assert(cube.graph<float>().count("input") == 1);
static_assert(cube.graph<float>().count("mul") == 2);

// Constants are folded: 1 + 2 becomes 3.
constexpr auto times_three =
    tg::function([](auto x) { return x * (tg::constant(1.0F) + tg::constant(2.0F)); });
static_assert(times_three.graph<float>().count("mul") == 1);
static_assert(times_three.graph<float>().count("add") == 0);
static_assert(times_three(2.0F) == 6.0F);

// Nodes that do not lead to the result are pruned.
constexpr auto half_used = tg::function([](auto x, auto y) {
  [[maybe_unused]] const auto unused = x / y;
  return x + y;
});
static_assert(half_used.traced<float, float>().count("div") == 1);
static_assert(half_used.graph<float, float>().count("div") == 0);

// Common subexpressions are computed once: x * y is written twice here.
constexpr auto product = tg::function([](auto x, auto y) { return (x * y + 2 * x) * (x * y + y); });
static_assert(product.traced<float, float>().count("mul") == 4);
static_assert(product.graph<float, float>().count("mul") == 3);

// A function may call others: they become part of its graph.
constexpr auto cube_plus_one = tg::function([](auto x) { return cube(x) + 1; });
static_assert(cube_plus_one(2) == 9);
static_assert(cube_plus_one.graph<float>().count("mul") == 2);

// Ordinary control flow over ordinary values is not in the graph: it makes the graph.
constexpr auto to_the_eighth = tg::function([](auto x) {
  for (int i = 0; i < 3; ++i) x = x * x;
  return x;
});
static_assert(to_the_eighth(2) == 256);

int main() {
  const tg::tensor<float, 2> column{10, 20};
  using vector = tg::tensor<float, 2>;

  std::cout << "cube of 2 is the int " << cube(2) << ", of 2.0f the float " << cube(2.0F) << '\n'
            << "cube of " << column << " is " << cube(column) << '\n'
            << "the original callable: " << cube.original()(3) << "\n\n"
            << "the graph of cube for two floats:\n"
            << tg::to_string(cube.graph<vector>()) << '\n';

  std::cout << "constants are folded, x * (1 + 2) has no add:\n"
            << tg::to_string(times_three.graph<vector>()) << '\n';

  std::cout << "unused nodes are pruned: " << half_used.traced<float, float>().size()
            << " nodes become " << half_used.graph<float, float>().size() << '\n'
            << "common subexpressions are computed once: "
            << product.traced<float, float>().count("mul") << " mul become "
            << product.graph<float, float>().count("mul") << '\n'
            << "a loop of 3 rounds is " << to_the_eighth.graph<float>().count("mul") << " mul\n";
}
