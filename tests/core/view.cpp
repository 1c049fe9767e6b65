// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>

#include <support/check.hpp>

#include <array>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::dyn;
using tg::tensor;
using tg::view;

// ---- types -------------------------------------------------------------------------------------

template <class T>
using view_of = decltype(view(std::declval<T>()));

static_assert(std::is_same_v<view_of<std::vector<float>&>, view<float, dyn>>);
static_assert(std::is_same_v<view_of<const std::vector<float>&>, view<const float, dyn>>);
static_assert(std::is_same_v<view_of<std::span<const int>>, view<const int, dyn>>);
static_assert(std::is_same_v<view_of<std::array<double, 3>&>, view<double, dyn>>);
static_assert(std::is_same_v<view_of<float (&)[3]>, view<float, 3>>);
static_assert(std::is_same_v<view_of<const float (&)[3][4]>, view<const float, 3, 4>>);
static_assert(std::is_same_v<view_of<tensor<float, 2, dyn>&>, view<float, 2, dyn>>);
static_assert(std::is_same_v<view_of<const tensor<float, 2>&>, view<const float, 2>>);
static_assert(std::is_same_v<view_of<view<float, 2>>, view<float, 2>>);

static_assert(std::is_trivially_copyable_v<view<float, dyn, 3>>);
static_assert(std::forward_iterator<view<float, dyn>::iterator>);
static_assert(std::is_same_v<decltype(view<float, 2>(nullptr).shape()), tg::shape<2>>);
static_assert(std::is_same_v<decltype(view<float, dyn>().shape()), tg::extents>);

// const can be added, never taken away, and the element type never changes.
static_assert(std::is_convertible_v<view<float, 2>, view<const float, 2>>);
static_assert(!std::is_convertible_v<view<const float, 2>, view<float, 2>>);
static_assert(!std::is_convertible_v<view<float, 2>, view<const double, 2>>);
static_assert(std::is_convertible_v<tensor<float, 2>&, view<float, 2>>);
static_assert(!std::is_convertible_v<const tensor<float, 2>&, view<float, 2>>);

// Extents may be forgotten or checked, but never contradicted.
static_assert(std::is_convertible_v<tensor<float, 2, 3>&, view<const float, dyn, 3>>);
static_assert(std::is_convertible_v<view<float, dyn>, view<float, 2>>);
static_assert(!std::is_convertible_v<view<float, 3>, view<float, 2>>);
static_assert(!std::is_convertible_v<tensor<float, 2, 3>&, view<const float, dyn, 2>>);
static_assert(!std::is_convertible_v<tensor<float, 2>&, view<const float, dyn, dyn>>);
static_assert(!std::is_convertible_v<float (&)[3], view<float, 2>>);
static_assert(std::is_convertible_v<float (&)[3], view<const float, dyn>>);

// Nothing refers to a temporary.
static_assert(!std::is_convertible_v<std::vector<float>, view<const float, dyn>>);
static_assert(!std::is_convertible_v<tensor<float, 2>, view<const float, 2>>);
static_assert(!std::is_convertible_v<const tensor<float, 2>, view<const float, 2>>);
static_assert(std::is_convertible_v<std::span<float>, view<const float, dyn>>);

// ---- behaviour ---------------------------------------------------------------------------------

constexpr void sees_contiguous_memory() {
  float numbers[] = {1, 2, 3, 4, 5, 6};
  const view<float, 2, 3> a(numbers);
  TFGRAPH_CHECK(a(0, 0) == 1 && a(0, 2) == 3 && a(1, 0) == 4 && a.at(1, 2) == 6);
  TFGRAPH_CHECK(a.size() == 6 && a.extent(1) == 3 && a.stride(0) == 3 && a.stride(1) == 1);
  TFGRAPH_CHECK(a.is_contiguous() && a.data() == numbers);
  const view<const float, dyn, dyn> b(numbers, {3, 2});
  TFGRAPH_CHECK(b(2, 1) == 6 && b.shape() == tg::extents{3, 2});
  a(1, 1) = 50;
  TFGRAPH_CHECK(numbers[4] == 50 && b(2, 0) == 50);
}
TFGRAPH_BOTH(sees_contiguous_memory);

constexpr void sees_strided_memory() {
  const int numbers[] = {0, 1, 2, 3, 4, 5};
  const view<const int, 3, 2> columns(numbers, {3, 2}, {{1, 3}});
  TFGRAPH_CHECK((tensor<int, 3, 2>(columns) == tensor<int, 3, 2>{{0, 3}, {1, 4}, {2, 5}}));
  const view<const int, dyn> reversed(numbers + 5, {6}, {{-1}});
  TFGRAPH_CHECK((tensor<int, dyn>(reversed) == tensor<int, dyn>{5, 4, 3, 2, 1, 0}));
  const view<const int, 2, 3> broadcast(numbers + 3, {2, 3}, {{0, 1}});
  TFGRAPH_CHECK((tensor<int, 2, 3>(broadcast) == tensor<int, 2, 3>{{3, 4, 5}, {3, 4, 5}}));
  TFGRAPH_CHECK(!columns.is_contiguous() && !reversed.is_contiguous());
  TFGRAPH_CHECK(!broadcast.is_contiguous());
  TFGRAPH_CHECK(columns.flat(3) == 4 && reversed.flat(0) == 5);
}
TFGRAPH_BOTH(sees_strided_memory);

constexpr void strides_of_single_and_missing_elements_do_not_matter() {
  float numbers[] = {1, 2, 3};
  TFGRAPH_CHECK((view<float, 1, 3>(numbers, {1, 3}, {{100, 1}}).is_contiguous()));
  TFGRAPH_CHECK((view<float, 3, 1>(numbers, {3, 1}, {{1, 100}}).is_contiguous()));
  TFGRAPH_CHECK((view<float, dyn, 3>(numbers, {0, 3}, {{7, 7}}).is_contiguous()));
}
TFGRAPH_BOTH(strides_of_single_and_missing_elements_do_not_matter);

constexpr void sees_containers_and_arrays() {
  std::vector<float> v{1, 2, 3};
  view a = v;
  a(1) = 20;
  TFGRAPH_CHECK(v[1] == 20 && a.size() == 3);
  const std::array<int, 2> pair{4, 5};
  TFGRAPH_CHECK(view(pair)(1) == 5);
  TFGRAPH_CHECK((view<const int, 2>(pair)(0) == 4));
  TFGRAPH_CHECK(view(std::span(v).first(2)).size() == 2);
  const double table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  TFGRAPH_CHECK(view(table).is_contiguous());
  TFGRAPH_CHECK(view(table).extent(0) == 2 && view(table).extent(1) == 3);
}
TFGRAPH_BOTH(sees_containers_and_arrays);

constexpr void sees_tensors_and_other_views() {
  tensor<float, 2, 2> t{{1, 2}, {3, 4}};
  view a = t;
  a(1, 0) = 30;
  TFGRAPH_CHECK(t(1, 0) == 30);
  const view<const float, dyn, 2> b = a;
  TFGRAPH_CHECK(b(1, 0) == 30 && b.extent(0) == 2);
  const view<const float, 2, 2> c = b;
  TFGRAPH_CHECK(c.data() == t.data());
  a.fill(9);
  TFGRAPH_CHECK((t == tensor<float, 2, 2>{{9, 9}, {9, 9}}));
  const tensor<bool, 2> flags{true, false};
  TFGRAPH_CHECK(view(flags)(0) && !view(flags)(1));
}
TFGRAPH_BOTH(sees_tensors_and_other_views);

constexpr void has_any_rank() {
  float number = 3;
  const view<float> scalar(&number);
  TFGRAPH_CHECK(scalar() == 3 && scalar.size() == 1 && scalar.is_contiguous());
  int visited = 0;
  for (float x : scalar) visited += static_cast<int>(x);
  TFGRAPH_CHECK(visited == 3);
  const view<float, dyn, 4> nothing;
  TFGRAPH_CHECK(nothing.empty() && nothing.extent(0) == 0 && nothing.begin() == nothing.end());
}
TFGRAPH_BOTH(has_any_rank);

TEST_CASE("views of wrong shapes and wrong indices are refused") {
  std::vector<float> v{1, 2, 3};
  CHECK_THROWS_WITH_AS((view<float, 4>(v)),
                       "tensor: extents (3) do not fit a tensor type of shape (4)",
                       tg::shape_error);
  CHECK_THROWS_AS((view<float, dyn, 2>(v.data(), {1, 3})), tg::shape_error);
  CHECK_THROWS_AS((view<float, dyn, dyn>(v.data(), {3})), tg::shape_error);
  CHECK_THROWS_WITH_AS((void)view(v).at(3), "tensor: index (3) is out of range for shape (3)",
                       tg::shape_error);
  const view<float, dyn> unknown = v;
  CHECK_THROWS_AS((view<float, 2>(unknown)), tg::shape_error);
}

}  // namespace
