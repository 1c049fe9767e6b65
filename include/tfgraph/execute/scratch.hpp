// Memory for the duration of a scope: a stack per thread that keeps what it has, so that a call
// that is repeated allocates nothing.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <new>

namespace tfgraph::detail {

/// `bytes` of uninitialised memory, aligned to 64 bytes, until the end of the scope. Objects nest:
/// the last one made is the first one destroyed, on the thread that made it.
class scratch {
 public:
  explicit scratch(std::size_t bytes) : before_(top_) {
    bytes = (bytes + alignment - 1) / alignment * alignment;
    if (top_.current == nullptr || top_.current->capacity - top_.used < bytes) next_chunk(bytes);
    data_ = top_.current->data() + top_.used;
    top_.used += bytes;
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    // The chunks stay for the next time, the first one as what is current.
    if (before_.current != nullptr) top_ = before_;
    else top_ = {top_.first, top_.first, 0};
  }

  [[nodiscard]] std::byte* data() const { return data_; }
  /// The memory as uninitialised elements of an arithmetic type.
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t smallest = 64 * 1024;

  // A chunk's memory follows it. Chunks are never moved, so what lies in them stays valid.
  struct alignas(alignment) chunk {
    chunk* next;
    std::size_t capacity;
    [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  };

  struct position {
    chunk* first;
    chunk* current;
    std::size_t used;  // of the current chunk; those after it are free
  };

  // Frees the thread's chunks. It is apart from the position, whose use then needs no guard.
  struct owner {
    ~owner() {
      for (chunk* c = top_.first; c != nullptr;) {
        chunk* const next = c->next;
        release(c);
        c = next;
      }
      top_ = {};
    }
  };

  static void release(chunk* c) { ::operator delete(c, std::align_val_t{alignment}); }

  // Goes on to the following chunk. One that is too small gives way to a larger one, so every chunk
  // of the chain only ever grows.
  [[gnu::noinline]] static void next_chunk(std::size_t bytes) {
    static thread_local owner registered;
    static_cast<void>(&registered);
    chunk*& link = top_.current != nullptr ? top_.current->next : top_.first;
    if (link == nullptr || link->capacity < bytes) {
      std::size_t capacity = top_.current != nullptr ? 2 * top_.current->capacity : smallest;
      if (capacity < bytes) capacity = bytes;
      void* const memory = ::operator new(sizeof(chunk) + capacity, std::align_val_t{alignment});
      chunk* const old = link;
      link = ::new (memory) chunk{old != nullptr ? old->next : nullptr, capacity};
      if (old != nullptr) release(old);
    }
    top_.current = link;
    top_.used = 0;
  }

  static constinit inline thread_local position top_{};

  position before_;
  std::byte* data_ = nullptr;
};

}  // namespace tfgraph::detail
