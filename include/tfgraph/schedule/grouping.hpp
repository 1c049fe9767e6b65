// Which nodes form a kernel together, and which of them exist in memory.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/schedule/program.hpp>

namespace tfgraph::schedule {

/// What is decided of a node. A kernel is named by its root, its last node in the graph's order;
/// kernels run in the order of their roots, and a node's kernel is never later than its users'.
struct membership {
  node_id root;       ///< the kernel that computes it; no_node: none is needed
  std::int32_t uses;  ///< by nodes and outputs
  bool stored;        ///< whether it exists in memory
  bool copied;  ///< a movement that is copied instead of being a layout of its operand's memory
};

namespace detail {

using tfgraph::detail::list;

/// How nodes lie in memory, where they are read from there: movements over their operand's memory.
class forms {
 public:
  constexpr forms(const graph_view& g, list<membership>& groups) : g_(g) {
    layout_of_.resize(g.nodes.size(), -1);
    for (node_id id = 0; id < g.size(); ++id) {
      if (g.nodes[id].op->kind != operation_kind::movement || groups[id].copied) continue;
      const layout l =
          g[id].op->view((*this)[g.operand(id, 0)], g.type(id).shape, g.attributes(id));
      if (l.valid) {
        layout_of_[id] = static_cast<int>(layouts_.size());
        layouts_.push_back(l);
      } else {
        groups[id].copied = true;
      }
    }
  }

  [[nodiscard]] constexpr layout operator[](node_id id) const {
    const int l = layout_of_[id];
    return l >= 0 ? layouts_[l] : layout::contiguous(g_.type(id).shape);
  }

 private:
  const graph_view& g_;
  list<int> layout_of_;  // the place in `layouts_` of a movement
  list<layout> layouts_;
};

constexpr void reduced_axes_of(const graph_view& g, node_id id, bool (&reduced)[max_rank]) {
  const int rank = g.type(g.operand(id, 0)).shape.rank;
  const auto attributes = g.attributes(id);
  for (int i = 0; i < rank; ++i) reduced[i] = attributes.size() <= 1;
  for (std::size_t i = 1; i < attributes.size(); ++i)
    reduced[attributes[i] < 0 ? attributes[i] + rank : attributes[i]] = true;
}

constexpr bool is_position(const graph_view& g, node_id id) {
  return g[id].op->kind == operation_kind::reduction && g[id].op->to_position;
}

class grouping {
 public:
  constexpr explicit grouping(const graph_view& graph) : g(graph) {
    groups.resize(g.nodes.size(), membership{no_node, 0, false, false});
    for (node_id o : g.operand_list) ++groups[o].uses;
    for (node_id o : g.outputs()) ++groups[o].uses;
    for (node_id o : g.region_values) ++groups[o].uses;
    alone_.resize(g.nodes.size(), false);
    while (true) {
      const forms form(g, groups);
      group();
      if (!separate_uneven(form)) break;
    }
  }

  const graph_view& g;
  list<membership> groups;

 private:
  // What the users of a node want of it.
  struct demand {
    node_id fuse;      // the first kernel that can take the node in
    node_id load;      // the first kernel that reads it from memory
    bool divided;      // whether several kernels could take it in
    bool output;       // whether it, or a layout of it, is a result
    bool has_product;  // of a root: its kernel has a matrix product already
  };

  [[nodiscard]] constexpr operation_kind kind(node_id id) const { return g.nodes[id].op->kind; }

  // Visits the nodes from last to first, so the users of a node have their kernels already.
  constexpr void group() {
    const node_id never = g.size();
    list<demand> demands(g.nodes.size(), demand{never, never, false, false, false});
    for (node_id o : g.outputs()) demands[o].output = true;
    list<node_id> roots;  // of elementwise kernels

    for (node_id id = g.size() - 1; id >= 0; --id) {
      const node& n = g.nodes[id];
      membership& m = groups[id];
      if (n.operand_count == 0 || m.uses == 0) continue;
      const demand& d = demands[id];
      const operation_kind k = n.op->kind;
      const node_id* operands = g.operand_list.data() + n.first_operand;
      if (is_structural(k)) {
        control(id, demands);
        continue;
      }
      if (k == operation_kind::movement && !m.copied) {
        // Who reads a layout reads what is under it.
        demand& under = demands[operands[0]];
        const node_id first = d.fuse < d.load ? d.fuse : d.load;
        if (first < under.load) under.load = first;
        under.output = under.output || d.output;  // it stays alive to the end
        continue;
      }
      node_id root = id;
      const bool shared = d.output || d.load != never || d.divided;
      if (k == operation_kind::elementwise) {
        if (d.fuse < d.load) root = d.fuse;
        else root = sibling(id, d.load, demands, roots);
      } else if (k == operation_kind::contraction && !shared && d.fuse != never &&
                 kind(d.fuse) == operation_kind::elementwise && !demands[d.fuse].has_product) {
        root = d.fuse;
        demands[root].has_product = true;
      }
      m.root = root;
      m.stored = shared || root == id || d.fuse == never;
      const bool reduces = k == operation_kind::reduction && !n.op->to_position && !alone_[id];
      for (std::int32_t i = 0; i < n.operand_count; ++i) {
        demand& o = demands[operands[i]];
        if (k == operation_kind::elementwise
                ? joins_elementwise(operands[i], n)
                : reduces && kind(operands[i]) == operation_kind::elementwise &&
                      g.nodes[operands[i]].region == n.region) {
          if (o.fuse != never && o.fuse != root) o.divided = true;
          if (root < o.fuse) o.fuse = root;
        } else if (root < o.load) {
          o.load = root;
        }
      }
    }
  }

  // Nodes over the same indices that have an operand in common share a kernel, which loads it once; in
  // the body of a loop all do, so that its variables can stay in registers. This is the kernel among
  // `roots` that a node can join, if it has to be there before kernel `first`; or itself.
  constexpr node_id sibling(node_id id, node_id first, const list<demand>& demands,
                            list<node_id>& roots) const {
    const node& n = g.nodes[id];
    for (node_id r : roots) {
      if (r >= first || g.nodes[r].region != n.region ||
          !(g.types[g.nodes[r].type].shape == g.types[n.type].shape))
        continue;
      bool common = n.region != 0;
      for (std::int32_t k = 0; k < n.operand_count; ++k) {
        const demand& o = demands[g.operand(id, k)];
        common = common || o.fuse == r || o.load == r;
      }
      if (common) return r;
    }
    roots.push_back(id);
    return id;
  }

  // What a loop or branch reads itself, and what its regions give, must be in memory; the rows of a
  // result, and what the alternatives of a branch give, come together there.
  constexpr void control(node_id id, list<demand>& demands) {
    const auto needs = [&](node_id o) {
      if (id < demands[o].load) demands[o].load = id;
      demands[o].output = true;
    };
    switch (kind(id)) {
      case operation_kind::parameter:
        return needs(g.operand(id, 0));
      case operation_kind::result:
        groups[id].stored = tfgraph::detail::is_stacked(g, id) ||
                            g[g.operand(id, 0)].op->kind == operation_kind::branch;
        return;
      default:
        break;
    }
    needs(g.operand(id, 0));
    for (int r = 0; r < tfgraph::detail::region_count(g, id); ++r)
      for (node_id o : g.region_outputs(tfgraph::detail::region_of(g, id) + r)) needs(o);
  }

  [[nodiscard]] constexpr bool joins_elementwise(node_id operand, const node& user) const {
    const node& o = g.nodes[operand];
    if (o.region != user.region) return false;
    if (o.op->kind != operation_kind::elementwise && o.op->kind != operation_kind::contraction)
      return false;
    return o.type == user.type || g.types[o.type].shape == g.types[user.type].shape;
  }

  // A reduction walks its innermost run as one loop. Where an operand of what it took in does not
  // lie evenly along the run, the reduction must read its operand from memory instead; where its
  // own operand is a layout that does not, that must be copied. Says whether anything had to
  // change.
  constexpr bool separate_uneven(const forms& form) {
    bool changed = false;
    for (node_id id = 0; id < g.size(); ++id) {
      const node_id r = groups[id].root;
      if (r == no_node || kind(r) != operation_kind::reduction || is_position(g, r)) continue;
      bool reduced[max_rank] = {};
      reduced_axes_of(g, r, reduced);
      for (node_id o : g.operands(id)) {
        if (groups[o].root == r || is_even(form[o], g.type(g.operand(r, 0)).shape, reduced))
          continue;
        if (id == r) groups[o].copied = true;
        else alone_[r] = true;
        changed = true;
      }
    }
    return changed;
  }

  static constexpr bool is_even(const layout& form, const extents& domain,
                                const bool (&reduced)[max_rank]) {
    const layout l = form.broadcast_to(domain);
    index expected = -1;
    for (int i = domain.rank - 1; i >= 0; --i) {
      if (domain[i] == 1) continue;
      if (!reduced[i]) break;
      if (expected != -1 && l.stride[i] != expected) return false;
      expected = l.stride[i] * domain[i];
    }
    return true;
  }

  list<bool> alone_;  // reductions that cannot take their operand in
};

}  // namespace detail

/// The grouping of an optimised graph: one membership per node.
[[nodiscard]] constexpr tfgraph::detail::list<membership> find_groups(const graph_view& g) {
  return detail::grouping(g).groups;
}

}  // namespace tfgraph::schedule
