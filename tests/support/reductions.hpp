// Reductions of a tensor over axes against their definition.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <support/operators.hpp>

#include <array>
#include <limits>

namespace tfgraph::test {

using axes = std::array<bool, max_rank>;

constexpr auto plus = [](auto a, auto b) { return static_cast<decltype(a)>(a + b); };
constexpr auto larger = [](auto a, auto b) { return b > a ? b : a; };
constexpr auto smaller = [](auto a, auto b) { return b < a ? b : a; };

// The sum and the extremes of x over the axes for which `reduced` says so.
template <index... A, class X>
constexpr void check_axes(const X& x, const axes& reduced) {
  using T = typename X::value_type;
  const auto [s, h, l, k] = function([](auto y) {
    return std::tuple(sum(y, axis<A...>), max(y, axis<A...>), min(y, axis<A...>),
                      sum(y, axis<A...>, keepdims));
  })(x);
  using Result = std::remove_cvref_t<decltype(s)>;
  TFGRAPH_CHECK(same(s, reduce<Result>(x, reduced, T(0), plus)));
  TFGRAPH_CHECK(same(h, reduce<Result>(x, reduced, std::numeric_limits<T>::lowest(), larger)));
  TFGRAPH_CHECK(same(l, reduce<Result>(x, reduced, std::numeric_limits<T>::max(), smaller)));
  using Kept = std::remove_cvref_t<decltype(k)>;
  TFGRAPH_CHECK(same(k, reduce<Kept>(x, reduced, T(0), plus)));
}

template <class X>
constexpr void check_all_axes(const X& x) {
  check_axes<0>(x, {true});
  check_axes<1>(x, {false, true});
  check_axes<-1>(x, {false, false, true});
  check_axes<0, 1>(x, {true, true});
  check_axes<0, -1>(x, {true, false, true});
  check_axes<1, 2>(x, {false, true, true});
  check_axes<0, 1, 2>(x, {true, true, true});
}

}  // namespace tfgraph::test
