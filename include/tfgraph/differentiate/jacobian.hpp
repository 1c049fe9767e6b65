// jacobian and hessian: all derivatives of a function, by forward or reverse mode over a batch of
// unit vectors.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/jvp.hpp>
#include <tfgraph/differentiate/vmap.hpp>

namespace tfgraph {
namespace detail {

/// The graph `Source`, which has one result that matters and takes a direction as its last input,
/// for all unit directions at once: the direction's axes come first in the result (the last one),
/// and move to the end if `Last`.
template <class Source>
struct all_directions {
  static constexpr spec direction =
      Source::value.type(Source::value.input_list[Source::value.input_list.size() - 1]);
  static constexpr index size = direction.shape.size();
  static constexpr auto axes = [] {
    std::array<int, Source::value.input_list.size()> a{};
    for (int& k : a) k = -1;
    a.back() = 0;
    return a;
  }();
};

template <class Batched, class Directions, bool Last>
struct jacobian_graph {
  static constexpr graph make() {
    constexpr graph_view f = Batched::value;
    graph g;
    list<node_id> inputs;
    for (std::size_t k = 0; k + 1 < f.input_list.size(); ++k)
      inputs.push_back(g.add_input(ops::id<ops::input>, f.type(f.input_list[k])));
    const index n = Directions::size;
    const spec square{Directions::direction.type, {n, n}};
    const index diagonal[1] = {0};
    const ops::term units{&g, g.add(ops::id<ops::eye>, square, {}, diagonal)};
    extents stacked{n};
    for (int i = 0; i < Directions::direction.shape.rank; ++i)
      stacked.push_back(Directions::direction.shape[i]);
    inputs.push_back(ops::reshape_to(stacked, units).id);
    const list<node_id> place = append(g, f, span_of(inputs));
    ops::term j{&g, place[f.output_list[f.output_list.size() - 1]]};
    extents rest;
    for (int i = 1; i < j.rank(); ++i) rest.push_back(j.shape()[i]);
    if (Last && rest.rank > 0) {
      ops::attribute_list order;
      for (int i = 1; i <= rest.rank; ++i) order.push_back(i);
      order.push_back(0);
      j = ops::record_with<ops::permute_dims>(std::span<const index>(order), j);
    }
    extents shape = Last ? rest : Directions::direction.shape;
    const extents& after = Last ? Directions::direction.shape : rest;
    for (int i = 0; i < after.rank; ++i) shape.push_back(after[i]);
    g.output_list.push_back(ops::reshape_to(shape, j).id);
    return g;
  }
};

[[nodiscard]] constexpr extents joined(extents a, const extents& b) {
  for (int i = 0; i < b.rank; ++i) a.push_back(b[i]);
  return a;
}

template <std::size_t K>
struct jacobian_transform {
  template <bool Reverse>
  struct rule_of {
    static constexpr std::string_view name = "jacobian";
    static constexpr bool reverse = Reverse;
    static constexpr bool scalar = false;
  };

  template <class F, class... A>
  static constexpr auto call(const F& f, const A&... a) {
    static_assert((has_static_extents<A>() && ...),
                  "tfgraph: jacobian and hessian need arguments of static extents");
    using traced = frozen<trace_of_call<F, A...>>;
    using by = sources<wrt_t<K>, F, A...>;
    using result = traced_result<F, A...>;
    using X = typename nth_of<K, A...>::type;
    static_assert(leaf<X> && leaf<result>,
                  "tfgraph: jacobian: the argument and the result must be single tensors");
    constexpr extents x = operand<X>::shape_type::value;
    constexpr extents y = operand<result>::shape_type::value;
    constexpr bool reverse = y.size() < x.size();
    require_no_objection<derivative_rule<traced, by, rule_of<reverse>>>();
    using linear = derived_graph<
        traced, by,
        std::conditional_t<reverse, pullback_transform<wrt_t<K>>, pushforward_transform>>;
    using directions = all_directions<frozen<linear>>;
    using batched = frozen<batched_graph<frozen<linear>, directions>>;
    using made = frozen<jacobian_graph<batched, directions, !reverse>>;
    const placed out = splice(made::value, inputs_of_call(f, a...));
    using T = typename operand<result>::value_type;
    constexpr extents all = joined(y, x);
    return expr<T, shape_of_value<all>>(*out.trace, out.nodes[0]);
  }
};

struct hessian_transform {
  template <class F, class... A>
  static constexpr auto call(const F& f, const A&... a) {
    return jacobian_transform<0>::call(make_transformed<F, gradient_transform<wrt_t<0>, false>>(f),
                                       a...);
  }
};

}  // namespace detail

/// jacobian(f): the derivatives of all elements of the result by all elements of the first argument
/// (or of another, wrt<1>). Its shape is the result's followed by the argument's. Forward mode or
/// reverse mode, whichever has fewer directions.
template <class F, std::size_t K = 0>
[[nodiscard]] constexpr auto jacobian(const F& f, wrt_t<K> = {}) {
  return detail::transform<detail::jacobian_transform<K>>(f);
}

/// hessian(f): the second derivatives of a scalar function by its first argument.
template <class F>
[[nodiscard]] constexpr auto hessian(const F& f) {
  return detail::transform<detail::hessian_transform>(f);
}

}  // namespace tfgraph
