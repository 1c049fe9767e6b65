// The program: what an executor runs. Kernels in order, each a loop nest with its loads, steps and
// stores, and a place for every tensor that exists in memory. Plain data, like the graph.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/graph/graph.hpp>

#include <array>
#include <span>
#include <vector>

namespace tfgraph {

/// Where the elements of a tensor come from.
enum class place_kind : std::uint8_t {
  nowhere,    ///< in registers only
  input,      ///< an argument of the call; number: which
  pool,       ///< a constant; number: its first word
  generated,  ///< computed from the position; number: the generator's node
  output,     ///< a result of the call; number: which
  arena       ///< an intermediate; number: its offset in bytes
};

struct place {
  place_kind kind = place_kind::nowhere;
  index number = 0;
  [[nodiscard]] friend constexpr bool operator==(const place&, const place&) = default;
};

/// How a kernel reaches the elements of a tensor: offset and strides (in elements) over its loops.
struct access {
  place where;
  dtype type = dtype::boolean;
  std::int32_t slot = -1;  ///< the register that it is loaded to or stored from
  index offset = 0;
  strides stride;
};

/// One operator applied to registers.
struct step {
  node_id node = no_node;
  std::int32_t result = -1;
  std::int32_t operand[3] = {-1, -1, -1};  ///< a register, or a number of the graph

  /// An operand that is a number: the node of the `full` that holds it.
  [[nodiscard]] static constexpr std::int32_t immediate(node_id n) { return -2 - n; }
  [[nodiscard]] static constexpr node_id node_of_immediate(std::int32_t operand) {
    return -2 - operand;
  }
};

enum class kernel_kind : std::uint8_t {
  elementwise,
  row_reduction,     ///< loops: kept axes, reduced rows, the innermost run (along the vector)
  column_reduction,  ///< loops: kept axes but one, reduced rows, the last kept axis (the vector)
  position,          ///< argmax, argmin; loops: kept axes, reduced rows, the innermost run
  contraction        ///< loops: batch axes, rows, columns (the vector)
};

/// A loop nest. The last loop runs along the vector.
struct kernel {
  kernel_kind kind = kernel_kind::elementwise;
  node_id root = no_node;  ///< the reduction or contraction, or the last elementwise node
  extents loops;
  std::int32_t kept = 0;  ///< reductions: so many loops are over kept axes (a column's vector apart)
  std::int32_t first_load = 0, load_count = 0;
  std::int32_t first_step = 0, step_count = 0;
  std::int32_t invariant_steps = 0;  ///< so many steps do not depend on the last loop
  std::int32_t first_store = 0, store_count = 0;
  std::int32_t first_slot = 0, slot_count = 0;
  std::int32_t lane_bytes = 1;   ///< size of the largest element type among the registers
  std::int32_t input_slot = -1;  ///< what a reduction combines; where a contraction's product goes
  access result;                 ///< of a reduction: over the kept loops (and a column's vector)
  access left, right;            ///< what a contraction multiplies, a position reduction reads
  detail::contraction_plan product;
};

/// Read access to a program.
struct program_view {
  std::span<const kernel> kernels;
  std::span<const access> loads;
  std::span<const step> steps;
  std::span<const access> stores;
  std::span<const dtype> slots;
  index arena_bytes = 0;
};

/// A program under construction.
struct program {
  std::vector<kernel> kernels;
  std::vector<access> loads;
  std::vector<step> steps;
  std::vector<access> stores;
  std::vector<dtype> slots;  ///< the element types of the kernels' registers
  index arena_bytes = 0;

  [[nodiscard]] constexpr program_view view() const {
    return {kernels, loads, steps, stores, slots, arena_bytes};
  }
};

namespace detail {

struct program_sizes {
  std::size_t kernels, loads, steps, stores, slots;
};

constexpr program_sizes sizes_of(const program& p) {
  return {p.kernels.size(), p.loads.size(), p.steps.size(), p.stores.size(), p.slots.size()};
}

}  // namespace detail

/// A program in arrays, for `static constexpr` members.
template <detail::program_sizes S>
struct static_program {
  std::array<kernel, S.kernels> kernels{};
  std::array<access, S.loads> loads{};
  std::array<step, S.steps> steps{};
  std::array<access, S.stores> stores{};
  std::array<dtype, S.slots> slots{};
  index arena_bytes = 0;

  constexpr explicit static_program(const program& p) : arena_bytes(p.arena_bytes) {
    copy(p.kernels, kernels);
    copy(p.loads, loads);
    copy(p.steps, steps);
    copy(p.stores, stores);
    copy(p.slots, slots);
  }

  [[nodiscard]] constexpr program_view view() const {
    return {kernels, loads, steps, stores, slots, arena_bytes};
  }

 private:
  template <class From, class To>
  static constexpr void copy(const From& from, To& to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = from[i];
  }
};

}  // namespace tfgraph
