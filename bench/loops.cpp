// Fused element-wise work, reductions and softmax against plain loops, in one binary. Ends with the
// ratios of the medians.
//   bench_loops --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace tg = tfgraph;

constexpr std::size_t length = 1024;
using vector = tg::tensor<float, length>;
constexpr std::size_t rows = 64, columns = 1000;
using matrix = tg::tensor<float, rows, columns>;

template <class Tensor>
Tensor numbers(float start) {
  Tensor t;
  float v = start;
  for (float& x : t) x = v = v < 1.5F ? v + 0.001F : 0.5F;
  return t;
}

// Memory that the compiler must take as read and written.
void touch(const void* p) {
  benchmark::DoNotOptimize(p);
  benchmark::ClobberMemory();
}

// ---- x * x * x ---------------------------------------------------------------------------------

constexpr auto cube = tg::function([](auto x) { return x * x * x; });

void cube_tfgraph(benchmark::State& state) {
  const auto x = numbers<vector>(0.5F);
  vector y;
  for (auto _ : state) {
    touch(x.data());
    cube.into(y, x);
    touch(y.data());
  }
}
BENCHMARK(cube_tfgraph);

void cube_loop(benchmark::State& state) {
  const auto in = numbers<vector>(0.5F);
  vector out;
  for (auto _ : state) {
    touch(in.data());
    const float* __restrict x = in.data();
    float* __restrict y = out.data();
    for (std::size_t i = 0; i < length; ++i) y[i] = x[i] * x[i] * x[i];
    touch(y);
  }
}
BENCHMARK(cube_loop);

// ---- a * x + b * y -----------------------------------------------------------------------------

constexpr auto axpby = tg::function([](auto a, auto x, auto b, auto y) { return a * x + b * y; });

void axpby_tfgraph(benchmark::State& state) {
  const auto x = numbers<vector>(0.5F);
  const auto y = numbers<vector>(0.7F);
  float a = 1.25F;
  float b = -0.75F;
  vector z;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    touch(x.data());
    touch(y.data());
    axpby.into(z, a, x, b, y);
    touch(z.data());
  }
}
BENCHMARK(axpby_tfgraph);

void axpby_loop(benchmark::State& state) {
  const auto first = numbers<vector>(0.5F);
  const auto second = numbers<vector>(0.7F);
  float a = 1.25F;
  float b = -0.75F;
  vector out;
  for (auto _ : state) {
    benchmark::DoNotOptimize(a);
    benchmark::DoNotOptimize(b);
    touch(first.data());
    touch(second.data());
    const float* __restrict x = first.data();
    const float* __restrict y = second.data();
    float* __restrict z = out.data();
    for (std::size_t i = 0; i < length; ++i) z[i] = a * x[i] + b * y[i];
    touch(z);
  }
}
BENCHMARK(axpby_loop);

// ---- five operators ----------------------------------------------------------------------------

constexpr auto chain = tg::function([](auto x, auto y) { return tg::abs((x + y) * x - y) / y; });

void chain_tfgraph(benchmark::State& state) {
  const auto x = numbers<vector>(0.5F);
  const auto y = numbers<vector>(0.7F);
  vector z;
  for (auto _ : state) {
    touch(x.data());
    touch(y.data());
    chain.into(z, x, y);
    touch(z.data());
  }
}
BENCHMARK(chain_tfgraph);

void chain_loop(benchmark::State& state) {
  const auto first = numbers<vector>(0.5F);
  const auto second = numbers<vector>(0.7F);
  vector out;
  for (auto _ : state) {
    touch(first.data());
    touch(second.data());
    const float* __restrict x = first.data();
    const float* __restrict y = second.data();
    float* __restrict z = out.data();
    for (std::size_t i = 0; i < length; ++i) z[i] = std::fabs((x[i] + y[i]) * x[i] - y[i]) / y[i];
    touch(z);
  }
}
BENCHMARK(chain_loop);

// ---- sum ---------------------------------------------------------------------------------------

constexpr auto sum = tg::function([](auto x) { return tg::sum(x); });

void sum_tfgraph(benchmark::State& state) {
  const auto x = numbers<matrix>(0.5F);
  for (auto _ : state) {
    touch(x.data());
    float s = sum(x);
    benchmark::DoNotOptimize(s);
  }
}
BENCHMARK(sum_tfgraph);

// In one accumulator, as it is usually written: without a licence to reorder, compilers must add
// one element after the other.
void sum_loop(benchmark::State& state) {
  const auto in = numbers<matrix>(0.5F);
  for (auto _ : state) {
    touch(in.data());
    const float* __restrict x = in.data();
    float s = 0;
    for (std::size_t i = 0; i < rows * columns; ++i) s += x[i];
    benchmark::DoNotOptimize(s);
  }
}
BENCHMARK(sum_loop);

// In 32 accumulators, which compilers do keep in SIMD registers.
void sum_unrolled(benchmark::State& state) {
  const auto in = numbers<matrix>(0.5F);
  for (auto _ : state) {
    touch(in.data());
    const float* __restrict x = in.data();
    float lane[32] = {};
    static_assert(rows * columns % 32 == 0);
    for (std::size_t i = 0; i < rows * columns; i += 32)
      for (std::size_t k = 0; k < 32; ++k) lane[k] += x[i + k];
    for (std::size_t half = 16; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) lane[k] += lane[k + half];
    benchmark::DoNotOptimize(lane[0]);
  }
}
BENCHMARK(sum_unrolled);

// ---- softmax over the last axis ----------------------------------------------------------------

constexpr auto softmax = tg::function([](auto x) { return tg::softmax(x); });

void softmax_tfgraph(benchmark::State& state) {
  const auto x = numbers<matrix>(0.5F);
  matrix y;
  for (auto _ : state) {
    touch(x.data());
    softmax.into(y, x);
    touch(y.data());
  }
}
BENCHMARK(softmax_tfgraph);

void softmax_loop(benchmark::State& state) {
  const auto in = numbers<matrix>(0.5F);
  matrix out;
  for (auto _ : state) {
    touch(in.data());
    for (std::size_t i = 0; i < rows; ++i) {
      const float* __restrict x = in.data() + i * columns;
      float* __restrict y = out.data() + i * columns;
      float largest = x[0];
      for (std::size_t k = 1; k < columns; ++k) largest = std::max(largest, x[k]);
      float total = 0;
      for (std::size_t k = 0; k < columns; ++k) total += y[k] = std::exp(x[k] - largest);
      for (std::size_t k = 0; k < columns; ++k) y[k] /= total;
    }
    touch(out.data());
  }
}
BENCHMARK(softmax_loop);

// ---- the report --------------------------------------------------------------------------------

class ratio_reporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& r : runs)
      if (r.run_type == Run::RT_Iteration || r.aggregate_name == "median")
        times_[r.run_name.function_name].push_back(r.GetAdjustedCPUTime());
    ConsoleReporter::ReportRuns(runs);
  }
  void Finalize() override {
    ConsoleReporter::Finalize();
    std::printf(
        "\nmedian time of tfgraph divided by that of the loop (below 1: tfgraph is faster)\n");
    for (const auto& [name, unused] : times_) {
      const auto end = name.find("_tfgraph");
      if (end == std::string::npos) continue;
      const std::string work = name.substr(0, end);
      for (const char* rival : {"_loop", "_unrolled"})
        if (times_.contains(work + rival))
          std::printf("%-28s %.2f\n", (work + " / " + (rival + 1)).c_str(),
                      median(name) / median(work + rival));
    }
  }

 private:
  double median(const std::string& name) {
    auto& t = times_[name];
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
  }

  std::map<std::string, std::vector<double>> times_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  ratio_reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
}
