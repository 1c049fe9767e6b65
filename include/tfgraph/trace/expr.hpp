// Symbolic handles: what a callable receives while it is traced. The type of a handle carries the
// element type and the shape; its value is a place in the graph that is being recorded.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/tensor.hpp>
#include <tfgraph/trace/known.hpp>
#include <tfgraph/trace/tracing.hpp>

namespace tfgraph {
namespace detail {

template <class T, class Shape>
struct tensor_of;
template <class T, std::size_t... E>
struct tensor_of<T, shape<E...>> {
  using type = tensor<T, E...>;
};

}  // namespace detail

/// A tensor of element type T and shape `Shape` in a traced callable: a node of the graph.
/// Outside of a trace (and for constants) it simply holds the value; it converts to a tensor then.
template <element T, class Shape>
class expr {
 public:
  using value_type = T;
  using shape_type = Shape;
  using tensor_type = typename detail::tensor_of<T, Shape>::type;
  static constexpr int rank = Shape::rank;

  constexpr expr(detail::tracing& trace, node_id n) : trace_(&trace), slot_(trace.new_slot(n)) {}
  explicit constexpr expr(const detail::known& k) : known_(new own_value{k}) {}

  constexpr expr(const expr& other) { copy(other); }
  constexpr expr& operator=(const expr& other) {
    if (this == &other) return *this;
    detail::tracing* const from = other.trace();
    detail::tracing* const to = trace() != nullptr ? trace() : from;
    if (to != nullptr && to->in_loop()) {
      if (trace() == nullptr) enter_loop(*to);
      detail::require_seen(known_ == nullptr || !known_->read);
      to->assign(slot(), from != nullptr ? other.node() : other.record(*to));
    } else if (from != nullptr && trace() != nullptr) {
      from->assign(slot(), other.node());
    } else {
      forget();
      copy(other);
      if (known_ != nullptr) known_->value.reassigned = true;
    }
    return *this;
  }
  /// Refuses a value of another type or shape.
  template <class U, class OtherShape>
    requires(!std::is_same_v<expr<U, OtherShape>, expr>)
  constexpr expr& operator=(const expr<U, OtherShape>&) {
    detail::require_no_objection<changed_type<U, OtherShape>>();
    return *this;
  }
  constexpr ~expr() { forget(); }

  [[nodiscard]] static constexpr Shape shape() { return {}; }
  [[nodiscard]] static constexpr std::size_t extent(int axis) { return Shape::extent(axis); }

  /// The value of a handle outside of a trace.
  constexpr operator tensor_type() const {
    if (trace() != nullptr)
      throw trace_error("a traced value has no elements while the callable is being traced");
    tensor_type t;
    const value v = known_->value.evaluate();
    for (std::size_t i = 0; i < v.elements.size(); ++i)
      t.data()[i] = detail::from_bits<T>(v.elements[i]);
    return t;
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
  /// Makes a handle that knows its value one of a trace with loops: its value becomes a node outside
  /// of all loops, so that it may become a state of one. This happens when the body of a loop reads
  /// it or assigns to it; a loop that names it does so before.
  constexpr void enter_loop(detail::tracing& trace) const {
    const std::int32_t region = trace.recorded.current;
    trace.recorded.current = 0;
    known_->slot = trace.new_slot(record(trace));
    trace.recorded.current = region;
    known_->trace = &trace;
    if (!trace.in_loop()) known_->read = false;
  }
  /// Appends the value of a handle that knows it.
  [[nodiscard]] constexpr node_id record(detail::tracing& trace) const {
    detail::require_seen(!known_->value.reassigned || !trace.has_loops());
    return detail::record_known(trace.recorded, known_->value);
  }
  /// Says that the value was read without a trace, perhaps in the body of a loop.
  constexpr void note_read() const { known_->read = true; }
  [[nodiscard]] constexpr detail::tracing* trace() const {
    return known_ != nullptr ? known_->trace : trace_;
  }
  [[nodiscard]] constexpr node_id node() const { return trace()->node(slot()); }
  [[nodiscard]] constexpr const detail::known& known() const { return known_->value; }

 private:
  template <class U, class OtherShape>
  struct changed_type {
    static constexpr detail::sentence value = [] {
      detail::sentence s = "a handle of type ";
      return s << dtype_of<T> << " " << Shape::value << " cannot become " << dtype_of<U> << " "
               << OtherShape::value << ": assignment does not convert; use another variable";
    }();
  };
  /// Of a handle that knows its value; the trace if it has entered one with loops.
  struct own_value {
    detail::known value;
    detail::tracing* trace = nullptr;
    int slot = -1;
    bool read = false;
  };

  [[nodiscard]] constexpr int slot() const { return known_ != nullptr ? known_->slot : slot_; }
  constexpr void copy(const expr& other) {
    trace_ = other.trace();
    if (trace_ != nullptr) slot_ = trace_->new_slot(other.node());
    else if (other.known_ != nullptr) {
      other.note_read();
      known_ = new own_value{other.known_->value};
    }
  }
  constexpr void forget() {
    if (known_ == nullptr) return;
    if (known_->trace != nullptr) known_->trace->end_of_local(known_->slot);
    delete known_;
    known_ = nullptr;
  }

  detail::tracing* trace_ = nullptr;
  int slot_ = -1;
  own_value* known_ = nullptr;
};

}  // namespace tfgraph
