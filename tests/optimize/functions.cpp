// Twelve functions as programs have them: how many nodes the optimiser leaves of each. A change of
// these numbers is a change of the optimiser, to be looked at.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <doctest/doctest.h>

#include <numbers>
#include <string>

namespace {

namespace tg = tfgraph;
using tg::axis;
using tg::keepdims;
using tg::tensor;

constexpr auto cross_entropy = [](auto logits, auto labels) {
  return tg::mean(-tg::sum(labels * tg::log(tg::softmax(logits)), axis<-1>));
};
constexpr auto layer_norm = [](auto x, auto scale, auto shift) {
  const auto centred = x - tg::mean(x, axis<-1>, keepdims);
  return centred / tg::sqrt(tg::var(x, axis<-1>, keepdims) + 1e-5f) * scale + shift;
};
constexpr auto gelu = [](auto x) {
  return 0.5f * x * (1 + tg::erf(x / std::numbers::sqrt2_v<float>));
};
constexpr auto kalman_step = [](auto x, auto p, auto f, auto q, auto h, auto r, auto z) {
  const auto predicted = tg::matmul(f, x);
  const auto spread = tg::matmul(tg::matmul(f, p), tg::transpose(f)) + q;
  const auto s = tg::matmul(tg::matmul(h, spread), tg::transpose(h)) + r;  // 1 x 1
  const auto gain = tg::matmul(spread, tg::transpose(h)) / s;
  const auto better = predicted + tg::matmul(gain, z - tg::matmul(h, predicted));
  const auto rest = tg::matmul(tg::eye<float>(tg::shape<4, 4>{}) - tg::matmul(gain, h), spread);
  return std::tuple{better, rest};
};
constexpr auto black_scholes = [](auto s, auto k, auto t, auto r, auto v) {
  const auto root = v * tg::sqrt(t);
  const auto d1 = (tg::log(s / k) + (r + v * v / 2) * t) / root;
  const auto d2 = d1 - v * tg::sqrt(t);
  const auto normal = [](auto d) { return 0.5f * (1 + tg::erf(d / std::numbers::sqrt2_v<float>)); };
  const auto call = s * normal(d1) - k * tg::exp(-r * t) * normal(d2);
  const auto put = k * tg::exp(-r * t) * normal(-d2) - s * normal(-d1);
  return std::tuple{call, put};
};
constexpr auto n_body = [](auto position, auto mass) {
  const auto d = tg::expand_dims(position, axis<0>) - tg::expand_dims(position, axis<1>);
  const auto r2 = tg::sum(tg::square(d), axis<-1>, keepdims) + 1e-3f;
  const auto m = tg::expand_dims(tg::expand_dims(mass, axis<0>), axis<2>);
  return tg::sum(m * d / (r2 * tg::sqrt(r2)), axis<1>);
};
constexpr auto logistic_loss = [](auto x, auto w, auto b, auto y) {
  const auto p = 1 / (1 + tg::exp(-(tg::matmul(x, w) + b)));
  return -tg::mean(y * tg::log(p) + (1 - y) * tg::log(1 - p));
};
constexpr auto attention = [](auto q, auto k, auto v) {
  const auto scores = tg::matmul(q, tg::transpose(k)) / 8.0f;  // of width 64
  return tg::matmul(tg::softmax(scores), v);
};
constexpr auto batch_norm = [](auto x, auto mean, auto variance, auto scale, auto shift) {
  return (x - mean) / tg::sqrt(variance + 1e-3f) * scale + shift;
};
constexpr auto rms_norm = [](auto x, auto scale) {
  return x / tg::sqrt(tg::mean(tg::square(x), axis<-1>, keepdims) + 1e-6f) * scale;
};
// Rotates v by the unit quaternion (w, u): v + 2 u x (u x v + w v).
constexpr auto rotate = [](auto q, auto v) {
  const auto part = [](auto t, auto i) {
    return tg::squeeze(tg::slice(t, tg::section<i.value, i.value + 1>), axis<0>);
  };
  constexpr tg::constant_t<tg::index{0}> i0{};
  constexpr tg::constant_t<tg::index{1}> i1{};
  constexpr tg::constant_t<tg::index{2}> i2{};
  constexpr tg::constant_t<tg::index{3}> i3{};
  const auto w = part(q, i0), a = part(q, i1), b = part(q, i2), c = part(q, i3);
  const auto x = part(v, i0), y = part(v, i1), z = part(v, i2);
  const auto p = b * z - c * y + w * x, s = c * x - a * z + w * y, t = a * y - b * x + w * z;
  return tg::stack(axis<0>, x + 2 * (b * t - c * s), y + 2 * (c * p - a * t),
                   z + 2 * (a * s - b * p));
};
constexpr auto stencil = [](auto u) {
  const auto inner = [](auto x) { return tg::slice(x, tg::section<1, -1>, tg::section<1, -1>); };
  const auto up = tg::slice(tg::slice(u, tg::section<0, -2>), tg::all, tg::section<1, -1>);
  const auto down = tg::slice(tg::slice(u, tg::section<2>), tg::all, tg::section<1, -1>);
  const auto left = tg::slice(u, tg::section<1, -1>, tg::section<0, -2>);
  const auto right = tg::slice(u, tg::section<1, -1>, tg::section<2>);
  return inner(u) + 0.1f * (up + down + left + right - 4 * inner(u));
};

using row = tensor<float, 16>;
using rows = tensor<float, 8, 16>;
using matrix4 = tensor<float, 4, 4>;

// Nodes as written, in strict mode, and under all licences; inputs and constants count.
struct counts {
  int written, strict, fast;
  friend bool operator==(const counts&, const counts&) = default;
};

template <class... Args, class F>
counts count(F f) {
  return {decltype(tg::function(f))::template traced<Args...>().size(),
          decltype(tg::function(f))::template graph<Args...>().size(),
          decltype(tg::function<tg::numerics::fast>(f))::template graph<Args...>().size()};
}

std::string text(const counts& c) {
  return std::to_string(c.written) + ", " + std::to_string(c.strict) + ", " +
         std::to_string(c.fast);
}

#define NODES(found, ...)                                                     \
  do {                                                                        \
    const counts c = found;                                                   \
    CHECK_MESSAGE(c == (counts{__VA_ARGS__}), #found " has now " << text(c)); \
  } while (false)

TEST_CASE("nodes of twelve functions") {
  NODES((count<rows, rows>(cross_entropy)), 14, 14, 13);
  NODES((count<rows, row, row>(layer_norm)), 21, 16, 14);
  NODES((count<row>(gelu)), 9, 9, 9);
  NODES((count<tensor<float, 4, 1>, matrix4, matrix4, matrix4, tensor<float, 1, 4>,
               tensor<float, 1, 1>, tensor<float, 1, 1>>(kalman_step)),
        27, 26, 25);
  NODES((count<row, row, row, float, row>(black_scholes)), 63, 47, 44);
  NODES((count<tensor<float, 9, 3>, tensor<float, 9>>(n_body)), 16, 15, 15);
  NODES((count<rows, row, float, tensor<float, 8>>(logistic_loss)), 25, 22, 19);
  NODES((count<tensor<float, 10, 64>, tensor<float, 12, 64>, tensor<float, 12, 32>>(attention)), 13,
        13, 13);
  NODES((count<rows, row, row, row, row>(batch_norm)), 12, 12, 11);
  NODES((count<rows, row>(rms_norm)), 11, 11, 10);
  NODES((count<tensor<float, 4, 100>, tensor<float, 3, 100>>(rotate)), 53, 51, 45);
  NODES((count<tensor<float, 20, 30>>(stencil)), 18, 15, 13);
}

// ---- what fast mode computes is what strict mode computes, nearly
// -------------------------------------

template <class T>
void fill(T& x, float from, float to) {
  float v = from;
  const float step = (to - from) / static_cast<float>(x.size());
  for (float& e : x) e = v += step;
}

template <class F, class... Args>
void check_close(F f, const Args&... args) {
  const auto exact = tg::function(f)(args...);
  const auto fast = tg::function<tg::numerics::fast>(f)(args...);
  if constexpr (std::is_arithmetic_v<std::remove_const_t<decltype(exact)>>)
    CHECK(fast == doctest::Approx(static_cast<double>(exact)).epsilon(1e-5));
  else
    for (std::size_t i = 0; i < exact.size(); ++i)
      CHECK(fast.data()[i] == doctest::Approx(static_cast<double>(exact.data()[i])).epsilon(1e-4));
}

TEST_CASE("fast mode is near to strict mode") {
  rows x;
  rows labels;
  row scale;
  row shift;
  fill(x, -2.0f, 3.0f);
  fill(labels, 0.1f, 0.9f);
  fill(scale, 0.5f, 1.5f);
  fill(shift, 0.25f, 1.0f);
  check_close(cross_entropy, x, labels);
  check_close(layer_norm, x, scale, shift);
  check_close(gelu, scale);
  check_close(batch_norm, x, shift, scale, scale, shift);
  check_close(rms_norm, x, scale);
  tensor<float, 8> y;
  fill(y, 0.0f, 1.0f);
  row weights;  // small, so that no probability is 1
  fill(weights, -0.05f, 0.05f);
  check_close(logistic_loss, x, weights, 0.5f, y);
  tensor<float, 10, 64> q;
  tensor<float, 12, 64> k;
  tensor<float, 12, 32> v;
  fill(q, -1.0f, 1.0f);
  fill(k, 0.0f, 1.0f);
  fill(v, 0.5f, 1.0f);
  check_close(attention, q, k, v);
  tensor<float, 20, 30> u;
  fill(u, 1.0f, 2.0f);
  check_close(stencil, u);
}

}  // namespace
