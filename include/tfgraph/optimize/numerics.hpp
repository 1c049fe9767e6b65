// Licences: what the optimiser may change of a function's results.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

namespace tfgraph {
struct options;
}

namespace tfgraph::numerics {

/// A set of licences, usable as a template argument. The empty set is `strict`: the optimised graph
/// gives the bits of the graph as written.
struct licence {
  std::uint8_t bits = 0;

  /// Whether all of `other` is in this set.
  [[nodiscard]] constexpr bool allows(licence other) const { return (other.bits & ~bits) == 0; }
  /// The options that are this licence alone.
  constexpr operator options() const;
  [[nodiscard]] friend constexpr licence operator|(licence a, licence b) {
    return {static_cast<std::uint8_t>(a.bits | b.bits)};
  }
  [[nodiscard]] friend constexpr bool operator==(licence, licence) = default;
};

inline constexpr licence strict{0};
/// Sums and products may be regrouped, and functions of them: roundings differ, and intermediate
/// results may overflow or underflow where those as written do not (or the reverse).
inline constexpr licence reassociate{1};
/// A division may become a product with a rounded reciprocal.
inline constexpr licence reciprocal{2};
/// No operand or result is NaN or infinite.
inline constexpr licence no_nans{4};
/// The sign of a zero does not matter.
inline constexpr licence no_signed_zeros{8};
/// a * b + c may be rounded once.
inline constexpr licence contract{16};
/// What is computed may become another formula that is nearer to the exact value.
inline constexpr licence improve{32};
inline constexpr licence fast{63};

}  // namespace tfgraph::numerics
