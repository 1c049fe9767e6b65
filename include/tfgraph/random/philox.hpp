// Philox 4x32-10, the counter-based random numbers of J. Salmon, M. Moraes, R. Dror and D. Shaw,
// Parallel random numbers: as easy as 1, 2, 3 (SC 2011): a function from a key and a counter to four
// words, composed of integer operators, so that every executor computes the same.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/composite.hpp>

#include <array>
#include <cstdint>

namespace tfgraph::random {

/// What random numbers are made from: 64 bits in two words. It is a value like any other: an argument
/// of functions, a variable of loops. The same key gives the same numbers.
template <class Low, class High>
struct key_of {
  Low low;
  High high;
};
template <class Low, class High>
key_of(Low, High) -> key_of<Low, High>;

namespace detail {

using tfgraph::detail::is_handle;
using tfgraph::detail::operand;

inline constexpr std::uint64_t low_word = 0xffff'ffff;

/// The four words of each block. All have element type uint64; their upper halves are 0.
template <class A, class B, class C, class D>
struct block {
  A a;
  B b;
  C c;
  D d;
};
template <class A, class B, class C, class D>
block(A, B, C, D) -> block<A, B, C, D>;

/// One round after the other; W is what the key grows by.
template <int Rounds, class A, class B, class C, class D, class Low, class High>
constexpr auto rounds(const block<A, B, C, D>& x, const Low& low, const High& high) {
  const auto p = x.a * std::uint64_t{0xd2511f53};
  const auto q = x.c * std::uint64_t{0xcd9e8d57};
  const block next{(q >> std::uint64_t{32}) ^ x.b ^ low, q & low_word,
                   (p >> std::uint64_t{32}) ^ x.d ^ high, p & low_word};
  if constexpr (Rounds == 1) return next;
  else
    return rounds<Rounds - 1>(next, (low + std::uint64_t{0x9e3779b9}) & low_word,
                              (high + std::uint64_t{0xbb67ae85}) & low_word);
}

/// The blocks for counters of element type uint64, whose words are below 2^32.
template <class Low, class High, class A, class B, class C, class D>
constexpr auto philox(const key_of<Low, High>& k, const block<A, B, C, D>& counter) {
  return rounds<10>(counter, astype<std::uint64_t>(k.low), astype<std::uint64_t>(k.high));
}

/// What a block is for, as a word of its counter: so that numbers, keys and so on do not meet.
enum class purpose : std::uint64_t { numbers, folding, splitting };

}  // namespace detail
}  // namespace tfgraph::random
