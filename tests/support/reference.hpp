// What tests compare with: plain loops over tensors, written without the library's operators.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/element.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/simd/batch.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace tfgraph::test {

// ---- comparing ----------------------------------------------------------------------------------

/// Equal bits, or both NaN.
template <class T>
[[nodiscard]] constexpr bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a != a || b != b) return a != a && b != b;
  return detail::to_bits(a) == detail::to_bits(b);
}
template <class T, std::size_t... E>
[[nodiscard]] constexpr bool same(const tensor<T, E...>& a, const tensor<T, E...>& b) {
  if (!(extents_of(a) == extents_of(b))) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a.data()[i], b.data()[i])) return false;
  return true;
}

// ---- making -------------------------------------------------------------------------------------

template <class T, class Shape>
struct tensor_type_of;
template <class T, std::size_t... E>
struct tensor_type_of<T, shape<E...>> {
  using type = tensor<T, E...>;
};
/// tensor<T, 2, 3> for shape<2, 3>.
template <class T, class Shape>
using tensor_of = typename tensor_type_of<T, Shape>::type;

/// Small whole numbers without a pattern, of both signs where T has them (sums and products of a few
/// are exact in every type and order); of booleans, true and false.
template <class Tensor>
[[nodiscard]] constexpr Tensor numbers(int seed = 0) {
  using T = typename Tensor::value_type;
  Tensor x;
  auto state = static_cast<unsigned>(seed) * 2654435761u + 12345u;
  for (T& e : x) {
    state = state * 1664525u + 1013904223u;
    const int n = static_cast<int>(state >> 16) % 9;
    if constexpr (std::is_same_v<T, bool>) e = n % 2 != 0;
    else e = static_cast<T>(std::is_signed_v<T> ? n - 4 : n);
  }
  return x;
}

/// The same, without zero.
template <class Tensor>
[[nodiscard]] constexpr Tensor nonzero_numbers(int seed = 0) {
  using T = typename Tensor::value_type;
  auto x = numbers<Tensor>(seed);
  for (T& e : x)
    if (e == T(0)) e = T(3);
  return x;
}

/// Values that operators get wrong if anywhere: the ends of the range, zeros of both signs, NaN, ...
template <class T>
[[nodiscard]] constexpr auto special_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) return std::array<bool, 2>{false, true};
  else if constexpr (std::is_floating_point_v<T>)
    return std::array<T, 18>{limits::quiet_NaN(), limits::infinity(), -limits::infinity(),
                             T(0), T(-0.0), limits::denorm_min(), -limits::denorm_min(),
                             limits::min(), -limits::min(), limits::max(), limits::lowest(),
                             T(1), T(-1), T(0.5), T(2.5), T(-1.5), limits::epsilon(), T(100)};
  else if constexpr (std::is_signed_v<T>)
    return std::array<T, 9>{0, 1, -1, 2, -3, limits::min(), limits::max(), limits::min() + 1,
                            limits::max() - 1};
  else return std::array<T, 7>{0, 1, 2, 3, limits::max(), limits::max() - 1, limits::max() / 2 + 1};
}

/// The special values in turn, the first at position `shift`: over all shifts, every one of them comes
/// to every place.
template <class Tensor>
[[nodiscard]] constexpr Tensor specials(std::size_t shift, std::size_t stride = 1) {
  constexpr auto values = special_values<typename Tensor::value_type>();
  Tensor x;
  std::size_t i = shift;
  for (auto& e : x) {
    e = values[i % values.size()];
    i += stride;
  }
  return x;
}

/// Extents around the lanes of the widest register for T.
template <class T>
inline constexpr std::size_t lanes = static_cast<std::size_t>(
    simd::native_lanes<std::conditional_t<std::is_same_v<T, bool>, std::int8_t, T>>);

// ---- positions ----------------------------------------------------------------------------------

/// The position of element `flat` of a row-major tensor.
[[nodiscard]] constexpr std::array<index, max_rank> position_of(std::size_t flat, const extents& e) {
  std::array<index, max_rank> p{};
  auto rest = static_cast<index>(flat);
  for (int i = e.rank - 1; i >= 0; --i) {
    p[static_cast<std::size_t>(i)] = rest % e[i];
    rest /= e[i];
  }
  return p;
}
/// And back; an axis of extent 1 has one position whatever is asked, missing leading axes none.
[[nodiscard]] constexpr std::size_t flat_of(const std::array<index, max_rank>& p, int rank,
                                            const extents& e) {
  index flat = 0;
  for (int i = 0; i < e.rank; ++i)
    flat = flat * e[i] + (e[i] == 1 ? 0 : p[static_cast<std::size_t>(rank - e.rank + i)]);
  return static_cast<std::size_t>(flat);
}

/// A scalar or an element of a tensor under broadcasting.
template <class X>
[[nodiscard]] constexpr auto element_at(const X& x, const std::array<index, max_rank>& p, int rank) {
  if constexpr (std::is_arithmetic_v<X>) return x;
  else return x.data()[flat_of(p, rank, X::shape_type::value)];
}

// ---- operators ----------------------------------------------------------------------------------

/// f of the operands' elements, which broadcast to Result.
template <class Result, class F, class... X>
[[nodiscard]] constexpr Result elementwise(F f, const X&... x) {
  if constexpr (std::is_arithmetic_v<Result>) return static_cast<Result>(f(element_at(x, {}, 0)...));
  else {
    constexpr extents e = Result::shape_type::value;
    Result y;
    for (std::size_t i = 0; i < y.size(); ++i)
      y.data()[i] =
          static_cast<typename Result::value_type>(f(element_at(x, position_of(i, e), e.rank)...));
    return y;
  }
}

/// Elements combined along the axes for which `reduced` says so, one after the other from `start`.
template <class Result, class X, class F>
[[nodiscard]] constexpr Result reduce(const X& x, const std::array<bool, max_rank>& reduced,
                                      typename X::value_type start, F f) {
  using T = typename X::value_type;
  constexpr extents e = X::shape_type::value;
  extents kept;
  for (int i = 0; i < e.rank; ++i)
    kept.push_back(reduced[static_cast<std::size_t>(i)] ? 1 : e[i]);
  tensor<T, dyn> sums(kept.size());
  sums.fill(start);
  for (std::size_t i = 0; i < x.size(); ++i) {
    T& sum = sums.data()[flat_of(position_of(i, e), e.rank, kept)];
    sum = static_cast<T>(f(sum, x.data()[i]));
  }
  if constexpr (std::is_arithmetic_v<Result>) return sums.data()[0];
  else {
    Result y;
    for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = sums.data()[i];
    return y;
  }
}

/// Element i of the result is element from(position) of x: movement in one line.
template <class Result, class X, class F>
[[nodiscard]] constexpr Result moved(const X& x, F from) {
  Result y;
  constexpr extents e = Result::shape_type::value;
  for (std::size_t i = 0; i < y.size(); ++i)
    y.data()[i] = x.data()[flat_of(from(position_of(i, e)), X::rank, X::shape_type::value)];
  return y;
}

}  // namespace tfgraph::test
