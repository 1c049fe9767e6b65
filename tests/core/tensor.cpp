// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/tensor.hpp>

#include <support/check.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::dyn;
using tg::tensor;

// One tensor of each kind of storage: inside the object, on the heap with static extents, on the
// heap with dynamic ones.
using small = tensor<float, 2, 3>;
using large = tensor<float, 40, 50>;
using dynamic = tensor<float, dyn, 3>;

// ---- types -------------------------------------------------------------------------------------

static_assert(std::is_trivially_copyable_v<small>);
static_assert(std::is_trivially_copyable_v<tensor<double>>);
static_assert(sizeof(small) == 32 && alignof(small) == 32);
static_assert(sizeof(tensor<float>) == 4);
static_assert(sizeof(tensor<bool, 3>) == 4);
static_assert(alignof(tensor<float, 1024>) == 64);
static_assert(sizeof(large) == sizeof(void*));

template <class T>
constexpr bool is_regular() {
  return std::is_default_constructible_v<T> && std::is_copy_constructible_v<T> &&
         std::is_nothrow_move_constructible_v<T> && std::is_copy_assignable_v<T> &&
         std::is_nothrow_move_assignable_v<T>;
}
static_assert(is_regular<small>() && is_regular<large>() && is_regular<dynamic>());

static_assert(small::rank == 2 && tensor<int>::rank == 0);
static_assert(std::is_same_v<small::value_type, float>);
static_assert(std::is_same_v<decltype(small().shape()), tg::shape<2, 3>>);
static_assert(std::is_same_v<decltype(dynamic().shape()), tg::extents>);
static_assert(std::is_same_v<decltype(small()(0, 0)), float&>);
static_assert(std::is_same_v<decltype(std::declval<const small&>()(0, 0)), const float&>);

// The number of dynamic extents is known to the type.
static_assert(std::is_constructible_v<dynamic, int>);
static_assert(!std::is_constructible_v<dynamic, int, int>);
static_assert(!std::is_constructible_v<small, int>);
static_assert(std::is_constructible_v<tensor<float, dyn, dyn>, int, unsigned>);
static_assert(!std::is_convertible_v<int, tensor<float, dyn>>);
// A number is a tensor of rank 0.
static_assert(std::is_convertible_v<float, tensor<float>>);

// ---- behaviour ---------------------------------------------------------------------------------

template <class Tensor>
constexpr bool all_equal(const Tensor& a, float value) {
  for (float x : a)
    if (x != value) return false;
  return true;
}

constexpr void starts_as_zeros() {
  TFGRAPH_CHECK(all_equal(small(), 0) && small().size() == 6);
  TFGRAPH_CHECK(all_equal(large(), 0) && large().size() == 2000);
  TFGRAPH_CHECK(all_equal(dynamic(4), 0) && dynamic(4).size() == 12);
  TFGRAPH_CHECK(dynamic().empty() && dynamic().extent(0) == 0 && dynamic().extent(1) == 3);
  TFGRAPH_CHECK(tensor<bool, 3>() == tensor<bool, 3>{false, false, false});
}
TFGRAPH_BOTH(starts_as_zeros);

constexpr void takes_values_in_braces() {
  const tensor<float, 3> a{1, 2, 3};
  TFGRAPH_CHECK(a(0) == 1 && a(1) == 2 && a(2) == 3);
  const tensor<float, 2> two_numbers{10, 20};
  TFGRAPH_CHECK(two_numbers(0) == 10 && two_numbers(1) == 20);
  const small b{{1, 2, 3}, {4, 5, 6}};
  TFGRAPH_CHECK(b(0, 0) == 1 && b(0, 2) == 3 && b(1, 0) == 4 && b(1, 2) == 6);
  const tensor<int, 2, 1, 2> c{{{1, 2}}, {{3, 4}}};
  TFGRAPH_CHECK(c(0, 0, 1) == 2 && c(1, 0, 0) == 3);
  const tensor<double> scalar = 2.5;
  TFGRAPH_CHECK(scalar() == 2.5 && scalar.size() == 1);
  const tensor<bool, 3> flags{true, false, true};
  TFGRAPH_CHECK(flags(0) && !flags(1) && flags(2));
  const tensor<float, 1> one{7};
  TFGRAPH_CHECK(one(0) == 7);
}
TFGRAPH_BOTH(takes_values_in_braces);

constexpr void braces_give_dynamic_extents() {
  const tensor<float, dyn, dyn> a{{1, 2, 3}, {4, 5, 6}};
  TFGRAPH_CHECK(a.shape() == tg::extents{2, 3} && a(1, 2) == 6);
  const dynamic b{{1, 2, 3}};
  TFGRAPH_CHECK(b.shape() == tg::extents{1, 3});
  const tensor<int, dyn> c{5};  // one element, as with std::vector; c(5) has five
  TFGRAPH_CHECK(c.size() == 1 && c(0) == 5);
}
TFGRAPH_BOTH(braces_give_dynamic_extents);

constexpr void takes_dynamic_extents_in_order() {
  const tensor<float, dyn, 3, dyn> a(2, 4);
  TFGRAPH_CHECK(a.shape() == tg::extents{2, 3, 4} && a.size() == 24);
  const tensor<float, dyn, 3> b(tg::extents{5, 3});
  TFGRAPH_CHECK(b.extent(0) == 5 && all_equal(b, 0));
  const std::size_t n = 2;
  const tensor<float, dyn> c(tg::uninitialized, n);
  TFGRAPH_CHECK(c.size() == 2);
}
TFGRAPH_BOTH(takes_dynamic_extents_in_order);

constexpr void has_elements_in_row_major_order() {
  tensor<int, 2, 3> a;
  int n = 0;
  for (int& x : a) x = n++;
  TFGRAPH_CHECK(a == tensor<int, 2, 3>{{0, 1, 2}, {3, 4, 5}});
  TFGRAPH_CHECK(a.data()[4] == a(1, 1) && a.end() - a.begin() == 6);
  a(1, 1) = 40;
  a.at(0, 1) = 10;
  TFGRAPH_CHECK(a == tensor<int, 2, 3>{{0, 10, 2}, {3, 40, 5}});
  a.fill(7);
  TFGRAPH_CHECK(a == tensor<int, 2, 3>{{7, 7, 7}, {7, 7, 7}});

  tensor<int, dyn, 2> b(2);
  b(1, 0) = 3;
  TFGRAPH_CHECK(b.data()[2] == 3);
}
TFGRAPH_BOTH(has_elements_in_row_major_order);

constexpr void may_be_empty() {
  const tensor<float, 0> a;
  TFGRAPH_CHECK(a.empty() && a.begin() == a.end());
  const tensor<float, 3, 0, 2> b;
  TFGRAPH_CHECK(b.empty() && b.extent(2) == 2);
  const tensor<float, dyn, 3> c(0);
  TFGRAPH_CHECK(c.empty() && c == dynamic());
  const tensor<float, 2, dyn> d{{}, {}};
  TFGRAPH_CHECK(d.empty() && d.extent(0) == 2 && d.extent(1) == 0);
}
TFGRAPH_BOTH(may_be_empty);

constexpr void compares_shapes_and_elements() {
  const small a{{1, 2, 3}, {4, 5, 6}};
  const small b{{1, 2, 3}, {4, 5, 7}};
  TFGRAPH_CHECK(a == a && a != b);
  TFGRAPH_CHECK((a == tensor<float, dyn, dyn>{{1, 2, 3}, {4, 5, 6}}));
  TFGRAPH_CHECK((a != tensor<float, 3, 2>{{1, 2}, {3, 4}, {5, 6}}));
  TFGRAPH_CHECK((a != tensor<float, 6>{1, 2, 3, 4, 5, 6}));
  const tensor<float> nan = std::numeric_limits<float>::quiet_NaN();
  TFGRAPH_CHECK(nan != nan);
  TFGRAPH_CHECK(tensor<float>(-0.0f) == tensor<float>(0.0f));
}
TFGRAPH_BOTH(compares_shapes_and_elements);

template <class Tensor>
constexpr void copies_are_independent(Tensor a) {
  a.fill(1);
  Tensor b = a;
  b(1, 1) = 2;
  TFGRAPH_CHECK(all_equal(a, 1) && a != b);
  a = b;
  TFGRAPH_CHECK(a == b && a.data() != b.data());
  Tensor& self = a;
  a = self;
  TFGRAPH_CHECK(a == b);
  Tensor c = std::move(a);
  TFGRAPH_CHECK(c == b);
  a = std::move(c);
  TFGRAPH_CHECK(a == b);
  std::swap(a, b);
  TFGRAPH_CHECK(a == b);
}
constexpr void copies_and_moves() {
  copies_are_independent(small());
  copies_are_independent(large());
  copies_are_independent(dynamic(3));
}
TFGRAPH_BOTH(copies_and_moves);

constexpr void a_dynamic_tensor_is_empty_after_a_move() {
  dynamic a(4);
  const dynamic b = std::move(a);
  TFGRAPH_CHECK(b.extent(0) == 4);
  TFGRAPH_CHECK(a.empty() && a.extent(0) == 0 && a.extent(1) == 3 && a == dynamic());
  a = b;
  TFGRAPH_CHECK(a == b);
}
TFGRAPH_BOTH(a_dynamic_tensor_is_empty_after_a_move);

constexpr void a_large_tensor_can_be_written_after_a_move() {
  large a;
  a.fill(1);
  const large b = std::move(a);
  TFGRAPH_CHECK(a.data()[0] == 0);
  a(39, 49) = 2;
  TFGRAPH_CHECK(a(39, 48) == 0 && a(39, 49) == 2 && all_equal(b, 1));
}
TFGRAPH_BOTH(a_large_tensor_can_be_written_after_a_move);

constexpr void copies_what_a_view_shows() {
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  const tg::view<const float, dyn, dyn> columns(numbers, {3, 2}, tg::strides{{1, 3}});
  TFGRAPH_CHECK((tensor<float, dyn, dyn>(columns) == tensor<float, 3, 2>{{1, 4}, {2, 5}, {3, 6}}));
  TFGRAPH_CHECK((tensor<float, 3, 2>(columns)(2, 0) == 3));
  TFGRAPH_CHECK((tensor<float, dyn>(numbers).size() == 6));
  const std::array<float, 2> pair{1, 2};
  TFGRAPH_CHECK((tensor<float, 2>(pair) == tensor<float, 2>{1, 2}));
}
TFGRAPH_BOTH(copies_what_a_view_shows);

constexpr void lives_in_containers() {
  std::vector<small> smalls(3);
  smalls[1](1, 2) = 5;
  smalls.push_back(smalls[1]);
  TFGRAPH_CHECK(smalls[3](1, 2) == 5);
  std::vector<dynamic> dynamics;
  for (int n = 0; n < 4; ++n) dynamics.emplace_back(n);
  TFGRAPH_CHECK(dynamics[3].extent(0) == 3);
  struct model {
    tensor<float, 2, 3> weights;
    tensor<float, 3> bias{1, 2, 3};
  };
  const model m;
  TFGRAPH_CHECK(m.weights.size() == 6 && m.bias(2) == 3);
}
TFGRAPH_BOTH(lives_in_containers);

// A small tensor can be a constant.
constexpr small constant{{1, 2, 3}, {4, 5, 6}};
static_assert(constant(1, 0) == 4);

// ---- what only a running program can show ------------------------------------------------------

TEST_CASE("heap memory is aligned to 64 bytes") {
  const auto is_aligned = [](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % 64 == 0;
  };
  CHECK(is_aligned(large().data()));
  CHECK(is_aligned(dynamic(1).data()));
  const auto on_heap = std::make_unique<tensor<float, 512>>();
  CHECK(is_aligned(on_heap->data()));
}

TEST_CASE("a large tensor reads as zeros after a move") {
  large a;
  a.fill(1);
  const large b = std::move(a);
  const large& seen = a;
  CHECK(all_equal(seen, 0));
  const large copy = seen;
  CHECK(copy == seen);
  CHECK(copy == large());
  a = b;
  CHECK(a == b);
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const tg::shape_error& e) {
    return e.what();
  }
  return "no shape_error";
}

TEST_CASE("wrong shapes are refused") {
  using list = tensor<float, 3>;
  CHECK(message_of([] { list{1, 2}; }) ==
        "tensor: the braces hold 2 where axis 0 of shape (3) needs 3");
  CHECK(message_of([] { small{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}; }) ==
        "tensor: the braces hold 3 where axis 0 of shape (2, 3) needs 2");
  CHECK(message_of([] { small{{1, 2, 3}, {4, 5}}; }) ==
        "tensor: the braces hold 2 where axis 1 of shape (2, 3) needs 3");
  CHECK(message_of([] { tensor<float, dyn, dyn>{{1}, {2, 3}}; }) ==
        "tensor: the braces hold 2 where axis 1 of shape (2, 1) needs 1");
  CHECK(message_of([] { dynamic(tg::extents{2, 4}); }) ==
        "tensor: extents (2, 4) do not fit a tensor type of shape (?, 3)");
  CHECK(message_of([] { dynamic{tg::extents{2}}; }) ==
        "tensor: extents (2) do not fit a tensor type of shape (?, 3)");
  CHECK(message_of([] { dynamic(-1); }) == "tensor: an extent cannot be -1");
  CHECK(message_of([] { dynamic(std::numeric_limits<tg::index>::max() / 8); }) ==
        "tensor: a tensor of shape (1152921504606846975, 3) is too large");
  CHECK_THROWS_AS((tensor<float, dyn>(std::size_t{0} - 1)), tg::shape_error);
}

TEST_CASE("a wrong index is refused") {
  const small a;
  CHECK(message_of([&] { (void)a.at(2, 0); }) ==
        "tensor: index (2, 0) is out of range for shape (2, 3)");
  CHECK(message_of([&] { (void)a.at(0, -1); }) ==
        "tensor: index (0, -1) is out of range for shape (2, 3)");
  dynamic b(1);
  CHECK(message_of([&] { b.at(1, 0) = 0; }) ==
        "tensor: index (1, 0) is out of range for shape (1, 3)");
  CHECK(message_of([&] { (void)dynamic().at(0, 0); }) ==
        "tensor: index (0, 0) is out of range for shape (0, 3)");
}

}  // namespace
