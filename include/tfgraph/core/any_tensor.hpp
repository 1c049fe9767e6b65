// A tensor whose element type, rank and extents only the running program knows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/any_view.hpp>
#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/element.hpp>
#include <tfgraph/core/error.hpp>
#include <tfgraph/core/shape.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace tfgraph {

namespace detail {

template <class X>
inline constexpr bool is_tensor = false;
template <class T, std::size_t... E>
inline constexpr bool is_tensor<tensor<T, E...>> = true;

// Copies elements of `Size` bytes at any strides to `to`, in row-major order, and returns its end.
template <std::size_t Size>
std::byte* gather(const std::byte* from, const extents& e, const strides& s, int axis,
                  std::byte* to) {
  if (axis == e.rank) {
    std::memcpy(to, from, Size);
    return to + Size;
  }
  const index step = s[axis] * static_cast<index>(Size);
  for (index i = 0; i < e[axis]; ++i, from += step) {
    if (axis + 1 < e.rank) {
      to = gather<Size>(from, e, s, axis + 1, to);
    } else {
      std::memcpy(to, from, Size);
      to += Size;
    }
  }
  return to;
}

inline void gather(const void* from, dtype t, const extents& e, const strides& s, void* to) {
  const std::size_t count = static_cast<std::size_t>(e.size());
  if (count == 0) return;
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  if (is_row_major(e, s)) {
    std::memcpy(target, source, count * size_of(t));
    return;
  }
  switch (size_of(t)) {
    case 1:
      gather<1>(source, e, s, 0, target);
      break;
    case 2:
      gather<2>(source, e, s, 0, target);
      break;
    case 4:
      gather<4>(source, e, s, 0, target);
      break;
    default:
      gather<8>(source, e, s, 0, target);
  }
}

}  // namespace detail

/// A tensor whose element type, rank (0 to 8) and extents are values. It owns its elements, which
/// then lie in row-major order, or borrows them at any strides (`borrow`), and must not outlive
/// them then. It is a value all the same: a copy owns a copy of the elements, also of borrowed
/// ones, and assignment replaces what it holds and never writes to borrowed elements. A move hands
/// over what it holds, memory or loan, and leaves the empty tensor. A const `any_tensor` shows
/// const elements.
class any_tensor {
 public:
  /// The empty tensor, float64 of shape (0).
  any_tensor() = default;

  /// Zeros.
  any_tensor(tfgraph::dtype type, const extents& e) : any_tensor(uninitialized, type, e) {
    if (data_ != nullptr) std::memset(data_, 0, bytes());
  }
  /// Elements that are not set.
  any_tensor(uninitialized_t, tfgraph::dtype type, const extents& e) { resize(type, e); }

  /// A copy of a tensor; a temporary hands over its heap memory.
  template <class T, std::size_t... E>
  any_tensor(const tensor<T, E...>& t) : any_tensor(copy_of(any_view(t))) {}
  template <class T, std::size_t... E>
  any_tensor(tensor<T, E...>&& t) {
    if constexpr (detail::is_inline<T, tfgraph::shape<E...>>()) {
      *this = copy_of(any_view(t));
    } else {
      const extents e = extents_of(t);
      capacity_ = t.size() * sizeof(T);
      set_layout(dtype_of<T>, e, row_major(e));
      data_ = detail::tensor_memory::release(t);
    }
  }

  /// A tensor of rank 0.
  template <element T>
  explicit any_tensor(T value) : any_tensor(uninitialized, dtype_of<T>, {}) {
    std::memcpy(data_, &value, sizeof(T));
  }

  any_tensor(const any_tensor& other) : any_tensor(uninitialized, other.dtype_, other.shape_) {
    detail::gather(other.data_, dtype_, shape_, other.strides_, data_);
  }
  any_tensor(any_tensor&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        shape_(other.shape_),
        strides_(other.strides_),
        dtype_(other.dtype_),
        held_(std::exchange(other.held_, held::owned)) {
    other.set_layout(tfgraph::dtype::float64, {0}, {{1}});
  }
  any_tensor& operator=(any_tensor other) noexcept {
    swap(other);
    return *this;
  }
  ~any_tensor() { release(); }

  void swap(any_tensor& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    std::swap(shape_, other.shape_);
    std::swap(strides_, other.strides_);
    std::swap(dtype_, other.dtype_);
    std::swap(held_, other.held_);
  }
  friend void swap(any_tensor& a, any_tensor& b) noexcept { a.swap(b); }

  // ---- borrowed elements -----------------------------------------------------------------------

  /// The elements of a view, a tensor or another `any_tensor`, without a copy. They must live as
  /// long as the result does; temporaries that own their elements are refused. Const elements can
  /// be read only.
  template <element T>
  [[nodiscard]] static any_tensor borrow(const any_view<T>& v) {
    return borrow(dtype_of<T>, v.data(), v.shape(), v.strides());
  }
  template <element T, std::size_t... E>
  [[nodiscard]] static any_tensor borrow(const view<T, E...>& v) {
    return borrow(any_view(v));
  }
  template <class T, std::size_t... E>
  [[nodiscard]] static any_tensor borrow(tensor<T, E...>& t) {
    return any_tensor(dtype_of<T>, t.data(), extents_of(t), held::borrowed);
  }
  template <class T, std::size_t... E>
  [[nodiscard]] static any_tensor borrow(const tensor<T, E...>& t) {
    return any_tensor(dtype_of<T>, const_cast<T*>(t.data()), extents_of(t), held::borrowed_const);
  }
  template <class T, std::size_t... E>
  static any_tensor borrow(const tensor<T, E...>&&) = delete;
  [[nodiscard]] static any_tensor borrow(any_tensor& a) {
    return any_tensor(a.dtype_, a.data_, a.shape_, a.strides_,
                      a.is_read_only() ? held::borrowed_const : held::borrowed);
  }
  [[nodiscard]] static any_tensor borrow(const any_tensor& a) {
    return borrow(a.dtype_, a.data(), a.shape_, a.strides_);
  }
  static any_tensor borrow(const any_tensor&&) = delete;

  /// Elements of a type that only the running program knows, at their address.
  [[nodiscard]] static any_tensor borrow(tfgraph::dtype type, void* data, const extents& e,
                                         const tfgraph::strides& s) {
    return any_tensor(type, data, e, s, held::borrowed);
  }
  [[nodiscard]] static any_tensor borrow(tfgraph::dtype type, const void* data, const extents& e,
                                         const tfgraph::strides& s) {
    return any_tensor(type, const_cast<void*>(data), e, s, held::borrowed_const);
  }

  /// A tensor that owns a copy of the elements that a view shows.
  template <element T>
  [[nodiscard]] static any_tensor copy_of(const any_view<T>& v) {
    any_tensor copy(uninitialized, dtype_of<T>, v.shape());
    detail::gather(v.data(), copy.dtype_, v.shape(), v.strides(), copy.data_);
    return copy;
  }
  template <element T, std::size_t... E>
  [[nodiscard]] static any_tensor copy_of(const view<T, E...>& v) {
    return copy_of(any_view(v));
  }

  // ---- what it is ------------------------------------------------------------------------------

  [[nodiscard]] tfgraph::dtype dtype() const { return dtype_; }
  [[nodiscard]] int rank() const { return shape_.rank; }
  [[nodiscard]] const extents& shape() const { return shape_; }
  [[nodiscard]] std::size_t extent(int axis) const {
    return static_cast<std::size_t>(shape_[axis]);
  }
  /// In elements.
  [[nodiscard]] const tfgraph::strides& strides() const { return strides_; }
  [[nodiscard]] index stride(int axis) const { return strides_[axis]; }
  /// Number of elements.
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(shape_.size()); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// Number of bytes that the elements take, gaps not counted.
  [[nodiscard]] std::size_t bytes() const { return size() * size_of(dtype_); }
  /// Whether the elements lie in row-major order without gaps, as owned ones do.
  [[nodiscard]] bool is_contiguous() const {
    return owns() || detail::is_row_major(shape_, strides_);
  }
  [[nodiscard]] bool owns() const { return held_ == held::owned; }
  /// Whether it borrows const elements.
  [[nodiscard]] bool is_read_only() const { return held_ == held::borrowed_const; }

  /// Gives it this element type and shape. What it is already stays as it is, borrowed or not (but
  /// const); otherwise its elements are not set, and it owns them, in the memory that it has if
  /// that suffices.
  void resize(tfgraph::dtype type, const extents& e) {
    if (type == dtype_ && e == shape_ && !is_read_only()) return;
    for (int k = 0; k < e.rank; ++k)
      if (e[k] < 0)
        detail::throw_shape_error(detail::sentence("any_tensor: a tensor cannot have the shape ")
                                  << e);
    const std::size_t needed = detail::checked_size(e, size_of(type)) * size_of(type);
    if (needed > capacity_) {
      void* const memory = detail::allocate<std::byte>(needed);
      release();
      data_ = memory;
      capacity_ = needed;
    } else if (!owns()) {
      data_ = nullptr;
    }
    held_ = held::owned;
    set_layout(type, e, row_major(e));
  }

  // ---- its elements ----------------------------------------------------------------------------

  /// The first element. Throws `error` where elements are const and the `any_tensor` is not; ask a
  /// const one to read. Null when it owns no elements.
  [[nodiscard]] void* data() {
    if (is_read_only())
      throw error("any_tensor: the elements are borrowed from const ones and cannot be written to");
    return data_;
  }
  [[nodiscard]] const void* data() const { return data_; }

  /// All elements in row-major order, as a view of one dimension. A `dtype_error` when they are of
  /// another type, a `shape_error` when they do not lie in that order without gaps.
  template <element T>
  [[nodiscard]] view<T, dyn> as() & {
    require_contiguous<T>();
    return {pointer<T>(*this), {shape_.size()}};
  }
  template <element T>
  [[nodiscard]] view<const T, dyn> as() const& {
    require_contiguous<T>();
    return {pointer<const T>(*this), {shape_.size()}};
  }

  /// A view of known rank; an extent is a number or `dyn`. A `dtype_error` when the elements are of
  /// another type, a `shape_error` when the shape is another one.
  template <element T, std::size_t First, std::size_t... E>
  [[nodiscard]] view<T, First, E...> as() & {
    require_shape<T, tfgraph::shape<First, E...>>();
    return {pointer<T>(*this), shape_, strides_};
  }
  template <element T, std::size_t First, std::size_t... E>
  [[nodiscard]] view<const T, First, E...> as() const& {
    require_shape<T, tfgraph::shape<First, E...>>();
    return {pointer<const T>(*this), shape_, strides_};
  }
  /// Not of a temporary, which the view would outlive.
  template <element T, std::size_t... E>
  void as() const&& = delete;

  /// A view of the rank that it has.
  template <element T>
  [[nodiscard]] any_view<T> as_any() & {
    require_dtype<T>();
    return {pointer<T>(*this), shape_, strides_};
  }
  template <element T>
  [[nodiscard]] any_view<const T> as_any() const& {
    require_dtype<T>();
    return {pointer<const T>(*this), shape_, strides_};
  }
  template <element T>
  void as_any() const&& = delete;

  /// The only element.
  template <element T>
  [[nodiscard]] T item() const {
    require_dtype<T>();
    if (size() != 1)
      detail::throw_shape_error(detail::sentence("any_tensor: one element was asked for of shape ")
                                << shape_);
    return *pointer<const T>(*this);
  }

  /// A tensor of known type: a copy, or where both own heap memory and this one is a temporary, the
  /// memory itself. A `dtype_error` or `shape_error` when it is of another type.
  template <class Tensor>
    requires(detail::is_tensor<Tensor>)
  [[nodiscard]] Tensor to() const& {
    using T = typename Tensor::value_type;
    require_shape<T, typename Tensor::shape_type>();
    Tensor t(uninitialized, shape_);
    detail::gather(data_, dtype_, shape_, strides_, t.data());
    return t;
  }
  template <class Tensor>
    requires(detail::is_tensor<Tensor>)
  [[nodiscard]] Tensor to() && {
    using T = typename Tensor::value_type;
    using Shape = typename Tensor::shape_type;
    if constexpr (!detail::is_inline<T, Shape>()) {
      require_shape<T, Shape>();
      if (owns()) {
        any_tensor taken = std::move(*this);
        return detail::tensor_memory::make<Tensor>(
            static_cast<T*>(std::exchange(taken.data_, nullptr)), taken.shape_);
      }
    }
    return std::as_const(*this).template to<Tensor>();
  }

  /// Equal element types, shapes and elements (so a NaN equals nothing, and -0 equals +0).
  /// (A template, as all that goes through the element types is: compiled only where it is used.)
  template <std::same_as<any_tensor> A>
  [[nodiscard]] friend bool operator==(const A& a, const A& b) {
    if (a.dtype_ != b.dtype_ || a.shape_ != b.shape_) return false;
    return detail::visit_dtype(a.dtype_, [&](auto zero) {
      const auto x = a.template as_any<decltype(zero)>();
      const auto y = b.template as_any<decltype(zero)>();
      const bool contiguous = a.is_contiguous() && b.is_contiguous();
      for (std::size_t i = 0; i < x.size(); ++i)
        if (contiguous ? !(x.data()[i] == y.data()[i]) : !(x.flat(i) == y.flat(i))) return false;
      return true;
    });
  }

 private:
  enum class held : unsigned char { owned, borrowed, borrowed_const };

  any_tensor(tfgraph::dtype type, void* data, const extents& e, const tfgraph::strides& s, held how)
      : data_(data), shape_(e), strides_(s), dtype_(type), held_(how) {}
  any_tensor(tfgraph::dtype type, void* data, const extents& e, held how)
      : data_(data), shape_(e), strides_(row_major(e)), dtype_(type), held_(how) {}

  void set_layout(tfgraph::dtype type, const extents& e, const tfgraph::strides& s) {
    dtype_ = type;
    shape_ = e;
    strides_ = s;
  }

  void release() {
    if (owns()) detail::deallocate(static_cast<std::byte*>(data_));
  }

  template <class T, class Self>
  static T* pointer(Self& self) {
    if constexpr (std::is_const_v<T>) return static_cast<T*>(std::as_const(self).data());
    else return static_cast<T*>(self.data());
  }

  template <class T>
  void require_dtype() const {
    if (dtype_of<T> == dtype_) return;
    const detail::sentence s = detail::sentence("any_tensor: ")
                               << dtype_of<T> << " was asked for, but the elements are " << dtype_;
    throw dtype_error(std::string(s.view()));
  }

  template <class T, class Shape>
  void require_shape() const {
    require_dtype<T>();
    bool fits = shape_.rank == Shape::rank;
    for (int k = 0; fits && k < shape_.rank; ++k)
      fits = Shape::value[k] < 0 || Shape::value[k] == shape_[k];
    if (!fits)
      detail::throw_shape_error(detail::sentence("any_tensor: shape ")
                                << Shape::value << " was asked for, but the shape is " << shape_);
  }

  template <class T>
  void require_contiguous() const {
    require_dtype<T>();
    if (!is_contiguous())
      detail::throw_shape_error(
          detail::sentence("any_tensor: the elements of shape ")
          << shape_ << " do not lie in row-major order without gaps; view them with their rank");
  }

  void* data_ = nullptr;
  std::size_t capacity_ = 0;  // bytes of owned memory
  extents shape_{0};
  tfgraph::strides strides_{{1}};
  tfgraph::dtype dtype_ = tfgraph::dtype::float64;
  held held_ = held::owned;
};

/// Calls `f` with a view of the elements in their type, an `any_view<T>`.
template <class F>
decltype(auto) visit(any_tensor& a, F&& f) {
  return detail::visit_dtype(
      a.dtype(), [&](auto zero) -> decltype(auto) { return f(a.as_any<decltype(zero)>()); });
}
template <class F>
decltype(auto) visit(const any_tensor& a, F&& f) {
  return detail::visit_dtype(
      a.dtype(), [&](auto zero) -> decltype(auto) { return f(a.as_any<decltype(zero)>()); });
}

}  // namespace tfgraph
