// What a function may be given besides its callable: licences, rules of its own, rules that are
// off, and how it keeps what it makes for signatures that only the running program knows.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/pattern.hpp>

namespace tfgraph {

/// Usable as a template argument, and so is a licence alone:
///   tg::function<tg::numerics::fast>(f)
///   tg::function<tg::options{.capacity = 16}>(f)
///   tg::function<tg::options(tg::numerics::fast).without("sigmoid").with(tg::optimize::rules<mine>)>(f)
struct options {
  static constexpr std::size_t most_off = 8;

  numerics::licence allowed = numerics::strict;
  detail::optional_pointer<const optimize::rule_set> rules = {};
  std::uint64_t off[most_off] = {};
  /// The most plans that are kept; when there are more, the one goes that has been unused for
  /// longest.
  std::size_t capacity = 128;
  /// After the second distinct shape of an `any_tensor`, trace for extents that are not known.
  bool relax_shapes = true;

  /// These with one of the rules switched off, by its name.
  [[nodiscard]] constexpr options without(std::string_view rule) const {
    options o = *this;
    std::size_t n = 0;
    while (n < most_off && o.off[n] != 0) ++n;
    if (n == most_off) throw std::length_error("options: at most 8 rules are switched off by name");
    o.off[n] = detail::operation_key(rule);
    return o;
  }
  /// These with a table of further rules, tried after the library's.
  [[nodiscard]] constexpr options with(const optimize::rule_set& own) const {
    options o = *this;
    o.rules = &own;
    return o;
  }

  [[nodiscard]] friend constexpr bool operator==(const options&, const options&) = default;
};

inline constexpr options strict_options{};

constexpr numerics::licence::operator options() const { return {.allowed = *this}; }

}  // namespace tfgraph
