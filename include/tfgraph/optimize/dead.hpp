// Removes nodes that no output depends on, and states of loops. Inputs stay: they are the signature.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/control.hpp>
#include <tfgraph/optimize/rewrite.hpp>

namespace tfgraph::optimize {
namespace detail {

using tfgraph::detail::list;
using tfgraph::detail::role_of;

/// Which nodes are needed: those that an output depends on. What a loop needs are its condition,
/// and the next value of each state that is needed, by its body or as a result.
constexpr list<char> live_nodes(const graph_view& g) {
  list<char> live(g.nodes.size(), 0);
  for (node_id o : g.outputs()) live[o] = 1;
  const auto spread = [&] {
    for (node_id id = g.size() - 1; id >= 0; --id) {
      if (live[id] == 0) continue;
      for (node_id o : g.operands(id)) live[o] = 1;
      const operation_kind kind = g[id].op->kind;
      if (kind == operation_kind::branch)
        for (int k = 0; k < tfgraph::detail::region_count(g, id); ++k)
          for (node_id o : g.region_outputs(tfgraph::detail::region_of(g, id) + k)) live[o] = 1;
      else if (kind == operation_kind::loop && tfgraph::detail::is_while(g, id))
        live[g.region_outputs(tfgraph::detail::region_of(g, id))[0]] = 1;
    }
  };
  spread();
  if (g.regions.size() == 1) return live;
  for (bool again = true; again;) {
    again = false;
    for (node_id id = 0; id < g.size(); ++id) {
      if (live[id] == 0 || g[id].op->kind != operation_kind::loop) continue;
      const std::int32_t r = tfgraph::detail::region_of(g, id);
      std::size_t next = tfgraph::detail::is_while(g, id) ? 1 : 0;
      for (node_id p : g.region_inputs(r)) {
        if (role_of(g, p) != parameter_role::state) continue;
        const node_id o = g.region_outputs(r)[next++];
        if (live[p] == 0 || live[o] != 0) continue;
        live[o] = 1;
        again = true;
      }
    }
    if (again) spread();
  }
  return live;
}

/// The inputs and outputs of the regions again, without states and rows that nothing needs.
constexpr void keep_live_values(const graph_view& g, const list<char>& live,
                                tfgraph::detail::rewriting& r) {
  r.regions_replaced = true;
  for (region& now : r.to.regions) now = {now.parent, 0, 0, 0};
  for (node_id id = 0; id < g.size(); ++id) {
    const operation_kind kind = g[id].op->kind;
    if (live[id] == 0 || (kind != operation_kind::loop && kind != operation_kind::branch)) continue;
    for (int k = 0; k < tfgraph::detail::region_count(g, id); ++k) {
      const std::int32_t number = tfgraph::detail::region_of(g, id) + k;
      const auto inputs = g.region_inputs(number);
      const auto outputs = g.region_outputs(number);
      list<node_id> in, out;
      std::size_t next = 0;
      if (kind == operation_kind::loop && tfgraph::detail::is_while(g, id))
        out.push_back(r[outputs[next++]]);
      for (node_id p : inputs) {
        const bool is_state = role_of(g, p) == parameter_role::state;
        if (live[p] != 0) {
          in.push_back(r[p]);
          if (is_state) out.push_back(r[outputs[next]]);
        }
        if (is_state) ++next;
      }
      for (; next < outputs.size(); ++next)
        if (live[outputs[next]] != 0) out.push_back(r[outputs[next]]);
      region& now = r.to.regions[number];
      now.first_value = static_cast<std::int32_t>(r.to.region_values.size());
      now.input_count = static_cast<std::int32_t>(in.size());
      now.output_count = static_cast<std::int32_t>(out.size());
      r.to.region_values.append(in.data(), in.size());
      r.to.region_values.append(out.data(), out.size());
    }
  }
}

}  // namespace detail

[[nodiscard]] constexpr graph remove_dead(const graph_view& g) {
  const auto live = detail::live_nodes(g);
  tfgraph::detail::rewriting r(g);
  r.to.pool.clear();
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    if (live[id] == 0 && n.op->kind != operation_kind::input) continue;
    const node_id copied = r.copy(id);
    if (n.op->kind != operation_kind::constant) continue;
    // Only the contents of live constants are kept.
    const std::size_t first = static_cast<std::size_t>(g.attributes(id)[0]);
    r.to.attribute_list[r.to[copied].first_attribute] = static_cast<index>(r.to.pool.size());
    for (std::size_t w = 0; w < pool_words(g.type(id)); ++w) r.to.pool.push_back(g.pool[first + w]);
  }
  detail::keep_live_values(g, live, r);
  return r.finish();
}

}  // namespace tfgraph::optimize
