// custom_gradient: a function with a gradient that the user states.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/transform.hpp>

namespace tfgraph {
namespace detail {

template <class F, class Backward, class Op = ops::custom_gradient>
struct with_custom_gradient {
  static_assert(stateless<F> && stateless<Backward>,
                "tfgraph: custom_gradient takes callables without run-time state (captures)");

  template <class... A>
  constexpr auto operator()(const A&... a) const {
    if constexpr ((has_handles<A>() || ...)) return record(a...);
    else return function(*this)(a...);
  }

 private:
  template <class... A>
  static constexpr auto record(const A&... a) {
    static_assert((leaf<A> && ...), "tfgraph: custom_gradient: the arguments must be tensors");
    placed in = inputs_of_call(F{}, a...);
    make_placed arguments{in, 0};
    std::tuple<decltype(build_like<A>(arguments))...> handles{build_like<A>(arguments)...};
    auto y = std::apply([](auto&... x) { return F{}(x...); }, handles);
    using result = decltype(y);
    static_assert(leaf<result>, "tfgraph: custom_gradient: the result must be a single tensor");
    graph& g = in.trace->recorded;
    using T = typename operand<result>::value_type;
    using Shape = typename operand<result>::shape_type;
    const node_id value = record_operand(*in.trace, y, dtype_of<T>);
    const expr<T, Shape> c(*in.trace, ops::record<ops::cotangent>(ops::term{&g, value}).id);
    auto gradients = std::apply([&](auto&... x) { return Backward{}(x..., y, c); }, handles);
    static_assert(input_count<decltype(gradients)>() == (input_count<A>() + ... + 0),
                  "tfgraph: custom_gradient: backward(args..., result, cotangent) must give one "
                  "gradient for each argument");
    placed given{in.trace, {}};
    append_leaves(given, gradients);
    list<node_id> operands;
    operands.push_back(value);
    operands.push_back(c.node());
    for (std::size_t k = 0; k < in.nodes.size(); ++k) {
      operands.push_back(in.nodes[k]);
      const ops::term x{&g, in.nodes[k]};
      operands.push_back(ops::stretch_to(x, ops::term{&g, given.nodes[k]}).id);
    }
    return expr<T, Shape>(*in.trace, emit(g, ops::id<Op>, span_of(operands)));
  }
};

}  // namespace detail

/// custom_gradient(f, backward): f, whose gradient is `backward(args..., result, cotangent)`: the
/// cotangent of the argument, or a tuple of one for each argument. It is recorded, so it can be
/// differentiated again; in reverse mode only.
template <class F, class Backward>
[[nodiscard]] constexpr auto custom_gradient(const F&, const Backward&) {
  return function(detail::with_custom_gradient<F, Backward>{});
}

}  // namespace tfgraph
