// The scheduler: groups the nodes of an optimised graph into kernels, decides what exists in
// memory, and gives it a place.
//
// Elementwise nodes join the first kernel that uses them at the same loop indices; what others need
// too is stored from there. Reductions take their elementwise producers in, matrix products their
// elementwise users. Movement costs nothing: it is a layout over its operand's memory.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/emit.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/generate.hpp>
#include <tfgraph/schedule/grouping.hpp>
#include <tfgraph/schedule/memory.hpp>

namespace tfgraph::schedule {

/// How kernels get at the values of `full`: as operands of their steps, part of the code, or from
/// memory, so that programs that differ in numbers only can share code.
enum class numbers_are : std::uint8_t { immediate, loaded };

namespace detail {

/// Emits the kernels of a grouped graph.
class emitter {
 public:
  constexpr emitter(const graph_view& g, tfgraph::detail::list_view<membership> groups,
                    numbers_are numbers)
      : g_(g),
        groups_(groups),
        numbers_(numbers),
        place_(g_.nodes.size(), place{}),
        layout_of_(g_.nodes.size(), -1),
        slot_(g_.nodes.size(), -1),
        pointer_(g_.nodes.size(), -1),
        first_(tfgraph::detail::first_nodes(g)) {}

  constexpr program run() {
    number_pointers();
    place_results();
    list_members();
    emit_region(0, 0, g_.size());
    for (std::size_t k = 0; k < g_.output_list.size(); ++k) {
      const node_id o = g_.output_list[k];
      const place result{place_kind::output, static_cast<index>(k)};
      if (!(place_[base(o)] == result))
        emit_copy(o, where(o), {result, layout::contiguous(g_.type(o).shape)});
    }
    p_.arena_bytes = place_buffers(buffers_);
    for (access& a : p_.loads) settle(a);
    for (access& a : p_.stores) settle(a);
    for (kernel& k : p_.kernels) {
      settle(k.result);
      settle(k.left);
      settle(k.right);
      settle(k.control.selector);
      settle(k.control.again);
      settle(k.control.turn);
    }
    for (carried_pointer& c : p_.carries) {
      settle(c.start);
      for (place& b : c.buffer) settle(b);
    }
    return p_;
  }

 private:
  struct location {
    place where;
    layout form;
  };

  [[nodiscard]] constexpr operation_kind kind(node_id id) const { return g_.nodes[id].op->kind; }

  template <class T>
  static constexpr int count(const tfgraph::detail::list<T>& l) {
    return static_cast<int>(l.size());
  }

  // Every access of a kernel under construction. (Before its uses: clang 16 needs that in
  // constant expressions.)
  template <class F>
  constexpr void for_each_access(kernel& k, F f) {
    for (int i = k.first_load; i < count(p_.loads); ++i) f(p_.loads[i]);
    for (int i = k.first_store; i < count(p_.stores); ++i) f(p_.stores[i]);
    if (k.kind == kernel_kind::position) f(k.left);
  }

  // ---- places ---------------------------------------------------------------------------------

  [[nodiscard]] constexpr location where(node_id id) const {
    const int l = layout_of_[id];
    return {place_[id], l >= 0 ? layouts_[l] : layout::contiguous(g_.type(id).shape)};
  }
  constexpr void put(node_id id, const location& l) {
    place_[id] = l.where;
    layout_of_[id] = static_cast<int>(layouts_.size());
    layouts_.push_back(l.form);
  }
  [[nodiscard]] constexpr bool unplaced(node_id id) const {
    return groups_[id].stored && place_[id].kind == place_kind::nowhere;
  }

  // What lies, in the same order of elements, under a chain of reshapes.
  [[nodiscard]] constexpr node_id base(node_id id) const {
    while (kind(id) == operation_kind::movement && !groups_[id].stored) {
      const node_id under = g_.operand(id, 0);
      const layout l = g_[id].op->view(layout::contiguous(g_.type(under).shape), g_.type(id).shape,
                                       g_.attributes(id));
      if (!l.is_contiguous() || l.offset != 0 ||
          g_.type(under).shape.size() != g_.type(id).shape.size())
        break;
      id = under;
    }
    return id;
  }

  constexpr void place_results() {
    for (std::size_t k = 0; k < g_.output_list.size(); ++k) {
      // A reshaped result is computed in its place too.
      const node_id o = base(g_.output_list[k]);
      if (unplaced(o)) place_[o] = {place_kind::output, static_cast<index>(k)};
    }
    for (node_id id = g_.size() - 1; id >= 0; --id) {
      if (unplaced(id)) place_[id] = new_buffer(g_.type(id));
      if (kind(id) == operation_kind::concatenation) place_parts(id);
      else if (is_structural(kind(id))) place_region_outputs(id);
    }
    index next_input = 0;
    for (node_id id = 0; id < g_.size(); ++id) {
      const operation_kind k = kind(id);
      place& p = place_[id];
      if (k == operation_kind::input) p = {place_kind::input, next_input++};
      else if (k == operation_kind::constant) p = {place_kind::pool, g_.attributes(id)[0]};
      else if (is_loaded_number(id)) put(id, {{place_kind::number, id}, {g_.type(id).shape, {}}});
      else if (k == operation_kind::generator) p = {place_kind::generated, id};
      else if (k == operation_kind::movement && !groups_[id].stored) put(id, moved(id));
      else if (is_structural(k)) place_parameter(id);
    }
  }

  [[nodiscard]] constexpr index bytes_of(const spec& type) const {
    return type.shape.size() * static_cast<index>(size_of(type.type));
  }
  constexpr place new_buffer(const spec& type) {
    buffers_.push_back({bytes_of(type), no_kernel, -1, 0});
    return {place_kind::arena, static_cast<index>(buffers_.size()) - 1};
  }

  // A movement as a layout over its operand's memory.
  [[nodiscard]] constexpr location moved(node_id id) const {
    const location under = where(g_.operand(id, 0));
    return {under.where, g_[id].op->view(under.form, g_.type(id).shape, g_.attributes(id))};
  }

  // The part of a concatenation's memory that its k-th operand fills.
  [[nodiscard]] constexpr layout part_of(node_id id, int k) const {
    const int rank = g_.type(id).shape.rank;
    const index a = g_.attributes(id)[0];
    const int axis = static_cast<int>(a < 0 ? a + rank : a);
    layout part = where(id).form;
    for (int i = 0; i < k; ++i)
      part.offset += g_.type(g_.operand(id, i)).shape[axis] * part.stride[axis];
    part.shape = g_.type(g_.operand(id, k)).shape;
    return part;
  }

  // What only a concatenation uses is computed in its place.
  constexpr void place_parts(node_id id) {
    for (int k = 0; k < g_[id].operand_count; ++k) {
      const node_id o = g_.operand(id, k);
      if (unplaced(o) && groups_[o].uses == 1 && kind(o) != operation_kind::concatenation &&
          kind(o) != operation_kind::movement && kind(o) != operation_kind::along_axis)
        put(o, {place_[id], part_of(id, k)});
    }
  }

  // Until all kernels are known, an arena place names a buffer; then it gets its offset.
  constexpr void settle(place& p) const {
    if (p.kind == place_kind::arena) p.number = buffers_[p.number].offset;
  }
  constexpr void settle(access& a) const { settle(a.where); }

  // ---- loops and branches -----------------------------------------------------------------------

  [[nodiscard]] constexpr bool is_state(node_id parameter) const {
    return tfgraph::detail::role_of(g_, parameter) == parameter_role::state;
  }

  // The pointers of states (two), rows, and of results that are stacked.
  constexpr void number_pointers() {
    if (g_.regions.size() == 1) return;
    for (node_id id = 0; id < g_.size(); ++id) {
      const bool state = kind(id) == operation_kind::parameter && is_state(id);
      const bool row = kind(id) == operation_kind::parameter &&
                       tfgraph::detail::role_of(g_, id) == parameter_role::row;
      const bool stack =
          kind(id) == operation_kind::result && groups_[id].stored &&
          tfgraph::detail::is_stacked(g_, id);
      if (!state && !row && !stack) continue;
      pointer_[id] = p_.pointer_count;
      p_.pointer_count += state ? 2 : 1;
    }
  }
  [[nodiscard]] constexpr place pointer(node_id id, int k = 0) const {
    return {place_kind::pointer, pointer_[id] + k};
  }

  // What a region gives is computed where it is wanted, if nothing else has a claim on it.
  constexpr void place_region_output(std::int32_t region, node_id output, const place& wanted) {
    const node_id o = base(output);
    if (unplaced(o) && g_[o].region == region) place_[o] = wanted;
  }
  constexpr void place_region_outputs(node_id id) {
    if (kind(id) == operation_kind::loop) {
      const std::int32_t r = tfgraph::detail::region_of(g_, id);
      std::size_t next = tfgraph::detail::is_while(g_, id) ? 1 : 0;
      for (node_id p : g_.region_inputs(r))
        if (is_state(p)) place_region_output(r, g_.region_outputs(r)[next++], pointer(p, 1));
    } else if (kind(id) == operation_kind::result && groups_[id].stored) {
      const node_id from = g_.operand(id, 0);
      const std::int32_t r = tfgraph::detail::region_of(g_, from);
      if (tfgraph::detail::is_stacked(g_, id))
        return place_region_output(r, g_.operand(id, 1), pointer(id));
      for (int k = 0; k < tfgraph::detail::region_count(g_, from); ++k)
        place_region_output(r + k, g_.region_outputs(r + k)[g_.attributes(id)[0]], place_[id]);
    }
  }

  constexpr void place_parameter(node_id id) {
    if (kind(id) == operation_kind::result) {
      if (!groups_[id].stored) place_[id] = pointer(g_.operand(id, 1));
    } else if (kind(id) == operation_kind::parameter) {
      if (pointer_[id] < 0) {  // the number of the turn
        place_[id] = new_buffer(g_.type(id));
      } else if (is_state(id)) {
        place_[id] = pointer(id);
      } else {
        const location all = where(g_.operand(id, 0));
        layout row = layout::contiguous(g_.type(id).shape);
        if (!is_computed(all.where))
          for (int i = 0; i < row.shape.rank; ++i) row.stride[i] = all.form.stride[i + 1];
        put(id, {pointer(id), row});
      }
    }
  }

  // A tensor in memory, in the order of its elements if it is to be contiguous.
  constexpr void bring_to_memory(node_id o, bool contiguous) {
    materialize(o);
    const location now = where(o);
    if (!contiguous || now.form.is_contiguous()) return;
    move_to_memory(o);
  }
  // From here on to the end of the region that is being emitted: its kernels may not run at all.
  constexpr void move_to_memory(node_id o) {
    const location to = copied(o);
    moved_.push_back({o, place_[o], layout_of_[o]});
    put(o, to);
  }
  [[nodiscard]] constexpr access access_to(node_id o) const {
    const location l = where(o);
    return {l.where, g_.type(o).type, -1, l.form.offset, {}};
  }

  constexpr void emit_region(std::int32_t region, node_id first, node_id end) {
    for (node_id id = first; id < end; ++id) {
      if (g_.nodes[id].region != region) continue;
      switch (kind(id)) {
        case operation_kind::loop:
          emit_loop(id);
          break;
        case operation_kind::branch:
          emit_branch(id);
          break;
        case operation_kind::concatenation:
          if (groups_[id].root == id) emit_concatenation(id);
          break;
        case operation_kind::movement:
          if (groups_[id].root == id) emit_movement(id);
          break;
        case operation_kind::along_axis:
          if (groups_[id].root == id) emit_along_axis(id);
          break;
        default:
          if (groups_[id].root == id) emit_kernel(id);
      }
    }
  }

  constexpr void emit_loop(node_id id) {
    const std::int32_t r = tfgraph::detail::region_of(g_, id);
    const auto inputs = g_.region_inputs(r);
    const auto outputs = g_.region_outputs(r);
    const node_id by = g_.operand(id, 0);
    kernel k{};
    k.kind = kernel_kind::repeat;
    k.root = id;
    k.control.by = tfgraph::detail::turns_of(g_, id);
    k.control.turns = -1;
    if (k.control.by == turns_by::rows) {
      k.control.turns = g_.type(by).shape[0];
    } else if (k.control.by == turns_by::number && ops::is<ops::full>(g_[by].op)) {
      k.control.turns = tfgraph::detail::number_of(
          g_.type(by).type, static_cast<element_bits>(g_.attributes(by)[0]));
    } else {
      materialize(by);
      k.control.selector = access_to(by);
    }
    for (node_id p : inputs)
      if (pointer_[p] >= 0) bring_to_memory(g_.operand(p, 0), is_state(p));
    // What its kernels need in memory is brought there once.
    for (node_id n = first_[r]; n < id; ++n)
      if (kind(n) == operation_kind::contraction || is_position(g_, n))
        for (node_id o : g_.operands(n))
          if (o < first_[r] || g_[o].region == g_[id].region) materialize(o);

    k.control.first_carry = count(p_.carries);
    for (node_id p : inputs) add_carry(p, k);
    for (node_id s = id + 1; s < g_.size(); ++s)
      if (pointer_[s] >= 0 && kind(s) == operation_kind::result && g_.operand(s, 0) == id &&
          tfgraph::detail::is_stacked(g_, s)) {
        const spec& row = g_.type(g_.operand(s, 1));
        p_.carries.push_back(
            {carried_kind::stacked, pointer_[s], access_to(s), {}, bytes_of(row)});
      }
    k.control.carry_count = count(p_.carries) - k.control.first_carry;
    note_control(k);
    const int self = count(p_.kernels);
    const std::size_t moved = moved_.size();
    p_.kernels.push_back(k);

    emit_region(r, first_[r], id);
    std::size_t next = 0;
    if (k.control.by == turns_by::condition) {
      const node_id o = outputs[next++];
      if (is_computed(where(o).where)) {
        const location copy{new_buffer(g_.type(o)), layout::contiguous(g_.type(o).shape)};
        emit_copy(o, where(o), copy);
        p_.kernels[self].control.again = {copy.where, g_.type(o).type, -1, 0, {}};
      } else {
        p_.kernels[self].control.again = access_to(o);
      }
    }
    for (node_id p : inputs)
      if (is_state(p)) deliver(outputs[next++], {pointer(p, 1), layout::contiguous(g_.type(p).shape)});
    for (node_id s = id + 1; s < g_.size(); ++s)
      if (pointer_[s] >= 0 && kind(s) == operation_kind::result && g_.operand(s, 0) == id &&
          tfgraph::detail::is_stacked(g_, s)) {
        const node_id o = g_.operand(s, 1);
        deliver(o, {pointer(s), layout::contiguous(g_.type(o).shape)});
      }
    end_control(self, moved);
    // What lives when the loop begins, and what it reads between turns, lives until it ends.
    const int last = count(p_.kernels) - 1;
    for (buffer& b : buffers_)
      if (b.first_kernel != no_kernel && b.first_kernel <= self && b.last_kernel >= self &&
          b.last_kernel < last)
        b.last_kernel = last;
    if (const place a = p_.kernels[self].control.again.where; a.kind == place_kind::arena)
      buffers_[a.number].last_kernel = last;
  }

  constexpr void add_carry(node_id p, kernel& k) {
    const node_id x = g_.operand(p, 0);
    if (pointer_[p] < 0) {
      k.control.turn = place_[p];
    } else if (is_state(p)) {
      const spec& type = g_.type(p);
      const place first = new_buffer(type);
      p_.carries.push_back(
          {carried_kind::state, pointer_[p], access_to(x), {first, new_buffer(type)}, 0});
    } else {
      const index step =
          where(x).form.stride[0] * static_cast<index>(size_of(g_.type(x).type));
      p_.carries.push_back({carried_kind::row, pointer_[p], access_to(x), {}, step});
    }
  }

  constexpr void emit_branch(node_id id) {
    const node_id by = g_.operand(id, 0);
    materialize(by);
    const int alternatives = tfgraph::detail::region_count(g_, id);
    for (int a = 0; a < alternatives; ++a) {
      const std::int32_t r = tfgraph::detail::region_of(g_, id) + a;
      kernel k{};
      k.kind = kernel_kind::when;
      k.root = id;
      k.control.selector = access_to(by);
      k.control.alternative = a;
      k.control.alternatives = alternatives;
      note_control(k);
      const int self = count(p_.kernels);
      const std::size_t moved = moved_.size();
      p_.kernels.push_back(k);
      emit_region(r, first_[r], id);
      for (node_id s = id + 1; s < g_.size(); ++s)
        if (kind(s) == operation_kind::result && g_.operand(s, 0) == id)
          deliver(g_.region_outputs(r)[g_.attributes(s)[0]], where(s));
      end_control(self, moved);
    }
  }

  constexpr void note_control(const kernel& k) {
    note_use(k.control.selector);
    note_use(k.control.turn);
    for (int i = 0; i < k.control.carry_count; ++i)
      note_use(place{place_kind::pointer, p_.carries[k.control.first_carry + i].pointer});
  }
  constexpr void end_control(int self, std::size_t moved) {
    p_.kernels[self].control.kernel_count = count(p_.kernels) - self - 1;
    for (; moved_.size() > moved; moved_.resize(moved_.size() - 1)) {
      const moved_node& m = moved_.back();
      place_[m.node] = m.where;
      layout_of_[m.node] = m.layout;
    }
  }
  // Copies what a region gives, unless it has been computed in its place.
  constexpr void deliver(node_id o, const location& to) {
    if (!(place_[base(o)] == to.where)) emit_copy(o, where(o), to);
  }

  // ---- kernels --------------------------------------------------------------------------------

  constexpr void list_members() {
    members_.resize(g_.nodes.size(), no_node);
    first_member_.resize(g_.nodes.size(), no_node);
    for (node_id id = g_.size() - 1; id >= 0; --id) {
      const node_id r = groups_[id].root;
      if (r == no_node) continue;
      members_[id] = first_member_[r];
      first_member_[r] = id;
    }
  }

  // An access to a tensor over the axes of `domain`, in their order.
  [[nodiscard]] constexpr access reach(const location& l, dtype t, const extents& domain,
                                       std::int32_t slot) const {
    const layout over = l.form.broadcast_to(domain);
    access a{l.where, t, slot, over.offset, {}};
    for (int i = 0; i < domain.rank; ++i) a.stride[i] = over.stride[i];
    return a;
  }

  constexpr void note_use(const access& a) { note_use(a.where); }
  constexpr void note_use(const place& p) {
    if (p.kind == place_kind::pointer) {
      // What it may point at.
      for (std::size_t i = 0; i < p_.carries.size(); ++i) {
        const carried_pointer c = p_.carries[i];
        const bool is_next = c.kind == carried_kind::state && c.pointer + 1 == p.number;
        if (c.pointer != p.number && !is_next) continue;
        note_use(c.start);
        for (const place& b : c.buffer) note_use(b);
      }
    }
    if (p.kind != place_kind::arena) return;
    buffer& b = buffers_[p.number];
    const int now = static_cast<int>(p_.kernels.size());
    if (b.first_kernel == no_kernel) b.first_kernel = now;
    if (b.last_kernel < now) b.last_kernel = now;
  }

  constexpr std::int32_t new_slot(const kernel& k, dtype t) {
    p_.slots.push_back(t);
    return static_cast<std::int32_t>(p_.slots.size()) - 1 - k.first_slot;
  }

  constexpr kernel begin(kernel_kind what, node_id root) const {
    kernel k{};
    k.kind = what;
    k.root = root;
    k.lane_bytes = 1;
    k.input_slot = -1;
    k.first_load = static_cast<std::int32_t>(p_.loads.size());
    k.first_step = static_cast<std::int32_t>(p_.steps.size());
    k.first_store = static_cast<std::int32_t>(p_.stores.size());
    k.first_slot = static_cast<std::int32_t>(p_.slots.size());
    return k;
  }

  constexpr void finish(kernel k) {
    k.load_count = static_cast<std::int32_t>(p_.loads.size()) - k.first_load;
    k.step_count = static_cast<std::int32_t>(p_.steps.size()) - k.first_step;
    k.store_count = static_cast<std::int32_t>(p_.stores.size()) - k.first_store;
    k.slot_count = static_cast<std::int32_t>(p_.slots.size()) - k.first_slot;
    for (std::int32_t s = 0; s < k.slot_count; ++s) {
      const auto bytes = static_cast<std::int32_t>(size_of(p_.slots[k.first_slot + s]));
      if (bytes > k.lane_bytes) k.lane_bytes = bytes;
    }
    for (std::int32_t i = 0; i < k.load_count; ++i) note_use(p_.loads[k.first_load + i]);
    for (std::int32_t i = 0; i < k.store_count; ++i) note_use(p_.stores[k.first_store + i]);
    note_use(k.result);
    note_use(k.left);
    note_use(k.right);
    p_.kernels.push_back(k);
  }

  // Copies elements, walked in the order of `from`.
  constexpr void emit_copy(node_id id, const location& from, const location& to) {
    kernel k = begin(kernel_kind::elementwise, id);
    const dtype t = g_.type(id).type;
    const std::int32_t slot = new_slot(k, t);
    set_loops(k, from.form.shape);
    p_.loads.push_back(reach(from, t, from.form.shape, slot));
    p_.stores.push_back(reach(to, t, from.form.shape, slot));
    merge_loops(k, k.rank, k.rank);
    finish(k);
  }

  // A movement that must exist in memory. One that is no layout (a reshape) keeps the order of its
  // operand's elements.
  constexpr void emit_movement(node_id id) {
    location from = moved(id);
    if (!from.form.valid) from = where(g_.operand(id, 0));
    emit_copy(id, from, {place_[id], layout::contiguous(from.form.shape)});
  }

  constexpr void emit_concatenation(node_id id) {
    for (int i = 0; i < g_[id].operand_count; ++i) {
      const node_id o = g_.operand(id, i);
      const location part{place_[id], part_of(id, i)};
      const location now = where(o);
      const bool in_place =
          groups_[o].uses == 1 && now.where == part.where && now.form.offset == part.form.offset;
      if (!in_place) emit_copy(o, now, part);
    }
  }

  // The register of an operand: computed in this kernel, or loaded. A number needs none.
  constexpr std::int32_t register_of(kernel& k, node_id o, const extents& domain) {
    if (ops::is<ops::full>(g_[o].op) && !is_loaded_number(o)) return step::immediate(o);
    std::int32_t& slot = slot_[o];
    if (slot < 0) {
      slot = new_slot(k, g_.type(o).type);
      p_.loads.push_back(reach(where(o), g_.type(o).type, domain, slot));
      touched_.push_back(o);
    }
    return slot;
  }

  constexpr std::int32_t loaded_register_of(kernel& k, node_id o, const extents& domain) {
    const std::int32_t slot = register_of(k, o, domain);
    if (slot >= 0) return slot;
    const std::int32_t own = new_slot(k, g_.type(o).type);
    p_.loads.push_back(reach(where(o), g_.type(o).type, domain, own));
    return own;
  }

  // Matrix products and searches for a position read memory, so what is computed from its position
  // (eye, iota, full) is written there for them.
  constexpr void materialize(node_id o) {
    if (is_computed(place_[o])) move_to_memory(o);
  }
  static constexpr bool is_computed(const place& p) {
    return p.kind == place_kind::generated || p.kind == place_kind::number;
  }

  // A copy, in row-major order.
  constexpr location copied(node_id o) {
    const spec& type = g_.type(o);
    const location copy{new_buffer(type), layout::contiguous(type.shape)};
    emit_copy(o, where(o), copy);
    return copy;
  }

  // What is read as one run of memory, in a copy if it does not lie so.
  [[nodiscard]] constexpr location contiguous(node_id o) {
    const location now = where(o);
    return !is_computed(now.where) && now.form.is_contiguous() ? now : copied(o);
  }

  constexpr void emit_along_axis(node_id id) {
    tfgraph::detail::list<access> operands;
    tfgraph::detail::list<spec> types;
    for (node_id o : g_.operands(id)) {
      const location from = contiguous(o);
      operands.push_back({from.where, g_.type(o).type, -1, from.form.offset, {}});
      types.push_back(g_.type(o));
    }
    kernel k = begin(kernel_kind::along_axis, id);
    const axis_extents e = g_[id].op->axis(tfgraph::detail::span_of(types), g_.attributes(id));
    set_loops(k, {e.batch, e.outer, e.from, e.to, e.inner});
    for (const access& a : operands) p_.loads.push_back(a);
    const location to = where(id);
    p_.stores.push_back({to.where, g_.type(id).type, -1, to.form.offset, {}});
    finish(k);
  }

  constexpr void emit_kernel(node_id root) {
    const bool reduces = kind(root) == operation_kind::reduction;
    if (reduces && is_position(g_, root)) {
      emit_position(root);
      return;
    }
    for (node_id id = first_member_[root]; id != no_node; id = members_[id])
      if (kind(id) == operation_kind::contraction)
        for (node_id o : g_.operands(id)) materialize(o);
    kernel k = begin(kernel_kind::elementwise, root);
    const extents domain = reduces ? g_.type(g_.operand(root, 0)).shape : g_.type(root).shape;
    set_loops(k, domain);
    for (node_id id = first_member_[root]; id != no_node; id = members_[id]) {
      if (kind(id) == operation_kind::reduction) {
        k.input_slot = loaded_register_of(k, g_.operand(id, 0), domain);
        continue;
      }
      if (kind(id) == operation_kind::contraction) {
        emit_product(k, id);
      } else {
        step s{g_[id].op, g_.type(id).type, g_[id].operand_count, -1, {none, none, none}, id};
        for (int i = 0; i < s.operand_count; ++i)
          s.operand[i] = register_of(k, g_.operand(id, i), domain);
        s.result = slot_[id] = new_slot(k, g_.type(id).type);
        touched_.push_back(id);
        p_.steps.push_back(s);
      }
      if (groups_[id].stored)
        p_.stores.push_back(reach(where(id), g_.type(id).type, domain, slot_[id]));
    }
    if (reduces) order_reduction(k, root);
    else if (k.kind == kernel_kind::contraction) complete_product_loops(k);
    else merge_loops(k, domain.rank, domain.rank);
    hoist_invariant(k);
    share_registers(k);
    for (node_id t : touched_) slot_[t] = -1;
    touched_.clear();
    finish(k);
  }

  constexpr void emit_product(kernel& k, node_id id) {
    const node_id a = g_.operand(id, 0);
    const node_id b = g_.operand(id, 1);
    k.kind = kernel_kind::contraction;
    right_is_matrix_ = g_.type(b).shape.rank > 1;
    const location left = where(a);
    const location right = where(b);
    const tfgraph::detail::contraction_plan plan =
        tfgraph::detail::plan_contraction(left.form, right.form);
    const extents& batch = plan.batch_a.shape;
    k.product = {plan.rows,    plan.columns,  plan.depth, plan.a_row, plan.a_depth,
                 plan.b_depth, plan.b_column, batch.rank, id};
    k.left = reach({left.where, plan.batch_a}, g_.type(a).type, batch, -1);
    k.right = reach({right.where, plan.batch_b}, g_.type(b).type, batch, -1);
    k.input_slot = slot_[id] = new_slot(k, g_.type(id).type);
    touched_.push_back(id);
  }

  // A vector as operand leaves no axis in the result; the loops get one of one turn.
  constexpr void complete_product_loops(kernel& k) {
    const int batch = k.product.batch_loops;
    const int row = k.rank > batch + (right_is_matrix_ ? 1 : 0) ? batch : -1;
    const int column = right_is_matrix_ ? k.rank - 1 : -1;
    const index rows = row >= 0 ? k.loops[row] : 1;
    const index columns = column >= 0 ? k.loops[column] : 1;
    for_each_access(k, [&](access& a) {
      const index row_stride = row >= 0 ? a.stride[row] : 0;
      const index column_stride = column >= 0 ? a.stride[column] : 0;
      a.stride[batch] = row_stride;
      a.stride[batch + 1] = column_stride;
    });
    k.rank = batch + 2;
    k.loops[batch] = rows;
    k.loops[batch + 1] = columns;
  }

  constexpr void emit_position(node_id id) {
    const node_id x = g_.operand(id, 0);
    materialize(x);
    kernel k = begin(kernel_kind::position, id);
    k.left = reach(where(x), g_.type(x).type, g_.type(x).shape, -1);
    set_loops(k, g_.type(x).shape);
    order_reduction(k, id);
    k.kind = kernel_kind::position;
    finish(k);
  }

  // ---- loops ----------------------------------------------------------------------------------

  static constexpr void set_loops(kernel& k, const extents& e) {
    k.rank = e.rank;
    for (int i = 0; i < e.rank; ++i) k.loops[i] = e[i];
  }

  // Puts `count` of the kernel's loops in another order; the others have one turn and go.
  constexpr void permute_loops(kernel& k, const int (&order)[max_rank], int count) {
    const kernel before = k;
    k.rank = count;
    for (int i = 0; i < count; ++i) k.loops[i] = before.loops[order[i]];
    for_each_access(k, [&](access& a) {
      const access old = a;
      for (int i = 0; i < count; ++i) a.stride[i] = old.stride[order[i]];
    });
  }

  // Joins neighbouring loops that every access walks evenly, within [0, first) and [first, second)
  // and [second, rank); drops loops of one turn. Returns the two boundaries as they are then.
  struct boundaries {
    int first = 0, second = 0;
  };
  constexpr boundaries merge_loops(kernel& k, int first, int second) {
    boundaries now;
    extents merged;
    int from[max_rank] = {};  // the last of the old loops that each new one covers
    for (int i = 0; i < k.rank; ++i) {
      if (i == first) now.first = merged.rank;
      if (i == second) now.second = merged.rank;
      const int section_start = i >= second ? now.second : i >= first ? now.first : 0;
      if (k.loops[i] == 1) continue;
      bool even = merged.rank > section_start;
      if (even)
        for_each_access(k, [&](const access& a) {
          even = even && a.stride[from[merged.rank - 1]] == a.stride[i] * k.loops[i];
        });
      if (even) {
        merged[merged.rank - 1] *= k.loops[i];
        from[merged.rank - 1] = i;
      } else {
        from[merged.rank] = i;
        merged.push_back(k.loops[i]);
      }
    }
    if (k.rank <= first) now.first = merged.rank;
    if (k.rank <= second) now.second = merged.rank;
    for_each_access(k, [&](access& a) {
      const access old = a;
      for (int i = 0; i < max_rank; ++i) a.stride[i] = i < merged.rank ? old.stride[from[i]] : 0;
    });
    // The vector needs a loop, even of one turn; in a reduction it is the last section's own.
    if (merged.rank == 0 || (second < k.rank && now.second == merged.rank)) merged.push_back(1);
    set_loops(k, merged);
    return now;
  }

  // Orders the loops of a reduction: kept axes, then reduced rows, then the vector: the innermost
  // run if the last axes are reduced (a row), else the last kept axis (a column). Axes of extent 1
  // have no part in it.
  constexpr void order_reduction(kernel& k, node_id root) {
    const extents domain = g_.type(g_.operand(root, 0)).shape;
    bool reduced[max_rank] = {};
    reduced_axes_of(g_, root, reduced);
    int axes[max_rank] = {};  // those that count
    int count = 0;
    for (int i = 0; i < domain.rank; ++i)
      if (domain[i] != 1) axes[count++] = i;
    // The result lies contiguous over the kept axes; it is an access over the kernel's loops too.
    const layout form = where(root).form;
    access result{place_[root], g_.type(root).type, -1, form.offset, {}};
    int axis = 0;
    const bool keepdims = g_.attributes(root)[0] != 0;
    for (int i = 0; i < domain.rank; ++i) {
      if (!reduced[i]) result.stride[i] = form.stride[axis++];
      else if (keepdims) ++axis;
    }
    p_.stores.push_back(result);  // merged and reordered with the others
    // A position is counted over all reduced axes, so they come last.
    const bool row = k.kind == kernel_kind::position || count == 0 || reduced[axes[count - 1]];
    int vector = count;  // the first of the axes of the vector
    if (row) {
      while (vector > 0 && reduced[axes[vector - 1]]) --vector;
    } else {
      --vector;  // a column's vector takes in the kept axes before it
      while (vector > 0 && !reduced[axes[vector - 1]] && evenly(k, axes[vector - 1], axes[vector]))
        --vector;
    }
    int order[max_rank] = {};
    int n = 0;
    for (int i = 0; i < vector; ++i)
      if (!reduced[axes[i]]) order[n++] = axes[i];
    const int kept = n;
    for (int i = 0; i < vector; ++i)
      if (reduced[axes[i]]) order[n++] = axes[i];
    const int rows_end = n;
    for (int i = vector; i < count; ++i) order[n++] = axes[i];
    permute_loops(k, order, n);
    const boundaries b = merge_loops(k, kept, rows_end);
    k.kept = b.first;
    k.result = p_.stores.back();
    p_.stores.pop_back();
    k.kind = row ? kernel_kind::row_reduction : kernel_kind::column_reduction;
  }

  // Whether every access walks two neighbouring axes as one.
  [[nodiscard]] constexpr bool evenly(kernel& k, int axis, int next) {
    bool even = true;
    for_each_access(k, [&](const access& a) {
      even = even && a.stride[axis] == a.stride[next] * k.loops[next];
    });
    return even;
  }

  // Moves the steps that do not depend on the last loop to the front.
  constexpr void hoist_invariant(kernel& k) {
    tfgraph::detail::list<char> varies(p_.slots.size() - static_cast<std::size_t>(k.first_slot), 0);
    const int last = k.rank - 1;
    const bool product = k.kind == kernel_kind::contraction;
    if (product) varies[k.input_slot] = 1;
    bool any_invariant = false;
    for (int i = k.first_load; i < count(p_.loads); ++i) {
      const access& a = p_.loads[i];
      if (last >= 0 && (product || a.stride[last] != 0)) varies[a.slot] = 1;
      else any_invariant = true;
    }
    if (!any_invariant) return;
    tfgraph::detail::list<step> later;
    int next = k.first_step;
    for (int i = k.first_step; i < count(p_.steps); ++i) {
      const step s = p_.steps[i];
      bool invariant = true;
      for (std::int32_t o : s.operand) invariant = invariant && (o < 0 || varies[o] == 0);
      if (invariant) {
        p_.steps[next++] = s;
        ++k.invariant_steps;
      } else {
        varies[s.result] = 1;
        later.push_back(s);
      }
    }
    for (const step& s : later) p_.steps[next++] = s;
  }

  // Lets steps reuse the registers of values that are not needed any more, so that a kernel of a
  // thousand steps needs only a few. What is made before the loop, or stored or combined after the
  // steps, keeps its register.
  constexpr void share_registers(kernel& k) {
    const auto registers = p_.slots.size() - static_cast<std::size_t>(k.first_slot);
    const int first = k.first_step;
    const int steps = count(p_.steps) - first;
    tfgraph::detail::list<int> last_use(registers, 0);
    for (int i = k.invariant_steps; i < steps; ++i) {
      const step& s = p_.steps[first + i];
      for (std::int32_t n = 0; n < s.operand_count; ++n)
        if (s.operand[n] >= 0) last_use[s.operand[n]] = i;
    }
    for (int i = 0; i < k.invariant_steps; ++i) last_use[p_.steps[first + i].result] = steps;
    for (int i = k.first_load; i < count(p_.loads); ++i)
      if (k.rank > 0 && p_.loads[i].stride[k.rank - 1] == 0) last_use[p_.loads[i].slot] = steps;
    for (int i = k.first_store; i < count(p_.stores); ++i) last_use[p_.stores[i].slot] = steps;
    if (k.input_slot >= 0) last_use[k.input_slot] = steps;

    tfgraph::detail::list<std::int32_t> now(registers, -1);  // the new number of each old register
    tfgraph::detail::list<dtype> types;
    tfgraph::detail::list<std::int32_t> free;
    const auto take = [&](std::int32_t old) {
      const dtype t = p_.slots[k.first_slot + old];
      for (std::size_t f = free.size(); f > 0; --f)
        if (types[free[f - 1]] == t) {
          now[old] = free[f - 1];
          free[f - 1] = free.back();
          free.pop_back();
          return;
        }
      now[old] = static_cast<std::int32_t>(types.size());
      types.push_back(t);
    };
    for (int i = k.first_load; i < count(p_.loads); ++i) take(p_.loads[i].slot);
    if (k.input_slot >= 0 && now[k.input_slot] < 0 && k.kind == kernel_kind::contraction)
      take(k.input_slot);
    for (int i = 0; i < steps; ++i) {
      step& s = p_.steps[first + i];
      const bool in_loop = i >= k.invariant_steps;
      for (std::int32_t n = 0; n < s.operand_count; ++n) {
        const std::int32_t old = s.operand[n];
        if (old < 0) continue;
        s.operand[n] = now[old];
        if (in_loop && last_use[old] == i) {
          last_use[old] = steps;  // freed once, also if it is used twice here
          free.push_back(now[old]);
        }
      }
      take(s.result);
      s.result = now[s.result];
    }
    for (int i = k.first_load; i < count(p_.loads); ++i) p_.loads[i].slot = now[p_.loads[i].slot];
    for (int i = k.first_store; i < count(p_.stores); ++i)
      p_.stores[i].slot = now[p_.stores[i].slot];
    if (k.input_slot >= 0) k.input_slot = now[k.input_slot];
    p_.slots.resize(static_cast<std::size_t>(k.first_slot));
    for (dtype t : types) p_.slots.push_back(t);
  }

  static constexpr int no_kernel = -1;
  static constexpr std::int32_t none = INT32_MIN;  // an operand that a step does not have

  [[nodiscard]] constexpr bool is_loaded_number(node_id id) const {
    return numbers_ == numbers_are::loaded && ops::is<ops::full>(g_[id].op);
  }

  const graph_view& g_;
  tfgraph::detail::list_view<membership> groups_;
  numbers_are numbers_;
  tfgraph::detail::list<place> place_;
  tfgraph::detail::list<int>
      layout_of_;  // the place in `layouts_` of a node that does not lie contiguous
  tfgraph::detail::list<layout> layouts_;
  tfgraph::detail::list<std::int32_t> slot_;  // of the kernel under construction
  tfgraph::detail::list<node_id> touched_;    // whose slots they are
  tfgraph::detail::list<node_id> members_,
      first_member_;  // lists of each kernel's nodes, ascending
  tfgraph::detail::list<buffer> buffers_;
  // Where nodes were that have been copied to memory.
  struct moved_node {
    node_id node;
    place where;
    int layout;
  };
  tfgraph::detail::list<moved_node> moved_;
  tfgraph::detail::list<std::int32_t> pointer_;  // of parameters and stacked results, or -1
  tfgraph::detail::list<node_id> first_;         // of the nodes of each region
  bool right_is_matrix_ = true;  // of the contraction under construction
  program p_;
};

}  // namespace detail

/// The program of an optimised, grouped graph whose shapes are static.
[[nodiscard]] constexpr program make_program(const graph_view& g,
                                             tfgraph::detail::list_view<membership> groups,
                                             numbers_are numbers = numbers_are::immediate) {
  return detail::emitter(g, groups, numbers).run();
}
[[nodiscard]] constexpr program make_program(const graph_view& g,
                                             numbers_are numbers = numbers_are::immediate) {
  const auto groups = find_groups(g);
  return make_program(g, tfgraph::detail::list_view<membership>(groups.data(), groups.size()),
                      numbers);
}

}  // namespace tfgraph::schedule
