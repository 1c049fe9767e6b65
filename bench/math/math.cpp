// Throughput of the math functions on 4,096 elements against xsimd, Eigen and SLEEF, each as fast
// as it is called by its own users: one loop over registers, or one array expression.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/simd/math.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cmath>
#include <sleef.h>
#include <string>
#include <unsupported/Eigen/SpecialFunctions>
#include <vector>

namespace simd = tfgraph::simd;

namespace {

constexpr std::size_t count = 4096;

// A library's way to compute a function of whole arrays; x and y have `count` elements.
template <class T>
using kernel = void (*)(const T* x, T* y);

// From `low` to `high`, so that neighbours take different ways through a function.
template <class T>
std::vector<T> spread(double low, double high) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] =
        static_cast<T>(low + (high - low) * std::fmod(static_cast<double>(i) * 0.61803398875, 1.0));
  return x;
}

template <class T>
void add(const std::string& function, const std::string& library, kernel<T> run, double low,
         double high) {
  const auto name = function + (sizeof(T) == 4 ? "/float/" : "/double/") + library;
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const auto x = spread<T>(low, high);
    std::vector<T> y(count);
    for (auto _ : state) {
      run(x.data(), y.data());
      benchmark::DoNotOptimize(y.data());
      benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
  });
}

template <class T, auto F>
void by_tfgraph(const T* x, T* y) {
  constexpr int W = simd::native_lanes<T>;
  for (std::size_t i = 0; i < count; i += W) F(simd::batch<T, W>::load(x + i)).store(y + i);
}

template <class T, auto F>
void by_xsimd(const T* x, T* y) {
  using B = xsimd::batch<T>;
  for (std::size_t i = 0; i < count; i += B::size)
    F(B::load_unaligned(x + i)).store_unaligned(y + i);
}

template <class T, auto F>
void by_eigen(const T* x, T* y) {
  using array = Eigen::Array<T, Eigen::Dynamic, 1>;
  const auto n = static_cast<Eigen::Index>(count);
  Eigen::Map<array>(y, n) = F(Eigen::Map<const array>(x, n));
}

// SLEEF's functions by their vector types.
#if defined(__AVX512F__)
#define SLEEF_SINGLE(function, accuracy) Sleef_##function##f16_##accuracy
#define SLEEF_DOUBLE(function, accuracy) Sleef_##function##d8_##accuracy
#elif defined(__AVX2__)
#define SLEEF_SINGLE(function, accuracy) Sleef_##function##f8_##accuracy
#define SLEEF_DOUBLE(function, accuracy) Sleef_##function##d4_##accuracy
#else
#define SLEEF_SINGLE(function, accuracy) Sleef_##function##f4_##accuracy
#define SLEEF_DOUBLE(function, accuracy) Sleef_##function##d2_##accuracy
#endif

template <class T, auto F>
void by_sleef(const T* x, T* y) {
  using B = xsimd::batch<T>;
  for (std::size_t i = 0; i < count; i += B::size)
    B(F(B::load_unaligned(x + i))).store_unaligned(y + i);
}

template <auto Single, auto Double>
void add_sleef(const std::string& name, double low, double high) {
  add<float>(name, "sleef", by_sleef<float, Single>, low, high);
  add<double>(name, "sleef", by_sleef<double, Double>, low, high);
}

template <auto F>
void add_tfgraph(const std::string& name, double low, double high) {
  add<float>(name, "tfgraph", by_tfgraph<float, F>, low, high);
  add<double>(name, "tfgraph", by_tfgraph<double, F>, low, high);
}

template <auto F>
void add_xsimd(const std::string& name, double low, double high) {
  add<float>(name, "xsimd", by_xsimd<float, F>, low, high);
  add<double>(name, "xsimd", by_xsimd<double, F>, low, high);
}

template <auto F>
void add_eigen(const std::string& name, double low, double high) {
  add<float>(name, "eigen", by_eigen<float, F>, low, high);
  add<double>(name, "eigen", by_eigen<double, F>, low, high);
}

#define TFGRAPH(name, low, high) add_tfgraph<[](auto x) { return name(x); }>(#name, low, high)
#define XSIMD(name, low, high) add_xsimd<[](auto x) { return xsimd::name(x); }>(#name, low, high)
#define EIGEN(name, low, high) add_eigen<[](const auto& x) { return x.name(); }>(#name, low, high)
// In all four libraries, or in all but Eigen.
#define ALL(name, accuracy, low, high) NOT_EIGEN(name, accuracy, low, high), EIGEN(name, low, high)
#define NOT_EIGEN(name, accuracy, low, high)        \
  TFGRAPH(name, low, high), XSIMD(name, low, high), \
      add_sleef<SLEEF_SINGLE(name, accuracy), SLEEF_DOUBLE(name, accuracy)>(#name, low, high)

const bool registered = [] {
  ALL(exp, u10, -20, 20);
  NOT_EIGEN(exp2, u10, -20, 20);
  ALL(expm1, u10, -5, 5);
  ALL(log, u10, 1e-3, 1e3);
  NOT_EIGEN(log2, u10, 1e-3, 1e3);
  NOT_EIGEN(log10, u10, 1e-3, 1e3);
  ALL(log1p, u10, -0.9, 10);
  NOT_EIGEN(cbrt, u10, -100, 100);
  ALL(sin, u10, -30, 30);
  ALL(cos, u10, -30, 30);
  NOT_EIGEN(tan, u10, -30, 30);
  NOT_EIGEN(asin, u10, -1, 1);
  NOT_EIGEN(acos, u10, -1, 1);
  NOT_EIGEN(atan, u10, -5, 5);
  NOT_EIGEN(sinh, u10, -5, 5);
  NOT_EIGEN(cosh, u10, -5, 5);
  ALL(tanh, u10, -5, 5);
  NOT_EIGEN(asinh, u10, -5, 5);
  NOT_EIGEN(acosh, u10, 1, 10);
  NOT_EIGEN(atanh, u10, -0.99, 0.99);
  ALL(erf, u10, -4, 4);
  NOT_EIGEN(erfc, u15, -4, 6);
  NOT_EIGEN(lgamma, u10, 0.1, 30);
  NOT_EIGEN(tgamma, u10, 0.1, 30);
  ALL(sqrt, u05, 0, 100);
  TFGRAPH(rsqrt, 0.1, 100);
  TFGRAPH(digamma, 0.1, 30);
  EIGEN(digamma, 0.1, 30);
  TFGRAPH(sigmoid, -10, 10);
  add_eigen<[](const auto& x) { return x.logistic(); }>("sigmoid", -10, 10);
  TFGRAPH(softplus, -10, 10);
  // Powers of the argument with itself, on bases that are not too large.
  add_tfgraph<[](auto x) { return pow(x, x); }>("pow", 0.1, 12);
  add_xsimd<[](auto x) { return xsimd::pow(x, x); }>("pow", 0.1, 12);
  add_sleef<[](auto x) { return SLEEF_SINGLE(pow, u10)(x, x); },
            [](auto x) { return SLEEF_DOUBLE(pow, u10)(x, x); }>("pow", 0.1, 12);
  return true;
}();

}  // namespace
