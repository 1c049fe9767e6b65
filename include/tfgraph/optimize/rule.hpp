// A rewrite rule, as data.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/optional_pointer.hpp>
#include <tfgraph/graph/graph.hpp>
#include <tfgraph/optimize/numerics.hpp>

#include <string_view>

namespace tfgraph::optimize {

class match;

/// For which element types (of the pattern's first variable) a rule holds.
enum class types : std::uint8_t {
  all,
  floating,
  integer,
  signed_integer,
  unsigned_integer,
  boolean
};

[[nodiscard]] constexpr bool contains(types s, dtype t) {
  switch (s) {
    case types::all:
      return true;
    case types::floating:
      return is_floating(t);
    case types::integer:
      return is_integer(t);
    case types::signed_integer:
      return is_signed_integer(t);
    case types::unsigned_integer:
      return is_unsigned_integer(t);
    case types::boolean:
      break;
  }
  return t == dtype::boolean;
}

/// A further condition, in words and as a function.
struct guard {
  std::string_view text;
  tfgraph::detail::optional_pointer<bool(const match&)> holds;
};

/// What stands instead of a matched node, made by code: a node, or no_node.
using builder = tfgraph::detail::optional_pointer<node_id(match&)>;

/// One rewrite. `from` is a pattern: operators by their names in graphs, variables `a` to `z`,
/// where `k`, `l` and `m` match known values only; numbers, `lowest` and `highest` (of the element
/// type) match one such value everywhere. `f` stands for each operator of the list `f`. Operands of
/// commutative operators match in any order; `f(x...)` matches any number of them, x the first.
///
/// `to` is another pattern, whose operators take their attributes (axes, ...) from the first
/// operator of that name in `from`, or else of that kind. If `build` is there, `to` is only its
/// description.
struct rule {
  std::string_view name;
  std::string_view from;
  std::string_view to;
  numerics::licence needs = numerics::strict;  ///< for floating-point operands
  types where = types::all;
  guard when = {};
  builder build = {};
  std::string_view f = {};
};

}  // namespace tfgraph::optimize
