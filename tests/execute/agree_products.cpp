// Products, concatenations, and generated tensors in the middle of a graph.
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

const auto a = numbers<tensor<float, 5, 7>>(1);
const auto b = numbers<tensor<float, 7, 19>>(2);

// ---- products -----------------------------------------------------------------------------------

TFGRAPH_AGREE("matrices", ([](auto x, auto y) { return tg::matmul(x, y); }), a, b)
TFGRAPH_AGREE("with bias and activation", ([](auto x, auto y, auto bias) {
                return tg::relu(tg::matmul(x, y) + bias);
              }), a, b, numbers<tensor<float, 19>>(3))
TFGRAPH_AGREE("with a column and a number", ([](auto x, auto y, auto c) {
                return (tg::matmul(x, y) - c) * 0.5 + tg::matmul(x, y);
              }), a, b, numbers<tensor<float, 5, 1>>(3))
TFGRAPH_AGREE("vectors", ([](auto x, auto y, auto u, auto w) {
                return std::tuple(tg::matmul(x, u), tg::matmul(u, y), tg::matmul(u, u) + 1,
                                  tg::matmul(x, u) * w);
              }), a, b, numbers<tensor<float, 7>>(3), numbers<tensor<float, 5>>(4))
TFGRAPH_AGREE("transposed factors", ([](auto x, auto y) {
                return std::tuple(tg::matmul(tg::transpose(y), tg::transpose(x)),
                                  tg::matmul(x, tg::transpose(x)), tg::matmul(tg::transpose(y), y));
              }), a, b)
TFGRAPH_AGREE("computed factors", ([](auto x, auto y) {
                return tg::matmul(x * 2 + 1, tg::abs(y)) + tg::sum(x);
              }), a, b)
TFGRAPH_AGREE("sliced factors", ([](auto x, auto y) {
                return tg::matmul(tg::slice(x, tg::all, tg::section<tg::end, 2, -1>),
                                  tg::slice(y, tg::section<0, 4>, tg::section<1, tg::end, 3>));
              }), a, b)
TFGRAPH_AGREE("batches", ([](auto x, auto y) { return tg::matmul(x, y) * 2; }),
              numbers<tensor<float, 3, 4, 5>>(1), numbers<tensor<float, 3, 5, 6>>(2))
TFGRAPH_AGREE("broadcast batches", ([](auto x, auto y, auto z) {
                return std::tuple(tg::matmul(x, y) + z, tg::matmul(x, z), tg::matmul(z, y));
              }), numbers<tensor<double, 2, 1, 4, 4>>(1), numbers<tensor<double, 3, 4, 4>>(2),
              numbers<tensor<double, 4, 4>>(3))
TFGRAPH_AGREE("a product as result and as operand", ([](auto x, auto y) {
                auto p = tg::matmul(x, y);
                return std::tuple(p, tg::exp(p * 0.1), tg::sum(p, axis<0>));
              }), a, b)
TFGRAPH_AGREE("products of integers", ([](auto x, auto y) { return tg::matmul(x, y) + 1; }),
              numbers<tensor<std::int32_t, 3, 20>>(1), numbers<tensor<std::int32_t, 20, 9>>(2))
TFGRAPH_AGREE("integers divided in a tail", ([](auto x, auto y, auto z) {
                return std::tuple((tg::matmul(x, y) + 7) / (z * z + 1), z % (z * 2 + 1),
                                  tg::sum(100 / (z * z + 1)), z / (tg::matmul(x, y) * 2 + 1),
                                  z / tg::arange<std::int32_t>(tg::constant_c<-9>, tg::constant_c<0>));
              }), numbers<tensor<std::int32_t, 3, 20>>(1), numbers<tensor<std::int32_t, 20, 9>>(2),
              numbers<tensor<std::int32_t, 9>>(3))
TFGRAPH_AGREE("products of bytes", ([](auto x, auto y) { return tg::matmul(x, y); }),
              specials<tensor<std::uint8_t, 3, 20>>(1), specials<tensor<std::uint8_t, 20, 9>>(2, 3))
TFGRAPH_AGREE("an empty product", ([](auto x, auto y) { return tg::matmul(x, y) + 1; }),
              (tensor<float, 3, 0>()), (tensor<float, 0, 4>()))
TFGRAPH_AGREE("two layers", ([](auto x, auto w, auto u) {
                return tg::softmax(tg::matmul(tg::tanh(tg::matmul(x, w)), u));
              }), a, b, numbers<tensor<float, 19, 3>>(5))
TFGRAPH_AGREE("distances", ([](auto x, auto y) {
                auto d = tg::expand_dims(x, axis<1>) - tg::expand_dims(y, axis<0>);
                return tg::argmin(tg::sum(d * d, axis<-1>), axis<-1>);
              }), numbers<tensor<float, 6, 9>>(1), numbers<tensor<float, 4, 9>>(2))
TFGRAPH_AGREE("a product by generated matrices", ([](auto x) {
                return std::tuple(tg::matmul(x, tg::eye<float>(tg::shape<7, 7>{})),
                                  tg::matmul(x, tg::ones<float>(tg::shape<7, 2>{})),
                                  tg::matmul(x, tg::arange<float>(tg::constant_c<7>)));
              }), a)

// ---- side by side -------------------------------------------------------------------------------

TFGRAPH_AGREE("concat of computed parts", ([](auto x, auto y) {
                return tg::concat(axis<1>, x * 2, tg::transpose(tg::slice(y, tg::all, tg::section<0, 5>)),
                                  x);
              }), a, numbers<tensor<float, 9, 8>>(3))
TFGRAPH_AGREE("concat that is used further", ([](auto x) {
                return tg::sum(tg::concat(axis<0>, x, -x, x + 1) * 3, axis<0>);
              }), a)
TFGRAPH_AGREE("sums side by side", ([](auto x) {
                return tg::concat(axis<-1>, tg::sum(x, axis<0>), tg::sum(x, axis<1>), tg::matmul(x, tg::sum(x, axis<0>)));
              }), a)
TFGRAPH_AGREE("columns side by side", ([](auto x, auto y) {
                return tg::concat(axis<-1>, tg::sum(x, axis<0, 1>), y);
              }), numbers<tensor<double, 3, 4, 2, 4>>(1), numbers<tensor<double, 2, 3>>(2))
TFGRAPH_AGREE("stack", ([](auto x, auto y) {
                return std::tuple(tg::stack(axis<0>, x, y), tg::stack(axis<-1>, x * y, x, y),
                                  tg::stack(axis<1>, x, x));
              }), a, numbers<tensor<float, 5, 7>>(8))
TFGRAPH_AGREE("concat of concats and nothing", ([](auto x, auto nothing) {
                auto c = tg::concat(axis<0>, x, nothing, x);
                return tg::concat(axis<0>, c, c, nothing);
              }), numbers<tensor<int, 3>>(1), (tensor<int, 0>()))
TFGRAPH_AGREE("masks side by side", ([](auto x) {
                auto c = tg::concat(axis<0>, x > 1, x < -1);
                return std::tuple(c, tg::any(c, axis<0>), !c);
              }), a)

// ---- generated ----------------------------------------------------------------------------------

TFGRAPH_AGREE("positions in the middle", ([](auto x) {
                auto i = tg::arange<float>(tg::constant_c<7>);
                return std::tuple(x * i, x + tg::flip(i), tg::sum(x * i, axis<1>));
              }), a)
TFGRAPH_AGREE("small positions", ([](auto x) {
                return x + tg::arange<std::uint8_t>(tg::constant_c<70>) * 5;
              }), numbers<tensor<std::uint8_t, 2, 70>>(1))
TFGRAPH_AGREE("positions that count down", ([](auto x) {
                return x * tg::arange<int>(tg::constant_c<8>, tg::constant_c<-13>, tg::constant_c<-3>);
              }), numbers<tensor<int, 7>>(1))
TFGRAPH_AGREE("a diagonal", ([](auto x) {
                return std::tuple(x * tg::eye<float>(tg::shape<5, 7>{}, 1),
                                  tg::transpose(tg::eye<float>(tg::shape<7, 5>{}, -2)) + x,
                                  tg::sum(x * tg::eye<float>(tg::shape<5, 7>{}), axis<0>));
              }), a)
TFGRAPH_AGREE("one_hot", ([](auto labels, auto x) {
                auto hot = tg::one_hot<float>(labels, tg::constant_c<4>);
                return std::tuple(hot, tg::matmul(tg::transpose(hot), x));
              }), (tensor<int, 5>{0, 3, -1, 3, 2}), a)
TFGRAPH_AGREE("the largest position", ([](auto x) {
                return tg::argmax(x * tg::arange<float>(tg::constant_c<7>), axis<1>) * 2;
              }), a)
TFGRAPH_AGREE("positions of generated elements", ([](auto x) {
                return std::tuple(tg::argmax(tg::flip(tg::arange<float>(tg::constant_c<9>))) + x,
                                  tg::argmax(tg::eye<float>(tg::shape<20, 20>{}, -3), axis<1>));
              }), std::int64_t{4})
TFGRAPH_AGREE("constants from tensors", ([](auto x) {
                return x * tensor<float, 7>{1, 2, 3, 4, 5, 6, 7} + tensor<float, 5, 1>{{1}, {2}, {3}, {4}, {5}};
              }), a)

}  // namespace
