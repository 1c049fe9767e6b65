// The program: what an executor runs. Kernels in order, each a loop nest with its loads, steps and
// stores, and a place for every tensor that exists in memory. Plain data, like the graph.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/control.hpp>

#include <array>
#include <span>

namespace tfgraph {

/// Where the elements of a tensor come from.
enum class place_kind : std::uint8_t {
  nowhere,    ///< in registers only
  input,      ///< an argument of the call; number: which
  pool,       ///< a constant; number: its first word
  number,     ///< the value of a `full`, where the program is not a constant; number: the node
  generated,  ///< computed from the position; number: the generator's node
  output,     ///< a result of the call; number: which
  arena,      ///< an intermediate; number: its offset in bytes
  pointer     ///< what a loop moves on from turn to turn; number: which of the pointers
};

struct place {
  place_kind kind;
  index number;
  [[nodiscard]] friend constexpr bool operator==(const place&, const place&) = default;
};

/// How a kernel reaches the elements of a tensor: offset and strides (in elements) over its loops.
struct access {
  place where;
  dtype type;
  std::int32_t slot;  ///< the register that it is loaded to or stored from
  index offset;
  index stride[max_rank];
};

/// One operator applied to registers.
struct step {
  const operation* op;
  dtype type;  ///< of the result
  std::int32_t operand_count;
  std::int32_t result;
  std::int32_t operand[3];  ///< a register, or a number of the graph
  node_id node;

  /// An operand that is a number: the node of the `full` that holds it.
  [[nodiscard]] static constexpr std::int32_t immediate(node_id n) { return -1 - n; }
  [[nodiscard]] static constexpr node_id node_of_immediate(std::int32_t operand) {
    return -1 - operand;
  }
};

enum class kernel_kind : std::uint8_t {
  elementwise,
  row_reduction,     ///< loops: kept axes, reduced rows, the innermost run (along the vector)
  column_reduction,  ///< loops: kept axes but one, reduced rows, the last kept axis (the vector)
  position,          ///< argmax, argmin; loops: kept axes, reduced rows, the innermost run
  contraction,       ///< loops: batch axes, rows, columns (the vector)
  along_axis,        ///< loads and store are whole tensors; loops: what axis_extents says
  repeat,            ///< runs the kernels that follow it, in turns
  when               ///< runs the kernels that follow it if its number is selected
};

[[nodiscard]] constexpr bool is_control(kernel_kind k) {
  return k == kernel_kind::repeat || k == kernel_kind::when;
}

namespace detail {

/// The extents and strides (in elements) of a matrix product.
struct matrix_product {
  index rows, columns, depth;
  index left_row, left_depth;
  index right_depth, right_column;
  std::int32_t batch_loops;
  node_id node;
};

/// What kernels of control flow need.
struct control_flow {
  std::int32_t kernel_count;  ///< so many kernels after this one are its body
  turns_by by;
  index turns;      ///< of a repeat; -1: the selector has it
  access selector;  ///< the number of turns, whether there is a first turn, or the alternative
  access again;     ///< whether there is a further turn
  place turn;       ///< where the number of the turn is written
  std::int32_t first_carry, carry_count;
  std::int32_t alternative, alternatives;
};

}  // namespace detail

enum class carried_kind : std::uint8_t { state, row, stacked };

/// A pointer that a repeat moves on. A state has two, to its present and to its next value, which
/// lie in two buffers in turn; so the value that it has at first is not written to.
struct carried_pointer {
  carried_kind kind;
  std::int32_t pointer;  ///< a state's next value: the one after it
  access start;          ///< where it is in the first turn
  place buffer[2];
  index step;  ///< from turn to turn, in bytes
};

namespace detail {

constexpr axis_extents axis_of_loops(const index (&loops)[max_rank]) {
  return {loops[0], loops[1], loops[2], loops[3], loops[4]};
}

}  // namespace detail

/// A loop nest. The last loop runs along the vector.
struct kernel {
  kernel_kind kind;
  node_id root;  ///< the reduction or contraction, or the last elementwise node
  std::int32_t rank;
  index loops[max_rank];
  std::int32_t kept;  ///< reductions: so many loops are over kept axes (a column's vector apart)
  std::int32_t first_load, load_count;
  std::int32_t first_step, step_count;
  std::int32_t invariant_steps;  ///< so many steps do not depend on the last loop
  std::int32_t first_store, store_count;
  std::int32_t first_slot, slot_count;
  std::int32_t lane_bytes;  ///< size of the largest element type among the registers
  std::int32_t input_slot;  ///< what a reduction combines; where a contraction's product goes
  access result;            ///< of a reduction: over the kept loops (and a column's vector)
  access left, right;       ///< what a contraction multiplies, a position reduction reads
  detail::matrix_product product;
  detail::control_flow control;
};

/// Read access to a program.
struct program_view {
  detail::list_view<kernel> kernels;
  detail::list_view<access> loads;
  detail::list_view<step> steps;
  detail::list_view<access> stores;
  detail::list_view<dtype> slots;
  detail::list_view<carried_pointer> carries;
  index arena_bytes = 0;
  std::int32_t pointer_count = 0;
};

/// A program under construction.
struct program {
  detail::list<kernel> kernels;
  detail::list<access> loads;
  detail::list<step> steps;
  detail::list<access> stores;
  detail::list<dtype> slots;  ///< the element types of the kernels' registers
  detail::list<carried_pointer> carries;
  index arena_bytes = 0;
  std::int32_t pointer_count = 0;

  [[nodiscard]] constexpr program_view view() const {
    return {kernels, loads, steps, stores, slots, carries, arena_bytes, pointer_count};
  }
};

namespace detail {

struct program_sizes {
  std::size_t kernels, loads, steps, stores, slots, carries;
  [[nodiscard]] friend constexpr bool operator==(const program_sizes&,
                                                 const program_sizes&) = default;
};

/// A program in arrays, for `static constexpr` members.
template <auto S>
struct static_program {
  static_list<kernel, S.kernels> kernels;
  static_list<access, S.loads> loads;
  static_list<step, S.steps> steps;
  static_list<access, S.stores> stores;
  static_list<dtype, S.slots> slots;
  static_list<carried_pointer, S.carries> carries;
  index arena_bytes;
  std::int32_t pointer_count;

  template <class Program>
  static constexpr static_program from(const Program& p) {
    static_program s{};
    s.kernels.assign(p.kernels);
    s.loads.assign(p.loads);
    s.steps.assign(p.steps);
    s.stores.assign(p.stores);
    s.slots.assign(p.slots);
    s.carries.assign(p.carries);
    s.arena_bytes = p.arena_bytes;
    s.pointer_count = p.pointer_count;
    return s;
  }

  [[nodiscard]] constexpr program_sizes sizes() const {
    return {kernels.count, loads.count, steps.count, stores.count, slots.count, carries.count};
  }
  [[nodiscard]] constexpr bool fits() const {
    return kernels.count <= S.kernels && loads.count <= S.loads && steps.count <= S.steps &&
           stores.count <= S.stores && slots.count <= S.slots && carries.count <= S.carries;
  }
  [[nodiscard]] constexpr program_view view() const {
    return {kernels.view(), loads.view(),   steps.view(), stores.view(),
            slots.view(),   carries.view(), arena_bytes,  pointer_count};
  }
};

inline constexpr program_sizes roomy_program{64, 256, 4096, 128, 512, 16};

}  // namespace detail
}  // namespace tfgraph
