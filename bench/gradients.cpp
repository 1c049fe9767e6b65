// Gradients beside hand-written ones, and their cost beside the function's. One thread.
//   bench_gradients
// prints, after the times, "gradient/primal" and "ours/hand" for each problem.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::tensor;

template <class Tensor>
Tensor filled(float scale, unsigned state) {
  Tensor t;
  for (auto& e : t) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<typename Tensor::value_type>(
        scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f));
  }
  return t;
}

// ---- logistic regression -----------------------------------------------------------------------

constexpr int rows = 1000;
constexpr int columns = 100;
using matrix = tensor<float, rows, columns>;
using weights = tensor<float, columns>;
using labels = tensor<float, rows>;  // -1 or 1

constexpr auto logistic = [](auto w, auto x, auto y) {
  return tg::mean(tg::softplus(-(tg::matmul(x, w) * y)));
};

float logistic_by_hand(const weights& w, const matrix& x, const labels& y, weights& g) {
  const float* const a = x.data();
  float* const gradient = g.data();
  for (int j = 0; j < columns; ++j) gradient[j] = 0;
  float loss = 0;
  for (int i = 0; i < rows; ++i) {
    const float* const row = a + i * columns;
    float lane[16] = {};
    int j = 0;
    for (; j + 16 <= columns; j += 16)
      for (int l = 0; l < 16; ++l) lane[l] += row[j + l] * w.data()[j + l];
    float m = 0;
    for (; j < columns; ++j) m += row[j] * w.data()[j];
    for (float l : lane) m += l;
    const float z = -m * y(i);
    const float e = std::exp(-std::fabs(z));
    loss += std::log1p(e) + (z > 0 ? z : 0);
    const float s = (z > 0 ? 1 : e) / (1 + e);
    const float factor = -s * y(i) / rows;
    for (int k = 0; k < columns; ++k) gradient[k] += factor * row[k];
  }
  return loss / rows;
}

// ---- a network of two layers
// ---------------------------------------------------------------------

constexpr int batch = 32;
constexpr int inputs = 784;
constexpr int hidden = 128;
constexpr int classes = 10;
using images = tensor<float, batch, inputs>;
using targets = tensor<float, batch, classes>;
using w1_type = tensor<float, inputs, hidden>;
using b1_type = tensor<float, hidden>;
using w2_type = tensor<float, hidden, classes>;
using b2_type = tensor<float, classes>;

constexpr auto network = [](auto w1, auto b1, auto w2, auto b2, auto x, auto t) {
  const auto h = tg::relu(tg::matmul(x, w1) + b1);
  return -tg::sum(tg::log_softmax(tg::matmul(h, w2) + b2) * t) / float{batch};
};

struct network_gradient {
  w1_type w1;
  b1_type b1;
  w2_type w2;
  b2_type b2;
};

// c += a b for row-major matrices; blocks of four rows share what is loaded of b.
void add_product(const float* a, const float* b, float* c, int m, int k, int n) {
  for (int j0 = 0; j0 < n; j0 += 64) {
    const int j1 = std::min(n, j0 + 64);
    for (int i = 0; i < m; i += 4)
      for (int p = 0; p < k; ++p)
        for (int r = i; r < std::min(m, i + 4); ++r) {
          const float f = a[r * k + p];
          for (int j = j0; j < j1; ++j) c[r * n + j] += f * b[p * n + j];
        }
  }
}

std::vector<float> transposed(const float* a, int m, int n) {
  std::vector<float> t(static_cast<std::size_t>(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) t[static_cast<std::size_t>(j * m + i)] = a[i * n + j];
  return t;
}

float network_by_hand(const network_gradient& p, const images& x, const targets& t,
                      network_gradient& g) {
  static float h[batch * hidden];
  static float z[batch * classes];
  static float dh[batch * hidden];
  for (int i = 0; i < batch; ++i)
    for (int j = 0; j < hidden; ++j) h[i * hidden + j] = p.b1(j);
  add_product(x.data(), p.w1.data(), h, batch, inputs, hidden);
  for (float& v : h) v = v > 0 ? v : 0;
  for (int i = 0; i < batch; ++i)
    for (int j = 0; j < classes; ++j) z[i * classes + j] = p.b2(j);
  add_product(h, p.w2.data(), z, batch, hidden, classes);
  float loss = 0;
  for (int j = 0; j < classes; ++j) g.b2(j) = 0;
  for (int i = 0; i < batch; ++i) {
    float* const row = z + i * classes;
    const float largest = *std::max_element(row, row + classes);
    float total = 0;
    for (int j = 0; j < classes; ++j) total += std::exp(row[j] - largest);
    for (int j = 0; j < classes; ++j) {
      const float logit = row[j] - largest;
      loss -= t(i, j) * (logit - std::log(total));
      row[j] = (std::exp(logit) / total - t(i, j)) / batch;
      g.b2(j) += row[j];
    }
  }
  std::fill(g.w2.begin(), g.w2.end(), 0.0f);
  add_product(transposed(h, batch, hidden).data(), z, g.w2.data(), hidden, batch, classes);
  std::fill(std::begin(dh), std::end(dh), 0.0f);
  add_product(z, transposed(p.w2.data(), hidden, classes).data(), dh, batch, classes, hidden);
  for (int j = 0; j < hidden; ++j) g.b1(j) = 0;
  for (int i = 0; i < batch; ++i)
    for (int j = 0; j < hidden; ++j) {
      if (h[i * hidden + j] <= 0) dh[i * hidden + j] = 0;
      g.b1(j) += dh[i * hidden + j];
    }
  std::fill(g.w1.begin(), g.w1.end(), 0.0f);
  add_product(transposed(x.data(), batch, inputs).data(), dh, g.w1.data(), inputs, batch, hidden);
  return loss / batch;
}

// ---- Rosenbrock's function
// -------------------------------------------------------------------------

constexpr int length = 1000;
using point = tensor<double, length>;

constexpr auto rosenbrock = [](auto x) {
  const auto a = tg::slice(x, tg::section<0, -1>);
  const auto b = tg::slice(x, tg::section<1>);
  return tg::sum(100 * tg::square(b - a * a) + tg::square(1 - a));
};

double rosenbrock_by_hand(const point& x, point& g) {
  const double* const v = x.data();
  double* const out = g.data();
  double total = 0;
  out[0] = 0;
  for (int i = 0; i + 1 < length; ++i) {
    const double d = v[i + 1] - v[i] * v[i];
    const double e = 1 - v[i];
    total += 100 * d * d + e * e;
    out[i] += -400 * v[i] * d - 2 * e;
    out[i + 1] = 200 * d;
  }
  return total;
}

// ---- measuring
// -------------------------------------------------------------------------------------

// The shortest of many runs, in microseconds.
template <class F>
double microseconds(F f) {
  double best = 1e30;
  for (int run = 0; run < 300; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) {
      f();
      benchmark::ClobberMemory();
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count() / 5);
  }
  return best;
}

void report(const char* name, double primal, double gradient, double hand) {
  std::printf(
      "%-12s primal %8.2f us, with gradient %8.2f us, by hand %8.2f us: gradient/primal %.2f, "
      "ours/hand %.2f\n",
      name, primal, gradient, hand, gradient / primal, gradient / hand);
}

void logistic_regression() {
  const auto x = filled<matrix>(1, 1);
  auto y = filled<labels>(1, 2);
  for (float& e : y) e = e > 0 ? 1.0f : -1.0f;
  const auto w = filled<weights>(0.1f, 3);
  weights g;
  float value = 0;
  constexpr auto primal = tg::function(logistic);
  constexpr auto gradient = tg::value_and_grad(logistic);
  std::pair<float, weights> out;
  report("logistic", microseconds([&] { benchmark::DoNotOptimize(value = primal(w, x, y)); }),
         microseconds([&] { gradient.into(out, w, x, y); }),
         microseconds([&] { benchmark::DoNotOptimize(value = logistic_by_hand(w, x, y, g)); }));
  if (std::fabs(out.second(7) - g(7)) > 1e-4f) std::printf("the gradients differ\n");
}

void two_layers() {
  const auto x = filled<images>(1, 1);
  targets t;
  for (int i = 0; i < batch; ++i) t(i, i % classes) = 1;
  const network_gradient p{filled<w1_type>(0.05f, 4), filled<b1_type>(0.1f, 5),
                           filled<w2_type>(0.1f, 6), filled<b2_type>(0.1f, 7)};
  network_gradient g;
  constexpr auto primal = tg::function(network);
  constexpr auto gradient = tg::value_and_grad(network, tg::wrt<0, 1, 2, 3>);
  std::pair<float, std::tuple<w1_type, b1_type, w2_type, b2_type>> out;
  float value = 0;
  report("network", microseconds([&] {
           benchmark::DoNotOptimize(value = primal(p.w1, p.b1, p.w2, p.b2, x, t));
         }),
         microseconds([&] { gradient.into(out, p.w1, p.b1, p.w2, p.b2, x, t); }),
         microseconds([&] { benchmark::DoNotOptimize(value = network_by_hand(p, x, t, g)); }));
  if (std::fabs(std::get<0>(out.second)(3, 5) - g.w1(3, 5)) > 1e-4f)
    std::printf("the gradients differ\n");
}

void valley() {
  const auto x = filled<point>(1, 1);
  point g;
  double value = 0;
  constexpr auto primal = tg::function(rosenbrock);
  constexpr auto gradient = tg::value_and_grad(rosenbrock);
  std::pair<double, point> out;
  report("rosenbrock", microseconds([&] { benchmark::DoNotOptimize(value = primal(x)); }),
         microseconds([&] { gradient.into(out, x); }),
         microseconds([&] { benchmark::DoNotOptimize(value = rosenbrock_by_hand(x, g)); }));
  if (std::fabs(out.second(7) - g(7)) > 1e-9) std::printf("the gradients differ\n");
}

void all(benchmark::State& state) {
  for (auto _ : state) {
    logistic_regression();
    two_layers();
    valley();
  }
}
BENCHMARK(all)->Iterations(1);

}  // namespace
