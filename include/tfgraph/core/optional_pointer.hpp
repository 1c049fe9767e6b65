// A pointer that may be missing, and knows it. With -fsanitize=undefined g++ does not compare the
// addresses of inline functions and variables with null in constant expressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

namespace tfgraph::detail {

/// A pointer to an object or a function, or nothing. (All is public, so that it can be a part of
/// template arguments.)
template <class T>
struct optional_pointer {
  T* pointer = nullptr;
  bool given = false;

  constexpr optional_pointer() = default;
  constexpr optional_pointer(std::nullptr_t) {}
  template <std::convertible_to<T*> P>
  constexpr optional_pointer(P p) : pointer(p), given(true) {}

  [[nodiscard]] explicit constexpr operator bool() const { return given; }
  [[nodiscard]] constexpr T& operator*() const { return *pointer; }
  [[nodiscard]] constexpr T* operator->() const { return pointer; }
  template <class... A>
  constexpr auto operator()(A&&... a) const {
    return pointer(std::forward<A>(a)...);
  }
  [[nodiscard]] friend constexpr bool operator==(const optional_pointer&,
                                                 const optional_pointer&) = default;
};

}  // namespace tfgraph::detail
