// Tracing: the callable is called once with handles, and what it does to them is its graph.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/apply.hpp>
#include <tfgraph/trace/bind_front.hpp>
#include <tfgraph/trace/variable.hpp>

#include <type_traits>

namespace tfgraph::detail {

/// A callable without run-time state, which the compiler can call by itself.
template <class F>
concept stateless = std::is_empty_v<F> && std::is_default_constructible_v<F>;

/// A callable whose state is variables.
template <class F>
concept model = !std::is_empty_v<F> && std::is_aggregate_v<F> && !is_bound<F>;

/// Makes the handle that stands for a leaf of an argument.
struct make_handle {
  tracing& trace;

  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) const {
    if constexpr (is_input<Leaf>) {
      using T = typename operand<Leaf>::value_type;
      using Shape = typename operand<Leaf>::shape_type;
      const node_id n = trace.recorded.add_input(ops::id<ops::input>, {dtype_of<T>, Shape::value});
      if constexpr (is_variable<Leaf>) {
        Leaf symbolic;
        symbolic.attach(trace, n);
        return symbolic;
      } else return expr<T, Shape>(trace, n);
    } else return Leaf{};
  }
};

/// What the callable returns when it is traced with arguments of these types. (They are passed as
/// lvalues, so that it may take a model by reference.)
template <class F, class... Args>
struct result_of_trace {
  using returned = std::remove_cvref_t<decltype(std::declval<F&>()(
      std::declval<decltype(build_like<Args>(std::declval<make_handle&>()))&>()...))>;
  using type = std::conditional_t<std::is_void_v<returned>, std::tuple<>, returned>;
};
template <class F, class... Values, class... Args>
struct result_of_trace<bound<F, Values...>, Args...>
    : result_of_trace<F, referred_t<Values>..., Args...> {};
template <class F, class... Args>
using traced_result = typename result_of_trace<F, Args...>::type;

/// Makes the leaves of a callable's result the outputs of the graph.
template <class Result>
constexpr void record_results(tracing& trace, Result& result) {
  trace.require_ended();
  for_each_leaf(result, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (is_input<Leaf>)
      trace.recorded.output_list.push_back(record_operand(trace, leaf, spec_of(leaf).type));
  });
}

/// Makes the new values of variables among these structures, which hold the handles of the graph's
/// inputs from number `next` on, further outputs.
template <class S>
constexpr void record_updates(tracing& trace, std::int32_t& next, S& s) {
  for_each_leaf(s, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (is_input<Leaf>) {
      if constexpr (is_variable<Leaf>)
        if (const node_id now = leaf.node(); now != trace.recorded.input_list[next]) {
          trace.recorded.output_list.push_back(now);
          trace.recorded.update_list.push_back(next);
        }
      ++next;
    }
  });
}

/// What a callable returns; nothing is an empty tuple.
template <class F, class... A>
constexpr auto result_of_call(F&& f, A&... a) {
  if constexpr (std::is_void_v<decltype(f(a...))>) {
    f(a...);
    return std::tuple<>{};
  } else return f(a...);
}

/// Handles for arguments of these types. (Braces evaluate from left to right, so inputs are
/// numbered in the order of the arguments.)
template <class... Args, class Make>
constexpr auto make_handles(Make& handle) {
  return std::tuple<decltype(build_like<Args>(handle))...>{build_like<Args>(handle)...};
}

/// The graph of callable F for arguments of these types. Its inputs are the leaves of the
/// arguments, then the variables of the callable.
template <class F, class... Args>
struct trace_of_call {
  static constexpr graph make() {
    tracing trace;
    make_handle handle{trace};
    F f{};
    auto handles = make_handles<Args...>(handle);
    if constexpr (model<F>)
      for_each_leaf(f, [&]<class Leaf>(Leaf& leaf) {
        if constexpr (is_variable<Leaf>) leaf = handle(std::type_identity<Leaf>{});
      });
    auto result = std::apply([&](auto&... a) { return result_of_call(f, a...); }, handles);
    record_results(trace, result);
    std::int32_t next = 0;
    record_updates(trace, next, handles);
    if constexpr (model<F>) record_updates(trace, next, f);
    return std::move(trace.recorded);
  }
};

/// The same with values that are bound to the callable, which are its first arguments.
template <class F, class... Values, class... Args>
struct trace_of_call<bound<F, Values...>, Args...> {
  static constexpr graph make() {
    tracing trace;
    make_handle handle{trace};
    auto arguments = make_handles<Args...>(handle);
    auto values = make_handles<referred_t<Values>...>(handle);
    auto result = std::apply(
        [&](auto&... v) {
          return std::apply([&](auto&... a) { return result_of_call(F{}, v..., a...); }, arguments);
        },
        values);
    record_results(trace, result);
    std::int32_t next = 0;
    record_updates(trace, next, arguments);
    record_updates(trace, next, values);
    return std::move(trace.recorded);
  }
};

}  // namespace tfgraph::detail
