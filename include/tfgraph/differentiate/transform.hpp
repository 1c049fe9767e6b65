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

/// Transforms a model that is an argument.
template <class Transform>
struct transformed_argument {
  template <class F, class... A>
  constexpr auto operator()(const F& f, const A&... a) const {
    return Transform::call(f, a...);
  }
};

/// The transformed function of a callable or function. What refers to a model goes on to do so.
template <class Transform, class F>
constexpr auto transform(const F& callable) {
  using callable_type = F;
  static_assert(stateless<callable_type> || model<callable_type>,
                "tfgraph: only a callable without run-time state (captures), or a model, can be "
                "transformed");
  return function(make_transformed<callable_type, Transform>(callable));
}
template <class Transform, class F>
constexpr auto transform(const std::reference_wrapper<F>& model) {
  return function(tfgraph::bind_front(transformed_argument<Transform>{}, model));
}
template <class Transform, class F, options O>
constexpr auto transform(const traced_function<F, O>& f) {
  return transform<Transform>(f.original());
}
template <class Transform, class F, options O>
constexpr auto transform(const traced_function<std::reference_wrapper<F>, O>& f) {
  return transform<Transform>(std::cref(f.original()));
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
      p.nodes.push_back(record_operand(*p.trace, leaf, spec_of(leaf).type));
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
    } else if constexpr (is_live<Leaf>) {
      return Leaf(*from.trace, from.nodes[next++]);
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

/// The graph that a transformation makes of another: `Transform::derive(graph, sources)`.
template <class Traced, class Sources, class Transform>
struct derived_graph {
  static constexpr graph make() { return Transform::derive(Traced::value, Sources::value); }
};

// ---- in a trace by the running program ----------------------------------------------------------

template <class... A>
constexpr bool has_live() {
  bool found = false;
  (for_each_leaf_type<A>(
       [&found]<class Leaf>(std::type_identity<Leaf>) { found = found || is_live<Leaf>; }),
   ...);
  return found;
}

/// The graph of a callable for inputs of these types: the leaves of the arguments, which are
/// handles, and then the variables of the callable.
template <class... A, class F>
graph live_graph_of(F f, std::span<const spec> types) {
  tracing trace;
  live_trace live{nullptr, 0, {}};
  trace.live = &live;
  std::vector<node_id> inputs;
  for (const spec& type : types)
    inputs.push_back(trace.recorded.add_input(ops::id<ops::input>, type));
  make_live_handle handle{trace, inputs};
  auto arguments = make_handles<A...>(handle);
  if constexpr (model<F>)
    for_each_leaf(f, [&]<class Leaf>(Leaf& leaf) {
      if constexpr (is_variable<Leaf>) leaf = handle(std::type_identity<Leaf>{});
    });
  auto result = std::apply(f, arguments);
  record_results(trace, result);
  return std::move(trace.recorded);
}

inline void require_derivative(const graph_view& g, std::span<const int> sources,
                               const sentence& objection) {
  if (objection.empty()) return;
  const std::string text(objection.view());
  for (int s : sources)
    if (!is_floating(g.type(g.input_list[s]).type)) throw dtype_error(text);
  if (g.output_list.empty() || g.type(g.output_list[0]).shape.rank == 0) throw trace_error(text);
  throw shape_error(text);
}

/// What the rules of derivatives are made of, for the dynamic executor.
inline void provide_rule_operators() {
  const auto provide = []<class... Op>(std::type_identity<Op>...) {
    (dynamic_operator<Op>::template provide<float, double>(), ...);
  };
  using std::type_identity;
  provide(type_identity<ops::add>{}, type_identity<ops::sub>{}, type_identity<ops::mul>{},
          type_identity<ops::div>{}, type_identity<ops::neg>{}, type_identity<ops::square>{},
          type_identity<ops::where>{}, type_identity<ops::equal>{}, type_identity<ops::less>{},
          type_identity<ops::exp>{}, type_identity<ops::sin>{}, type_identity<ops::cos>{},
          type_identity<ops::sum>{}, type_identity<ops::matmul>{});
}

template <class F, class... A>
struct result_in_trace : std::type_identity<traced_result<F, A...>> {};
template <class F, class... A>
  requires(has_live<A...>())
struct result_in_trace<F, A...> : std::type_identity<live_result<F, A...>> {};

/// Appends what a transformation makes of the graph of f for these arguments. `in` holds the inputs
/// of that graph, and what else the transformation asks for.
template <class Transform, class Sources, class F, class... A>
constexpr placed append_derived(const placed& in, const F& f, const A&...) {
  if constexpr (has_live<A...>()) {
    provide_rule_operators();
    std::vector<spec> types;
    for (std::size_t k = 0; k < (input_count<A>() + ... + variable_count<F>()); ++k)
      types.push_back(in.trace->recorded.type(in.nodes[k]));
    const graph inner = live_graph_of<A...>(f, types);
    require_derivative(inner.view(), Sources::value,
                       derivative_objection(inner.view(), Sources::value, Transform::name,
                                            Transform::reverse, Transform::scalar));
    return splice(Transform::derive(inner.view(), Sources::value).view(), in);
  } else {
    using traced = frozen<trace_of_call<F, A...>>;
    require_no_objection<derivative_rule<traced, Sources, Transform>>();
    return splice(frozen<derived_graph<traced, Sources, Transform>>::value, in);
  }
}

}  // namespace detail
}  // namespace tfgraph
