// The one contact with xsimd: which registers exist, and what xsimd 8.1 computes wrongly or not at
// all.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <xsimd/xsimd.hpp>

#include <bit>
#include <cmath>
#include <type_traits>

namespace tfgraph::simd::detail {

// The first architecture (they are sorted, best first) whose registers hold exactly W lanes of T.
template <class T, int W, class Architectures>
struct find_architecture {
  using type = void;
};

template <class T, int W, class A>
constexpr bool holds() {
  if constexpr (xsimd::types::has_simd_register<T, A>::value)
    return sizeof(xsimd::types::simd_register<T, A>) == W * sizeof(T);
  else return false;
}

template <class T, int W, class A, class... Others>
struct find_architecture<T, W, xsimd::arch_list<A, Others...>>
    : std::conditional_t<holds<T, W, A>(), std::type_identity<A>,
                         find_architecture<T, W, xsimd::arch_list<Others...>>> {};

template <class T, int W>
using architecture = typename find_architecture<T, W, xsimd::supported_architectures>::type;

template <class T, int W>
inline constexpr bool has_register = !std::is_void_v<architecture<T, W>>;

template <class T, int W>
using register_of = xsimd::batch<T, architecture<T, W>>;
template <class T, int W>
using mask_of = xsimd::batch_bool<T, architecture<T, W>>;

using xsimd::all;
using xsimd::any;

// Does nothing to x, but the compiler cannot look through it: without it g++ contracts a * b + c to
// a fused multiply-add even when the two were written as intrinsics.
template <class X>
[[gnu::always_inline]] inline X opaque(X x) {
#if defined(__AVX512F__)
  __asm__("" : "+v"(x));
#elif defined(__SSE2__)
  __asm__("" : "+x"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#else
  volatile X copy = x;
  x = copy;
#endif
  return x;
}

// From here on B is an xsimd::batch.

// clang with AVX-512 gives vpternlog a wrong truth table where a mask keeps one of its operands and
// another comes from memory (LLVM issue 157929). So a logical function of three operands passes through
// here before anything selects it.
template <class B>
B unmerged(B x) {
#if defined(__clang__) && defined(__AVX512F__)
  return B(opaque(x.data));
#else
  return x;
#endif
}

template <class B, class T, int Bytes>
inline constexpr bool is = std::is_same_v<typename B::value_type, T> && sizeof(B) == Bytes;

template <class B>
B product(B a, B b) {
  return B(opaque((a * b).data));
}

// xsimd 8.1 does not fuse on AVX-512, nor in a 128-bit register of an AVX build.
template <class B>
B fused(B a, B b, B c) {
#if defined(__AVX512F__)
  if constexpr (is<B, float, 64>) return _mm512_fmadd_ps(a, b, c);
  else if constexpr (is<B, double, 64>) return _mm512_fmadd_pd(a, b, c);
  else
#endif
#if defined(__FMA__)
      if constexpr (is<B, float, 32>)
    return _mm256_fmadd_ps(a, b, c);
  else if constexpr (is<B, double, 32>) return _mm256_fmadd_pd(a, b, c);
  else if constexpr (is<B, float, 16>) return _mm_fmadd_ps(a, b, c);
  else if constexpr (is<B, double, 16>) return _mm_fmadd_pd(a, b, c);
  else
#elif defined(__aarch64__)
  if constexpr (sizeof(B) == 16) return xsimd::fma(a, b, c);
  else
#endif
  {
    typename B::value_type x[B::size], y[B::size], z[B::size];
    a.store_unaligned(x);
    b.store_unaligned(y);
    c.store_unaligned(z);
    for (std::size_t i = 0; i < B::size; ++i) z[i] = std::fma(x[i], y[i], z[i]);
    return B::load_unaligned(z);
  }
}

// The AVX-512 forms with a mask avoid the uninitialised operand that g++ 12 warns of in its own
// header. Without optimisation they are macros, and convert the mask to a signed integer.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
template <class B>
B square_root(B x) {
#if defined(__AVX512F__)
  if constexpr (is<B, float, 64>) return _mm512_maskz_sqrt_ps(__mmask16(-1), x);
  else if constexpr (is<B, double, 64>) return _mm512_maskz_sqrt_pd(__mmask8(-1), x);
  else
#endif
    return xsimd::sqrt(x);
}

template <class B>
B truncated(B x) {
#if defined(__AVX512F__)
  constexpr int mode = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
  if constexpr (is<B, float, 64>) return _mm512_maskz_roundscale_ps(__mmask16(-1), x, mode);
  else if constexpr (is<B, double, 64>) return _mm512_maskz_roundscale_pd(__mmask8(-1), x, mode);
  else
#endif
#if defined(__SSE2__) && !defined(__SSE4_1__)
    return xsimd::trunc(x) |
           (x & B(typename B::value_type(-0.0)));  // xsimd's emulation loses the sign of zero
#else
  return xsimd::trunc(x);
#endif
}

template <class B>
B nearest(B x) {
#if defined(__AVX512F__)
  constexpr int mode = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  if constexpr (is<B, float, 64>) return _mm512_maskz_roundscale_ps(__mmask16(-1), x, mode);
  else if constexpr (is<B, double, 64>) return _mm512_maskz_roundscale_pd(__mmask8(-1), x, mode);
  else
#endif
    return xsimd::nearbyint(x);
}

// x between low and high; NaN stays: if either is NaN, these instructions yield the second one.
// (What xsimd's max and min yield depends on its version.)
template <class B>
B clamped(B x, B low, B high) {
#if defined(__AVX512F__)
  if constexpr (is<B, float, 64>)
    return _mm512_maskz_min_ps(__mmask16(-1), high, _mm512_maskz_max_ps(__mmask16(-1), low, x));
  else if constexpr (is<B, double, 64>)
    return _mm512_maskz_min_pd(__mmask8(-1), high, _mm512_maskz_max_pd(__mmask8(-1), low, x));
  else
#endif
#if defined(__AVX__)
      if constexpr (is<B, float, 32>)
    return _mm256_min_ps(high, _mm256_max_ps(low, x));
  else if constexpr (is<B, double, 32>) return _mm256_min_pd(high, _mm256_max_pd(low, x));
  else
#endif
#if defined(__SSE2__)
      if constexpr (is<B, float, 16>)
    return _mm_min_ps(high, _mm_max_ps(low, x));
  else if constexpr (is<B, double, 16>) return _mm_min_pd(high, _mm_max_pd(low, x));
  else
#endif
  {
    x = xsimd::select(x < low, low, x);
    return xsimd::select(high < x, high, x);
  }
}

// Whether there are instructions for x * 2^n and what belongs to it, and these instructions.
#if defined(__AVX512F__)
template <class T, int W>
inline constexpr bool has_scale = std::is_floating_point_v<T> && W * sizeof(T) == 64;

template <class B>
B scaled(B x, B n) {
  if constexpr (is<B, float, 64>) return _mm512_maskz_scalef_ps(__mmask16(-1), x, n);
  else return _mm512_maskz_scalef_pd(__mmask8(-1), x, n);
}

// Exponent and significand, the significand between 3/4 and 3/2; of 0, infinity and NaN: anything.
template <class B>
B significand(B x) {
  if constexpr (is<B, float, 64>)
    return _mm512_maskz_getmant_ps(__mmask16(-1), x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
  else return _mm512_maskz_getmant_pd(__mmask8(-1), x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_src);
}

template <class B>
B exponent(B x, B significand) {
  if constexpr (is<B, float, 64>)
    return B(_mm512_maskz_getexp_ps(__mmask16(-1), x)) -
           B(_mm512_maskz_getexp_ps(__mmask16(-1), significand));
  else
    return B(_mm512_maskz_getexp_pd(__mmask8(-1), x)) -
           B(_mm512_maskz_getexp_pd(__mmask8(-1), significand));
}

// y where x is an ordinary number. The table's digits, from the lowest, say what stands instead
// where x is NaN (two digits), zero, one, negative infinity, infinity, negative or positive: 0 is
// y, 1 is x, 3 is NaN, 4 negative infinity, 5 infinity.
template <int Table, class B>
B fixed_up(B y, B x) {
  if constexpr (is<B, float, 64>)
    return _mm512_maskz_fixupimm_ps(__mmask16(-1), y, x, _mm512_set1_epi32(Table), 0);
  else return _mm512_maskz_fixupimm_pd(__mmask8(-1), y, x, _mm512_set1_epi64(Table), 0);
}
#else
template <class T, int W>
inline constexpr bool has_scale = false;
#endif

#pragma GCC diagnostic pop

// Whether B holds integers of this size in 512 bits.
template <class B, int Size>
inline constexpr bool is_wide_integer = std::is_integral_v<typename B::value_type> &&
                                        sizeof(typename B::value_type) == Size && sizeof(B) == 64;

// m ? a : b. g++ 12 with AVX-512VL confuses the sides of a byte-wise blend by a negated mask, and
// xsimd 8.1's form for AVX-512BW does not compile without optimisation.
template <class M, class B>
B chosen(M m, B a, B b) {
#if defined(__AVX512VL__) && defined(__GNUC__) && !defined(__clang__)
  if constexpr (std::is_integral_v<typename B::value_type> && sizeof(M) == sizeof(B))
    return b ^ ((a ^ b) & std::bit_cast<B>(m));
  else
#endif
#if defined(__AVX512BW__)
      if constexpr (is_wide_integer<B, 1>)
    return _mm512_mask_blend_epi8(m.data, b.data, a.data);
  else if constexpr (is_wide_integer<B, 2>) return _mm512_mask_blend_epi16(m.data, b.data, a.data);
  else if constexpr (is_wide_integer<B, 4>) return _mm512_mask_blend_epi32(m.data, b.data, a.data);
  else if constexpr (is_wide_integer<B, 8>) return _mm512_mask_blend_epi64(m.data, b.data, a.data);
  else
#endif
    return xsimd::select(m, a, b);
}

// xsimd 8.1: ^ of AVX-512 masks is |.
template <class M>
M exclusive_or(M a, M b) {
  return (a | b) & ~(a & b);
}

}  // namespace tfgraph::simd::detail
