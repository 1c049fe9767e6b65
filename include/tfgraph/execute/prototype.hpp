// Compiled code for programs that only the running program knows. The compiler makes a prototype:
// the program for some extents, whose kernels become code with the numbers left open. A program for
// other extents uses the code of each of its kernels that differs from a prototype in numbers only.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/static.hpp>

#include <algorithm>
#include <span>

namespace tfgraph::execute {

/// A kernel's code.
using kernel_code = void(const memory&, const kernel_view&);

/// The kernels of a prototype.
struct prototypes {
  graph_view graph;
  program_view program;
  std::span<kernel_code* const> code;
};

namespace detail {

template <class P, int K>
void run_prototype(const memory& m, const kernel_view& v) {
  run_kernel<P, K>(m, running_numbers<P, K>{v});
}

/// Null for loops and branches, which the program of a call runs itself.
template <class P, int K>
constexpr kernel_code* code_of_kernel() {
  if constexpr (is_control(P::program.kernels[K].kind)) return nullptr;
  else return &run_prototype<P, K>;
}
template <class P>
inline constexpr auto code_of_kernels = []<int... K>(std::integer_sequence<int, K...>) {
  return std::array<kernel_code*, sizeof...(K)>{code_of_kernel<P, K>()...};
}(std::make_integer_sequence<int, static_cast<int>(P::program.kernels.size())>{});

/// Compares a kernel with a prototype.
class matcher {
 public:
  matcher(const prototypes& known, const graph_view& g, const program_view& p)
      : known_(known), graph_(g), program_(p) {}

  /// The code for a kernel of the program, or null.
  [[nodiscard]] kernel_code* find(std::size_t k) const {
    const std::size_t count = known_.code.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t j = (k + i) % count;  // most likely the one at the same place
      if (matches(known_.program.kernels[j], program_.kernels[k])) return known_.code[j];
    }
    return nullptr;
  }

 private:
  [[nodiscard]] bool matches(const kernel& a, const kernel& b) const {
    const bool vector = a.rank > 0;
    if (a.kind != b.kind || a.rank != b.rank || a.kept != b.kept || a.load_count != b.load_count ||
        a.step_count != b.step_count || a.invariant_steps != b.invariant_steps ||
        a.store_count != b.store_count || a.slot_count != b.slot_count ||
        a.lane_bytes != b.lane_bytes || a.input_slot != b.input_slot ||
        a.product.batch_loops != b.product.batch_loops)
      return false;
    if (vector && a.loops[a.rank - 1] == 1 && b.loops[a.rank - 1] != 1) return false;
    const bool one_turn = vector && b.loops[a.rank - 1] == 1;
    const auto same_access = [&](const access& x, const access& y) {
      return x.type == y.type && x.slot == y.slot && same_place(x.where, y.where) &&
             (!vector || one_turn || same_stride(x.stride[a.rank - 1], y.stride[a.rank - 1]));
    };
    for (int i = 0; i < a.load_count; ++i)
      if (!same_access(known_.program.loads[a.first_load + i], program_.loads[b.first_load + i]))
        return false;
    for (int i = 0; i < a.store_count; ++i)
      if (!same_access(known_.program.stores[a.first_store + i],
                       program_.stores[b.first_store + i]))
        return false;
    for (int i = 0; i < a.slot_count; ++i)
      if (known_.program.slots[a.first_slot + i] != program_.slots[b.first_slot + i]) return false;
    for (int i = 0; i < a.step_count; ++i)
      if (!same_step(known_.program.steps[a.first_step + i], program_.steps[b.first_step + i]))
        return false;
    switch (a.kind) {
      case kernel_kind::elementwise:
        return true;
      case kernel_kind::row_reduction:
      case kernel_kind::column_reduction:
        return same_root(a, b) && same_access(a.result, b.result);
      case kernel_kind::position:
        return same_root(a, b) && same_place(a.left.where, b.left.where) &&
               a.left.type == b.left.type && same_place(a.result.where, b.result.where);
      case kernel_kind::repeat:
      case kernel_kind::when:
        break;
      case kernel_kind::contraction:
        return same_place(a.left.where, b.left.where) && a.left.type == b.left.type &&
               same_place(a.right.where, b.right.where);
      case kernel_kind::along_axis:
        return same_root(a, b) &&
               std::ranges::equal(known_.graph.attributes(a.root), graph_.attributes(b.root));
    }
    return false;
  }

  [[nodiscard]] bool same_root(const kernel& a, const kernel& b) const {
    return *known_.graph[a.root].op == *graph_[b.root].op;
  }
  // 0 (the same element) and 1 (the next one) are part of the code.
  static bool same_stride(index a, index b) {
    return a == b || (a != 0 && a != 1 && b != 0 && b != 1);
  }
  [[nodiscard]] bool same_place(const place& a, const place& b) const {
    if (a.kind != b.kind) return false;
    if (a.kind != place_kind::generated) return true;
    const auto x = static_cast<node_id>(a.number);
    const auto y = static_cast<node_id>(b.number);
    return *known_.graph[x].op == *graph_[y].op && known_.graph.type(x) == graph_.type(y) &&
           std::ranges::equal(known_.graph.attributes(x), graph_.attributes(y));
  }
  [[nodiscard]] bool same_step(const step& a, const step& b) const {
    return *a.op == *b.op && a.type == b.type && a.result == b.result &&
           std::ranges::equal(a.operand, b.operand) &&
           std::ranges::equal(known_.graph.attributes(a.node), graph_.attributes(b.node));
  }

  const prototypes& known_;
  const graph_view& graph_;
  const program_view& program_;
};

}  // namespace detail

/// The prototypes of the program that P holds.
template <class P>
[[nodiscard]] prototypes prototypes_of() {
  return {P::graph, P::program, detail::code_of_kernels<P>};
}

}  // namespace tfgraph::execute
