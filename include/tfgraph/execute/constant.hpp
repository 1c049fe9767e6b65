// The constant executor: runs a graph inside the compiler, by evaluating node after node.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/structure.hpp>
#include <tfgraph/trace/trace.hpp>

#include <vector>

namespace tfgraph::execute {

/// Evaluates `g` for these arguments and fills the leaves of `result`. Returns all outputs.
template <class Result, class... Args>
constexpr std::vector<value> evaluate(const graph_view& g, Result& result, const Args&... args) {
  std::vector<value> inputs;
  [[maybe_unused]] const auto append = [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (tfgraph::detail::is_input<Leaf>)
      inputs.push_back(tfgraph::detail::value_of(
          leaf, dtype_of<typename tfgraph::detail::operand<Leaf>::value_type>));
  };
  (tfgraph::detail::for_each_leaf(args, append), ...);
  std::vector<value> outputs = tfgraph::evaluate(g, inputs);
  std::size_t k = 0;
  tfgraph::detail::for_each_leaf(result, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (tfgraph::detail::is_input<Leaf>) {
      const std::vector<element_bits>& bits = outputs[k++].elements;
      if constexpr (std::is_arithmetic_v<Leaf>) {
        leaf = tfgraph::detail::from_bits<Leaf>(bits.front());
      } else {
        std::size_t i = 0;
        for (auto& x : leaf) x = tfgraph::detail::from_bits<typename Leaf::value_type>(bits[i++]);
      }
    }
  });
  return outputs;
}

}  // namespace tfgraph::execute
