// The matrix product against Eigen and against the machine: GFLOP/s (integers: GOP/s) by size. Run
// it with --benchmark_enable_random_interleaving=true, so that all see the same machine.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/execute/kernels/matmul.hpp>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // the intrinsics of g++ 12, used by Eigen
#endif
#include <benchmark/benchmark.h>

#include <cstdint>
#include <eigen3/Eigen/Core>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using tfgraph::index;
namespace kernels = tfgraph::kernels;
namespace simd = tfgraph::simd;

template <class T>
struct buffer {
  std::vector<T> memory;
  T* data;

  explicit buffer(index n) : memory(static_cast<std::size_t>(n) + 64) {
    std::mt19937 g(1);
    for (T& x : memory) x = static_cast<T>(static_cast<int>(g() % 17) - 8);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    data = memory.data() + (64 - address % 64) % 64 / sizeof(T);
  }
};

void count(benchmark::State& state, index m, index n, index k) {
  state.counters["GFLOPs"] = benchmark::Counter(2e-9 * static_cast<double>(m * n * k),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

// ---- the machine: fused multiply-adds that depend on nothing but themselves
// -----------------------

template <class T>
void peak(benchmark::State& state) {
  constexpr int lanes = simd::native_lanes<T>;
  constexpr int chains = simd::native_lanes<std::uint8_t> == 64 ? 24 : 12;
  constexpr index steps = 256;
  using batch = simd::batch<T, lanes>;
  T line[64] = {};
  benchmark::DoNotOptimize(&line);
  const auto reload = [&] {
    benchmark::ClobberMemory();
    return batch::load(line);
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    batch sum[] = {(static_cast<void>(I), reload())...};  // unlike, for all the compiler knows
    for (auto _ : state)
      for (index k = 0; k < steps; ++k) {
        const batch b = reload();
        ((sum[I] = simd::fma(b, b, sum[I])), ...);
      }
    const auto keep = [](batch result) { benchmark::DoNotOptimize(result); };
    (keep(sum[I]), ...);
  }(std::make_integer_sequence<int, chains>());
  count(state, chains, lanes, steps);
}

// ---- tfgraph
// --------------------------------------------------------------------------------------

// Writes a row-major matrix, as an executor does.
template <class T>
auto store_to(T* c, index stride) {
  return [c, stride](index i, index j, auto sums, int lanes) {
    kernels::store_first(sums, c + i * stride + j, lanes);
  };
}

template <class T, index M, index N, index K>
void fixed(benchmark::State& state) {
  buffer<T> a(M * K), b(K * N), c(M * N);
  for (auto _ : state) {
    benchmark::DoNotOptimize(a.data);
    benchmark::DoNotOptimize(b.data);
    kernels::matmul<T, M, N, K>({a.data, K, 1}, {b.data, N, 1}, store_to(c.data, N));
    benchmark::ClobberMemory();
  }
  count(state, M, N, K);
}

template <class T>
void dynamic(benchmark::State& state, index m, index n, index k) {
  buffer<T> a(m * k), b(k * n), c(m * n);
  for (auto _ : state) {
    benchmark::DoNotOptimize(a.data);
    benchmark::DoNotOptimize(m);
    kernels::matmul<T>({a.data, k, 1}, {b.data, n, 1}, m, n, k, store_to(c.data, n));
    benchmark::ClobberMemory();
  }
  count(state, m, n, k);
}

template <class T>
void transposed(benchmark::State& state, index m, index n, index k, bool of_a, bool of_b) {
  buffer<T> a(m * k), b(k * n), c(m * n);
  const kernels::matrix<T> x{a.data, of_a ? 1 : k, of_a ? m : 1};
  const kernels::matrix<T> y{b.data, of_b ? 1 : n, of_b ? k : 1};
  for (auto _ : state) {
    benchmark::DoNotOptimize(m);
    kernels::matmul<T>(x, y, m, n, k, store_to(c.data, n));
    benchmark::ClobberMemory();
  }
  count(state, m, n, k);
}

// ---- Eigen
// ----------------------------------------------------------------------------------------

template <class T, int M, int N>
using eigen_matrix = Eigen::Matrix<T, M, N, (N == 1 && M != 1) ? Eigen::ColMajor : Eigen::RowMajor>;

template <class T, index M, index N, index K>
void eigen_fixed(benchmark::State& state) {
  const buffer<T> a(M * K), b(K * N), c(M * N);
  Eigen::Map<eigen_matrix<T, M, K>, Eigen::AlignedMax> x(a.data);
  Eigen::Map<eigen_matrix<T, K, N>, Eigen::AlignedMax> y(b.data);
  Eigen::Map<eigen_matrix<T, M, N>, Eigen::AlignedMax> z(c.data);
  for (auto _ : state) {
    benchmark::DoNotOptimize(a.data);
    z.noalias() = x * y;
    benchmark::ClobberMemory();
  }
  count(state, M, N, K);
}

template <class T>
void eigen_dynamic(benchmark::State& state, index m, index n, index k) {
  using matrix = eigen_matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  matrix x = matrix::Constant(m, k, T(1)), y = matrix::Constant(k, n, T(2)), z(m, n);
  for (auto _ : state) {
    benchmark::DoNotOptimize(x.data());
    z.noalias() = x * y;
    benchmark::ClobberMemory();
  }
  count(state, m, n, k);
}

// ---- rows of the report
// -----------------------------------------------------------------------------

template <class T>
std::string type_name() {
  if (std::is_same_v<T, float>) return "float";
  return std::is_same_v<T, double> ? "double" : "int32";
}

template <class F>
void add(const std::string& name, F f) {
  benchmark::RegisterBenchmark(name.c_str(), f);
}

template <class T, index M, index N, index K>
void add_fixed() {
  const std::string shape = "/" + type_name<T>() + "/" + std::to_string(M) + "x" +
                            std::to_string(N) + "x" + std::to_string(K);
  add("tfgraph_fixed" + shape, fixed<T, M, N, K>);
  if constexpr (M * N * K <= 64 * 64 * 64) add("eigen_fixed" + shape, eigen_fixed<T, M, N, K>);
}

template <class T>
void add_dynamic(index m, index n, index k) {
  const std::string shape = "/" + type_name<T>() + "/" + std::to_string(m) + "x" +
                            std::to_string(n) + "x" + std::to_string(k);
  add("tfgraph_dynamic" + shape, [=](benchmark::State& s) { dynamic<T>(s, m, n, k); });
  add("eigen_dynamic" + shape, [=](benchmark::State& s) { eigen_dynamic<T>(s, m, n, k); });
}

template <class T>
void add_squares() {
  add("peak/" + type_name<T>(), peak<T>);
  add_fixed<T, 3, 3, 3>();
  add_fixed<T, 4, 4, 4>();
  add_fixed<T, 6, 6, 6>();
  add_fixed<T, 8, 8, 8>();
  add_fixed<T, 16, 16, 16>();
  add_fixed<T, 32, 32, 32>();
  add_fixed<T, 64, 64, 64>();
  for (const index n : {3, 4, 6, 8, 16, 32, 64, 100, 128, 256, 512, 1024}) add_dynamic<T>(n, n, n);
}

[[maybe_unused]] const bool registered = [] {
  add_squares<float>();
  add_squares<double>();
  add_fixed<std::int32_t, 10, 10, 10>();
  // A layer of a network, 784 inputs and 128 outputs, and a small network's.
  for (const index batch : {1, 32, 256}) add_dynamic<float>(batch, 128, 784);
  add_fixed<float, 1, 16, 8>();
  add_fixed<float, 1, 16, 16>();
  // The Kalman filter's.
  add_fixed<double, 6, 6, 6>();
  add_fixed<double, 6, 3, 6>();
  add_fixed<double, 3, 6, 6>();
  // Matrix times vector.
  add_fixed<float, 16, 1, 16>();
  for (const index n : {64, 512}) add_dynamic<float>(n, 1, n);
  add_dynamic<float>(1, 1, 4096);
  for (const index n : {64, 128, 512}) {
    const std::string size = "/float/" + std::to_string(n);
    add("transposed_a" + size,
        [=](benchmark::State& s) { transposed<float>(s, n, n, n, true, false); });
    add("transposed_b" + size,
        [=](benchmark::State& s) { transposed<float>(s, n, n, n, false, true); });
    add("transposed_a_vector" + size,
        [=](benchmark::State& s) { transposed<float>(s, n, 1, n, true, false); });
  }
  return true;
}();

}  // namespace
