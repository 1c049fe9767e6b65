// Values that do not depend on any argument: what zeros, constant, arange and their kin give, and what
// is computed from these alone. They cost nothing until a traced value meets them.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/generate.hpp>

namespace tfgraph::detail {

/// A value that does not depend on any argument: elements, or the rule of a generator.
struct known {
  bool generated = false;
  const operation* generator = nullptr;
  index attributes[2] = {};
  value content;  ///< the elements, unless there is a generator; the type in any case
  /// Whether a handle was given this value by an assignment in which no trace had a part. It could
  /// have happened in the body of a captured loop, which would not be seen.
  bool reassigned = false;

  [[nodiscard]] constexpr value evaluate() const {
    if (!generated) return content;
    value v{content.type, {}};
    for (index i = 0; i < v.type.shape.size(); ++i)
      v.elements.push_back(generator->generate(v.type, std::span<const index>(attributes), i));
    return v;
  }
};

/// Appends a tensor of one value.
constexpr node_id record_full(graph& g, const spec& type, element_bits bits) {
  const index attributes[1] = {static_cast<index>(bits)};
  return g.add(ops::id<ops::full>, type, {}, attributes);
}

/// Appends a value as a constant.
constexpr node_id record_value(graph& g, const value& v) {
  if (v.elements.size() == 1) return record_full(g, v.type, v.elements.front());
  const index first[1] = {static_cast<index>(g.pool.size())};
  for (std::size_t i = 0; i < v.elements.size(); ++i)
    append_packed(g.pool, v.type.type, i, v.elements[i]);
  return g.add(ops::id<ops::constant>, v.type, {}, first);
}
constexpr node_id record_known(graph& g, const known& k) {
  if (!k.generated) return record_value(g, k.content);
  return g.add(k.generator, k.content.type, {}, k.attributes);
}

}  // namespace tfgraph::detail
