// Reverse mode: from a graph to the graph that computes its results and the gradients.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/dependence.hpp>
#include <tfgraph/differentiate/regions.hpp>
#include <tfgraph/ops/all.hpp>

namespace tfgraph::detail {

/// Cotangents of the nodes of a graph, at the end of which they are computed.
class cotangents {
 public:
  constexpr cotangents(graph& g, list<char> active)
      : g_(g), active_(std::move(active)), of_(active_.size(), no_node) {}

  /// Adds a contribution to a node's cotangent.
  constexpr void add(node_id to, node_id contribution) {
    if (active_[to] == 0 || contribution == no_node) return;
    if (of_[to] != no_node) {
      const node_id operands[] = {of_[to], contribution};
      contribution = emit(g_, ops::id<ops::add>, operands);
    }
    of_[to] = contribution;
  }

  /// Each node hands its cotangent on to its operands: users before operands, every node once.
  constexpr void propagate() { propagate(0, 0); }
  /// The nodes of one region from `first` on.
  constexpr void propagate(std::int32_t region, node_id first) {
    for (node_id id = static_cast<node_id>(of_.size()) - 1; id >= first; --id) {
      if (g_[id].region != region) continue;
      const operation* op = g_[id].op;
      if (op->kind == operation_kind::loop) reverse_loop(id);
      if (op->kind == operation_kind::branch) reverse_branch(id);
      if (of_[id] == no_node || op->kind == operation_kind::input || is_structural(op->kind)) continue;
      for (int k = 0; k < g_[id].operand_count; ++k)
        if (const node_id o = g_.operand(id, k); active_[o] != 0)
          add(o, op->vjp(g_, id, k, of_[id]));
    }
  }

  /// The cotangent of a node: zeros if nothing depends on it.
  [[nodiscard]] constexpr node_id operator[](node_id id) {
    return of_[id] != no_node ? of_[id] : ops::zeros_like(ops::term{&g_, id}).id;
  }

  [[nodiscard]] constexpr bool has(node_id id) const { return of_[id] != no_node; }

 private:
  /// Cotangents of what a copied region computes, and of what it uses from outside.
  [[nodiscard]] constexpr cotangents inside(const list<node_id>& place) {
    list<char> active(g_.nodes.size(), 0);
    for (std::size_t i = 0; i < active_.size(); ++i) active[i] = active_[i];
    for (std::size_t i = 0; i < place.size(); ++i)
      if (place[i] != no_node) active[place[i]] = active_[i];
    return {g_, std::move(active)};
  }
  /// Whether any of these has a cotangent.
  [[nodiscard]] constexpr bool have(const list<node_id>& nodes) const {
    bool any = false;
    for (node_id n : nodes) any = any || has(n);
    return any;
  }

  /// A loop that goes through the turns from the last to the first. Its states are the cotangents of
  /// the loop's states, and sums of those of values from outside. A turn computes the body again, from
  /// what the states were when that turn began: the loop keeps that, stacked.
  constexpr void reverse_loop(node_id loop) {
    const list<node_id> results = results_of(g_, loop, static_cast<node_id>(of_.size()));
    if (!have(results)) return;
    const std::int32_t outside = g_.current;
    const std::int32_t r = region_of(g_.view(), loop);
    const list<node_id> inputs = copy_of(g_.view().region_inputs(r));
    const list<node_id> outputs = copy_of(g_.view().region_outputs(r));
    const auto role = [&](node_id p) { return role_of(g_.view(), p); };

    // Rows, last first: the numbers of the turns, or what the loop goes through.
    const node_id by = g_.operand(loop, 0);
    node_id backwards = no_node;
    if (turns_of(g_.view(), loop) == turns_by::rows) {
      backwards = reversed(g_, by);
    } else {
      const index turns = number_of(g_.type(by).type, static_cast<element_bits>(g_.attribute(by, 0)));
      const index from_last[2] = {turns - 1, -1};
      backwards = g_.add(ops::id<ops::iota>, {dtype::int64, {turns < 0 ? 0 : turns}}, {}, from_last);
    }
    list<node_id> rows;  // of each parameter
    for (node_id p : inputs) {
      if (role(p) == parameter_role::turn) {
        rows.push_back(backwards);
      } else if (role(p) == parameter_role::row) {
        rows.push_back(reversed(g_, g_.operand(p, 0)));
      } else {
        add_stacked_output(g_, loop, p);
        rows.push_back(reversed(g_, add_stacked(g_, loop, p, backwards)));
      }
    }
    // A cotangent that the turns hand on, or have rows of.
    struct carried {
      node_id source;  // whose it is
      node_id start;   // its first value, its rows
      node_id parameter;
    };
    list<carried> states, given;
    for (node_id p : inputs) {
      if (role(p) != parameter_role::state || active_[p] == 0) continue;
      node_id start = no_node;
      for (node_id result : results)
        if (g_.operand(result, 1) == p && !is_stacked(g_.view(), result)) start = of_[result];
      if (start == no_node) start = ops::zeros_like(ops::term{&g_, g_.operand(p, 0)}).id;
      states.push_back({p, start, no_node});
    }
    for (node_id result : results)
      if (has(result) && is_stacked(g_.view(), result))
        given.push_back({g_.operand(result, 1), reversed(g_, of_[result]), no_node});

    const std::int32_t region = g_.add_region();
    g_.current = region;
    list<node_id> place(static_cast<std::size_t>(loop), no_node);
    list<node_id> in, out;
    const node_id first = g_.size();
    for (std::size_t k = 0; k < inputs.size(); ++k)
      in.push_back(place[inputs[k]] = add_parameter(g_, rows[k], parameter_role::row));
    for (carried& c : given)
      in.push_back(c.parameter = add_parameter(g_, c.start, parameter_role::row));
    for (carried& c : states)
      in.push_back(c.parameter = add_parameter(g_, c.start, parameter_role::state));
    copy_region(g_, r, loop, place);
    const auto placed = [&](node_id o) { return o < loop && place[o] != no_node ? place[o] : o; };

    cotangents inner = inside(place);
    std::size_t next = is_while(g_.view(), loop) ? 1 : 0;
    for (node_id p : inputs) {
      if (role(p) != parameter_role::state) continue;
      const node_id o = outputs[next++];
      for (const carried& c : states)
        if (c.source == p) inner.add(placed(o), c.parameter);
    }
    for (const carried& c : given) inner.add(placed(c.source), c.parameter);
    inner.propagate(region, first);
    for (carried& c : states) out.push_back(inner[place[c.source]]);
    // Values from outside: their cotangents add up over the turns.
    for (node_id o = 0; o < static_cast<node_id>(of_.size()); ++o) {
      if (!inner.has(o) || placed(o) != o) continue;
      g_.current = outside;
      const node_id zero = ops::zeros_like(ops::term{&g_, o}).id;
      g_.current = region;
      const node_id sum[2] = {add_parameter(g_, zero, parameter_role::state), inner[o]};
      in.push_back(sum[0]);
      out.push_back(emit(g_, ops::id<ops::add>, sum));
      states.push_back({o, zero, sum[0]});
    }
    list<node_id> of_rows;  // by parameters
    for (node_id p : inputs) {
      const bool wanted = role(p) == parameter_role::row && inner.has(place[p]);
      of_rows.push_back(wanted ? inner[place[p]] : no_node);
      if (wanted) out.push_back(of_rows.back());
    }
    g_.end_region(span_of(in), span_of(out));
    const node_id back = add_control(g_, ops::id<ops::loop>, backwards, region,
                                     static_cast<index>(turns_by::rows));
    for (const carried& c : states) {
      const node_id total = add_result(g_, back, c.parameter);
      const bool is_input = c.source < loop && place[c.source] != no_node;
      add(is_input ? g_.operand(c.source, 0) : c.source, total);
    }
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (of_rows[k] != no_node)
        add(g_.operand(inputs[k], 0), reversed(g_, add_stacked(g_, back, of_rows[k], backwards)));
  }

  /// A branch whose alternatives compute those of the branch again, and give the cotangents of what
  /// they use from outside.
  constexpr void reverse_branch(node_id branch) {
    const list<node_id> results = results_of(g_, branch, static_cast<node_id>(of_.size()));
    if (!have(results)) return;
    const std::int32_t r = region_of(g_.view(), branch);
    const int count = region_count(g_.view(), branch);
    list<node_id> used;  // active values from outside
    const auto use = [&](node_id o, std::int32_t alternative) {
      if (active_[o] == 0 || encloses(g_, alternative, g_[o].region)) return;
      for (node_id u : used)
        if (u == o) return;
      used.push_back(o);
    };
    for (int a = 0; a < count; ++a) {
      for (node_id id = 0; id < branch; ++id)
        if (encloses(g_, r + a, g_[id].region))
          for (int k = 0; k < g_[id].operand_count; ++k) use(g_.operand(id, k), r + a);
      for (node_id o : g_.view().region_outputs(r + a)) use(o, r + a);
    }
    if (used.empty()) return;
    const auto region = static_cast<std::int32_t>(g_.regions.size());
    for (int a = 0; a < count; ++a) g_.add_region();
    list<node_id> first_out;
    for (int a = 0; a < count; ++a) {
      g_.current = region + a;
      list<node_id> place(static_cast<std::size_t>(branch), no_node);
      const node_id first = g_.size();
      copy_region(g_, r + a, branch, place);
      cotangents inner = inside(place);
      for (node_id result : results) {
        const node_id o = g_.view().region_outputs(r + a)[g_.attribute(result, 0)];
        inner.add(o < branch && place[o] != no_node ? place[o] : o, of_[result]);
      }
      inner.propagate(region + a, first);
      list<node_id> out;
      for (node_id u : used) out.push_back(inner[u]);
      if (a == 0) first_out = out;
      g_.end_region({}, span_of(out));
    }
    const node_id back =
        add_control(g_, ops::id<ops::branch>, g_.operand(branch, 0), region, count);
    for (std::size_t k = 0; k < used.size(); ++k)
      add(used[k], add_result(g_, back, first_out[k], static_cast<index>(k)));
  }

  graph& g_;
  list<char> active_;
  list<node_id> of_;
};

/// A growing copy of a graph, with the same inputs and nodes; it has no outputs yet.
constexpr graph start_from(const graph_view& f) {
  graph g;
  g.nodes.reserve(8 * f.nodes.size());
  g.nodes.append(f.nodes.data(), f.nodes.size());
  g.types.append(f.types.data(), f.types.size());
  g.operand_list.append(f.operand_list.data(), f.operand_list.size());
  g.attribute_list.append(f.attribute_list.data(), f.attribute_list.size());
  g.pool.append(f.pool.data(), f.pool.size());
  g.input_list.append(f.input_list.data(), f.input_list.size());
  g.regions.resize(0);
  g.regions.append(f.regions.data(), f.regions.size());
  g.region_values.append(f.region_values.data(), f.region_values.size());
  return g;
}

constexpr void append_outputs(graph& g, const graph_view& f) {
  for (node_id o : f.output_list) g.output_list.push_back(o);
}

/// The graph of the results of f and the gradients of its first result, a scalar, by the inputs
/// with these numbers.
constexpr graph with_gradients(const graph_view& f, std::span<const int> sources) {
  graph g = start_from(f);
  append_outputs(g, f);
  cotangents c(g, differentiable_nodes(f, sources));
  const node_id loss = f.output_list[0];
  c.add(loss, ops::number(1, ops::term{&g, loss}).id);
  c.propagate();
  for (int s : sources) g.output_list.push_back(c[f.input_list[s]]);
  return g;
}

/// The graph of the results of f and of the products of given cotangents with the Jacobian. The
/// cotangents of the results are further inputs.
constexpr graph with_pullback(const graph_view& f, std::span<const int> sources) {
  graph g = start_from(f);
  append_outputs(g, f);
  cotangents c(g, differentiable_nodes(f, sources));
  for (node_id o : f.output_list) c.add(o, g.add_input(ops::id<ops::input>, spec(g.type(o))));
  c.propagate();
  for (int s : sources) g.output_list.push_back(c[f.input_list[s]]);
  return g;
}

}  // namespace tfgraph::detail
