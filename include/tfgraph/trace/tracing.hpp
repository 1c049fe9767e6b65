// A trace in progress: the graph, and what each handle of the callable stands for at the moment.
//
// Handles refer to slots and not to nodes, so that a loop can be captured from one run of its body:
// what the body reads of a handle from outside is, at first, a parameter of the loop. When the body
// has ended, the handles to which it assigned are the loop's states, and stand for its results; for
// the others the parameter is replaced by what they stood for all along.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/emit.hpp>
#include <tfgraph/ops/control.hpp>

namespace tfgraph::detail {

struct live_trace;

/// Whether a captured loop sees all that was done to a handle without operands (zeros, constant, ...)
/// in its body: not an operator, or an assignment, that no traced value had a part in.
constexpr void require_seen(bool seen) {
  if (!seen)
    throw trace_error(
        "the body of a captured loop works on a handle that was made without operands (zeros, "
        "constant, ...) before a traced value has a part in it, which the loop does not see; name "
        "the handle in the loop: range(n, x, it)");
}

class tracing {
 public:
  graph recorded;
  live_trace* live = nullptr;  ///< of a trace by the running program: what the callable captured

  constexpr int new_slot(node_id n) {
    slots_.push_back({n, recorded.current, false});
    return static_cast<int>(slots_.size()) - 1;
  }
  /// What a slot stands for, as a node that the current region may use.
  [[nodiscard]] constexpr node_id node(int s) {
    if (slots_[s].region != recorded.current) enter(s, recorded.current);
    return slots_[s].node;
  }
  constexpr void assign(int s, node_id n) {
    if (slots_[s].region != recorded.current) enter(s, recorded.current);
    slots_[s].node = n;
  }

  /// The handle is gone: in a body that is still being traced it was a local variable.
  constexpr void end_of_local(int s) { slots_[s].ended = true; }

  // ---- loops ----------------------------------------------------------------------------------

  /// Whether the body of a loop is being traced.
  [[nodiscard]] constexpr bool in_loop() const { return !scopes_.empty(); }
  /// Whether there has been one.
  [[nodiscard]] constexpr bool has_loops() const { return recorded.regions.size() > 1; }

  /// Begins the body of a loop.
  constexpr void begin_loop() { begin(recorded.add_region(), true); }

  /// A parameter of the loop whose body is being traced, other than its states.
  constexpr node_id add_parameter(parameter_role role, node_id operand) {
    const node_id operands[1] = {operand};
    return add(ops::id<ops::parameter>, operands, {static_cast<index>(role)});
  }

  /// Ends the body of a loop. `by` and `turns`: what says how often it runs; `condition`: whether
  /// there is a further turn, or no_node; `parameters`: those that are no states; `stacked`: what is
  /// stacked (further results, see ops::stacked). Returns the loop.
  constexpr node_id end_loop(turns_by by, node_id turns, node_id condition,
                             std::span<const node_id> parameters,
                             std::span<node_id> stacked = {}) {
    const scope self = scopes_.back();
    const replacement keep = replace_unassigned(self);
    list<node_id> inputs, outputs;
    list<visit> states;
    for (std::size_t v = self.first_visit; v < visits_.size(); ++v)
      if (is_assigned(visits_[v])) states.push_back(visits_[v]);
      else restore(visits_[v]);
    if (condition != no_node) outputs.push_back(keep(condition));
    for (const visit& v : states) {
      inputs.push_back(v.inside);
      outputs.push_back(keep(slots_[v.slot].node));
    }
    inputs.append(parameters.data(), parameters.size());
    for (node_id& y : stacked) outputs.push_back(y = keep(y));
    const std::int32_t region = recorded.current;
    end(span_of(inputs), span_of(outputs));
    const node_id operands[1] = {turns};
    const node_id loop = add(ops::id<ops::loop>, operands, {region, static_cast<index>(by)});
    require_types(loop);
    for (const visit& v : states) {
      restore(v);
      const node_id of[2] = {loop, v.inside};
      slots_[v.slot].node = add(ops::id<ops::result>, of, {0});
    }
    for (node_id& y : stacked) {
      const node_id of[3] = {loop, y, turns};
      y = add(ops::id<ops::stacked>, of, {});
    }
    return loop;
  }

  // ---- branches -------------------------------------------------------------------------------

  /// Begins a branch: the first of its regions, which follow each other.
  constexpr std::int32_t begin_branch(int alternatives) {
    const std::int32_t first = recorded.add_region();
    for (int k = 1; k < alternatives; ++k) recorded.add_region();
    return first;
  }
  constexpr void begin_alternative(std::int32_t region) { begin(region, false); }
  constexpr void end_alternative(std::span<const node_id> outputs) {
    const scope self = scopes_.back();
    for (std::size_t v = self.first_visit; v < visits_.size(); ++v) {
      if (is_assigned(visits_[v]))
        throw trace_error(
            "cond: an alternative assigned to a traced value from outside of it; let both return "
            "the value instead");
      restore(visits_[v]);
    }
    end({}, outputs);
  }

  /// Ends a branch; the results in the place of `outputs`, those of its first alternative.
  constexpr void end_branch(node_id selector, std::int32_t first, int alternatives,
                            std::span<node_id> outputs) {
    const node_id by[1] = {selector};
    const node_id branch = add(ops::id<ops::branch>, by, {first, alternatives});
    require_types(branch);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const node_id of[2] = {branch, outputs[k]};
      outputs[k] = add(ops::id<ops::result>, of, {static_cast<index>(k)});
    }
  }

  /// Whether every loop has been ended (one that was left by `break` or `return` has not).
  constexpr void require_ended() const {
    if (!scopes_.empty())
      throw trace_error(
          "a captured loop was left by break or return: its body is run once to record it, so it "
          "cannot end early; use while_loop");
  }

 private:
  struct slot {
    node_id node;
    std::int32_t region;  ///< where that node may be used
    bool ended;           ///< whether the handle is gone
  };
  /// A slot from outside that a region reads or assigns to.
  struct visit {
    int slot;
    node_id inside;   ///< what it stands for when the region begins
    node_id outside;  ///< and before it
    std::int32_t region;
  };
  /// A region that is being traced.
  struct scope {
    std::int32_t region;
    bool is_loop;
    node_id first_node;
    std::size_t first_operand, first_region_value, first_visit;
  };

  constexpr node_id add(const operation* op, std::span<const node_id> operands,
                        std::initializer_list<index> attributes) {
    spec types[3];
    for (std::size_t k = 0; k < operands.size(); ++k) types[k] = recorded.type(operands[k]);
    const std::span<const index> a(attributes.begin(), attributes.size());
    const inference r = op->infer({types, operands.size()}, a);
    require(r);
    return recorded.add(op, r.result, operands, a);
  }

  constexpr void begin(std::int32_t region, bool is_loop) {
    const auto first = static_cast<node_id>(recorded.nodes.size());
    recorded.current = region;
    scopes_.push_back({region, is_loop, first, recorded.operand_list.size(),
                       recorded.region_values.size(), visits_.size()});
  }
  constexpr void end(std::span<const node_id> inputs, std::span<const node_id> outputs) {
    recorded.end_region(inputs, outputs);
    visits_.resize(scopes_.back().first_visit);
    scopes_.pop_back();
  }

  /// Makes a slot from outside stand for a node that the region may use.
  constexpr void enter(int s, std::int32_t region) {
    if (slots_[s].region == region) return;
    std::size_t self = 0;
    while (self < scopes_.size() && scopes_[self].region != region) ++self;
    if (self == scopes_.size())
      throw trace_error(
          "a value that was made in the body of a loop or in an alternative has no meaning outside "
          "of it");
    enter(s, recorded.regions[region].parent);
    const slot before = slots_[s];
    node_id inside = before.node;
    if (scopes_[self].is_loop) {
      const std::int32_t current = recorded.current;
      recorded.current = region;
      inside = add_parameter(parameter_role::state, before.node);
      recorded.current = current;
    }
    slots_[s].node = inside;
    slots_[s].region = region;
    // The visits of a region stand together, before those of the regions in it.
    std::size_t place = visits_.size();
    for (std::size_t k = scopes_.size() - 1; k > self; --k) place = scopes_[k].first_visit++;
    visits_.push_back({});
    for (std::size_t v = visits_.size() - 1; v > place; --v) visits_[v] = visits_[v - 1];
    visits_[place] = {s, inside, before.node, before.region};
  }

  /// Whether a region gave a slot from outside another value.
  [[nodiscard]] constexpr bool is_assigned(const visit& v) const {
    return slots_[v.slot].node != v.inside && !slots_[v.slot].ended;
  }
  constexpr void restore(const visit& v) {
    slots_[v.slot].node = v.outside;
    slots_[v.slot].region = v.region;
  }

  /// What stands in the place of the nodes of a region.
  struct replacement {
    node_id first;
    list<node_id> by;  // no_node: itself
    [[nodiscard]] constexpr node_id operator()(node_id n) const {
      const node_id r = n < first || n >= first + static_cast<node_id>(by.size()) ? no_node
                                                                                 : by[n - first];
      return r == no_node ? n : r;
    }
  };

  /// Replaces the parameters for slots that the body only read.
  constexpr replacement replace_unassigned(const scope& self) {
    replacement r{self.first_node,
                  list<node_id>(recorded.nodes.size() - static_cast<std::size_t>(self.first_node),
                                no_node)};
    bool any = false;
    for (std::size_t v = self.first_visit; v < visits_.size(); ++v)
      if (!is_assigned(visits_[v])) {
        r.by[visits_[v].inside - self.first_node] = visits_[v].outside;
        any = true;
      }
    if (!any) return r;
    for (std::size_t o = self.first_operand; o < recorded.operand_list.size(); ++o)
      recorded.operand_list[o] = r(recorded.operand_list[o]);
    for (std::size_t o = self.first_region_value; o < recorded.region_values.size(); ++o)
      recorded.region_values[o] = r(recorded.region_values[o]);
    return r;
  }

  constexpr void require_types(node_id control) const {
    const sentence objection = control_objection(
        recorded.view(), control, [this](node_id n) { return recorded.type(n); });
    if (!objection.empty()) throw_shape_error(objection);
  }

  list<slot> slots_;
  list<visit> visits_;
  list<scope> scopes_;
};

}  // namespace tfgraph::detail
