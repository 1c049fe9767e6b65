// Calls that the running program traces: of callables that captured something, and with arguments
// whose element type, rank and extents are values.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/function/compiled.hpp>
#include <tfgraph/function/plans.hpp>

namespace tfgraph::detail {

/// Whether a structure holds tensors whose type is a value.
template <class S>
constexpr bool has_any() {
  bool found = false;
  for_each_leaf_type<S>(
      [&]<class Leaf>(std::type_identity<Leaf>) { found = found || is_any<Leaf>; });
  return found;
}

/// Makes the handle that stands for a leaf of an argument, whose input node is the next one.
struct make_live_handle {
  tracing& trace;
  const std::vector<node_id>& inputs;
  std::size_t next = 0;

  template <class Leaf>
  auto operator()(std::type_identity<Leaf>) {
    if constexpr (is_input<Leaf>) {
      const node_id n = inputs.at(next++);
      if constexpr (is_any<Leaf>) {
        return any_expr(trace, n);
      } else if constexpr (is_variable<Leaf>) {
        Leaf symbolic;
        symbolic.attach(trace, n);
        return symbolic;
      } else {
        return live_expr<typename operand<Leaf>::value_type, typename operand<Leaf>::shape_type>(
            trace, n);
      }
    } else return Leaf{};
  }
};

/// What a callable returns when it is called with live handles for arguments of these types.
template <class F, class... Args>
struct result_of_live_trace {
  using type = std::remove_cvref_t<decltype(std::declval<const F&>()(
      std::declval<decltype(build_like<Args>(std::declval<make_live_handle&>()))&>()...))>;
};
template <class F, class... Values, class... Args>
struct result_of_live_trace<bound<F, Values...>, Args...>
    : result_of_live_trace<F, referred_t<Values>..., Args...> {};
template <class F, class... Args>
using live_result = typename result_of_live_trace<F, Args...>::type;

/// Calls a callable with handles. What is bound to it are captured tensors.
template <class F, class... Handles>
auto call_live(const F& f, tracing&, std::tuple<Handles...>& handles) {
  return std::apply(f, handles);
}
template <class F, class... Values, class... Handles>
auto call_live(const bound<F, Values...>& f, tracing& trace, std::tuple<Handles...>& handles) {
  std::vector<node_id> inputs;
  const auto capture = [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_input<Leaf>) inputs.push_back(record_capture(trace, leaf));
  };
  std::apply([&](const auto&... v) { (for_each_leaf(refer(v), capture), ...); }, f.values);
  make_live_handle handle{trace, inputs};
  auto values = make_handles<referred_t<Values>...>(handle);
  const auto refer_to = [](auto&... x) { return std::tie(x...); };
  return std::apply(f.callable,
                    std::tuple_cat(std::apply(refer_to, values), std::apply(refer_to, handles)));
}

/// Traces a callable for inputs of the types that `g` says.
template <class F, class... Args>
void trace_live(const F& f, live_graph& g) {
  tracing trace;
  live_trace live{reinterpret_cast<const std::byte*>(&f), sizeof f, {}};
  trace.live = &live;
  std::vector<node_id> inputs;
  for (const spec& type : g.inputs)
    inputs.push_back(trace.recorded.add_input(ops::id<ops::input>, type));
  make_live_handle handle{trace, inputs};
  auto handles = make_handles<Args...>(handle);
  auto result = call_live(f, trace, handles);
  record_results(trace, result);
  std::int32_t next = 0;
  record_updates(trace, next, handles);
  if (!trace.recorded.update_list.empty())
    throw trace_error(
        "variable: a function that the running program traces (with captures, or of any_tensor) cannot "
        "assign to variables; the compiler must trace it");
  dynamic_operator<ops::cast>::template provide<float>();  // what promotion asks for most often
  g.recorded = std::move(trace.recorded);
  g.captures = std::move(live.captures);
}

template <class... Args>
inline constexpr char live_types_tag = 0;

/// The plan for a call that the running program traces; says whether it has been traced for it.
template <options O, class F, class... Args>
[[nodiscard]] auto live_plan_for(function_state& state, bool& traced, const F& f,
                                 const Args&... args) {
  constexpr int inputs = static_cast<int>([] {
    std::size_t n = 0;
    const auto count = [&n]<class Leaf>(std::type_identity<Leaf>) { n += is_input<Leaf> ? 1 : 0; };
    (for_each_leaf_type<Args>(count), ...);
    return n;
  }());
  plan_lookup<inputs> key{&live_types_tag<Args...>, {}};
  for_each_input_type([&](dtype t, const extents& e) { key.inputs.push(t, e); }, args...);
  return state.plans.find_or_make(key, [&] {
    std::vector<spec> types = types_of(args...);
    const auto g = state.graph_for(&live_types_tag<Args...>, types, [&](live_graph& fresh) {
      trace_live<F, Args...>(f, fresh);
      traced = true;
    });
    for (const capture& c : g->captures) types.push_back(c.type);
    return plan(g->recorded.view(), types, {}, simplify_options_of<O>::value, g->captures);
  });
}

}  // namespace tfgraph::detail
