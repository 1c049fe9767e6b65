// Functions that the running program traces: arguments whose element type, rank and extents are
// values, and callables that captured something.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/reference.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

namespace tg = tfgraph;
using tfgraph::test::numbers;
using tfgraph::test::same;
using tg::any_tensor;
using tg::axis;
using tg::dtype;
using tg::dyn;
using tg::index;
using tg::tensor;

template <class Tensor>
bool equals(const any_tensor& a, const Tensor& b) {
  using T = typename Tensor::value_type;
  if (a.dtype() != tg::dtype_of<T> || !(a.shape() == tg::extents_of(b))) return false;
  const auto elements = a.as<T>();
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!same(elements.data()[i], b.data()[i])) return false;
  return true;
}

/// A function of any tensors gives what it gives for tensors of static extents, which other tests
/// check.
template <class F, class... Args>
void check(F f, const Args&... args) {
  const auto traced = tg::function(f);
  const auto expected = traced(args...);
  const auto found = traced(any_tensor(args)...);
  if constexpr (tg::detail::is_any<std::remove_const_t<decltype(found)>>) {
    if constexpr (std::is_arithmetic_v<std::remove_const_t<decltype(expected)>>)
      CHECK(same(found.template item<std::remove_const_t<decltype(expected)>>(), expected));
    else CHECK(equals(found, expected));
  } else {
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      const auto check_result = [](const auto& a, const auto& b) {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(b)>>)
          CHECK(same(a.template item<std::remove_cvref_t<decltype(b)>>(), b));
        else CHECK(equals(a, b));
      };
      (check_result(std::get<K>(found), std::get<K>(expected)), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(found)>>>{});
  }
}

template <class T>
void check_elementwise() {
  check([](auto x, auto y) { return std::tuple(x * y + x, x - y, -x, tg::maximum(x, y), x < y); },
        numbers<tensor<T, 5, 7>>(1), numbers<tensor<T, 7>>(2));
  check(
      [](auto x, auto y) {
        return std::tuple(tg::where(x == y, x, y * 2), tg::abs(x), tg::astype<float>(x) / 4,
                          tg::astype<std::int16_t>(y));
      },
      numbers<tensor<T, 300>>(1), numbers<tensor<T, 300>>(2));
  check(
      [](auto x) {
        return std::tuple(tg::sum(x, axis<0>), tg::prod(x, axis<1>),
                          tg::max(x, axis<0, 1>, tg::keepdims), tg::min(x, axis<-1>));
      },
      numbers<tensor<T, 9, 33>>(3));
  check([](auto x) { return std::tuple(tg::argmax(x), tg::argmin(x, axis<1>)); },
        numbers<tensor<T, 9, 33>>(4));
  check([](auto a, auto b) { return tg::matmul(a, b); }, numbers<tensor<T, 5, 9>>(1),
        numbers<tensor<T, 9, 6>>(2));
  check([](auto x) { return std::tuple(tg::transpose(x), tg::flip(x, axis<0>), tg::pow(x, 3)); },
        numbers<tensor<T, 4, 6>>(3));
}

TEST_CASE("every element type") {
  check_elementwise<std::int8_t>();
  check_elementwise<std::int64_t>();
  check_elementwise<std::uint16_t>();
  check_elementwise<float>();
  check_elementwise<double>();
}

TEST_CASE("functions of several kernels") {
  check([](auto x, auto w, auto b) { return tg::softmax(tg::relu(tg::matmul(x, w) + b)); },
        numbers<tensor<float, 8, 5>>(1), numbers<tensor<float, 5, 10>>(2),
        numbers<tensor<float, 10>>(3));
  check(
      [](auto x) {
        return std::tuple(tg::var(x, axis<1>), tg::mean(x), tg::logsumexp(x, axis<0>),
                          tg::log_softmax(x), x + tg::ones_like(x));
      },
      numbers<tensor<double, 6, 40>>(1));
  check([](auto x) { return tg::one_hot<float>(x, tg::constant_c<5>); },
        tensor<std::int32_t, 3>{1, 4, 7});
  check(
      [](auto x, auto y) {
        return std::tuple(tg::concat(axis<0>, x, y), tg::stack(axis<1>, x, y),
                          tg::slice(x, tg::section<1, tg::end, 2>),
                          tg::reshape(x, tg::shape<2, dyn>{}), tg::expand_dims(y, axis<0>));
      },
      numbers<tensor<float, 6, 4>>(1), numbers<tensor<float, 6, 4>>(2));
  check([](auto x) { return x + tg::arange<int>(tg::constant_c<3>) * 2; }, tensor<int, 2, 3>{});
}

TEST_CASE("any tensors beside others") {
  constexpr auto f = tg::function([](auto x, auto y, auto n) { return x * y + n; });
  const any_tensor x = tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}};
  CHECK(equals(f(x, tensor<float, 3>{1, 2, 3}, tg::constant_c<1>),
               tensor<float, 2, 3>{{2, 5, 10}, {5, 11, 19}}));
  CHECK(equals(f(x, 2.0f, 1.0f), tensor<float, 2, 3>{{3, 5, 7}, {9, 11, 13}}));
  CHECK(equals(x + x * 2, tensor<float, 2, 3>{{3, 6, 9}, {12, 15, 18}}));
  CHECK(equals(tg::sum(x, axis<0>), tensor<float, 3>{5, 7, 9}));
  int n = 2;
  CHECK(equals(tg::pow(x, n), tensor<float, 2, 3>{{1, 4, 9}, {16, 25, 36}}));
}

TEST_CASE("element types are promoted, or refused with the operator's sentence") {
  constexpr auto f = tg::function([](auto x, auto y) { return x + y; });
  const any_tensor i = tensor<int, 2>{1, 2};
  const any_tensor d = tensor<double, 2>{0.5, 1};
  const any_tensor s = tensor<float, 2>{0.5, 1};
  CHECK(equals(f(s, d), tensor<double, 2>{1, 2}));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(f(i, d)),
      "add: the element types int32 and float64 do not mix; convert one with astype",
      tg::dtype_error);
  CHECK_THROWS_AS(static_cast<void>(i * 2.5), tg::dtype_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(tg::exp(i)),
                       "exp: argument 1 must have a floating-point type, not int32",
                       tg::dtype_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(f(d, any_tensor(tensor<double, 3>{}))),
                       "add: the shapes (2) and (3) do not broadcast together", tg::shape_error);
  // Nothing is left behind.
  CHECK(equals(f(d, d), tensor<double, 2>{1, 2}));
}

TEST_CASE("traces: one for the first shape, one for any") {
  const auto f = tg::function([](auto x) { return tg::sum(x) * 2; });
  for (index n = 1; n <= 100; ++n) {
    any_tensor ones(dtype::float32, {n});
    for (float& e : ones.as<float>()) e = 1;
    CHECK(f(ones).template item<float>() == static_cast<float>(2 * n));
  }
  CHECK(f.trace_count() == 2);
  CHECK(f.cache_info().size == 100);
  CHECK(f(any_tensor(dtype::float64, {3, 4})).template item<double>() == 0);
  CHECK(f.trace_count() == 3);
}

TEST_CASE("options: capacity, and a trace for every shape") {
  const auto f = tg::function<tg::options{.capacity = 3, .relax_shapes = false}>([](auto x) {
    // The extent is a number of the trace.
    return x * static_cast<float>(x.extent(0));
  });
  const auto call = [&f](index n) {
    return f(any_tensor(tg::dtype::float32, {n})).size() == static_cast<std::size_t>(n);
  };
  for (index n : {1, 2, 3, 1, 4}) CHECK(call(n));
  CHECK(f.cache_info().size == 3);
  CHECK(f.trace_count() == 4);
  CHECK(call(1));  // 2 was the one unused for longest
  CHECK(f.trace_count() == 4);
  CHECK(call(2));
  CHECK(f.trace_count() == 5);
  // Without options too: a callable that asks for extents is traced for every shape.
  const auto g = tg::function([](auto x) { return x * static_cast<float>(x.extent(0)); });
  for (index n : {1, 2, 3}) {
    any_tensor ones(dtype::float32, {n});
    for (float& e : ones.as<float>()) e = 1;
    const any_tensor result = g(ones);
    CHECK(result.as<float>()(0) == static_cast<float>(n));
  }
  CHECK(g.trace_count() == 3);
}

TEST_CASE("into an any tensor, which takes the type of the result, and may overlap") {
  constexpr auto f = tg::function([](auto x) { return tg::transpose(x) + 1; });
  any_tensor x = tensor<int, 2, 3>{{1, 2, 3}, {4, 5, 6}};
  any_tensor out;
  f.into(out, x);
  CHECK(equals(out, tensor<int, 3, 2>{{2, 5}, {3, 6}, {4, 7}}));
  f.into(out, out);
  CHECK(equals(out, tensor<int, 2, 3>{{3, 4, 5}, {6, 7, 8}}));
  tensor<int, 3, 2> typed;
  f.into(typed, x);
  CHECK(typed == tensor<int, 3, 2>{{2, 5}, {3, 6}, {4, 7}});
  tensor<int, 2, 2> wrong;
  CHECK_THROWS_AS(f.into(wrong, x), tg::shape_error);
}

TEST_CASE("borrowed elements at any strides") {
  constexpr auto f = tg::function([](auto x) { return x * 2; });
  const float data[6] = {0, 1, 2, 3, 4, 5};
  const tg::view<const float, dyn> odd(data + 1, {3}, tg::strides{{2}});
  CHECK(equals(f(any_tensor::borrow(odd)), tensor<float, 3>{2, 6, 10}));
}

// ---- closures -----------------------------------------------------------------------------------

TEST_CASE("captured tensors are inputs by reference, numbers are part of the graph") {
  tensor<float, 3> w{1, 2, 3};
  float scale = 2;
  const auto f = tg::function([&w, scale](auto x) { return x * w * scale; });
  const tensor<float, 2, 3> x{{1, 1, 1}, {2, 2, 2}};
  const tensor<float, 2, 3> y = f(x);  // static extents stay static
  CHECK(y == tensor<float, 2, 3>{{2, 4, 6}, {4, 8, 12}});
  w(0) = 10;
  scale = 3;
  CHECK(f(x) == tensor<float, 2, 3>{{20, 4, 6}, {40, 8, 12}});
  CHECK(f.trace_count() == 1);

  const auto by_value = tg::function([w](auto v) { return v + w; });
  w(0) = 0;
  CHECK(by_value(x) == tensor<float, 2, 3>{{11, 3, 4}, {12, 4, 5}});
  const auto copy = by_value;
  CHECK(copy(x) == tensor<float, 2, 3>{{11, 3, 4}, {12, 4, 5}});
}

TEST_CASE("tensors made by the callable are constants") {
  int n = 1;
  const auto f = tg::function([n](auto x) {
    const tensor<float, 3> local{1, 2, static_cast<float>(n)};
    std::vector<tensor<float, 3>> more{local, local};
    return x + local * more[1];
  });
  const tensor<float, 3> x{1, 1, 1};
  CHECK(f(x) == tensor<float, 3>{2, 5, 2});
  CHECK(f(x) == tensor<float, 3>{2, 5, 2});
}

struct dense {
  tg::variable<float, 3, 2> w;
  constexpr auto operator()(const auto& x) const { return tg::matmul(x, w); }
};

TEST_CASE("captured variables, views and tensors of dynamic extents") {
  dense layer;
  layer.w.assign({{1, 2}, {3, 4}, {5, 6}});
  const auto f = tg::function([&layer](auto x) { return layer(x) + 1; });
  CHECK(f(tensor<float, 1, 3>{{1, 1, 1}}) == tensor<float, 1, 2>{{10, 13}});
  layer.w.assign({{0, 0}, {0, 0}, {0, 1}});
  CHECK(f(tensor<float, 1, 3>{{1, 1, 1}}) == tensor<float, 1, 2>{{1, 2}});

  float data[6] = {0, 1, 2, 3, 4, 5};
  const tg::view<float, 3> even(data, {3}, tg::strides{{2}});
  tensor<float, dyn> d{1, 1, 1};
  const auto g = tg::function([even, &d](auto x) { return x * d + even; });
  CHECK(g(tensor<float, 3>{1, 1, 1}) == tensor<float, 3>{1, 3, 5});
  data[2] = 9;
  CHECK(g(tensor<float, 3>{1, 1, 1}) == tensor<float, 3>{1, 10, 5});
  d = tensor<float, dyn>{1, 2};
  CHECK_THROWS_AS(static_cast<void>(g(tensor<float, 3>{1, 1, 1})), tg::signature_error);
}

TEST_CASE("a callable that throws leaves nothing behind") {
  bool fails = true;
  const auto f = tg::function([&fails](auto x) {
    if (fails) throw std::runtime_error("not yet");
    return x + 1;
  });
  const tensor<int, 2> x{1, 2};
  CHECK_THROWS_AS(static_cast<void>(f(x)), std::runtime_error);
  fails = false;
  CHECK(f(x) == tensor<int, 2>{2, 3});
  CHECK(f.cache_info().size == 1);
}

TEST_CASE("calls from many threads") {
  const auto f = tg::function([](auto x) { return tg::sum(x * x); });
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&f, &wrong, t] {
      for (index i = 0; i < 300; ++i) {
        const index n = 1 + (i * 7 + static_cast<index>(t)) % 40;
        any_tensor twos(dtype::float32, {n});
        for (float& e : twos.as<float>()) e = 2;
        if (f(twos).template item<float>() != static_cast<float>(4 * n)) ++wrong[t];
      }
    });
  for (std::thread& t : threads) t.join();
  for (int n : wrong) CHECK(n == 0);
}

}  // namespace
