// A million uniform floats: ours, std::mt19937, Philox in a loop by hand, and what filling the memory
// costs.
//   bench_random --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/random/random.hpp>
#include <tfgraph/tfgraph.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace tg = tfgraph;

constexpr std::size_t n = 1 << 20;
using numbers = tg::tensor<float, n>;

constexpr auto uniform =
    tg::function([](auto key) { return tg::random::uniform<float>(key, tg::shape<n>{}); });

void tfgraph_uniform(benchmark::State& state) {
  numbers x;
  for (auto _ : state) {
    uniform.into(x, tg::random::key(1));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(tfgraph_uniform);

void memory_fill(benchmark::State& state) {
  numbers x;
  float v = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(v);
    std::fill(x.begin(), x.end(), v);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(memory_fill);

void std_mt19937(benchmark::State& state) {
  numbers x;
  std::mt19937 engine(1);
  for (auto _ : state) {
    for (float& v : x) v = static_cast<float>(engine() >> 8) * 0x1p-24F;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(std_mt19937);

void philox_by_hand(benchmark::State& state) {
  numbers x;
  for (auto _ : state) {
    for (std::uint32_t block = 0; block < n / 4; ++block) {
      std::uint32_t c[4] = {block, 0, 0, 0};
      std::uint32_t k[2] = {1, 0};
      for (int r = 0; r < 10; ++r) {
        const std::uint64_t p = std::uint64_t{0xd2511f53} * c[0];
        const std::uint64_t q = std::uint64_t{0xcd9e8d57} * c[2];
        const std::uint32_t next[4] = {static_cast<std::uint32_t>(q >> 32) ^ c[1] ^ k[0],
                                       static_cast<std::uint32_t>(q),
                                       static_cast<std::uint32_t>(p >> 32) ^ c[3] ^ k[1],
                                       static_cast<std::uint32_t>(p)};
        std::copy(next, next + 4, c);
        k[0] += 0x9e3779b9;
        k[1] += 0xbb67ae85;
      }
      for (std::size_t w = 0; w < 4; ++w)
        x.data()[w * (n / 4) + block] = static_cast<float>(c[w] >> 8) * 0x1p-24F;
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(philox_by_hand);

}  // namespace
