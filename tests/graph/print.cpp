// Graphs as text and as pictures, exactly; nodes in regions.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

namespace {

namespace tg = tfgraph;
namespace ops = tfgraph::ops;

TEST_CASE("a whole picture") {
  tg::graph g;
  const tg::spec type{tg::dtype::float32, {2}};
  const auto x = g.add_input(ops::id<ops::input>, type);
  const auto two = tg::detail::record_full(g, {tg::dtype::float32, {}}, tg::detail::to_bits(2.0f));
  const auto product = g.add(ops::id<ops::mul>, type, {x, two});
  const auto total = g.add(ops::id<ops::sum>, {tg::dtype::float32, {}}, {product}, {0, 0});
  g.output_list.push_back(total);
  g.output_list.push_back(x);
  CHECK(tg::to_dot(g.view()) ==
        "digraph tfgraph {\n"
        "  node [shape=box, fontname=\"sans-serif\"];\n"
        "  n0 [label=\"input\\nfloat32 (2)\", style=filled, fillcolor=\"#cde4ff\"];\n"
        "  n1 [label=\"full 2\\nfloat32 ()\", style=filled, fillcolor=\"#eeeeee\"];\n"
        "  n2 [label=\"mul\\nfloat32 (2)\"];\n"
        "  n0 -> n2;\n"
        "  n1 -> n2;\n"
        "  n3 [label=\"sum [0, 0]\\nfloat32 ()\"];\n"
        "  n2 -> n3;\n"
        "  out0 [label=\"output 0\", shape=ellipse];\n"
        "  n3 -> out0;\n"
        "  out1 [label=\"output 1\", shape=ellipse];\n"
        "  n0 -> out1;\n"
        "}\n");
}

TEST_CASE("nothing") {
  CHECK(tg::to_string(tg::graph().view()) == "return\n");
  CHECK(tg::to_dot(tg::graph().view()) ==
        "digraph tfgraph {\n  node [shape=box, fontname=\"sans-serif\"];\n}\n");
}

// A loop that negates x three times, with a second variable that nothing needs.
constexpr tg::graph graph_with_region() {
  tg::graph g;
  const tg::spec type{tg::dtype::int32, {3}};
  const tg::spec scalar{tg::dtype::int64, {}};
  const auto x = g.add_input(ops::id<ops::input>, type);
  const auto turns = g.add(ops::id<ops::full>, scalar, {}, {3});
  g.current = g.add_region();
  const auto p = g.add(ops::id<ops::parameter>, type, {x}, {0});
  const auto q = g.add(ops::id<ops::parameter>, type, {x}, {0});
  const auto negative = g.add(ops::id<ops::neg>, type, {p});
  const auto sum = g.add(ops::id<ops::add>, type, {q, negative});
  const tg::node_id inputs[] = {p, q};
  const tg::node_id outputs[] = {negative, sum};
  g.end_region(inputs, outputs);
  const auto loop = g.add(ops::id<ops::loop>, {tg::dtype::boolean, {}}, {turns}, {1, 0});
  const auto result = g.add(ops::id<ops::result>, type, {loop, p}, {0});
  g.output_list.push_back(result);
  return g;
}

constexpr void regions() {
  const tg::graph g = graph_with_region();
  TFGRAPH_CHECK(tg::verify(g.view()).empty());
  const tg::graph live = tg::optimize::remove_dead(g.view());
  TFGRAPH_CHECK(tg::verify(live.view()).empty());
  TFGRAPH_CHECK(live.size() == 6 && live.view().count("neg") == 1 && live.view().count("add") == 0);
  TFGRAPH_CHECK(live.regions.size() == 2 && live.regions[1].input_count == 1);
  TFGRAPH_CHECK(live.region_values.size() == 2);
  TFGRAPH_CHECK(live[live.region_values[0]].region == 1 && live[live.region_values[1]].region == 1);
  TFGRAPH_CHECK(live[0].region == 0 && live.input_list.size() == 1);
}
TFGRAPH_BOTH(regions);

TEST_CASE("nodes of regions are printed") {
  CHECK(tg::to_string(tg::optimize::remove_dead(graph_with_region().view()).view()) ==
        "%0 = input : int32 (3)\n"
        "%1 = full 3 : int64 ()\n"
        "  %2 = parameter %0 state : int32 (3)\n"
        "  %3 = neg %2 : int32 (3)\n"
        "%4 = loop %1 times {%3} : bool ()\n"
        "%5 = result %4, %2 [0] : int32 (3)\n"
        "return %5\n");
}

constexpr void types_are_listed_once() {
  tg::graph g;
  const tg::spec a{tg::dtype::float32, {2, 3}};
  const tg::spec b{tg::dtype::float32, {3, 2}};
  const tg::spec c{tg::dtype::float64, {2, 3}};
  TFGRAPH_CHECK(g.intern(a) == 0 && g.intern(b) == 1 && g.intern(c) == 2);
  TFGRAPH_CHECK(g.intern(b) == 1 && g.intern(a) == 0 && g.types.size() == 3);
}
TFGRAPH_BOTH(types_are_listed_once);

constexpr void evaluation_of_small_graphs() {
  // sum over both axes of (x - y) * x, and a slice backwards, against plain loops.
  tg::graph g;
  const tg::spec matrix{tg::dtype::int64, {3, 4}};
  const auto x = g.add_input(ops::id<ops::input>, matrix);
  const auto y = g.add_input(ops::id<ops::input>, {tg::dtype::int64, {4}});
  const auto difference = g.add(ops::id<ops::sub>, matrix, {x, y});
  const auto product = g.add(ops::id<ops::mul>, matrix, {difference, x});
  g.output_list.push_back(g.add(ops::id<ops::sum>, {tg::dtype::int64, {}}, {product}, {0}));
  g.output_list.push_back(
      g.add(ops::id<ops::max>, {tg::dtype::int64, {3, 1}}, {difference}, {1, 1}));
  TFGRAPH_CHECK(tg::verify(g.view()).empty());

  std::vector<tg::value> in{{matrix, {}}, {{tg::dtype::int64, {4}}, {}}};
  std::int64_t a[3][4] = {};
  std::int64_t b[4] = {};
  for (int j = 0; j < 4; ++j) {
    b[j] = 5 - 3 * j;
    in[1].elements.push_back(tg::detail::to_bits(b[j]));
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      a[i][j] = (7 * i + 5 * j) % 11 - 4;
      in[0].elements.push_back(tg::detail::to_bits(a[i][j]));
    }
  const std::vector<tg::value> out = tg::evaluate(g.view(), in);
  std::int64_t total = 0;
  for (int i = 0; i < 3; ++i) {
    std::int64_t largest = a[i][0] - b[0];
    for (int j = 0; j < 4; ++j) {
      total += (a[i][j] - b[j]) * a[i][j];
      largest = a[i][j] - b[j] > largest ? a[i][j] - b[j] : largest;
    }
    const auto row = static_cast<std::size_t>(i);
    TFGRAPH_CHECK(tg::detail::from_bits<std::int64_t>(out[1].elements[row]) == largest);
  }
  TFGRAPH_CHECK(tg::detail::from_bits<std::int64_t>(out[0].elements[0]) == total);
  TFGRAPH_CHECK(out[0].elements.size() == 1 && out[1].elements.size() == 3);
}
TFGRAPH_BOTH(evaluation_of_small_graphs);

}  // namespace
