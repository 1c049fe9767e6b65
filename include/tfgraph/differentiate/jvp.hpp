// jvp and hvp: directional derivatives of functions, by forward mode.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/forward.hpp>
#include <tfgraph/differentiate/grad.hpp>

namespace tfgraph {
namespace detail {

/// All arguments.
template <std::size_t... I>
constexpr wrt_t<I...> wrt_all(std::index_sequence<I...>) {
  return {};
}

struct pushforward_transform {
  static constexpr std::string_view name = "jvp";
  static constexpr bool reverse = false;
  static constexpr bool scalar = false;
  static constexpr graph derive(const graph_view& f, std::span<const int> sources) {
    return with_pushforward(f, sources);
  }

  template <class F, class... A>
  static constexpr auto call(const F& f, const A&... a) {
    static_assert(sizeof...(A) > 0 && sizeof...(A) % 2 == 0,
                  "tfgraph: jvp takes the arguments and then as many tangents");
    return with(std::make_index_sequence<sizeof...(A) / 2>{}, f, std::tie(a...));
  }

 private:
  template <std::size_t... I, class F, class... A>
  static constexpr auto with(std::index_sequence<I...> half, const F& f,
                             std::tuple<const A&...> a) {
    constexpr std::size_t n = sizeof...(I);
    static_assert(
        (leaves_may_match<typename nth_of<I, A...>::type, typename nth_of<n + I, A...>::type>() &&
         ...),
        "tfgraph: jvp: the tangents must have the structure of the arguments");
    using by = sources<decltype(wrt_all(half)), F, typename nth_of<I, A...>::type...>;
    using result = typename result_in_trace<F, typename nth_of<I, A...>::type...>::type;
    placed in = inputs_of_call(f, std::get<I>(a)...);
    (..., append_leaves(in, std::get<n + I>(a)));
    const placed out = append_derived<pushforward_transform, by>(in, f, std::get<I>(a)...);
    make_placed value{out, 0};
    make_placed tangent{out, input_count<result>()};
    auto v = build_like<result>(value);
    return std::pair(std::move(v), build_like<result>(tangent));
  }
};

struct hvp_transform {
  template <class F, class X, class V>
  static constexpr auto call(const F& f, const X& x, const V& v) {
    return pushforward_transform::call(make_transformed<F, gradient_transform<wrt_t<0>, false>>(f),
                                       x, v)
        .second;
  }
};

}  // namespace detail

/// jvp(f)(args..., tangents...): the result of f, and its derivative along the tangents, as a pair.
template <class F>
[[nodiscard]] constexpr auto jvp(const F& f) {
  return detail::transform<detail::pushforward_transform>(f);
}

/// hvp(f)(x, v): the Hessian of the scalar function f of one argument, times v; forward over
/// reverse, so that it costs a few gradients.
template <class F>
[[nodiscard]] constexpr auto hvp(const F& f) {
  return detail::transform<detail::hvp_transform>(f);
}

}  // namespace tfgraph
