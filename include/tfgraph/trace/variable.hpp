// tg::variable: a tensor that is state, a member of a model. While a callable is traced it stands
// for an input of the graph; at run time it owns its elements.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/operand.hpp>
#include <tfgraph/trace/structure.hpp>

namespace tfgraph {

/// A tensor of state. It is a value: copying copies the elements. Models are aggregates of
/// variables, of other models and of static values, with a call operator:
///
///   struct dense {
///     tg::variable<float, 64, 10> w;
///     tg::variable<float, 10> b;
///     constexpr auto operator()(const auto& x) const { return tg::matmul(x, w) + b; }
///   };
///   auto f = tg::function(dense{...});
template <element T, std::size_t... E>
class variable {
  static_assert(shape<E...>::is_static, "tfgraph: the extents of a variable must be static");

 public:
  using value_type = T;
  using shape_type = tfgraph::shape<E...>;
  using tensor_type = tensor<T, E...>;
  static constexpr int rank = shape_type::rank;

  /// Zeros. (In a constant expression the elements are made when they are first written, so that a
  /// model costs nothing while it is traced.)
  constexpr variable() : value_(std::is_constant_evaluated() ? nullptr : new tensor_type()) {}
  constexpr variable(const tensor_type& v) : value_(new tensor_type(v)) {}
  constexpr variable(const variable& other)
      : value_(other.value_ != nullptr ? new tensor_type(*other.value_) : nullptr),
        trace_(other.trace_),
        slot_(trace_ != nullptr ? trace_->new_slot(other.node()) : -1) {}
  constexpr variable(variable&& other) noexcept
      : value_(other.value_), trace_(other.trace_), slot_(other.slot_) {
    other.value_ = nullptr;
  }
  constexpr variable& operator=(variable other) noexcept {
    tensor_type* const old = value_;
    value_ = other.value_;
    other.value_ = old;
    trace_ = other.trace_;
    slot_ = other.slot_;
    return *this;
  }
  constexpr ~variable() { delete value_; }

  /// The elements.
  [[nodiscard]] constexpr tensor_type& value() {
    if (value_ == nullptr) value_ = new tensor_type();
    return *value_;
  }
  [[nodiscard]] constexpr const tensor_type& value() const {
    if (value_ == nullptr) throw trace_error("variable: there are no elements to refer to here");
    return *value_;
  }
  constexpr operator const tensor_type&() const { return value(); }
  [[nodiscard]] constexpr T* data() { return value().data(); }
  [[nodiscard]] constexpr const T* data() const { return value().data(); }
  [[nodiscard]] constexpr auto begin() { return value().begin(); }
  [[nodiscard]] constexpr auto begin() const { return value().begin(); }
  [[nodiscard]] constexpr auto end() { return value().end(); }
  [[nodiscard]] constexpr auto end() const { return value().end(); }
  [[nodiscard]] static constexpr std::size_t size() { return shape_type::size(); }
  [[nodiscard]] static constexpr std::size_t extent(int axis) { return shape_type::extent(axis); }
  [[nodiscard]] static constexpr shape_type shape() { return {}; }

  /// Takes a new value. In a traced callable the variable stands for it from here on, and a call gives
  /// it to the variable when the function has ended.
  template <class V = tensor_type>  // so that braces are a tensor
  constexpr void assign(const V& v) {
    detail::require_no_objection<assignment<V>>();
    if constexpr (assignment<V>::value.empty()) {
      if (trace_ != nullptr) trace_->assign(slot_, detail::record_operand(*trace_, v, dtype_of<T>));
      else if constexpr (std::is_arithmetic_v<V>) value() = tensor_type(static_cast<T>(v));
      else value() = tensor_type(v);
    }
  }
  /// assign(*this + v), assign(*this - v).
  template <class V>
  constexpr void assign_add(const V& v) {
    assign(*this + v);
  }
  template <class V>
  constexpr void assign_sub(const V& v) {
    assign(*this - v);
  }

  [[nodiscard]] friend constexpr bool operator==(const variable& a, const variable& b)
    requires(rank >= 0)
  {
    return a.value() == b.value();
  }

  // For the trace layer.
  constexpr void attach(detail::tracing& trace, node_id n) {
    trace_ = &trace;
    slot_ = trace.new_slot(n);
  }
  [[nodiscard]] constexpr detail::tracing* trace() const { return trace_; }
  [[nodiscard]] constexpr node_id node() const { return trace_->node(slot_); }
  [[nodiscard]] constexpr detail::known known() const {
    if (value_ == nullptr)
      return {true, ops::id<ops::full>, {}, {{dtype_of<T>, shape_type::value}, {}}};
    return {false, nullptr, {}, detail::value_of_array(*value_)};
  }

 private:
  // What is wrong with a value for this variable.
  template <class V>
  struct assignment {
    static constexpr detail::sentence value = [] {
      detail::sentence s;
      if constexpr (!detail::is_operand<V> || detail::is_any<V>)
        return s << "variable: assign takes a tensor or a traced value";
      else {
        constexpr dtype type = dtype_of<typename detail::operand<V>::value_type>;
        constexpr extents e = detail::operand<V>::shape_type::value;
        const bool fits =
            type == dtype_of<T> || (detail::gives_way<V> && detail::literal_fits(type, dtype_of<T>));
        if (!fits || !(e == shape_type::value))
          s << "variable: assign of " << type << " " << e << " to a variable of " << dtype_of<T> << " "
            << shape_type::value;
        return s;
      }
    }();
  };

  tensor_type* value_;  // null: zeros that nobody has written to
  detail::tracing* trace_ = nullptr;
  int slot_ = -1;
};

namespace detail {

template <class T, std::size_t... E>
struct operand<variable<T, E...>> {
  static constexpr operand_kind kind = operand_kind::handle;
  using value_type = T;
  using shape_type = shape<E...>;
};

template <class T>
inline constexpr bool is_variable = false;
template <class T, std::size_t... E>
inline constexpr bool is_variable<variable<T, E...>> = true;

/// Refuses a model with state that tracing would not see.
template <class Model>
constexpr bool require_model() {
  static_assert(
      std::is_default_constructible_v<Model>,
      "tfgraph: a model must be default-constructible, so that the compiler can trace it");
  for_each_leaf_type<Model>([]<class Member>(std::type_identity<Member>) {
    static_assert(is_variable<Member> || std::is_empty_v<Member>,
                  "tfgraph: a data member of a model must be a tg::variable, another model or a "
                  "static value; this member's run-time value would silently be ignored");
  });
  return true;
}

}  // namespace detail

/// Calls f(variable) for every variable of a model, in the order of its members. With two models of
/// the same structure: f(variable, variable).
template <class Model, class F>
constexpr void for_each_variable(Model& model, F&& f) {
  detail::for_each_leaf(model, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (detail::is_variable<std::remove_const_t<Leaf>>) f(leaf);
  });
}
template <class A, class B, class F>
constexpr void for_each_variable(A& a, B& b, F&& f) {
  if constexpr (detail::leaf<std::remove_const_t<A>>) {
    if constexpr (detail::is_variable<std::remove_const_t<A>>) f(a, b);
  } else {
    auto parts_a = detail::structure<std::remove_const_t<A>>::parts(a);
    auto parts_b = detail::structure<std::remove_const_t<B>>::parts(b);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (..., for_each_variable(std::get<I>(parts_a), std::get<I>(parts_b), f));
    }(std::make_index_sequence<std::tuple_size_v<decltype(parts_a)>>{});
  }
}

}  // namespace tfgraph
