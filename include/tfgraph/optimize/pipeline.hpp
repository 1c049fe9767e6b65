// The optimiser: its passes in their order, repeated until nothing changes.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/dead.hpp>
#include <tfgraph/optimize/options.hpp>
#include <tfgraph/optimize/rules/all.hpp>
#include <tfgraph/optimize/simplify.hpp>

namespace tfgraph {
namespace detail {

inline constexpr int most_rounds = 8;

template <options O>
struct simplify_options_of {
  static constexpr std::size_t off_count() {
    std::size_t n = 0;
    while (n < options::most_off && O.off[n] != 0) ++n;
    return n;
  }
  static constexpr options source = O;
  static constexpr optimize::simplify_options value{
      .allowed = O.allowed,
      .sets = {&optimize::library_rules, O.rules},
      .operators = optimize::detail::operators_for<O.allowed>(),
      .off = {source.off, off_count()}};
};

// In the compiler each pass is a constant expression of its own, since compilers bound the length
// of one. A stage is a type that holds a graph: `value`.
template <class Source, options O>
struct simplified {
  static constexpr graph make() {
    return optimize::simplify(Source::value, simplify_options_of<O>::value);
  }
};
template <class Source>
struct pruned {
  static constexpr graph make() { return optimize::remove_dead(Source::value); }
};

template <class Source, options O, int Round = 0>
constexpr auto optimized_stage() {
  using simple = frozen<simplified<Source, O>>;
  using next = frozen<pruned<simple>>;
  if constexpr (Round + 1 >= most_rounds || simple::storage.settled)
    return std::type_identity<next>{};
  else return optimized_stage<next, O, Round + 1>();
}

/// The type that holds the optimised form of the graph that Source holds.
template <class Source, options O = strict_options>
using optimized_of = typename decltype(optimized_stage<Source, O>())::type;

}  // namespace detail

/// The optimised form of a graph.
[[nodiscard]] constexpr graph optimized(const graph_view& g, const optimize::simplify_options& o) {
  graph now = optimize::remove_dead(g);
  for (int i = 0; i < detail::most_rounds; ++i) {
    const graph simple = optimize::simplify(now.view(), o);
    now = optimize::remove_dead(simple.view());
    if (simple.settled) break;
  }
  return now;
}
template <options O = strict_options>
[[nodiscard]] constexpr graph optimized(const graph_view& g) {
  return optimized(g, detail::simplify_options_of<O>::value);
}

}  // namespace tfgraph
