// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/core/any_tensor.hpp>
#include <tfgraph/core/print.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::any_tensor;
using tg::any_view;
using tg::dtype;
using tg::dyn;
using tg::tensor;
using tg::view;

template <class X>
std::string str(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

// What `f` throws as an E, "nothing" otherwise.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing";
}

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

// ---- types -------------------------------------------------------------------------------------

template <class X>
concept can_be_borrowed = requires(X&& x) { any_tensor::borrow(std::forward<X>(x)); };
template <class A>
concept gives_views = requires(A&& a) { std::forward<A>(a).template as<float>(); };
template <class A>
concept gives_ranked_views = requires(A&& a) { std::forward<A>(a).template as<float, dyn>(); };
template <class A>
concept gives_any_views = requires(A&& a) { std::forward<A>(a).template as_any<float>(); };

// Nothing refers to a temporary.
static_assert(can_be_borrowed<tensor<float, 2>&> && can_be_borrowed<const tensor<float, 2>&>);
static_assert(!can_be_borrowed<tensor<float, 2>> && !can_be_borrowed<const tensor<float, 2>>);
static_assert(can_be_borrowed<any_tensor&> && can_be_borrowed<const any_tensor&>);
static_assert(!can_be_borrowed<any_tensor> && !can_be_borrowed<const any_tensor>);
static_assert(can_be_borrowed<view<float, 2>> && can_be_borrowed<any_view<const float>>);
static_assert(!can_be_borrowed<std::vector<float>>);
static_assert(gives_views<any_tensor&> && gives_views<const any_tensor&>);
static_assert(!gives_views<any_tensor> && !gives_views<const any_tensor>);
static_assert(gives_ranked_views<any_tensor&> && !gives_ranked_views<any_tensor>);
static_assert(gives_any_views<any_tensor&> && !gives_any_views<any_tensor>);

// Borrowing is asked for; a tensor converts, since that copies.
static_assert(!std::is_constructible_v<any_tensor, view<float, 2>>);
static_assert(std::is_convertible_v<tensor<float, 2>, any_tensor>);
static_assert(std::is_constructible_v<any_tensor, float>);
static_assert(!std::is_convertible_v<float, any_tensor>);
static_assert(std::is_nothrow_move_constructible_v<any_tensor>);
static_assert(std::is_nothrow_move_assignable_v<any_tensor>);

// A const one shows const elements.
using mutable_tensor = any_tensor&;
using const_tensor = const any_tensor&;
static_assert(std::is_same_v<decltype(std::declval<mutable_tensor>().data()), void*>);
static_assert(std::is_same_v<decltype(std::declval<const_tensor>().data()), const void*>);
static_assert(
    std::is_same_v<decltype(std::declval<mutable_tensor>().as<float>()), view<float, dyn>>);
static_assert(
    std::is_same_v<decltype(std::declval<const_tensor>().as<float>()), view<const float, dyn>>);
static_assert(std::is_same_v<decltype(std::declval<const_tensor>().as<float, 2, dyn>()),
                             view<const float, 2, dyn>>);

static_assert(!std::is_convertible_v<any_view<const float>, any_view<float>>);
static_assert(std::is_convertible_v<any_view<float>, any_view<const float>>);
static_assert(std::is_convertible_v<tensor<float, 2>&, any_view<const float>>);
static_assert(!std::is_convertible_v<tensor<float, 2>, any_view<const float>>);
static_assert(!std::is_convertible_v<const tensor<float, 2>&, any_view<float>>);

// ---- construction ------------------------------------------------------------------------------

TEST_CASE("the empty tensor") {
  const any_tensor a;
  CHECK(a.dtype() == dtype::float64);
  CHECK(a.shape() == tg::extents{0});
  CHECK((a.size() == 0 && a.empty() && a.bytes() == 0 && a.owns() && a.is_contiguous()));
  CHECK(a.as<double>().size() == 0);
  CHECK(a == any_tensor(tensor<double, dyn>()));
}

TEST_CASE("zeros of every element type and rank") {
  for (int t = 0; t < tg::dtype_count; ++t) {
    tg::extents e;
    tg::index size = 1;
    for (int rank = 0; rank <= tg::max_rank; ++rank) {
      const any_tensor a(static_cast<dtype>(t), e);
      CHECK(a.dtype() == static_cast<dtype>(t));
      CHECK((a.rank() == rank && a.shape() == e));
      CHECK(a.size() == static_cast<std::size_t>(size));
      CHECK(a.bytes() == a.size() * tg::size_of(a.dtype()));
      CHECK((a.owns() && a.is_contiguous() && is_aligned(a.data())));
      tg::index step = 1;
      for (int k = rank - 1; k >= 0; step *= e[k--]) {
        CHECK(a.stride(k) == step);
        CHECK(a.extent(k) == static_cast<std::size_t>(e[k]));
      }
      int different = 0;
      tg::visit(a, [&]<class T>(const any_view<const T>& v) {
        CHECK(tg::dtype_of<T> == a.dtype());
        for (std::size_t i = 0; i < v.size(); ++i) different += v.flat(i) != T{};
      });
      CHECK(different == 0);
      if (rank == tg::max_rank) break;
      e.push_back(1 + rank % 3);
      size *= 1 + rank % 3;
    }
  }
}

TEST_CASE("shapes that no memory can hold are refused") {
  constexpr tg::index large = tg::index{1} << 31;
  CHECK(message_of<tg::shape_error>([] { any_tensor(dtype::float32, {2, -1}); }) ==
        "any_tensor: a tensor cannot have the shape (2, ?)");
  CHECK(message_of<tg::shape_error>([] { any_tensor(dtype::float32, {large, large}); }) ==
        "tensor: a tensor of shape (2147483648, 2147483648) is too large");
  // The extent 0 comes first, last or not at all: strides must not overflow either.
  CHECK_THROWS_AS(any_tensor(dtype::int8, {0, large, large, large}), tg::shape_error);
  CHECK_THROWS_AS(any_tensor(dtype::int8, {large, large, large, 0}), tg::shape_error);
  CHECK_THROWS_AS((tensor<float, dyn, dyn, dyn>(0, large, large * 4)), tg::shape_error);
  CHECK(any_tensor(dtype::int8, {large, 0, large / 2}).empty());
}

template <class T, std::size_t... E>
void check_round_trip(bool on_heap) {
  tensor<T, E...> t(tg::extents{static_cast<tg::index>(E == dyn ? 3 : E)...});
  std::iota(t.begin(), t.end(), T{1});
  const tensor<T, E...> original = t;

  const any_tensor copy = t;
  CHECK(copy.data() != t.data());
  CHECK(t == original);
  CHECK(copy.dtype() == tg::dtype_of<T>);
  CHECK(copy.shape() == tg::extents_of(t));
  CHECK(copy.to<tensor<T, E...>>() == original);

  const void* const memory = t.data();
  any_tensor taken = std::move(t);
  CHECK((taken.data() == memory) == on_heap);
  CHECK(taken == copy);
  CHECK(is_aligned(taken.data()));
  auto again = std::move(taken).to<tensor<T, E...>>();
  CHECK((again.data() == memory) == on_heap);
  CHECK(again == original);
  if (on_heap) CHECK(taken == any_tensor());

  // What has been moved from is as after any move.
  if (!on_heap) return;
  if constexpr (tg::shape<E...>::is_static) {
    CHECK(t.size() == original.size());
    CHECK(*std::as_const(t).data() == T{});
    CHECK(any_tensor(std::move(t)) == any_tensor(tensor<T, E...>()));
    *t.data() = 7;
    CHECK(*t.data() == 7);
  } else {
    CHECK(t.empty());
  }
}

TEST_CASE("from tensors and back, without copying heap memory") {
  check_round_trip<float, dyn>(true);
  check_round_trip<double, dyn, 3>(true);
  check_round_trip<std::uint8_t, 2, dyn, dyn>(true);
  check_round_trip<int, 2000>(true);
  check_round_trip<int, 2, 3>(false);
  check_round_trip<std::int64_t, 5>(false);
  check_round_trip<long long, dyn>(true);  // of the same dtype as std::int64_t
}

TEST_CASE("without elements") {
  any_tensor a = tensor<float, dyn, 3>(0);
  CHECK(a.shape() == tg::extents{0, 3});
  CHECK(a.as<float>().empty());
  CHECK(a.to<tensor<float, dyn, 3>>().empty());
  CHECK(any_tensor(a) == a);
  CHECK(str(a) == "[]");
  CHECK(std::move(a).to<tensor<float, dyn, dyn>>().extent(1) == 3);
  CHECK(any_tensor(tensor<float, 0>()).shape() == tg::extents{0});
}

TEST_CASE("scalars") {
  const any_tensor a(2.5f);
  CHECK((a.dtype() == dtype::float32 && a.rank() == 0 && a.size() == 1));
  CHECK(a.item<float>() == 2.5f);
  CHECK(a.to<tensor<float>>()() == 2.5f);
  CHECK(any_tensor(true).item<bool>());
  CHECK(any_tensor(std::numeric_limits<std::uint64_t>::max()).item<std::uint64_t>() ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(any_tensor(tensor<int, 1, 1>{{5}}).item<int>() == 5);
  CHECK(message_of<tg::shape_error>([] { (void)any_tensor(tensor<int, 2>()).item<int>(); }) ==
        "any_tensor: one element was asked for of shape (2)");
  CHECK(message_of<tg::dtype_error>([&] { (void)a.item<double>(); }) ==
        "any_tensor: float64 was asked for, but the elements are float32");
}

// ---- borrowing ---------------------------------------------------------------------------------

TEST_CASE("borrowed elements are seen and written where they are") {
  tensor<int, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
  any_tensor a = any_tensor::borrow(t);
  CHECK((a.data() == t.data() && !a.owns() && !a.is_read_only() && a.is_contiguous()));
  a.as<int, 2, 3>()(1, 2) = 60;
  CHECK(t(1, 2) == 60);
  t(0, 0) = 10;
  CHECK(a.as<int>()(0) == 10);

  std::vector<double> numbers{1, 2, 3};
  CHECK(any_tensor::borrow(view(numbers)).data() == numbers.data());
}

TEST_CASE("borrowed const elements are not written to") {
  const tensor<int, 2> t{1, 2};
  any_tensor a = any_tensor::borrow(t);
  CHECK((a.is_read_only() && !a.owns()));
  CHECK(std::as_const(a).as<int>()(1) == 2);
  CHECK(a.as<const int>()(1) == 2);
  CHECK(a.as_any<const int>().flat(1) == 2);
  CHECK(message_of<tg::error>([&] { (void)a.as<int>(); }) ==
        "any_tensor: the elements are borrowed from const ones and cannot be written to");
  CHECK_THROWS_AS((void(a.as<int, 2>())), tg::error);
  CHECK_THROWS_AS((void)a.data(), tg::error);
  CHECK_THROWS_AS(tg::visit(a, [](const auto&) {}), tg::error);
  CHECK(any_tensor::borrow(a).is_read_only());
  any_tensor copy = a;
  copy.as<int>()(0) = 5;
  CHECK(t(0) == 1);
}

TEST_CASE("borrowed strides") {
  // Rows backwards, every other column of 2 x 4; and a broadcast row.
  const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const any_tensor a = any_tensor::borrow(view<const int, 2, 2>(numbers + 4, {2, 2}, {{-4, 2}}));
  CHECK_FALSE(a.is_contiguous());
  CHECK(a.stride(0) == -4);
  CHECK(a.as<int, dyn, 2>()(1, 1) == 2);
  CHECK(a == any_tensor(tensor<int, 2, 2>{{4, 6}, {0, 2}}));
  CHECK(a != any_tensor(tensor<int, 2, 2>{{4, 6}, {0, 3}}));
  CHECK(a.to<tensor<int, 2, dyn>>() == tensor<int, 2, dyn>{{4, 6}, {0, 2}});
  CHECK(str(a) == "[[4 6]\n [0 2]]");
  CHECK(message_of<tg::shape_error>([&] { (void)a.as<int>(); }) ==
        "any_tensor: the elements of shape (2, 2) do not lie in row-major order without gaps; view "
        "them with their rank");

  const any_tensor row = any_tensor::borrow(view<const int, 3, 2>(numbers, {3, 2}, {{0, 1}}));
  CHECK(row == any_tensor(tensor<int, 3, 2>{{0, 1}, {0, 1}, {0, 1}}));
  CHECK(any_tensor::borrow(dtype::int32, numbers, {2, 3}, {{4, 1}}).to<tensor<int, 2, 3>>() ==
        tensor<int, 2, 3>{{0, 1, 2}, {4, 5, 6}});
}

// Copies in the order of indices, by plain loops.
template <class T>
void check_gather() {
  std::vector<T> numbers(2 * 3 * 4 * 5);
  std::iota(numbers.begin(), numbers.end(), T{});
  const view<const T, 5, 3, 2> v(numbers.data(), {5, 3, 2}, {{1, 20, 60}});
  const any_tensor a = any_tensor::copy_of(v);
  CHECK((a.owns() && a.is_contiguous()));
  std::size_t position = 0;
  bool same = true;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 2; ++k)
        same = same && a.as<T>().data()[position++] == numbers[i + 20 * j + 60 * k];
  CHECK(same);
  const any_tensor loan = any_tensor::borrow(v);
  const any_tensor copy = loan;
  CHECK((copy == a && copy.owns() && copy.stride(0) == 6));
}

TEST_CASE("copies of strided elements of each size") {
  check_gather<std::uint8_t>();
  check_gather<std::int16_t>();
  check_gather<float>();
  check_gather<double>();
}

// ---- value semantics ---------------------------------------------------------------------------

TEST_CASE("copies are independent, also of borrowed elements") {
  tensor<float, 3> t{1, 2, 3};
  any_tensor loan = any_tensor::borrow(t);
  const any_tensor copy = loan;
  CHECK(copy.owns());
  t(0) = 10;
  CHECK(copy.as<float>()(0) == 1);
  CHECK(loan.as<float>()(0) == 10);

  // A move keeps the loan.
  any_tensor moved = std::move(loan);
  CHECK((moved.data() == t.data() && !moved.owns()));
  CHECK(loan == any_tensor());  // NOLINT(bugprone-use-after-move)

  // Assignment replaces the loan and leaves the lender alone.
  moved = any_tensor(tensor<int, 1>{7});
  CHECK((moved.owns() && moved.dtype() == dtype::int32));
  CHECK(t == tensor<float, 3>{10, 2, 3});
}

TEST_CASE("assignment") {
  any_tensor a = tensor<float, 2>{1, 2};
  const any_tensor b = tensor<int, 3>{1, 2, 3};
  a = b;
  CHECK((a == b && a.data() != b.data()));
  any_tensor& self = a;
  a = self;
  CHECK(a == b);
  a = std::move(self);
  CHECK(a == b);
  a = {};
  CHECK(a == any_tensor());
  any_tensor c(1.0);
  swap(a, c);
  CHECK((a.rank() == 0 && c.rank() == 1));
}

TEST_CASE("equality is of element types, shapes and elements") {
  const any_tensor a = tensor<float, 2>{1, 2};
  CHECK(a == any_tensor(tensor<float, dyn>{1, 2}));
  CHECK(a != any_tensor(tensor<double, 2>{1, 2}));
  CHECK(a != any_tensor(tensor<float, 2, 1>{{1}, {2}}));
  CHECK(a != any_tensor(tensor<float, 2>{1, 3}));
  const any_tensor nan(std::numeric_limits<float>::quiet_NaN());
  CHECK(nan != nan);
  CHECK(any_tensor(0.0) == any_tensor(-0.0));
}

TEST_CASE("resizing keeps memory that suffices") {
  any_tensor a(dtype::float64, {4, 5});
  const void* const memory = a.data();
  a.resize(dtype::float32, {10});
  CHECK((a.data() == memory && a.dtype() == dtype::float32 && a.shape() == tg::extents{10}));
  a.resize(dtype::float64, {20});
  CHECK(a.data() == memory);
  a.resize(dtype::int8, {0, 3});
  CHECK((a.empty() && a.stride(0) == 3));
  a.resize(dtype::float64, {21});
  CHECK((a.size() == 21 && is_aligned(a.data())));
  CHECK_THROWS_AS(a.resize(dtype::int8, {-3}), tg::shape_error);
  CHECK_THROWS_AS(a.resize(dtype::int8, {tg::index{1} << 40, tg::index{1} << 40}), tg::shape_error);
  CHECK((a.size() == 21 && a.dtype() == dtype::float64));

  tensor<float, 4> t;
  any_tensor loan = any_tensor::borrow(t);
  loan.resize(dtype::float32, {4});  // as it is
  CHECK((loan.data() == t.data() && !loan.owns()));
  loan.resize(dtype::float32, {2});
  CHECK((loan.data() != t.data() && loan.owns()));
  any_tensor constant = any_tensor::borrow(std::as_const(t));
  constant.resize(dtype::float32, {4});
  CHECK((constant.owns() && !constant.is_read_only()));
  any_tensor nothing = any_tensor::borrow(t);
  nothing.resize(dtype::float32, {0});
  CHECK((nothing.owns() && nothing.empty()));
}

// ---- access ------------------------------------------------------------------------------------

TEST_CASE("views are checked against what is there") {
  any_tensor a = tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}};
  CHECK(a.as<float, 2, 3>()(1, 0) == 4);
  CHECK(a.as<float, dyn, dyn>()(0, 2) == 3);
  CHECK(a.as<float>().size() == 6);
  CHECK(a.as_any<float>().flat(4) == 5);
  CHECK(message_of<tg::dtype_error>([&] { (void)a.as<int>(); }) ==
        "any_tensor: int32 was asked for, but the elements are float32");
  CHECK(message_of<tg::dtype_error>([&] { (void)a.as<int, 2, 3>(); }) ==
        "any_tensor: int32 was asked for, but the elements are float32");
  CHECK(message_of<tg::dtype_error>([&] { (void)a.as_any<bool>(); }) ==
        "any_tensor: bool was asked for, but the elements are float32");
  CHECK(message_of<tg::shape_error>([&] { (void)a.as<float, dyn, 2>(); }) ==
        "any_tensor: shape (?, 2) was asked for, but the shape is (2, 3)");
  CHECK(message_of<tg::shape_error>([&] { (void)a.as<float, 6>(); }) ==
        "any_tensor: shape (6) was asked for, but the shape is (2, 3)");
  CHECK(message_of<tg::shape_error>([&] { (void)a.to<tensor<float, 3, 2>>(); }) ==
        "any_tensor: shape (3, 2) was asked for, but the shape is (2, 3)");
  CHECK(message_of<tg::dtype_error>([&] { (void)std::move(a).to<tensor<int, dyn, dyn>>(); }) ==
        "any_tensor: int32 was asked for, but the elements are float32");
  CHECK(a.size() == 6);  // a refused move takes nothing
}

TEST_CASE("visiting writes, and returns what the function returns") {
  any_tensor a(dtype::uint16, {3});
  tg::visit(a, []<class T>(const any_view<T>& v) { v.flat(1) = T{1}; });
  CHECK(a == any_tensor(tensor<std::uint16_t, 3>{0, 1, 0}));
  CHECK(tg::visit(std::as_const(a), [](const auto& v) { return v.size(); }) == 3);
}

TEST_CASE("text is that of a tensor") {
  CHECK(str(any_tensor(tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}})) == "[[1. 2. 3.]\n [4. 5. 6.]]");
  CHECK(str(any_tensor(true)) == "True");
  CHECK(str(any_tensor(0.1f)) == "0.1");
  CHECK(str(any_tensor(tensor<std::int8_t, 2>{-128, 65})) == "[-128   65]");
}

}  // namespace
