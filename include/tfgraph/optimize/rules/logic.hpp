// Rules of comparisons, logic, bits, selection and conversion.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/logic.hpp>
#include <tfgraph/optimize/rules/guards.hpp>

namespace tfgraph::optimize {
namespace detail {

// The value-preserving conversions: every value of `from` is a value of `to`.
constexpr bool preserves_value(dtype from, dtype to) {
  if (from == to || from == dtype::boolean) return true;
  if (to == dtype::boolean) return false;
  if (is_floating(from)) return is_floating(to) && size_of(to) > size_of(from);
  if (is_floating(to)) return size_of(from) < size_of(to);
  if (is_signed_integer(to))
    return size_of(to) > size_of(from) || (is_signed_integer(from) && size_of(to) == size_of(from));
  return is_unsigned_integer(from) && size_of(to) >= size_of(from);
}

constexpr bool middle_cast_keeps_all(const match& m) {
  const dtype from = m.element(m['x']);
  const dtype over = m.element(m.part(1));
  const dtype to = m.element(m.root);
  if (!preserves_value(from, over)) return false;
  // Floating point saturates where integers wrap.
  return !is_floating(over) || !is_integer(from) || !is_integer(to) || preserves_value(from, to);
}

constexpr bool all_bits_set(const match& m, node_id k) {
  if (!m.is_full(k)) return false;
  const dtype t = m.element(k);
  const std::size_t bits = t == dtype::boolean ? 1 : 8 * size_of(t);
  return m.bits(k) == ~element_bits{0} >> (64 - bits);
}

}  // namespace detail

inline constexpr guard known_is_all_ones{
    "all bits of k are set", [](const match& m) { return detail::all_bits_set(m, m['k']); }};

inline constexpr rule logic_rules[] = {
    {.name = "double_not", .from = "not(not(p))", .to = "p"},
    {.name = "double_inversion", .from = "bit_not(bit_not(x))", .to = "x"},
    {.name = "not_equal", .from = "not(equal(x, y))", .to = "not_equal(x, y)"},
    {.name = "not_not_equal", .from = "not(not_equal(x, y))", .to = "equal(x, y)"},
    // Of floating-point numbers, NaN is neither less nor not less.
    {.name = "not_less",
     .from = "not(less(x, y))",
     .to = "greater_equal(x, y)",
     .needs = numerics::no_nans},
    {.name = "not_less_equal",
     .from = "not(less_equal(x, y))",
     .to = "greater(x, y)",
     .needs = numerics::no_nans},
    {.name = "not_greater",
     .from = "not(greater(x, y))",
     .to = "less_equal(x, y)",
     .needs = numerics::no_nans},
    {.name = "not_greater_equal",
     .from = "not(greater_equal(x, y))",
     .to = "less(x, y)",
     .needs = numerics::no_nans},

    {.name = "and_true", .from = "and(p, true)", .to = "p"},
    {.name = "and_false", .from = "and(p, false)", .to = "false"},
    {.name = "or_true", .from = "or(p, true)", .to = "true"},
    {.name = "or_false", .from = "or(p, false)", .to = "p"},
    {.name = "xor_false", .from = "xor(p, false)", .to = "p"},
    {.name = "xor_true", .from = "xor(p, true)", .to = "not(p)"},
    {.name = "logic_of_same", .from = "f(p, p)", .to = "p", .f = "and or bit_and bit_or"},
    {.name = "xor_of_same", .from = "f(p, p)", .to = "0", .f = "xor bit_xor"},
    {.name = "logic_absorbs",
     .from = "f(f(p, q), q)",
     .to = "f(p, q)",
     .f = "and or bit_and bit_or"},
    {.name = "and_of_opposites", .from = "and(p, not(p))", .to = "false"},
    {.name = "or_of_opposites", .from = "or(p, not(p))", .to = "true"},

    {.name = "bits_and_zero", .from = "bit_and(x, 0)", .to = "0"},
    {.name = "bits_or_zero", .from = "f(x, 0)", .to = "x", .f = "bit_or bit_xor"},
    {.name = "bits_and_ones", .from = "bit_and(x, k)", .to = "x", .when = known_is_all_ones},
    {.name = "bits_or_ones", .from = "bit_or(x, k)", .to = "k", .when = known_is_all_ones},
    {.name = "bits_xor_ones",
     .from = "bit_xor(x, k)",
     .to = "bit_not(x)",
     .when = known_is_all_ones},
    {.name = "bits_of_known",
     .from = "f(f(x, k), l)",
     .to = "f(x, f(k, l))",
     .f = "bit_and bit_or bit_xor"},

    {.name = "equal_to_itself", .from = "equal(x, x)", .to = "true", .where = types::integer},
    {.name = "ordered_with_itself",
     .from = "f(x, x)",
     .to = "true",
     .where = types::integer,
     .f = "less_equal greater_equal"},
    {.name = "equal_to_itself_bool", .from = "equal(x, x)", .to = "true", .where = types::boolean},
    {.name = "less_than_itself", .from = "f(x, x)", .to = "false", .f = "less greater"},
    {.name = "unequal_to_itself",
     .from = "not_equal(x, x)",
     .to = "false",
     .where = types::integer},
    {.name = "unequal_to_itself_float",
     .from = "not_equal(x, x)",
     .to = "isnan(x)",
     .where = types::floating},
    {.name = "equal_true", .from = "equal(p, true)", .to = "p", .where = types::boolean},
    {.name = "equal_false", .from = "equal(p, false)", .to = "not(p)", .where = types::boolean},
    {.name = "unequal_false", .from = "not_equal(p, false)", .to = "p", .where = types::boolean},
    {.name = "unequal_true", .from = "not_equal(p, true)", .to = "not(p)", .where = types::boolean},
    {.name = "unsigned_below_zero",
     .from = "less(x, 0)",
     .to = "false",
     .where = types::unsigned_integer},
    {.name = "unsigned_from_zero",
     .from = "greater_equal(x, 0)",
     .to = "true",
     .where = types::unsigned_integer},
    {.name = "zero_above_unsigned",
     .from = "greater(0, x)",
     .to = "false",
     .where = types::unsigned_integer},
    {.name = "zero_below_unsigned",
     .from = "less_equal(0, x)",
     .to = "true",
     .where = types::unsigned_integer},
    {.name = "maximum_greater", .from = "greater(maximum(x, y), x)", .to = "greater(y, x)"},
    {.name = "minimum_less", .from = "less(minimum(x, y), x)", .to = "less(y, x)"},

    {.name = "where_same", .from = "where(p, x, x)", .to = "x"},
    {.name = "where_true", .from = "where(true, x, y)", .to = "x"},
    {.name = "where_false", .from = "where(false, x, y)", .to = "y"},
    {.name = "where_not", .from = "where(not(p), x, y)", .to = "where(p, y, x)"},
    {.name = "where_true_false", .from = "where(p, true, false)", .to = "p"},
    {.name = "where_false_true", .from = "where(p, false, true)", .to = "not(p)"},
    {.name = "where_where", .from = "where(p, where(p, x, y), z)", .to = "where(p, x, z)"},
    {.name = "where_else_where", .from = "where(p, x, where(p, y, z))", .to = "where(p, x, z)"},

    {.name = "cast_to_own_type",
     .from = "cast(x)",
     .to = "x",
     .when = {"it is of that type already",
              [](const match& m) { return m.element(m['x']) == m.element(m.root); }}},
    {.name = "cast_of_cast",
     .from = "cast(cast(x))",
     .to = "cast(x)",
     .when = {"the inner type has every value of x", detail::middle_cast_keeps_all}},
};

}  // namespace tfgraph::optimize
