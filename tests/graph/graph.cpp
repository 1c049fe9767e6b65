// The graph as a data structure, as text and as a picture; layouts; evaluation.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace {

namespace tg = tfgraph;
namespace ops = tfgraph::ops;
using tg::extents;
using tg::layout;
using tg::tensor;

// ---- construction -------------------------------------------------------------------------------

constexpr void nodes_and_types() {
  tg::graph g;
  const tg::spec type{tg::dtype::float32, {2, 3}};
  const tg::node_id x = g.add_input(ops::id<ops::input>, type);
  const tg::node_id y = g.add(ops::id<ops::neg>, type, {x});
  const tg::node_id z = g.add(ops::id<ops::sum>, {tg::dtype::float32, {3}}, {y}, {0, 0});
  g.output_list.push_back(z);
  TFGRAPH_CHECK(g.size() == 3 && g.types.size() == 2);  // each type once
  TFGRAPH_CHECK(g.operand(z, 0) == y && g.attribute(z, 1) == 0 && g[y].operand_count == 1);
  const tg::graph_view v = g.view();
  TFGRAPH_CHECK(v.count("neg") == 1 && v.count("sum") == 1 && v.count("add") == 0);
  TFGRAPH_CHECK(v.inputs().size() == 1 && v.outputs()[0] == z && v.operands(y)[0] == x);
  TFGRAPH_CHECK(v.type(z).shape == extents{3} && v.attributes(z).size() == 2);
  g.remove_last();
  TFGRAPH_CHECK(g.size() == 2 && g.operand_list.size() == 1 && g.attribute_list.size() == 0);
}
TFGRAPH_BOTH(nodes_and_types);

constexpr void words_of_the_pool() {
  TFGRAPH_CHECK(tg::pool_words({tg::dtype::int8, {9}}) == 2);
  TFGRAPH_CHECK(tg::pool_words({tg::dtype::float64, {2, 3}}) == 6);
  TFGRAPH_CHECK(tg::pool_words({tg::dtype::float32, {0, 3}}) == 0);
  TFGRAPH_CHECK(tg::pool_words({tg::dtype::boolean, {}}) == 1);
  for (tg::dtype t : {tg::dtype::boolean, tg::dtype::int8, tg::dtype::uint16, tg::dtype::float32,
                      tg::dtype::int64}) {
    tg::value v{{t, {11}}, {}};
    for (tg::element_bits i = 0; i < 11; ++i) v.elements.push_back(t == tg::dtype::boolean ? i % 2 : 100 + i);
    tg::graph g;
    const tg::node_id c = tg::detail::record_value(g, v);
    g.output_list.push_back(c);
    TFGRAPH_CHECK(tg::evaluate(g.view(), {})[0].elements == v.elements);
  }
}
TFGRAPH_BOTH(words_of_the_pool);

// ---- text ---------------------------------------------------------------------------------------

constexpr auto f = tg::function([](auto x, auto y) { return tg::sum(x * y + 2, tg::axis<0>); });

TEST_CASE("as text") {
  CHECK(tg::to_string(f.traced<tensor<float, 2, 3>, tensor<float, 3>>()) ==
        "%0 = input : float32 (2, 3)\n"
        "%1 = input : float32 (3)\n"
        "%2 = mul %0, %1 : float32 (2, 3)\n"
        "%3 = full 2 : float32 ()\n"
        "%4 = add %2, %3 : float32 (2, 3)\n"
        "%5 = sum %4 [0, 0] : float32 (3)\n"
        "return %5\n");
  constexpr auto two = tg::function([](auto x) {
    return std::tuple(tg::slice(x, tg::section<1>), tg::full(tg::shape<2>{}, true));
  });
  CHECK(tg::to_string(two.traced<tensor<std::int8_t, 3>>()) ==
        "%0 = input : int8 (3)\n"
        "%1 = slice %0 [1, end, 1] : int8 (2)\n"
        "%2 = full true : bool (2)\n"
        "return %1, %2\n");
}

TEST_CASE("as a picture") {
  const std::string dot = tg::to_dot(f.graph<tensor<float, 2, 3>, tensor<float, 3>>());
  CHECK(dot.starts_with("digraph tfgraph {\n"));
  CHECK(dot.ends_with("}\n"));
  for (const char* part : {"n0 [label=\"input\\nfloat32 (2, 3)\"", "n0 -> n2;", "n1 -> n2;", "mul",
                           "out0 [label=\"output 0\", shape=ellipse]", " -> out0;"})
    CHECK(dot.find(part) != std::string::npos);
}

// ---- layouts ------------------------------------------------------------------------------------

constexpr layout strided(const extents& e, std::initializer_list<tg::index> strides, tg::index offset = 0) {
  layout l{e, {}, offset, true};
  int i = 0;
  for (tg::index s : strides) l.stride[i++] = s;
  return l;
}
// The offsets of the elements in row-major order.
constexpr std::vector<tg::index> offsets(const layout& l) {
  std::vector<tg::index> list;
  tg::detail::cursor c(l);
  for (tg::index i = 0; i < l.shape.size(); ++i, c.next())
    list.push_back(static_cast<tg::index>(c.offset()));
  return list;
}
constexpr bool reshapes(const layout& l, const extents& e) {
  const layout r = l.reshaped(e);
  return r.valid && r.shape == e && offsets(r) == offsets(l);
}

constexpr void reshaped_layouts() {
  const layout plain = layout::contiguous({2, 3, 4});
  TFGRAPH_CHECK(plain.is_contiguous());
  for (const extents& e : {extents{24}, extents{6, 4}, extents{4, 6}, extents{1, 24, 1}, extents{2, 2, 3, 2}})
    TFGRAPH_CHECK(reshapes(plain, e));
  // A transpose: axes of 4 and 6 steps.
  const layout turned = strided({4, 6}, {1, 4});
  TFGRAPH_CHECK(!turned.is_contiguous() && reshapes(turned, {4, 2, 3}) && reshapes(turned, {2, 2, 6}));
  TFGRAPH_CHECK(reshapes(turned, {1, 4, 1, 6, 1}) && reshapes(turned, {4, 6}));
  TFGRAPH_CHECK(!turned.reshaped({24}).valid && !turned.reshaped({8, 3}).valid && !turned.reshaped({6, 4}).valid);
  // Every second column; rows stay apart, columns can be split.
  const layout spaced = strided({3, 4}, {8, 2}, 1);
  TFGRAPH_CHECK(!spaced.is_contiguous() && reshapes(spaced, {3, 2, 2}) && reshapes(spaced, {12}));
  const layout gap = strided({3, 4}, {10, 2});
  TFGRAPH_CHECK(reshapes(gap, {3, 2, 2}) && !gap.reshaped({12}).valid && !gap.reshaped({6, 2}).valid);
  // Backwards, the whole and along one axis.
  TFGRAPH_CHECK(reshapes(strided({3, 4}, {-4, -1}, 11), {12}) && reshapes(strided({3, 4}, {-4, -1}, 11), {2, 6}));
  TFGRAPH_CHECK(!strided({3, 4}, {-4, 1}, 8).reshaped({12}).valid && reshapes(strided({3, 4}, {-4, 1}, 8), {3, 2, 2}));
  // Repeated rows, repeated elements, one element repeated everywhere.
  TFGRAPH_CHECK(!strided({3, 4}, {0, 1}).reshaped({12}).valid && reshapes(strided({3, 4}, {0, 1}), {3, 2, 2}));
  TFGRAPH_CHECK(!strided({3, 4}, {1, 0}).reshaped({12}).valid && reshapes(strided({3, 4}, {0, 0}, 5), {12}));
  // Axes of extent 1 have any stride; nothing has any layout; a number has any rank.
  TFGRAPH_CHECK(reshapes(strided({1, 4, 1}, {77, 2, -5}), {2, 2}) && reshapes(strided({4, 1}, {1, 9}), {4}));
  TFGRAPH_CHECK(strided({0, 4}, {9, 2}).reshaped({2, 0, 3}).valid);
  TFGRAPH_CHECK(reshapes(strided({1, 1}, {3, 5}, 2), {}) && reshapes(layout::contiguous({}), {1, 1, 1}));
}
TFGRAPH_BOTH(reshaped_layouts);

constexpr void broadcast_layouts() {
  const layout row = layout::contiguous({3});
  TFGRAPH_CHECK(offsets(row.broadcast_to({2, 3})) == std::vector<tg::index>({0, 1, 2, 0, 1, 2}));
  const layout column = layout::contiguous({2, 1});
  TFGRAPH_CHECK(offsets(column.broadcast_to({2, 3})) == std::vector<tg::index>({0, 0, 0, 1, 1, 1}));
  TFGRAPH_CHECK(offsets(layout::contiguous({}).broadcast_to({2, 2})) == std::vector<tg::index>({0, 0, 0, 0}));
}
TFGRAPH_BOTH(broadcast_layouts);

// ---- the order of sums --------------------------------------------------------------------------

constexpr void a_balanced_tree() {
  // Strings of digits show how things are combined.
  for (int n = 1; n <= 20; ++n) {
    tg::reduction_order::pairwise<int> sum;
    int total = 0;
    for (int i = 1; i <= n; ++i) {
      sum.push(i, [](int a, int b) { return a + b; });
      total += i;
    }
    TFGRAPH_CHECK(sum.finish([](int a, int b) { return a + b; }) == total);
  }
  // The first comes first: a - b is neither commutative nor associative.
  tg::reduction_order::pairwise<int> d;
  const auto minus = [](int a, int b) { return a - b; };
  for (int i : {100, 10, 7, 3, 1}) d.push(i, minus);
  TFGRAPH_CHECK(d.finish(minus) == (((100 - 10) - (7 - 3)) - 1));
}
TFGRAPH_BOTH(a_balanced_tree);

// ---- evaluation ---------------------------------------------------------------------------------

constexpr void evaluation() {
  tg::graph g;
  const tg::spec type{tg::dtype::int32, {2, 3}};
  const auto x = g.add_input(ops::id<ops::input>, type);
  const auto y = g.add_input(ops::id<ops::input>, {tg::dtype::int32, {3}});
  const auto p = g.add(ops::id<ops::mul>, type, {x, y});
  const auto t = g.add(ops::id<ops::permute_dims>, {tg::dtype::int32, {3, 2}}, {p}, {1, 0});
  const auto s = g.add(ops::id<ops::sum>, {tg::dtype::int32, {2}}, {p}, {0, 1});
  const auto m = g.add(ops::id<ops::matmul>, {tg::dtype::int32, {2, 2}}, {x, t});
  const auto c = g.add(ops::id<ops::concat>, {tg::dtype::int32, {3, 2}}, {m, g.add(ops::id<ops::reshape>, {tg::dtype::int32, {1, 2}}, {s}, {1, 2})}, {0});
  const auto a = g.add(ops::id<ops::argmax>, {tg::dtype::int64, {3}}, {p}, {0, 0});
  for (tg::node_id o : {p, t, s, m, c, a}) g.output_list.push_back(o);
  TFGRAPH_CHECK(tg::verify(g.view()).empty());
  const std::vector<tg::value> inputs{{type, {1, 2, 3, 4, 5, 6}}, {{tg::dtype::int32, {3}}, {1, 10, 100}}};
  const std::vector<tg::value> r = tg::evaluate(g.view(), inputs);
  using bits = std::vector<tg::element_bits>;
  TFGRAPH_CHECK(r[0].elements == bits({1, 20, 300, 4, 50, 600}));
  TFGRAPH_CHECK(r[1].elements == bits({1, 4, 20, 50, 300, 600}));
  TFGRAPH_CHECK(r[2].elements == bits({321, 654}));
  TFGRAPH_CHECK(r[3].elements == bits({941, 1904, 1904, 3866}));
  TFGRAPH_CHECK(r[4].elements == bits({941, 1904, 1904, 3866, 321, 654}));
  TFGRAPH_CHECK(r[5].elements == bits({1, 1, 1}));
}
TFGRAPH_BOTH(evaluation);

}  // namespace
