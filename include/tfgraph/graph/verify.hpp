// The verifier: what must hold of every graph, checked between passes by the tests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/graph.hpp>

#include <vector>

namespace tfgraph {

/// What is wrong with a graph, in a sentence; empty if nothing is.
[[nodiscard]] constexpr detail::sentence verify(const graph_view& g) {
  detail::sentence s;
  const auto objection = [&](node_id id, std::string_view what) {
    s << "node %" << id << ": " << what;
    return s;
  };
  if (g.regions.empty()) return "there is no region 0, the graph itself";
  int inputs = 0;
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    // (A null pointer ends a constant expression by itself, and with -fsanitize=undefined g++ does
    // not compare addresses in one.)
    if (!std::is_constant_evaluated() && n.op == nullptr)
      return objection(id, "it has no operator");
    if (n.type < 0 || static_cast<std::size_t>(n.type) >= g.types.size())
      return objection(id, "its type is outside of the list");
    if (n.first_operand < 0 || n.operand_count < 0 ||
        static_cast<std::size_t>(n.first_operand) + static_cast<std::size_t>(n.operand_count) >
            g.operand_list.size())
      return objection(id, "its operands are outside of the list");
    if (n.first_attribute < 0 || n.attribute_count < 0 ||
        static_cast<std::size_t>(n.first_attribute) + static_cast<std::size_t>(n.attribute_count) >
            g.attribute_list.size())
      return objection(id, "its attributes are outside of the list");
    if (n.region < 0 || static_cast<std::size_t>(n.region) >= g.regions.size())
      return objection(id, "its region does not exist");
    if (n.op->arity >= 0 && n.operand_count != n.op->arity)
      return objection(id, "the number of operands is not the operator's arity");
    for (node_id o : g.operands(id))
      if (o < 0 || o >= id) return objection(id, "an operand does not stand before its user");
    if (n.op->kind == operation_kind::input) {
      if (n.region == 0) ++inputs;
      continue;
    }
    if (n.op->kind == operation_kind::constant) {
      const index first = n.attribute_count == 1 ? g.attributes(id)[0] : -1;
      if (first < 0 || static_cast<std::size_t>(first) + pool_words(g.type(id)) > g.pool.size())
        return objection(id, "its content is outside of the pool");
      continue;
    }
    if (n.op->kind == operation_kind::generator) continue;
    std::vector<spec> operands;
    for (node_id o : g.operands(id)) operands.push_back(g.type(o));
    const inference r = n.op->infer(operands, g.attributes(id));
    if (!r.objection.empty()) return objection(id, r.objection.view());
    if (!(r.result == g.type(id)))
      return objection(id, "its type is not what its operator's rule says");
  }
  if (inputs != static_cast<int>(g.inputs().size()))
    return "the list of inputs does not hold all input nodes";
  for (node_id i : g.inputs())
    if (i < 0 || i >= g.size() || g[i].op->kind != operation_kind::input)
      return "the list of inputs holds a node that is not an input";
  for (node_id o : g.outputs())
    if (o < 0 || o >= g.size()) return "an output does not exist";
  return s;
}

}  // namespace tfgraph
