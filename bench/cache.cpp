// What it costs to find a plan by its signature.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/function/cache.hpp>

#include <benchmark/benchmark.h>

namespace {

namespace tg = tfgraph;
using tg::dtype;

tg::detail::signature_cache<tg::index> plans;

template <int Inputs>
tg::index find(tg::index n) {
  tg::detail::signature_key<Inputs> key;
  for (int i = 0; i < Inputs; ++i) key.push(dtype::float32, {n, 3});
  return *plans.find_or_make(key, [n] { return n; });
}

// The same signature again and again, by all threads.
template <int Inputs>
void hit(benchmark::State& state) {
  tg::index n = 4;
  for (auto _ : state) benchmark::DoNotOptimize(n = find<Inputs>(n));
}

// Several signatures in turn.
void hits(benchmark::State& state) {
  const tg::index count = state.range(0);
  tg::index n = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(find<1>(n));
    if (++n == count) n = 0;
  }
}

// Never the same signature: a plan is made and another one evicted.
void miss(benchmark::State& state) {
  tg::index n = 1000;
  for (auto _ : state) benchmark::DoNotOptimize(find<1>(n++));
}

BENCHMARK(hit<1>)->Threads(1)->Threads(2);
BENCHMARK(hit<2>);
BENCHMARK(hit<3>);
BENCHMARK(hit<8>);
BENCHMARK(hits)->Arg(8)->Arg(100);
BENCHMARK(miss);

}  // namespace
