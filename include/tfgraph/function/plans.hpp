// Finding the plan of a call: its signature, and the cache of the function.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/blocks.hpp>
#include <tfgraph/function/cache.hpp>
#include <tfgraph/function/plan.hpp>
#include <tfgraph/trace/structure.hpp>
#include <tfgraph/trace/trace.hpp>

#include <utility>
#include <vector>

namespace tfgraph::detail {

/// Calls f(dtype, extents) for every input among the leaves of the arguments.
template <class F, class... Args>
constexpr void for_each_input_type(F&& f, const Args&... args) {
  [[maybe_unused]] const auto visit = [&f]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_input<Leaf>) {
      constexpr dtype t = dtype_of<typename operand<Leaf>::value_type>;
      if constexpr (operand<Leaf>::shape_type::is_static) f(t, operand<Leaf>::shape_type::value);
      else f(t, extents_of(leaf));
    }
  };
  (for_each_leaf(args, visit), ...);
}

/// The types of the inputs among the leaves of the arguments.
template <class... Args>
[[nodiscard]] constexpr std::vector<spec> types_of(const Args&... args) {
  std::vector<spec> types;
  for_each_input_type([&](dtype t, const extents& e) { types.push_back({t, e}); }, args...);
  return types;
}

/// What a plan is kept under: the C++ types of the arguments, by an address that stands for them,
/// and the signature.
struct plan_key {
  const void* types;
  signature inputs;
};
[[nodiscard]] inline std::string to_string(const plan_key& k) { return to_string(k.inputs); }

template <int Inputs>
struct plan_lookup {
  const void* types;
  signature_key<Inputs> inputs;

  [[nodiscard]] std::uint64_t hash() const {
    return inputs.hash() ^ reinterpret_cast<std::uintptr_t>(types);
  }
  [[nodiscard]] explicit operator plan_key() const { return {types, signature(inputs)}; }
  [[nodiscard]] friend bool operator==(const plan_key& a, const plan_lookup& b) {
    return a.types == b.types && a.inputs == b.inputs;
  }
};

using plan_cache = signature_cache<plan, plan_key>;

/// The cache of a function whose callable has no run-time state: all functions of that type share
/// it.
template <class F>
[[nodiscard]] plan_cache& cache_of() {
  static plan_cache cache;
  return cache;
}

/// Makes the dynamic executor have what the steps of a prototype need, for the kernels that none
/// matches.
template <class P>
void provide_blocks_of() {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] const auto provide = []<std::size_t S>(std::integral_constant<std::size_t, S>) {
      constexpr step s = P::program.steps[S];
      constexpr node_id operand = P::graph.operand(s.node, s.operand_count - 1);
      execute::provide_blocks<ops::struct_of<s.op>, element_t<P::graph.type(operand).type>>();
    };
    (provide(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<P::program.steps.size()>{});
}

template <class Made>
inline constexpr char types_tag = 0;

/// The plan for a call, from the cache of callable F or made for it.
template <class F, class Made, class... Args>
[[nodiscard]] auto plan_for(const Args&... args) {
  constexpr int inputs = static_cast<int>(Made::traced::value.input_list.size());
  plan_lookup<inputs> key{&types_tag<Made>, {}};
  for_each_input_type([&](dtype t, const extents& e) { key.inputs.push(t, e); }, args...);
  plan_cache& cache = cache_of<F>();
  return cache.find_or_make(key, [&] {
    static const bool counted = (cache.count_trace(), true);
    static_cast<void>(counted);
    provide_blocks_of<typename Made::prototype>();
    return plan(Made::traced::value, types_of(args...),
                execute::prototypes_of<typename Made::prototype>());
  });
}

}  // namespace tfgraph::detail
