// tg::bind_front: captures that the compiler can look into. The values are further inputs of the
// graph, after the arguments of a call.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/structure.hpp>

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tfgraph {
namespace detail {

template <class T>
struct referred {
  using type = T;
};
template <class T>
struct referred<std::reference_wrapper<T>> {
  using type = std::remove_const_t<T>;
};
/// A type, or what a std::reference_wrapper refers to.
template <class T>
using referred_t = typename referred<T>::type;

template <class T>
constexpr const T& refer(const T& x) {
  return x;
}
template <class T>
constexpr const T& refer(const std::reference_wrapper<T>& x) {
  return x.get();
}

}  // namespace detail

/// A callable with its first arguments. Made by `bind_front`.
template <class F, class... Values>
struct bound {
  [[no_unique_address]] F callable;
  std::tuple<Values...> values;

  template <class... Args>
  constexpr auto operator()(const Args&... args) const {
    return std::apply([&](const auto&... v) { return callable(detail::refer(v)..., args...); },
                      values);
  }
};

/// bind_front(f, w, std::ref(b)): f with these first arguments, scalars, tensors, views and models,
/// by value or by reference. Unlike what a lambda captures, they keep a function in the compiler:
///
///   auto f = tg::function(tg::bind_front([](auto w, auto x) { return x * w; }, weights));
template <class F, class... Values>
[[nodiscard]] constexpr auto bind_front(F callable, Values... values) {
  static_assert(std::is_empty_v<F>,
                "tfgraph: bind_front takes a callable without captures, and the values beside it");
  return bound<F, Values...>{callable, {std::move(values)...}};
}

namespace detail {

template <class F>
inline constexpr bool is_bound = false;
template <class F, class... Values>
inline constexpr bool is_bound<bound<F, Values...>> = true;

}  // namespace detail
}  // namespace tfgraph
