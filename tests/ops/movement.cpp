// Movement: each operator against the position that an element comes from.
// SPDX-License-Identifier: BSL-1.0
#include <support/operators.hpp>

#include <doctest/doctest.h>

namespace {

namespace tg = tfgraph;
using namespace tfgraph::test;
using tg::axis;
using tg::end;
using tg::section;
using tg::shape;
using tg::tensor;

using positions = std::array<tg::index, tg::max_rank>;
using cube = tensor<float, 2, 3, 4>;

// ---- types --------------------------------------------------------------------------------------

static_assert(is_tensor<decltype(tg::transpose(cube{})), float, 4, 3, 2>);
static_assert(is_tensor<decltype(tg::matrix_transpose(cube{})), float, 2, 4, 3>);
static_assert(is_tensor<decltype(tg::permute_dims(cube{}, axis<1, -1, 0>)), float, 3, 4, 2>);
static_assert(is_tensor<decltype(tg::reshape(cube{}, shape<6, tg::dyn>{})), float, 6, 4>);
static_assert(is_tensor<decltype(tg::reshape(tensor<int>{}, shape<1, 1>{})), int, 1, 1>);
static_assert(is_tensor<decltype(tg::expand_dims(cube{}, axis<0, -1>)), float, 1, 2, 3, 4, 1>);
static_assert(is_tensor<decltype(tg::squeeze(tensor<bool, 1, 3, 1>{}, axis<0, 2>)), bool, 3>);
static_assert(is_tensor<decltype(tg::broadcast_to(tensor<float, 3, 1>{}, shape<2, 3, 4>{})), float, 2, 3, 4>);
static_assert(is_tensor<decltype(tg::slice(cube{}, section<1>, tg::all, section<0, -1, 2>)), float, 1, 3, 2>);
static_assert(is_tensor<decltype(tg::flip(cube{}, axis<0>)), float, 2, 3, 4>);
static_assert(is_tensor<decltype(tg::concat(axis<-1>, cube{}, cube{})), float, 2, 3, 8>);
static_assert(is_tensor<decltype(tg::stack(axis<1>, cube{}, cube{}, cube{})), float, 2, 3, 3, 4>);

// ---- behaviour ----------------------------------------------------------------------------------

template <class T>
constexpr void check_movements() {
  const auto x = numbers<tensor<T, 2, 3, 4>>(1);
  const auto check = [&](const auto& found, auto from) {
    using Result = std::remove_cvref_t<decltype(found)>;
    TFGRAPH_CHECK(same(found, moved<Result>(x, from)));
  };
  check(tg::transpose(x), [](positions p) { return positions{p[2], p[1], p[0]}; });
  check(tg::matrix_transpose(x), [](positions p) { return positions{p[0], p[2], p[1]}; });
  check(tg::permute_dims(x, axis<1, 2, 0>), [](positions p) { return positions{p[2], p[0], p[1]}; });
  check(tg::flip(x), [](positions p) { return positions{1 - p[0], 2 - p[1], 3 - p[2]}; });
  check(tg::flip(x, axis<-1, 0>), [](positions p) { return positions{1 - p[0], p[1], 3 - p[2]}; });
  check(tg::expand_dims(x, axis<1, -1>), [](positions p) { return positions{p[0], p[2], p[3]}; });
  check(tg::slice(x, section<1>, tg::all, section<0, -1, 2>),
        [](positions p) { return positions{p[0] + 1, p[1], 2 * p[2]}; });
  check(tg::slice(x, tg::all, section<-1, 0, -1>, section<end, end, -3>),
        [](positions p) { return positions{p[0], 2 - p[1], 3 - 3 * p[2]}; });
  check(tg::broadcast_to(x, shape<3, 2, 3, 4>{}), [](positions p) { return positions{p[1], p[2], p[3]}; });
  const auto flat = tg::reshape(x, shape<24>{});
  for (int i = 0; i < 24; ++i) TFGRAPH_CHECK(flat(i) == x.data()[i]);
}

constexpr void movements() {
  check_movements<float>();
  check_movements<bool>();
}
TFGRAPH_BOTH(movements);

TEST_CASE_TEMPLATE("movements of every type", T, std::int8_t, std::uint16_t, double) { check_movements<T>(); }

constexpr void side_by_side() {
  const tensor<int, 2, 2> a{{1, 2}, {3, 4}};
  const tensor<int, 2, 1> b{{5}, {6}};
  TFGRAPH_CHECK(tg::concat(axis<1>, a, b) == tensor<int, 2, 3>{{1, 2, 5}, {3, 4, 6}});
  TFGRAPH_CHECK(tg::concat(axis<0>, a, tg::transpose(b)) == tensor<int, 3, 2>{{1, 2}, {3, 4}, {5, 6}});
  TFGRAPH_CHECK(tg::concat(axis<-2>, a) == a);
  TFGRAPH_CHECK(tg::concat(axis<0>, a, tensor<int, 0, 2>{}, a) ==
                tensor<int, 4, 2>{{1, 2}, {3, 4}, {1, 2}, {3, 4}});
  const tensor<int, 2> u{1, 2};
  const tensor<int, 2> v{3, 4};
  TFGRAPH_CHECK(tg::stack(axis<0>, u, v) == a);
  TFGRAPH_CHECK(tg::stack(axis<-1>, u, v) == tensor<int, 2, 2>{{1, 3}, {2, 4}});
  TFGRAPH_CHECK(tg::stack(axis<0>, tensor<bool>{true}, tensor<bool>{false}) == tensor<bool, 2>{true, false});
}
TFGRAPH_BOTH(side_by_side);

// Python's slices, as Python gives them.
template <tg::index Start, tg::index Stop, tg::index Step, class Expected>
constexpr bool slices_to(const Expected& expected) {
  return tg::slice(tensor<int, 5>{0, 1, 2, 3, 4}, section<Start, Stop, Step>) == expected;
}
constexpr void slices_as_python() {
  TFGRAPH_CHECK(slices_to<1, 4, 1>(tensor<int, 3>{1, 2, 3}) && slices_to<-2, end, 1>(tensor<int, 2>{3, 4}));
  TFGRAPH_CHECK(slices_to<0, -3, 1>(tensor<int, 2>{0, 1}) && slices_to<0, end, 2>(tensor<int, 3>{0, 2, 4}));
  TFGRAPH_CHECK(slices_to<end, end, -1>(tensor<int, 5>{4, 3, 2, 1, 0}));
  TFGRAPH_CHECK(slices_to<3, 0, -2>(tensor<int, 2>{3, 1}) && slices_to<3, end, -1>(tensor<int, 4>{3, 2, 1, 0}));
  TFGRAPH_CHECK(slices_to<3, 1, 1>(tensor<int, 0>{}) && slices_to<7, 9, 1>(tensor<int, 0>{}));
  TFGRAPH_CHECK(slices_to<-9, 9, 3>(tensor<int, 2>{0, 3}) && slices_to<9, -9, -3>(tensor<int, 2>{4, 1}));
}
TFGRAPH_BOTH(slices_as_python);

constexpr void of_nothing() {
  const tensor<float, 0, 3> x;
  TFGRAPH_CHECK(tg::transpose(x).size() == 0 && tg::reshape(x, shape<3, 0, 2>{}).size() == 0);
  TFGRAPH_CHECK(tg::flip(x).size() == 0 && tg::broadcast_to(tensor<float, 1>{}, shape<0>{}).size() == 0);
}
TFGRAPH_BOTH(of_nothing);

}  // namespace
