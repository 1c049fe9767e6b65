// Branches in a traced callable: cond and switch_. All alternatives are traced, one of them runs.
// Outside of a trace they are an ordinary choice.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/region.hpp>

#include <array>
#include <tuple>

namespace tfgraph {
namespace detail {

struct cond_alternative {
  static constexpr const char* subject = "cond: result";
  static constexpr const char* giver = "another alternative";
};

/// Refuses alternatives whose results differ in type.
template <class First, class... Others>
constexpr void require_like() {
  if constexpr (have_handles<First, Others...>)
    (require_no_objection<agreement<cond_alternative, First, Others>>(), ...);
}

/// Traces the alternatives, each a callable without arguments, and records the branch.
template <bool Live, class... F>
constexpr auto record_branch(tracing& trace, node_id selector, F&... alternatives) {
  using first = std::tuple_element_t<0, std::tuple<decltype(alternatives())...>>;
  constexpr int count = sizeof...(F);
  const std::int32_t region = trace.begin_branch(count);
  list<node_id> results;
  std::int32_t k = 0;
  const auto record = [&](auto& f) {
    trace.begin_alternative(region + k++);
    const auto result = f();
    const list<node_id> nodes = nodes_of(trace, result, results);
    if (k == 1) results = nodes;
    trace.end_alternative(span_of(nodes));
  };
  (record(alternatives), ...);
  trace.end_branch(selector, region, count, std::span<node_id>(results.data(), results.size()));
  return handles_like<Live, first>(trace, results);
}

/// Runs the alternative with this number.
template <bool Live, class F, class... G>
constexpr auto choose(index number, F& f, G&... others) {
  const auto give = [](auto&& x) {
    if constexpr (have_handles<decltype(f())>) return handles_for<Live>(trace_among(x), x);
    else return x;
  };
  if constexpr (sizeof...(G) == 0) return give(f());
  else return number <= 0 ? give(f()) : choose<Live>(number - 1, others...);
}

}  // namespace detail

/// switch_(index, f0, f1, ...): the result of the callable with this number; numbers are brought
/// into range. In a trace `index` is an integer (or bool) of rank 0, all callables are traced, and
/// their results, which may be structures, agree in type and shape. They return what they compute:
/// assigning to a handle from outside is a `trace_error`.
template <class Index, class... F>
[[nodiscard]] constexpr auto switch_(const Index& selector, F... alternatives) {
  using namespace detail;
  static_assert(sizeof...(F) > 0, "tfgraph: switch_: there is no alternative");
  static_assert(is_operand<Index>, "tfgraph: switch_: the index must be an integer of rank 0");
  if constexpr (!is_any<Index>)
    static_assert(operand<Index>::shape_type::rank == 0 &&
                      std::is_integral_v<typename operand<Index>::value_type>,
                  "tfgraph: switch_: the index must be an integer of rank 0");
  require_like<decltype(alternatives())...>();
  constexpr bool live = are_live<Index, decltype(alternatives())...>;
  if constexpr (is_handle<Index>)
    if (tracing* const trace = selector.trace(); trace != nullptr)
      return record_branch<live>(*trace, selector.node(), alternatives...);
  if constexpr (std::is_same_v<Index, any_expr>) throw trace_error("switch_: no trace");
  else if constexpr (is_any<Index>)
    return choose<live>(number_of(selector.dtype(), value_of_array(selector).elements[0]),
                        alternatives...);
  else
    return choose<live>(
        number_of(dtype_of<typename operand<Index>::value_type>,
                  value_of(selector, dtype_of<typename operand<Index>::value_type>).elements[0]),
        alternatives...);
}

/// cond(p, then, otherwise, args...): then(args...) if p, else otherwise(args...). In a trace `p` is
/// a bool of rank 0; see switch_.
template <class P, class Then, class Otherwise, class... Args>
[[nodiscard]] constexpr auto cond(const P& p, Then then, Otherwise otherwise, const Args&... args) {
  if constexpr (detail::is_operand<P> && !detail::is_any<P>)
    static_assert(std::is_same_v<typename detail::operand<P>::value_type, bool> &&
                      detail::operand<P>::shape_type::rank == 0,
                  "tfgraph: cond: the condition must be a bool of rank 0; elements are selected with "
                  "where(condition, yes, no)");
  return switch_(
      p, [&] { return otherwise(args...); }, [&] { return then(args...); });
}

}  // namespace tfgraph
