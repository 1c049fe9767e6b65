// grad, value_and_grad, vjp: gradients of functions, by reverse mode.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/reverse.hpp>
#include <tfgraph/differentiate/transform.hpp>

namespace tfgraph {
namespace detail {

template <class Selection, bool WithValue>
struct gradient_transform {
  static constexpr std::string_view name = "grad";
  static constexpr bool reverse = true;
  static constexpr bool scalar = true;
  static constexpr graph derive(const graph_view& f, std::span<const int> sources) {
    return with_gradients(f, sources);
  }

  template <class F, class... A>
  static constexpr auto call(const F& f, const A&... a) {
    using by = sources<Selection, F, A...>;
    using result = typename result_in_trace<F, A...>::type;
    const placed out = append_derived<gradient_transform, by>(inputs_of_call(f, a...), f, a...);
    make_placed value{out, 0};
    make_placed gradient{out, input_count<result>()};
    if constexpr (WithValue) {
      auto v = build_like<result>(value);
      return std::pair(std::move(v), by::build(gradient));
    } else return by::build(gradient);
  }
};

template <class Selection>
struct pullback_transform {
  static constexpr std::string_view name = "vjp";
  static constexpr bool reverse = true;
  static constexpr bool scalar = false;
  static constexpr graph derive(const graph_view& f, std::span<const int> sources) {
    return with_pullback(f, sources);
  }

  template <class F, class... A>
  static constexpr auto call(const F& f, const A&... a) {
    static_assert(sizeof...(A) > 1, "tfgraph: vjp takes the arguments and a cotangent");
    return with(std::make_index_sequence<sizeof...(A) - 1>{}, f, std::tie(a...));
  }

 private:
  template <std::size_t... I, class F, class... A>
  static constexpr auto with(std::index_sequence<I...>, const F& f, std::tuple<const A&...> a) {
    using by = sources<Selection, F, typename nth_of<I, A...>::type...>;
    using result = typename result_in_trace<F, typename nth_of<I, A...>::type...>::type;
    static_assert(leaves_may_match<result, typename nth_of<sizeof...(I), A...>::type>(),
                  "tfgraph: vjp: the cotangent must have the structure of the result");
    placed in = inputs_of_call(f, std::get<I>(a)...);
    append_leaves(in, std::get<sizeof...(I)>(a));
    const placed out = append_derived<pullback_transform, by>(in, f, std::get<I>(a)...);
    make_placed value{out, 0};
    make_placed gradient{out, input_count<result>()};
    auto v = build_like<result>(value);
    return std::pair(std::move(v), by::build(gradient));
  }
};

}  // namespace detail

/// grad(f): the function that gives the gradient of f by its first argument; grad(f, wrt<0, 2>) by
/// several, as a tuple; grad(f, wrt_variables) by the variables of the model f, as another model.
/// The gradient has the structure of what it is taken by. f gives a floating-point scalar, or a
/// structure that begins with one (what follows is not differentiated).
///
///   constexpr auto slope = tg::grad([](auto x) { return x * x * x; });
///   static_assert(slope(2.0) == 12);
///
/// Where there is no derivative: abs has 0 at 0, and so has relu; equal operands of maximum and
/// minimum, and equal elements of max and min, share it; sqrt has infinity at 0. `where` hands on
/// the derivative of the branch that it selects, but the other branch is differentiated, too: keep
/// its operands in its domain, as in where(x > 0, sqrt(where(x > 0, x, 1)), 0).
template <class F, class Selection = wrt_t<0>>
[[nodiscard]] constexpr auto grad(const F& f, Selection = {}) {
  return detail::transform<detail::gradient_transform<Selection, false>>(f);
}

/// The result of f and its gradient, as a pair; with a structured result all of it.
template <class F, class Selection = wrt_t<0>>
[[nodiscard]] constexpr auto value_and_grad(const F& f, Selection = {}) {
  return detail::transform<detail::gradient_transform<Selection, true>>(f);
}

/// vjp(f)(args..., cotangent): the result of f, and the cotangent times the Jacobian, as a pair.
/// The cotangent has the structure of the result.
template <class F, class Selection = wrt_t<0>>
[[nodiscard]] constexpr auto vjp(const F& f, Selection = {}) {
  return detail::transform<detail::pullback_transform<Selection>>(f);
}

}  // namespace tfgraph
