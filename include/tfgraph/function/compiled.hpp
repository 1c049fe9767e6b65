// From a callable and argument types to everything that the compiler makes of them: the graph as
// written, the optimised graph, the program.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/pipeline.hpp>
#include <tfgraph/schedule/schedule.hpp>
#include <tfgraph/trace/trace.hpp>

namespace tfgraph::detail {

/// The grouping of the graph that Source holds: the first half of scheduling, which is a constant
/// expression of its own like every stage.
template <class Source>
struct grouped {
  static constexpr graph_view graph = Source::value;
  static constexpr auto make() {
    static_list<schedule::membership, graph.nodes.size()> groups{};
    groups.assign(schedule::find_groups(graph));
    return groups;
  }
  static constexpr auto value = make();
};

/// The program of the graph that Source holds: what the static executor runs.
template <class Source>
struct scheduled {
  static constexpr graph_view graph = Source::value;
  static constexpr tfgraph::program make() {
    return schedule::make_program(graph, grouped<Source>::value.view());
  }
  static constexpr program_view program =
      frozen_as<scheduled, static_program, roomy_program>::value;
};

/// What becomes of the leaf of a callable's result: a scalar for rank 0, else a tensor. In a
/// structure small tensors start as zeros, since their bytes are copied when the structure is put
/// together; so do those that are returned in registers.
template <bool InStructure>
struct make_result {
  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) const {
    if constexpr (is_handle<Leaf> && !is_variable<Leaf>) {
      if constexpr (Leaf::rank == 0) return typename Leaf::value_type{};
      else if constexpr (std::is_trivially_copyable_v<typename Leaf::tensor_type> &&
                         (InStructure || sizeof(typename Leaf::tensor_type) <= 16))
        return typename Leaf::tensor_type{};
      else return typename Leaf::tensor_type(uninitialized);
    } else return Leaf{};
  }
};

/// Whether every tensor in a structure has static extents.
template <class S>
constexpr bool has_static_extents() {
  bool all = true;
  for_each_leaf_type<S>([&all]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (is_input<Leaf>) all = all && operand<Leaf>::shape_type::is_static;
  });
  return all;
}

/// Everything that is made of a callable for arguments of these types.
template <class F, options O, class... Args>
struct compiled {
  static_assert((has_static_extents<Args>() && ...),
                "tfgraph: functions and operators take tensors of static extents only, so far");
  using traced = frozen<trace_of_call<F, Args...>>;
  using optimized = optimized_of<traced, O>;
  using program = scheduled<optimized>;
  using symbolic_result = traced_result<F, Args...>;
  using result_maker = make_result<!leaf<symbolic_result>>;
  using result_type = decltype(build_like<symbolic_result>(std::declval<result_maker&>()));
};

}  // namespace tfgraph::detail
