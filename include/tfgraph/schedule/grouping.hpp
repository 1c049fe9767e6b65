// Which nodes form a kernel together, and which of them exist in memory.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/schedule/program.hpp>

namespace tfgraph::schedule::detail {

using tfgraph::detail::at;

/// The kernels of a graph. Each is named by its root: its last node in the graph's order. Kernels run
/// in the order of their roots; a node's kernel is never later than a kernel that uses the node.
struct grouping {
  const graph_view& g;
  std::vector<node_id> root;   ///< the kernel that computes a node; no_node: none is needed
  std::vector<char> stored;    ///< whether a node exists in memory
  std::vector<int> uses;       ///< by nodes and outputs
  std::vector<layout> form;    ///< how a node lies in memory, if it is read from there

  constexpr explicit grouping(const graph_view& graph) : g(graph) {
    const std::size_t n = g.nodes.size();
    uses.resize(n, 0);
    for (node_id o : g.operand_list) ++uses[at(o)];
    for (node_id o : g.outputs()) ++uses[at(o)];
    copied_.resize(n, 0);
    std::vector<char> alone(n, 0);  // reductions that cannot take their operand in
    do {
      find_forms();
      group(alone);
    } while (separate_uneven(alone));
  }

  [[nodiscard]] constexpr operation_kind kind(node_id id) const { return g[id].op->kind; }
  [[nodiscard]] constexpr bool is_position(node_id id) const { return g[id].op->identity == nullptr; }

  /// What lies, in the same order of elements, under a chain of movements.
  [[nodiscard]] constexpr node_id base(node_id id) const {
    while (kind(id) == operation_kind::movement && stored[at(id)] == 0 &&
           form[at(id)].is_contiguous() && form[at(id)].offset == 0 &&
           g.type(id).shape.size() == g.type(g.operand(id, 0)).shape.size())
      id = g.operand(id, 0);
    return id;
  }

  constexpr void reduced_axes_of(node_id id, bool (&reduced)[max_rank]) const {
    const int rank = g.type(g.operand(id, 0)).shape.rank;
    const auto attributes = g.attributes(id);
    for (int i = 0; i < rank; ++i) reduced[i] = attributes.size() <= 1;
    for (std::size_t i = 1; i < attributes.size(); ++i)
      reduced[attributes[i] < 0 ? attributes[i] + rank : attributes[i]] = true;
  }

 private:
  std::vector<char> copied_;  // movements that must exist in memory

  constexpr void find_forms() {
    form.resize(g.nodes.size());
    for (node_id id = 0; id < g.size(); ++id) {
      layout& l = form[at(id)];
      l = layout::contiguous(g.type(id).shape);
      if (kind(id) != operation_kind::movement || copied_[at(id)] != 0) continue;
      l = g[id].op->view(form[at(g.operand(id, 0))], l.shape, g.attributes(id));
      if (l.valid) continue;
      copied_[at(id)] = 1;
      l = layout::contiguous(g.type(id).shape);
    }
  }

  // Visits the nodes from last to first, so the users of a node have their kernels already.
  constexpr void group(const std::vector<char>& alone) {
    const std::size_t n = g.nodes.size();
    const node_id never = g.size();
    root.assign(n, no_node);
    stored.assign(n, 0);
    std::vector<node_id> fuse(n, never);  // the first kernel that can take the node in
    std::vector<char> divided(n, 0);      // whether others could, too
    std::vector<node_id> load(n, never);  // the first kernel that reads it from memory
    std::vector<char> output(n, 0);
    std::vector<char> has_product(n, 0);
    for (node_id o : g.outputs()) output[at(o)] = 1;

    for (node_id id = g.size() - 1; id >= 0; --id) {
      const std::size_t i = at(id);
      if (g[id].operand_count == 0 || uses[i] == 0) continue;
      if (kind(id) == operation_kind::movement && copied_[i] == 0) {
        // Who reads a layout reads what is under it.
        const node_id under = g.operand(id, 0);
        const node_id first = fuse[i] < load[i] ? fuse[i] : load[i];
        if (first < load[at(under)]) load[at(under)] = first;
        output[at(under)] |= output[i];  // it stays alive to the end
        continue;
      }
      root[i] = id;
      const bool shared = output[i] != 0 || load[i] != never || divided[i] != 0;
      if (kind(id) == operation_kind::elementwise && fuse[i] < load[i]) root[i] = fuse[i];
      if (kind(id) == operation_kind::contraction && !shared && fuse[i] != never &&
          kind(fuse[i]) == operation_kind::elementwise && has_product[at(fuse[i])] == 0) {
        root[i] = fuse[i];
        has_product[at(fuse[i])] = 1;
      }
      stored[i] = shared || root[i] == id;
      for (node_id o : g.operands(id)) {
        const operation_kind k = kind(o);
        const bool fusable =
            kind(id) == operation_kind::elementwise
                ? (k == operation_kind::elementwise || k == operation_kind::contraction) &&
                      g.type(o).shape == g.type(id).shape
                : kind(id) == operation_kind::reduction && !is_position(id) && alone[i] == 0 &&
                      k == operation_kind::elementwise;
        if (!fusable) {
          if (root[i] < load[at(o)]) load[at(o)] = root[i];
        } else {
          node_id& f = fuse[at(o)];
          if (f != never && f != root[i]) divided[at(o)] = 1;
          if (root[i] < f) f = root[i];
        }
      }
    }
  }

  // A reduction walks its innermost run as one loop. Where an operand of what it took in does not
  // lie evenly along the run, the reduction must read its operand from memory instead; where its own
  // operand is a layout that does not, that must be copied. Says whether anything had to change.
  constexpr bool separate_uneven(std::vector<char>& alone) {
    bool changed = false;
    for (node_id id = 0; id < g.size(); ++id) {
      const node_id r = root[at(id)];
      if (r == no_node || kind(r) != operation_kind::reduction || is_position(r)) continue;
      bool reduced[max_rank] = {};
      reduced_axes_of(r, reduced);
      for (node_id o : g.operands(id)) {
        if (root[at(o)] == r || even_along_run(o, g.type(g.operand(r, 0)).shape, reduced)) continue;
        (id == r ? copied_[at(o)] : alone[at(r)]) = 1;
        changed = true;
      }
    }
    return changed;
  }

  constexpr bool even_along_run(node_id o, const extents& domain,
                                const bool (&reduced)[max_rank]) const {
    const layout l = form[at(o)].broadcast_to(domain);
    index expected = -1;
    for (int i = domain.rank - 1; i >= 0; --i) {
      if (domain[i] == 1) continue;
      if (!reduced[i]) break;
      if (expected != -1 && l.stride[i] != expected) return false;
      expected = l.stride[i] * domain[i];
    }
    return true;
  }
};

}  // namespace tfgraph::schedule::detail
