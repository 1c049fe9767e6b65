// The first lanes of a register: loading and storing them without touching the memory behind them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/batch.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tfgraph::kernels {

#if defined(__AVX512VL__) && defined(__AVX512BW__)

namespace detail {

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

template <std::size_t ElementSize, class V>
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

}  // namespace detail

/// Whether a part of a register is loaded as fast as all of it.
template <class T, int W>
inline constexpr bool has_masked_memory = simd::batch<T, W>::is_register;

/// The first n lanes (0 <= n <= W) of a batch<T, W>.
template <class T, int W>
class first_lanes {
 public:
  [[gnu::always_inline]] explicit first_lanes(int n) : n_(n) {
    if constexpr (masked) mask_ = n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
  }

  /// The lanes from memory, zero in the others.
  [[nodiscard, gnu::always_inline]] simd::batch<T, W> load(const T* p) const {
    if (known_to_be_all()) return simd::batch<T, W>::load(p);
    if constexpr (masked)
      return std::bit_cast<simd::batch<T, W>>(
          detail::masked_load<sizeof(T), sizeof(T) * W>(p, mask_));
    else return n_ == W ? simd::batch<T, W>::load(p) : simd::batch<T, W>::load_partial(p, n_);
  }

  [[gnu::always_inline]] void store(simd::batch<T, W> x, T* p) const {
    if (known_to_be_all()) return x.store(p);
    if constexpr (masked) {
      using raw = decltype(detail::masked_load<sizeof(T), sizeof(T) * W>(p, 0));
      detail::masked_store<sizeof(T)>(p, mask_, std::bit_cast<raw>(x));
    } else {
      x.store_partial(p, n_);
    }
  }

 private:
  static constexpr bool masked = has_masked_memory<T, W>;
  [[nodiscard, gnu::always_inline]] bool known_to_be_all() const {
    return __builtin_constant_p(n_) && n_ == W;
  }

  int n_;
  std::uint64_t mask_ = 0;
};

#else

template <class T, int W>
inline constexpr bool has_masked_memory = false;

template <class T, int W>
class first_lanes {
 public:
  explicit first_lanes(int n) : n_(n) {}
  [[nodiscard, gnu::always_inline]] simd::batch<T, W> load(const T* p) const {
    return n_ == W ? simd::batch<T, W>::load(p) : simd::batch<T, W>::load_partial(p, n_);
  }
  [[gnu::always_inline]] void store(simd::batch<T, W> x, T* p) const {
    n_ == W ? x.store(p) : x.store_partial(p, n_);
  }

 private:
  int n_;
};

#endif

/// The first n lanes (0 <= n <= W) from memory, zero in the others.
template <int W, class T>
[[nodiscard, gnu::always_inline]] inline simd::batch<T, W> load_first(const T* p, int n) {
  return first_lanes<T, W>(n).load(p);
}

/// Stores the first n lanes (0 <= n <= W).
template <class T, int W>
[[gnu::always_inline]] inline void store_first(simd::batch<T, W> x, T* p, int n) {
  if (n == W) x.store(p);
  else first_lanes<T, W>(n).store(x, p);
}

}  // namespace tfgraph::kernels
