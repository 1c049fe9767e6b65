// Keeping what a constant expression computed: memory cannot outlive one, so lists are copied into
// arrays of a static object.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>

#include <array>
#include <cstddef>

namespace tfgraph::detail {

/// An array of at most N elements, the first `count` of which are used. The elements must be
/// aggregates without initialisers: then the unused ones cost the compiler nothing.
template <class T, std::size_t N>
struct static_list {
  std::array<T, N> elements;
  std::size_t count;

  template <class List>
  constexpr void assign(const List& list) {
    count = list.size();
    if (count > N) return;
    for (std::size_t i = 0; i < count; ++i) elements[i] = list[i];
  }
  [[nodiscard]] constexpr list_view<T> view() const { return {elements.data(), count}; }
  [[nodiscard]] constexpr std::size_t size() const { return count; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return elements[i]; }
};

/// Runs `Maker::make()` in a constant expression and keeps its result in a `Form<sizes>`, whose
/// `from(...)` makes it of a result or of another form. To learn the sizes, the result first goes
/// into a roomy form; only if that is too small is `make` run again.
template <class Maker, template <auto> class Form, auto Roomy>
struct frozen_as {
 private:
  static constexpr auto draft = Form<Roomy>::from(Maker::make());
  static constexpr auto sizes = draft.sizes();

  static constexpr auto keep() {
    if constexpr (draft.fits()) return Form<sizes>::from(draft);
    else return Form<sizes>::from(Maker::make());
  }

 public:
  static constexpr auto storage = keep();
  static constexpr auto value = storage.view();
};

}  // namespace tfgraph::detail
