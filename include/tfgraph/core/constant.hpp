// Values that are part of a type, and therefore of a function's signature.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

namespace tfgraph {

/// A compile-time value as an argument: `constant_c<10>`. Converts to its value anywhere.
template <auto V>
struct constant_t {
  using value_type = std::remove_cv_t<decltype(V)>;
  static constexpr value_type value = V;
  constexpr operator value_type() const { return V; }
};
template <auto V>
inline constexpr constant_t<V> constant_c{};

namespace detail {

// constant_t, std::integral_constant and Hana's integral constants look alike: an empty type with a
// static value that it converts to.
template <class T>
concept static_value = std::is_empty_v<T> && requires {
  T::value;
  requires std::is_arithmetic_v<std::remove_cv_t<decltype(T::value)>>;
  requires std::is_convertible_v<T, std::remove_cv_t<decltype(T::value)>>;
};

}  // namespace detail
}  // namespace tfgraph
