// A call with static shapes allocates nothing once it has run, and one with others nothing beyond
// its result.
// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/function/cache.hpp>
#include <tfgraph/tfgraph.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};
std::atomic<long> alive{0};  // blocks that are not freed yet

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  ++alive;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (void* p = std::aligned_alloc(alignment, bytes > 0 ? bytes : alignment)) return p;
  throw std::bad_alloc();
}

void freed(void* p) {
  if (p == nullptr) return;
  --alive;
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return counted(n, 16); }
void* operator new[](std::size_t n) { return counted(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return counted(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept { freed(p); }
void operator delete[](void* p) noexcept { freed(p); }
void operator delete(void* p, std::size_t) noexcept { freed(p); }
void operator delete[](void* p, std::size_t) noexcept { freed(p); }
void operator delete(void* p, std::align_val_t) noexcept { freed(p); }
void operator delete[](void* p, std::align_val_t) noexcept { freed(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { freed(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { freed(p); }

namespace {

namespace tg = tfgraph;
using tg::tensor;
using large = tensor<float, 60, 80>;

// Allocations of the calls after the first.
template <class Call>
long steady(Call call) {
  call();
  const long before = allocations;
  for (int i = 0; i < 3; ++i) call();
  return allocations - before;
}

TEST_CASE("allocations are counted") {
  CHECK(steady([] { ::operator delete(::operator new(sizeof(int))); }) == 3);
  CHECK(steady([] {
          large x;
          x.fill(1);
        }) == 3);
}

TEST_CASE("elementwise") {
  constexpr auto f = tg::function([](auto x, auto y) { return tg::exp(x) * y + x; });
  large x;
  large y;
  large out;
  CHECK(steady([&] { f.into(out, x, y); }) == 0);
  CHECK(out(0, 0) == 0);
  const tensor<float, 4> small{1, 2, 3, 4};
  CHECK(steady([&] { static_cast<void>(f(small, small)); }) == 0);
}

TEST_CASE("reductions") {
  constexpr auto f = tg::function([](auto x) { return tg::sum(x * x, tg::axis<0>); });
  constexpr auto total = tg::function([](auto x) { return tg::sum(x); });
  large x;
  x.fill(2);
  tensor<float, 80> columns;
  CHECK(steady([&] { f.into(columns, x); }) == 0);
  CHECK(columns(79) == 240);
  float sum = 0;
  CHECK(steady([&] { sum = total(x); }) == 0);
  CHECK(sum == 2 * 60 * 80);
}

TEST_CASE("softmax") {
  constexpr auto f = tg::function([](auto x) { return tg::softmax(x); });
  const large x;
  large out;
  CHECK(steady([&] { f.into(out, x); }) == 0);
  CHECK(out(3, 4) == doctest::Approx(1.0 / 80));
}

TEST_CASE("products") {
  constexpr auto f =
      tg::function([](auto x, auto w, auto b) { return tg::relu(tg::matmul(x, w) + b); });
  large x;
  x.fill(1);
  tensor<float, 80, 50> w;
  w.fill(2);
  tensor<float, 50> b;
  b.fill(-60);
  tensor<float, 60, 50> out;
  CHECK(steady([&] { f.into(out, x, w, b); }) == 0);
  CHECK(out(59, 49) == 100);
}

TEST_CASE("arguments that are copied") {
  constexpr auto f = tg::function([](auto x) { return x * 3; });
  large memory;
  memory.fill(1);
  const tg::view<float, 80, 60> turned(memory.data(), {80, 60}, {1, 80});
  tensor<float, 80, 60> out;
  CHECK(steady([&] { f.into(out, turned); }) == 0);
  CHECK(out(79, 59) == 3);
}

struct scale {
  tg::variable<float, 80> factor;
  constexpr auto operator()(const auto& x) const { return x * factor; }
};

TEST_CASE("a model") {
  const auto f = tg::function(scale{tensor<float, 80>()});
  const large x;
  large out;
  CHECK(steady([&] { f.into(out, x); }) == 0);
}

TEST_CASE("dynamic extents") {
  constexpr auto f = tg::function(
      [](auto x, auto y) { return tg::softmax(tg::matmul(x, tg::transpose(x)) + y) * 2; });
  tensor<float, tg::dyn, tg::dyn> x(40, 30);
  tensor<float, tg::dyn> y(40);
  tensor<float, tg::dyn, tg::dyn> out(40, 40);
  CHECK(steady([&] { f.into(out, x, y); }) == 0);
  CHECK(steady([&] { static_cast<void>(f(x, y)); }) == 3);
  // Where no compiled kernel fits.
  tensor<float, tg::dyn> one(1);
  CHECK(steady([&] { f.into(out, x, one); }) == 0);
}

TEST_CASE("tensors of any type") {
  constexpr auto f = tg::function([](auto x, auto y) {
    return tg::sum(tg::exp(tg::matmul(x, tg::transpose(x)) + y), tg::axis<0>) * 2;
  });
  const tg::any_tensor x = tensor<float, tg::dyn, tg::dyn>(40, 30);
  const tg::any_tensor y = tensor<float, 40>{};
  tg::any_tensor out;
  CHECK(steady([&] { f.into(out, x, y); }) == 0);
  CHECK(steady([&] { static_cast<void>(f(x, y)); }) == 3);
}

TEST_CASE("closures") {
  tensor<float, 8> w;
  const auto f = tg::function([&w](auto x) { return x * w + 1; });
  tensor<float, 8> x;
  CHECK(steady([&] { f.into(x, x); }) == 0);
  CHECK(steady([&] { static_cast<void>(f(x)); }) == 0);
}

TEST_CASE("finding a plan by its signature") {
  using tg::dtype;
  tg::detail::signature_cache<int> cache;
  int made = 0;
  const auto call = [&](tg::index n) {
    tg::detail::signature_key<8> key;
    for (int i = 0; i < 8; ++i) key.push(dtype::float32, {n, 2, 3, 4, 5, 6, 7, 8});
    return *cache.find_or_make(key, [&] { return ++made; });
  };
  CHECK(steady([&] {
          for (tg::index n = 0; n < 100; ++n) CHECK(call(n) == n + 1);
        }) == 0);
  CHECK(made == 100);
}

TEST_CASE("a function frees its plans when it goes, and when it is told to") {
  tensor<float, 8> w;
  const auto make = [&w] { return tg::function([&w](auto x) { return x * w + 1; }); };
  static_cast<void>(make()(tensor<float, 8>{}));  // what the thread keeps is there now
  const long before = alive;
  {
    const auto f = make();
    for (tg::index n = 1; n < 5; ++n) static_cast<void>(f(tensor<float, tg::dyn, 8>(n)));
    CHECK(alive > before);
  }
  CHECK(alive == before);
  const auto g = make();
  static_cast<void>(g(tensor<float, tg::dyn, 8>(1)));
  g.clear_cache();
  const long empty = alive;
  for (tg::index n = 1; n < 5; ++n) static_cast<void>(g(tensor<float, tg::dyn, 8>(n)));
  g.clear_cache();
  CHECK(alive <= empty + 2);  // tables keep their room
}

TEST_CASE("memory is bounded, however many extents there are") {
  constexpr auto f = tg::function<tg::options{.capacity = 8}>([](auto x) { return x * 2 + 1; });
  const auto call = [&f](tg::index n) { static_cast<void>(f(tensor<float, tg::dyn>(n))); };
  for (tg::index n = 0; n < 100; ++n) call(n);
  const long before = alive;
  for (tg::index n = 100; n < 3000; ++n) call(n);
  CHECK(alive <= before + 8);
  CHECK(f.cache_info().size == 8);
}

}  // namespace
