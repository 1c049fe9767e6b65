// Reductions in blocks, of all element types, special values and nothing; softmax and its kin.
// SPDX-License-Identifier: BSL-1.0
#include <support/agree.hpp>

#include <cstdint>
#include <tuple>

namespace {

namespace tg = tfgraph;
using tfgraph::test::numbers;
using tfgraph::test::specials;
using tg::axis;
using tg::tensor;

const auto m = numbers<tensor<float, 7, 19>>(2);
const auto long_row = specials<tensor<float, 9001>>(11, 12);

TFGRAPH_AGREE("blocks of a long row", ([](auto x) {
                auto small = tg::where(tg::abs(x) < 200, x, 0.25);
                return std::tuple(tg::sum(small), tg::sum(small * small), tg::prod(small * 0 + 1.0001));
              }), long_row)
TFGRAPH_AGREE("blocks of many rows", ([](auto x) {
                return std::tuple(tg::sum(tg::sin(x), axis<0>), tg::sum(tg::sin(x), axis<0, 1>));
              }), numbers<tensor<float, 130, 3, 5>>(1))
TFGRAPH_AGREE("many rows of several elements", ([](auto x) { return tg::sum(tg::sin(x), axis<0, 2>); }),
              numbers<tensor<float, 130, 2, 33>>(1))
TFGRAPH_AGREE("integers", ([](auto x) {
                return std::tuple(tg::sum(x), tg::prod(x, axis<0>), tg::max(x, axis<1>), tg::min(x),
                                  tg::argmin(x, axis<0>));
              }), specials<tensor<std::int8_t, 5, 67>>(3, 2))
TFGRAPH_AGREE("unsigned integers", ([](auto x) {
                return std::tuple(tg::sum(x * x), tg::prod(x, axis<0>), tg::max(x, axis<1>),
                                  tg::min(x), tg::argmax(x));
              }), specials<tensor<std::uint64_t, 5, 11>>(3, 2))
TFGRAPH_AGREE("booleans", ([](auto x) {
                return std::tuple(tg::any(x > 2), tg::all(x > -5, axis<0>), tg::any(x == 4, axis<1>));
              }), m)
TFGRAPH_AGREE("special values", ([](auto x) {
                return std::tuple(tg::max(x, axis<1>), tg::min(x, axis<0>), tg::sum(x, axis<1>),
                                  tg::argmax(x, axis<0>), tg::argmin(x, axis<1>), tg::max(x));
              }), specials<tensor<double, 12, 11>>(3))
TFGRAPH_AGREE("nothing", ([](auto x) {
                return std::tuple(tg::sum(x, axis<0>), tg::prod(x, axis<0>), tg::sum(x, axis<1>),
                                  tg::all(x > 0), tg::max(x, axis<1>));
              }), (tensor<float, 0, 3>()))
TFGRAPH_AGREE("reduced and unreduced", ([](auto x) {
                auto y = x * 2;
                auto total = tg::sum(y, axis<-1>, tg::keepdims);
                return std::tuple(y / total, total, y);
              }), m)

// ---- composites ---------------------------------------------------------------------------------

TFGRAPH_AGREE("softmax", ([](auto x) { return tg::softmax(x); }), m)
TFGRAPH_AGREE("softmax along the first axis", ([](auto x) { return tg::softmax(x * 3, axis<0>); }), m)
TFGRAPH_AGREE("log_softmax and logsumexp", ([](auto x) {
                return std::tuple(tg::log_softmax(x), tg::logsumexp(x, axis<0>),
                                  tg::logsumexp(x, axis<0, 1>));
              }), m)
TFGRAPH_AGREE("mean and var", ([](auto x) {
                return std::tuple(tg::mean(x), tg::var(x), tg::var(x, axis<0>),
                                  tg::mean(x, axis<1>, tg::keepdims));
              }), m)
TFGRAPH_AGREE("layer norm", ([](auto x, auto gain, auto bias) {
                auto centred = x - tg::mean(x, axis<-1>, tg::keepdims);
                auto scale = tg::rsqrt(tg::var(x, axis<-1>, tg::keepdims) + 1e-5);
                return centred * scale * gain + bias;
              }), m, numbers<tensor<float, 19>>(3), numbers<tensor<float, 19>>(4))

}  // namespace
