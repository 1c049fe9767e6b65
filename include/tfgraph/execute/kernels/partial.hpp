// Loading and storing the first lanes of a register without touching the memory behind them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/batch.hpp>

#include <bit>
#include <cstdint>

namespace tfgraph::kernels {

namespace detail {

#if defined(__AVX512VL__) && defined(__AVX512BW__)
// The lower n bits.
[[gnu::always_inline]] inline std::uint64_t first_bits(int n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

template <int ElementSize, int Bytes>
[[gnu::always_inline]] inline auto masked_load(const void* p, std::uint64_t m) {
  if constexpr (Bytes == 64) {
    if constexpr (ElementSize == 8) return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(m), p);
    else if constexpr (ElementSize == 4)
      return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(m), p);
    else if constexpr (ElementSize == 2)
      return _mm512_maskz_loadu_epi16(static_cast<__mmask32>(m), p);
    else return _mm512_maskz_loadu_epi8(m, p);
  } else if constexpr (Bytes == 32) {
    if constexpr (ElementSize == 8) return _mm256_maskz_loadu_epi64(static_cast<__mmask8>(m), p);
    else if constexpr (ElementSize == 4)
      return _mm256_maskz_loadu_epi32(static_cast<__mmask8>(m), p);
    else if constexpr (ElementSize == 2)
      return _mm256_maskz_loadu_epi16(static_cast<__mmask16>(m), p);
    else return _mm256_maskz_loadu_epi8(static_cast<__mmask32>(m), p);
  } else {
    if constexpr (ElementSize == 8) return _mm_maskz_loadu_epi64(static_cast<__mmask8>(m), p);
    else if constexpr (ElementSize == 4) return _mm_maskz_loadu_epi32(static_cast<__mmask8>(m), p);
    else if constexpr (ElementSize == 2) return _mm_maskz_loadu_epi16(static_cast<__mmask8>(m), p);
    else return _mm_maskz_loadu_epi8(static_cast<__mmask16>(m), p);
  }
}

template <int ElementSize, class V>
[[gnu::always_inline]] inline void masked_store(void* p, std::uint64_t m, V v) {
  if constexpr (sizeof(V) == 64) {
    if constexpr (ElementSize == 8) _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(m), v);
    else if constexpr (ElementSize == 4) _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(m), v);
    else if constexpr (ElementSize == 2) _mm512_mask_storeu_epi16(p, static_cast<__mmask32>(m), v);
    else _mm512_mask_storeu_epi8(p, m, v);
  } else if constexpr (sizeof(V) == 32) {
    if constexpr (ElementSize == 8) _mm256_mask_storeu_epi64(p, static_cast<__mmask8>(m), v);
    else if constexpr (ElementSize == 4) _mm256_mask_storeu_epi32(p, static_cast<__mmask8>(m), v);
    else if constexpr (ElementSize == 2) _mm256_mask_storeu_epi16(p, static_cast<__mmask16>(m), v);
    else _mm256_mask_storeu_epi8(p, static_cast<__mmask32>(m), v);
  } else {
    if constexpr (ElementSize == 8) _mm_mask_storeu_epi64(p, static_cast<__mmask8>(m), v);
    else if constexpr (ElementSize == 4) _mm_mask_storeu_epi32(p, static_cast<__mmask8>(m), v);
    else if constexpr (ElementSize == 2) _mm_mask_storeu_epi16(p, static_cast<__mmask8>(m), v);
    else _mm_mask_storeu_epi8(p, static_cast<__mmask16>(m), v);
  }
}

template <class T, int W>
inline constexpr bool has_masked_memory = simd::batch<T, W>::is_register;
#else
template <class T, int W>
inline constexpr bool has_masked_memory = false;
#endif

}  // namespace detail

/// The first n lanes (n <= W) from memory, zero in the others.
template <int W, class T>
[[gnu::always_inline]] inline simd::batch<T, W> load_first(const T* p, int n) {
  if (n >= W) return simd::batch<T, W>::load(p);
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  if constexpr (detail::has_masked_memory<T, W>)
    return std::bit_cast<simd::batch<T, W>>(
        detail::masked_load<sizeof(T), int(W * sizeof(T))>(p, detail::first_bits(n)));
  else
#endif
    return simd::batch<T, W>::load_partial(p, n);
}

/// Stores the first n lanes (n <= W).
template <class T, int W>
[[gnu::always_inline]] inline void store_first(simd::batch<T, W> x, T* p, int n) {
  if (n >= W) return x.store(p);
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  if constexpr (detail::has_masked_memory<T, W>) {
    using raw = decltype(detail::masked_load<sizeof(T), int(W * sizeof(T))>(p, 0));
    detail::masked_store<sizeof(T)>(p, detail::first_bits(n), std::bit_cast<raw>(x));
  } else
#endif
    x.store_partial(p, n);
}

}  // namespace tfgraph::kernels
