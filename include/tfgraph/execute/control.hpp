// Loops and branches of a program: how their kernels run the kernels that follow them. All executors
// share this.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/memory.hpp>
#include <tfgraph/graph/control.hpp>
#include <tfgraph/schedule/program.hpp>

#include <cstring>

namespace tfgraph::execute::detail {

/// Where the tensor of a place begins. (Written to only where the program stores.)
[[nodiscard]] inline std::byte* base_of(const place& where, const memory& m) {
  const void* p = nullptr;
  switch (where.kind) {
    case place_kind::input:
      p = m.inputs[where.number];
      break;
    case place_kind::output:
      p = m.outputs[where.number];
      break;
    case place_kind::pool:
      p = m.pool + where.number;
      break;
    case place_kind::number:
      p = m.numbers + where.number;
      break;
    case place_kind::arena:
      p = m.arena + where.number;
      break;
    case place_kind::pointer:
      p = m.pointers[where.number];
      break;
    case place_kind::generated:  // its elements are computed from the offset
    case place_kind::nowhere:
      break;
  }
  return static_cast<std::byte*>(const_cast<void*>(p));
}
[[nodiscard]] inline std::byte* address_of(const access& a, const memory& m) {
  return base_of(a.where, m) + a.offset * static_cast<index>(size_of(a.type));
}

/// A number of turns or of an alternative, or a condition, from memory.
[[nodiscard]] inline index number_at(const access& a, const memory& m) {
  element_bits bits = 0;
  std::memcpy(&bits, address_of(a, m), size_of(a.type));
  return tfgraph::detail::number_of(a.type, bits);
}

inline void begin_carry(const carried_pointer& c, const memory& m) {
  m.pointers[c.pointer] = address_of(c.start, m);
  if (c.kind == carried_kind::state) m.pointers[c.pointer + 1] = base_of(c.buffer[0], m);
}
inline void next_carry(const carried_pointer& c, const memory& m, index turn) {
  std::byte*& now = m.pointers[c.pointer];
  if (c.kind != carried_kind::state) {
    now += c.step;
    return;
  }
  std::byte*& next = m.pointers[c.pointer + 1];
  std::byte* const free = turn == 0 ? base_of(c.buffer[1], m) : now;
  now = next;
  next = free;
}

/// The number of turns that is known before the first; of a while, whether there is a first.
[[nodiscard]] inline index turns_of(const tfgraph::detail::control_flow& c, const memory& m) {
  return c.turns >= 0 ? c.turns : number_at(c.selector, m);
}

/// Runs the body of a repeat as often as it says.
template <class Body>
inline void repeat(const tfgraph::detail::control_flow& c, const carried_pointer* carries, const memory& m,
                   Body&& body) {
  for (int i = 0; i < c.carry_count; ++i) begin_carry(carries[i], m);
  const bool conditional = c.by == turns_by::condition;
  const index turns = turns_of(c, m);
  bool more = turns != 0;
  for (index turn = 0; conditional ? more : turn < turns; ++turn) {
    if (c.turn.kind != place_kind::nowhere)
      std::memcpy(base_of(c.turn, m), &turn, sizeof turn);
    body();
    for (int i = 0; i < c.carry_count; ++i) next_carry(carries[i], m, turn);
    if (conditional) more = number_at(c.again, m) != 0;
  }
}

/// Whether a `when` runs its body.
[[nodiscard]] inline bool is_selected(const tfgraph::detail::control_flow& c, const memory& m) {
  return tfgraph::detail::alternative(number_at(c.selector, m), c.alternatives) == c.alternative;
}

}  // namespace tfgraph::execute::detail
