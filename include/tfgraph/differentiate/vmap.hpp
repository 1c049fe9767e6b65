// vmap: a function of single elements becomes a function of batches.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/differentiate/batch.hpp>
#include <tfgraph/differentiate/transform.hpp>

#include <limits>

namespace tfgraph {

/// In the place of an axis: the argument is the same for all elements of the batch.
inline constexpr int unmapped = std::numeric_limits<int>::min();

/// The batch's axis in each argument: `in_axes<0, unmapped>`.
template <int... Axes>
struct in_axes_t {};
template <int... Axes>
inline constexpr in_axes_t<Axes...> in_axes{};

namespace detail {

constexpr int batch_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

[[nodiscard]] constexpr extents without_axis(const extents& e, int axis) {
  extents r;
  for (int i = 0; i < e.rank; ++i)
    if (i != batch_axis(axis, e.rank)) r.push_back(e[i]);
  return r;
}

/// Names the handle that stands for one element of a batch.
template <int Axis>
struct element_of_batch {
  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) const {
    if constexpr (is_input<Leaf>) {
      using Shape = typename operand<Leaf>::shape_type;
      static_assert(Axis >= -Shape::rank && Axis < Shape::rank,
                    "tfgraph: vmap: an argument does not have the batch's axis");
      constexpr extents rest = without_axis(Shape::value, Axis);
      return expr<typename operand<Leaf>::value_type, shape_of_value<rest>>(known{});
    } else return Leaf{};
  }
};

template <int Axis, class A>
constexpr auto one_of_batch() {
  if constexpr (Axis == unmapped) return std::type_identity<A>{};
  else
    return std::type_identity<decltype(build_like<A>(
        std::declval<const element_of_batch<Axis>&>()))>{};
}

/// The axis and the extent of the batch, for every input.
template <int Axis, class A>
constexpr void append_axes(auto& axes, auto& batches) {
  for_each_leaf_type<A>([&]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (is_input<Leaf>) {
      using Shape = typename operand<Leaf>::shape_type;
      constexpr int axis = Axis == unmapped ? -1 : batch_axis(Axis, Shape::rank);
      axes.push_back(axis);
      if constexpr (axis >= 0 && axis < Shape::rank) batches.push_back(Shape::value[axis]);
    }
  });
}

template <class Axes, class F, class... A>
struct batch_of_call;
template <int... Axis, class F, class... A>
struct batch_of_call<in_axes_t<Axis...>, F, A...> {
  static_assert(sizeof...(Axis) == sizeof...(A),
                "tfgraph: vmap: in_axes has one axis for each argument");
  static constexpr std::size_t count = (input_count<A>() + ... + variable_count<F>());

  static constexpr auto axes = [] {
    std::array<int, count> result{};
    list<int> found;
    list<index> batches;
    (..., append_axes<Axis, A>(found, batches));
    for (std::size_t k = 0; k < count; ++k) result[k] = k < found.size() ? found[k] : -1;
    return result;
  }();
  static constexpr index size = [] {
    list<int> found;
    list<index> batches;
    (..., append_axes<Axis, A>(found, batches));
    for (index b : batches)
      if (b != batches[0]) return index{-1};
    return batches.empty() ? index{-2} : batches[0];
  }();
  static_assert(size != -1, "tfgraph: vmap: the batches of the arguments differ in their extents");
  static_assert(size != -2, "tfgraph: vmap: no argument is a batch");

  using traced = frozen<trace_of_call<F, typename decltype(one_of_batch<Axis, A>())::type...>>;
  using result = traced_result<F, typename decltype(one_of_batch<Axis, A>())::type...>;
};

template <class Traced, class Batch>
struct batch_rule {
  static constexpr sentence value = batch_objection(Traced::value, Batch::axes);
};
template <class Traced, class Batch>
struct batched_graph {
  static constexpr graph make() {
    return batching(Traced::value, Batch::size, Batch::axes).finish();
  }
};

/// Makes the results of a batch out of nodes.
template <index Size>
struct make_batch {
  make_placed& nodes;
  static constexpr extents with_batch(const extents& e) {
    extents b{Size};
    for (int i = 0; i < e.rank; ++i) b.push_back(e[i]);
    return b;
  }
  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) const {
    if constexpr (is_input<Leaf>) {
      constexpr extents e = with_batch(operand<Leaf>::shape_type::value);
      return nodes(
          std::type_identity<expr<typename operand<Leaf>::value_type, shape_of_value<e>>>{});
    } else return Leaf{};
  }
};

template <std::size_t... I>
constexpr auto first_axes(std::index_sequence<I...>) {
  return in_axes_t<static_cast<int>(0 * I)...>{};
}

template <class Axes>
struct vmap_transform {
  template <class F, class... A>
  static constexpr auto call(const F& f, const A&... a) {
    static_assert((has_static_extents<A>() && ...),
                  "tfgraph: vmap needs arguments of static extents");
    if constexpr (std::is_void_v<Axes>)
      return with<decltype(first_axes(std::index_sequence_for<A...>{}))>(f, a...);
    else return with<Axes>(f, a...);
  }

 private:
  template <class Given, class F, class... A>
  static constexpr auto with(const F& f, const A&... a) {
    using batch = batch_of_call<Given, F, A...>;
    require_no_objection<batch_rule<typename batch::traced, batch>>();
    const placed out = splice(frozen<batched_graph<typename batch::traced, batch>>::value,
                              inputs_of_call(f, a...));
    make_placed nodes{out, 0};
    const make_batch<batch::size> make{nodes};
    return build_like<typename batch::result>(make);
  }
};

}  // namespace detail

/// vmap(f): f for every element of batches, which lie along the first axis of each argument and of
/// each result. vmap(f, in_axes<0, unmapped, -1>) names the axis of each argument. The variables
/// of a model are the same for all elements.
template <class F>
[[nodiscard]] constexpr auto vmap(const F& f) {
  return detail::transform<detail::vmap_transform<void>>(f);
}
template <class F, int... Axes>
[[nodiscard]] constexpr auto vmap(const F& f, in_axes_t<Axes...>) {
  return detail::transform<detail::vmap_transform<in_axes_t<Axes...>>>(f);
}

}  // namespace tfgraph
