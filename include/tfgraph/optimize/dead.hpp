// Removes nodes that no output depends on. Inputs stay: they are the signature.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/optimize/rewrite.hpp>

namespace tfgraph::optimize {

[[nodiscard]] constexpr graph remove_dead(const graph_view& g) {
  tfgraph::detail::list<char> live(g.nodes.size(), 0);
  for (node_id o : g.outputs()) live[o] = 1;
  for (node_id v : g.region_values) live[v] = 1;
  for (node_id id = g.size() - 1; id >= 0; --id)
    if (live[id] != 0)
      for (node_id o : g.operands(id)) live[o] = 1;

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
  return r.finish();
}

}  // namespace tfgraph::optimize
