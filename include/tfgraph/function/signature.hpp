// Signatures of calls as values: what a plan is made for, and what the cache looks it up by.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/element.hpp>
#include <tfgraph/graph/print.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tfgraph {

namespace detail {

// A signature is written as words: for each input one that holds kind, element type and rank, then
// the extents. So a key takes a few stores, equality and hash are loops over words, and no input
// can be mistaken for another.
enum class entry_kind : std::uint8_t {
  tensor,   // followed by the extents
  literal,  // followed by the bits of the value
  same_as   // followed by the number of the input whose memory this one shares
};

struct entry_header {
  entry_kind kind = entry_kind::tensor;
  dtype type = dtype::boolean;
  int rank = 0;

  [[nodiscard]] constexpr index word() const {
    return static_cast<index>(kind) << 16 | static_cast<index>(type) << 8 | rank;
  }
  [[nodiscard]] static constexpr entry_header of(index word) {
    return {static_cast<entry_kind>(word >> 16), static_cast<dtype>(word >> 8 & 0xff),
            static_cast<int>(word & 0xff)};
  }
  /// Number of words that follow.
  [[nodiscard]] constexpr int length() const { return kind == entry_kind::tensor ? rank : 1; }
};

/// The words of a signature, which lie elsewhere.
struct signature_words {
  const index* data = nullptr;
  int size = 0;

  [[nodiscard]] friend bool operator==(signature_words a, signature_words b) {
    if (a.size != b.size) return false;
    for (int i = 0; i < a.size; ++i)
      if (a.data[i] != b.data[i]) return false;
    return true;
  }

  /// Words are multiplied in pairs, to 128 bits, whose halves are folded. The products do not wait
  /// for each other; constants that depend on the place keep the order of the words.
  [[nodiscard]] std::uint64_t hash() const {
    __extension__ using wide = unsigned __int128;
    std::uint64_t h = static_cast<std::uint64_t>(size);
    std::uint64_t place = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < size; i += 2, place += 0xd1342543de82ef95u) {
      const auto a = static_cast<std::uint64_t>(data[i]);
      const auto b = i + 1 < size ? static_cast<std::uint64_t>(data[i + 1]) : 0;
      const wide product = static_cast<wide>(a ^ place) * (b ^ std::rotl(place, 32));
      h += static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    return h ^ h >> 32;
  }
};

/// A signature of at most `Inputs` inputs, put together on the stack for looking it up.
template <int Inputs>
class signature_key {
 public:
  signature_key() = default;

  void push(dtype type, const extents& shape) {
    words_[size_++] = entry_header{entry_kind::tensor, type, shape.rank}.word();
    for (int i = 0; i < shape.rank; ++i) words_[size_++] = shape[i];
  }
  /// A value that is part of the signature, by its type and its bits.
  template <element T>
  void push_literal(T value) {
    words_[size_++] = entry_header{entry_kind::literal, dtype_of<T>, 0}.word();
    words_[size_++] = static_cast<index>(to_bits(value));
  }
  /// The same variable as the input of that number.
  void push_same_as(int input) {
    words_[size_++] = entry_header{entry_kind::same_as, dtype::boolean, 0}.word();
    words_[size_++] = input;
  }

  [[nodiscard]] signature_words words() const { return {words_, size_}; }
  [[nodiscard]] std::uint64_t hash() const { return words().hash(); }

 private:
  int size_ = 0;
  // Only the first size_ are written.
  index words_[Inputs > 0 ? static_cast<std::size_t>(Inputs * (1 + max_rank)) : 1];
};

}  // namespace detail

/// The signature of a call: for each input its element type and shape.
class signature {
 public:
  signature() = default;
  signature(std::initializer_list<spec> inputs) {
    for (const spec& input : inputs) {
      detail::signature_key<1> key;
      key.push(input.type, input.shape);
      append(key.words());
    }
  }
  explicit signature(detail::signature_words words) { append(words); }
  template <int N>
  explicit signature(const detail::signature_key<N>& key) : signature(key.words()) {}

  /// Number of inputs.
  [[nodiscard]] int size() const {
    int n = 0;
    for (int at = 0; at < words().size; at = next(at)) ++n;
    return n;
  }
  [[nodiscard]] detail::signature_words words() const {
    return {words_.data(), static_cast<int>(words_.size())};
  }
  /// The words of one input.
  [[nodiscard]] detail::signature_words words(int input) const {
    int at = 0;
    for (int i = 0; i < input; ++i) at = next(at);
    return {words_.data() + at, next(at) - at};
  }
  /// Element type and shape of an input.
  [[nodiscard]] spec operator[](int input) const {
    const detail::signature_words w = words(input);
    const auto header = detail::entry_header::of(w.data[0]);
    spec result{header.type, {}};
    for (int i = 0; i < header.rank; ++i) result.shape.push_back(w.data[1 + i]);
    return result;
  }
  [[nodiscard]] std::uint64_t hash() const { return words().hash(); }

  [[nodiscard]] friend bool operator==(const signature& a, const signature& b) {
    return a.words() == b.words();
  }
  template <int N>
  [[nodiscard]] friend bool operator==(const signature& a, const detail::signature_key<N>& b) {
    return a.words() == b.words();
  }

 private:
  [[nodiscard]] int next(int at) const {
    return at + 1 + detail::entry_header::of(words_[static_cast<std::size_t>(at)]).length();
  }
  void append(detail::signature_words more) {
    for (int i = 0; i < more.size; ++i) words_.push_back(more.data[i]);
  }

  std::vector<index> words_;
};

namespace detail {

/// "float32 (4, 3)", "int64 = 5", "same as input 0"
[[nodiscard]] inline std::string describe_input(const signature& s, int input) {
  const signature_words w = s.words(input);
  const auto header = entry_header::of(w.data[0]);
  if (header.kind == entry_kind::tensor) return text_of(s[input]);
  if (header.kind == entry_kind::same_as) return "same as input " + std::to_string(w.data[1]);
  return std::string(name_of(header.type)) + " = " +
         text_of_element(header.type, static_cast<element_bits>(w.data[1]));
}

/// The number of the first input that differs, or that only one of the two has; -1 if there is
/// none.
[[nodiscard]] inline int first_difference(const signature& a, const signature& b) {
  const int n = a.size() < b.size() ? a.size() : b.size();
  for (int i = 0; i < n; ++i)
    if (!(a.words(i) == b.words(i))) return i;
  return a.size() == b.size() ? -1 : n;
}

}  // namespace detail

/// "(float32 (4, 3), int64 ())"
[[nodiscard]] inline std::string to_string(const signature& s) {
  std::string text = "(";
  for (int i = 0; i < s.size(); ++i) text += (i > 0 ? ", " : "") + detail::describe_input(s, i);
  return text + ")";
}

}  // namespace tfgraph
