// An owning tensor: contiguous, row-major, and usable in constant expressions.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/error.hpp>
#include <tfgraph/core/shape.hpp>
#include <tfgraph/core/view.hpp>

#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

namespace tfgraph {

/// Asks for a tensor whose elements are not set (in a constant expression they are zero).
struct uninitialized_t {};
inline constexpr uninitialized_t uninitialized{};

/// A tensor of static extents with at most this many bytes lives inside the object, a larger one on
/// the heap. A page: copying it costs about as much as an allocation.
inline constexpr std::size_t max_inline_bytes = 4096;

namespace detail {

// Heap storage starts at a cache line, which is also the widest SIMD register.
inline constexpr std::size_t heap_alignment = 64;

template <class T>
constexpr void copy_elements(const T* from, T* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

template <class T>
constexpr void fill_elements(T* to, std::size_t count, T value) {
  for (std::size_t i = 0; i < count; ++i) to[i] = value;
}

// Memory for `count` elements, which are not set (in a constant expression they are zero).
template <class T>
constexpr T* allocate(std::size_t count) {
  if (count == 0) return nullptr;
  if (std::is_constant_evaluated()) return new T[count]{};
  return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{heap_alignment}));
}

template <class T>
constexpr void deallocate(T* p) {
  if (std::is_constant_evaluated()) delete[] p;
  else ::operator delete(p, std::align_val_t{heap_alignment});
}

// The number of elements of `element_size` bytes in a tensor of this shape. All products of extents
// are known to fit then, strides included: an extent of 0 does not hide others that are too large.
constexpr std::size_t checked_size(const extents& e, std::size_t element_size) {
  index bytes = static_cast<index>(element_size);
  bool empty = false;
  for (int k = 0; k < e.rank; ++k) {
    empty = empty || e[k] == 0;
    if (e[k] != 0 && __builtin_mul_overflow(bytes, e[k], &bytes))
      throw_shape_error(sentence("tensor: a tensor of shape ") << e << " is too large");
  }
  return empty ? 0 : static_cast<std::size_t>(bytes) / element_size;
}

// Elements inside the object: trivially copyable.
template <class T, class Shape>
class inline_storage {
 public:
  constexpr inline_storage(uninitialized_t, const Shape&) {
    // A tensor without elements has one in memory; set, so that compilers do not warn of its
    // copies.
    if (std::is_constant_evaluated() || Shape::size() == 0) fill_elements(elements_, count, T{});
  }

  [[nodiscard]] constexpr T* data() { return elements_; }
  [[nodiscard]] constexpr const T* data() const { return elements_; }
  [[nodiscard]] constexpr const extents& shape() const { return Shape::value; }
  [[nodiscard]] constexpr std::size_t size() const { return Shape::size(); }

 private:
  static constexpr std::size_t count = Shape::size() > 0 ? Shape::size() : 1;
  static constexpr std::size_t bytes = std::bit_ceil(count * sizeof(T));
  alignas(bytes < heap_alignment ? bytes : heap_alignment) T elements_[count];
};

// Elements on the heap. What has been moved from has no memory: if an extent is dynamic it is
// empty, otherwise it reads as zeros, and gets new memory when it is written to.
template <class T, class Shape>
class heap_storage {
 public:
  constexpr heap_storage(uninitialized_t, const shape_holder<Shape>& s)
      : shape_(s), data_(allocate<T>(checked_size(s.value, sizeof(T)))) {}

  // Takes memory that `allocate` made.
  constexpr heap_storage(const shape_holder<Shape>& s, T* data) : shape_(s), data_(data) {}

  constexpr heap_storage(const heap_storage& other)
      : shape_(other.shape_), data_(other.data_ ? allocate<T>(other.size()) : nullptr) {
    if (data_) copy_elements(other.data_, data_, size());
  }
  constexpr heap_storage(heap_storage&& other) noexcept
      : shape_(other.shape_), data_(std::exchange(other.data_, nullptr)) {
    if constexpr (!Shape::is_static) other.shape_.value = empty_extents<Shape>();
  }
  constexpr heap_storage& operator=(heap_storage other) noexcept {
    std::swap(shape_, other.shape_);
    std::swap(data_, other.data_);
    return *this;
  }
  constexpr ~heap_storage() { deallocate(data_); }

  // Gives the memory away, as a move does.
  constexpr T* release() {
    heap_storage taken = std::move(*this);
    T* const elements = taken.data();
    taken.data_ = nullptr;
    return elements;
  }

  [[nodiscard]] constexpr T* data() {
    if constexpr (Shape::is_static)
      if (data_ == nullptr) [[unlikely]] {
        data_ = allocate<T>(size());
        fill_elements(data_, size(), T{});
      }
    return data_;
  }
  [[nodiscard]] constexpr const T* data() const {
    if constexpr (Shape::is_static)
      if (data_ == nullptr) [[unlikely]]
        return zeros();
    return data_;
  }
  [[nodiscard]] constexpr const extents& shape() const { return shape_.value; }
  [[nodiscard]] constexpr std::size_t size() const {
    index n = 1;  // up to the rank of the type, which compilers know
    for (int k = 0; k < Shape::rank; ++k) n *= shape()[k];
    return static_cast<std::size_t>(n);
  }

 private:
  // Pure, so that a loop over elements asks for it at most once.
  [[gnu::pure, gnu::noinline]] static const T* zeros() {
    static heap_storage block = [] {
      heap_storage s(uninitialized, {});
      fill_elements(s.data_, s.size(), T{});
      return s;
    }();
    return block.data_;
  }

  [[no_unique_address]] shape_holder<Shape> shape_;
  T* data_;
};

template <class T, class Shape>
constexpr bool is_inline() {
  if constexpr (!Shape::is_static) return false;
  else return Shape::size() <= max_inline_bytes / sizeof(T);
}

template <class T, class Shape>
using storage =
    std::conditional_t<is_inline<T, Shape>(), inline_storage<T, Shape>, heap_storage<T, Shape>>;

// Moves heap memory into tensors and out of them.
struct tensor_memory {
  template <class T, std::size_t... E>
  static constexpr T* release(tensor<T, E...>& t) {
    return t.storage_.release();
  }
  // `data` was made by `allocate`.
  struct adopt {};
  template <class Tensor>
  static constexpr Tensor make(typename Tensor::value_type* data, const extents& e) {
    return Tensor(adopt{}, data, e);
  }
};

// Nested braces of a rank: a value, a list, a list of lists, ...
template <class T, int Rank>
struct nested {
  using type = std::initializer_list<typename nested<T, Rank - 1>::type>;
};
template <class T>
struct nested<T, 0> {
  using type = T;
};

// Sets the dynamic extents of `e` to what the first list of each level says.
template <class T>
constexpr void measure(const T&, extents&, int) {}
template <class T>
constexpr void measure(const std::initializer_list<T>& list, extents& e, int axis) {
  if (e[axis] < 0) e[axis] = static_cast<index>(list.size());
  if (list.size() > 0) measure(*list.begin(), e, axis + 1);
}

// Copies the values in the braces to `out`, and returns the place after them.
template <class T>
constexpr T* flatten(const T& value, const extents&, int, T* out) {
  *out = value;
  return out + 1;
}
template <class List, class T>
constexpr T* flatten(const std::initializer_list<List>& list, const extents& e, int axis, T* out) {
  const auto found = static_cast<index>(list.size());
  if (found != e[axis])
    throw_shape_error(sentence("tensor: the braces hold ")
                      << found << " where axis " << axis << " of shape " << e << " needs "
                      << e[axis]);
  for (const List& item : list) out = flatten(item, e, axis + 1, out);
  return out;
}

}  // namespace detail

/// A tensor that owns its elements, in row-major order; an extent is a number or `dyn`.
/// It is a value: copies copy the elements, and `==` compares shapes and elements.
template <element T, std::size_t... E>
class tensor {
 public:
  using value_type = T;
  using shape_type = tfgraph::shape<E...>;
  static constexpr int rank = shape_type::rank;
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                "tfgraph: the elements of a tensor are not const; make the tensor const");

  /// Zeros; dynamic extents are 0.
  constexpr tensor() : tensor(detail::empty_extents<shape_type>()) {}

  /// Values in braces, one pair of braces per dimension: `tensor<float, 2, 2> a{{1, 2}, {3, 4}}`.
  /// They give the dynamic extents. A `shape_error` when rows differ in length or do not fit.
  constexpr tensor(typename detail::nested<T, rank>::type values)
      : tensor(uninitialized, measured(values)) {
    detail::flatten(values, storage_.shape(), 0, data());
  }

  /// Zeros, with the dynamic extents in their order: `tensor<float, dyn, 3> b(n)`.
  template <std::integral... N>
    requires(sizeof...(N) > 0 && sizeof...(N) == ((E == dyn) + ... + 0))
  explicit constexpr tensor(N... n) : tensor(with_dynamic(n...)) {}
  template <std::integral... N>
    requires(sizeof...(N) == ((E == dyn) + ... + 0))
  explicit constexpr tensor(uninitialized_t, N... n) : tensor(uninitialized, with_dynamic(n...)) {}

  /// Zeros, with the given extents, static ones included.
  explicit constexpr tensor(const extents& e) : tensor(uninitialized, e) { fill(T{}); }
  constexpr tensor(uninitialized_t, const extents& e)
      : storage_(uninitialized, detail::checked_shape<shape_type>(e)) {}

  /// A copy of the elements that a view shows.
  explicit constexpr tensor(view<const T, E...> v) : tensor(uninitialized, extents_of(v)) {
    T* out = data();
    for (const T& x : v) *out++ = x;
  }

  [[nodiscard]] constexpr T* data() { return storage_.data(); }
  [[nodiscard]] constexpr const T* data() const { return storage_.data(); }
  [[nodiscard]] constexpr std::size_t size() const { return storage_.size(); }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }
  [[nodiscard]] constexpr std::size_t extent(int axis) const {
    return static_cast<std::size_t>(storage_.shape()[axis]);
  }
  /// The shape: of type `shape<E...>` where it is static, `extents` otherwise.
  [[nodiscard]] constexpr auto shape() const {
    if constexpr (shape_type::is_static) return shape_type{};
    else return storage_.shape();
  }

  /// The element at a position, which must be inside the tensor.
  template <std::integral... I>
  [[nodiscard]] constexpr T& operator()(I... i) {
    return data()[position(i...)];
  }
  template <std::integral... I>
  [[nodiscard]] constexpr const T& operator()(I... i) const {
    return data()[position(i...)];
  }

  /// The element at a position; a `shape_error` when it is not inside the tensor.
  template <std::integral... I>
  [[nodiscard]] constexpr T& at(I... i) {
    return data()[checked_position(i...)];
  }
  template <std::integral... I>
  [[nodiscard]] constexpr const T& at(I... i) const {
    return data()[checked_position(i...)];
  }

  [[nodiscard]] constexpr T* begin() { return data(); }
  [[nodiscard]] constexpr T* end() { return data() + size(); }
  [[nodiscard]] constexpr const T* begin() const { return data(); }
  [[nodiscard]] constexpr const T* end() const { return data() + size(); }

  constexpr void fill(T value) { detail::fill_elements(data(), size(), value); }

 private:
  static constexpr extents measured(const typename detail::nested<T, rank>::type& values) {
    extents e = shape_type::value;
    detail::measure(values, e, 0);
    for (int k = 0; k < rank; ++k)
      if (e[k] < 0) e[k] = 0;  // inside an empty list
    return e;
  }

  template <class... N>
  static constexpr extents with_dynamic(N... n) {
    extents e = shape_type::value;
    int axis = -1;
    [[maybe_unused]] const auto set_next = [&](index extent) {
      if (extent < 0)
        detail::throw_shape_error(detail::sentence("tensor: an extent cannot be ") << extent);
      do ++axis;
      while (shape_type::value[axis] >= 0);
      e[axis] = extent;
    };
    (set_next(static_cast<index>(n)), ...);
    return e;
  }

  template <class... I>
  constexpr std::size_t position(I... i) const {
    detail::require_rank<rank, I...>();
    assert(detail::in_bounds(storage_.shape(), i...));
    index p = 0;
    int axis = 0;
    ((p = p * storage_.shape()[axis++] + static_cast<index>(i)), ...);
    return static_cast<std::size_t>(p);
  }
  template <class... I>
  constexpr std::size_t checked_position(I... i) const {
    detail::require_rank<rank, I...>();
    detail::require_in_bounds(storage_.shape(), i...);
    return position(i...);
  }

  friend detail::tensor_memory;
  constexpr tensor(detail::tensor_memory::adopt, T* data, const extents& e)
      : storage_(detail::checked_shape<shape_type>(e), data) {}

  detail::storage<T, shape_type> storage_;
};

/// Equal shapes and equal elements (so a NaN equals nothing, and -0 equals +0).
template <element T, std::size_t... E, std::size_t... F>
[[nodiscard]] constexpr bool operator==(const tensor<T, E...>& a, const tensor<T, F...>& b) {
  if (extents_of(a) != extents_of(b)) return false;
  const T* x = a.data();
  const T* y = b.data();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(x[i] == y[i])) return false;
  return true;
}

}  // namespace tfgraph
