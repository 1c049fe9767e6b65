// The list of operators: what documentation and tests go through.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/ops/control.hpp>
#include <tfgraph/ops/generate.hpp>
#include <tfgraph/ops/gradient.hpp>
#include <tfgraph/ops/indexing.hpp>
#include <tfgraph/ops/like.hpp>
#include <tfgraph/ops/logic.hpp>
#include <tfgraph/ops/math.hpp>
#include <tfgraph/ops/matmul.hpp>
#include <tfgraph/ops/movement.hpp>
#include <tfgraph/ops/reduce.hpp>
#include <tfgraph/ops/scan.hpp>

#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>

namespace tfgraph {

/// Every operator that a graph can hold, as a Hana tuple of types.
inline constexpr auto all_operators = boost::hana::tuple_t<
    // arithmetic
    ops::add, ops::sub, ops::mul, ops::div, ops::floor_div, ops::floor_mod, ops::trunc_mod,
    ops::neg, ops::abs, ops::sign, ops::square, ops::reciprocal, ops::maximum, ops::minimum,
    ops::clip, ops::integer_power, ops::pow,
    // bits
    ops::bit_and, ops::bit_or, ops::bit_xor, ops::bit_not, ops::shift_left, ops::shift_right,
    // comparison, logic, selection, conversion
    ops::equal, ops::not_equal, ops::less, ops::less_equal, ops::greater, ops::greater_equal,
    ops::logical_and, ops::logical_or, ops::logical_xor, ops::logical_not, ops::where, ops::isnan,
    ops::isinf, ops::isfinite, ops::cast,
    // elementary and special functions, rounding
    ops::sqrt, ops::rsqrt, ops::cbrt, ops::hypot, ops::exp, ops::exp2, ops::expm1, ops::log,
    ops::log2, ops::log10, ops::log1p, ops::sin, ops::cos, ops::tan, ops::asin, ops::acos,
    ops::atan, ops::atan2, ops::sinh, ops::cosh, ops::tanh, ops::asinh, ops::acosh, ops::atanh,
    ops::erf, ops::erfc, ops::lgamma, ops::tgamma, ops::digamma, ops::sigmoid, ops::softplus,
    ops::floor, ops::ceil, ops::trunc, ops::round,
    // reductions and the matrix product
    ops::sum, ops::prod, ops::max, ops::min, ops::any, ops::all, ops::argmax, ops::argmin,
    ops::matmul, ops::multiply_add,
    // movement
    ops::permute_dims, ops::reshape, ops::broadcast_to, ops::expand_dims, ops::squeeze, ops::slice,
    ops::concat,
    // along an axis
    ops::take, ops::scatter_add, ops::cumulative_sum,
    // for differentiation
    ops::stop_gradient, ops::custom_gradient, ops::cotangent, ops::checkpoint, ops::recompute,
    // control flow
    ops::parameter, ops::loop, ops::branch, ops::result, ops::stacked,
    // without operands
    ops::input, ops::constant, ops::full, ops::iota, ops::eye,
    // of dynamic extents, until they are known
    ops::full_like, ops::sum_like, ops::reshape_like, ops::unslice, ops::element_count>;

}  // namespace tfgraph
