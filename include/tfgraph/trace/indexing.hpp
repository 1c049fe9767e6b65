// Elements found by indices that are computed: take and scatter_add.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/indexing.hpp>
#include <tfgraph/trace/apply.hpp>

#include <type_traits>

namespace tfgraph {
namespace detail {

/// Indices as int64. What is no integer is refused, and so is uint64, which int64 cannot hold.
template <class I>
constexpr auto as_indices(const I& i) {
  if constexpr (is_any<I>) {
    if (!is_integer(spec_of(i).type) || spec_of(i).type == dtype::uint64)
      throw dtype_error("take and scatter_add: the indices must be integers that int64 can hold");
    return astype<index>(i);
  } else {
    using T = typename operand<I>::value_type;
    static_assert(
        std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, std::uint64_t>,
        "tfgraph: take and scatter_add: the indices must be integers that int64 can hold");
    return astype<index>(i);
  }
}

}  // namespace detail

/// take(x, indices, axis<0>): the slices of x at these positions of an axis, NumPy's take. The axes
/// of the indices come in the place of that axis. Negative indices count from the end; one that is
/// out of range throws domain_error.
struct take_function {
  template <class X, class I, index A>
  constexpr auto operator()(const X& x, const I& indices, axis_t<A>) const {
    return detail::apply<ops::take, detail::attributes<A, 0>>(detail::as_indices(indices), x);
  }
};
inline constexpr take_function take{};

/// scatter_add(x, indices, updates, axis<0>): x, to whose slices at these positions the updates are
/// added one after the other, so an index that comes twice counts twice. NumPy's add.at. Indices as
/// those of `take`.
struct scatter_add_function {
  template <class X, class I, class U, index A>
  constexpr auto operator()(const X& x, const I& indices, const U& updates, axis_t<A>) const {
    return detail::apply<ops::scatter_add, detail::attributes<A, 0>>(detail::as_indices(indices), x,
                                                                     updates);
  }
};
inline constexpr scatter_add_function scatter_add{};

}  // namespace tfgraph
