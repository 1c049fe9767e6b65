// Fused elementwise work: broadcasts, layouts, several results, mixed types.
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

const auto v = numbers<tensor<float, 37>>(1);
const auto m = numbers<tensor<float, 5, 19>>(2);
const auto row = numbers<tensor<float, 19>>(3);
const auto column = numbers<tensor<float, 5, 1>>(4);
const auto cube = numbers<tensor<float, 3, 4, 6>>(5);

// ---- one kernel ---------------------------------------------------------------------------------

TFGRAPH_AGREE("a chain", ([](auto x) { return (x * x + x) * 0.5 - tg::abs(x) / (x * x + 1); }), v)
TFGRAPH_AGREE("shared parts", ([](auto x, auto y) {
                auto t = x * y;
                return (t + 2 * x) * (t + y) - t;
              }),
              v, numbers<tensor<float, 37>>(9))
TFGRAPH_AGREE("a row, a column, a number", ([](auto x, auto r, auto c, auto s) {
                return (x - r) * c + s * r - c / s;
              }),
              m, row, column, 3.0f)
TFGRAPH_AGREE("an outer product", ([](auto c, auto r) { return c * r + c; }), column, row)
TFGRAPH_AGREE("broadcast of computed parts",
              ([](auto x, auto r, auto c) { return x * tg::sqrt(r * r + 1) + tg::abs(c - 2); }), m, row,
              column)
TFGRAPH_AGREE("broadcast on both sides", ([](auto a, auto b) { return a - b * a; }),
              numbers<tensor<double, 2, 1, 9>>(1), numbers<tensor<double, 3, 1>>(2))
TFGRAPH_AGREE("rank 5", ([](auto a, auto b) { return tg::maximum(a, b) - a * b; }),
              numbers<tensor<float, 2, 1, 3, 1, 5>>(1), numbers<tensor<float, 4, 1, 2, 5>>(2))
TFGRAPH_AGREE("nothing", ([](auto a, auto b) { return a * b + 1; }),
              (tensor<float, 0, 3>()), (tensor<float, 3>()))
TFGRAPH_AGREE("rank 0", ([](auto a, auto b) { return a * b - tg::exp(a); }), 1.5f, -2.25f)
TFGRAPH_AGREE("a contraction that must not happen", ([](auto a, auto b) { return a * b - b * a; }),
              specials<tensor<float, 37>>(0), specials<tensor<float, 37>>(0, 5))
TFGRAPH_AGREE("sum of products", ([](auto a, auto b, auto c, auto d) { return a * b + c * d; }),
              specials<tensor<float, 55>>(1), specials<tensor<float, 55>>(2, 3),
              specials<tensor<float, 55>>(3, 5), specials<tensor<float, 55>>(4, 7))

// ---- several results ----------------------------------------------------------------------------

TFGRAPH_AGREE("results that share", ([](auto x, auto y) {
                auto p = x * y;
                auto q = tg::exp(p);
                return std::tuple(p, q, q + p, tg::sum(q), x);
              }),
              m, row)
TFGRAPH_AGREE("the same result twice", ([](auto x) {
                auto p = -x;
                return std::tuple(p, p, tg::transpose(p));
              }),
              m)
TFGRAPH_AGREE("arguments and constants as results", ([](auto x, auto y) {
                return std::tuple(y, x, tg::zeros_like(x), tg::transpose(x),
                                  tg::arange<std::int32_t>(tg::constant_c<5>));
              }),
              m, row)
TFGRAPH_AGREE("results of different shapes",
              ([](auto x) { return std::tuple(x + 1, (x + 1) * 2, tg::mean(x + 1, axis<0>)); }), m)

// ---- layouts ------------------------------------------------------------------------------------

TFGRAPH_AGREE("a transpose in", ([](auto x, auto y) { return tg::transpose(x) + y; }), m,
              numbers<tensor<float, 19, 5>>(8))
TFGRAPH_AGREE("a transpose out", ([](auto x) { return tg::transpose(x * 2 + 1); }), m)
TFGRAPH_AGREE("slices", ([](auto x) {
                return tg::slice(x, tg::section<1>, tg::section<0, -1, 2>) *
                       tg::slice(x, tg::section<0, -1>, tg::section<1, tg::end, 2>);
              }),
              m)
TFGRAPH_AGREE("neighbours", ([](auto x) {
                return tg::slice(x, tg::section<2>) - 2 * tg::slice(x, tg::section<1, -1>) +
                       tg::slice(x, tg::section<0, -2>);
              }),
              v)
TFGRAPH_AGREE("backwards", ([](auto x) { return x + tg::flip(x); }), v)
TFGRAPH_AGREE("negative steps", ([](auto x) {
                return tg::slice(x, tg::section<-1, 0, -2>, tg::section<tg::end, 2, -3>) + 1;
              }),
              m)
TFGRAPH_AGREE("an empty slice", ([](auto x) { return tg::slice(x, tg::section<3, 1>) * 2; }), m)
TFGRAPH_AGREE("reshape of a transpose",
              ([](auto x) { return tg::reshape(tg::transpose(x), tg::shape<5, 19>{}) + x; }), m)
TFGRAPH_AGREE("reshape of a slice",
              ([](auto x) {
                return tg::reshape(tg::slice(x, tg::all, tg::section<1, 3>), tg::shape<6, 6>{}) * 2;
              }),
              cube)
TFGRAPH_AGREE("reshape of a broadcast", ([](auto r) {
                return tg::reshape(tg::broadcast_to(r, tg::shape<4, 19>{}), tg::shape<2, 38>{}) + 1;
              }),
              row)
TFGRAPH_AGREE("reshape of a flip", ([](auto x) {
                return tg::reshape(tg::flip(x, axis<1>), tg::shape<12, 6>{}) - 1;
              }),
              cube)
TFGRAPH_AGREE("permutations", ([](auto x) {
                return tg::permute_dims(x * 2, axis<1, 2, 0>) +
                       tg::permute_dims(tg::permute_dims(x, axis<2, 0, 1>), axis<2, 0, 1>);
              }),
              cube)
TFGRAPH_AGREE("all movements in a row", ([](auto x) {
                auto a = tg::permute_dims(x, axis<2, 0, 1>);
                auto b = tg::slice(a, tg::section<tg::end, tg::end, -1>, tg::section<1>);
                auto c = tg::reshape(b, tg::shape<6, 1, 8>{});
                auto d = tg::broadcast_to(c, tg::shape<2, 6, 3, 8>{});
                return tg::squeeze(tg::expand_dims(tg::flip(d, axis<1>), axis<0>), axis<0>);
              }),
              cube)

// ---- element types ------------------------------------------------------------------------------

TFGRAPH_AGREE("types side by side", ([](auto a, auto b, auto c) {
                auto wide = tg::astype<double>(a) * b;
                auto small = tg::astype<std::int8_t>(wide);
                return std::tuple(small, wide > 0, tg::where(wide > 0, c, -c),
                                  tg::astype<std::int64_t>(small) * 3);
              }),
              specials<tensor<float, 41>>(0), specials<tensor<double, 41>>(1, 5),
              numbers<tensor<std::int16_t, 41>>(2))
TFGRAPH_AGREE("masks of every width", ([](auto a, auto b, auto c, auto d) {
                return ((a > 1) && (b < 2)) || ((c == 0) ^ (d != 3));
              }),
              numbers<tensor<std::int8_t, 67>>(0), numbers<tensor<std::int16_t, 67>>(1),
              numbers<tensor<float, 67>>(2), numbers<tensor<double, 67>>(3))
TFGRAPH_AGREE("booleans as numbers", ([](auto a, auto b) {
                return tg::astype<float>(a) + tg::astype<float>(!b) * 2 -
                       tg::astype<float>(tg::astype<bool>(tg::astype<std::uint8_t>(a)));
              }),
              numbers<tensor<bool, 21>>(1), numbers<tensor<bool, 21>>(2))
TFGRAPH_AGREE("promotion", ([](auto a, auto b, auto c) { return (a + b) * c; }),
              numbers<tensor<std::int8_t, 35>>(1), numbers<tensor<std::uint8_t, 35>>(2),
              numbers<tensor<std::int32_t, 35>>(3))
TFGRAPH_AGREE("bytes that wrap", ([](auto a, auto b) { return (a * b + a) * (b - 7) ^ (a << 1); }),
              specials<tensor<std::uint8_t, 131>>(0), specials<tensor<std::uint8_t, 131>>(1, 3))
TFGRAPH_AGREE("64-bit words", ([](auto a, auto b) { return (a * b >> 3) | (a & ~b); }),
              specials<tensor<std::uint64_t, 19>>(0), specials<tensor<std::uint64_t, 19>>(1, 3))

}  // namespace
