// From a callable and argument types to everything that the compiler makes of them: the graph as
// written, the optimised graph, the program.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/pipeline.hpp>
#include <tfgraph/schedule/schedule.hpp>
#include <tfgraph/trace/trace.hpp>

namespace tfgraph::detail {

/// The program of the graph that Source holds, as constants: what the static executor runs.
template <class Source>
struct scheduled {
  static constexpr graph_view graph = Source::value;

 private:
  static constexpr program_sizes sizes = sizes_of(schedule::make_program(graph));
  static constexpr static_program<sizes> storage{schedule::make_program(graph)};

 public:
  static constexpr program_view program = storage.view();
};

/// What becomes of the leaf of a callable's result: a scalar for rank 0, else a tensor.
struct make_result {
  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) const {
    if constexpr (is_handle<Leaf>) {
      if constexpr (Leaf::rank == 0) return typename Leaf::value_type{};
      else return typename Leaf::tensor_type(uninitialized);
    } else return Leaf{};
  }
};

/// Everything that is made of a stateless callable for arguments of these types.
template <class F, class... Args>
struct compiled {
  using traced = frozen<trace_of_call<F, Args...>>;
  using optimized = optimized_of<traced>;
  using program = scheduled<optimized>;
  using symbolic_result = traced_result<F, Args...>;
  using result_type = decltype(build_like<symbolic_result>(std::declval<make_result&>()));
};

}  // namespace tfgraph::detail
