// Loops and branches in functions whose extents, element types or ranks only the running program
// knows, and in closures.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/reference.hpp>

#include <doctest/doctest.h>

#include <tuple>

namespace {

namespace tg = tfgraph;
using tg::any_tensor;
using tg::axis;
using tg::dyn;
using tg::index;
using tg::tensor;
using tg::test::same;

/// u[i] after n steps of u[i] = u[i] / 2 + i.
float expected_decay(float u, int n) {
  for (int i = 0; i < n; ++i) {
    volatile float half = u * 0.5f;
    u = half + static_cast<float>(i);
  }
  return u;
}
constexpr auto decay = [](auto u, auto n) {
  for (auto i : tg::range(n)) u = u * 0.5f + i;
  return u;
};

TEST_CASE("loops over extents that the running program knows") {
  const auto f = tg::function(decay);
  for (std::size_t length : {0u, 1u, 5u, 16u, 1000u})
    for (int n : {0, 1, 6}) {
      tensor<float, dyn> u(tg::extents{static_cast<index>(length)});
      for (std::size_t i = 0; i < length; ++i) u.data()[i] = static_cast<float>(i) - 3;
      const tensor<float, dyn> found = f(u, n);
      REQUIRE(found.size() == length);
      for (std::size_t i = 0; i < length; ++i)
        CHECK(found.data()[i] == expected_decay(u.data()[i], n));
    }
  CHECK(f.trace_count() == 1);
}

TEST_CASE("loops over tensors of run-time types") {
  const auto f = tg::function([](auto u, auto n) { return decay(u, n); });
  const tensor<float, 7> u{1, 2, 3, 4, 5, 6, 7};
  const any_tensor found = f(any_tensor(u), any_tensor(tensor<int>(4)));
  REQUIRE(found.dtype() == tg::dtype::float32);
  const auto typed = found.to<tensor<float, 7>>();
  for (std::size_t i = 0; i < 7; ++i) CHECK(typed.data()[i] == expected_decay(u.data()[i], 4));
  const any_tensor doubles = f(any_tensor(tensor<double, 2, 2>{{1, 2}, {3, 4}}), any_tensor(tensor<int>(1)));
  CHECK(doubles.dtype() == tg::dtype::float64);
  CHECK(doubles.to<tensor<double, 2, 2>>()(1, 1) == 2.0);
  // The number of turns is no part of the signature.
  CHECK(f.trace_count() == 2);
}

TEST_CASE("a loop variable that changes its shape is refused") {
  const auto f = tg::function([](auto x, auto n) {
    for (auto i : tg::range(n)) x = tg::expand_dims(x + i, axis<0>);
    return x;
  });
  CHECK_THROWS_WITH_AS(
      static_cast<void>(f(any_tensor(tensor<float, 2>{1, 2}), any_tensor(tensor<int>(3)))),
      "loop: a loop variable of type float32 (2) becomes float32 (1, 2) in the body",
      tg::shape_error);
}

TEST_CASE("alternatives that differ in type are refused") {
  const auto f = tg::function([](auto x, auto p) {
    return tg::cond(p, [&] { return x; }, [&] { return tg::expand_dims(x, axis<0>); });
  });
  CHECK_THROWS_WITH_AS(
      static_cast<void>(f(any_tensor(tensor<float, 2>{1, 2}), any_tensor(tensor<bool>(true)))),
      "cond: the alternatives give float32 (1, 2) and float32 (2)", tg::shape_error);
}

TEST_CASE("closures: captured tensors in a loop are seen as they are") {
  tensor<float, 3> w{1, 2, 3};
  const auto f = tg::function([&w](auto x) {
    return tg::fori(3, [&](auto i, auto a) { return a * w + i; }, x);
  });
  const auto expected = [&](float x, float weight) {
    for (int i = 0; i < 3; ++i) {
      volatile float p = x * weight;
      x = p + static_cast<float>(i);
    }
    return x;
  };
  const tensor<float, 3> x{1, -1, 0.5f};
  for (int round = 0; round < 2; ++round) {
    const tensor<float, 3> found = f(x);
    for (std::size_t i = 0; i < 3; ++i) CHECK(found(i) == expected(x(i), w(i)));
    w = tensor<float, 3>{-1, 0.25f, 7};
  }
}

TEST_CASE("scan and rows over a dynamic number of rows") {
  const auto f = tg::function([](auto xs) {
    auto sum = tg::zeros<int>(tg::shape<2>{});
    auto [last, all] = tg::scan([](auto s, auto x) { return std::pair(s + x, s); }, sum, xs);
    for (auto row : tg::rows(xs, sum)) sum = sum * 3 + row;
    return std::tuple(last, all, sum);
  });
  for (index n : {0, 1, 4}) {
    tensor<int, dyn, 2> xs(tg::extents{n, 2});
    for (std::size_t i = 0; i < xs.size(); ++i) xs.data()[i] = static_cast<int>(i * i) - 4;
    const auto [last, all, sum] = f(xs);
    REQUIRE(all.extent(0) == static_cast<std::size_t>(n));
    for (std::size_t c = 0; c < 2; ++c) {
      int s = 0;
      int t = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(n); ++r) {
        CHECK(all(r, c) == s);
        s += xs(r, c);
        t = t * 3 + xs(r, c);
      }
      CHECK(last(c) == s);
      CHECK(sum(c) == t);
    }
  }
  CHECK(f.trace_count() == 1);
}

TEST_CASE("a loop that was left early") {
  const auto f = tg::function([n = 3](auto x) {
    for (auto i : tg::range(n, x)) {
      x = x + i;
      break;
    }
    return x;
  });
  CHECK_THROWS_WITH_AS(static_cast<void>(f(1.0f)),
                       "a captured loop was left by break or return: its body is run once to record "
                       "it, so it cannot end early; use while_loop",
                       tg::trace_error);
}

TEST_CASE("a handle that the loop would miss is refused, and works when it is named") {
  const auto missed = tg::function([one = 1](auto x) {
    auto count = tg::constant(0.0f);
    for (auto i : tg::range(5, x)) {
      x = x + i;
      count = count + static_cast<float>(one);
    }
    return x * count;
  });
  CHECK_THROWS_AS(static_cast<void>(missed(1.0f)), tg::trace_error);
  const auto named = tg::function([one = 1](auto x) {
    auto count = tg::constant(0.0f);
    for (auto i : tg::range(5, x, count)) {
      x = x + i;
      count = count + static_cast<float>(one);
    }
    return x * count;
  });
  CHECK(named(1.0f) == 55.0f);
}

TEST_CASE("a large loop allocates nothing per turn and is one kernel or two") {
  const auto f = [](auto x) { return tg::fori(10'000, [](auto, auto a) { return a * 0.5f + 1; }, x); };
  using Function = decltype(tg::function(f));
  CHECK(Function::program<tensor<float, 64>>().kernels.size() <= 3);
  tensor<float, 64> x;
  x.fill(0.0f);
  CHECK(tg::function(f)(x)(5) == 2.0f);
}

}  // namespace
