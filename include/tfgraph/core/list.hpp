// A growable array for constant expressions: what std::vector is, in a fifth of the evaluation
// steps that compilers count. It is used where the compiler itself runs the library.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace tfgraph::detail {

/// Elements that lie elsewhere: std::span<const T>, but cheap in constant expressions too.
template <class T>
class list_view {
 public:
  constexpr list_view() = default;
  constexpr list_view(const T* data, std::size_t size) : data_(data), size_(size) {}

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr const T* data() const { return data_; }
  template <std::integral I>
  [[nodiscard]] constexpr const T& operator[](I i) const {
    return data_[i];
  }
  [[nodiscard]] constexpr const T& front() const { return data_[0]; }
  [[nodiscard]] constexpr const T* begin() const { return data_; }
  [[nodiscard]] constexpr const T* end() const { return data_ + size_; }
  constexpr operator std::span<const T>() const { return {data_, size_}; }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
class list {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  constexpr list() = default;
  constexpr list(std::size_t count, const T& value) { resize(count, value); }
  constexpr list(const list& other) { append(other.data_, other.size_); }
  constexpr list(list&& other) noexcept
      : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.data_ = nullptr;
    other.size_ = other.capacity_ = 0;
  }
  constexpr list& operator=(const list& other) {
    if (this != &other) {
      size_ = 0;
      append(other.data_, other.size_);
    }
    return *this;
  }
  constexpr list& operator=(list&& other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~list() { delete[] data_; }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr T* data() { return data_; }
  [[nodiscard]] constexpr const T* data() const { return data_; }
  template <std::integral I>
  [[nodiscard]] constexpr T& operator[](I i) {
    return data_[i];
  }
  template <std::integral I>
  [[nodiscard]] constexpr const T& operator[](I i) const {
    return data_[i];
  }
  [[nodiscard]] constexpr T& back() { return data_[size_ - 1]; }
  [[nodiscard]] constexpr T* begin() { return data_; }
  [[nodiscard]] constexpr T* end() { return data_ + size_; }
  [[nodiscard]] constexpr const T* begin() const { return data_; }
  [[nodiscard]] constexpr const T* end() const { return data_ + size_; }
  constexpr operator std::span<const T>() const { return {data_, size_}; }
  constexpr operator list_view<T>() const { return {data_, size_}; }

  constexpr void push_back(const T& value) {
    if (size_ == capacity_) grow(value);
    else data_[size_++] = value;
  }
  constexpr void pop_back() { --size_; }
  constexpr void clear() { size_ = 0; }
  /// Shrinks, or appends copies of `value`.
  constexpr void resize(std::size_t count, const T& value = T{}) {
    reserve(count);
    for (std::size_t i = size_; i < count; ++i) data_[i] = value;
    size_ = count;
  }
  constexpr void assign(std::size_t count, const T& value) {
    size_ = 0;
    resize(count, value);
  }
  constexpr void append(const T* from, std::size_t count) {
    reserve(size_ + count);
    for (std::size_t i = 0; i < count; ++i) data_[size_ + i] = from[i];
    size_ += count;
  }
  constexpr void reserve(std::size_t count) {
    if (count > capacity_) reallocate(count);
  }
  constexpr void swap(list& other) noexcept {
    const list* const self = this;
    if (self == &other) return;
    T* const data = data_;
    const std::size_t size = size_;
    const std::size_t capacity = capacity_;
    data_ = other.data_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.data_ = data;
    other.size_ = size;
    other.capacity_ = capacity;
  }

 private:
  constexpr void grow(T value) {  // a copy: the value may lie in the memory that goes
    reallocate(capacity_ == 0 ? 64 : 2 * capacity_);
    data_[size_++] = value;
  }
  constexpr void reallocate(std::size_t capacity) {
    T* const larger = new T[capacity];
    for (std::size_t i = 0; i < size_; ++i) larger[i] = data_[i];
    delete[] data_;
    data_ = larger;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tfgraph::detail
