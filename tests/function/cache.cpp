// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/function/cache.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <future>
#include <latch>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace tg = tfgraph;
using tg::dtype;
using tg::index;
using tg::signature;

// A plan that counts how many of it there are, and knows what it was made for.
struct plan {
  static inline std::atomic<long> alive{0};

  explicit plan(index n) : value(n) { ++alive; }
  plan(const plan& other) : value(other.value) { ++alive; }
  plan& operator=(const plan&) = delete;
  ~plan() {
    value = -1;
    --alive;
  }
  index value;
};

using cache = tg::detail::signature_cache<plan>;
using key = tg::detail::signature_key<1>;

key key_of(index n) {
  key k;
  k.push(dtype::float32, {n, 3});
  return k;
}

// Looks up, and says whether that made the plan.
bool makes(cache& c, index n) {
  bool made = false;
  const auto p = c.find_or_make(key_of(n), [&] {
    made = true;
    return plan(n);
  });
  CHECK(p->value == n);
  return made;
}

void get(cache& c, index n) { static_cast<void>(makes(c, n)); }

// Whether it happens soon.
bool happens(const std::future<void>& f) {
  return f.wait_for(std::chrono::seconds(60)) == std::future_status::ready;
}

TEST_CASE("a plan is made once") {
  cache c(4);
  CHECK(c.info() == tg::cache_info{0, 0, 0, 4, 0});
  CHECK(makes(c, 1));
  CHECK_FALSE(makes(c, 1));
  CHECK(makes(c, 2));
  CHECK_FALSE(makes(c, 2));
  CHECK_FALSE(makes(c, 1));
  c.count_trace();
  CHECK(c.info() == tg::cache_info{3, 2, 2, 4, 1});
  const std::vector<signature> keys = c.keys();
  REQUIRE(keys.size() == 2);
  CHECK(to_string(keys[0]) == "(float32 (1, 3))");
  CHECK(to_string(keys[1]) == "(float32 (2, 3))");
  const auto p = c.find_or_make(key_of(2), [] { return plan(0); });
  CHECK(p.key() == keys[1]);
}

TEST_CASE("there is room for one plan at least") {
  cache c(0);
  CHECK(makes(c, 1));
  CHECK_FALSE(makes(c, 1));
  CHECK(makes(c, 2));
  CHECK(makes(c, 1));
  CHECK(c.info() == tg::cache_info{1, 3, 1, 1, 0});
}

// The same decisions as a list in the order of use.
void follows_a_list(std::size_t capacity, index keys) {
  const long before = plan::alive;
  {
    cache c(capacity);
    std::list<index> order;
    std::mt19937 random(static_cast<std::uint32_t>(capacity));
    for (int i = 0; i < 5'000; ++i) {
      const index n = static_cast<index>(random()) % keys;
      const auto found = std::find(order.begin(), order.end(), n);
      REQUIRE(makes(c, n) == (found == order.end()));
      if (found != order.end()) order.erase(found);
      order.push_back(n);
      if (order.size() > capacity) order.pop_front();
      REQUIRE(c.info().size == order.size());
      REQUIRE(plan::alive == before + static_cast<long>(order.size()));
    }
  }
  CHECK(plan::alive == before);
}

TEST_CASE("the plan goes that has been unused for longest, and is destroyed") {
  follows_a_list(1, 3);
  follows_a_list(2, 4);
  follows_a_list(7, 10);
  follows_a_list(32, 60);
  follows_a_list(100, 80);
}

TEST_CASE("a million keys") {
  const long before = plan::alive;
  cache c(8);
  long most = 0;
  for (index i = 0; i < 1'000'000; ++i) {
    const auto p = c.find_or_make(key_of(i), [i] { return plan(i); });
    if (plan::alive > most) most = plan::alive;
  }
  CHECK(most - before <= 8 + 2);  // and the new one, twice while it is moved
  CHECK(c.info() == tg::cache_info{0, 1'000'000, 8, 8, 0});
}

TEST_CASE("what is used on one thread is not evicted by what others need") {
  cache c(8);
  std::barrier turn(2);
  int made = 0;
  std::thread other([&] {
    for (index i = 1; i <= 1'000; ++i) {
      if (i % 5 == 1) turn.arrive_and_wait();
      static_cast<void>(c.find_or_make(key_of(i), [i] { return plan(i); }));
      if (i % 5 == 0) turn.arrive_and_wait();
    }
  });
  for (int i = 0; i < 200; ++i) {
    made += makes(c, 0) ? 1 : 0;
    turn.arrive_and_wait();
    turn.arrive_and_wait();
  }
  other.join();
  CHECK(made == 1);
  CHECK(c.info() == tg::cache_info{199, 1'001, 8, 8, 0});
}

TEST_CASE("clear") {
  const long before = plan::alive;
  cache c;
  get(c, 1);
  get(c, 1);
  // Another thread that has the plan, too.
  std::latch has(1);
  std::latch cleared(1);
  std::atomic<bool> made_again{false};
  std::thread other([&] {
    get(c, 1);
    has.count_down();
    cleared.wait();
    made_again = makes(c, 1);
  });
  has.wait();
  c.clear();
  CHECK(c.info() == tg::cache_info{2, 1, 0, 128, 0});
  cleared.count_down();
  other.join();
  CHECK(made_again);
  CHECK_FALSE(makes(c, 1));
  CHECK(plan::alive == before + 1);
  c.clear();
  CHECK(makes(c, 1));

  SUBCASE("what is being made then is used, but not held") {
    bool again = false;
    const auto p = c.find_or_make(key_of(2), [&] {
      c.clear();
      return plan(2);
    });
    CHECK(p->value == 2);
    CHECK(c.info().size == 0);
    again = makes(c, 2);
    CHECK(again);
    CHECK(p->value == 2);
  }
}

TEST_CASE("a plan in use stays") {
  const long before = plan::alive;
  std::shared_ptr<const plan> longer;
  {
    cache c(1);
    {
      const auto outer = c.find_or_make(key_of(1), [] { return plan(1); });
      {
        const auto inner = c.find_or_make(key_of(2), [] { return plan(2); });  // evicts 1
        c.clear();
        get(c, 3);
        CHECK(inner->value == 2);
        longer = inner.share();
      }
      get(c, 4);
      CHECK(outer->value == 1);
      CHECK(plan::alive == before + 4);
    }
    get(c, 5);
    CHECK(plan::alive == before + 2);  // 5, and the one that is shared
  }
  CHECK(longer->value == 2);
  longer.reset();
  CHECK(plan::alive == before);
}

TEST_CASE("a make that throws leaves nothing behind") {
  const long before = plan::alive;
  cache c;
  const auto bad = [&]() -> plan { throw std::runtime_error("bad"); };
  for (int i = 0; i < 3; ++i)
    CHECK_THROWS_AS(static_cast<void>(c.find_or_make(key_of(1), bad)), std::runtime_error);
  CHECK(c.info() == tg::cache_info{0, 3, 0, 128, 0});
  CHECK(c.keys().empty());
  CHECK(plan::alive == before);
  CHECK(makes(c, 1));
  CHECK_FALSE(makes(c, 1));
}

TEST_CASE("a make may need other plans, but not itself") {
  cache c;
  const auto two = c.find_or_make(key_of(2), [&] {
    get(c, 1);
    return plan(2);
  });
  CHECK(c.info().misses == 2);

  int reached = 0;
  const auto needs_itself = [&] {
    ++reached;
    static_cast<void>(c.find_or_make(key_of(3), [] { return plan(0); }));
    ++reached;
    return plan(3);
  };
  CHECK_THROWS_WITH_AS(static_cast<void>(c.find_or_make(key_of(3), needs_itself)),
                       "tracing the function for (float32 (3, 3)) needs the result of itself",
                       tg::trace_error);
  CHECK(reached == 1);

  const auto over_another = [&] {
    static_cast<void>(c.find_or_make(key_of(4), [&] {
      static_cast<void>(c.find_or_make(key_of(3), [] { return plan(0); }));
      return plan(4);
    }));
    return plan(3);
  };
  CHECK_THROWS_AS(static_cast<void>(c.find_or_make(key_of(3), over_another)), tg::trace_error);
  CHECK(makes(c, 3));
  CHECK(makes(c, 4));
}

TEST_CASE("first calls on several threads make once, the others wait") {
  cache c;
  constexpr int count = 8;
  std::latch start(count);
  std::atomic<int> made{0};
  std::vector<const plan*> plans(count);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      const auto p = c.find_or_make(key_of(1), [&] {
        ++made;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return plan(1);
      });
      plans[t] = &*p;
    });
  for (auto& t : threads) t.join();
  CHECK(made == 1);
  for (const plan* p : plans) CHECK(p == plans[0]);
  CHECK(c.info() == tg::cache_info{count - 1, 1, 1, 128, 0});
}

TEST_CASE("while one plan is made, others are made and found") {
  cache c;
  std::latch running(1);
  std::latch go_on(1);
  std::thread slow([&] {
    static_cast<void>(c.find_or_make(key_of(1), [&] {
      running.count_down();
      go_on.wait();
      return plan(1);
    }));
  });
  running.wait();
  auto others = std::async(std::launch::async, [&] {
    get(c, 2);
    get(c, 2);
    static_cast<void>(c.info());
    c.clear();
  });
  CHECK(happens(others));
  go_on.count_down();
  slow.join();
}

TEST_CASE("threads that wait for a make that throws try for themselves") {
  cache c;
  constexpr int count = 4;
  std::latch start(count);
  std::atomic<int> attempts{0};
  std::atomic<int> thrown{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&] {
      start.arrive_and_wait();
      try {
        static_cast<void>(c.find_or_make(key_of(1), [&] {
          const int attempt = ++attempts;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (attempt < count) throw std::runtime_error("bad");
          return plan(1);
        }));
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    });
  for (auto& t : threads) t.join();
  CHECK(attempts == count);
  CHECK(thrown == count - 1);
  CHECK_FALSE(makes(c, 1));
}

// Each of two threads makes a plan and needs the other's. Neither may wait for ever.
TEST_CASE("a circle of plans over two threads and two caches is an error") {
  cache a;
  cache b;
  std::latch both(2);
  std::atomic<int> errors{0};
  const auto crossing = [&](cache& first, cache& second) {
    try {
      static_cast<void>(first.find_or_make(key_of(1), [&] {
        both.arrive_and_wait();
        const auto other = second.find_or_make(key_of(1), [&] {
          static_cast<void>(first.find_or_make(key_of(1), [] { return plan(1); }));
          return plan(1);
        });
        return plan(1);
      }));
    } catch (const tg::trace_error&) {
      ++errors;
    }
  };
  auto one = std::async(std::launch::async, [&] { crossing(a, b); });
  auto two = std::async(std::launch::async, [&] { crossing(b, a); });
  CHECK(happens(one));
  CHECK(happens(two));
  CHECK(errors == 2);
  CHECK(makes(a, 1));
  CHECK(makes(b, 1));
}

// A key whose hash the test chooses.
struct hashed_key {
  index value = 0;
  std::uint64_t bits = 0;
  [[nodiscard]] std::uint64_t hash() const { return bits; }
  friend bool operator==(const hashed_key&, const hashed_key&) = default;
};
std::string to_string(const hashed_key& k) { return std::to_string(k.value); }

// Is compared under the cache's lock, as its thread has no plans yet, and keeps the lock.
struct stuck_key {
  std::uint64_t bits;
  std::latch* reached;
  std::latch* go_on;
  [[nodiscard]] std::uint64_t hash() const { return bits; }
  explicit operator hashed_key() const { return {-1, bits}; }
  friend bool operator==(const hashed_key&, const stuck_key& k) {
    k.reached->count_down();
    k.go_on->wait();
    return false;
  }
};

// Uses the keys up to `last` one after the other, and then those that are held without the lock.
void hits_without_lock(std::size_t capacity, index last, std::uint64_t (*hash_of)(index)) {
  tg::detail::signature_cache<plan, hashed_key> c(capacity);
  std::latch reached(1);
  std::latch go_on(1);
  std::promise<void> used;
  std::future<void> all_used = used.get_future();
  const auto use = [&](index n) {
    return c.find_or_make(hashed_key{n, hash_of(n)}, [n] { return plan(n); })->value;
  };
  auto hits = std::async(std::launch::async, [&] {
    for (index n = 0; n < last; ++n) use(n);
    used.set_value();
    reached.wait();
    for (index n = last - static_cast<index>(capacity); n < last; ++n) CHECK(use(n) == n);
  });
  all_used.wait();
  auto locks = std::async(std::launch::async, [&] {
    const stuck_key k{hash_of(last - 1), &reached, &go_on};
    static_cast<void>(c.find_or_make(k, [] { return plan(-1); }));
  });
  CHECK(happens(hits));
  go_on.count_down();
  locks.wait();
  CHECK(c.info().hits == capacity);
}

TEST_CASE("a hit takes no lock, after any deletions from the thread's table") {
  hits_without_lock(1, 1, [](index) { return std::uint64_t{5}; });
  hits_without_lock(4, 4, [](index) { return std::uint64_t{5}; });
  hits_without_lock(4, 50, [](index) { return std::uint64_t{5}; });
  hits_without_lock(4, 50, [](index) { return std::uint64_t{7}; });  // round the end of the table
  hits_without_lock(13, 200, [](index n) { return static_cast<std::uint64_t>(n * n % 7 + 28); });
  hits_without_lock(60, 500, [](index n) { return static_cast<std::uint64_t>(n * n); });
}

TEST_CASE("a cache may end before the threads that have used it, and after") {
  const long before = plan::alive;
  std::latch used(1);
  std::latch gone(1);
  auto first = std::make_unique<cache>();
  cache second;
  std::thread user([&] {
    get(*first, 1);
    used.count_down();
    gone.wait();
    CHECK(makes(second, 1));
    // New caches at the places of old ones know nothing.
    for (int i = 0; i < 100; ++i) CHECK(makes(*std::make_unique<cache>(), 1));
  });
  used.wait();
  first.reset();
  CHECK(plan::alive == before);
  gone.count_down();
  user.join();
  CHECK_FALSE(makes(second, 1));
}

TEST_CASE("threads that come and go use the places of those before them") {
  const long before = plan::alive;
  cache c(4);
  const unsigned threads = tg::detail::threads.count;
  for (index i = 0; i < 2'000; ++i) std::thread([&] { get(c, i % 16); }).join();
  CHECK(tg::detail::threads.count <= threads + 1);
  CHECK(plan::alive <= before + 8);
  CHECK(c.info().hits + c.info().misses == 2'000);
}

TEST_CASE("many threads at the same time") {
  cache c;
  constexpr int count = 100;  // more than the first blocks of numbers hold
  std::latch all(count);
  std::vector<std::thread> threads;
  for (index t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      get(c, t % 10);
      all.arrive_and_wait();
      get(c, t % 10);
    });
  for (auto& t : threads) t.join();
  CHECK(c.info() == tg::cache_info{190, 10, 10, 128, 0});
}

// Its destructor runs after the cache has let go of the thread, since it was made before.
struct calls_at_the_end {
  cache* used = nullptr;
  std::atomic<int>* made = nullptr;
  ~calls_at_the_end() {
    if (used == nullptr) return;
    for (int i = 0; i < 2; ++i) *made += makes(*used, 5) ? 1 : 0;
  }
};

TEST_CASE("calls while a thread ends") {
  const long before = plan::alive;
  {
    cache c;
    std::atomic<int> made{0};
    std::thread([&] {
      static thread_local calls_at_the_end late;
      late.used = &c;
      late.made = &made;
      get(c, 1);
    }).join();
    CHECK(made == 1);
    CHECK(c.info() == tg::cache_info{1, 2, 2, 128, 0});
    CHECK_FALSE(makes(c, 5));
  }
  CHECK(plan::alive == before);
}

TEST_CASE("8 threads, mixed calls on more keys than there is room for") {
  const long before = plan::alive;
  constexpr std::size_t count = 8;
  constexpr int calls = 10'000;
  {
    cache c(32);
    std::atomic<std::size_t> made{0};
    std::atomic<std::size_t> nested{0};
    std::atomic<int> wrong{0};
    const auto call = [&](const auto& self, index n) -> void {
      const auto p = c.find_or_make(key_of(n), [&] {
        ++made;
        if (n % 50 == 49) {  // tracing calls functions, too
          ++nested;
          self(self, n - 1);
        }
        return plan(n);
      });
      if (p->value != n || !(p.key() == key_of(n))) ++wrong;
    };
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < count; ++t)
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int i = 0; i < calls; ++i) {
          const auto r = static_cast<index>(random() % 600);
          call(call, r < 300 ? r % 16 : r - 300);  // half of the calls go to 16 keys
          if (t == 0 && i % 1000 == 999) c.clear();
        }
      });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
    const tg::cache_info info = c.info();
    CHECK(info.misses == made);
    CHECK(info.hits + info.misses == count * calls + nested);
    CHECK(info.size <= 32);
    CHECK(plan::alive - before <= 32 * (1 + static_cast<long>(count)));
  }
  CHECK(plan::alive == before);
}

// With room for all, every key is made once, whatever the threads do.
TEST_CASE("8 threads, mixed calls with room for all keys") {
  constexpr std::size_t count = 8;
  cache c(300);
  std::vector<std::atomic<int>> made(300);
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 10'000; ++i) {
        const auto n = static_cast<index>(random() % 300);
        const auto p = c.find_or_make(key_of(n), [&] {
          ++made[static_cast<std::size_t>(n)];
          return plan(n);
        });
      }
    });
  for (auto& t : threads) t.join();
  for (const auto& m : made) CHECK(m == 1);
  CHECK(c.info() == tg::cache_info{count * 10'000 - 300, 300, 300, 300, 0});
}

}  // namespace
