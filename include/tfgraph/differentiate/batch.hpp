// vmap on graphs: every value that depends on a batched input gets a new first axis.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/differentiate/dependence.hpp>
#include <tfgraph/differentiate/regions.hpp>

namespace tfgraph::detail {

/// For each node whether it depends on one of the inputs with a batch.
constexpr list<char> batched_nodes(const graph_view& f, std::span<const int> axes) {
  list<char> batched(f.nodes.size(), 0);
  for (std::size_t k = 0; k < f.input_list.size(); ++k)
    batched[f.input_list[k]] = axes[k] >= 0 ? 1 : 0;
  do {
    for (node_id id = 0; id < f.size(); ++id)
      if (batched[id] == 0 && depends_on_any(f, id, batched)) batched[id] = 1;
  } while (mark_states(f, batched));
  return batched;
}

/// Refuses a loop or branch that differs from element to element.
constexpr sentence batch_objection(const graph_view& f, std::span<const int> axes) {
  sentence s;
  if (!f.update_list.empty()) return s << "vmap: the function assigns to variables";
  if (f.regions.size() == 1) return s;
  const list<char> batched = batched_nodes(f, axes);
  for (node_id id = 0; id < f.size(); ++id) {
    const operation_kind kind = f[id].op->kind;
    if (kind != operation_kind::loop && kind != operation_kind::branch) continue;
    const bool by_rows = kind == operation_kind::loop && turns_of(f, id) == turns_by::rows;
    bool differs = !by_rows && batched[f.operand(id, 0)] != 0;
    if (kind == operation_kind::loop && is_while(f, id))
      differs = differs || batched[f.region_outputs(region_of(f, id))[0]] != 0;
    if (differs)
      return s << "vmap: a loop or a branch takes another course for each element of the batch; use "
                  "where, a plain number of turns, or map over the batch";
  }
  return s;
}

/// Makes the graph of a batch out of the graph of one element.
class batching {
 public:
  /// `batch` is the number of elements; an input whose entry in `axes` is not negative has its
  /// batch along that axis.
  constexpr batching(const graph_view& f, index batch, std::span<const int> axes)
      : f_(f), batch_(batch), place_(f.nodes.size(), no_node), batched_(f.nodes.size(), 0) {
    g_.pool.append(f.pool.data(), f.pool.size());
    if (f.regions.size() > 1) of_loops_ = batched_nodes(f, axes);
    for (std::size_t r = 1; r < f.regions.size(); ++r)
      g_.regions.push_back({f.regions[r].parent, 0, 0, 0});
    for (std::size_t k = 0; k < f.input_list.size(); ++k) add_input(f.input_list[k], axes[k]);
    for (node_id id = 0; id < f.size(); ++id)
      if (f[id].op->kind != operation_kind::input) add(id);
    for (node_id o : f.output_list) g_.output_list.push_back(whole(o).id);
  }

  [[nodiscard]] constexpr graph finish() { return std::move(g_); }

 private:
  using term = ops::term;
  using attributes = ops::attribute_list;

  [[nodiscard]] constexpr term at(node_id old) { return {&g_, place_[old]}; }
  [[nodiscard]] constexpr extents with_batch(const extents& e) const {
    extents b{batch_};
    for (int i = 0; i < e.rank; ++i) b.push_back(e[i]);
    return b;
  }
  /// The value with a batch axis, whether it depends on the batch or not.
  constexpr term whole(node_id old) {
    return batched_[old] != 0 ? at(old) : ops::stretch_to(with_batch(f_.type(old).shape), at(old));
  }

  constexpr void add_input(node_id old, int axis) {
    const spec type = f_.type(old);
    if (axis < 0) {
      place_[old] = g_.add_input(ops::id<ops::input>, type);
      return;
    }
    spec full{type.type, {}};
    attributes order;
    order.push_back(axis);
    for (int i = 0; i <= type.shape.rank; ++i) {
      if (i != axis) order.push_back(i);
      full.shape.push_back(i == axis ? batch_ : type.shape[i < axis ? i : i - 1]);
    }
    const term x{&g_, g_.add_input(ops::id<ops::input>, full)};
    batched_[old] = 1;
    place_[old] =
        axis == 0 ? x.id : ops::record_with<ops::permute_dims>(std::span<const index>(order), x).id;
  }

  constexpr void add(node_id id) {
    g_.current = f_[id].region;
    switch (f_[id].op->kind) {
      case operation_kind::parameter:
        return add_parameter_of(id);
      case operation_kind::loop:
      case operation_kind::branch:
        return add_owner(id);
      case operation_kind::result:
        return add_result_of(id);
      default:
        break;
    }
    bool any = false;
    for (node_id o : f_.operands(id)) any = any || batched_[o] != 0;
    if (!any) return copy(id);
    batched_[id] = 1;
    if (ops::is<ops::custom_gradient>(f_[id].op) || ops::is<ops::checkpoint>(f_[id].op))
      return add_custom_gradient(id);
    switch (f_[id].op->kind) {
      case operation_kind::elementwise:
        return add_elementwise(id);
      case operation_kind::contraction:
        return add_product(id);
      case operation_kind::reduction:
        return add_reduction(id);
      case operation_kind::concatenation: {
        list<node_id> operands;
        for (node_id o : f_.operands(id)) operands.push_back(whole(o).id);
        const index a = f_.attributes(id)[0];
        const index axis[1] = {a < 0 ? a : a + 1};
        place_[id] = emit(g_, f_[id].op, span_of(operands), axis);
        return;
      }
      case operation_kind::along_axis:
        return add_along_axis(id);
      default:
        return add_movement(id);
    }
  }

  // A value that the batch shares has the sum of the cotangents.
  constexpr void add_custom_gradient(node_id id) {
    list<node_id> operands;
    operands.push_back(whole(f_.operand(id, 0)).id);
    for (int k = 1; k < f_[id].operand_count; ++k) {
      const node_id o = f_.operand(id, k);
      const bool shared = k > 2 && k % 2 != 0 && batched_[f_.operand(id, k - 1)] == 0;
      operands.push_back(shared ? ops::record_with<ops::sum>({0, 0}, whole(o)).id : place_[o]);
      if (k > 2 && k % 2 != 0 && !shared) operands.back() = whole(o).id;
    }
    place_[id] = emit(g_, f_[id].op, span_of(operands));
  }

  constexpr void copy(node_id id) {
    list<node_id> operands;
    for (node_id o : f_.operands(id)) operands.push_back(place_[o]);
    place_[id] = g_.add(f_[id].op, f_.type(id), span_of(operands), f_.attributes(id));
  }

  constexpr void record(node_id id, term x, const attributes& a) {
    const node_id operands[1] = {x.id};
    place_[id] = emit(g_, f_[id].op, operands, a);
  }

  // Shapes are aligned at the last axis, so axes of extent 1 keep the batch in front.
  constexpr term aligned(node_id old, int rank) {
    const term x = at(old);
    const extents e = f_.type(old).shape;
    if (batched_[old] == 0 || e.rank == rank) return x;
    extents wide{batch_};
    for (int i = 0; i < rank - e.rank; ++i) wide.push_back(1);
    for (int i = 0; i < e.rank; ++i) wide.push_back(e[i]);
    return ops::reshape_to(wide, x);
  }

  constexpr void add_elementwise(node_id id) {
    list<node_id> operands;
    for (node_id o : f_.operands(id)) operands.push_back(aligned(o, f_.type(id).shape.rank).id);
    place_[id] = emit(g_, f_[id].op, span_of(operands), f_.attributes(id));
  }

  // A state has the batch if any of its values has. A loop goes through rows, so these come first and
  // the batch second there.
  constexpr void add_parameter_of(node_id id) {
    const node_id x = f_.operand(id, 0);
    const parameter_role role = role_of(f_, id);
    batched_[id] = of_loops_[id];
    g_.current = f_.regions[f_[id].region].parent;
    const node_id from = role == parameter_role::row              ? rows_of(x)
                         : batched_[id] != 0 && batched_[x] == 0 ? whole(x).id
                                                                  : place_[x];
    g_.current = f_[id].region;
    place_[id] = add_parameter(g_, from, role);
  }
  constexpr node_id rows_of(node_id x) {
    return batched_[x] != 0 ? exchanged(at(x)).id : place_[x];
  }
  // With the first two axes in each other's place.
  constexpr term exchanged(term x) {
    attributes order;
    for (int i = 0; i < x.rank(); ++i) order.push_back(i < 2 ? 1 - i : i);
    return ops::record_with<ops::permute_dims>(std::span<const index>(order), x);
  }

  constexpr void add_owner(node_id id) {
    const std::int32_t first = region_of(f_, id);
    const bool is_loop = f_[id].op->kind == operation_kind::loop;
    for (int k = 0; k < region_count(f_, id); ++k) {
      const std::int32_t r = first + k;
      g_.current = r;
      list<node_id> in, out;
      list<char> with_batch_of_output;
      if (is_loop && is_while(f_, id)) with_batch_of_output.push_back(0);
      for (node_id p : f_.region_inputs(r)) {
        in.push_back(place_[p]);
        if (role_of(f_, p) == parameter_role::state) with_batch_of_output.push_back(batched_[p]);
      }
      const auto outputs = f_.region_outputs(r);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        bool batched = i < with_batch_of_output.size() ? with_batch_of_output[i] != 0
                                                       : batched_[outputs[i]] != 0;
        if (!is_loop)
          for (int a = 0; a < region_count(f_, id); ++a)
            batched = batched || batched_[f_.region_outputs(first + a)[i]] != 0;
        out.push_back(batched ? whole(outputs[i]).id : place_[outputs[i]]);
      }
      g_.end_region(span_of(in), span_of(out));
    }
    g_.current = f_[id].region;
    const node_id x = f_.operand(id, 0);
    const bool by_rows = is_loop && turns_of(f_, id) == turns_by::rows;
    place_[id] = add_control(g_, f_[id].op, by_rows ? rows_of(x) : place_[x], first,
                             f_.attributes(id)[1]);
  }

  constexpr void add_result_of(node_id id) {
    const node_id owner = f_.operand(id, 0);
    const node_id y = f_.operand(id, 1);
    if (f_[owner].op->kind == operation_kind::branch) {
      const index k = f_.attributes(id)[0];
      batched_[id] = of_loops_[id];
      place_[id] = add_result(g_, place_[owner],
                              g_.view().region_outputs(region_of(f_, owner))[k], k);
    } else if (is_stacked(f_, id)) {
      batched_[id] = batched_[y];
      const term all{&g_, add_stacked(g_, place_[owner], place_[y], rows_of(f_.operand(id, 2)))};
      place_[id] = batched_[y] != 0 ? exchanged(all).id : all.id;
    } else {
      batched_[id] = batched_[y];
      place_[id] = add_result(g_, place_[owner], place_[y]);
    }
  }

  constexpr void add_product(node_id id) {
    const node_id a = f_.operand(id, 0);
    const node_id b = f_.operand(id, 1);
    const int rank_a = f_.type(a).shape.rank;
    const int rank_b = f_.type(b).shape.rank;
    if (batched_[b] == 0 && rank_b <= 2) {  // the batch is more rows
      const term product = ops::record<ops::matmul>(at(a), at(b));
      place_[id] = product.id;
      return;
    }
    // With vectors as matrices of one row or column.
    const term row = rank_a == 1 ? ops::record_with<ops::expand_dims>({-2}, at(a)) : at(a);
    const term column = rank_b == 1 ? ops::record_with<ops::expand_dims>({-1}, at(b)) : at(b);
    const int most =
        (rank_a > rank_b ? rank_a : rank_b) > 2 ? (rank_a > rank_b ? rank_a : rank_b) : 2;
    const auto lift = [&](term x, bool batched) {
      const extents e = x.type().shape;
      if (!batched || e.rank == most + 1) return x;
      extents wide{batch_};
      for (int i = 0; i < most + 1 - e.rank; ++i) wide.push_back(1);
      for (int i = 1; i < e.rank; ++i) wide.push_back(e[i]);
      return ops::reshape_to(wide, x);
    };
    const term product =
        ops::record<ops::matmul>(lift(row, batched_[a] != 0), lift(column, batched_[b] != 0));
    place_[id] = ops::reshape_to(with_batch(f_.type(id).shape), product).id;
  }

  constexpr void add_reduction(node_id id) {
    term x = at(f_.operand(id, 0));
    const auto old = f_.attributes(id);
    const int rank = f_.type(f_.operand(id, 0)).shape.rank;
    const ops::reduced_axes axes(old, rank);
    attributes a;
    a.push_back(old[0]);
    for (int i = 0; i < rank; ++i)
      if (axes[i]) a.push_back(i + 1);
    if (rank == 0) {  // an axis to reduce, since none would mean all
      x = ops::record_with<ops::expand_dims>({-1}, x);
      a.value[0] = 0;
      a.push_back(1);
    }
    record(id, x, a);
  }

  // Indices that the batch shares stay as they are; others have its axis in common with the rest.
  constexpr void add_along_axis(node_id id) {
    const auto old = f_.attributes(id);
    const bool has_indices = ops::is<ops::take>(f_[id].op) || ops::is<ops::scatter_add>(f_[id].op);
    const bool own_indices = has_indices && (batched_[f_.operand(id, 0)] != 0 || old[1] > 0);
    list<node_id> operands;
    for (node_id o : f_.operands(id))
      operands.push_back(has_indices && !own_indices && operands.empty() ? place_[o] : whole(o).id);
    const index a[2] = {old[0] < 0 ? old[0] : old[0] + 1, own_indices ? old[1] + 1 : old[1]};
    place_[id] = emit(g_, f_[id].op, span_of(operands), a);
  }

  constexpr void add_movement(node_id id) {
    const operation* op = f_[id].op;
    const node_id x = f_.operand(id, 0);
    const auto old = f_.attributes(id);
    const int to_rank = f_.type(id).shape.rank;
    if (ops::is<ops::reshape>(op))
      return record(id, at(x), ops::extents_of(with_batch(f_.type(id).shape)));
    if (ops::is<ops::broadcast_to>(op))
      return record(id, aligned(x, to_rank), ops::extents_of(with_batch(f_.type(id).shape)));
    attributes a;
    if (ops::is<ops::recompute>(op)) return record(id, at(x), a);
    if (ops::is<ops::slice>(op)) {
      for (index v : {index{0}, end, index{1}}) a.push_back(v);
      for (index v : old) a.push_back(v);
    } else {  // axes
      const int rank = ops::is<ops::expand_dims>(op) ? to_rank : f_.type(x).shape.rank;
      if (ops::is<ops::permute_dims>(op)) a.push_back(0);
      for (index v : old) a.push_back((v < 0 ? v + rank : v) + 1);
    }
    record(id, at(x), a);
  }

  graph g_;
  graph_view f_;
  index batch_;
  list<node_id> place_;
  list<char> batched_;
  list<char> of_loops_;  // the same, known beforehand, of a graph with loops or branches
};

}  // namespace tfgraph::detail
