// Structured arguments and results: tuples, pairs, arrays, Hana tuples, aggregates and mixtures.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/tfgraph.hpp>

#include <support/check.hpp>

#include <boost/hana/integral_constant.hpp>
#include <boost/hana/tuple.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace {

namespace tg = tfgraph;
namespace hana = boost::hana;
using tg::tensor;
using vec = tensor<int, 3>;

template <class X, class Y>
struct both {
  X x;
  Y y;
};
template <class X, class Y>
both(X, Y) -> both<X, Y>;  // clang 16 does not deduce aggregates
template <class X>
struct twice {
  X first;
  X second;
};
template <class X>
twice(X, X) -> twice<X>;

constexpr void tuples() {
  constexpr auto f = tg::function([](auto t) {
    auto [a, b] = t;
    return std::tuple(a + b, a - b, tg::sum(a * b));
  });
  const auto [sum, difference, product] = f(std::tuple(vec{1, 2, 3}, vec{10, 20, 30}));
  TFGRAPH_CHECK(sum == vec{11, 22, 33} && difference == vec{-9, -18, -27});
  TFGRAPH_CHECK(product == 10 + 40 + 90);
  static_assert(std::is_same_v<decltype(f(std::tuple(vec{}, vec{}))), std::tuple<vec, vec, int>>);
}
TFGRAPH_BOTH(tuples);

constexpr void pairs() {
  constexpr auto f = tg::function([](auto p) { return std::pair(p.second, p.first * 2); });
  const std::pair<int, vec> r = f(std::pair(vec{1, 2, 3}, 7));
  TFGRAPH_CHECK(r.first == 7 && r.second == vec{2, 4, 6});
}
TFGRAPH_BOTH(pairs);

constexpr void arrays() {
  constexpr auto f = tg::function([](auto a) { return std::array{a[0] + a[1], a[1] * a[2]}; });
  const std::array<vec, 2> r = f(std::array<vec, 3>{vec{1, 2, 3}, vec{4, 5, 6}, vec{7, 8, 9}});
  TFGRAPH_CHECK(r[0] == vec{5, 7, 9} && r[1] == vec{28, 40, 54});
}
TFGRAPH_BOTH(arrays);

constexpr void hana_tuples() {
  constexpr auto f = tg::function([](auto t) {
    return hana::make_tuple(hana::at_c<1>(t) - hana::at_c<0>(t), hana::at_c<0>(t));
  });
  const auto r = f(hana::make_tuple(vec{1, 2, 3}, vec{10, 10, 10}));
  TFGRAPH_CHECK(hana::at_c<0>(r) == vec{9, 8, 7} && hana::at_c<1>(r) == vec{1, 2, 3});
}
TFGRAPH_BOTH(hana_tuples);

constexpr void aggregates() {
  constexpr auto f = tg::function([](auto s) { return both{s.y * 2, tg::sum(s.x)}; });
  const both<tensor<float, 2>, int> r = f(both{vec{1, 2, 3}, tensor<float, 2>{1.5f, 2.5f}});
  TFGRAPH_CHECK(r.x == tensor<float, 2>{3, 5} && r.y == 6);

  constexpr auto swap = tg::function([](auto s) { return twice{s.second, s.first}; });
  const twice<vec> swapped = swap(twice<vec>{{1, 2, 3}, {4, 5, 6}});
  TFGRAPH_CHECK(swapped.first == vec{4, 5, 6} && swapped.second == vec{1, 2, 3});
}
TFGRAPH_BOTH(aggregates);

constexpr void mixtures() {
  constexpr auto f = tg::function([](auto s, auto c) {
    auto [a, rest] = s;
    return std::pair(both{rest[0].x + a, std::tuple(rest[1].y, c)},
                     hana::make_tuple(rest[0].y * rest[1].x));
  });
  using item = both<vec, vec>;
  const auto r = f(std::tuple(vec{1, 1, 1}, std::array{item{{1, 2, 3}, {4, 5, 6}},
                                                       item{{7, 8, 9}, {10, 11, 12}}}),
                   5);
  TFGRAPH_CHECK(r.first.x == vec{2, 3, 4});
  TFGRAPH_CHECK(std::get<0>(r.first.y) == vec{10, 11, 12} && std::get<1>(r.first.y) == 5);
  TFGRAPH_CHECK(hana::at_c<0>(r.second) == vec{28, 40, 54});
}
TFGRAPH_BOTH(mixtures);

constexpr void results_in_existing_structures() {
  constexpr auto f = tg::function([](auto x) { return std::tuple(x + 1, tg::sum(x)); });
  std::tuple<vec, int> out;
  f.into(out, vec{1, 2, 3});
  TFGRAPH_CHECK(std::get<0>(out) == vec{2, 3, 4} && std::get<1>(out) == 6);
}
TFGRAPH_BOTH(results_in_existing_structures);

constexpr void static_values_in_structures() {
  constexpr auto f = tg::function([](auto s) {
    return std::get<0>(s) * std::get<1>(s) + tg::sum(tg::arange<int>(std::get<2>(s)));
  });
  const vec r = f(std::tuple(vec{1, 2, 3}, tg::constant_c<10>, hana::size_c<4>));
  TFGRAPH_CHECK(r == vec{16, 26, 36});
}
TFGRAPH_BOTH(static_values_in_structures);

}  // namespace
