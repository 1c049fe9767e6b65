// Forward mode: from a graph to the graph that computes its results and their directional
// derivative.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/reverse.hpp>

namespace tfgraph::detail {

/// The tangent of one node from those of its operands.
constexpr node_id tangent_of(graph& g, node_id id, const list<node_id>& tangent) {
  const operation* op = g[id].op;
  const int count = g[id].operand_count;
  if (op->kind == operation_kind::concatenation) {
    list<node_id> parts;
    for (int k = 0; k < count; ++k) {
      const node_id o = g.operand(id, k);
      parts.push_back(tangent[o] != no_node ? tangent[o] : ops::zeros_like(ops::term{&g, o}).id);
    }
    const index axis[1] = {g.attribute(id, 0)};
    return emit(g, op, span_of(parts), axis);
  }
  node_id total = no_node;
  for (int k = 0; k < count; ++k) {
    const node_id t = tangent[g.operand(id, k)];
    const node_id share = t == no_node ? no_node : op->jvp(g, id, k, t);
    if (share == no_node) continue;
    const node_id both[] = {total, share};
    total = total == no_node ? share : emit(g, ops::id<ops::add>, both);
  }
  if (total == no_node) return total;
  return ops::stretch_to(ops::term{&g, id}, ops::term{&g, total}).id;
}

/// Tangents of the nodes of a graph.
class tangents {
 public:
  constexpr tangents(graph& g, list<char> active)
      : g_(g), active_(std::move(active)), of_(active_.size(), no_node) {}

  /// The tangent of a node; no_node: zero.
  constexpr node_id& operator[](node_id id) { return of_[id]; }
  [[nodiscard]] constexpr node_id or_zeros(node_id id) {
    return of_[id] != no_node ? of_[id] : ops::zeros_like(ops::term{&g_, id}).id;
  }

  /// Computes those of the nodes of one region from `first` on: operands before users.
  constexpr void propagate(std::int32_t region, node_id first) {
    const auto end = static_cast<node_id>(of_.size());
    for (node_id id = first; id < end; ++id) {
      if (g_[id].region != region) continue;
      const operation_kind kind = g_[id].op->kind;
      if (kind == operation_kind::loop) forward_loop(id);
      else if (kind == operation_kind::branch) forward_branch(id);
      else if (active_[id] != 0 && kind != operation_kind::input && !is_structural(kind))
        of_[id] = tangent_of(g_, id, of_);
    }
  }

 private:
  [[nodiscard]] constexpr tangents inside(const list<node_id>& place) {
    list<char> active(g_.nodes.size(), 0);
    for (std::size_t i = 0; i < active_.size(); ++i) active[i] = active_[i];
    for (std::size_t i = 0; i < place.size(); ++i)
      if (place[i] != no_node) active[place[i]] = active_[i];
    tangents t(g_, std::move(active));
    for (std::size_t i = 0; i < of_.size(); ++i) t.of_[i] = of_[i];
    return t;
  }
  [[nodiscard]] constexpr bool any_active(const list<node_id>& nodes) const {
    bool any = false;
    for (node_id n : nodes) any = any || active_[n] != 0;
    return any;
  }

  /// The loop once more, with the tangents as further states.
  constexpr void forward_loop(node_id loop) {
    const list<node_id> results = results_of(g_, loop, static_cast<node_id>(of_.size()));
    if (!any_active(results)) return;
    const std::int32_t r = region_of(g_.view(), loop);
    const list<node_id> inputs = copy_of(g_.view().region_inputs(r));
    const list<node_id> outputs = copy_of(g_.view().region_outputs(r));
    const auto is_state = [&](node_id p) { return role_of(g_.view(), p) == parameter_role::state; };
    list<node_id> start;  // tangents of the operands of the parameters
    for (node_id p : inputs)
      start.push_back(active_[p] != 0 ? or_zeros(g_.operand(p, 0)) : no_node);
    const std::int32_t region = g_.add_region();
    g_.current = region;
    list<node_id> place(static_cast<std::size_t>(loop), no_node);
    list<node_id> in, out;
    const node_id first = g_.size();
    list<node_id> tangent(inputs.size(), no_node);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const parameter_role role = role_of(g_.view(), inputs[k]);
      in.push_back(place[inputs[k]] = add_parameter(g_, g_.operand(inputs[k], 0), role));
      if (start[k] != no_node) tangent[k] = add_parameter(g_, start[k], role);
    }
    for (node_id t : tangent)
      if (t != no_node) in.push_back(t);
    copy_region(g_, r, loop, place);
    const auto placed = [&](node_id o) { return o < loop && place[o] != no_node ? place[o] : o; };
    tangents inner = inside(place);
    for (std::size_t k = 0; k < inputs.size(); ++k) inner[place[inputs[k]]] = tangent[k];
    inner.propagate(region, first);
    const std::size_t states = is_while(g_.view(), loop) ? 1 : 0;
    if (states > 0) out.push_back(placed(outputs[0]));
    std::size_t next = states;
    for (node_id p : inputs)
      if (is_state(p)) out.push_back(placed(outputs[next++]));
    next = states;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (!is_state(inputs[k])) continue;
      const node_id o = placed(outputs[next++]);
      if (tangent[k] != no_node) out.push_back(inner.or_zeros(o));
    }
    list<node_id> stacked;  // by results
    for (node_id result : results) {
      const bool wanted = active_[result] != 0 && is_stacked(g_.view(), result);
      stacked.push_back(wanted ? inner.or_zeros(placed(g_.operand(result, 1))) : no_node);
      if (wanted) out.push_back(stacked.back());
    }
    g_.end_region(span_of(in), span_of(out));
    const node_id along = add_control(g_, ops::id<ops::loop>, g_.operand(loop, 0), region,
                                      g_.attribute(loop, 1));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (active_[results[i]] == 0) continue;
      if (stacked[i] != no_node) {
        of_[results[i]] = add_stacked(g_, along, stacked[i], g_.operand(results[i], 2));
        continue;
      }
      for (std::size_t k = 0; k < inputs.size(); ++k)
        if (inputs[k] == g_.operand(results[i], 1) && tangent[k] != no_node)
          of_[results[i]] = add_result(g_, along, tangent[k]);
    }
  }

  /// The branch once more, with the tangents as results.
  constexpr void forward_branch(node_id branch) {
    const list<node_id> results = results_of(g_, branch, static_cast<node_id>(of_.size()));
    if (!any_active(results)) return;
    const std::int32_t r = region_of(g_.view(), branch);
    const int count = region_count(g_.view(), branch);
    const auto region = static_cast<std::int32_t>(g_.regions.size());
    for (int a = 0; a < count; ++a) g_.add_region();
    list<node_id> first_out;
    for (int a = 0; a < count; ++a) {
      g_.current = region + a;
      list<node_id> place(static_cast<std::size_t>(branch), no_node);
      const node_id first = g_.size();
      copy_region(g_, r + a, branch, place);
      tangents inner = inside(place);
      inner.propagate(region + a, first);
      list<node_id> out;
      for (node_id result : results) {
        if (active_[result] == 0) continue;
        const node_id o = g_.view().region_outputs(r + a)[g_.attribute(result, 0)];
        out.push_back(inner.or_zeros(o < branch && place[o] != no_node ? place[o] : o));
      }
      if (a == 0) first_out = out;
      g_.end_region({}, span_of(out));
    }
    const node_id along =
        add_control(g_, ops::id<ops::branch>, g_.operand(branch, 0), region, count);
    index k = 0;
    for (node_id result : results) {
      if (active_[result] == 0) continue;
      of_[result] = add_result(g_, along, first_out[k], k);
      ++k;
    }
  }

  graph& g_;
  list<char> active_;
  list<node_id> of_;
};

/// The graph of the results of f and of their derivatives along the tangents of the inputs with
/// these numbers. The tangents are further inputs.
constexpr graph with_pushforward(const graph_view& f, std::span<const int> sources) {
  graph g = start_from(f);
  append_outputs(g, f);
  tangents tangent(g, differentiable_nodes(f, sources));
  for (int s : sources) {
    const node_id x = f.input_list[s];
    tangent[x] = g.add_input(ops::id<ops::input>, spec(g.type(x)));
  }
  tangent.propagate(0, 0);
  for (node_id o : f.output_list) g.output_list.push_back(tangent.or_zeros(o));
  return g;
}

}  // namespace tfgraph::detail
