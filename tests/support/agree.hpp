// One traced function, three ways: the static executor, and the constant executor on the optimised
// graph and on the graph as written. All give the same bits.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/tfgraph.hpp>

#include <support/reference.hpp>

#include <doctest/doctest.h>

namespace tfgraph::test {

template <class Result>
[[nodiscard]] bool same_leaves(const Result& a, const Result& b) {
  if constexpr (std::is_arithmetic_v<Result> || detail::is_operand<Result>) return same(a, b);
  else
    return std::apply(
        [&](const auto&... x) {
          return std::apply([&](const auto&... y) { return (same(x, y) && ...); }, b);
        },
        a);
}

/// Calls `f`, a stateless callable, in all ways with the same arguments.
template <class F, class... Args>
void check_agreement(const char* name, F f, const Args&... args) {
  INFO(name);
  const auto traced = function(f);
  const auto found = traced(args...);
  using Function = decltype(traced);
  constexpr graph_view written = Function::template traced<Args...>();
  constexpr graph_view better = Function::template graph<Args...>();
  CHECK(verify(written).view() == "");
  CHECK(verify(better).view() == "");
  auto expected = found;
  execute::evaluate(written, expected, args...);
  CHECK(same_leaves(found, expected));
  execute::evaluate(better, expected, args...);
  CHECK(same_leaves(found, expected));
}

}  // namespace tfgraph::test

/// A test case that checks the agreement of a lambda: TFGRAPH_AGREE("name", (lambda), arguments...).
#define TFGRAPH_AGREE(name, lambda, ...) \
  TEST_CASE(name) { tfgraph::test::check_agreement(name, TFGRAPH_AGREE_UNPACK lambda, __VA_ARGS__); }
#define TFGRAPH_AGREE_UNPACK(...) __VA_ARGS__
