// What went wrong, in a sentence: the exceptions of the library, and how a constant expression
// turns the same sentence into a compile-time error.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/shape.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tfgraph {

/// Base of every exception that tfgraph throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Shapes that do not fit: the message names the operator, the argument and both shapes.
struct shape_error : error {
  using error::error;
};
/// Element types that do not mix.
struct dtype_error : error {
  using error::error;
};
/// A call that does not fit the signature of a function.
struct signature_error : error {
  using error::error;
};
/// A value outside an operator's domain, such as an integer division by zero.
struct domain_error : error {
  using error::error;
};
/// A file that cannot be read or written.
struct io_error : error {
  using error::error;
};
/// A callable that cannot be traced.
struct trace_error : error {
  using error::error;
};

namespace detail {

/// A sentence that can be composed in a constant expression.
struct sentence {
  static constexpr int capacity = 255;
  char data[capacity + 1] = {};
  int size = 0;

  constexpr sentence() = default;
  constexpr sentence(const char* s) { *this << std::string_view(s); }

  [[nodiscard]] constexpr bool empty() const { return size == 0; }
  [[nodiscard]] constexpr std::string_view view() const {
    return {data, static_cast<std::size_t>(size)};
  }

  constexpr sentence& operator<<(std::string_view s) {
    for (char c : s)
      if (size < capacity) data[size++] = c;
    return *this;
  }
  constexpr sentence& operator<<(const char* s) { return *this << std::string_view(s); }
  constexpr sentence& operator<<(const sentence& s) { return *this << s.view(); }
  constexpr sentence& operator<<(dtype t) { return *this << name_of(t); }
  constexpr sentence& operator<<(index n) {
    char digits[20] = {};
    int count = 0;
    std::uint64_t u = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
    if (n < 0) *this << "-";
    do digits[count++] = static_cast<char>('0' + u % 10);
    while ((u /= 10) != 0);
    while (count > 0) *this << std::string_view(&digits[--count], 1);
    return *this;
  }
  constexpr sentence& operator<<(int n) { return *this << static_cast<index>(n); }
  /// "(2, 3)"; "(4,)" is written "(4)"; an unknown extent is "?", the k-th symbol "?k".
  constexpr sentence& operator<<(const extents& e) {
    *this << "(";
    for (int i = 0; i < e.rank; ++i) {
      if (i > 0) *this << ", ";
      if (e[i] >= 0) *this << e[i];
      else if (e[i] == extents::unknown) *this << "?";
      else *this << "?" << (-2 - e[i]);
    }
    return *this << ")";
  }
};

/// A piece of text as a template argument, so that a compiler prints it.
template <std::size_t N>
struct fixed_string {
  char data[N + 1] = {};
};

template <bool Accepted, fixed_string... Sentence>
struct refused {
  static_assert(Accepted,
                "tfgraph refuses this program; the sentence stands in the name of this type");
};

// clang cuts a text in a diagnostic after some 30 characters, so the sentence is handed over in
// pieces there; g++ prints all of it.
#ifdef __clang__
inline constexpr int piece_size = 30;
#else
inline constexpr int piece_size = sentence::capacity;
#endif

struct piece {
  int first = 0;
  int size = 0;
};

// The k-th piece of at most piece_size characters, cut after a space where there is one.
constexpr piece piece_of(const sentence& s, int k) {
  piece p{};
  for (int i = 0; i <= k; ++i) {
    p.first += p.size;
    p.size = s.size - p.first;
    if (p.size > piece_size) {
      p.size = piece_size;
      while (p.size > 1 && s.data[p.first + p.size - 1] != ' ') --p.size;
      if (p.size == 1) p.size = piece_size;
    }
  }
  return p;
}

constexpr int piece_count(const sentence& s) {
  int n = 0;
  while (piece_of(s, n).size > 0) ++n;
  return n;
}

template <class Holder, int K>
constexpr auto cut() {
  constexpr piece p = piece_of(Holder::value, K);
  fixed_string<static_cast<std::size_t>(p.size)> text{};
  for (int i = 0; i < p.size; ++i) text.data[i] = Holder::value.data[p.first + i];
  text.data[p.size] = '\0';  // set, or clang prints numbers instead of a text of 8 or 16 characters
  return text;
}

template <class Holder, int... K>
constexpr bool refuse_pieces(std::integer_sequence<int, K...>) {
  return sizeof(refused<false, cut<Holder, K>()...>) != 0;
}

/// Ends compilation with the sentence `Holder::value`, unless it is empty.
template <class Holder>
constexpr void require_no_objection() {
  if constexpr (!Holder::value.empty())
    static_assert(
        refuse_pieces<Holder>(std::make_integer_sequence<int, piece_count(Holder::value)>{}));
}

[[noreturn]] inline void throw_shape_error(const sentence& s) {
  throw shape_error(std::string(s.view()));
}

}  // namespace detail
}  // namespace tfgraph
