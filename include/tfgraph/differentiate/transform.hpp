// Transformed functions: a callable whose graph is made of another callable's graph.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/dependence.hpp>
#include <tfgraph/function/function.hpp>
#include <tfgraph/graph/emit.hpp>

#include <utility>

namespace tfgraph {
namespace detail {

/// A callable and what is done to its graph: `Transform::call(f, args...)`, where the arguments are
/// handles. It is without state if F is, else a model that contains F.
template <class F, class Transform, bool Stateless = stateless<F>>
struct transformed {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    if constexpr ((has_handles<A>() || ...)) return Transform::call(F{}, a...);
    else return function(*this)(a...);
  }
};
template <class F, class Transform>
struct transformed<F, Transform, false> {
  F inner;

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    if constexpr ((has_handles<A>() || ...)) return Transform::call(inner, a...);
    else return function(*this)(a...);
  }
};

template <class F, class Transform>
constexpr auto make_transformed(const F& f) {
  if constexpr (stateless<F>) return transformed<F, Transform>{};
  else return transformed<F, Transform>{f};
}

/// The callable that a function is made of.
template <class F>
constexpr const F& callable_in(const F& f) {
  return f;
}
template <class F, options O>
constexpr const auto& callable_in(const traced_function<F, O>& f) {
  return f.original();
}

/// The transformed function of a callable or function.
template <class Transform, class F>
constexpr auto transform(const F& f) {
  const auto& callable = callable_in(f);
  using callable_type = std::remove_cvref_t<decltype(callable)>;
  static_assert(stateless<callable_type> || model<callable_type>,
                "tfgraph: only a callable without run-time state (captures), or a model, can be "
                "transformed");
  return function(make_transformed<callable_type, Transform>(callable));
}

/// Number of inputs that a callable brings along: its variables.
template <class F>
constexpr std::size_t variable_count() {
  if constexpr (model<F>) return input_count<F>();
  else return 0;
}

/// Nodes of the trace in progress.
struct placed {
  tracing* trace = nullptr;
  list<node_id> nodes;
};

/// Adds the leaves of a structure.
template <class S>
constexpr void append_leaves(placed& p, const S& s) {
  for_each_leaf(s, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_input<Leaf>)
      p.nodes.push_back(
          record_operand(*p.trace, leaf, dtype_of<typename operand<Leaf>::value_type>));
  });
}

/// The leaves of arguments, and then of the variables of the callable, as nodes of the trace in
/// progress.
template <class F, class... A>
constexpr placed inputs_of_call(const F& f, const A&... a) {
  placed p;
  const auto find_trace = [&]<class Leaf>(const Leaf& leaf) {
    if (p.trace == nullptr) p.trace = trace_of(leaf);
  };
  (for_each_leaf(a, find_trace), ...);
  if constexpr (model<F>) for_each_leaf(f, find_trace);
  if (p.trace == nullptr)
    throw trace_error("a transformed function was called with a constant outside of a trace");
  (append_leaves(p, a), ...);
  if constexpr (model<F>) append_leaves(p, f);
  return p;
}

/// Appends a graph to the trace in progress; gives its outputs.
constexpr placed splice(const graph_view& g, const placed& inputs) {
  const list<node_id> place = append(inputs.trace->recorded, g, span_of(inputs.nodes));
  placed p{inputs.trace, {}};
  for (node_id o : g.output_list) p.nodes.push_back(place[o]);
  return p;
}

/// Makes the leaves of a structure out of nodes, in order.
struct make_placed {
  const placed& from;
  std::size_t next;

  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) {
    if constexpr (is_variable<Leaf>) {
      Leaf symbolic;
      symbolic.attach(*from.trace, from.nodes[next++]);
      return symbolic;
    } else if constexpr (is_input<Leaf>) {
      using T = typename operand<Leaf>::value_type;
      return expr<T, typename operand<Leaf>::shape_type>(*from.trace, from.nodes[next++]);
    } else return Leaf{};
  }
};

template <std::size_t K, class... T>
struct nth_of : std::tuple_element<K, std::tuple<T...>> {};

/// The number of a call's first input that belongs to the K-th argument.
template <std::size_t K, class... A>
constexpr std::size_t first_input() {
  constexpr std::size_t counts[] = {input_count<A>()..., 0};
  std::size_t n = 0;
  for (std::size_t i = 0; i < K && i < sizeof...(A); ++i) n += counts[i];
  return n;
}

}  // namespace detail

/// Which arguments a derivative is taken by: `wrt<0>`, `wrt<0, 2>`.
template <std::size_t... K>
struct wrt_t {};
template <std::size_t... K>
inline constexpr wrt_t<K...> wrt{};

/// The variables of the model that is differentiated, instead of its arguments.
struct wrt_variables_t {};
inline constexpr wrt_variables_t wrt_variables{};

namespace detail {

/// The inputs that a selection names, for a call of F with arguments A, and the structure of the
/// derivative by them.
template <class Selection, class F, class... A>
struct sources;

template <std::size_t... K, class F, class... A>
struct sources<wrt_t<K...>, F, A...> {
  static_assert(((K < sizeof...(A)) && ...) && sizeof...(K) > 0,
                "tfgraph: wrt names an argument that the function does not have");
  static constexpr std::size_t count = (input_count<typename nth_of<K, A...>::type>() + ...);
  static constexpr auto value = [] {
    std::array<int, count> numbers{};
    std::size_t n = 0;
    (..., [&] {
      for (std::size_t i = 0; i < input_count<typename nth_of<K, A...>::type>(); ++i)
        numbers[n++] = static_cast<int>(first_input<K, A...>() + i);
    }());
    return numbers;
  }();
  template <class Make>
  static constexpr auto build(Make& make) {
    if constexpr (sizeof...(K) == 1)
      return build_like<typename nth_of<std::array{K...}[0], A...>::type>(make);
    else return build_like<std::tuple<typename nth_of<K, A...>::type...>>(make);
  }
};

template <class F, class... A>
struct sources<wrt_variables_t, F, A...> {
  static_assert(model<F>, "tfgraph: wrt_variables needs a model; this callable has no variables");
  static constexpr std::size_t count = variable_count<F>();
  static constexpr auto value = [] {
    std::array<int, count> numbers{};
    for (std::size_t i = 0; i < count; ++i)
      numbers[i] = static_cast<int>(first_input<sizeof...(A), A...>() + i);
    return numbers;
  }();
  template <class Make>
  static constexpr auto build(Make& make) {
    return build_like<F>(make);
  }
};

/// Ends compilation if the derivative does not exist.
template <class Traced, class Sources, class Transform>
struct derivative_rule {
  static constexpr sentence value = derivative_objection(
      Traced::value, Sources::value, Transform::name, Transform::reverse, Transform::scalar);
};

}  // namespace detail
}  // namespace tfgraph
