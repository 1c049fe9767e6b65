// Operators along an axis, of operands that are computed, or lie in memory in any way.
// SPDX-License-Identifier: BSL-1.0
#include <support/agree.hpp>

#include <tuple>

namespace {

namespace tg = tfgraph;
using tfgraph::test::numbers;
using tg::axis;
using tg::tensor;

const auto m = numbers<tensor<float, 7, 19>>(2);
const auto x3 = numbers<tensor<double, 3, 4, 5>>(5);
const tensor<int, 5> where{1, -1, 0, 2, 1};

TFGRAPH_AGREE("take of what is computed, used further", ([](auto x, auto i) {
                return tg::exp(tg::take(x * 2 + 1, i, axis<0>)) - 1;
              }), m, where)
TFGRAPH_AGREE("take of a transpose, a slice and a broadcast", ([](auto x, auto i) {
                return std::tuple(
                    tg::take(tg::transpose(x), i, axis<1>),
                    tg::take(tg::slice(x, tg::section<1>, tg::section<tg::end, tg::end, -2>), i, axis<0>),
                    tg::take(tg::broadcast_to(x, tg::shape<2, 7, 19>{}), i, axis<-2>));
              }), m, where)
TFGRAPH_AGREE("take by computed indices", ([](auto x) {
                return tg::take(x, tg::argmax(x, axis<0>), axis<0>);
              }), numbers<tensor<float, 6, 4>>(3))
TFGRAPH_AGREE("take of a part of a concatenation", ([](auto x, auto i) {
                return tg::concat(axis<0>, tg::take(x, i, axis<0>), x);
              }), m, where)
TFGRAPH_AGREE("take of constants", ([](auto x, auto i) {
                return tg::take(tg::arange<float>(tg::constant_c<9>), i, axis<0>) + tg::sum(x);
              }), m, where)
TFGRAPH_AGREE("scatter_add to zeros and to numbers", ([](auto x, auto i) {
                const auto taken = tg::take(x, i, axis<1>);
                return std::tuple(tg::scatter_add(tg::zeros_like(x), i, taken, axis<1>),
                                  tg::scatter_add(x + 1, i, taken * taken, axis<1>));
              }), x3, where)
TFGRAPH_AGREE("cumulative sums over every axis", ([](auto x) {
                return std::tuple(tg::cumulative_sum(x, axis<0>), tg::cumulative_sum(x * x, axis<1>),
                                  tg::sum(tg::cumulative_sum(tg::flip(x, axis<2>), axis<2>), axis<0>));
              }), x3)

// Of dynamic extents, with one function for all of them.
TEST_CASE("extents that only the running program knows") {
  constexpr auto f = tg::function([](auto x, auto i) {
    return tg::cumulative_sum(tg::take(x + 1, i, axis<0>), axis<1>);
  });
  for (const std::size_t n : {1u, 3u, 20u}) {
    tensor<float, tg::dyn, tg::dyn> x(n, 2 * n);
    tensor<int, tg::dyn> i(n + 2);
    for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<float>(k % 13);
    for (std::size_t k = 0; k < i.size(); ++k) i(k) = static_cast<int>((k * 7) % n);
    const tensor<float, tg::dyn, tg::dyn> found = f(x, i);
    const tg::any_tensor any = f(tg::any_tensor(x), tg::any_tensor(i));
    for (std::size_t a = 0; a < n + 2; ++a) {
      float sum = 0;
      for (std::size_t b = 0; b < 2 * n; ++b) {
        sum += x(static_cast<std::size_t>(i(a)), b) + 1;
        CHECK(found(a, b) == sum);
        CHECK(any.as<float, tg::dyn, tg::dyn>()(a, b) == sum);
      }
    }
  }
}

}  // namespace
