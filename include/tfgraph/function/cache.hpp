// The cache of a function: plans by signature, shared by any number of threads.
//
// The plans are in a table under a mutex. Besides, each thread has for each cache a *shard*: a
// small hash table of the plans that it has used. A call that finds its plan there takes no lock
// and writes only to the shard, which no other thread reads except to count hits and to find out
// which plan has been unused for longest. Shards belong to the cache; a thread finds its own by a
// number that it has while it lives, so that nothing in a thread ever refers to a cache.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/error.hpp>
#include <tfgraph/function/signature.hpp>

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tfgraph {

/// What a function's cache has done since it was made, and what is in it.
struct cache_info {
  std::size_t hits = 0;      ///< calls that found their plan
  std::size_t misses = 0;    ///< calls that made it
  std::size_t size = 0;      ///< plans held now
  std::size_t capacity = 0;  ///< the most that are held
  std::size_t traces = 0;    ///< times that the callable was traced
};

namespace detail {

inline constexpr std::size_t cache_line = 64;

struct making;

/// What identifies a running thread: a number, which is free again when the thread has ended, and
/// what it waits for.
struct thread_record {
  // The place of the number in an array that grows by blocks of 8, 16, 32, ... and never moves.
  unsigned block = 0;
  unsigned offset = 0;
  const making* waits_for = nullptr;  // under thread_list::mutex
  thread_record* next_free = nullptr;
};

/// A plan that is being made.
struct making {
  std::atomic<const thread_record*> maker{nullptr};  // null: made, or failed
};

/// The threads that have ever called. Records are used again and never freed.
struct thread_list {
  static constexpr unsigned blocks = 24;
  static constexpr unsigned block_size(unsigned block) { return 8u << block; }

  std::mutex mutex;
  thread_record* free = nullptr;
  unsigned count = 0;

  thread_record* take() {
    const std::lock_guard lock(mutex);
    if (thread_record* const r = free) {
      free = r->next_free;
      return r;
    }
    auto* const r = new thread_record;
    r->block = static_cast<unsigned>(std::bit_width(count / 8 + 1)) - 1;
    r->offset = count - (block_size(r->block) - 8);
    ++count;
    return r;
  }
  void give_back(thread_record* r) {
    const std::lock_guard lock(mutex);
    r->next_free = free;
    free = r;
  }
};

inline constinit thread_list threads;

/// The current thread. Before its first call it has the place of a block that no cache has.
struct current_thread {
  unsigned block = thread_list::blocks;
  unsigned offset = 0;
  thread_record* record = nullptr;
};

inline constinit thread_local current_thread this_thread;

struct thread_end {
  ~thread_end() {
    thread_record* const r = this_thread.record;
    this_thread = {};
    if (r != nullptr) threads.give_back(r);
  }
};

inline const current_thread& enter_thread() {
  static thread_local thread_end at_end;
  static_cast<void>(&at_end);
  if (this_thread.record == nullptr) {
    thread_record* const r = threads.take();
    this_thread = {r->block, r->offset, r};
  }
  return this_thread;
}

/// Throws if the current thread would wait for ever: if what it wants is made by a thread that
/// waits, directly or over others, for what this one makes.
inline void announce_wait(const making& wanted, const std::string& what) {
  const std::lock_guard lock(threads.mutex);
  const thread_record* const self = this_thread.record;
  for (const making* m = &wanted; m != nullptr;) {
    const thread_record* const maker = m->maker.load(std::memory_order_acquire);
    if (maker == self)
      throw trace_error("tracing the function for " + what + " needs the result of itself");
    m = maker != nullptr ? maker->waits_for : nullptr;
  }
  this_thread.record->waits_for = &wanted;
}

inline void end_wait() {
  const std::lock_guard lock(threads.mutex);
  this_thread.record->waits_for = nullptr;
}

/// Plans by key, at most `capacity` of them: when there are more, the one goes that has been unused
/// for longest (exactly so for one thread; with several, uses between two misses count as
/// simultaneous). `Plan` is immutable once made. The keys to look up may be of any type that has
/// `hash()`, compares with `Key`, and converts to it explicitly.
template <class Plan, class Key = signature>
class signature_cache {
  struct entry;
  struct shard;

 public:
  /// A plan in use: it stays where it is at least as long as this object, evicted or not. The
  /// object must go before the cache and on the thread that it was made on.
  class pinned {
   public:
    pinned(const pinned&) = delete;
    pinned& operator=(const pinned&) = delete;
    ~pinned() { --shard_->pins; }

    [[nodiscard]] const Plan& operator*() const { return *entry_->plan; }
    [[nodiscard]] const Plan* operator->() const { return &*entry_->plan; }
    [[nodiscard]] const Key& key() const { return entry_->key; }
    /// The plan for longer, and for other threads.
    [[nodiscard]] std::shared_ptr<const Plan> share() const {
      return {entry_->shared_from_this(), &*entry_->plan};
    }

   private:
    friend signature_cache;
    pinned(const entry& e, shard& s) : entry_(&e), shard_(&s) { ++s.pins; }
    const entry* entry_;
    shard* shard_;
  };

  explicit signature_cache(std::size_t capacity = 128) : capacity_(capacity > 0 ? capacity : 1) {}
  signature_cache(const signature_cache&) = delete;
  signature_cache& operator=(const signature_cache&) = delete;
  ~signature_cache() {
    for (auto& block : blocks_) delete[] block.load(std::memory_order_relaxed);
  }

  /// The plan for the key. If there is none, `make()` makes it, once: other threads that want it
  /// meanwhile wait, those that want other plans do not. If `make` throws, nothing has happened,
  /// and the waiting threads try for themselves. `make` may look up other keys; a plan that needs
  /// itself is a `trace_error`.
  template <class K, class Make>
  [[nodiscard]] pinned find_or_make(const K& key, Make&& make) {
    const std::uint64_t hash = key.hash();
    shard* const s = current_shard();
    if (s != nullptr) {
      if (const entry* const found = s->find(hash, key, now_.load(std::memory_order_relaxed)))
          [[likely]]
        return pinned(*found, *s);
    }
    return find_or_make_shared(hash, key, make);
  }

  [[nodiscard]] cache_info info() const {
    const std::lock_guard lock(mutex_);
    cache_info result{0, misses_, size_, capacity_, traces_.load(std::memory_order_relaxed)};
    for (const auto& s : shards_) result.hits += s->hits.load(std::memory_order_relaxed);
    return result;
  }

  /// Forgets all plans; the counts go on.
  void clear() {
    garbage freed;
    const std::lock_guard lock(mutex_);
    for (auto& [hash, e] : entries_) {
      e->evicted.store(true, std::memory_order_relaxed);
      freed.push_back(std::move(e));
    }
    entries_.clear();
    size_ = 0;
    if (shard* const s = current_shard()) s->sweep(freed);
  }

  void count_trace() { traces_.fetch_add(1, std::memory_order_relaxed); }

 private:
  using garbage = std::vector<std::shared_ptr<entry>>;  // is destroyed outside of the lock

  struct alignas(cache_line) entry : making, std::enable_shared_from_this<entry> {
    template <class K>
    entry(std::uint64_t h, const K& k) : key(k), hash(h) {}

    std::optional<Plan> plan;  // once made; is not changed any more
    const Key key;
    const std::uint64_t hash;
    std::atomic<bool> evicted{false};
    std::uint64_t last_use = 0;  // under the mutex, as are those below
    bool ready = false;
    bool failed = false;
  };

  // A line of its own each, since others read last_use.
  struct alignas(cache_line) slot {
    std::uint64_t hash = 0;
    std::shared_ptr<entry> plan;
    std::atomic<std::uint64_t> last_use{0};
  };

  // What one thread has used. Its table changes under the cache's mutex, and by its thread only:
  // so the thread may read it without the mutex, and others with it.
  struct alignas(cache_line) shard {
    std::size_t pins = 0;  // plans in use: none may be destroyed
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> clock{0};
    std::size_t mask = 0;
    std::vector<slot> slots{1};  // open addressing; never full
    std::size_t used = 0;
    garbage retired;  // evicted plans that may be in use

    template <class K>
    const entry* find(std::uint64_t hash, const K& key, std::uint64_t now) {
      for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
        slot& at = slots[i];
        const entry* const e = at.plan.get();
        if (e == nullptr) return nullptr;
        if (at.hash == hash && e->key == key) {
          if (e->evicted.load(std::memory_order_relaxed)) return nullptr;
          touch(at, now);
          return e;
        }
      }
    }

    // Time is a number that a miss sets ahead of all shards and that each shard counts on from
    // there, without telling.
    void touch(slot& at, std::uint64_t now) {
      const std::uint64_t before = clock.load(std::memory_order_relaxed) + 1;
      const std::uint64_t time = before > now ? before : now;
      clock.store(time, std::memory_order_relaxed);
      at.last_use.store(time, std::memory_order_relaxed);
      hits.store(hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    // Keeps a plan for find(), if it is not evicted already, and in any case while it is in use.
    void keep(const std::shared_ptr<entry>& e, std::uint64_t time) {
      clock.store(time, std::memory_order_relaxed);
      if (e->evicted.load(std::memory_order_relaxed)) {
        retired.push_back(e);
        return;
      }
      if (2 * (used + 1) > slots.size()) resize(4 * (used + 1));
      insert(e, time);
    }

    // Drops what is evicted.
    void sweep(garbage& freed) {
      std::size_t evicted = 0;
      for (const slot& at : slots)
        if (at.plan != nullptr && at.plan->evicted.load(std::memory_order_relaxed)) ++evicted;
      if (evicted > 0) resize(slots.size());
      if (pins == 0)
        for (auto& e : retired) freed.push_back(std::move(e));
      if (pins == 0) retired.clear();
    }

   private:
    void resize(std::size_t size) {
      std::vector<slot> old(std::bit_ceil(size));
      old.swap(slots);
      mask = slots.size() - 1;
      used = 0;
      for (slot& at : old) {
        if (at.plan == nullptr) continue;
        if (at.plan->evicted.load(std::memory_order_relaxed)) retired.push_back(std::move(at.plan));
        else insert(std::move(at.plan), at.last_use.load(std::memory_order_relaxed));
      }
    }
    void insert(std::shared_ptr<entry> e, std::uint64_t time) {
      std::size_t i = e->hash & mask;
      while (slots[i].plan != nullptr) i = (i + 1) & mask;
      slots[i].hash = e->hash;
      slots[i].plan = std::move(e);
      slots[i].last_use.store(time, std::memory_order_relaxed);
      ++used;
    }
  };

  [[nodiscard]] shard* current_shard() const {
    const current_thread& t = this_thread;
    const std::atomic<shard*>* const block = blocks_[t.block].load(std::memory_order_acquire);
    return block != nullptr ? block[t.offset].load(std::memory_order_relaxed) : nullptr;
  }

  shard& make_current_shard() {
    const current_thread& t = enter_thread();
    if (shard* const s = current_shard()) return *s;
    std::atomic<shard*>* block = blocks_[t.block].load(std::memory_order_relaxed);
    if (block == nullptr) {
      block = new std::atomic<shard*>[thread_list::block_size(t.block)] {};
      blocks_[t.block].store(block, std::memory_order_release);
    }
    shards_.push_back(std::make_unique<shard>());
    block[t.offset].store(shards_.back().get(), std::memory_order_relaxed);
    return *shards_.back();
  }

  template <class K, class Make>
  [[gnu::noinline]] pinned find_or_make_shared(std::uint64_t hash, const K& key, Make& make) {
    garbage freed;
    std::unique_lock lock(mutex_);
    shard& mine = make_current_shard();
    mine.sweep(freed);
    for (;;) {
      std::shared_ptr<entry> found = lookup(hash, key);
      if (found == nullptr) break;
      if (!found->ready) wait(lock, *found);
      if (found->failed) continue;
      mine.keep(found, advance());
      mine.hits.store(mine.hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return pinned(*found, mine);
    }

    auto made = std::make_shared<entry>(hash, key);
    made->maker.store(this_thread.record, std::memory_order_release);
    const auto place = entries_.emplace(hash, made);
    static_cast<void>(place);
    ++misses_;
    lock.unlock();
    try {
      made->plan.emplace(make());
    } catch (...) {
      lock.lock();
      made->failed = true;
      finish(*made);
      erase(*made);
      throw;
    }
    lock.lock();
    finish(*made);
    if (!made->evicted.load(std::memory_order_relaxed)) {
      ++size_;
      made->last_use = advance();
      while (size_ > capacity_) evict(*made, freed);
      mine.sweep(freed);
    }
    mine.keep(made, advance());
    return pinned(*made, mine);
  }

  template <class K>
  std::shared_ptr<entry> lookup(std::uint64_t hash, const K& key) const {
    const auto [first, last] = entries_.equal_range(hash);
    for (auto i = first; i != last; ++i)
      if (i->second->key == key) return i->second;
    return nullptr;
  }

  void wait(std::unique_lock<std::mutex>& lock, const entry& e) {
    announce_wait(e, to_string(e.key));
    changed_.wait(lock, [&] { return e.ready; });
    end_wait();
  }

  void finish(entry& e) {
    e.ready = true;
    e.maker.store(nullptr, std::memory_order_release);
    changed_.notify_all();
  }

  void erase(const entry& e) {
    const auto [first, last] = entries_.equal_range(e.hash);
    for (auto i = first; i != last; ++i)
      if (i->second.get() == &e) {
        entries_.erase(i);
        return;
      }
  }

  // A time after every use so far.
  std::uint64_t advance() {
    std::uint64_t time = now_.load(std::memory_order_relaxed);
    for (const auto& s : shards_) {
      const std::uint64_t other = s->clock.load(std::memory_order_relaxed);
      if (other > time) time = other;
    }
    now_.store(time + 1, std::memory_order_relaxed);
    return time + 1;
  }

  void evict(const entry& except, garbage& freed) {
    for (const auto& s : shards_)
      for (const slot& at : s->slots)
        if (at.plan != nullptr) {
          const std::uint64_t use = at.last_use.load(std::memory_order_relaxed);
          if (use > at.plan->last_use) at.plan->last_use = use;
        }
    entry* oldest = nullptr;
    for (const auto& [hash, e] : entries_)
      if (e->ready && e.get() != &except && (oldest == nullptr || e->last_use < oldest->last_use))
        oldest = e.get();
    if (oldest == nullptr) return;
    oldest->evicted.store(true, std::memory_order_relaxed);
    freed.push_back(oldest->shared_from_this());
    erase(*oldest);
    --size_;
  }

  // Read by every call, written on misses only.
  alignas(cache_line) std::atomic<std::uint64_t> now_{0};
  std::atomic<std::atomic<shard*>*> blocks_[thread_list::blocks + 1] = {};

  alignas(cache_line) mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<entry>> entries_;  // and those being made
  std::vector<std::unique_ptr<shard>> shards_;
  std::size_t capacity_;
  std::size_t size_ = 0;  // of the entries, those that are made
  std::size_t misses_ = 0;
  std::atomic<std::size_t> traces_{0};
};

}  // namespace detail
}  // namespace tfgraph
