// Loads and stores of the first lanes of a register, which do not touch the memory behind them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX512VL__) && defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace tfgraph::simd::detail {

/// n ones.
constexpr std::uint64_t first_bits(int n) {
  return n >= 64 ? ~std::uint64_t{0} : n <= 0 ? 0 : (std::uint64_t{1} << n) - 1;
}

#if defined(__AVX512VL__) && defined(__AVX512BW__)

inline constexpr bool has_masked_memory = true;

template <std::size_t ElementSize, std::size_t Bytes>
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

template <std::size_t ElementSize, class R>
[[gnu::always_inline]] inline void masked_store(void* p, std::uint64_t m, R x) {
  using raw = decltype(masked_load<ElementSize, sizeof(R)>(p, 0));
  const auto v = __builtin_bit_cast(raw, x);
  if constexpr (sizeof(R) == 64) {
    if constexpr (ElementSize == 8) _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(m), v);
    else if constexpr (ElementSize == 4) _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(m), v);
    else if constexpr (ElementSize == 2) _mm512_mask_storeu_epi16(p, static_cast<__mmask32>(m), v);
    else _mm512_mask_storeu_epi8(p, m, v);
  } else if constexpr (sizeof(R) == 32) {
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

#else

inline constexpr bool has_masked_memory = false;

template <std::size_t ElementSize, std::size_t Bytes>
void masked_load(const void*, std::uint64_t);
template <std::size_t ElementSize, class R>
void masked_store(void*, std::uint64_t, R);

#endif

}  // namespace tfgraph::simd::detail
