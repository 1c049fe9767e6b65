// Cheaper operators for dear ones.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/optimize/rules/guards.hpp>

#include <bit>

namespace tfgraph::optimize {
namespace detail {

/// Whether 1 / k is a normal number without rounding.
constexpr bool has_exact_reciprocal(const match& m, node_id k) {
  if (!m.is_full(k)) return false;
  const bool single = m.element(k) == dtype::float32;
  const int mantissa = single ? 23 : 52;
  const element_bits exponents = single ? 0xff : 0x7ff;
  const element_bits b = m.bits(k);
  const element_bits exponent = b >> mantissa & exponents;
  const bool power_of_two = (b & ((element_bits{1} << mantissa) - 1)) == 0;
  return power_of_two && exponent > 0 && exponent < exponents - 1;
}

/// Whether 1 / k is a normal number, so that k / 1 loses no more than a rounding.
constexpr bool has_normal_reciprocal(const match& m) {
  if (!m.is_full(m['k'])) return false;
  double v = m.number(m['k']);
  if (v < 0) v = -v;
  return m.element(m['k']) == dtype::float32 ? v > 1e-37 && v < 1e37 : v > 1e-307 && v < 1e307;
}

/// The exponent of an integer power of two, or -1.
constexpr int exponent_of(const match& m, node_id k) {
  if (!m.is_full(k)) return -1;
  const element_bits b = m.bits(k);
  const bool negative =
      is_signed_integer(m.element(k)) && (b >> (8 * size_of(m.element(k)) - 1)) != 0;
  return !negative && std::has_single_bit(b) ? std::countr_zero(b) : -1;
}

constexpr node_id shifted(match& m) {
  return m.make<ops::shift_right>({m['x'], m.make_number(exponent_of(m, m['k']), m.type(m['k']))});
}

constexpr node_id masked(match& m) {
  const double mask = static_cast<double>((element_bits{1} << exponent_of(m, m['k'])) - 1);
  return m.make<ops::bit_and>({m['x'], m.make_number(mask, m.type(m['k']))});
}

}  // namespace detail

inline constexpr guard power_of_two_integer{"k is a power of two", [](const match& m) {
                                              const int e = detail::exponent_of(m, m['k']);
                                              return e >= 0 && e < 53;
                                            }};

inline constexpr rule strength_rules[] = {
    {.name = "divide_by_power_of_two",
     .from = "div(x, k)",
     .to = "mul(x, reciprocal(k))",
     .where = types::floating,
     .when = {"1 / k is exact and normal",
              [](const match& m) { return detail::has_exact_reciprocal(m, m['k']); }}},
    {.name = "divide_by_known",
     .from = "div(x, k)",
     .to = "mul(x, reciprocal(k))",
     .needs = numerics::reciprocal,
     .where = types::floating,
     .when = {"1 / k is normal", detail::has_normal_reciprocal}},
    {.name = "unsigned_divide_by_power_of_two",
     .from = "f(x, k)",
     .to = "shift_right(x, log2 k)",
     .where = types::unsigned_integer,
     .when = power_of_two_integer,
     .build = detail::shifted,
     .f = "div floor_div"},
    {.name = "floor_divide_by_power_of_two",
     .from = "floor_div(x, k)",
     .to = "shift_right(x, log2 k)",
     .where = types::signed_integer,
     .when = power_of_two_integer,
     .build = detail::shifted},
    {.name = "unsigned_remainder_by_power_of_two",
     .from = "f(x, k)",
     .to = "bit_and(x, k - 1)",
     .where = types::unsigned_integer,
     .when = power_of_two_integer,
     .build = detail::masked,
     .f = "floor_mod trunc_mod"},
    {.name = "remainder_by_power_of_two",
     .from = "floor_mod(x, k)",
     .to = "bit_and(x, k - 1)",
     .where = types::signed_integer,
     .when = power_of_two_integer,
     .build = detail::masked},
    {.name = "remainder_of_remainder",
     .from = "f(f(x, k), k)",
     .to = "f(x, k)",
     .f = "floor_mod trunc_mod"},
    {.name = "shift_by_zero", .from = "f(x, 0)", .to = "x", .f = "shift_left shift_right"},
    {.name = "quotient_by_root",
     .from = "div(x, sqrt(y))",
     .to = "mul(x, rsqrt(y))",
     .needs = numerics::reciprocal,
     .when = {"the root has no other use", [](const match& m) { return m.single_use(m.part(2)); }}},
    {.name = "reciprocal_of_root",
     .from = "reciprocal(sqrt(x))",
     .to = "rsqrt(x)",
     .needs = numerics::reciprocal},
    {.name = "power_zero", .from = "pow(x, 0)", .to = "1"},
    {.name = "power_one", .from = "pow(x, 1)", .to = "x"},
    {.name = "power_two", .from = "pow(x, 2)", .to = "mul(x, x)", .needs = numerics::reassociate},
    {.name = "power_three",
     .from = "pow(x, 3)",
     .to = "mul(mul(x, x), x)",
     .needs = numerics::reassociate},
    {.name = "power_minus_one",
     .from = "pow(x, -1)",
     .to = "reciprocal(x)",
     .needs = numerics::reassociate},
    {.name = "power_half",
     .from = "pow(x, 0.5)",
     .to = "sqrt(x)",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "power_minus_half",
     .from = "pow(x, -0.5)",
     .to = "rsqrt(x)",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
};

}  // namespace tfgraph::optimize
