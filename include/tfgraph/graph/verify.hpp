// The verifier: what must hold of every graph, checked between passes by the tests.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/control.hpp>

#include <vector>

namespace tfgraph {
namespace detail {

/// What is wrong with what the regions of a loop or branch take and give.
[[nodiscard]] constexpr std::string_view objection_to_regions(const graph_view& g, node_id id) {
  const index first = g.attributes(id).size() == 2 ? g.attributes(id)[0] : 0;
  if (first < 1 || first + region_count(g, id) > static_cast<index>(g.regions.size()))
    return "its regions do not exist";
  for (int k = 0; k < region_count(g, id); ++k) {
    const std::int32_t r = region_of(g, id) + k;
    const region& self = g.regions[r];
    if (self.parent != g[id].region) return "its region is not directly in its own";
    if (static_cast<std::size_t>(self.first_value + self.input_count + self.output_count) >
        g.region_values.size())
      return "the inputs and outputs of its region are outside of the list";
    int states = 0;
    for (node_id p : g.region_inputs(r)) {
      if (p < 0 || p >= id || g[p].op->kind != operation_kind::parameter || g[p].region != r)
        return "an input of its region is not a parameter there";
      states += role_of(g, p) == parameter_role::state ? 1 : 0;
    }
    for (node_id o : g.region_outputs(r))
      if (o < 0 || o >= id || !encloses(g, g[o].region, r))
        return "an output of its region has no value there";
    if (g[id].op->kind == operation_kind::loop &&
        self.output_count < states + (is_while(g, id) ? 1 : 0))
      return "its region does not give every state a next value";
    if (self.output_count != g.regions[region_of(g, id)].output_count)
      return "its alternatives do not give equally many values";
  }
  return {};
}

}  // namespace detail

/// What is wrong with a graph, in a sentence; empty if nothing is.
[[nodiscard]] constexpr detail::sentence verify(const graph_view& g) {
  using namespace detail;
  sentence s;
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
    for (node_id o : g.operands(id)) {
      if (o < 0 || o >= id) return objection(id, "an operand does not stand before its user");
      if (n.op->kind != operation_kind::result && !encloses(g, g[o].region, n.region))
        return objection(id, "an operand belongs to a region that is not around its user");
    }
    if (n.op->kind == operation_kind::input) {
      ++inputs;
      if (n.region != 0) return objection(id, "an input belongs to a region of the graph");
      continue;
    }
    if (n.op->kind == operation_kind::loop || n.op->kind == operation_kind::branch) {
      if (const auto what = objection_to_regions(g, id); !what.empty()) return objection(id, what);
      const sentence types = control_objection(g, id, [&](node_id v) { return g.type(v); });
      if (!types.empty()) return objection(id, types.view());
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
