// Comparing values bit by bit, NaN equal to NaN.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/graph/print.hpp>

#include <string>
#include <vector>

namespace tfgraph::test {

[[nodiscard]] inline bool same_bits(dtype t, element_bits a, element_bits b) {
  if (a == b) return true;
  return detail::visit_dtype(t, [&]<class T>(T) {
    const T x = detail::from_bits<T>(a);
    const T y = detail::from_bits<T>(b);
    return x != x && y != y;
  });
}

/// The first difference, in words; empty if there is none.
[[nodiscard]] inline std::string difference(const std::vector<value>& expected,
                                            const std::vector<value>& found) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const spec& type = expected[k].type;
    if (!(found[k].type == type))
      return "output " + std::to_string(k) + " is " + detail::text_of(found[k].type);
    for (std::size_t i = 0; i < expected[k].elements.size(); ++i) {
      const element_bits e = expected[k].elements[i];
      const element_bits f = found[k].elements[i];
      if (!same_bits(type.type, e, f))
        return "output " + std::to_string(k) + ", element " + std::to_string(i) + ": " +
               detail::text_of_element(type.type, f) + " instead of " +
               detail::text_of_element(type.type, e);
    }
  }
  return "";
}

}  // namespace tfgraph::test
