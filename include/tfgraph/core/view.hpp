// A strided window onto elements that something else owns.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/error.hpp>
#include <tfgraph/core/shape.hpp>

#include <cassert>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

namespace tfgraph {

template <element T, std::size_t... E>
class tensor;

namespace detail {

// The extents of a tensor or view: part of the type where they are static, a member otherwise.
struct dynamic_shape {
  extents value;
};
template <class Shape>
using shape_holder = std::conditional_t<Shape::is_static, Shape, dynamic_shape>;

// Whether a tensor of shape (F...) can be seen as one of shape (E...), as far as the types know.
template <class To, class From>
inline constexpr bool shapes_may_match = false;
template <std::size_t... E, std::size_t... F>
  requires(sizeof...(E) == sizeof...(F))
inline constexpr bool shapes_may_match<shape<E...>, shape<F...>> =
    ((E == F || E == dyn || F == dyn) && ...);

// From T to const T, but never from derived to base or between types.
template <class From, class To>
concept qualifies_to = std::is_convertible_v<From (*)[], To (*)[]>;

// A std::vector, std::array, std::span, ...: what lies in one piece and knows its size, but is
// neither a C array, a tensor nor a view.
template <class R>
concept range_of_elements = !std::is_array_v<std::remove_reference_t<R>> &&
                            !requires { typename std::remove_cvref_t<R>::shape_type; } &&
                            std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
                            std::ranges::borrowed_range<R>;

// The extents of a tensor of type `Shape` that is made with the extents `e`.
template <class Shape>
constexpr shape_holder<Shape> checked_shape(const extents& e) {
  bool fits = e.rank == Shape::rank;
  for (int k = 0; fits && k < e.rank; ++k)
    fits = e[k] >= 0 && (Shape::value[k] < 0 || Shape::value[k] == e[k]);
  if (!fits)
    throw_shape_error(sentence("tensor: extents ")
                      << e << " do not fit a tensor type of shape " << Shape::value);
  if constexpr (Shape::is_static) return {};
  else return {e};
}

// What a shape becomes without elements: its dynamic extents are 0.
template <class Shape>
constexpr extents empty_extents() {
  extents e = Shape::value;
  for (int k = 0; k < e.rank; ++k)
    if (e[k] < 0) e[k] = 0;
  return e;
}

template <class... I>
constexpr bool in_bounds(const extents& e, I... i) {
  int axis = 0;
  return ((static_cast<index>(i) >= 0 && static_cast<index>(i) < e[axis++]) && ...);
}

template <class... I>
constexpr void require_in_bounds(const extents& e, I... i) {
  if (in_bounds(e, i...)) return;
  sentence s("tensor: index (");
  int axis = 0;
  ((s << (axis++ > 0 ? ", " : "") << static_cast<index>(i)), ...);
  throw_shape_error(s << ") is out of range for shape " << e);
}

// Where the element at a position in row-major order is.
constexpr index offset_of(std::size_t position, const extents& e, const strides& s) {
  index rest = static_cast<index>(position);
  index offset = 0;
  for (int k = e.rank - 1; k >= 0; --k) {
    offset += rest % e[k] * s[k];
    rest /= e[k];
  }
  return offset;
}

// Whether elements lie in row-major order without gaps.
constexpr bool is_row_major(const extents& e, const strides& s) {
  if (e.size() == 0) return true;
  const strides expected = row_major(e);
  for (int k = 0; k < e.rank; ++k)
    if (e[k] != 1 && s[k] != expected[k]) return false;
  return true;
}

// Shared by tensor and view, so that both refuse a wrong number of indices with the same words.
template <int Rank, class... I>
constexpr void require_rank() {
  static_assert(sizeof...(I) == Rank,
                "tfgraph: an element is found with one index per dimension of the tensor");
}

}  // namespace detail

/// A view of elements in memory that belongs to something else; an extent is a number or `dyn`.
/// Strides count elements, and may be zero (broadcast) or negative (reversed).
template <element T, std::size_t... E>
class view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using shape_type = tfgraph::shape<E...>;
  static constexpr int rank = shape_type::rank;

  /// An empty view.
  constexpr view()
    requires(!shape_type::is_static)
      : view(nullptr, detail::empty_extents<shape_type>()) {}

  /// Row-major elements at `data`.
  explicit constexpr view(T* data)
    requires(shape_type::is_static)
      : view(data, shape_type::value) {}
  constexpr view(T* data, const extents& e) : view(data, e, row_major(e)) {}

  constexpr view(T* data, const extents& e, const strides& s)
      : data_(data), shape_(detail::checked_shape<shape_type>(e)), strides_(s) {}

  /// A std::vector, std::array, std::span, ... of elements. A temporary that owns its elements is
  /// refused, since the view would outlive it.
  template <class R>
    requires(rank == 1 && detail::range_of_elements<R> &&
             detail::qualifies_to<std::remove_reference_t<std::ranges::range_reference_t<R>>, T>)
  constexpr view(R&& r) : view(std::ranges::data(r), {static_cast<index>(std::ranges::size(r))}) {}

  /// C arrays of one and of two dimensions.
  template <detail::qualifies_to<T> U, std::size_t N>
    requires(detail::shapes_may_match<shape_type, tfgraph::shape<N>>)
  constexpr view(U (&array)[N]) : view(array, {static_cast<index>(N)}) {}
  template <detail::qualifies_to<T> U, std::size_t N, std::size_t M>
    requires(detail::shapes_may_match<shape_type, tfgraph::shape<N, M>>)
  constexpr view(U (&array)[N][M])
      : view(&array[0][0], {static_cast<index>(N), static_cast<index>(M)}) {}

  /// Another view, or a tensor. Static extents that differ do not compile; what only the running
  /// program knows is checked by it.
  template <detail::qualifies_to<T> U, std::size_t... F>
    requires(detail::shapes_may_match<shape_type, tfgraph::shape<F...>>)
  constexpr view(const view<U, F...>& v) : view(v.data(), extents_of(v), v.strides()) {}

  template <detail::qualifies_to<T> U, std::size_t... F>
    requires(detail::shapes_may_match<shape_type, tfgraph::shape<F...>>)
  constexpr view(tensor<U, F...>& t) : view(t.data(), extents_of(t)) {}
  template <element U, std::size_t... F>
    requires(detail::qualifies_to<const U, T> &&
             detail::shapes_may_match<shape_type, tfgraph::shape<F...>>)
  constexpr view(const tensor<U, F...>& t) : view(t.data(), extents_of(t)) {}
  template <element U, std::size_t... F>
  view(const tensor<U, F...>&&) = delete;

  [[nodiscard]] constexpr T* data() const { return data_; }
  [[nodiscard]] constexpr std::size_t size() const {
    return static_cast<std::size_t>(shape_.value.size());
  }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }
  [[nodiscard]] constexpr std::size_t extent(int axis) const {
    return static_cast<std::size_t>(shape_.value[axis]);
  }
  [[nodiscard]] constexpr index stride(int axis) const { return strides_[axis]; }
  [[nodiscard]] constexpr const tfgraph::strides& strides() const { return strides_; }
  /// The shape: of type `shape<E...>` where it is static, `extents` otherwise.
  [[nodiscard]] constexpr auto shape() const {
    if constexpr (shape_type::is_static) return shape_type{};
    else return shape_.value;
  }

  /// Whether the elements lie in row-major order without gaps.
  [[nodiscard]] constexpr bool is_contiguous() const {
    return detail::is_row_major(shape_.value, strides_);
  }

  /// The element at a position, which must be inside the view.
  template <std::integral... I>
  [[nodiscard]] constexpr T& operator()(I... i) const {
    detail::require_rank<rank, I...>();
    assert(detail::in_bounds(shape_.value, i...));
    index offset = 0;
    int axis = 0;
    ((offset += static_cast<index>(i) * strides_[axis++]), ...);
    return data_[offset];
  }

  /// The element at a position; a `shape_error` when it is not inside the view.
  template <std::integral... I>
  [[nodiscard]] constexpr T& at(I... i) const {
    detail::require_rank<rank, I...>();
    detail::require_in_bounds(shape_.value, i...);
    return (*this)(i...);
  }

  /// The element at a position in row-major order.
  [[nodiscard]] constexpr T& flat(std::size_t position) const {
    assert(position < size());
    return data_[detail::offset_of(position, shape_.value, strides_)];
  }

  /// Visits the elements in row-major order.
  class iterator {
   public:
    using value_type = view::value_type;
    using difference_type = std::ptrdiff_t;

    constexpr iterator() = default;
    constexpr iterator(const view* owner, std::size_t position)
        : owner_(owner), position_(position) {}
    [[nodiscard]] constexpr T& operator*() const { return owner_->flat(position_); }
    constexpr iterator& operator++() {
      ++position_;
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++position_;
      return before;
    }
    [[nodiscard]] friend constexpr bool operator==(const iterator&, const iterator&) = default;

   private:
    const view* owner_ = nullptr;
    std::size_t position_ = 0;
  };

  [[nodiscard]] constexpr iterator begin() const { return {this, 0}; }
  [[nodiscard]] constexpr iterator end() const { return {this, size()}; }

  constexpr void fill(value_type v) const
    requires(!std::is_const_v<T>)
  {
    for (T& x : *this) x = v;
  }

 private:
  T* data_;
  [[no_unique_address]] detail::shape_holder<shape_type> shape_;
  tfgraph::strides strides_;
};

template <detail::range_of_elements R>
view(R&&) -> view<std::remove_reference_t<std::ranges::range_reference_t<R>>, dyn>;
template <class T, std::size_t N>
view(T (&)[N]) -> view<T, N>;
template <class T, std::size_t N, std::size_t M>
view(T (&)[N][M]) -> view<T, N, M>;
template <class T, std::size_t... E>
view(tensor<T, E...>&) -> view<T, E...>;
template <class T, std::size_t... E>
view(const tensor<T, E...>&) -> view<const T, E...>;

/// The extents of a tensor or view, as a value.
template <class X>
[[nodiscard]] constexpr extents extents_of(const X& x) {
  if constexpr (X::shape_type::is_static) return X::shape_type::value;
  else return x.shape();
}

}  // namespace tfgraph
