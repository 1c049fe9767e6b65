// Runs a program that the compiler knows: its kernels in order, and its loops and branches.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/recurrence.hpp>
#include <tfgraph/execute/scratch.hpp>

namespace tfgraph::execute {
namespace detail {

/// Whether there is control flow among these kernels.
template <class P>
constexpr bool has_control(int first, int count) {
  for (int k = first; k < first + count; ++k)
    if (is_control(P::program.kernels[k].kind)) return true;
  return false;
}

/// Runs kernels First ... First + Count - 1.
template <class P, int First, int Count>
TFGRAPH_INLINE void run_kernels(const memory& m) {
  if constexpr (!has_control<P>(First, Count)) {
    [&]<int... K>(std::integer_sequence<int, K...>) TFGRAPH_INLINE_LAMBDA {
      (run_kernel<P, First + K>(m, {}), ...);
    }(std::make_integer_sequence<int, Count>{});
  } else if constexpr (!is_control(P::program.kernels[First].kind)) {
    run_kernel<P, First>(m, {});
    run_kernels<P, First + 1, Count - 1>(m);
  } else {
    static constexpr tfgraph::detail::control_flow control = P::program.kernels[First].control;
    constexpr int body = control.kernel_count;
    if constexpr (P::program.kernels[First].kind == kernel_kind::when) {
      if (is_selected(control, m)) run_kernels<P, First + 1, body>(m);
    } else if constexpr (recurrence<P, First>::holds()) {
      run_recurrence<P, First>(m);
    } else {
      repeat(control, P::program.carries.data() + control.first_carry, m,
             [&]() TFGRAPH_INLINE_LAMBDA { run_kernels<P, First + 1, body>(m); });
    }
    run_kernels<P, First + 1 + body, Count - 1 - body>(m);
  }
}

}  // namespace detail

/// Runs the program that P holds.
template <class P>
inline void run(const void* const* inputs, void* const* outputs) {
  constexpr int count = static_cast<int>(P::program.kernels.size());
  std::byte* pointers[static_cast<std::size_t>(P::program.pointer_count + 1)];
  memory m{inputs, outputs, nullptr, pointers, P::graph.pool.data()};
  if constexpr (P::program.arena_bytes == 0) {
    detail::run_kernels<P, 0, count>(m);
  } else {
    const tfgraph::detail::scratch arena(static_cast<std::size_t>(P::program.arena_bytes));
    m.arena = arena.data();
    detail::run_kernels<P, 0, count>(m);
  }
}

}  // namespace tfgraph::execute
