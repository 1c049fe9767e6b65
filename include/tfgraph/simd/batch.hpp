// batch<T, W> and mask<T, W>: W lanes of T, from a constexpr scalar (W == 1) to several registers,
// and what every element type can do: memory, arithmetic, comparison, selection, conversion,
// reduction.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/masked.hpp>
#include <tfgraph/simd/scalar.hpp>
#include <tfgraph/simd/xsimd.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tfgraph::simd {

template <class T, int W>
struct batch;
template <class T, int W>
struct mask;

/// Lanes of the widest register for T that the compile flags allow; 1 if there is none.
template <class T>
inline constexpr int native_lanes = [] {
  int lanes = 1;
  if constexpr (detail::has_register<T, int(16 / sizeof(T))>) lanes = int(16 / sizeof(T));
  if constexpr (detail::has_register<T, int(32 / sizeof(T))>) lanes = int(32 / sizeof(T));
  if constexpr (detail::has_register<T, int(64 / sizeof(T))>) lanes = int(64 / sizeof(T));
  return lanes;
}();

namespace detail {

// A batch is stored in one of three forms: a scalar, a register, or two halves (where no register
// has this size). In memory all three are T[W].
template <class Half>
struct halves {
  Half low, high;
};

template <class T, int W>
struct storage {
  using batch = halves<simd::batch<T, W / 2>>;
  using mask = halves<simd::mask<T, W / 2>>;
};
template <class T, int W>
  requires(W > 1 && has_register<T, W>)
struct storage<T, W> {
  using batch = register_of<T, W>;
  using mask = mask_of<T, W>;
};
template <class T>
struct storage<T, 1> {
  using batch = T;
  using mask = bool;
};

template <class Result, class F, class... Batch>
Result by_halves(F f, Batch... b) {
  return Result({f(b.value.low...), f(b.value.high...)});
}

// The compilers' own vector type: it converts, multiplies and shifts every element type well at
// every width.
template <class T, int W>
struct vector {
  typedef T type __attribute__((vector_size(W * sizeof(T))));
};

template <class T, int W>
using vector_of = typename vector<T, W>::type;

}  // namespace detail

template <class T>
concept integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept floating = std::is_floating_point_v<T>;

/// W lanes of T; W is a power of two. batch<T, 1> is the scalar, and everything on it is constexpr.
template <class T, int W>
struct batch {
  static_assert(W >= 1 && (W & (W - 1)) == 0, "the number of lanes is a power of two");

  using value_type = T;
  using mask_type = mask<T, W>;
  using storage = typename detail::storage<T, W>::batch;
  static constexpr int lanes = W;
  static constexpr std::size_t size = W;  // the same number, for arrays
  static constexpr bool is_scalar = W == 1;
  static constexpr bool is_register = W > 1 && detail::has_register<T, W>;

  storage value;

  batch() = default;
  explicit constexpr batch(T x)
    requires(is_scalar || is_register)
      : value(x) {}
  explicit constexpr batch(T x)
    requires(!is_scalar && !is_register)
      : value{half(x), half(x)} {}
  explicit batch(storage x)
    requires(!is_scalar)
      : value(x) {}

  static constexpr batch load(const T* p) {
    if constexpr (is_scalar) return batch(*p);
    else if constexpr (is_register) return batch(storage::load_unaligned(p));
    else return batch(storage{half::load(p), half::load(p + W / 2)});
  }

  /// The first n lanes from memory, zero in the others. Nothing beyond p[n - 1] is read.
  static constexpr batch load_partial(const T* p, int n) {
    if constexpr (is_register && detail::has_masked_memory)
      return std::bit_cast<batch>(
          detail::masked_load<sizeof(T), sizeof(T) * W>(p, detail::first_bits(n)));
    T lane[size]{};
    for (int i = 0; i < n && i < W; ++i) lane[i] = p[i];
    return load(lane);
  }

  static constexpr batch load_strided(const T* p, std::ptrdiff_t stride) {
    T lane[size]{};
    for (int i = 0; i < W; ++i) lane[i] = p[i * stride];
    return load(lane);
  }

  /// 0, 1, 2, ...
  static constexpr batch iota() {
    T lane[size]{};
    for (int i = 0; i < W; ++i) lane[i] = static_cast<T>(i);
    return load(lane);
  }

  constexpr void store(T* p) const {
    if constexpr (is_scalar) {
      *p = value;
    } else if constexpr (is_register) {
      value.store_unaligned(p);
    } else {
      value.low.store(p);
      value.high.store(p + W / 2);
    }
  }

  constexpr void store_partial(T* p, int n) const {
    if constexpr (is_register && detail::has_masked_memory)
      return detail::masked_store<sizeof(T)>(p, detail::first_bits(n), value.data);
    T lane[size]{};
    store(lane);
    for (int i = 0; i < n && i < W; ++i) p[i] = lane[i];
  }

  constexpr T get(int lane) const {
    T x[size]{};
    store(x);
    return x[lane];
  }

 private:
  using half = batch<T, (W > 1 ? W / 2 : 1)>;
};

/// W truth values, in the form that comparisons of batch<T, W> yield. mask<T, 1> is a bool.
template <class T, int W>
struct mask {
  using value_type = T;
  using storage = typename detail::storage<T, W>::mask;
  static constexpr int lanes = W;
  static constexpr std::size_t size = W;  // the same number, for arrays
  static constexpr bool is_scalar = W == 1;
  static constexpr bool is_register = batch<T, W>::is_register;

  storage value;

  mask() = default;
  explicit constexpr mask(bool x)
    requires(is_scalar || is_register)
      : value(x) {}
  explicit constexpr mask(bool x)
    requires(!is_scalar && !is_register)
      : value{half(x), half(x)} {}
  explicit mask(storage x)
    requires(!is_scalar)
      : value(x) {}

  static constexpr mask load(const bool* p);
  static constexpr mask load_partial(const bool* p, int n) {
    bool lane[size]{};
    for (int i = 0; i < n && i < W; ++i) lane[i] = p[i];
    return load(lane);
  }
  static constexpr mask load_strided(const bool* p, std::ptrdiff_t stride) {
    bool lane[size]{};
    for (int i = 0; i < W; ++i) lane[i] = p[i * stride];
    return load(lane);
  }
  constexpr void store(bool* p) const;
  constexpr void store_partial(bool* p, int n) const {
    bool lane[size]{};
    store(lane);
    for (int i = 0; i < n && i < W; ++i) p[i] = lane[i];
  }
  constexpr bool get(int lane) const {
    bool x[size]{};
    store(x);
    return x[lane];
  }

 private:
  using half = mask<T, (W > 1 ? W / 2 : 1)>;
};

// ---- arithmetic. Integers wrap; floats round to nearest. ----

template <class T, int W>
constexpr batch<T, W> operator+(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) {
    if constexpr (integer<T>)
      return batch<T, 1>(static_cast<T>(static_cast<std::uint64_t>(a.value) +
                                        static_cast<std::uint64_t>(b.value)));
    else if (std::is_constant_evaluated())
      return batch<T, 1>(scalar::add_constant(a.value, b.value));
    else return batch<T, 1>(a.value + b.value);
  } else if constexpr (a.is_register) {
    return batch<T, W>(a.value + b.value);
  } else {
    return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x + y; }, a, b);
  }
}

template <class T, int W>
constexpr batch<T, W> operator-(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) {
    if constexpr (integer<T>)
      return batch<T, 1>(static_cast<T>(static_cast<std::uint64_t>(a.value) -
                                        static_cast<std::uint64_t>(b.value)));
    else if (std::is_constant_evaluated())
      return batch<T, 1>(
          scalar::add_constant(a.value, scalar::with_sign(b.value, !scalar::sign_bit(b.value))));
    else return batch<T, 1>(a.value - b.value);
  } else if constexpr (a.is_register) {
    return batch<T, W>(a.value - b.value);
  } else {
    return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x - y; }, a, b);
  }
}

/// Never contracted: a product of floats is rounded before anything else is done with it.
template <class T, int W>
constexpr batch<T, W> operator*(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) {
    if constexpr (integer<T>)
      return batch<T, 1>(static_cast<T>(static_cast<std::uint64_t>(a.value) *
                                        static_cast<std::uint64_t>(b.value)));
    else if (std::is_constant_evaluated())
      return batch<T, 1>(scalar::multiply_constant(a.value, b.value));
    else return batch<T, 1>(detail::opaque(a.value * b.value));
  } else if constexpr (integer<T> && a.is_register) {
    using bits = scalar::unsigned_of<T>;
    return __builtin_bit_cast(batch<T, W>, __builtin_bit_cast(detail::vector_of<bits, W>, a) *
                                               __builtin_bit_cast(detail::vector_of<bits, W>, b));
  } else if constexpr (a.is_register) {
    return batch<T, W>(detail::product(a.value, b.value));
  } else {
    return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x * y; }, a, b);
  }
}

template <floating T, int W>
constexpr batch<T, W> operator/(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) {
    if (std::is_constant_evaluated()) return batch<T, 1>(scalar::divide_constant(a.value, b.value));
    return batch<T, 1>(a.value / b.value);
  } else if constexpr (a.is_register) {
    return batch<T, W>(a.value / b.value);
  } else {
    return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x / y; }, a, b);
  }
}

// ---- bits of integers ----

template <integer T, int W>
constexpr batch<T, W> operator&(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) return batch<T, 1>(static_cast<T>(a.value & b.value));
  else if constexpr (a.is_register) return batch<T, W>(a.value & b.value);
  else return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x & y; }, a, b);
}

template <integer T, int W>
constexpr batch<T, W> operator|(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) return batch<T, 1>(static_cast<T>(a.value | b.value));
  else if constexpr (a.is_register) return batch<T, W>(a.value | b.value);
  else return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x | y; }, a, b);
}

template <integer T, int W>
constexpr batch<T, W> operator^(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) return batch<T, 1>(static_cast<T>(a.value ^ b.value));
  else if constexpr (a.is_register) return batch<T, W>(a.value ^ b.value);
  else return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x ^ y; }, a, b);
}

template <integer T, int W>
constexpr batch<T, W> operator~(batch<T, W> a) {
  if constexpr (W == 1) return batch<T, 1>(static_cast<T>(~a.value));
  else if constexpr (a.is_register) return batch<T, W>(~a.value);
  else return detail::by_halves<batch<T, W>>([](auto x) { return ~x; }, a);
}

/// Shifts by 0 up to the number of bits less one, lane by lane; >> of signed integers keeps the
/// sign.
template <integer T, int W>
constexpr batch<T, W> operator<<(batch<T, W> a, batch<T, W> n) {
  using bits = scalar::unsigned_of<T>;
  if constexpr (W == 1)
    return batch<T, 1>(static_cast<T>(static_cast<std::uint64_t>(a.value) << n.value));
  else if constexpr (a.is_register)
    return __builtin_bit_cast(batch<T, W>,
                              __builtin_bit_cast(detail::vector_of<bits, W>, a)
                                  << __builtin_bit_cast(detail::vector_of<bits, W>, n));
  else return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x << y; }, a, n);
}

template <integer T, int W>
constexpr batch<T, W> operator>>(batch<T, W> a, batch<T, W> n) {
  if constexpr (W == 1) return batch<T, 1>(static_cast<T>(a.value >> n.value));
  else if constexpr (a.is_register)
    return __builtin_bit_cast(batch<T, W>, __builtin_bit_cast(detail::vector_of<T, W>, a) >>
                                               __builtin_bit_cast(detail::vector_of<T, W>, n));
  else return detail::by_halves<batch<T, W>>([](auto x, auto y) { return x >> y; }, a, n);
}

/// The same bits as another type of the same size.
template <class U, class T, int W>
  requires(sizeof(U) == sizeof(T))
constexpr batch<U, W> bit_cast_to(batch<T, W> x) {
  if constexpr (x.is_scalar || x.is_register || batch<U, W>::is_register)
    return std::bit_cast<batch<U, W>>(x);
  else return detail::by_halves<batch<U, W>>([](auto h) { return bit_cast_to<U>(h); }, x);
}

// ---- masks ----

template <class T, int W>
constexpr mask<T, W> operator&(mask<T, W> a, mask<T, W> b) {
  if constexpr (W == 1) return mask<T, 1>(a.value && b.value);
  else if constexpr (a.is_register) return mask<T, W>(a.value & b.value);
  else return detail::by_halves<mask<T, W>>([](auto x, auto y) { return x & y; }, a, b);
}

template <class T, int W>
constexpr mask<T, W> operator|(mask<T, W> a, mask<T, W> b) {
  if constexpr (W == 1) return mask<T, 1>(a.value || b.value);
  else if constexpr (a.is_register) return mask<T, W>(a.value | b.value);
  else return detail::by_halves<mask<T, W>>([](auto x, auto y) { return x | y; }, a, b);
}

template <class T, int W>
constexpr mask<T, W> operator^(mask<T, W> a, mask<T, W> b) {
  if constexpr (W == 1) return mask<T, 1>(a.value != b.value);
  else if constexpr (a.is_register) return mask<T, W>(detail::exclusive_or(a.value, b.value));
  else return detail::by_halves<mask<T, W>>([](auto x, auto y) { return x ^ y; }, a, b);
}

template <class T, int W>
constexpr mask<T, W> operator~(mask<T, W> a) {
  if constexpr (W == 1) return mask<T, 1>(!a.value);
  else if constexpr (a.is_register) return mask<T, W>(~a.value);
  else return detail::by_halves<mask<T, W>>([](auto x) { return ~x; }, a);
}

template <class T, int W>
constexpr bool any(mask<T, W> m) {
  if constexpr (W == 1) return m.value;
  else if constexpr (m.is_register) return detail::any(m.value);
  else return any(m.value.low | m.value.high);
}

template <class T, int W>
constexpr bool all(mask<T, W> m) {
  if constexpr (W == 1) return m.value;
  else if constexpr (m.is_register) return detail::all(m.value);
  else return all(m.value.low & m.value.high);
}

// ---- comparisons, IEEE 754: everything but != is false for NaN ----

template <class T, int W>
constexpr mask<T, W> operator==(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) return mask<T, 1>(a.value == b.value);
  else if constexpr (a.is_register) return mask<T, W>(a.value == b.value);
  else return detail::by_halves<mask<T, W>>([](auto x, auto y) { return x == y; }, a, b);
}

template <class T, int W>
constexpr mask<T, W> operator<(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) return mask<T, 1>(a.value < b.value);
  else if constexpr (a.is_register) return mask<T, W>(a.value < b.value);
  else return detail::by_halves<mask<T, W>>([](auto x, auto y) { return x < y; }, a, b);
}

template <class T, int W>
constexpr mask<T, W> operator<=(batch<T, W> a, batch<T, W> b) {
  if constexpr (W == 1) return mask<T, 1>(a.value <= b.value);
  else if constexpr (a.is_register) return mask<T, W>(a.value <= b.value);
  else return detail::by_halves<mask<T, W>>([](auto x, auto y) { return x <= y; }, a, b);
}

template <class T, int W>
constexpr mask<T, W> operator!=(batch<T, W> a, batch<T, W> b) {
  return ~(a == b);
}

template <class T, int W>
constexpr mask<T, W> operator>(batch<T, W> a, batch<T, W> b) {
  return b < a;
}

template <class T, int W>
constexpr mask<T, W> operator>=(batch<T, W> a, batch<T, W> b) {
  return b <= a;
}

// ---- selection and conversion ----

template <class U, class T, int W>
constexpr mask<U, W> mask_cast(mask<T, W> m);

/// Lane by lane m ? a : b.
template <class M, class T, int W>
constexpr batch<T, W> select(mask<M, W> m, batch<T, W> a, batch<T, W> b) {
  if constexpr (!std::is_same_v<M, T>) return select(mask_cast<T>(m), a, b);
  else if constexpr (W == 1) return m.value ? a : b;
  else if constexpr (a.is_register) return batch<T, W>(detail::chosen(m.value, a.value, b.value));
  else
    return detail::by_halves<batch<T, W>>([](auto c, auto x, auto y) { return select(c, x, y); }, m,
                                          a, b);
}

template <class M, class T, int W>
constexpr mask<T, W> select(mask<M, W> m, mask<T, W> a, mask<T, W> b) {
  const auto c = mask_cast<T>(m);
  return (c & a) | (~c & b);
}

/// 1 where the mask is true, else 0.
template <class U, class T, int W>
constexpr batch<U, W> from_mask(mask<T, W> m) {
  return select(m, batch<U, W>(U(1)), batch<U, W>(U(0)));
}

namespace detail {

template <class U, class T, int W>
batch<U, W> convert_vector(batch<T, W> x) {
  if constexpr (!x.is_register && !batch<U, W>::is_register && W > 2)
    return by_halves<batch<U, W>>([](auto h) { return convert_vector<U>(h); }, x);
  else
    return __builtin_bit_cast(
        batch<U, W>,
        __builtin_convertvector(__builtin_bit_cast(vector_of<T, W>, x), vector_of<U, W>));
}

// Clamped before it is converted, since what the hardware does out of range differs.
template <class U, class T, int W>
batch<U, W> convert_saturating(batch<T, W> x) {
  using limits = std::numeric_limits<U>;
  using B = batch<T, W>;
  constexpr int excess = limits::digits - std::numeric_limits<T>::digits;
  constexpr U largest = excess > 0 ? limits::max() >> (excess > 0 ? excess : 0)
                                                          << (excess > 0 ? excess : 0)
                                   : limits::max();
  const B low(static_cast<T>(limits::min())), high(static_cast<T>(largest));
  B y = select(x < low, low, x);
  y = select(high < y, high, y);
  y = select(x == x, y, B(T(0)));
  if constexpr (sizeof(U) < 4) return convert_vector<U>(convert_vector<std::int32_t>(y));
  const auto z = convert_vector<U>(y);
  if constexpr (excess > 0) return select(high < x, batch<U, W>(limits::max()), z);
  else return z;
}

}  // namespace detail

/// The nearest value of another element type. Integers wrap into narrower integers; floats are cut
/// towards zero and saturate, NaN becomes 0; to bool (a mask): whether the value differs from zero.
template <class U, class T, int W>
constexpr auto cast(batch<T, W> x) {
  if constexpr (std::is_same_v<U, bool>) return x != batch<T, W>(T(0));
  else if constexpr (std::is_same_v<U, T>) return x;
  else if constexpr (W == 1) return batch<U, 1>(scalar::convert<U>(x.value));
  else if constexpr (floating<T> && integer<U>) return detail::convert_saturating<U>(x);
  else return detail::convert_vector<U>(x);
}

template <class U, class T, int W>
constexpr auto cast(mask<T, W> m) {
  if constexpr (std::is_same_v<U, bool>) return m;
  else return from_mask<U>(m);
}

/// The same truth values in the form that comparisons of batch<U, W> yield.
template <class U, class T, int W>
constexpr mask<U, W> mask_cast(mask<T, W> m) {
  if constexpr (std::is_same_v<U, T>) {
    return m;
  } else if constexpr (W == 1) {
    return mask<U, 1>(m.value);
  } else if constexpr (!m.is_register && !mask<U, W>::is_register) {
    return detail::by_halves<mask<U, W>>([](auto h) { return mask_cast<U>(h); }, m);
  } else if constexpr (sizeof(m) == sizeof(mask<U, W>)) {
    return std::bit_cast<mask<U, W>>(m);
  } else {
    using to = scalar::unsigned_of<U>;
    const auto integers = cast<to>(from_mask<scalar::unsigned_of<T>>(m));
    return mask_cast<U>(integers == batch<to, W>(to(1)));
  }
}

template <class T, int W>
constexpr mask<T, W> mask<T, W>::load(const bool* p) {
  if constexpr (W == 1) {
    return mask(*p);
  } else {
    const auto bytes = batch<std::uint8_t, W>::load(reinterpret_cast<const std::uint8_t*>(p));
    return mask_cast<T>(bytes == batch<std::uint8_t, W>(std::uint8_t(1)));
  }
}

template <class T, int W>
constexpr void mask<T, W>::store(bool* p) const {
  if constexpr (W == 1) *p = value;
  else from_mask<std::uint8_t>(*this).store(reinterpret_cast<std::uint8_t*>(p));
}

// ---- simple functions of every element type ----

template <class T, int W>
constexpr batch<T, W> operator-(batch<T, W> x) {
  if constexpr (integer<T>) {
    return batch<T, W>(T(0)) - x;
  } else {
    using bits = scalar::unsigned_of<T>;
    return bit_cast_to<T>(bit_cast_to<bits>(x) ^ batch<bits, W>(scalar::format<T>::sign));
  }
}

template <class T, int W>
constexpr batch<T, W> neg(batch<T, W> x) {
  return -x;
}

/// |x|; of the smallest signed integer: itself.
template <class T, int W>
constexpr batch<T, W> abs(batch<T, W> x) {
  if constexpr (floating<T>) {
    using bits = scalar::unsigned_of<T>;
    return bit_cast_to<T>(bit_cast_to<bits>(x) & batch<bits, W>(bits(~scalar::format<T>::sign)));
  } else if constexpr (std::is_signed_v<T>) {
    return select(x < batch<T, W>(T(0)), -x, x);
  } else {
    return x;
  }
}

/// -1, 0 or 1; NaN for NaN.
template <class T, int W>
constexpr batch<T, W> sign(batch<T, W> x) {
  // A zero keeps its sign, and NaN stays NaN.
  const batch<T, W> zero(T(0)), one(T(1));
  const auto result = select(zero < x, one, x);
  if constexpr (std::is_signed_v<T>) return select(x < zero, -one, result);
  else return result;
}

/// The larger one; NaN if either is NaN; max(-0, +0) is +0.
template <class T, int W>
constexpr batch<T, W> max(batch<T, W> a, batch<T, W> b) {
  const auto larger = select(a < b, b, a);
  if constexpr (integer<T>) {
    return larger;
  } else {
    using bits = scalar::unsigned_of<T>;
    const auto both = bit_cast_to<T>(bit_cast_to<bits>(a) & bit_cast_to<bits>(b));
    return select(b == b, select(a == b, both, larger), b);
  }
}

/// The smaller one; NaN if either is NaN; min(-0, +0) is -0.
template <class T, int W>
constexpr batch<T, W> min(batch<T, W> a, batch<T, W> b) {
  const auto smaller = select(b < a, b, a);
  if constexpr (integer<T>) {
    return smaller;
  } else {
    using bits = scalar::unsigned_of<T>;
    const auto either = bit_cast_to<T>(bit_cast_to<bits>(a) | bit_cast_to<bits>(b));
    return select(b == b, select(a == b, either, smaller), b);
  }
}

/// min(max(x, low), high): NaN if any of the three is NaN.
template <class T, int W>
constexpr batch<T, W> clip(batch<T, W> x, batch<T, W> low, batch<T, W> high) {
  return min(max(x, low), high);
}

template <class T, int W>
constexpr batch<T, W> square(batch<T, W> x) {
  return x * x;
}

// ---- reductions: lane j with lane j + W/2, then the same with the half that remains ----

/// The lower and the upper half of the lanes.
template <class T, int W>
constexpr batch<T, W / 2> low(batch<T, W> x) {
  if constexpr (x.is_register) return std::bit_cast<detail::halves<batch<T, W / 2>>>(x).low;
  else return x.value.low;
}

template <class T, int W>
constexpr batch<T, W / 2> high(batch<T, W> x) {
  if constexpr (x.is_register) return std::bit_cast<detail::halves<batch<T, W / 2>>>(x).high;
  else return x.value.high;
}

/// Combines all lanes with op, which must accept batches of every width.
template <class T, int W, class F>
constexpr T reduce(batch<T, W> x, F op) {
  if constexpr (W == 1) return x.value;
  else return reduce(op(low(x), high(x)), op);
}

template <class T, int W>
constexpr T reduce_add(batch<T, W> x) {
  return reduce(x, [](auto a, auto b) { return a + b; });
}

template <class T, int W>
constexpr T reduce_mul(batch<T, W> x) {
  return reduce(x, [](auto a, auto b) { return a * b; });
}

template <class T, int W>
constexpr T reduce_min(batch<T, W> x) {
  return reduce(x, [](auto a, auto b) { return min(a, b); });
}

template <class T, int W>
constexpr T reduce_max(batch<T, W> x) {
  return reduce(x, [](auto a, auto b) { return max(a, b); });
}

// ---- integer division ----

namespace detail {

template <class T, int W, class F>
constexpr batch<T, W> lane_by_lane(batch<T, W> a, batch<T, W> b, F f) {
  T x[batch<T, W>::size]{}, y[batch<T, W>::size]{};
  a.store(x);
  b.store(y);
  for (int i = 0; i < W; ++i) x[i] = f(x[i], y[i]);
  return batch<T, W>::load(x);
}

// Lanes past the end of the data hold zeros: division by zero gives 0 here, the caller refuses it
// in real lanes.
template <integer T>
constexpr T quotient(T a, T b) {
  if (b == 0) return T(0);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(a));
  }
  return static_cast<T>(a / b);
}

template <integer T>
constexpr T remainder(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) -
                        static_cast<std::uint64_t>(quotient(a, b)) * static_cast<std::uint64_t>(b));
}

}  // namespace detail

/// a / b rounded towards zero, as C++ does it. The smallest signed integer divided by -1 wraps.
template <integer T, int W>
constexpr batch<T, W> trunc_div(batch<T, W> a, batch<T, W> b) {
  return detail::lane_by_lane(a, b, [](T x, T y) { return detail::quotient(x, y); });
}

/// a / b rounded towards minus infinity, as Python does it.
template <integer T, int W>
constexpr batch<T, W> floor_div(batch<T, W> a, batch<T, W> b) {
  return detail::lane_by_lane(a, b, [](T x, T y) {
    const T q = detail::quotient(x, y);
    const bool inexact = detail::remainder(x, y) != 0;
    return inexact && (x < 0) != (y < 0) ? static_cast<T>(q - 1) : q;
  });
}

/// a - b * floor_div(a, b): the result has the sign of b.
template <integer T, int W>
constexpr batch<T, W> floor_mod(batch<T, W> a, batch<T, W> b) {
  return detail::lane_by_lane(a, b, [](T x, T y) {
    const T r = detail::remainder(x, y);
    return r != 0 && (r < 0) != (y < 0) ? static_cast<T>(r + y) : r;
  });
}

}  // namespace tfgraph::simd
