// Symbolic handles: what a callable receives while it is traced. The type of a handle carries the
// element type and the shape; its value is a place in the graph that is being recorded.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/tensor.hpp>
#include <tfgraph/graph/evaluate.hpp>
#include <tfgraph/ops/generate.hpp>

namespace tfgraph {
namespace detail {

/// A trace in progress: the graph, and what each handle of the callable stands for at the moment.
/// Handles refer to slots and not to nodes, so that a captured loop can change, when it closes,
/// what the variables of the callable mean.
struct live_trace;

struct tracing {
  struct slot {
    node_id node;
    int origin;  ///< the slot that this handle was copied from
  };

  graph recorded;
  list<slot> slots;
  live_trace* live = nullptr;  ///< of a trace by the running program: what the callable captured

  constexpr int new_slot(node_id n, int origin = -1) {
    slots.push_back({n, origin});
    return static_cast<int>(slots.size()) - 1;
  }
  [[nodiscard]] constexpr node_id node(int s) const { return slots[s].node; }
  constexpr void assign(int s, node_id n) { slots[s].node = n; }
};

/// A value that does not depend on any argument: elements, or the rule of a generator.
struct known {
  bool generated = false;
  const operation* generator = nullptr;
  index attributes[2] = {};
  value content;  ///< the elements, unless there is a generator; the type in any case

  [[nodiscard]] constexpr value evaluate() const {
    if (!generated) return content;
    value v{content.type, {}};
    for (index i = 0; i < v.type.shape.size(); ++i)
      v.elements.push_back(generator->generate(v.type, std::span<const index>(attributes), i));
    return v;
  }
};

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
  explicit constexpr expr(const detail::known& k) : known_(new detail::known(k)) {}

  constexpr expr(const expr& other)
      : trace_(other.trace_),
        slot_(trace_ != nullptr ? trace_->new_slot(other.node(), other.slot_) : -1),
        known_(other.known_ != nullptr ? new detail::known(*other.known_) : nullptr) {}
  constexpr expr& operator=(const expr& other) {
    if (trace_ != nullptr && other.trace_ != nullptr) {
      trace_->assign(slot_, other.node());
      return *this;
    }
    detail::known* copy = other.known_ != nullptr ? new detail::known(*other.known_) : nullptr;
    delete known_;
    known_ = copy;
    trace_ = other.trace_;
    slot_ = trace_ != nullptr ? trace_->new_slot(other.node(), other.slot_) : -1;
    return *this;
  }
  constexpr ~expr() { delete known_; }

  [[nodiscard]] static constexpr Shape shape() { return {}; }
  [[nodiscard]] static constexpr std::size_t extent(int axis) { return Shape::extent(axis); }

  /// The value of a handle outside of a trace.
  constexpr operator tensor_type() const {
    if (known_ == nullptr)
      throw trace_error("a traced value has no elements while the callable is being traced");
    tensor_type t;
    const value v = known_->evaluate();
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
  [[nodiscard]] constexpr detail::tracing* trace() const { return trace_; }
  [[nodiscard]] constexpr node_id node() const { return trace_->node(slot_); }
  [[nodiscard]] constexpr const detail::known& known() const { return *known_; }

 private:
  detail::tracing* trace_ = nullptr;
  int slot_ = -1;
  detail::known* known_ = nullptr;
};

}  // namespace tfgraph
