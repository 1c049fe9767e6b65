// Operators that only move elements: permute_dims, transpose, reshape, expand_dims, squeeze,
// broadcast_to, slice, flip; and concat and stack, which put tensors side by side.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>

namespace tfgraph {

/// The end of an axis, in sections.
inline constexpr index end = INT64_MAX;

/// One axis of a slice, Python's start:stop:step. Negative positions count from the end.
/// `section<2>` is `2:`, `section<0, -1>` is `0:-1`, `section<0, end, 2>` is `0::2`;
/// `section<end, end, -1>` is `::-1` (for a negative step, `end` means the far side).
template <index Start, index Stop = end, index Step = 1>
struct section_t {};
template <index Start, index Stop = end, index Step = 1>
inline constexpr section_t<Start, Stop, Step> section{};

namespace ops {
namespace detail {

/// A non-negative axis, or -1 where it is out of range.
constexpr int normal_axis(index a, int rank) {
  if (a < -rank || a >= rank) return -1;
  return static_cast<int>(a < 0 ? a + rank : a);
}

constexpr inference bad_axis(std::string_view name, index a, const extents& e) {
  inference r;
  r.objection << name << ": axis " << a << " is out of range for the shape " << e;
  return r;
}

/// Elements first ... last - 1 of an axis; with a step of -1 and without bounds, all in reverse.
template <class X>
constexpr X part(X x, int axis, index first, index last, index step = 1) {
  attribute_list sections;
  for (int i = 0; i < axis; ++i)
    for (index v : {index{0}, end, index{1}}) sections.push_back(v);
  for (index v : {first, last, step}) sections.push_back(v);
  return record_with<slice>(std::span<const index>(sections), x);
}

/// The i-th element of an axis goes to start + i * step of an axis of n elements, among zeros.
template <class X>
constexpr X spread(X x, int axis, index start, index step, index n) {
  const auto zeros = [&](index count) {
    extents e = x.type().shape;
    e[axis] = count;
    return full_of(e, 0, x);
  };
  const index count = x.shape()[axis];
  if (count == 0) return zeros(n);
  if (step < 0) {
    if (count > 1) x = part(x, axis, end, end, -1);
    start += (count - 1) * step;
    step = -step;
  }
  if (count == n) return x;
  index length = count;
  if (step > 1 && count > 1) {
    extents e = x.type().shape;
    e[axis] = length = count * step;
    const X wide = record_with<expand_dims>({axis + 1}, x);
    extents gaps = wide.type().shape;
    gaps[axis + 1] = step - 1;
    x = reshape_to(e, record_with<concat>({axis + 1}, wide, full_of(gaps, 0, x)));
    if (start + length > n) {
      x = part(x, axis, 0, n - start);
      length = n - start;
    }
  }
  const index after = n - start - length;
  if (start > 0 && after > 0) return record_with<concat>({axis}, zeros(start), x, zeros(after));
  if (start > 0) return record_with<concat>({axis}, zeros(start), x);
  if (after > 0) return record_with<concat>({axis}, x, zeros(after));
  return x;
}

}  // namespace detail

// Attributes: the permutation.
struct permute_dims : operator_defaults {
  static constexpr std::string_view name = "permute_dims", onnx = "Transpose";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{x[0], {}};
    bool seen[max_rank] = {};
    if (static_cast<int>(attributes.size()) != x[0].shape.rank) {
      r.objection << "permute_dims: " << static_cast<index>(attributes.size())
                  << " axes given for the shape " << x[0].shape;
      return r;
    }
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const int a = detail::normal_axis(attributes[i], x[0].shape.rank);
      if (a < 0) return detail::bad_axis(name, attributes[i], x[0].shape);
      if (seen[a]) r.objection << "permute_dims: axis " << attributes[i] << " is given twice";
      seen[a] = true;
      r.result.shape[static_cast<int>(i)] = x[0].shape[a];
    }
    return r;
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents& result,
                                             std::span<const index> attributes) {
    layout y{result, {}, x.offset, x.valid};
    for (int i = 0; i < result.rank; ++i)
      y.stride[i] =
          x.stride[detail::normal_axis(attributes[static_cast<std::size_t>(i)], result.rank)];
    return y;
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    attribute_list back;
    const int rank = y.rank();
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j < rank; ++j)
        if (detail::normal_axis(y.g->attribute(y.id, j), rank) == i) back.push_back(j);
    return record_with<permute_dims>(std::span<const index>(back), d);
  }
};

// Attributes: the new extents; one may be -1, which means "what remains".
struct reshape : operator_defaults {
  static constexpr std::string_view name = "reshape", onnx = "Reshape";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{{x[0].type, {}}, {}};
    index known = 1;
    int open = -1;
    for (index e : attributes) {
      if (e < 0) open = r.result.shape.rank;
      else known *= e;
      r.result.shape.push_back(e);
    }
    if (!x[0].shape.is_static()) return r;
    const index size = x[0].shape.size();
    if (open >= 0 && known != 0 && size % known == 0) {
      r.result.shape[open] = size / known;
      known = size;
    }
    if (known != size)
      r.objection << "reshape: the shape " << x[0].shape << " has " << size
                  << " elements, the new shape " << r.result.shape << " does not";
    return r;
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents& result,
                                             std::span<const index>) {
    return x.reshaped(result);
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    return reshape_to(X{y.g, y.g->operand(y.id, 0)}, d);
  }
};

// Attributes: the new extents.
struct broadcast_to : operator_defaults {
  static constexpr std::string_view name = "broadcast_to", onnx = "Expand";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{{x[0].type, {}}, {}};
    for (index e : attributes) r.result.shape.push_back(e);
    const broadcast_result b = broadcast(x[0].shape, r.result.shape);
    if (!b.ok || !(b.shape == r.result.shape))
      r.objection << "broadcast_to: the shape " << x[0].shape << " does not broadcast to "
                  << r.result.shape;
    return r;
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents& result,
                                             std::span<const index>) {
    return x.broadcast_to(result);
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    return sum_to(X{y.g, y.g->operand(y.id, 0)}, d);
  }
};

// Attributes: the axes of the result that are new, ascending.
struct expand_dims : operator_defaults {
  static constexpr std::string_view name = "expand_dims", onnx = "Unsqueeze";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{{x[0].type, {}}, {}};
    const int rank = x[0].shape.rank + static_cast<int>(attributes.size());
    int from = 0;
    if (rank > max_rank) {
      r.objection << "expand_dims: a tensor has at most " << max_rank << " dimensions";
      return r;
    }
    bool added[max_rank] = {};
    for (index a : attributes) {
      const int axis = detail::normal_axis(a, rank);
      if (axis < 0) return detail::bad_axis(name, a, x[0].shape);
      if (added[axis]) r.objection << "expand_dims: axis " << a << " is given twice";
      added[axis] = true;
    }
    for (int i = 0; i < rank && r.objection.empty(); ++i)
      r.result.shape.push_back(added[i] ? 1 : x[0].shape[from++]);
    return r;
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents& result,
                                             std::span<const index> attributes) {
    layout y{result, {}, x.offset, x.valid};
    bool added[max_rank] = {};
    for (index a : attributes) added[detail::normal_axis(a, result.rank)] = true;
    int from = 0;
    for (int i = 0; i < result.rank; ++i) y.stride[i] = added[i] ? 0 : x.stride[from++];
    return y;
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    const attribute_list added = attributes_of(y);
    return record_with<squeeze>(std::span<const index>(added), d);
  }
};

// Attributes: the axes of extent 1 that go.
struct squeeze : operator_defaults {
  static constexpr std::string_view name = "squeeze", onnx = "Squeeze";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{{x[0].type, {}}, {}};
    bool gone[max_rank] = {};
    for (index a : attributes) {
      const int axis = detail::normal_axis(a, x[0].shape.rank);
      if (axis < 0) return detail::bad_axis(name, a, x[0].shape);
      if (x[0].shape[axis] > 1) {
        r.objection << "squeeze: axis " << a << " of the shape " << x[0].shape << " is not 1";
        return r;
      }
      gone[axis] = true;
    }
    for (int i = 0; i < x[0].shape.rank; ++i)
      if (!gone[i]) r.result.shape.push_back(x[0].shape[i]);
    return r;
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents& result,
                                             std::span<const index> attributes) {
    layout y{result, {}, x.offset, x.valid};
    bool gone[max_rank] = {};
    for (index a : attributes) gone[detail::normal_axis(a, x.shape.rank)] = true;
    int to = 0;
    for (int i = 0; i < x.shape.rank; ++i)
      if (!gone[i]) y.stride[to++] = x.stride[i];
    return y;
  }
  template <class X>
  static constexpr X vjp(int, X d, X y) {
    return reshape_to(X{y.g, y.g->operand(y.id, 0)}, d);
  }
};

// Attributes: start, stop, step per axis, as Python's slice takes them.
struct slice : operator_defaults {
  static constexpr std::string_view name = "slice", onnx = "Slice";
  static constexpr operation_kind kind = operation_kind::movement;
  static constexpr int arity = 1;
  static constexpr bool linear = true;

  struct range {
    index start, count, step;
  };
  /// Python's rule for start:stop:step on an axis of n elements.
  [[nodiscard]] static constexpr range resolve(index start, index stop, index step, index n) {
    const index low = step > 0 ? 0 : -1;
    const index high = step > 0 ? n : n - 1;
    const auto clamp = [&](index i, bool is_stop) {
      if (i == end) return is_stop == (step > 0) ? high : is_stop ? low : high;
      if (i < 0) i += n;
      return i < low ? low : i > high ? high : i;
    };
    const index first = clamp(start, false);
    const index last = clamp(stop, true);
    const index distance = step > 0 ? last - first : first - last;
    const index stride = step > 0 ? step : -step;
    return {first, distance > 0 ? (distance + stride - 1) / stride : 0, step};
  }
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{x[0], {}};
    if (static_cast<int>(attributes.size()) > 3 * x[0].shape.rank) {
      r.objection << "slice: " << static_cast<index>(attributes.size() / 3)
                  << " sections given for the shape " << x[0].shape;
      return r;
    }
    for (std::size_t i = 0; 3 * i < attributes.size(); ++i) {
      index& n = r.result.shape[static_cast<int>(i)];
      if (attributes[3 * i + 2] == 0) {
        r.objection << "slice: the step of axis " << static_cast<index>(i) << " is 0";
        return r;
      }
      if (n >= 0)
        n = resolve(attributes[3 * i], attributes[3 * i + 1], attributes[3 * i + 2], n).count;
    }
    return r;
  }
  [[nodiscard]] static constexpr layout view(const layout& x, const extents& result,
                                             std::span<const index> attributes) {
    layout y{result, x.stride, x.offset, x.valid};
    for (std::size_t i = 0; 3 * i < attributes.size(); ++i) {
      const int a = static_cast<int>(i);
      const range s =
          resolve(attributes[3 * i], attributes[3 * i + 1], attributes[3 * i + 2], x.shape[a]);
      if (s.count > 0) y.offset += s.start * x.stride[a];
      y.stride[a] = x.stride[a] * s.step;
    }
    return y;
  }
  /// A tensor of the shape `from` that has these elements where the slice takes them, and zeros
  /// at the other places.
  template <class X>
  static constexpr X put_back(X d, const extents& from, std::span<const index> attributes) {
    for (std::size_t i = 0; 3 * i < attributes.size(); ++i) {
      const int axis = static_cast<int>(i);
      const range r =
          resolve(attributes[3 * i], attributes[3 * i + 1], attributes[3 * i + 2], from[axis]);
      d = detail::spread(d, axis, r.start, r.step, from[axis]);
    }
    return d;
  }
  template <class X, class Unslice = unslice>
  static constexpr X vjp(int, X d, X y) {
    const X x{y.g, y.g->operand(y.id, 0)};
    const attribute_list sections = attributes_of(y);
    if (are_static(x, d)) return put_back(d, x.type().shape, std::span<const index>(sections));
    return record_with<Unslice>(std::span<const index>(sections), d, x);
  }
};

// Attribute: the axis.
struct concat : operator_defaults {
  static constexpr std::string_view name = "concat", onnx = "Concat";
  static constexpr operation_kind kind = operation_kind::concatenation;
  static constexpr int arity = -1;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    const int axis = detail::normal_axis(attributes[0], x[0].shape.rank);
    if (axis < 0) return detail::bad_axis(name, attributes[0], x[0].shape);
    inference r{x[0], {}};
    for (std::size_t k = 1; k < x.size(); ++k) {
      bool fits = x[k].type == x[0].type && x[k].shape.rank == x[0].shape.rank;
      for (int i = 0; fits && i < x[0].shape.rank; ++i)
        fits = i == axis || x[k].shape[i] == r.result.shape[i] || x[k].shape[i] < 0 ||
               r.result.shape[i] < 0;
      if (!fits) {
        r.objection << "concat: " << x[k].type << " " << x[k].shape << " does not fit to "
                    << x[0].type << " " << x[0].shape << " along axis " << axis;
        return r;
      }
      index& n = r.result.shape[axis];
      n = n < 0 || x[k].shape[axis] < 0 ? extents::unknown : n + x[k].shape[axis];
    }
    return r;
  }
  template <class X>
  static constexpr X vjp(int k, X d, X y) {
    const int rank = y.rank();
    const int axis = detail::normal_axis(y.g->attribute(y.id, 0), rank);
    const auto extent = [&](int i) { return y.g->type(y.g->operand(y.id, i)).shape[axis]; };
    index first = 0;
    for (int i = 0; i < k; ++i) first += extent(i);
    return detail::part(d, axis, first, first + extent(k));
  }
};

}  // namespace ops

/// permute_dims(x, axis<1, 0>): axis i of the result is axis p[i] of x.
struct permute_dims_function {
  template <class X, index... P>
  constexpr auto operator()(const X& x, axis_t<P...>) const {
    return detail::apply<ops::permute_dims, detail::attributes<P...>>(x);
  }
};
inline constexpr permute_dims_function permute_dims{};

/// reshape(x, shape<6, 4>{}): the same elements in row-major order; one extent may be `dyn`, which
/// is then computed.
struct reshape_function {
  template <class X, std::size_t... E>
  constexpr auto operator()(const X& x, shape<E...>) const {
    return detail::apply<ops::reshape, detail::attributes<static_cast<index>(E)...>>(x);
  }
};
inline constexpr reshape_function reshape{};

struct broadcast_to_function {
  template <class X, std::size_t... E>
  constexpr auto operator()(const X& x, shape<E...>) const {
    return detail::apply<ops::broadcast_to, detail::attributes<static_cast<index>(E)...>>(x);
  }
};
/// broadcast_to(x, shape<2, 3>{}): NumPy's broadcasting, asked for.
inline constexpr broadcast_to_function broadcast_to{};

/// expand_dims(x, axis<0>): new axes of extent 1, at these positions of the result.
struct expand_dims_function {
  template <class X, index... A>
  constexpr auto operator()(const X& x, axis_t<A...>) const {
    return detail::apply<ops::expand_dims, detail::attributes<A...>>(x);
  }
};
inline constexpr expand_dims_function expand_dims{};

/// squeeze(x, axis<0>): drops axes of extent 1.
struct squeeze_function {
  template <class X, index... A>
  constexpr auto operator()(const X& x, axis_t<A...>) const {
    return detail::apply<ops::squeeze, detail::attributes<A...>>(x);
  }
};
inline constexpr squeeze_function squeeze{};

namespace detail {

/// A section as attributes; other ways to say "the whole axis" specialise this.
template <class Section>
struct section_attributes;
template <index Start, index Stop, index Step>
struct section_attributes<section_t<Start, Stop, Step>> {
  static constexpr index value[3] = {Start, Stop, Step};
};

// Attributes that follow from the operand's rank: F{}(rank) gives them.
struct attribute_values {
  int count = 0;
  index value[3 * max_rank] = {};
  constexpr void push_back(index v) { value[count++] = v; }
};

template <class Op, class F, class X, std::size_t... I>
constexpr auto apply_computed(const X& x, std::index_sequence<I...>) {
  return apply<Op, attributes<F{}(rank_of<X>).value[I]...>>(x);
}
template <class Op, class X, class F>
constexpr auto apply_computed(const X& x, F) {
  if constexpr (is_any<X>) {
    const attribute_values a = F{}(x.rank());
    return apply_values<Op>({a.value, static_cast<std::size_t>(a.count)}, x);
  } else {
    return apply_computed<Op, F>(
        x, std::make_index_sequence<static_cast<std::size_t>(F{}(rank_of<X>).count)>{});
  }
}

}  // namespace detail

/// slice(x, section<1>, all, section<0, -1, 2>): Python's x[1:, :, 0:-1:2]. Axes that are not
/// mentioned stay whole.
struct slice_function {
  template <class X, class... Section>
  constexpr auto operator()(const X& x, Section...) const {
    return detail::apply_computed<ops::slice>(x, [](int) {
      detail::attribute_values a;
      (..., [&] {
        for (index v : detail::section_attributes<Section>::value) a.push_back(v);
      }());
      return a;
    });
  }
};
inline constexpr slice_function slice{};

/// flip(x, axis<0>): the elements of these axes in reverse; without axes, of all.
struct flip_function {
  template <class X, index... A>
  constexpr auto operator()(const X& x, axis_t<A...>) const {
    return detail::apply_computed<ops::slice>(x, [](int rank) {
      detail::attribute_values a;
      for (int i = 0; i < rank; ++i) {
        const bool flipped = sizeof...(A) == 0 || ((ops::detail::normal_axis(A, rank) == i) || ...);
        a.push_back(flipped ? end : 0);
        a.push_back(end);
        a.push_back(flipped ? -1 : 1);
      }
      return a;
    });
  }
  template <class X>
  constexpr auto operator()(const X& x) const {
    return (*this)(x, axis<>);
  }
};
inline constexpr flip_function flip{};

/// transpose(x): the axes in reverse order, as NumPy's x.T.
struct transpose_function {
  template <class X>
  constexpr auto operator()(const X& x) const {
    return detail::apply_computed<ops::permute_dims>(x, [](int rank) {
      detail::attribute_values a;
      for (int i = rank; i > 0; --i) a.push_back(i - 1);
      return a;
    });
  }
};
inline constexpr transpose_function transpose{};

/// matrix_transpose(x): the last two axes exchanged.
struct matrix_transpose_function {
  template <class X>
  constexpr auto operator()(const X& x) const {
    return detail::apply_computed<ops::permute_dims>(x, [](int rank) {
      detail::attribute_values a;
      for (int i = 0; i < rank; ++i) a.push_back(i < rank - 2 ? i : 2 * rank - 3 - i);
      return a;
    });
  }
};
inline constexpr matrix_transpose_function matrix_transpose{};

/// concat(axis<0>, a, b, ...): side by side along an existing axis.
struct concat_function {
  template <index A, class... X>
  constexpr auto operator()(axis_t<A>, const X&... x) const {
    return detail::apply<ops::concat, detail::attributes<A>>(x...);
  }
};
inline constexpr concat_function concat{};

/// stack(axis<0>, a, b, ...): side by side along a new axis.
struct stack_function {
  template <index A, class... X>
  constexpr auto operator()(axis_t<A>, const X&... x) const {
    return concat(axis<A>, expand_dims(x, axis<A>)...);
  }
};
inline constexpr stack_function stack{};

}  // namespace tfgraph
