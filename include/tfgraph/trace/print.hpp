// Printing handles that hold a value.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/print.hpp>
#include <tfgraph/trace/variable.hpp>

namespace tfgraph {

/// As the tensor is printed; a handle of a trace in progress throws trace_error.
template <element T, class Shape>
std::ostream& operator<<(std::ostream& out, const expr<T, Shape>& x) {
  return out << typename expr<T, Shape>::tensor_type(x);
}
template <element T, std::size_t... E>
std::ostream& operator<<(std::ostream& out, const variable<T, E...>& x) {
  return out << x.value();
}

}  // namespace tfgraph
