// What loops and branches have in common: which trace their values belong to, and structures of
// values as the nodes that stand for them and back.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/operators.hpp>
#include <tfgraph/trace/structure.hpp>

namespace tfgraph::detail {

/// Whether there is a handle among the leaves of these types.
template <class... S>
inline constexpr bool have_handles = [] {
  bool any = false;
  const auto look = [&]<class Leaf>(std::type_identity<Leaf>) { any = any || is_handle<Leaf>; };
  (for_each_leaf_type<S>(look), ...);
  return any;
}();

/// The trace that the leaves of these structures belong to, if any.
template <class... S>
[[nodiscard]] constexpr tracing* trace_among(const S&... s) {
  tracing* trace = nullptr;
  [[maybe_unused]] const auto look = [&]<class Leaf>(const Leaf& leaf) {
    if (trace == nullptr) trace = trace_of(leaf);
  };
  (for_each_leaf(s, look), ...);
  return trace;
}

/// The leaves of these types whose values only the running program knows how to describe.
template <class... S>
inline constexpr bool are_live = [] {
  bool any = false;
  const auto look = [&]<class Leaf>(std::type_identity<Leaf>) {
    any = any || is_live<Leaf> || is_any<Leaf>;
  };
  (for_each_leaf_type<S>(look), ...);
  return any;
}();

/// How the shape of a handle follows from that of what it stands for.
struct same_shape {
  template <class Shape>
  using of = Shape;
};
struct row_shape {
  template <class Shape>
  struct without_first {
    static_assert(sizeof(Shape) == 0, "tfgraph: a tensor of rank 0 has no rows");
  };
  template <std::size_t N, std::size_t... E>
  struct without_first<shape<N, E...>> {
    using type = shape<E...>;
  };
  template <class Shape>
  using of = typename without_first<Shape>::type;
};
template <std::size_t Rows>
struct stacked_shape {
  template <class Shape>
  struct with_first;
  template <std::size_t... E>
  struct with_first<shape<E...>> {
    using type = shape<Rows, E...>;
  };
  template <class Shape>
  using of = typename with_first<Shape>::type;
};

/// Makes handles in the place of the leaves of a structure: for consecutive nodes of a trace, or,
/// without one, for known values.
template <bool Live, class Rule = same_shape>
struct make_handles_for {
  tracing* trace;
  const node_id* node;
  const known* value = nullptr;

  template <class Leaf>
  constexpr auto operator()(std::type_identity<Leaf>) {
    if constexpr (!is_input<Leaf>) return Leaf{};
    else if constexpr (is_any<Leaf>) return any_expr(*trace, *node++);
    else {
      using T = typename operand<Leaf>::value_type;
      using Shape = typename Rule::template of<typename operand<Leaf>::shape_type>;
      using handle = std::conditional_t<Live, live_expr<T, Shape>, expr<T, Shape>>;
      if (trace != nullptr) return handle(*trace, *node++);
      return handle(*value++);
    }
  }
};

/// The structure like S around handles for these nodes.
template <bool Live, class S, class Rule = same_shape>
[[nodiscard]] constexpr auto handles_like(tracing& trace, const list<node_id>& nodes) {
  make_handles_for<Live, Rule> make{&trace, nodes.data()};
  return build_like<S>(make);
}

/// The nodes of a structure's leaves, in order; C++ scalars and their like take the element type of
/// the node that stands at their place in `like`.
template <class S>
[[nodiscard]] constexpr list<node_id> nodes_of(tracing& trace, const S& s,
                                               const list<node_id>& like = {}) {
  list<node_id> nodes;
  for_each_leaf(s, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_input<Leaf>) {
      dtype t = spec_of(leaf).type;
      if (gives_way<Leaf> && nodes.size() < like.size())
        t = trace.recorded.type(like[nodes.size()]).type;
      nodes.push_back(record_operand(trace, leaf, t));
    }
  });
  return nodes;
}

/// The values of a structure of handles that know them, of tensors and scalars.
template <class S>
[[nodiscard]] constexpr std::vector<known> known_of(const S& s) {
  std::vector<known> values;
  for_each_leaf(s, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (is_any<Leaf>)
      throw trace_error("a loop or branch over tensors of run-time types needs a traced value");
    else if constexpr (is_input<Leaf>)
      values.push_back({false,
                        nullptr,
                        {},
                        value_of(leaf, dtype_of<typename operand<Leaf>::value_type>)});
  });
  return values;
}

/// The structure like `s` around handles that stand for what it holds: for nodes of the trace, or,
/// without one, for known values.
template <bool Live, class S>
[[nodiscard]] constexpr auto handles_for(tracing* trace, const S& s) {
  if (trace != nullptr) return handles_like<Live, S>(*trace, nodes_of(*trace, s));
  const std::vector<known> values = known_of(s);
  make_handles_for<Live> make{nullptr, nullptr, values.data()};
  return build_like<S>(make);
}

/// Gives the handles of a structure the values of another's leaves.
template <bool Live, class To, class From>
constexpr void assign_leaves(tracing* trace, To& to, const From& from) {
  if (trace == nullptr) {
    to = handles_for<Live>(nullptr, from);
    return;
  }
  const list<node_id> nodes = nodes_of(*trace, from, nodes_of(*trace, to));
  const node_id* next = nodes.data();
  for_each_leaf(to, [&]<class Leaf>(Leaf& leaf) {
    if constexpr (is_input<Leaf>) leaf = Leaf(*trace, *next++);
  });
}

// ---- agreement of types ----------------------------------------------------------------------

/// The leaf types of a structure, as values. (Rank -1: only the running program knows.)
template <class S>
[[nodiscard]] constexpr auto leaf_specs() {
  list<spec> types;
  for_each_leaf_type<S>([&]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (!is_input<Leaf>) return;
    else if constexpr (is_any<Leaf>) {
      spec unknown;
      unknown.shape.rank = -1;
      types.push_back(unknown);
    } else types.push_back({dtype_of<typename operand<Leaf>::value_type>,
                            operand<Leaf>::shape_type::value});
  });
  return types;
}

/// Which leaves of a structure take another's element type.
template <class S>
[[nodiscard]] constexpr auto weak_leaves() {
  list<bool> weak;
  for_each_leaf_type<S>([&]<class Leaf>(std::type_identity<Leaf>) {
    if constexpr (is_input<Leaf>) weak.push_back(gives_way<Leaf>);
  });
  return weak;
}

/// The sentence about a structure From that cannot take the place of one like To.
template <class Name, class To, class From>
struct agreement {
  static constexpr sentence value = [] {
    sentence s;
    const auto to = leaf_specs<To>();
    const auto from = leaf_specs<From>();
    const auto weak = weak_leaves<From>();
    if (to.size() != from.size())
      return s << Name::subject << "s are " << static_cast<index>(to.size()) << ", but "
               << Name::giver << " gives " << static_cast<index>(from.size()) << " values";
    for (std::size_t k = 0; k < to.size(); ++k) {
      if (to[k].shape.rank < 0 || from[k].shape.rank < 0) continue;
      const bool same_type = to[k].type == from[k].type ||
                             (weak[k] && literal_fits(from[k].type, to[k].type));
      if (same_type && to[k].shape == from[k].shape) continue;
      return s << Name::subject << " " << static_cast<index>(k) << " of type " << to[k].type << " "
               << to[k].shape << " becomes " << from[k].type << " " << from[k].shape << " in "
               << Name::giver;
    }
    return s;
  }();
};

}  // namespace tfgraph::detail
