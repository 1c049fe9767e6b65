// What later releases of xsimd renamed or dropped is not used: hadd became reduce_add, haddp lost
// its use, simd_batch, load_simd, store_simd and set_simd are older still. Every use of these names
// behind this point is an error. What changed its meaning (max and min of NaN, in 14) is checked
// below. SPDX-License-Identifier: BSL-1.0
#include <xsimd/xsimd.hpp>

#pragma GCC poison hadd haddp load_simd store_simd set_simd simd_batch

#include <tfgraph/simd/math.hpp>

#include <doctest/doctest.h>

namespace simd = tfgraph::simd;

namespace {

// batch_bool::mask(), reduce_add and load_masked exist in later releases only. Ours, by our own
// means:
template <class T>
void check() {
  constexpr int W = simd::native_lanes<T>;
  T x[simd::batch<T, W>::size + 1];
  for (int i = 0; i < W; ++i) x[i] = T(i + 1);
  x[W] = T(99);
  const auto v = simd::batch<T, W>::load_partial(x, W - 1);
  CHECK(reduce_add(v) == T(W * (W - 1) / 2));
  CHECK(any(v == simd::batch<T, W>(T(0))));
  v.store_partial(x + 1, W - 1);
  CHECK(x[W] == T(99));
  // NaN stays where it is clamped.
  const auto nan =
      simd::detail::clamp(simd::batch<T, W>(simd::scalar::format<T>::nan), T(-1), T(1));
  CHECK(all(isnan(nan)));
}

}  // namespace

TEST_CASE_TEMPLATE("without the names that later releases of xsimd dropped", T, float, double) {
  check<T>();
}
