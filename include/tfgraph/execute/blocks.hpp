// Operators on blocks of elements: what the dynamic executor calls. Each function is made for one
// operator and element type, where a program asks for it with `provide_blocks`.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/execute/kernels/matmul.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/define.hpp>

#include <type_traits>

namespace tfgraph::execute {
namespace detail {

using tfgraph::detail::from_bits;
using tfgraph::detail::to_bits;

/// So many times an operand stands in memory that is one element (a step of 0).
inline constexpr int repeated_lanes = 64;

/// Lanes of an operator's operands (T) and result (R), and how they come from memory and go there.
template <class T, class R>
struct block_lanes {
  // Masks are kept in the form that the widest elements give.
  static constexpr std::size_t widest = sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R);
  using mask_element = element_t<widest == 8   ? dtype::float64
                                 : widest == 4 ? dtype::float32
                                 : widest == 2 ? dtype::int16
                                               : dtype::int8>;
  static constexpr int count = simd::native_lanes<mask_element>;

  template <class E>
  using lane_t = std::conditional_t<std::is_same_v<E, bool>, simd::mask<mask_element, count>,
                                    simd::batch<E, count>>;

  template <class V>
  static lane_t<R> as_result(V v) {
    if constexpr (std::is_same_v<R, bool>) return simd::mask_cast<mask_element>(v);
    else return v;
  }
  template <class V>
  static void store(V v, R* p) {
    as_result(v).store(p);
  }
  template <class V>
  static void store_partial(V v, R* p, int n) {
    as_result(v).store_partial(p, n);
  }
};

template <class Op, class T, int K>
using operand_element = std::conditional_t<(K < Op::conditions), bool, T>;

/// One operand of a block. `Step` is 1 if all operands of the block lie one after the other, else
/// it is a number of the block.
template <class E, class Lane, class Step>
struct block_operand {
  const E* first;
  [[no_unique_address]] Step step;
  [[gnu::always_inline]] Lane at(index i) const { return Lane::load(first + i * step); }
  /// The elements from i to the last. With `Partial`, the other lanes get the first of them, so
  /// that they throw only what it does.
  template <bool Partial>
  [[nodiscard]] Lane last(index i, index count) const {
    if (step == 0) return Lane::load(first);
    if constexpr (!Partial) {
      return Lane::load_partial(first + i, static_cast<int>(count - i));
    } else {
      E lane[Lane::size];
      for (index l = 0; l < Lane::lanes; ++l) lane[l] = first[i + l < count ? i + l : i];
      return Lane::load(lane);
    }
  }
};
using step_of_one = std::integral_constant<index, 1>;
template <class Step>
Step step_as(index step) {
  if constexpr (std::is_same_v<Step, index>) return step;
  else return {};
}

template <class Op, class T, class R, class Step, int... K>
void apply_block(const block& b, std::integer_sequence<int, K...>) {
  using lanes = block_lanes<T, R>;
  constexpr index W = lanes::count;
  [[maybe_unused]] const std::span<const index> attributes = b.attributes;
  const auto apply = [&](const auto&... x) {
    if constexpr (Op::takes_type) return Op::template apply_to<R>(x...);
    else if constexpr (Op::takes_attributes) return Op::apply(attributes, x...);
    else return Op::apply(x...);
  };
  // Everything is copied before the loop, since what is stored might be anything.
  const auto run = [&apply](R* out, index count, auto... operand) {
    index i = 0;
    for (; i + W <= count; i += W) lanes::store(apply(operand.at(i)...), out + i);
    if (i == count) return;
    constexpr bool partial = Op::partial && std::is_integral_v<T>;
    lanes::store_partial(apply(operand.template last<partial>(i, count)...), out + i,
                         static_cast<int>(count - i));
  };
  run(static_cast<R*>(b.result), b.count,
      block_operand<operand_element<Op, T, K>,
                    typename lanes::template lane_t<operand_element<Op, T, K>>, Step>{
          static_cast<const operand_element<Op, T, K>*>(b.operand[K]),
          step_as<Step>(b.step[K])}...);
}

template <class Op, class T, class R, int... K>
void apply_block(const block& b, std::integer_sequence<int, K...> operands) {
  if (((b.step[K] == 1) && ...)) apply_block<Op, T, R, step_of_one>(b, operands);
  else apply_block<Op, T, R, index>(b, operands);
}

template <class Op, class T>
void apply_block(const block& b) {
  constexpr auto operands = std::make_integer_sequence<int, Op::arity>{};
  if constexpr (Op::takes_type)
    tfgraph::detail::visit_dtype(Op::result_type(b.attributes),
                                 [&]<class R>(R) { apply_block<Op, T, R>(b, operands); });
  else apply_block<Op, T, std::conditional_t<Op::predicate, bool, T>>(b, operands);
}

// ---- reductions -------------------------------------------------------------------------------

template <class Op, class T>
struct reduction_lanes {
  using lanes = block_lanes<T, T>;
  using V = typename lanes::template lane_t<T>;
  static constexpr int W = lanes::count;
  static constexpr int all = static_cast<int>(reduction_order::lanes(sizeof(T)));
  static V combine(V a, V b) { return Op::combine::apply(a, b); }
};

template <class Op, class T>
void accumulate_block(void* lane, const void* x, index count) {
  using r = reduction_lanes<Op, T>;
  constexpr int W = r::W;
  constexpr int registers = r::all / W;
  T* const out = static_cast<T*>(lane);
  const T* from = static_cast<const T*>(x);
  typename r::V sum[std::size_t{registers}];
  for (int a = 0; a < registers; ++a) sum[a] = r::V::load(out + a * W);
  for (; count >= r::all; count -= r::all, from += r::all)
    for (int a = 0; a < registers; ++a) sum[a] = r::combine(sum[a], r::V::load(from + a * W));
  if (count > 0) {
    T rest[std::size_t{r::all}];
    for (int i = 0; i < r::all; ++i) rest[i] = i < count ? from[i] : Op::template identity<T>();
    for (int a = 0; a < registers; ++a) sum[a] = r::combine(sum[a], r::V::load(rest + a * W));
  }
  for (int a = 0; a < registers; ++a) sum[a].store(out + a * W);
}

template <class Op, class T>
element_bits fold_block(void* lane) {
  T* const x = static_cast<T*>(lane);
  constexpr auto element_type = dtype_of<T>;
  for (int half = reduction_lanes<Op, T>::all / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) {
      const element_bits pair[2] = {to_bits(x[i]), to_bits(x[i + half])};
      x[i] = from_bits<T>(
          ops::detail::apply_element<typename Op::combine>(element_type, element_type, {}, pair));
    }
  return to_bits(x[0]);
}

template <class Op, class T>
void find_block(const void* x, index stride, index count, index first, void* best, index* where) {
  using V = simd::batch<T, 1>;
  const T* const from = static_cast<const T*>(x);
  T leader = *static_cast<T*>(best);
  for (index i = 0; i < count; ++i)
    if (Op::compare::apply(V(from[i * stride]), V(leader)).get(0)) {
      leader = from[i * stride];
      *where = first + i;
    }
  *static_cast<T*>(best) = leader;
}

// ---- products ---------------------------------------------------------------------------------

template <class T>
void multiply_block(const block_product& p) {
  const T* const a = static_cast<const T*>(p.left);
  const T* const b = static_cast<const T*>(p.right);
  T* const out = static_cast<T*>(p.out);
  if constexpr (std::is_floating_point_v<T>) {
    kernels::matmul(kernels::matrix<T>{a, p.left_row, p.left_depth},
                    kernels::matrix<T>{b, p.right_depth, p.right_column}, p.rows, p.columns,
                    p.depth, [&]<int W>(index i, index j, simd::batch<T, W> v, int n) {
                      T* const to = out + i * p.out_row + j;
                      if (n >= W) v.store(to);
                      else v.store_partial(to, n);
                    });
  } else {
    // Integers wrap, so their order is free.
    using U = std::make_unsigned_t<T>;
    for (index i = 0; i < p.rows; ++i) {
      T* const row = out + i * p.out_row;
      for (index j = 0; j < p.columns; ++j) row[j] = 0;
      for (index k = 0; k < p.depth; ++k) {
        const auto x =
            static_cast<std::uint64_t>(static_cast<U>(a[i * p.left_row + k * p.left_depth]));
        const T* const column = b + k * p.right_depth;
        for (index j = 0; j < p.columns; ++j)
          row[j] = static_cast<T>(static_cast<U>(
              static_cast<U>(row[j]) +
              x * static_cast<std::uint64_t>(static_cast<U>(column[j * p.right_column]))));
      }
    }
  }
}

template <class Op, class T>
constexpr block_functions make_block_functions() {
  block_functions f{};
  if constexpr (Op::kind == operation_kind::elementwise) f.apply = &apply_block<Op, T>;
  if constexpr (requires { typename Op::combine; }) {
    f.apply = &apply_block<typename Op::combine, T>;
    f.accumulate = &accumulate_block<Op, T>;
    f.fold = &fold_block<Op, T>;
  }
  if constexpr (requires { typename Op::compare; }) f.find = &find_block<Op, T>;
  if constexpr (Op::kind == operation_kind::contraction) f.multiply = &multiply_block<T>;
  return f;
}
template <class Op, class T>
inline constexpr block_functions block_functions_of = make_block_functions<Op, T>();

/// Whether an operator is computed from elements, so that it has functions on blocks, for operands
/// of element type T.
template <class Op, class T>
constexpr bool has_blocks() {
  if constexpr (Op::kind == operation_kind::elementwise || Op::kind == operation_kind::reduction)
    return ops::contains(Op::operands, dtype_of<T>);
  else return Op::kind == operation_kind::contraction && !std::is_same_v<T, bool>;
}

}  // namespace detail

/// Makes the dynamic executor have the functions of an operator for operands of element type T, or
/// of all element types that it takes.
template <class Op, class T>
void provide_blocks() {
  if constexpr (detail::has_blocks<Op, T>())
    ops::detail::blocks_of<Op>.of_type[static_cast<int>(dtype_of<T>)].store(
        &detail::block_functions_of<Op, T>, std::memory_order_release);
}
template <class Op>
void provide_blocks() {
  [&]<std::size_t... T>(std::index_sequence<T...>) {
    (provide_blocks<Op, element_t<static_cast<dtype>(T)>>(), ...);
  }(std::make_index_sequence<dtype_count>{});
}

}  // namespace tfgraph::execute

namespace tfgraph::detail {

template <class Op>
struct dynamic_operator {
  /// For operands of these element types; without any, for all that the operator takes.
  template <class... T>
  static void provide() {
    if constexpr (sizeof...(T) == 0) execute::provide_blocks<Op>();
    else (execute::provide_blocks<Op, T>(), ...);
  }
};

}  // namespace tfgraph::detail
