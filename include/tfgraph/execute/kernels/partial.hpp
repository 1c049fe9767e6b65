// The first lanes of a register: loading and storing them without touching the memory behind them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/batch.hpp>

namespace tfgraph::kernels {

/// The first n lanes (0 <= n <= W) of a batch<T, W>.
template <class T, int W>
class first_lanes {
 public:
  [[gnu::always_inline]] explicit first_lanes(int n) : n_(n) {}

  /// The lanes from memory, zero in the others.
  [[nodiscard, gnu::always_inline]] simd::batch<T, W> load(const T* p) const {
    return all() ? simd::batch<T, W>::load(p) : simd::batch<T, W>::load_partial(p, n_);
  }

  [[gnu::always_inline]] void store(simd::batch<T, W> x, T* p) const {
    all() ? x.store(p) : x.store_partial(p, n_);
  }

 private:
  // Where a part of a register is loaded as fast as all of it, only what the compiler knows counts.
  [[nodiscard, gnu::always_inline]] bool all() const {
    if constexpr (simd::batch<T, W>::is_register && simd::detail::has_masked_memory)
      return __builtin_constant_p(n_) && n_ == W;
    else return n_ == W;
  }

  int n_;
};

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
