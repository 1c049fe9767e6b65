// checkpoint: a function whose intermediate values are not kept for its gradient.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/custom_gradient.hpp>
#include <tfgraph/differentiate/grad.hpp>

#include <tuple>
#include <utility>

namespace tfgraph {
namespace detail {

/// The backward pass of F from the arguments alone: what F computes is computed again.
template <class F>
struct recomputing {
  template <class... A>
  constexpr auto operator()(const A&... a) const {
    return from(std::make_index_sequence<sizeof...(A) - 2>{}, std::tie(a...));
  }

 private:
  template <class X>
  static constexpr bool is_real = std::is_floating_point_v<typename operand<X>::value_type>;

  template <std::size_t... I, class... A>
  static constexpr auto from(std::index_sequence<I...>, std::tuple<const A&...> a) {
    // Derivatives by one floating-point argument after the other; the optimiser finds what they
    // have in common. In the place of a derivative by integers stands any value.
    const auto& cotangent = std::get<sizeof...(A) - 1>(a);
    const auto x = std::tuple(apply<ops::recompute>(std::get<I>(a))...);
    const auto by = [&]<std::size_t K>(std::index_sequence<K>) {
      if constexpr (is_real<std::tuple_element_t<K, std::tuple<A...>>>)
        return pullback_transform<wrt_t<K>>::call(F{}, std::get<I>(x)..., cotangent).second;
      else return std::get<K>(a);
    };
    if constexpr (sizeof...(I) == 1) return by(std::index_sequence<0>{});
    else return std::tuple(by(std::index_sequence<I>{})...);
  }
};

}  // namespace detail

/// checkpoint(f): f, whose gradient computes what f has computed again instead of keeping it, which
/// saves memory. f takes and gives single tensors.
template <class F>
[[nodiscard]] constexpr auto checkpoint(const F&) {
  static_assert(detail::stateless<F>,
                "tfgraph: checkpoint takes a callable without run-time state (captures)");
  return function(detail::with_custom_gradient<F, detail::recomputing<F>, ops::checkpoint>{});
}

}  // namespace tfgraph
