// Throughput of the math functions on arrays of 4,096 elements against xsimd, Eigen and SLEEF, each
// as its own users call it: one loop over registers, or one array expression. Prints a table.
//
//   bench_math [function [rounds]]
//
// All libraries are timed in turns, round after round; a ratio is the median over the rounds of
// this library's time divided by the other's. Behind each stands the other's largest error, in
// units in the last place, in the range that is timed. The last column is the ratio to the fastest
// one that is equally accurate: whose error there is at most 1, or at most this library's.
// SPDX-License-Identifier: BSL-1.0
#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sleef.h>
#include <string>
#include <unsupported/Eigen/SpecialFunctions>
#include <vector>

#include "../../tests/simd/functions.hpp"

namespace simd = tfgraph::simd;

namespace {

constexpr std::size_t count = 4096;

// A library's way to compute a function of whole arrays; x and y have `count` elements.
template <class T>
using kernel = void (*)(const T* x, T* y);

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

template <class T, auto F>
void by_sleef(const T* x, T* y) {
  using B = xsimd::batch<T>;
  for (std::size_t i = 0; i < count; i += B::size)
    B(F(B::load_unaligned(x + i))).store_unaligned(y + i);
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

struct rival {
  const char* library;
  kernel<float> single;
  kernel<double> twice;

  template <class T>
  kernel<T> get() const {
    if constexpr (sizeof(T) == 4) return single;
    else return twice;
  }
};

template <auto F>
constexpr rival tfgraph_is{"tfgraph", by_tfgraph<float, F>, by_tfgraph<double, F>};
template <auto F>
constexpr rival xsimd_is{"xsimd", by_xsimd<float, F>, by_xsimd<double, F>};
template <auto F>
constexpr rival eigen_is{"Eigen", by_eigen<float, F>, by_eigen<double, F>};
template <auto Single, auto Double>
constexpr rival sleef_is{"SLEEF", by_sleef<float, Single>, by_sleef<double, Double>};

#define OURS(name) tfgraph_is<[](auto x) { return name(x); }>
#define XSIMD(name) xsimd_is<[](auto x) { return xsimd::name(x); }>
#define EIGEN(name) eigen_is<[](const auto& x) { return x.name(); }>
#define SLEEF(name, accuracy) sleef_is<SLEEF_SINGLE(name, accuracy), SLEEF_DOUBLE(name, accuracy)>
#define ALL(name, accuracy) {OURS(name), XSIMD(name), EIGEN(name), SLEEF(name, accuracy)}
#define NOT_EIGEN(name, accuracy) {OURS(name), XSIMD(name), SLEEF(name, accuracy)}

struct benchmark {
  std::string name;
  double low, high;           // arguments are spread over this range
  std::vector<rival> rivals;  // the first one is tfgraph
};

std::vector<benchmark> benchmarks() {
  return {
      {"exp", -20, 20, ALL(exp, u10)},
      {"exp2", -20, 20, NOT_EIGEN(exp2, u10)},
      {"expm1", -5, 5, ALL(expm1, u10)},
      {"log", 1e-3, 1e3, ALL(log, u10)},
      {"log2", 1e-3, 1e3, NOT_EIGEN(log2, u10)},
      {"log10", 1e-3, 1e3, NOT_EIGEN(log10, u10)},
      {"log1p", -0.9, 10, ALL(log1p, u10)},
      {"sqrt", 0, 100, ALL(sqrt, u05)},
      {"rsqrt", 0.1, 100, {OURS(rsqrt), EIGEN(rsqrt)}},
      {"cbrt", -100, 100, NOT_EIGEN(cbrt, u10)},
      {"sin", -30, 30, ALL(sin, u10)},
      {"cos", -30, 30, ALL(cos, u10)},
      {"tan", -30, 30, NOT_EIGEN(tan, u10)},
      {"asin", -1, 1, NOT_EIGEN(asin, u10)},
      {"acos", -1, 1, NOT_EIGEN(acos, u10)},
      {"atan", -5, 5, NOT_EIGEN(atan, u10)},
      {"sinh", -5, 5, NOT_EIGEN(sinh, u10)},
      {"cosh", -5, 5, NOT_EIGEN(cosh, u10)},
      {"tanh", -5, 5, ALL(tanh, u10)},
      {"asinh", -5, 5, NOT_EIGEN(asinh, u10)},
      {"acosh", 1, 10, NOT_EIGEN(acosh, u10)},
      {"atanh", -0.99, 0.99, NOT_EIGEN(atanh, u10)},
      {"erf", -4, 4, ALL(erf, u10)},
      {"erfc", -4, 6, ALL(erfc, u15)},
      {"lgamma", 0.1, 30, ALL(lgamma, u10)},
      {"tgamma", 0.1, 30, NOT_EIGEN(tgamma, u10)},
      {"digamma", 0.1, 30, {OURS(digamma), EIGEN(digamma)}},
      {"sigmoid", -10, 10, {OURS(sigmoid), EIGEN(logistic)}},
      {"softplus", -10, 10, {OURS(softplus)}},
      {"pow",  // x^x, on bases that are not too large
       0.1,
       12,
       {tfgraph_is<[](auto x) { return pow(x, x); }>,
        xsimd_is<[](auto x) { return xsimd::pow(x, x); }>,
        eigen_is<[](const auto& x) { return x.pow(x); }>,
        sleef_is<[](auto x) { return SLEEF_SINGLE(pow, u10)(x, x); },
                 [](auto x) { return SLEEF_DOUBLE(pow, u10)(x, x); }>}},
  };
}

// What a result must be.
tests::reference exact_function(const std::string& name) {
  if (name == "pow") return [](mpfr_t y, mpfr_t x) { mpfr_pow(y, x, x, MPFR_RNDN); };
  tests::reference exact = nullptr;
  tests::for_each_unary(
      [&](const std::string& n, auto, tests::reference r, const tests::ranges&, double, double) {
        if (name == n) exact = r;
      });
  return exact;
}

// Numbers from `low` to `high`, so that neighbours take different ways through a function.
template <class T>
std::vector<T> spread(double low, double high, double start) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<T>(low + (high - low) *
                                    std::fmod(start + static_cast<double>(i) * 0.61803398875, 1.0));
  return x;
}

template <class T>
double largest_error(kernel<T> run, const benchmark& b, tests::reference function) {
  double largest = 0;
  tests::big_number argument(60), exact(120);
  for (int part = 0; part < 4; ++part) {
    const auto x = spread<T>(b.low, b.high, part * 0.23456789);
    std::vector<T> y(count);
    run(x.data(), y.data());
    for (std::size_t i = 0; i < count; ++i) {
      mpfr_set_d(argument.value, static_cast<double>(x[i]), MPFR_RNDN);
      function(exact.value, argument.value);
      largest = std::max(largest, tests::error_in_ulp(y[i], exact.value));
    }
  }
  return largest;
}

// Processor time of some calls, in seconds.
template <class T>
double time_of(kernel<T> run, const std::vector<T>& x, std::vector<T>& y, int calls) {
  timespec before, after;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
  for (int i = 0; i < calls; ++i) {
    run(x.data(), y.data());
    __asm__ volatile("" : : "r"(y.data()) : "memory");
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
  return static_cast<double>(after.tv_sec - before.tv_sec) +
         1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
}

double median(std::vector<double> v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

template <class T>
void measure(const benchmark& b, std::size_t rounds) {
  const auto e = exact_function(b.name);
  const auto x = spread<T>(b.low, b.high, 0);
  std::vector<T> y(count);
  const auto ours = b.rivals[0].get<T>();
  const int calls = 1 + static_cast<int>(100e-6 / (time_of<T>(ours, x, y, 20) / 20));
  std::vector<double> times;
  std::vector<std::vector<double>> ratios(b.rivals.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t r = 0; r < b.rivals.size(); ++r) {
      const double t = time_of<T>(b.rivals[r].get<T>(), x, y, calls);
      if (r == 0) times.push_back(t);
      else ratios[r].push_back(times.back() / t);
    }
  const double our_error = largest_error(ours, b, e);
  std::printf("| `%s` | %s | %.2f ns | %.3g |", b.name.c_str(), sizeof(T) == 4 ? "float" : "double",
              median(times) / (calls * static_cast<double>(count)) * 1e9, our_error);
  double decisive = 0;
  for (const std::string library : {"xsimd", "Eigen", "SLEEF"}) {
    std::size_t r = 1;
    while (r < b.rivals.size() && b.rivals[r].library != library) ++r;
    if (r == b.rivals.size()) {
      std::printf(" - |");
      continue;
    }
    const double ratio = median(ratios[r]), error = largest_error(b.rivals[r].get<T>(), b, e);
    if (error <= std::max(1.0, our_error)) decisive = std::max(decisive, ratio);
    std::printf(" %.2f (%.3g) |", ratio, error);
  }
  if (decisive > 0) std::printf(" %.2f |\n", decisive);
  else std::printf(" - |\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  const auto rounds = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 51);
  std::printf(
      "| function | type | time | error | xsimd | Eigen | SLEEF | fastest equally accurate |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& b : benchmarks()) {
    if (!only.empty() && only != b.name) continue;
    measure<float>(b, rounds);
    measure<double>(b, rounds);
  }
}
