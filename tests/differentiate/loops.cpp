// Derivatives of loops and branches, against those of the same loop unrolled by hand and against
// central differences.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

namespace {

namespace tg = tfgraph;
using tg::axis;
using tg::tensor;

constexpr bool near(double a, double b) {
  const double scale = 1 + (b < 0 ? -b : b);
  const double d = a - b;
  return (d < 0 ? -d : d) <= 1e-6 * scale;
}

/// Checks every component of grad(f) at x against central differences, and jvp along a direction
/// against the same.
template <class F, std::size_t N>
void check_gradient(F f, const tensor<double, N>& x) {
  const auto traced = tg::function(f);
  const tensor<double, N> g = tg::grad(f)(x);
  const double h = 1e-5;
  tensor<double, N> direction;
  double along = 0;
  for (std::size_t i = 0; i < N; ++i) {
    tensor<double, N> up = x, down = x;
    up.data()[i] += h;
    down.data()[i] -= h;
    CHECK(near(g.data()[i], (traced(up) - traced(down)) / (2 * h)));
    direction.data()[i] = static_cast<double>(i) - 0.7;
    along += direction.data()[i] * g.data()[i];
  }
  const auto [value, tangent] = tg::jvp(f)(x, direction);
  CHECK(near(value, traced(x)));
  CHECK(near(tangent, along));
}

constexpr auto horner = [](auto x) {
  return tg::fori(5, [&](auto i, auto a) { return a * x + i; }, 1.0);
};
constexpr auto unrolled_horner = [](auto x) {
  auto a = x;
  for (int i = 1; i < 5; ++i) a = a * x + static_cast<double>(i);
  return a;
};

constexpr void counted_loops() {
  for (double x : {-1.5, 0.0, 0.25, 2.0}) {
    TFGRAPH_CHECK(near(tg::grad(horner)(x), tg::grad(unrolled_horner)(x)));
    TFGRAPH_CHECK(near(tg::jvp(horner)(x, 1.0).second, tg::grad(unrolled_horner)(x)));
  }
  // Second derivatives, in every combination of modes.
  constexpr auto by_x = tg::grad(horner);
  constexpr auto expected = tg::grad(tg::grad(unrolled_horner));
  TFGRAPH_CHECK(near(tg::grad(by_x)(0.5), expected(0.5)));
  TFGRAPH_CHECK(near(tg::jvp(by_x)(0.5, 1.0).second, expected(0.5)));
}
TFGRAPH_BOTH(counted_loops);

TEST_CASE("several variables, and values from outside") {
  check_gradient(
      [](auto x) {
        const auto weights = tg::exp(x * 0.1);
        auto a = x;
        auto b = tg::sin(x);
        for (auto i : tg::range(4, x)) {
          const auto t = a * weights + b;
          a = tg::tanh(b) + i;
          b = t * 0.5;
        }
        return tg::sum(a * b);
      },
      tensor<double, 3>{0.3, -1.0, 2.0});
}

TEST_CASE("a loop without a turn hands the derivative on") {
  check_gradient(
      [](auto x) {
        auto a = tg::square(x);
        for (auto i : tg::range(0, x)) a = a * x + i;
        return tg::sum(a);
      },
      tensor<double, 2>{0.3, -1.0});
}

TEST_CASE("scan: rows, carry and what is stacked") {
  check_gradient(
      [](auto x) {
        const auto rows = tg::reshape(x, tg::shape<4, 2>{});
        const auto [last, all] = tg::scan(
            [&](auto carry, auto row) {
              const auto next = tg::tanh(carry * 0.5 + row);
              return std::pair(next, next * row);
            },
            tg::sum(rows, axis<0>), rows);
        return tg::sum(last) + tg::sum(all * all);
      },
      tensor<double, 8>{0.3, -1.0, 2.0, 0.5, -0.25, 1.5, 0.75, -2.0});
  check_gradient(
      [](auto x) {
        return tg::sum(tg::map([&](auto e) { return tg::sin(e) * tg::sum(x); }, x));
      },
      tensor<double, 3>{0.3, -1.0, 2.0});
}

TEST_CASE("loops in loops") {
  check_gradient(
      [](auto x) {
        auto total = tg::zeros_like(x);
        for (auto i : tg::range(3, x)) {
          auto row = x;
          for (auto j : tg::range(2, x)) row = row * x + tg::sin(row) * (i + j);
          total = total + row * 0.1;
        }
        return tg::sum(total * x);
      },
      tensor<double, 3>{0.3, -1.0, 0.5});
}

TEST_CASE("products in a loop") {
  check_gradient(
      [](auto x) {
        const auto w = tg::reshape(x, tg::shape<2, 2>{});
        auto v = tg::sum(w, axis<1>);
        for (auto i : tg::range(3, x)) v = tg::tanh(tg::matmul(w, v)) + i;
        return tg::sum(v);
      },
      tensor<double, 4>{0.3, -1.0, 2.0, 0.5});
}

TEST_CASE("branches") {
  constexpr auto f = [](auto x) {
    const auto s = tg::sum(x);
    return tg::cond(s > 0, [&] { return s * tg::sum(tg::sin(x)); },
                    [&] { return tg::sum(x * x * x); });
  };
  check_gradient(f, tensor<double, 2>{0.3, 1.0});
  check_gradient(f, tensor<double, 2>{0.3, -1.0});
  constexpr auto in_loop = [](auto x) {
    auto a = x;
    for (auto i : tg::range(5, x))
      a = tg::cond(i % 2 == 0, [&] { return tg::sin(a) * x; }, [&] { return a + x * i; });
    return tg::sum(a);
  };
  check_gradient(in_loop, tensor<double, 2>{0.3, -1.0});
  constexpr auto around_loop = [](auto x) {
    const auto s = tg::sum(x);
    return tg::cond(
        s > 0, [&] { return tg::fori(3, [&](auto, auto a) { return a * s; }, s); },
        [&] { return s; });
  };
  check_gradient(around_loop, tensor<double, 2>{0.3, 1.0});
  check_gradient(around_loop, tensor<double, 2>{0.3, -1.0});
}

TEST_CASE("while_loop, forward") {
  constexpr auto root = [](auto a) {
    return tg::while_loop([&](auto x) { return tg::abs(x * x - a) > 1e-13 * a; },
                          [&](auto x) { return 0.5 * (x + a / x); }, a);
  };
  const auto [value, tangent] = tg::jvp(root)(2.0, 1.0);
  CHECK(near(value, std::sqrt(2.0)));
  CHECK(near(tangent, 0.5 / std::sqrt(2.0)));
}

TEST_CASE("batches through loops and branches are those of each element") {
  constexpr auto f = [](auto x, auto w, auto n) {
    auto a = tg::ones_like(w);
    for (auto i : tg::range(n)) a = a * x + w * i;  // a has the batch from its second turn on
    const auto scanned = tg::scan(
        [&](auto c, auto row) { return std::pair(c + row * x, std::tuple(c, row, w)); }, a,
        tg::stack(axis<0>, a, w, w * x));
    const auto& all = scanned.second;
    const auto b = tg::cond(n > 2, [&] { return scanned.first * x; }, [&] { return w; });
    return std::tuple(std::get<0>(all), std::get<1>(all), std::get<2>(all), b);
  };
  const tensor<double, 3> xs{0.5, -1.5, 2.0};
  const tensor<double, 2> w{0.25, -3.0};
  for (int n : {0, 1, 3}) {
    const auto batch = tg::vmap(f, tg::in_axes<0, tg::unmapped, tg::unmapped>)(xs, w, n);
    for (std::size_t e = 0; e < 3; ++e) {
      const auto one = tg::function(f)(xs(e), w, n);
      for (std::size_t c = 0; c < 2; ++c) {
        for (std::size_t r = 0; r < 3; ++r) {
          CHECK(std::get<0>(batch)(e, r, c) == std::get<0>(one)(r, c));
          CHECK(std::get<1>(batch)(e, r, c) == std::get<1>(one)(r, c));
          CHECK(std::get<2>(batch)(e, r, c) == std::get<2>(one)(r, c));
        }
        CHECK(std::get<3>(batch)(e, c) == std::get<3>(one)(c));
      }
    }
  }
  // Gradients of each element, and a matrix of second derivatives.
  const auto gradients = tg::vmap(tg::grad(horner))(xs);
  for (std::size_t e = 0; e < 3; ++e) CHECK(near(gradients(e), tg::grad(unrolled_horner)(xs(e))));
  constexpr auto cubic = [](auto x) {
    auto a = x;
    for (auto i : tg::range(2, x)) a = a * x + i;
    return tg::sum(a) * tg::sum(x);
  };
  constexpr auto by_hand = [](auto x) { return tg::sum((x * x) * x + 1.0) * tg::sum(x); };
  const auto found = tg::hessian(cubic)(w);
  const auto expected = tg::hessian(by_hand)(w);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) CHECK(near(found(i, j), expected(i, j)));
}

TEST_CASE("gradients of loops in the dynamic executor") {
  constexpr auto f = [](auto x) {
    auto a = x;
    for (auto i : tg::range(3, x)) a = tg::sin(a) * x + i;
    return tg::sum(a);
  };
  const tensor<double, 3> x{0.3, -1.0, 2.0};
  const tg::any_tensor found = tg::grad(f)(tg::any_tensor(x));
  CHECK(found.to<tensor<double, 3>>() == tg::grad(f)(x));
  tensor<double, tg::dyn> free(tg::extents{3});
  for (std::size_t i = 0; i < 3; ++i) free.data()[i] = x.data()[i];
  const auto typed = tg::grad(f)(free);
  for (std::size_t i = 0; i < 3; ++i) CHECK(typed.data()[i] == tg::grad(f)(x).data()[i]);
}

}  // namespace
