// The verifier says every one of its sentences about a graph that deserves it.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/graph/verify.hpp>
#include <tfgraph/tfgraph.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

namespace tg = tfgraph;
namespace ops = tfgraph::ops;

const tg::spec vector{tg::dtype::float32, {3}};

// input, input, a constant, a sum of the inputs.
tg::graph small_graph() {
  tg::graph g;
  const auto x = g.add_input(ops::id<ops::input>, vector);
  const auto y = g.add_input(ops::id<ops::input>, vector);
  tg::detail::record_value(g, {vector, {1, 2, 3}});
  g.output_list.push_back(g.add(ops::id<ops::add>, vector, {x, y}));
  return g;
}
constexpr std::size_t sum = 3;
constexpr std::size_t constant = 2;

template <class Damage>
std::string verdict(Damage damage) {
  tg::graph g = small_graph();
  damage(g);
  return std::string(tg::verify(g.view()).view());
}

TEST_CASE("nothing is wrong") {
  CHECK(verdict([](tg::graph&) {}) == "");
  CHECK(std::string(tg::verify(tg::graph().view()).view()) == "");
}

TEST_CASE("a node refers to what is not there") {
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].op = nullptr; }) == "node %3: it has no operator");
  for (int type : {-1, 100})
    CHECK(verdict([&](tg::graph& g) { g.nodes[sum].type = type; }) ==
          "node %3: its type is outside of the list");
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].first_operand = -1; }) ==
        "node %3: its operands are outside of the list");
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].operand_count = 5; }) ==
        "node %3: its operands are outside of the list");
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].attribute_count = 5; }) ==
        "node %3: its attributes are outside of the list");
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].region = 1; }) ==
        "node %3: its region does not exist");
  CHECK(verdict([](tg::graph& g) { g.attribute_list[0] = 7; }) ==
        "node %2: its content is outside of the pool");
  CHECK(verdict([](tg::graph& g) { g.nodes[constant].attribute_count = 0; }) ==
        "node %2: its content is outside of the pool");
}

TEST_CASE("operands") {
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].operand_count = 1; }) ==
        "node %3: the number of operands is not the operator's arity");
  for (int operand : {-1, 3, 4})
    CHECK(verdict([&](tg::graph& g) { g.operand_list[0] = operand; }) ==
          "node %3: an operand does not stand before its user");
}

TEST_CASE("an operator's rule") {
  CHECK(verdict([](tg::graph& g) { g.nodes[1].type = g.intern({tg::dtype::float32, {4}}); }) ==
        "node %3: add: the shapes (3) and (4) do not broadcast together");
  CHECK(verdict([](tg::graph& g) { g.nodes[1].type = g.intern({tg::dtype::int8, {3}}); }) ==
        "node %3: add: the element types float32 and int8 do not mix; convert one with astype");
  CHECK(verdict([](tg::graph& g) { g.nodes[sum].type = g.intern({tg::dtype::float32, {1, 3}}); }) ==
        "node %3: its type is not what its operator's rule says");
}

TEST_CASE("inputs and outputs") {
  CHECK(verdict([](tg::graph& g) { g.input_list.pop_back(); }) ==
        "the list of inputs does not hold all input nodes");
  CHECK(verdict([](tg::graph& g) { g.input_list[1] = 2; }) ==
        "the list of inputs holds a node that is not an input");
  CHECK(verdict([](tg::graph& g) { g.output_list[0] = 4; }) == "an output does not exist");
  CHECK(verdict([](tg::graph& g) { g.output_list[0] = -1; }) == "an output does not exist");
  CHECK(verdict([](tg::graph& g) { g.regions.clear(); }) == "there is no region 0, the graph itself");
}

static_assert(tg::verify(tg::graph().view()).empty());

}  // namespace
