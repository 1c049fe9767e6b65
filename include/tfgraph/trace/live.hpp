// Handles of a trace by the running program: of closures, and of arguments whose element type, rank
// and extents are values. And what such a trace knows of captured tensors.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/any_tensor.hpp>
#include <tfgraph/trace/expr.hpp>

#include <cstring>
#include <vector>

namespace tfgraph {

namespace detail {

/// A trace for any extents has come to where it needs one.
struct unknown_extent : trace_error {
  unknown_extent()
      : trace_error("the function is traced for any extents, so this one is not known") {}
};

}  // namespace detail

/// A tensor in a callable that is traced by the running program: element type, rank and extents are
/// values. What does not fit throws `shape_error` or `dtype_error` from the operator.
class any_expr {
 public:
  any_expr(detail::tracing& trace, node_id n) : trace_(&trace), slot_(trace.new_slot(n)) {}
  any_expr(const any_expr& other)
      : trace_(other.trace_), slot_(trace_->new_slot(other.node())) {}
  any_expr& operator=(const any_expr& other) {
    trace_->assign(slot_, other.node());
    return *this;
  }

  [[nodiscard]] tfgraph::dtype dtype() const { return type().type; }
  [[nodiscard]] int rank() const { return type().shape.rank; }
  /// An extent. (A function that asks for one is traced for every shape anew.)
  [[nodiscard]] std::size_t extent(int axis) const {
    const index n = type().shape[axis < 0 ? axis + rank() : axis];
    if (n < 0) throw detail::unknown_extent();
    return static_cast<std::size_t>(n);
  }

  template <class Bool>
    requires std::is_same_v<Bool, bool>
  explicit constexpr operator Bool() const {
    static_assert(
        !std::is_same_v<Bool, bool>,
        "tfgraph: a traced value has no value yet, so `if`, `while` and `?:` cannot decide "
        "on it; select elements with where(condition, yes, no)");
    return false;
  }

  // For the trace layer.
  [[nodiscard]] detail::tracing* trace() const { return trace_; }
  [[nodiscard]] node_id node() const { return trace_->node(slot_); }
  [[nodiscard]] const spec& type() const { return trace_->recorded.type(node()); }

 private:
  detail::tracing* trace_;
  int slot_;
};

namespace detail {

/// A handle of known type in a trace by the running program.
template <element T, class Shape>
class live_expr : public expr<T, Shape> {
 public:
  using expr<T, Shape>::expr;
  using expr<T, Shape>::operator=;
};

/// The elements of a captured tensor, as they are at the moment.
struct captured_elements {
  const void* data;
  spec type;
  tfgraph::strides strides;
};

/// A captured tensor: an input of the graph after the arguments'.
struct capture {
  const void* object;
  node_id node;
  spec type;
  captured_elements (*elements)(const void* object);
};

/// What a trace by the running program knows besides the graph.
struct live_trace {
  const std::byte* callable;  ///< the object that is called
  std::size_t size;
  std::vector<capture> captures;

  /// Whether the callable holds this object: by value, or its address. (Anything else may be gone
  /// when the trace ends.)
  [[nodiscard]] bool holds(const void* object) const {
    const auto* const p = static_cast<const std::byte*>(object);
    if (!std::less<>{}(p, callable) && std::less<>{}(p, callable + size)) return true;
    for (std::size_t at = 0; at + sizeof object <= size; at += alignof(const void*))
      if (std::memcmp(callable + at, &object, sizeof object) == 0) return true;
    return false;
  }
};

}  // namespace detail
}  // namespace tfgraph
