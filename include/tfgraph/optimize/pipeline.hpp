// The optimiser: its passes in their order, repeated until nothing changes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/dead.hpp>
#include <tfgraph/optimize/simplify.hpp>

namespace tfgraph {
namespace detail {

inline constexpr int most_rounds = 8;

// In the compiler each pass is a constant expression of its own, since compilers bound the length
// of one. A stage is a type that holds a graph: `value`.
template <class Source>
struct simplified {
  static constexpr graph make() { return optimize::simplify(Source::value); }
};
template <class Source>
struct pruned {
  static constexpr graph make() { return optimize::remove_dead(Source::value); }
};

template <class Source, int Round = 0>
constexpr auto optimized_stage() {
  using simple = frozen<simplified<Source>>;
  using next = frozen<pruned<simple>>;
  if constexpr (Round + 1 >= most_rounds || simple::storage.settled)
    return std::type_identity<next>{};
  else return optimized_stage<next, Round + 1>();
}

/// The type that holds the optimised form of the graph that Source holds.
template <class Source>
using optimized_of = typename decltype(optimized_stage<Source>())::type;

}  // namespace detail

/// The optimised form of a graph.
[[nodiscard]] constexpr graph optimized(const graph_view& g) {
  graph now = optimize::remove_dead(g);
  for (int i = 0; i < detail::most_rounds; ++i) {
    const graph simple = optimize::simplify(now.view());
    now = optimize::remove_dead(simple.view());
    if (simple.settled) break;
  }
  return now;
}

}  // namespace tfgraph
