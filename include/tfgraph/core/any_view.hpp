// A view whose rank only the running program knows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/shape.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>

#include <cassert>
#include <cstddef>
#include <type_traits>

namespace tfgraph {

/// A view of elements in memory that belongs to something else, of any rank. Strides count
/// elements, and may be zero or negative.
template <element T>
class any_view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  /// Row-major elements at `data`.
  constexpr any_view(T* data, const extents& e) : any_view(data, e, row_major(e)) {}
  constexpr any_view(T* data, const extents& e, const strides& s)
      : data_(data), shape_(e), strides_(s) {}

  /// Views of known rank, and tensors that are not temporaries.
  template <detail::qualifies_to<T> U, std::size_t... E>
  constexpr any_view(const view<U, E...>& v) : any_view(v.data(), extents_of(v), v.strides()) {}
  template <detail::qualifies_to<T> U, std::size_t... E>
  constexpr any_view(tensor<U, E...>& t) : any_view(t.data(), extents_of(t)) {}
  template <element U, std::size_t... E>
    requires(detail::qualifies_to<const U, T>)
  constexpr any_view(const tensor<U, E...>& t) : any_view(t.data(), extents_of(t)) {}
  template <element U, std::size_t... E>
  any_view(const tensor<U, E...>&&) = delete;
  template <detail::qualifies_to<T> U>
  constexpr any_view(const any_view<U>& v) : any_view(v.data(), v.shape(), v.strides()) {}

  [[nodiscard]] constexpr T* data() const { return data_; }
  [[nodiscard]] constexpr int rank() const { return shape_.rank; }
  [[nodiscard]] constexpr const extents& shape() const { return shape_; }
  [[nodiscard]] constexpr std::size_t extent(int axis) const {
    return static_cast<std::size_t>(shape_[axis]);
  }
  [[nodiscard]] constexpr const tfgraph::strides& strides() const { return strides_; }
  [[nodiscard]] constexpr index stride(int axis) const { return strides_[axis]; }
  [[nodiscard]] constexpr std::size_t size() const {
    return static_cast<std::size_t>(shape_.size());
  }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }

  /// Whether the elements lie in row-major order without gaps.
  [[nodiscard]] constexpr bool is_contiguous() const {
    return detail::is_row_major(shape_, strides_);
  }

  /// The element at a position in row-major order.
  [[nodiscard]] constexpr T& flat(std::size_t position) const {
    assert(position < size());
    return data_[detail::offset_of(position, shape_, strides_)];
  }

 private:
  T* data_;
  extents shape_;
  tfgraph::strides strides_;
};

template <class T, std::size_t... E>
any_view(const view<T, E...>&) -> any_view<T>;
template <class T, std::size_t... E>
any_view(tensor<T, E...>&) -> any_view<T>;
template <class T, std::size_t... E>
any_view(const tensor<T, E...>&) -> any_view<const T>;

}  // namespace tfgraph
