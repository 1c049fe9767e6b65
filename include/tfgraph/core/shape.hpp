// Shapes: as a type (`shape<2, dyn>`) and as a value (`extents`).
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

namespace tfgraph {

/// An extent that only the running program knows.
inline constexpr std::size_t dyn = std::dynamic_extent;

/// Signed, so that strides, offsets and Python-style negative positions need no second type.
using index = std::int64_t;

/// The largest number of dimensions.
inline constexpr int max_rank = 8;

/// The shape of a tensor as a value. An extent is a number, or negative when it is not known:
/// `unknown` says nothing; `symbol(k)` is the k-th named unknown of a graph.
struct extents {
  static constexpr index unknown = -1;
  [[nodiscard]] static constexpr index symbol(index k) { return -2 - k; }

  int rank = 0;
  index value[max_rank] = {};

  constexpr extents() = default;
  constexpr extents(std::initializer_list<index> list) {
    for (index e : list) push_back(e);
  }

  constexpr void push_back(index e) { value[rank++] = e; }
  [[nodiscard]] constexpr index operator[](int axis) const { return value[axis]; }
  [[nodiscard]] constexpr index& operator[](int axis) { return value[axis]; }

  [[nodiscard]] constexpr bool is_static() const {
    for (int i = 0; i < rank; ++i)
      if (value[i] < 0) return false;
    return true;
  }

  /// Number of elements (of a static shape).
  [[nodiscard]] constexpr index size() const {
    index n = 1;
    for (int i = 0; i < rank; ++i) n *= value[i];
    return n;
  }

  [[nodiscard]] friend constexpr bool operator==(const extents& a, const extents& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.value[i] != b.value[i]) return false;
    return true;
  }
};

/// The shape of a tensor as a type; each extent is a number or `dyn`.
template <std::size_t... E>
struct shape {
  static_assert(sizeof...(E) <= max_rank, "tfgraph: a tensor has at most 8 dimensions");
  static constexpr int rank = sizeof...(E);
  static constexpr bool is_static = ((E != dyn) && ...);
  static constexpr extents value{static_cast<index>(E)...};

  /// Number of elements (of a static shape).
  [[nodiscard]] static constexpr std::size_t size() {
    static_assert(is_static, "tfgraph: this shape has dynamic extents, so its size is not known");
    return (std::size_t{1} * ... * E);
  }
  [[nodiscard]] static constexpr std::size_t extent(int axis) {
    return static_cast<std::size_t>(value[axis]);
  }
  friend constexpr bool operator==(shape, shape) { return true; }
  template <std::size_t... F>
  friend constexpr bool operator==(shape, shape<F...>) {
    return false;
  }
};

namespace detail {

template <auto Extents, class = std::make_index_sequence<static_cast<std::size_t>(Extents.rank)>>
struct shape_from;
template <auto Extents, std::size_t... I>
struct shape_from<Extents, std::index_sequence<I...>> {
  using type = shape<(Extents.value[I] < 0 ? dyn : static_cast<std::size_t>(Extents.value[I]))...>;
};

}  // namespace detail

/// The shape type of a constant `extents` value (unknown extents become `dyn`).
template <extents E>
using shape_of_value = typename detail::shape_from<E>::type;

/// Row-major strides, in elements.
struct strides {
  index value[max_rank] = {};
  [[nodiscard]] constexpr index operator[](int axis) const { return value[axis]; }
  [[nodiscard]] constexpr index& operator[](int axis) { return value[axis]; }
};

[[nodiscard]] constexpr strides row_major(const extents& e) {
  strides s;
  index step = 1;
  for (int i = e.rank - 1; i >= 0; --i) {
    s[i] = step;
    step *= e[i];
  }
  return s;
}

}  // namespace tfgraph
