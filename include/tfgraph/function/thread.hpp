// The threads that call functions: a number for each, so that a function can keep something for
// each of them, and what they wait for. SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/error.hpp>

#include <atomic>
#include <bit>
#include <mutex>
#include <string>
#include <utility>

namespace tfgraph::detail {

struct thread_record;

/// What only one thread makes while others may wait for it.
struct making {
  std::atomic<const thread_record*> maker{nullptr};  // null when it is made, or has failed
};

/// What identifies a running thread: a number, which the next thread may have when it has ended,
/// and what it waits for.
struct thread_record {
  // The number, as a place in an array that grows by blocks of 8, 16, 32, ... and never moves.
  unsigned block = 0;
  unsigned offset = 0;
  // Under the mutex of the list:
  const making* waits_for = nullptr;
  bool taken = false;
  thread_record* next = nullptr;
};

/// The records of all threads that have ever called. They are never freed, so a thread and a
/// function may end in any order.
struct thread_list {
  static constexpr unsigned blocks = 24;
  [[nodiscard]] static constexpr unsigned block_size(unsigned block) { return 8u << block; }

  std::mutex mutex;
  thread_record* first = nullptr;
  unsigned count = 0;

  [[nodiscard]] thread_record& take() {
    const std::lock_guard lock(mutex);
    for (thread_record* r = first; r != nullptr; r = r->next)
      if (!std::exchange(r->taken, true)) return *r;
    const auto block = static_cast<unsigned>(std::bit_width(count / 8 + 1)) - 1;
    const unsigned offset = count - (block_size(block) - 8);
    first = new thread_record{block, offset, nullptr, true, first};
    ++count;
    return *first;
  }
  void give_back(thread_record& r) {
    const std::lock_guard lock(mutex);
    r.taken = false;
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

/// Gives the number of a thread back at its end. (A destructor that calls after that, of another
/// thread_local object, makes the thread take a number once more, which it then keeps.)
struct thread_end {
  ~thread_end() {
    thread_record* const r = this_thread.record;
    this_thread = {};
    if (r != nullptr) threads.give_back(*r);
  }
};

inline void enter_thread() {
  static thread_local thread_end at_end;
  static_cast<void>(&at_end);
  if (this_thread.record != nullptr) return;
  thread_record& r = threads.take();
  this_thread = {r.block, r.offset, &r};
}

/// Throws if the current thread would wait for ever: if what it wants is made by a thread that
/// waits, directly or over others, for what this one makes.
inline void announce_wait(const making& wanted, const std::string& what) {
  const std::lock_guard lock(threads.mutex);
  const thread_record* const self = this_thread.record;
  for (const making* m = &wanted; m != nullptr;) {
    const thread_record* const maker = m->maker.load(std::memory_order_relaxed);
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

}  // namespace tfgraph::detail
