// The cache of a function: plans by signature, shared by any number of threads.
//
// The plans are in a table under a mutex. Besides, each thread has for each cache a *shard*: a
// small hash table of the plans that it has used. A call that finds its plan there takes no lock,
// and writes only to the shard, which others read on misses only. Shards belong to the cache; a
// thread finds its own by its number, so nothing in a thread ever refers to a cache.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/function/signature.hpp>
#include <tfgraph/function/thread.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tfgraph {

/// What is in a function's cache, and what it has done since it was made.
struct cache_info {
  std::size_t hits = 0;      ///< calls that found a plan
  std::size_t misses = 0;    ///< calls that made one
  std::size_t size = 0;      ///< plans that are held
  std::size_t capacity = 0;  ///< the most that are held
  std::size_t traces = 0;    ///< how often the callable was traced
  [[nodiscard]] friend constexpr bool operator==(const cache_info&, const cache_info&) = default;
};

namespace detail {

inline constexpr std::size_t cache_line = 64;

/// Plans by key. `Plan` does not change once it is made. What is looked up may be of any type that
/// has `hash()`, can be compared with `Key`, and converts to it explicitly.
///
/// At most `capacity` plans are held. When there is one more, the plan goes that has been unused
/// for longest: exactly so with one thread; with several, uses between two misses count as
/// simultaneous. A thread lets go of the plans that are not held any more when it misses next.
template <class Plan, class Key = signature>
class signature_cache {
  struct entry;
  struct shard;

 public:
  /// A plan in use: while there is this object the plan stays, held or not. The object must go
  /// before the cache does, and on the thread that it was made on.
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
  /// and those that waited try for themselves. `make` may look up other keys; a plan that cannot be
  /// made without itself is a `trace_error`.
  template <class K, class Make>
  [[nodiscard]] pinned find_or_make(const K& key, Make&& make) {
    if (shard* const mine = current_shard(); mine != nullptr) [[likely]]
      if (const entry* const e = mine->find(key, now_.load(std::memory_order_relaxed))) [[likely]]
        return pinned(*e, *mine);
    return find_or_make_shared(key, make);
  }

  /// Lets go of all plans. The counts go on.
  void clear() {
    garbage dropped;
    const std::lock_guard lock(mutex_);
    dropped.reserve(entries_.size());
    for (auto& [hash, e] : entries_) {
      e->held.store(false, std::memory_order_relaxed);
      dropped.push_back(std::move(e));
    }
    entries_.clear();
    size_ = 0;
    if (shard* const mine = current_shard()) mine->sweep(dropped);
  }

  void count_trace() { traces_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] cache_info info() const {
    const std::lock_guard lock(mutex_);
    cache_info result{0, misses_, size_, capacity_, traces_.load(std::memory_order_relaxed)};
    for (const auto& s : shards_) result.hits += s->hits.load(std::memory_order_relaxed);
    return result;
  }

  /// The keys of the plans that are held, oldest plan first.
  [[nodiscard]] std::vector<Key> keys() const {
    const std::lock_guard lock(mutex_);
    std::vector<const entry*> made;
    for (const auto& [hash, e] : entries_)
      if (e->state == progress::made) made.push_back(e.get());
    std::sort(made.begin(), made.end(),
              [](const entry* a, const entry* b) { return a->number < b->number; });
    std::vector<Key> result;
    for (const entry* e : made) result.push_back(e->key);
    return result;
  }

 private:
  // Entries that may be the last reference to a plan, whose destructor must not run under the lock.
  using garbage = std::vector<std::shared_ptr<entry>>;

  enum class progress { running, made, failed };

  // Hits read the first four members only.
  struct alignas(cache_line) entry : making, std::enable_shared_from_this<entry> {
    template <class K>
    entry(const K& k, std::uint64_t h, std::size_t n) : key(k), hash(h), number(n) {}

    const Key key;
    const std::uint64_t hash;
    std::optional<Plan> plan;
    std::atomic<bool> held{true};  // by the table

    const std::size_t number;
    progress state = progress::running;
    std::uint64_t last_use = 0;  // as far as known: the shards know better
  };

  // A line each, since others read the time of use.
  struct alignas(cache_line) slot {
    std::uint64_t hash = 0;
    std::shared_ptr<entry> plan;
    std::atomic<std::uint64_t> last_use{0};
  };

  // The plans that one thread has used, by open addressing. Only that thread changes the table, and
  // under the mutex: so it may read it without, and others with the mutex.
  struct alignas(cache_line) shard {
    std::size_t pins = 0;  // plans in use, which must not be destroyed
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> clock{0};
    std::size_t mask = 7;
    std::vector<slot> slots = std::vector<slot>(8);  // at most half full
    std::size_t size = 0;
    garbage retired;  // not held any more, but perhaps in use

    template <class K>
    [[nodiscard]] const entry* find(const K& key, std::uint64_t now) {
      const std::uint64_t hash = key.hash();
      for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
        slot& at = slots[i];
        const entry* const e = at.plan.get();
        if (e == nullptr) return nullptr;
        if (at.hash == hash && e->key == key) {
          if (!e->held.load(std::memory_order_relaxed)) return nullptr;
          // Time is set ahead of all shards by a miss; each shard counts on from there.
          const std::uint64_t time = std::max(clock.load(std::memory_order_relaxed) + 1, now);
          clock.store(time, std::memory_order_relaxed);
          at.last_use.store(time, std::memory_order_relaxed);
          count_hit();
          return e;
        }
      }
    }

    // Only one thread counts, so this needs no atomic addition.
    void count_hit() {
      hits.store(hits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    // Has a plan for find(), or, if it is not held already, while it is in use.
    void keep(std::shared_ptr<entry> e, std::uint64_t time, garbage& dropped) {
      sweep(dropped);
      clock.store(time, std::memory_order_relaxed);
      if (!e->held.load(std::memory_order_relaxed)) {
        retired.push_back(std::move(e));
        return;
      }
      if (2 * (size + 1) > slots.size()) grow();
      insert(std::move(e), time);
      ++size;
    }

    // Drops the plans that are not held any more.
    void sweep(garbage& dropped) {
      garbage& to = pins == 0 ? dropped : retired;
      for (std::size_t i = 0; i < slots.size(); ++i)
        while (slots[i].plan != nullptr && !slots[i].plan->held.load(std::memory_order_relaxed)) {
          to.push_back(slots[i].plan);
          erase(i);
        }
      if (pins == 0) {
        dropped.insert(dropped.end(), retired.begin(), retired.end());
        retired.clear();
      }
    }

   private:
    void insert(std::shared_ptr<entry> e, std::uint64_t time) {
      std::size_t i = e->hash & mask;
      while (slots[i].plan != nullptr) i = (i + 1) & mask;
      slots[i].hash = e->hash;
      slots[i].plan = std::move(e);
      slots[i].last_use.store(time, std::memory_order_relaxed);
    }

    void grow() {
      std::vector<slot> old(2 * slots.size());
      old.swap(slots);
      mask = slots.size() - 1;
      for (slot& at : old)
        if (at.plan != nullptr)
          insert(std::move(at.plan), at.last_use.load(std::memory_order_relaxed));
    }

    // Empties a slot, and moves those after it which only stand there because it was taken.
    void erase(std::size_t hole) {
      for (std::size_t i = (hole + 1) & mask; slots[i].plan != nullptr; i = (i + 1) & mask)
        if (((i - slots[i].hash) & mask) >= ((i - hole) & mask)) {
          slots[hole].hash = slots[i].hash;
          slots[hole].plan = std::move(slots[i].plan);
          slots[hole].last_use.store(slots[i].last_use.load(std::memory_order_relaxed),
                                     std::memory_order_relaxed);
          hole = i;
        }
      slots[hole].plan = nullptr;
      --size;
    }
  };

  // The shard of the thread, if it has one.
  [[nodiscard]] shard* current_shard() const {
    const current_thread& t = this_thread;
    const std::atomic<shard*>* const block = blocks_[t.block].load(std::memory_order_acquire);
    return block != nullptr ? block[t.offset].load(std::memory_order_relaxed) : nullptr;
  }

  // The rest is called under the mutex.

  [[nodiscard]] shard& make_current_shard() {
    enter_thread();
    if (shard* const mine = current_shard()) return *mine;
    const current_thread& t = this_thread;
    std::atomic<shard*>* block = blocks_[t.block].load(std::memory_order_relaxed);
    if (block == nullptr) {
      block = new std::atomic<shard*>[thread_list::block_size(t.block)] {};
      blocks_[t.block].store(block, std::memory_order_release);
    }
    shards_.push_back(std::make_unique<shard>());
    block[t.offset].store(shards_.back().get(), std::memory_order_relaxed);
    return *shards_.back();
  }

  // Locks the mutex.
  template <class K, class Make>
  [[nodiscard, gnu::noinline]] pinned find_or_make_shared(const K& key, Make& make) {
    garbage dropped;
    std::unique_lock lock(mutex_);
    shard& mine = make_current_shard();
    const std::uint64_t hash = key.hash();
    while (const std::shared_ptr<entry> found = lookup(key, hash)) {
      if (found->state == progress::running) {
        announce_wait(*found, to_string(found->key));
        changed_.wait(lock, [&] { return found->state != progress::running; });
        end_wait();
      }
      if (found->state == progress::made) {
        mine.count_hit();
        mine.keep(found, advance(), dropped);
        return pinned(*found, mine);
      }
    }

    const auto made = std::make_shared<entry>(key, hash, misses_);
    made->maker.store(this_thread.record, std::memory_order_relaxed);
    entries_.emplace(hash, made);
    ++misses_;
    lock.unlock();
    try {
      made->plan.emplace(make());
    } catch (...) {
      lock.lock();
      finish(*made, progress::failed);
      remove(*made);
      throw;
    }
    lock.lock();
    finish(*made, progress::made);
    made->last_use = advance();
    if (made->held.load(std::memory_order_relaxed) && ++size_ > capacity_) evict(*made, dropped);
    mine.keep(made, made->last_use, dropped);
    return pinned(*made, mine);
  }

  template <class K>
  [[nodiscard]] std::shared_ptr<entry> lookup(const K& key, std::uint64_t hash) const {
    const auto [first, last] = entries_.equal_range(hash);
    for (auto i = first; i != last; ++i)
      if (i->second->key == key) return i->second;
    return nullptr;
  }

  void finish(entry& e, progress outcome) {
    e.state = outcome;
    e.maker.store(nullptr, std::memory_order_relaxed);
    changed_.notify_all();
  }

  void remove(const entry& e) {
    const auto [first, last] = entries_.equal_range(e.hash);
    for (auto i = first; i != last; ++i)
      if (i->second.get() == &e) {
        entries_.erase(i);
        return;
      }
  }

  // Lets go of the plan that has been unused for longest, other than the newest.
  void evict(const entry& newest, garbage& dropped) {
    for (const auto& s : shards_)
      for (const slot& at : s->slots)
        if (at.plan != nullptr)
          at.plan->last_use =
              std::max(at.plan->last_use, at.last_use.load(std::memory_order_relaxed));
    std::shared_ptr<entry> oldest;
    for (const auto& [hash, e] : entries_)
      if (e->state == progress::made && e.get() != &newest &&
          (oldest == nullptr || e->last_use < oldest->last_use))
        oldest = e;
    dropped.push_back(oldest);
    oldest->held.store(false, std::memory_order_relaxed);
    remove(*oldest);
    --size_;
  }

  // A time after all uses so far.
  [[nodiscard]] std::uint64_t advance() {
    std::uint64_t time = now_.load(std::memory_order_relaxed);
    for (const auto& s : shards_) time = std::max(time, s->clock.load(std::memory_order_relaxed));
    now_.store(++time, std::memory_order_relaxed);
    return time;
  }

  // What hits read; written on misses only.
  alignas(cache_line) std::atomic<std::uint64_t> now_{0};
  std::atomic<std::atomic<shard*>*> blocks_[thread_list::blocks + 1] = {};  // the last: none

  alignas(cache_line) mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<entry>> entries_;  // by hash
  std::vector<std::unique_ptr<shard>> shards_;
  const std::size_t capacity_;
  std::size_t size_ = 0;  // of the entries, those that are made
  std::size_t misses_ = 0;
  std::atomic<std::size_t> traces_{0};
};

}  // namespace detail
}  // namespace tfgraph
