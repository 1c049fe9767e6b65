// Reductions over axes. Sums and products have a defined order (see graph/reduction_order.hpp),
// so every executor gives the same bits.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/arithmetic.hpp>
#include <tfgraph/ops/logic.hpp>
#include <tfgraph/ops/movement.hpp>

#include <limits>

namespace tfgraph {
namespace ops {

/// The shape after reducing `axes` (all of them if empty); attributes: keepdims, then the axes.
[[nodiscard]] constexpr inference infer_reduction(std::string_view name, domain operands,
                                                  const spec& x,
                                                  std::span<const index> attributes) {
  inference r{{x.type, {}}, {}};
  if (!contains(operands, x.type)) {
    r.objection << name << ": the argument must have " << name_of(operands) << ", not " << x.type;
    r.about_types = true;
    return r;
  }
  bool reduced[max_rank] = {};
  for (std::size_t i = 1; i < attributes.size(); ++i) {
    const int a = detail::normal_axis(attributes[i], x.shape.rank);
    if (a < 0) return detail::bad_axis(name, attributes[i], x.shape);
    if (reduced[a]) r.objection << name << ": axis " << attributes[i] << " is given twice";
    reduced[a] = true;
  }
  for (int i = 0; i < x.shape.rank; ++i) {
    if (attributes.size() > 1 && !reduced[i]) r.result.shape.push_back(x.shape[i]);
    else if (attributes[0] != 0) r.result.shape.push_back(1);
  }
  return r;
}

/// Which axes of an operand of this rank a reduction's attributes name.
struct reduced_axes {
  bool value[max_rank] = {};
  constexpr reduced_axes(std::span<const index> attributes, int rank) {
    for (int i = 0; i < rank; ++i) value[i] = attributes.size() <= 1;
    for (std::size_t i = 1; i < attributes.size(); ++i)
      value[detail::normal_axis(attributes[i], rank)] = true;
  }
  constexpr bool operator[](int axis) const { return value[axis]; }
};

/// The result of a reduction, or its cotangent, at every element of the operand x.
template <class X>
constexpr X at_operand(std::span<const index> attributes, X y, X x) {
  if (attributes[0] == 0 && x.rank() > 0) {
    const reduced_axes axes(attributes, x.rank());
    attribute_list gone;
    for (int i = 0; i < x.rank(); ++i)
      if (axes[i]) gone.push_back(i);
    if (gone.size > 0) y = record_with<expand_dims>(std::span<const index>(gone), y);
  }
  return y;
}

namespace detail {

constexpr attribute_list with_keepdims(std::span<const index> attributes) {
  attribute_list a;
  for (index v : attributes) a.push_back(v);
  a.value[0] = 1;
  return a;
}

/// For each element the product of the others along the reduced axes. It does not divide, so that
/// zeros, and derivatives of any order, are right: a tree of products of halves, gone down again.
template <class X>
constexpr X product_of_others(X x, std::span<const index> attributes) {
  const reduced_axes axes(attributes, x.rank());
  const extents shape = x.type().shape;
  attribute_list order;
  attribute_list back;
  extents permuted;
  extents rows;
  index n = 1;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < shape.rank; ++i)
      if (axes[i] == (pass == 1)) {
        order.push_back(i);
        permuted.push_back(shape[i]);
        if (pass == 0) rows.push_back(shape[i]);
        else n *= shape[i];
      }
  for (int i = 0; i < shape.rank; ++i)
    for (int j = 0; j < shape.rank; ++j)
      if (order.value[j] == i) back.push_back(j);
  const int axis = rows.rank;
  rows.push_back(n);
  const bool moved = shape.rank > 1;
  X level = moved ? reshape_to(rows, record_with<permute_dims>(std::span<const index>(order), x))
                  : reshape_to(rows, x);
  X low[48] = {};
  X high[48] = {};
  int depth = 0;
  for (index m = n; m > 1; m = m / 2 + m % 2, ++depth) {
    const X whole = level;
    low[depth] = part(level, axis, 0, m / 2);
    high[depth] = part(level, axis, m / 2, m / 2 * 2);
    level = low[depth] * high[depth];
    if (m % 2 != 0) level = record_with<concat>({axis}, level, part(whole, axis, m - 1, m));
  }
  rows[axis] = n == 0 ? 0 : 1;
  X others = full_of(rows, 1, x);
  index m[48] = {n};
  for (int i = 1; i <= depth; ++i) m[i] = m[i - 1] / 2 + m[i - 1] % 2;
  for (int i = depth - 1; i >= 0; --i) {
    const bool odd = m[i] % 2 != 0;
    const X pairs = odd ? part(others, axis, 0, m[i] / 2) : others;
    const X a = pairs * high[i];
    const X b = pairs * low[i];
    others = odd ? record_with<concat>({axis}, a, b, part(others, axis, m[i] / 2, m[i] / 2 + 1))
                 : record_with<concat>({axis}, a, b);
  }
  others = reshape_to(permuted, others);
  return moved ? record_with<permute_dims>(std::span<const index>(back), others) : others;
}

}  // namespace detail

template <class Op>
struct reduction_of : reduction {
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r = infer_reduction(Op::name, Op::operands, x[0], attributes);
    if constexpr (Op::needs_elements) {
      const reduced_axes axes(attributes, x[0].shape.rank);
      for (int i = 0; i < x[0].shape.rank && r.objection.empty(); ++i)
        if (axes[i] && x[0].shape[i] == 0)
          r.objection << Op::name << ": axis " << i << " of the shape " << x[0].shape
                      << " has no elements";
    }
    return r;
  }
  static constexpr bool needs_elements = false;

  template <class X>
    requires requires(X d) { Op::derivative(d, d, d, std::span<const index>{}); }
  static constexpr X vjp(int, X d, X y) {
    const X x{y.g, y.g->operand(y.id, 0)};
    const attribute_list a = attributes_of(y);
    return stretch_to(x,
                      Op::derivative(at_operand(std::span<const index>(a), d, x), x,
                                     Op::linear ? y : at_operand(std::span<const index>(a), y, x),
                                     std::span<const index>(a)));
  }
  template <class X>
    requires requires(X d) { Op::derivative(d, d, d, std::span<const index>{}); }
  static constexpr X jvp(int, X d, X y) {
    const X x{y.g, y.g->operand(y.id, 0)};
    const attribute_list a = attributes_of(y);
    return record_with<sum>(std::span<const index>(a),
                            Op::derivative(d, x, at_operand(std::span<const index>(a), y, x),
                                           std::span<const index>(a)));
  }
};

// The neutral element of floating-point addition is -0: it changes no bit, not even of -0 itself.
struct sum : reduction_of<sum> {
  static constexpr std::string_view name = "sum", onnx = "ReduceSum";
  static constexpr domain operands = domain::numeric;
  using combine = ops::add;
  static constexpr bool linear = true;
  template <class T>
  static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return T(-0.0);
    else return T(0);
  }
  template <class X>
  static constexpr X derivative(X d, X, X, std::span<const index>) {
    return d;
  }
};

struct prod : reduction_of<prod> {
  static constexpr std::string_view name = "prod", onnx = "ReduceProd";
  static constexpr bool needs_extents = true;
  static constexpr domain operands = domain::numeric;
  using combine = ops::mul;
  template <class T>
  static constexpr T identity() {
    return T(1);
  }
  template <class X>
  static constexpr X derivative(X d, X x, X, std::span<const index> attributes) {
    return d * detail::product_of_others(x, attributes);
  }
};

struct max : reduction_of<max> {
  static constexpr std::string_view name = "max", onnx = "ReduceMax";
  static constexpr domain operands = domain::numeric;
  static constexpr bool needs_elements = true;
  using combine = ops::maximum;
  template <class T>
  static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::lowest();
  }
  template <class X>
  static constexpr X derivative(X d, X x, X y, std::span<const index> attributes) {
    // Equal elements share.
    const X largest = record<equal>(x, y);
    const X count =
        record_with<sum>(detail::with_keepdims(attributes),
                         record_with<cast>({static_cast<index>(d.type().type)}, largest));
    return record<where>(largest, d / count, number(0, d));
  }
};

struct min : reduction_of<min> {
  static constexpr std::string_view name = "min", onnx = "ReduceMin";
  static constexpr domain operands = domain::numeric;
  static constexpr bool needs_elements = true;
  using combine = ops::minimum;
  template <class T>
  static constexpr T identity() {
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
    else return std::numeric_limits<T>::max();
  }
  template <class X>
  static constexpr X derivative(X d, X x, X y, std::span<const index> attributes) {
    // Equal elements share.
    const X smallest = record<equal>(x, y);
    const X count =
        record_with<sum>(detail::with_keepdims(attributes),
                         record_with<cast>({static_cast<index>(d.type().type)}, smallest));
    return record<where>(smallest, d / count, number(0, d));
  }
};

struct any : reduction_of<any> {
  static constexpr std::string_view name = "any";
  static constexpr domain operands = domain::boolean;
  using combine = ops::logical_or;
  template <class T>
  static constexpr T identity() {
    return false;
  }
};

struct all : reduction_of<all> {
  static constexpr std::string_view name = "all";
  static constexpr domain operands = domain::boolean;
  using combine = ops::logical_and;
  template <class T>
  static constexpr T identity() {
    return true;
  }
};

// Strictly larger or smaller, where NaN comes before every number.
struct comes_before_as_larger : comparison {
  static constexpr std::string_view name = "comes_before_as_larger";
  template <class V>
  static constexpr auto apply(V a, V b) {
    if constexpr (detail::is_integer_lane<V>) return a > b;
    else return (a > b) | (simd::isnan(a) & ~simd::isnan(b));
  }
};

struct comes_before_as_smaller : comparison {
  static constexpr std::string_view name = "comes_before_as_smaller";
  template <class V>
  static constexpr auto apply(V a, V b) {
    if constexpr (detail::is_integer_lane<V>) return a < b;
    else return (a < b) | (simd::isnan(a) & ~simd::isnan(b));
  }
};

/// The position (int64) of the first largest or smallest element along one axis, or of the
/// flattened tensor. The first NaN wins. Attributes as other reductions.
template <class Op>
struct arg_reduction : reduction {
  static constexpr domain operands = domain::numeric;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r = infer_reduction(Op::name, operands, x[0], attributes);
    r.result.type = dtype::int64;
    const reduced_axes axes(attributes, x[0].shape.rank);
    for (int i = 0; i < x[0].shape.rank && r.objection.empty(); ++i)
      if (axes[i] && x[0].shape[i] == 0)
        r.objection << Op::name << ": axis " << i << " of the shape " << x[0].shape
                    << " has no elements";
    return r;
  }
};

struct argmax : arg_reduction<argmax> {
  static constexpr std::string_view name = "argmax", onnx = "ArgMax";
  using compare = ops::comes_before_as_larger;
};

struct argmin : arg_reduction<argmin> {
  static constexpr std::string_view name = "argmin", onnx = "ArgMin";
  using compare = ops::comes_before_as_smaller;
};

/// How many elements a reduction with these attributes combines into one, as a number of the
/// operand's element type.
struct element_count : operator_defaults {
  static constexpr std::string_view name = "element_count";
  static constexpr bool flat = true;
  static constexpr operation_kind kind = operation_kind::shape_query;
  static constexpr int arity = 1;
  static constexpr domain operands = domain::numeric;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r = infer_reduction(name, operands, x[0], attributes);
    r.result.shape = {};
    return r;
  }
  [[nodiscard]] static constexpr element_bits generate(const spec& x,
                                                       std::span<const index> attributes, index) {
    const reduced_axes axes(attributes, x.shape.rank);
    index count = 1;
    for (int i = 0; i < x.shape.rank; ++i)
      if (axes[i]) count *= x.shape[i];
    return tfgraph::detail::visit_dtype(
        x.type, [&]<class T>(T) { return detail::to_bits<T>(static_cast<T>(count)); });
  }
};

}  // namespace ops

/// The function object of a reduction: f(x), f(x, axis<0, -1>), f(x, axis<0>, keepdims).
template <class Op>
struct reduction_function {
  template <class X>
  constexpr auto operator()(const X& x) const {
    return detail::apply<Op, detail::attributes<0>>(x);
  }
  template <class X>
  constexpr auto operator()(const X& x, keepdims_t) const {
    return detail::apply<Op, detail::attributes<1>>(x);
  }
  template <class X, index... A>
  constexpr auto operator()(const X& x, axis_t<A...>) const {
    return detail::apply<Op, detail::attributes<0, A...>>(x);
  }
  template <class X, index... A>
  constexpr auto operator()(const X& x, axis_t<A...>, keepdims_t) const {
    return detail::apply<Op, detail::attributes<1, A...>>(x);
  }
};

/// Sum over axes, in the element type of x; integers wrap; the sum of nothing is 0.
inline constexpr reduction_function<ops::sum> sum{};
/// Product over axes, in the element type of x; integers wrap; the product of nothing is 1.
inline constexpr reduction_function<ops::prod> prod{};
/// The largest element; NaN if there is one. At least one element is needed.
inline constexpr reduction_function<ops::max> max{};
inline constexpr reduction_function<ops::min> min{};
inline constexpr reduction_function<ops::any> any{};
/// Whether all are true. Also the section of a slice that takes a whole axis.
inline constexpr reduction_function<ops::all> all{};
/// The position of the first largest element along one axis, or in the flattened tensor (int64);
/// the first NaN if there is one.
inline constexpr reduction_function<ops::argmax> argmax{};
inline constexpr reduction_function<ops::argmin> argmin{};

namespace detail {
template <>
struct section_attributes<reduction_function<ops::all>> {
  static constexpr index value[3] = {0, end, 1};
};
}  // namespace detail

}  // namespace tfgraph
