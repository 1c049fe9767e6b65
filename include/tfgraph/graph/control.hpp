// Control flow in a graph: what loops and branches, whose bodies are regions, consist of.
//
// A loop has one region. The region's inputs are parameters: states, which each turn takes over from
// the turn before (at first from their operands), rows of tensors, and the number of the turn. Its
// outputs are the condition of a further turn (of a `while`), the next states, in the order of the
// state parameters, and then what is stacked. A branch has a region for each alternative, without
// inputs.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/element.hpp>
#include <tfgraph/graph/graph.hpp>

namespace tfgraph {

/// What a parameter of a loop's region is: its attribute.
enum class parameter_role : index {
  state,  ///< of its operand's type
  row,    ///< its operand without the first axis, at the number of the turn
  turn    ///< 0, 1, ...; its operand is the number of turns
};

/// What says how often a loop runs its region: its second attribute.
enum class turns_by : index {
  number,     ///< the operand is the number of turns
  condition,  ///< goes on while the operand and then the region's first output are true
  rows        ///< one turn for each row of the operand
};

namespace detail {

[[nodiscard]] constexpr parameter_role role_of(const graph_view& g, node_id parameter) {
  return static_cast<parameter_role>(g.attributes(parameter)[0]);
}
/// The region of a loop; the first one of a branch.
[[nodiscard]] constexpr std::int32_t region_of(const graph_view& g, node_id id) {
  return static_cast<std::int32_t>(g.attributes(id)[0]);
}
[[nodiscard]] constexpr int region_count(const graph_view& g, node_id id) {
  return g[id].op->kind == operation_kind::loop ? 1 : static_cast<int>(g.attributes(id)[1]);
}
[[nodiscard]] constexpr turns_by turns_of(const graph_view& g, node_id loop) {
  return static_cast<turns_by>(g.attributes(loop)[1]);
}
[[nodiscard]] constexpr bool is_while(const graph_view& g, node_id loop) {
  return turns_of(g, loop) == turns_by::condition;
}
/// Whether a result is stacked, and not what the last turn left.
[[nodiscard]] constexpr bool is_stacked(const graph_view& g, node_id result) {
  return g[result].operand_count == 3;
}

/// Whether one region is the other or around it.
template <class Graph>
[[nodiscard]] constexpr bool encloses(const Graph& g, std::int32_t outer, std::int32_t inner) {
  while (inner != outer && inner != 0) inner = g.regions[inner].parent;
  return inner == outer;
}

/// An element as a number of turns or of an alternative.
[[nodiscard]] constexpr index number_of(dtype t, element_bits bits) {
  return visit_dtype(t, [&]<class T>(T) { return static_cast<index>(from_bits<T>(bits)); });
}
/// The alternative of a branch that a number selects: numbers are brought into range.
[[nodiscard]] constexpr std::int32_t alternative(index number, int count) {
  return number < 0 ? 0 : number >= count ? count - 1 : static_cast<std::int32_t>(number);
}

/// For each region the first node that belongs to it or to a region in it.
[[nodiscard]] constexpr list<node_id> first_nodes(const graph_view& g) {
  list<node_id> first(g.regions.size(), g.size());
  if (g.regions.size() == 1) return first;
  for (node_id id = g.size() - 1; id >= 0; --id)
    for (std::int32_t r = g[id].region; r != 0; r = g.regions[r].parent) first[r] = id;
  return first;
}

/// What is wrong with the types around a loop or branch, given type(node); empty if nothing is.
template <class TypeOf>
[[nodiscard]] constexpr sentence control_objection(const graph_view& g, node_id id, TypeOf type) {
  sentence s;
  const std::int32_t first = region_of(g, id);
  const auto outputs = g.region_outputs(first);
  if (g[id].op->kind == operation_kind::branch) {
    for (int r = 1; r < region_count(g, id); ++r)
      for (std::size_t k = 0; k < outputs.size(); ++k) {
        const spec a = type(outputs[k]);
        const spec b = type(g.region_outputs(first + r)[k]);
        if (!(a == b))
          return s << "cond: the alternatives give " << a.type << " " << a.shape << " and " << b.type
                   << " " << b.shape;
      }
    return s;
  }
  std::size_t next = is_while(g, id) ? 1 : 0;
  index rows = -1;
  for (node_id p : g.region_inputs(first)) {
    if (role_of(g, p) == parameter_role::state) {
      const spec a = type(p);
      const spec b = type(outputs[next++]);
      if (!(a == b))
        return s << "loop: a loop variable of type " << a.type << " " << a.shape << " becomes "
                 << b.type << " " << b.shape << " in the body";
    } else if (role_of(g, p) == parameter_role::row) {
      const index n = type(g.operand(p, 0)).shape[0];
      if (rows >= 0 && n >= 0 && n != rows)
        return s << "scan: there are " << rows << " rows of one tensor and " << n << " of another";
      if (n >= 0) rows = n;
    }
  }
  return s;
}

}  // namespace detail
}  // namespace tfgraph
