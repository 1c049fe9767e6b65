// One traced function, four ways: the static executor, the dynamic executor, and the constant
// executor on the optimised graph and on the graph as written. All give the same bits.
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

/// What the dynamic executor alone makes of a graph as written.
template <class Result, class... Args>
[[nodiscard]] Result run_in_blocks(const graph_view& written, Result result, const Args&... args) {
  const detail::plan plan(written, detail::types_of(args...), {});
  const detail::argument_pointers<(detail::input_count<Args>() + ... + 0), 0> in(args...);
  std::vector<void*> out;
  detail::for_each_leaf(result, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (std::is_arithmetic_v<Leaf>) {
      leaf = Leaf{};
      out.push_back(&leaf);
    } else {
      leaf.fill({});
      out.push_back(leaf.data());
    }
  });
  plan.run(in.data, out.data());
  return result;
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
  CHECK(same_leaves(found, run_in_blocks(written, found, args...)));
}

}  // namespace tfgraph::test

/// A test case that checks the agreement of a lambda: TFGRAPH_AGREE("name", (lambda), arguments...).
#define TFGRAPH_AGREE(name, lambda, ...) \
  TEST_CASE(name) { tfgraph::test::check_agreement(name, TFGRAPH_AGREE_UNPACK lambda, __VA_ARGS__); }
#define TFGRAPH_AGREE_UNPACK(...) __VA_ARGS__
