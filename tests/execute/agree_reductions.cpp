// Reductions over every subset of axes, with their producers fused.
// SPDX-License-Identifier: BSL-1.0
#include <support/agree.hpp>

#include <tuple>

namespace {

namespace tg = tfgraph;
using tfgraph::test::numbers;
using tg::axis;
using tg::tensor;

const auto m = numbers<tensor<float, 7, 19>>(2);
const auto x4 = numbers<tensor<float, 3, 4, 5, 6>>(5);

// ---- every subset of axes -----------------------------------------------------------------------

#define SUBSETS(name, f)                                                                            \
  TFGRAPH_AGREE(name " over one axis", ([](auto x) {                                                \
                  return std::tuple(f(x, axis<0>), f(x, axis<1>), f(x, axis<2>), f(x, axis<-1>));   \
                }), x4)                                                                             \
  TFGRAPH_AGREE(name " over two axes", ([](auto x) {                                                \
                  return std::tuple(f(x, axis<0, 1>), f(x, axis<0, 2>), f(x, axis<0, 3>),           \
                                    f(x, axis<1, 2>), f(x, axis<1, 3>), f(x, axis<2, 3>));          \
                }), x4)                                                                             \
  TFGRAPH_AGREE(name " over more axes", ([](auto x) {                                               \
                  return std::tuple(f(x, axis<0, 1, 2>), f(x, axis<0, 1, 3>), f(x, axis<0, 2, 3>),  \
                                    f(x, axis<1, 2, 3>), f(x), f(x, axis<0, 2>, tg::keepdims));     \
                }), x4)

#define OF_PRODUCER(x, ...) tg::sum(tg::exp(x * 0.5) - x __VA_OPT__(, ) __VA_ARGS__)
#define POSITION(...) tg::argmax(__VA_ARGS__)
SUBSETS("sum of computed elements", OF_PRODUCER)
SUBSETS("position of the largest", POSITION)

TFGRAPH_AGREE("columns of a transpose", ([](auto x) { return tg::sum(tg::transpose(x) * 2, axis<0>); }), m)
TFGRAPH_AGREE("rows of a transpose", ([](auto x) { return tg::sum(tg::transpose(x) * 2, axis<1>); }), m)
TFGRAPH_AGREE("all of a slice backwards", ([](auto x) {
                return tg::sum(tg::slice(x, tg::section<tg::end, tg::end, -2>, tg::section<1, -1>) + 1);
              }), m)
TFGRAPH_AGREE("sums of broadcasts", ([](auto x, auto r) {
                return std::tuple(tg::sum(x * r, axis<1>), tg::sum(x * r, axis<0>), tg::sum(x * r));
              }), m, numbers<tensor<float, 19>>(3))
TFGRAPH_AGREE("sums of an outer product", ([](auto c, auto r) {
                return std::tuple(tg::sum(c * r, axis<1>), tg::sum(c * r, axis<0>), tg::sum(c * r));
              }), numbers<tensor<float, 5, 1>>(1), numbers<tensor<float, 21>>(3))
TFGRAPH_AGREE("sums of sums", ([](auto x) { return tg::sum(tg::sum(x, axis<-1>) * 3, axis<0>); }), x4)
}  // namespace
