// Rules of arithmetic that change no bit, and their counterparts under licences.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/optimize/rules/guards.hpp>

namespace tfgraph::optimize {

inline constexpr rule arithmetic_rules[] = {
    // Neutral elements. x + 0 is exact for integers and for -0, not for +0.
    {.name = "add_minus_zero", .from = "add(x, -0)", .to = "x"},
    {.name = "add_zero", .from = "add(x, 0)", .to = "x", .needs = numerics::no_signed_zeros},
    {.name = "subtract_zero", .from = "sub(x, 0)", .to = "x"},
    {.name = "subtract_minus_zero", .from = "sub(x, -0)", .to = "x",
     .needs = numerics::no_signed_zeros},
    {.name = "subtract_from_zero", .from = "sub(0, x)", .to = "neg(x)",
     .needs = numerics::no_signed_zeros},
    {.name = "subtract_from_minus_zero", .from = "sub(-0, x)", .to = "neg(x)"},
    {.name = "multiply_by_one", .from = "mul(x, 1)", .to = "x"},
    {.name = "multiply_by_minus_one", .from = "mul(x, -1)", .to = "neg(x)"},
    {.name = "divide_by_one", .from = "div(x, 1)", .to = "x"},
    {.name = "divide_by_minus_one", .from = "div(x, -1)", .to = "neg(x)",
     .where = types::floating},
    {.name = "floor_divide_by_one", .from = "floor_div(x, 1)", .to = "x",
     .where = types::integer},
    {.name = "remainder_by_one", .from = "f(x, 1)", .to = "0", .f = "floor_mod trunc_mod"},
    {.name = "multiply_by_zero", .from = "mul(x, 0)", .to = "0",
     .needs = numerics::no_nans | numerics::no_signed_zeros},
    {.name = "divide_zero", .from = "div(0, x)", .to = "0",
     .needs = numerics::no_nans | numerics::no_signed_zeros, .where = types::floating},

    // Signs.
    {.name = "double_negation", .from = "neg(neg(x))", .to = "x"},
    {.name = "add_negated", .from = "add(x, neg(y))", .to = "sub(x, y)"},
    {.name = "subtract_negated", .from = "sub(x, neg(y))", .to = "add(x, y)"},
    {.name = "multiply_negated", .from = "mul(neg(x), neg(y))", .to = "mul(x, y)"},
    {.name = "divide_negated", .from = "div(neg(x), neg(y))", .to = "div(x, y)",
     .where = types::floating},
    {.name = "negated_times_known", .from = "mul(neg(x), k)", .to = "mul(x, neg(k))"},
    {.name = "negated_difference", .from = "neg(sub(x, y))", .to = "sub(y, x)",
     .needs = numerics::no_signed_zeros, .when = inner_used_once},
    {.name = "abs_of_negated", .from = "abs(neg(x))", .to = "abs(x)",
     .where = types::floating},
    {.name = "abs_of_negated_integer", .from = "abs(neg(x))", .to = "abs(x)",
     .where = types::signed_integer},
    {.name = "abs_of_unsigned", .from = "abs(x)", .to = "x", .where = types::unsigned_integer},
    {.name = "abs_of_positive", .from = "abs(f(x))", .to = "f(x)", .where = types::floating,
     .f = "exp exp2 cosh sigmoid softplus abs erfc"},
    {.name = "product_of_abs", .from = "mul(abs(x), abs(x))", .to = "mul(x, x)"},
    {.name = "even_function_of_negated", .from = "f(neg(x))", .to = "f(x)",
     .where = types::floating, .f = "cos cosh"},
    {.name = "even_function_of_abs", .from = "f(abs(x))", .to = "f(x)",
     .where = types::floating, .f = "cos cosh"},

    // f(f(x)) and rounding of what is round.
    {.name = "idempotent", .from = "f(f(x))", .to = "f(x)",
     .f = "abs floor ceil trunc round sign"},
    {.name = "floor_of_round", .from = "floor(f(x))", .to = "f(x)", .f = "ceil trunc round"},
    {.name = "ceil_of_round", .from = "ceil(f(x))", .to = "f(x)", .f = "floor trunc round"},
    {.name = "trunc_of_round", .from = "trunc(f(x))", .to = "f(x)", .f = "floor ceil round"},
    {.name = "round_of_round", .from = "round(f(x))", .to = "f(x)", .f = "floor ceil trunc"},
    {.name = "rounding_of_integer", .from = "f(x)", .to = "x", .where = types::integer,
     .f = "floor ceil trunc round"},

    // Powers and quotients by their definition.
    {.name = "square_is_product", .from = "square(x)", .to = "mul(x, x)"},
    {.name = "integer_power_is_products", .from = "integer_power(x)",
     .to = "products, by binary powering as the operator is defined",
     .build =
         [](match& m) {
           const index exponent = m.attributes(m.root)[0];
           const node_id x = m['x'];
           if (exponent == 0) return m.make_number(1, m.type(m.root));
           if (exponent < 0) {
             if (!is_floating(m.element(x))) return no_node;  // refused where it is called
             const index positive[1] = {-exponent};
             return m.make<ops::reciprocal>({m.make(m.g[m.root].op, {x}, positive)});
           }
           node_id power = no_node;
           node_id base = x;
           for (index n = exponent; n != 0; n >>= 1) {
             if ((n & 1) != 0) power = power == no_node ? base : m.make<ops::mul>({power, base});
             if (n > 1) base = m.make<ops::mul>({base, base});
           }
           return power;
         }},
    {.name = "one_over", .from = "div(1, x)", .to = "reciprocal(x)", .where = types::floating},

    // Largest and smallest.
    {.name = "extreme_of_same", .from = "f(x, x)", .to = "x", .f = "maximum minimum"},
    {.name = "maximum_with_lowest", .from = "maximum(x, lowest)", .to = "x"},
    {.name = "minimum_with_highest", .from = "minimum(x, highest)", .to = "x"},
    {.name = "maximum_with_highest", .from = "maximum(x, highest)", .to = "highest",
     .needs = numerics::no_nans},
    {.name = "minimum_with_lowest", .from = "minimum(x, lowest)", .to = "lowest",
     .needs = numerics::no_nans},
    {.name = "extreme_absorbs", .from = "f(f(x, y), y)", .to = "f(x, y)", .f = "maximum minimum"},
    {.name = "extreme_of_known", .from = "f(f(x, k), l)", .to = "f(x, f(k, l))",
     .f = "maximum minimum"},
    {.name = "maximum_absorbs_minimum", .from = "maximum(x, minimum(x, y))", .to = "x",
     .needs = numerics::no_nans},
    {.name = "minimum_absorbs_maximum", .from = "minimum(x, maximum(x, y))", .to = "x",
     .needs = numerics::no_nans},
    {.name = "maximum_of_negated", .from = "maximum(neg(x), neg(y))", .to = "neg(minimum(x, y))",
     .where = types::floating, .when = both_unary_used_once},
    {.name = "minimum_of_negated", .from = "minimum(neg(x), neg(y))", .to = "neg(maximum(x, y))",
     .where = types::floating, .when = both_unary_used_once},
    {.name = "maximum_of_monotone", .from = "maximum(f(x), f(y))", .to = "f(maximum(x, y))",
     .where = types::floating, .when = both_unary_used_once, .f = "floor ceil trunc round sign"},
    {.name = "minimum_of_monotone", .from = "minimum(f(x), f(y))", .to = "f(minimum(x, y))",
     .where = types::floating, .when = both_unary_used_once, .f = "floor ceil trunc round sign"},
    {.name = "maximum_of_increasing", .from = "maximum(f(x), f(y))", .to = "f(maximum(x, y))",
     .needs = numerics::reassociate, .where = types::floating, .when = both_unary_used_once,
     .f = "exp exp2 expm1 tanh sigmoid softplus atan asinh sinh cbrt erf"},
    {.name = "minimum_of_increasing", .from = "minimum(f(x), f(y))", .to = "f(minimum(x, y))",
     .needs = numerics::reassociate, .where = types::floating, .when = both_unary_used_once,
     .f = "exp exp2 expm1 tanh sigmoid softplus atan asinh sinh cbrt erf"},

    // Regrouping: modular for integers.
    {.name = "difference_of_same", .from = "sub(x, x)", .to = "0", .needs = numerics::no_nans},
    {.name = "quotient_of_same", .from = "div(x, x)", .to = "1",
     .needs = numerics::no_nans, .where = types::floating},
    {.name = "sum_of_sum_and_known", .from = "add(add(x, k), l)", .to = "add(x, add(k, l))",
     .needs = numerics::reassociate},
    {.name = "sum_of_difference_and_known", .from = "add(sub(x, k), l)",
     .to = "add(x, sub(l, k))", .needs = numerics::reassociate},
    {.name = "difference_of_sum_and_known", .from = "sub(add(x, k), l)",
     .to = "add(x, sub(k, l))", .needs = numerics::reassociate},
    {.name = "difference_of_difference_and_known", .from = "sub(sub(x, k), l)",
     .to = "sub(x, add(k, l))", .needs = numerics::reassociate},
    {.name = "known_minus_sum", .from = "sub(k, add(x, l))", .to = "sub(sub(k, l), x)",
     .needs = numerics::reassociate},
    {.name = "known_minus_difference", .from = "sub(k, sub(l, x))", .to = "add(x, sub(k, l))",
     .needs = numerics::reassociate},
    {.name = "sum_of_known_minus", .from = "add(sub(k, x), l)", .to = "sub(add(k, l), x)",
     .needs = numerics::reassociate},
    {.name = "product_of_product_and_known", .from = "mul(mul(x, k), l)",
     .to = "mul(x, mul(k, l))", .needs = numerics::reassociate},
    {.name = "product_of_scaled", .from = "mul(mul(x, k), mul(y, l))",
     .to = "mul(mul(x, y), mul(k, l))", .needs = numerics::reassociate, .when = both_used_once},
    {.name = "add_and_subtract", .from = "sub(add(x, y), y)", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "subtract_and_add", .from = "add(sub(x, y), y)", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "subtract_difference", .from = "sub(x, sub(x, y))", .to = "y",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "subtract_sum", .from = "sub(x, add(x, y))", .to = "neg(y)",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "common_factor_of_sum", .from = "add(mul(x, z), mul(y, z))",
     .to = "mul(add(x, y), z)", .needs = numerics::reassociate, .when = both_used_once},
    {.name = "common_factor_of_difference", .from = "sub(mul(x, z), mul(y, z))",
     .to = "mul(sub(x, y), z)", .needs = numerics::reassociate, .when = both_used_once},
    {.name = "common_divisor_of_sum", .from = "add(div(x, z), div(y, z))",
     .to = "div(add(x, y), z)", .needs = numerics::reassociate, .where = types::floating,
     .when = both_used_once},
    {.name = "quotient_of_quotient", .from = "div(div(x, y), z)", .to = "div(x, mul(y, z))",
     .needs = numerics::reassociate | numerics::reciprocal, .where = types::floating,
     .when = inner_used_once},
    {.name = "divide_by_quotient", .from = "div(x, div(y, z))", .to = "div(mul(x, z), y)",
     .needs = numerics::reassociate | numerics::reciprocal, .where = types::floating},

    // Functions and their inverses.
    {.name = "double_reciprocal", .from = "reciprocal(reciprocal(x))", .to = "x",
     .needs = numerics::reciprocal | numerics::no_nans},
    {.name = "product_of_exponentials", .from = "mul(f(x), f(y))", .to = "f(add(x, y))",
     .needs = numerics::reassociate | numerics::no_nans, .where = types::floating,
     .when = both_unary_used_once, .f = "exp exp2"},
    {.name = "quotient_of_exponentials", .from = "div(f(x), f(y))", .to = "f(sub(x, y))",
     .needs = numerics::reassociate | numerics::no_nans, .where = types::floating,
     .when = both_unary_used_once, .f = "exp exp2"},
    {.name = "log_of_exp", .from = "log(exp(x))", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans},
    {.name = "exp_of_log", .from = "exp(log(x))", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "log2_of_exp2", .from = "log2(exp2(x))", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans},
    {.name = "log1p_of_expm1", .from = "log1p(expm1(x))", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans},
    {.name = "expm1_of_log1p", .from = "expm1(log1p(x))", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans},
    {.name = "root_of_square", .from = "sqrt(mul(x, x))", .to = "abs(x)",
     .needs = numerics::reassociate},
    {.name = "square_of_root", .from = "mul(sqrt(x), sqrt(x))", .to = "x",
     .needs = numerics::reassociate | numerics::no_nans | numerics::no_signed_zeros},
    {.name = "square_of_inverse_root", .from = "mul(rsqrt(x), rsqrt(x))", .to = "reciprocal(x)",
     .needs = numerics::reassociate | numerics::no_nans},
    {.name = "log_of_root", .from = "log(sqrt(x))", .to = "mul(log(x), 0.5)",
     .needs = numerics::reassociate},
};

}  // namespace tfgraph::optimize
