// What a call costs besides its kernel: tensors of dynamic extents and any_tensor, small, beside
// static extents and Eigen's dynamic arrays.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <benchmark/benchmark.h>

#if __has_include(<eigen3/Eigen/Core>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#include <eigen3/Eigen/Core>
#pragma GCC diagnostic pop
#define TFGRAPH_HAS_EIGEN
#endif

namespace {

namespace tg = tfgraph;
using tg::dyn;
using tg::index;

constexpr auto axpby = tg::function([](const auto& x, const auto& y) { return x * 2 + y * 3; });

template <class Tensor>
Tensor filled(index n) {
  Tensor t(tg::extents{n});
  for (auto& x : t) x = 1.5f;
  return t;
}

void static_extents(benchmark::State& state) {
  tg::tensor<float, 4> x{1, 2, 3, 4}, y{4, 3, 2, 1}, out;
  for (auto _ : state) {
    axpby.into(out, x, y);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(static_extents);

void dynamic_extents(benchmark::State& state) {
  const index n = state.range(0);
  auto x = filled<tg::tensor<float, dyn>>(n), y = x, out = x;
  for (auto _ : state) {
    axpby.into(out, x, y);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(dynamic_extents)->Arg(4)->Arg(16)->Arg(64);

/// The kernel of a plan without looking it up.
void bare_kernel(benchmark::State& state) {
  const index n = state.range(0);
  auto x = filled<tg::tensor<float, dyn>>(n), y = x, out = x;
  using Made = tg::detail::compiled<std::remove_cvref_t<decltype(axpby.original())>, tg::strict_options, decltype(x),
                                    decltype(y)>;
  const tg::detail::plan plan(Made::traced::value, tg::detail::types_of(x, y),
                              tg::execute::prototypes_of<typename Made::prototype>());
  const void* in[] = {x.data(), y.data()};
  void* to[] = {out.data()};
  for (auto _ : state) {
    plan.run(in, to);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(bare_kernel)->Arg(4)->Arg(16)->Arg(64);

void any_tensors(benchmark::State& state) {
  const index n = state.range(0);
  const tg::any_tensor x = filled<tg::tensor<float, dyn>>(n), y = x;
  tg::any_tensor out;
  for (auto _ : state) {
    axpby.into(out, x, y);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(any_tensors)->Arg(4)->Arg(16)->Arg(64);

#ifdef TFGRAPH_HAS_EIGEN
void eigen(benchmark::State& state) {
  const index n = state.range(0);
  const Eigen::ArrayXf x = Eigen::ArrayXf::Constant(n, 1.5f), y = x;
  Eigen::ArrayXf out(n);
  for (auto _ : state) {
    out = x * 2 + y * 3;
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(eigen)->Arg(4)->Arg(16)->Arg(64);
#endif

}  // namespace
