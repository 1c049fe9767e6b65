// From a callable and argument types to everything that the compiler makes of them: the graph as
// written, the optimised graph, the program.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/prototype.hpp>
#include <tfgraph/optimize/bind.hpp>
#include <tfgraph/optimize/pipeline.hpp>
#include <tfgraph/schedule/schedule.hpp>
#include <tfgraph/trace/trace.hpp>

#include <array>
#include <vector>

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

/// The program of the graph that Source holds: what the static executor runs, as it is or as a
/// prototype.
template <class Source, bool Prototype = false>
struct scheduled {
  static constexpr graph_view graph = Source::value;
  static constexpr bool is_prototype = Prototype;
  static constexpr tfgraph::program make() {
    return schedule::make_program(
        graph, grouped<Source>::value.view(),
        Prototype ? schedule::numbers_are::loaded : schedule::numbers_are::immediate);
  }
  static constexpr program_view program =
      frozen_as<scheduled, static_program, roomy_program>::value;
};

/// The tensor that stands for a leaf of a callable's result.
template <class Leaf>
struct result_tensor {
  using type = Leaf;  // a scalar, a tensor that the callable made
};
template <class T, class Shape>
struct result_tensor<expr<T, Shape>> : tensor_of<T, Shape> {};
template <class T, class Shape>
struct result_tensor<live_expr<T, Shape>> : tensor_of<T, Shape> {};
template <class T, std::size_t... E>
struct result_tensor<view<T, E...>> : tensor_of<std::remove_const_t<T>, shape<E...>> {};
template <>
struct result_tensor<any_expr> {
  using type = any_tensor;
};

/// Makes what becomes of the leaves of a callable's result: a scalar for rank 0, else a tensor,
/// with the extents that `types` says, in order. In a structure small tensors start as zeros, since
/// their bytes are copied when the structure is put together; so do those that are returned in
/// registers.
template <bool InStructure>
struct make_result {
  const spec* types;

  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) {
    using Tensor = typename result_tensor<Leaf>::type;
    [[maybe_unused]] const spec* const type = types;
    if constexpr (is_input<Leaf>) ++types;
    if constexpr (is_any<Tensor>) {
      return any_tensor(uninitialized, type->type, type->shape);
    } else if constexpr (!is_input<Leaf> || std::is_arithmetic_v<Leaf> || is_variable<Leaf>) {
      return Leaf{};
    } else if constexpr (Tensor::rank == 0) {
      return typename Tensor::value_type{};
    } else if constexpr (!Tensor::shape_type::is_static) {
      return Tensor(uninitialized, type->shape);
    } else if constexpr (std::is_trivially_copyable_v<Tensor> &&
                         (InStructure || sizeof(Tensor) <= 16)) {
      return Tensor{};
    } else {
      return Tensor(uninitialized);
    }
  }
};

/// Whether every tensor in a structure has static extents.
template <class S>
constexpr bool has_static_extents() {
  bool all = true;
  for_each_leaf_type<S>([&all]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (is_any<Leaf>) all = false;
    else if constexpr (is_input<Leaf>) all = all && operand<Leaf>::shape_type::is_static;
  });
  return all;
}

/// A graph of dynamic extents for some extents of the inputs, if they fit it; else an empty one.
/// What the compiler makes of it serves other extents too (execute/prototype.hpp).
template <class Source>
struct represented {
  // No power of two, and divisible by small numbers, as reshapes may need it; the eighth power
  // times the size of an element is still an `index`.
  static constexpr index extent = 180;
  static constexpr graph make() {
    constexpr graph_view g = Source::value;
    std::vector<spec> inputs;
    for (node_id id : g.input_list) {
      spec s = g.type(id);
      for (int i = 0; i < s.shape.rank; ++i)
        if (s.shape[i] < 0) s.shape[i] = extent;
      inputs.push_back(s);
    }
    return bind_extents(g, inputs).bound;
  }
};

/// What is made of a callable for arguments of these types: the graph as written.
template <class F, class... Args>
struct traced_call {
  using traced = frozen<trace_of_call<F, Args...>>;
  using symbolic_result = traced_result<F, Args...>;
  using result_maker = make_result<!leaf<symbolic_result>>;
  using result_type = decltype(build_like<symbolic_result>(std::declval<result_maker&>()));
};

/// Of static extents: the optimised graph and the program.
template <class F, options O, class... Args>
struct compiled_static : traced_call<F, Args...> {
  using base = traced_call<F, Args...>;
  static constexpr bool is_static = true;
  static constexpr auto output_types = [] {
    constexpr graph_view g = base::traced::value;
    std::array<spec, g.output_list.size()> types;
    for (std::size_t k = 0; k < types.size(); ++k) types[k] = g.type(g.output_list[k]);
    return types;
  }();
  using optimized = optimized_of<typename base::traced, O>;
  using program = scheduled<optimized>;
};

/// Of dynamic extents: the graph without what it does not need, and prototypes for the plans.
template <class F, options O, class... Args>
struct compiled_dynamic : traced_call<F, Args...> {
  using base = traced_call<F, Args...>;
  static constexpr bool is_static = false;
  using optimized = frozen<pruned<typename base::traced>>;
  using prototype = scheduled<optimized_of<frozen<represented<typename base::traced>>, O>, true>;
};

/// Whether all that is bound to a callable has static extents. (A model's variables have.)
template <class F>
inline constexpr bool bound_is_static = true;
template <class F, class... Values>
inline constexpr bool bound_is_static<bound<F, Values...>> =
    (has_static_extents<referred_t<Values>>() && ...);

template <class F, options O, class... Args>
using compiled =
    std::conditional_t<(has_static_extents<Args>() && ...) && bound_is_static<F>,
                       compiled_static<F, O, Args...>, compiled_dynamic<F, O, Args...>>;

}  // namespace tfgraph::detail
