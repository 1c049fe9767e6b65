// SPDX-License-Identifier: BSL-1.0
#include <tfgraph/execute/scratch.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace {

using tfgraph::detail::scratch;

bool is_aligned(const scratch& s) { return reinterpret_cast<std::uintptr_t>(s.data()) % 64 == 0; }

bool holds(const scratch& s, std::size_t bytes, int value) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (s.data()[i] != static_cast<std::byte>(value)) return false;
  return true;
}

TEST_CASE("a block is aligned and keeps its place when nested blocks make the stack grow") {
  for (int round = 0; round < 3; ++round) {
    const scratch outer(1000);
    std::memset(outer.data(), 1, 1000);
    {
      const scratch middle(200'000 * static_cast<std::size_t>(round + 1));
      std::memset(middle.data(), 2, 200'000);
      const scratch inner(3'000'000);
      std::memset(inner.data(), 3, 3'000'000);
      CHECK(is_aligned(middle));
      CHECK(is_aligned(inner));
      CHECK(holds(middle, 200'000, 2));
    }
    CHECK(is_aligned(outer));
    CHECK(holds(outer, 1000, 1));
  }
}

TEST_CASE("what is repeated gets the same memory") {
  const auto addresses = [](std::size_t a, std::size_t b) {
    const scratch first(a);
    const scratch second(b);
    return std::pair{first.data(), second.data()};
  };
  addresses(100'000, 50'000'000);
  const auto once = addresses(100'000, 50'000'000);
  CHECK(once == addresses(100'000, 50'000'000));
  addresses(10, 10);
  CHECK(once == addresses(100'000, 50'000'000));
}

TEST_CASE("nothing is something") {
  const scratch none(0);
  const scratch one(1);
  CHECK(one.data() != nullptr);
}

TEST_CASE("many nested blocks do not overlap") {
  std::vector<std::optional<scratch>> blocks(50);
  std::size_t bytes = 1;
  for (std::size_t i = 0; i < blocks.size(); ++i, bytes = bytes * 5 / 4 + 7) {
    blocks[i].emplace(bytes);
    std::memset(blocks[i]->data(), static_cast<int>(i), bytes);
  }
  bytes = 1;
  for (std::size_t i = 0; i < blocks.size(); ++i, bytes = bytes * 5 / 4 + 7)
    CHECK(holds(*blocks[i], bytes, static_cast<int>(i)));
  while (!blocks.empty()) blocks.pop_back();
}

TEST_CASE("each thread has its own") {
  const scratch mine(100);
  std::memset(mine.data(), 1, 100);
  std::thread([&] {
    const scratch theirs(100);
    std::memset(theirs.data(), 2, 100);
    CHECK(mine.data() != theirs.data());
  }).join();
  CHECK(holds(mine, 100, 1));
}

}  // namespace
