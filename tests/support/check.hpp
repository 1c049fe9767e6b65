// One test body, two runs: the compiler evaluates it in a static_assert, and doctest calls it at
// run time, where a debugger and the sanitizers can see it.
//
//   constexpr void addition() { TFGRAPH_CHECK(1 + 1 == 2); }
//   TFGRAPH_BOTH(addition);
//
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace tfgraph::test {

// Not constexpr: when a constant expression gets here, the compiler points at the check.
[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + condition);
}

}  // namespace tfgraph::test

/// The condition must hold.
#define TFGRAPH_CHECK(...) \
  ((__VA_ARGS__) ? void() : tfgraph::test::check_failed(#__VA_ARGS__, __FILE__, __LINE__))

/// Runs a `constexpr void` function in the compiler and under doctest.
#define TFGRAPH_BOTH(function)         \
  static_assert((function(), true));   \
  TEST_CASE(#function) { function(); } \
  static_assert(true)
