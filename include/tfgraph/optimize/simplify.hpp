// The sweep that folds constants, applies the rules and merges common subexpressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/control.hpp>
#include <tfgraph/optimize/cse.hpp>
#include <tfgraph/optimize/match.hpp>
#include <tfgraph/optimize/power_chain.hpp>
#include <tfgraph/optimize/rewrite.hpp>

namespace tfgraph::optimize {

/// How often a rule was applied.
struct application_count {
  const rule* applied;
  int count;
};

/// What a sweep may do.
struct simplify_options {
  numerics::licence allowed = numerics::strict;
  tfgraph::detail::optional_pointer<const rule_set> sets[2] =
      {};  ///< the library's rules, and the program's own
  /// Operators that rules may introduce. (Others come from the graph.)
  tfgraph::detail::list_view<const operation*> operators = {};
  tfgraph::detail::list_view<std::uint64_t> off = {};  ///< keys of names of rules not to apply
  const bool* enabled = nullptr;                       ///< for each line of the first set
  tfgraph::detail::list<application_count>* log = nullptr;
  fold_limits limits = {};
};

/// One sweep from the inputs to the outputs: when a node is visited, its operands are in their
/// final form, and what a rule makes is brought into its final form at once.
class simplifier final : public rule_context {
 public:
  constexpr simplifier(const graph_view& from, const simplify_options& options)
      : options_(options),
        r_(from),
        distinct_(from.nodes.size()),
        budget_(options.limits.elements) {}

  [[nodiscard]] constexpr graph run() {
    const graph_view& from = r_.from();
    const power_chains chains(from, options_.allowed);
    find_regions();
    for (node_id id = 0; id < from.size(); ++id) {
      r_.to.current = in_regions_ ? region_now_[from[id].region] : 0;
      if (chains.any() && chains.exponent_at(id) != 0) {
        r_.replace(id, power(from[id].op, r_[chains.base_at(id)], chains.exponent_at(id)));
        count_uses(id);
        continue;
      }
      const node_id now = r_.copy(id);
      r_.to.nodes[now].region = r_.to.current;
      const operation_kind kind = from[id].op->kind;
      if (is_structural(kind)) pass_through(id);
      else if (kind != operation_kind::input) r_.replace(id, finish(now));
      if (counts_uses_) count_uses(id);
    }
    r_.to.settled = settled_ && budget_ >= 0 && !(applied_ && (refused_ || chains.possible()));
    graph done = r_.finish();
    for (const kept_parameter& k : kept_) done.region_values[k.place] = k.node;
    return done;
  }

  // ---- for rules --------------------------------------------------------------------------------

  [[nodiscard]] constexpr tfgraph::detail::optional_pointer<const operation> find_operator(
      std::uint64_t key) const override {
    for (const operation* op : options_.operators)
      if (op->key == key) return op;
    return {};
  }

  /// Appends a node in its final form, or no_node if the operands do not fit the operator.
  constexpr node_id make(const operation* op, std::span<const node_id> operands,
                         std::span<const index> attributes, bool outermost = false) override {
    spec types[max_operands];
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] == no_node) return no_node;
      types[k] = r_.to.type(operands[k]);
    }
    const inference r = op->infer({types, operands.size()}, attributes);
    if (!r.objection.empty()) return no_node;
    const node_id made = r_.to.add(op, r.result, operands, attributes);
    if (outermost) return made;
    if (depth_ >= most_depth) {
      settled_ = false;
      return made;
    }
    ++depth_;
    const node_id finished = finish(made);
    --depth_;
    return finished;
  }

  /// How often the source graph uses what a node stands for.
  [[nodiscard]] constexpr bool single_use(node_id n) override {
    if (!counts_uses_) start_counting();
    const bool single = static_cast<std::size_t>(n) >= uses_.size() || uses_[n] <= 1;
    if (!single) refused_ = true;
    return single;
  }

  /// x * x * ... * x with n factors, by repeated squaring.
  constexpr node_id power(const operation* op, node_id x, index n) {
    node_id result = no_node;
    for (; n != 0; n >>= 1) {
      if ((n & 1) != 0) result = result == no_node ? x : product(op, result, x);
      if (n > 1) x = product(op, x, x);
    }
    return result;
  }

 private:
  static constexpr int most_rewrites_per_node = 16;
  static constexpr int most_depth = 12;
  static constexpr std::size_t max_operands = 4;

  constexpr node_id product(const operation* op, node_id a, node_id b) {
    const node_id operands[2] = {a, b};
    return make(op, operands, {});
  }

  /// Rewrites a new node until nothing applies; then it is one of the distinct nodes.
  constexpr node_id finish(node_id now) {
    const node_id first = now;
    bool is_new = true;
    for (int i = 0; is_new; ++i) {
      if (i == most_rewrites_per_node) {
        settled_ = false;
        break;
      }
      if (r_.to[now].operand_count == 0) break;
      const int before = r_.to.size();
      const node_id next = step(now);
      if (next == no_node) break;
      is_new = next >= before;
      now = next;
    }
    if (!is_new) return now;
    if (in_regions_) hoist(now);
    const node_id known = distinct_.find_or_enter(r_.to, now);
    if (known != now && now == first && now + 1 == r_.to.size()) r_.to.remove_last();
    return known;
  }

  // ---- loops and branches -----------------------------------------------------------------------

  constexpr void find_regions() {
    const graph_view& from = r_.from();
    in_regions_ = from.regions.size() > 1;
    if (!in_regions_) return;
    is_loop_.resize(from.regions.size(), 0);
    invariant_.resize(from.nodes.size(), 0);
    chosen_.resize(from.nodes.size(), -1);
    tfgraph::detail::list<char> dissolves(from.regions.size(), 0);
    for (node_id id = 0; id < from.size(); ++id) {
      const operation_kind kind = from[id].op->kind;
      if (kind != operation_kind::loop && kind != operation_kind::branch) continue;
      const std::int32_t r = tfgraph::detail::region_of(from, id);
      if (kind == operation_kind::branch) {
        const node_id selector = from.operand(id, 0);
        if (!ops::is<ops::full>(from[selector].op)) continue;
        chosen_[id] = r + tfgraph::detail::alternative(
                              tfgraph::detail::number_of(from.type(selector).type,
                                                         static_cast<element_bits>(
                                                             from.attributes(selector)[0])),
                              tfgraph::detail::region_count(from, id));
        dissolves[chosen_[id]] = 1;
        continue;
      }
      is_loop_[r] = 1;
      std::size_t next = tfgraph::detail::is_while(from, id) ? 1 : 0;
      for (node_id p : from.region_inputs(r))
        if (tfgraph::detail::role_of(from, p) == parameter_role::state)
          invariant_[p] = from.region_outputs(r)[next++] == p ? 1 : 0;
    }
    for (std::int32_t r = 0; r < static_cast<std::int32_t>(from.regions.size()); ++r) {
      const std::int32_t parent = r == 0 ? 0 : region_now_[from.regions[r].parent];
      r_.to.regions[r].parent = parent;
      region_now_.push_back(dissolves[r] != 0 ? parent : r);
    }
  }

  /// What stands for a parameter, a loop, a branch or a result: a copy, but a state that every turn
  /// hands on as it is, is what it is at first, in the loop and after it; and an alternative that is
  /// known to be taken needs no branch.
  constexpr void pass_through(node_id id) {
    const graph_view& from = r_.from();
    if (from[id].op->kind == operation_kind::parameter && invariant_[id] != 0) {
      const region& r = from.regions[from[id].region];
      for (std::int32_t k = 0; k < r.input_count; ++k)
        if (from.region_values[r.first_value + k] == id)
          kept_.push_back({r.first_value + k, r_[id]});
      r_.replace(id, r_[from.operand(id, 0)]);
      settled_ = false;
    } else if (from[id].op->kind == operation_kind::result) {
      const std::int32_t taken = chosen_[from.operand(id, 0)];
      if (taken >= 0) r_.replace(id, r_[from.region_outputs(taken)[from.attributes(id)[0]]]);
      else if (invariant_[from.operand(id, 1)] != 0) r_.replace(id, r_[from.operand(id, 1)]);
    }
  }

  /// Moves a node out of the loops whose turns do not change it. (Not what may throw, since a loop
  /// may have no turn; and nothing out of a branch, which may not be taken, but constants.)
  constexpr void hoist(node_id id) {
    node& n = r_.to.nodes[id];
    if (is_structural(n.op->kind)) return;
    if (n.operand_count == 0) {
      n.region = 0;
      return;
    }
    if (n.op->partial && !is_floating(r_.to.type(r_.to.operand(id, 0)).type)) return;
    std::int32_t home = 0;
    for (std::int32_t k = 0; k < n.operand_count; ++k) {
      const std::int32_t o = r_.to[r_.to.operand(id, k)].region;
      if (depth(o) > depth(home)) home = o;
    }
    while (n.region != home && is_loop_[n.region] != 0) n.region = r_.to.regions[n.region].parent;
  }
  [[nodiscard]] constexpr int depth(std::int32_t region) const {
    int d = 0;
    for (; region != 0; region = r_.to.regions[region].parent) ++d;
    return d;
  }

  /// What stands for a node after one rewrite, or no_node.
  constexpr node_id step(node_id id) {
    graph& g = r_.to;
    const node* const nodes = g.nodes.data();
    const node_id* const operand = g.operand_list.data() + nodes[id].first_operand;
    const int operands = nodes[id].operand_count < 4 ? nodes[id].operand_count : 4;
    const std::uint64_t root = nodes[id].op->key;
    const operation* op[4] = {};
    bool known[4] = {};
    bool all_known = true;
    for (int k = 0; k < operands; ++k) {
      op[k] = nodes[operand[k]].op;
      const operation_kind kind = op[k]->kind;
      known[k] = kind == operation_kind::constant || kind == operation_kind::generator;
      all_known = all_known && known[k];
    }
    const dtype t = g.types[nodes[operand[operands - 1]].type].type;
    if (all_known && g.type(id).shape.is_static())
      if (const node_id folded = fold(g, id, options_.limits, budget_); folded != no_node)
        return folded;
    for (const auto& set : options_.sets) {
      if (!set) break;
      if (const node_id x = try_chain(*set, id, t, root, no_anchor); x != no_node) return x;
      for (int k = 0; k < operands; ++k) {
        if (op[k]->kind == operation_kind::input) continue;
        if (known[k])
          if (const node_id x = try_chain(*set, id, t, root, known_anchor); x != no_node) return x;
        if (const node_id x = try_chain(*set, id, t, root, op[k]->key); x != no_node) return x;
      }
    }
    return no_node;
  }

  constexpr node_id try_chain(const rule_set& set, node_id id, dtype t, std::uint64_t root,
                              std::uint64_t anchor) {
    for (int k = set.first.data()[rule_set::slot(root, anchor)]; k >= 0; k = set.next.data()[k]) {
      const parsed_rule& p = set.rules.data()[k];
      if (p.root != root || p.anchor != anchor) continue;
      // Of booleans the first variable decides, once it is known.
      if (t != dtype::boolean && !holds_for(p, t)) continue;
      const node_id x = try_rule(set, p, id);
      if (x != no_node) return x;
    }
    return no_node;
  }

  constexpr node_id try_rule(const rule_set& set, const parsed_rule& p, node_id id) {
    graph& g = r_.to;
    match m(*this, g, set, p, id);
    if (!m.find() || !holds_for(p, m.element_type())) return no_node;
    const rule& line = set.lines[static_cast<std::size_t>(p.line)];
    if (!is_on(set, line, p.line)) return no_node;
    if (line.build && !has_static_shapes(id)) return no_node;
    if (line.when.holds && !line.when.holds(m)) return no_node;
    const node_id x = as_type_of(line.build ? line.build(m) : m.build(), id);
    if (x != no_node) count_application(line);
    applied_ = applied_ || x != no_node;
    return x;
  }

  [[nodiscard]] constexpr bool holds_for(const parsed_rule& r, dtype t) const {
    if (is_floating(t) && (r.needs & ~options_.allowed.bits) != 0) return false;
    return r.where == types::all || contains(r.where, t);
  }

  [[nodiscard]] constexpr bool is_on(const rule_set& set, const rule& line, int number) const {
    if (options_.enabled != nullptr && &set == options_.sets[0].pointer &&
        !options_.enabled[number])
      return false;
    for (std::uint64_t off : options_.off)
      if (off == tfgraph::detail::operation_key(line.name)) return false;
    return true;
  }

  [[nodiscard]] constexpr bool has_static_shapes(node_id id) const {
    bool all = r_.to.type(id).shape.is_static();
    for (int k = 0; k < r_.to[id].operand_count; ++k)
      all = all && r_.to.type(r_.to.operand(id, k)).shape.is_static();
    return all;
  }

  /// The node as a stand-in for `id`: of its type, broadcast if need be; or no_node.
  constexpr node_id as_type_of(node_id x, node_id id) {
    if (x == no_node) return x;
    const spec type = r_.to.type(id);
    const spec found = r_.to.type(x);
    if (detail::surely_equal(found, type)) return x;
    if (found.type != type.type || !type.shape.is_static() || !found.shape.is_static())
      return no_node;
    const node_id operands[1] = {x};
    return make(ops::id<ops::broadcast_to>, operands,
                {type.shape.value, static_cast<std::size_t>(type.shape.rank)}, true);
  }

  constexpr void count_application(const rule& line) {
    if (options_.log == nullptr) return;
    for (application_count& a : *options_.log)
      if (a.applied == &line) {
        ++a.count;
        return;
      }
    options_.log->push_back({&line, 1});
  }

  // ---- uses, counted once a rule asks
  // -------------------------------------------------------------

  constexpr void start_counting() {
    counts_uses_ = true;
    const graph_view& from = r_.from();
    old_uses_.resize(from.nodes.size(), 0);
    for (node_id o : from.operand_list) ++old_uses_[o];
    for (node_id o : from.output_list) ++old_uses_[o];
    for (node_id o : from.region_values) ++old_uses_[o];
    for (node_id id = 0; id < from.size() && r_[id] != no_node; ++id) count_uses(id);
  }

  constexpr void count_uses(node_id old) {
    if (!counts_uses_) return;
    const node_id now = r_[old];
    if (static_cast<std::size_t>(now) >= uses_.size())
      uses_.resize(static_cast<std::size_t>(now) + 64, 0);
    uses_[now] += old_uses_[old];
  }

  simplify_options options_;
  tfgraph::detail::rewriting r_;
  distinct_nodes distinct_;
  index budget_;
  int depth_ = 0;
  bool settled_ = true;
  bool refused_ = false;  ///< a rule waits for a node to have one use
  bool applied_ = false;
  bool counts_uses_ = false;
  tfgraph::detail::list<std::int32_t> old_uses_, uses_;
  /// The parameter that stays in the list of its region's inputs, though nothing uses it any more.
  struct kept_parameter {
    std::int32_t place;
    node_id node;
  };
  bool in_regions_ = false;  ///< whether the graph has any
  tfgraph::detail::list<char> is_loop_;             ///< for each region
  tfgraph::detail::list<std::int32_t> region_now_;  ///< what a region becomes
  tfgraph::detail::list<char> invariant_;           ///< states that do not change
  tfgraph::detail::list<std::int32_t> chosen_;      ///< by branches: the region, or -1
  tfgraph::detail::list<kept_parameter> kept_;
};

/// One sweep over a graph. The result is `settled` if another sweep would find nothing.
[[nodiscard]] constexpr graph simplify(const graph_view& g, const simplify_options& options) {
  return simplifier(g, options).run();
}

}  // namespace tfgraph::optimize
