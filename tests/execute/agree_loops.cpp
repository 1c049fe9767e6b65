// Loops and branches: every executor gives the bits of the loop written in C++.
// SPDX-License-Identifier: BSL-1.0
#include <support/agree.hpp>

#include <support/compare.hpp>
#include <support/interpret.hpp>

#include <tuple>

namespace {

namespace tg = tfgraph;
using tg::axis;
using tg::index;
using tg::section;
using tg::tensor;

/// All executors, and the program kernel by kernel with every access checked.
template <class F, class... Args>
void check_agreement(const char* name, F f, const Args&... args) {
  tg::test::check_agreement(name, f, args...);
  using Function = decltype(tg::function(f));
  const std::vector<tg::value> inputs{
      tg::detail::value_of(args, tg::dtype_of<typename tg::detail::operand<Args>::value_type>)...};
  for (const tg::graph_view& g :
       {Function::template traced<Args...>(), Function::template graph<Args...>()}) {
    const tg::program p = tg::schedule::make_program(g);
    const auto found = tg::test::interpret(g, p, inputs);
    CHECK(tg::test::difference(tg::evaluate(g, inputs), found) == "");
  }
}

template <class T, std::size_t... E>
tensor<T, E...> filled(int seed) {
  tensor<T, E...> t;
  int k = seed;
  for (auto& x : t) {
    k = (k * 37 + 11) % 101;
    x = static_cast<T>(k - 50) / static_cast<T>(4);
  }
  return t;
}

TEST_CASE("a captured loop is the loop of C++") {
  const auto f = [](auto x, auto n) {
    auto sum = tg::zeros_like(x);
    auto last = x;
    for (auto i : tg::range(n)) {
      const auto t = x * i + last;
      sum = sum + t * t;
      last = last * 0.5f - i;
    }
    return std::tuple(sum, last);
  };
  const auto x = filled<float, 19>(3);
  for (int n : {0, 1, 2, 3, 10}) {
    const auto [sum, last] = tg::function(f)(x, n);
    for (std::size_t k = 0; k < x.size(); ++k) {
      float s = 0, l = x.data()[k];
      for (int i = 0; i < n; ++i) {
        volatile float p = x.data()[k] * static_cast<float>(i);
        volatile float t = p + l;
        volatile float q = t * t;
        s = s + q;
        volatile float half = l * 0.5f;
        l = half - static_cast<float>(i);
      }
      CHECK(sum.data()[k] == s);
      CHECK(last.data()[k] == l);
    }
    check_agreement("n turns", f, x, n);
  }
}

TEST_CASE("two variables that are handed on crosswise") {
  const auto fibonacci = [](auto n) {
    auto a = tg::zeros_like(n);
    auto b = tg::ones_like(n);
    for ([[maybe_unused]] auto i : tg::range(n, a, b)) {
      const auto t = a + b;
      a = b;
      b = t;
    }
    return std::tuple(a, b);
  };
  static_assert(tg::function(fibonacci)(10) == std::tuple(55, 89));
  CHECK(tg::function(fibonacci)(30) == std::tuple(832040, 1346269));
  CHECK(tg::function(fibonacci)(0) == std::tuple(0, 1));
  check_agreement("fibonacci", fibonacci, 17);
  const auto swap = [](auto x, auto y, auto n) {
    for ([[maybe_unused]] auto i : tg::range(n)) {
      auto t = x;
      x = y;
      y = t;
    }
    return std::tuple(x, y);
  };
  check_agreement("swapped an odd number of times", swap, filled<double, 5>(1), filled<double, 5>(2), 7);
  check_agreement("swapped an even number of times", swap, filled<double, 5>(1), filled<double, 5>(2),
                  4);
  check_agreement("not swapped", swap, filled<double, 5>(1), filled<double, 5>(2), -1);
}

TEST_CASE("loops in loops") {
  const auto f = [](auto x, auto n, auto m) {
    auto total = tg::zeros_like(x);
    for (auto i : tg::range(n)) {
      auto row = tg::zeros_like(x);  // of each turn anew
      for (auto j : tg::range(m, row)) row = row + x * (i + 1) + j;
      total = total + row * row;
    }
    return total;
  };
  const auto x = filled<int, 6>(2);
  const auto found = tg::function(f)(x, 4, 3);
  for (std::size_t k = 0; k < x.size(); ++k) {
    int total = 0;
    for (int i = 0; i < 4; ++i) {
      int row = 0;
      for (int j = 0; j < 3; ++j) row = row + x.data()[k] * (i + 1) + j;
      total = total + row * row;
    }
    CHECK(found.data()[k] == total);
  }
  check_agreement("nested", f, x, 4, 3);
  check_agreement("inner loop without a turn", f, x, 4, 0);
  check_agreement("outer loop without a turn", f, x, 0, 3);
}

TEST_CASE("products and reductions in a loop") {
  const auto power_iteration = [](auto a, auto v) {
    for ([[maybe_unused]] auto i : tg::range(20, v)) {
      v = tg::matmul(a, v);
      v = v / tg::sqrt(tg::sum(v * v));
    }
    return std::tuple(v, tg::sum(v * tg::matmul(a, v)));
  };
  check_agreement("power iteration", power_iteration, filled<double, 7, 7>(1), filled<double, 7>(4));
  const auto with_eye = [](auto a, auto n) {
    auto p = tg::matmul(a, tg::eye<float>(tg::shape<5>{}));
    for ([[maybe_unused]] auto i : tg::range(n)) p = tg::matmul(p, a) * 0.125f + tg::eye<float>(tg::shape<5>{});
    return tg::transpose(p);
  };
  check_agreement("powers of a matrix", with_eye, filled<float, 5, 5>(3), 6);
  check_agreement("no powers of a matrix", with_eye, filled<float, 5, 5>(3), 0);
  const auto softmaxes = [](auto x, auto n) {
    for ([[maybe_unused]] auto i : tg::range(n)) x = tg::softmax(tg::transpose(x)) * 3;
    return x;
  };
  check_agreement("softmax of the transposed", softmaxes, filled<float, 4, 4>(5), 3);
}

TEST_CASE("stencils in a loop") {
  const auto heat = [](auto u, auto n) {
    for ([[maybe_unused]] auto i : tg::range(n)) {
      const auto inner = tg::slice(u, section<1, -1>);
      const auto next = inner + 0.25 * (tg::slice(u, section<2>) - 2.0 * inner +
                                        tg::slice(u, section<0, -2>));
      u = tg::concat(axis<0>, tg::slice(u, section<0, 1>), next, tg::slice(u, section<-1>));
    }
    return u;
  };
  check_agreement("heat", heat, filled<double, 21>(1), 9);
}

TEST_CASE("while_loop") {
  const auto collatz = [](auto n) {
    return std::get<1>(tg::while_loop(
        [](auto m, auto) { return m > 1; },
        [](auto m, auto count) {
          return std::tuple(tg::where(m % 2 == 0, m / 2, 3 * m + 1), count + 1);
        },
        n, 0));
  };
  static_assert(tg::function(collatz)(7) == 16);
  CHECK(tg::function(collatz)(27) == 111);
  CHECK(tg::function(collatz)(97) == 118);
  CHECK(tg::function(collatz)(1) == 0);
  check_agreement("collatz", collatz, 7);
  const auto newton = [](auto a) {
    return tg::while_loop([&](auto x) { return tg::any(tg::abs(x * x - a) > a * 1e-12); },
                          [&](auto x) { return 0.5 * (x + a / x); }, a);
  };
  check_agreement("Newton's square roots", newton, tensor<double, 3>{1.0, 2.0, 1e6});
}

TEST_CASE("fori without a traced variable of its own") {
  const auto horner = [](auto x) {
    return tg::fori(10, [&](auto i, auto a) { return a * x + i; }, 1.0);
  };
  constexpr auto plain = [](double x) {
    double a = 1;
    for (int i = 0; i < 10; ++i) a = a * x + static_cast<double>(i);
    return a;
  };
  static_assert(tg::function(horner)(1.5) == plain(1.5));
  CHECK(decltype(tg::function(horner))::traced<double>().count("loop") == 1);
  check_agreement("Horner", horner, 0.75);
  constexpr auto of_integers = [](auto x) {
    return tg::fori(5, [&](auto i, auto a) { return a * x + i; }, tg::index{1});
  };
  static_assert(of_integers(tg::index{2}) == 58);  // the plain callable
  static_assert(tg::function(of_integers)(tg::index{2}) == 58);
}

TEST_CASE("scan and map") {
  const auto cumulative = [](auto xs, auto start) {
    return tg::scan([](auto sum, auto x) { return std::pair(sum + x, sum * 2); }, start, xs);
  };
  const auto xs = filled<int, 5, 3>(1);
  const tensor<int, 3> start{1, 2, 3};
  const auto [last, all] = tg::function(cumulative)(xs, start);
  const auto [last_plain, all_plain] = cumulative(xs, start);
  for (int c = 0; c < 3; ++c) {
    int sum = start(c);
    for (int r = 0; r < 5; ++r) {
      CHECK(all(r, c) == sum * 2);
      CHECK(all_plain(r, c) == sum * 2);
      sum += xs(r, c);
    }
    CHECK(last(c) == sum);
    CHECK(last_plain(c) == sum);
  }
  check_agreement("cumulative", cumulative, xs, start);
  const auto norms = [](auto x) {
    return tg::map([](auto row) { return tg::sum(row * row); }, tg::transpose(x));
  };
  check_agreement("norms of columns", norms, filled<float, 4, 6>(7));
  const auto both = [](auto a, auto b) {
    return tg::map([](auto rows) {
      auto& [x, y] = rows;
      return std::tuple(x + y, x * y, tg::ones_like(x));
    }, std::tuple(a, b));
  };
  check_agreement("rows of two", both, filled<float, 4, 2>(7), filled<float, 4, 2>(8));
}

TEST_CASE("long bodies, in every size of vector") {
  const auto f = [](auto x, auto y) {
    for (auto i : tg::range(7, x)) {
      auto t = x * 0.5f - y;
      for (int k = 0; k < 9; ++k) t = t * x + y * static_cast<float>(k);
      x = tg::sin(t) + i;
      y = tg::cos(y) * 0.5f;
    }
    return std::tuple(x, y);
  };
  check_agreement("scalars", f, 0.5f, 0.25f);
  check_agreement("16", f, filled<float, 16>(1), filled<float, 16>(2));
  check_agreement("17", f, filled<float, 17>(1), filled<float, 17>(2));
  check_agreement("3 x 65", f, filled<float, 3, 65>(1), filled<float, 3, 65>(2));
}

constexpr auto both = [](auto all, auto a) {
  return tg::scan(
      [&](auto carry, auto x) {
        const auto [c, d] = carry;
        return std::pair(std::tuple(c * 0.5 + x, d * a - c), std::tuple(c, c + x * d));
      },
      std::tuple(a, a * 2), all);
};
TEST_CASE("a scan of whose results only what is stacked is used, or only the last") {
  const auto xs = filled<double, 6>(4);
  check_agreement(
      "all",
      [](auto x, auto a) {
        const auto [last, all] = both(x, a);
        return std::tuple(std::get<0>(last), std::get<1>(last), std::get<0>(all), std::get<1>(all));
      },
      xs, 0.75);
  check_agreement(
      "one of the stacked", [](auto x, auto a) { return std::get<1>(both(x, a).second); }, xs, 0.75);
  check_agreement(
      "the other", [](auto x, auto a) { return std::get<0>(both(x, a).second); }, xs, 0.75);
  check_agreement(
      "the last of one", [](auto x, auto a) { return std::get<0>(both(x, a).first); }, xs, 0.75);
}

TEST_CASE("rows") {
  const auto f = [](auto x) {
    auto sum = tg::zeros<float>(tg::shape<3>{});
    for (auto row : tg::rows(x, sum)) sum = sum * 0.5f + row;
    return sum;
  };
  check_agreement("rows", f, filled<float, 6, 3>(2));
  check_agreement("no rows", f, tensor<float, 0, 3>{});
  CHECK(tg::test::same(tensor<float, 3>(f(filled<float, 6, 3>(2))), tg::function(f)(filled<float, 6, 3>(2))));
}

TEST_CASE("branches") {
  const auto f = [](auto x, auto n) {
    return tg::cond(tg::sum(x) > n, [&] { return std::tuple(x * 2, tg::sum(x)); },
                    [&] { return std::tuple(tg::flip(x, axis<0>) - 1, tg::max(x)); });
  };
  check_agreement("then", f, tensor<float, 3>{1, 2, 3}, 2.0f);
  check_agreement("otherwise", f, tensor<float, 3>{1, 2, 3}, 20.0f);
  const auto g = [](auto x, auto n) {
    return tg::switch_(n, [&] { return x + 1; }, [&] { return x * x; }, [&] { return x; });
  };
  const tensor<int, 3> x{1, 2, 3};
  for (int n = -1; n < 5; ++n) {
    const auto found = tg::function(g)(x, n);
    for (int i = 0; i < 3; ++i)
      CHECK(found(i) == (n <= 0 ? x(i) + 1 : n == 1 ? x(i) * x(i) : x(i)));
    check_agreement("switch_", g, x, n);
  }
  const auto inside = [](auto y, auto n) {
    for (auto i : tg::range(n))
      y = tg::cond(i % 2 == 0, [&] { return y * 3; }, [&] { return y + i; });
    return y;
  };
  check_agreement("a branch in a loop", inside, x, 6);
  const auto around = [](auto y, auto n) {
    return tg::cond(n > 3, [&] {
      auto z = y;
      for (auto i : tg::range(n)) z = z + y * i;
      return z;
    }, [&] { return y; });
  };
  check_agreement("a loop in a branch", around, x, 6);
  check_agreement("a loop in a branch, not taken", around, x, 2);
}

}  // namespace
