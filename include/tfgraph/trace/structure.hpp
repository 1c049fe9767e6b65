// Structured arguments and results: std::tuple, std::pair, std::array, hana::tuple, Hana structs
// and aggregates, nested in any way, are seen as a list of leaves and rebuilt around other leaves.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/operand.hpp>

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/size.hpp>
#include <boost/hana/tuple.hpp>

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tfgraph::detail {

namespace hana = boost::hana;

/// A value that is not looked into: an operand, or nothing that computes (an axis, an empty tag).
template <class S>
concept leaf = is_operand<S> || std::is_empty_v<S>;

// ---- the parts of a structure -------------------------------------------------------------------

struct anything {
  template <class T>
  constexpr operator T() const;  // never called
};

template <class S, std::size_t... I>
constexpr bool constructible_from(std::index_sequence<I...>) {
  return requires { S{(static_cast<void>(I), anything{})...}; };
}

/// Number of members of an aggregate: the most values that its braces take.
template <class S, std::size_t N = 16>
constexpr std::size_t member_count() {
  if constexpr (constructible_from<S>(std::make_index_sequence<N>{})) return N;
  else if constexpr (N == 0) return 0;
  else return member_count<S, N - 1>();
}

template <class S>
constexpr auto members(S& s) {
  constexpr std::size_t n = member_count<std::remove_const_t<S>>();
  static_assert(n < 16, "tfgraph: an aggregate has at most 15 members; nest them");
  if constexpr (n == 0) {
    return std::tie();
  } else if constexpr (n == 1) {
    auto& [a] = s;
    return std::tie(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = s;
    return std::tie(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = s;
    return std::tie(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = s;
    return std::tie(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, f, g, h] = s;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = s;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (n == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (n == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (n == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o);
  } else {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p);
  }
}

/// Whether the members of an aggregate have the very types of these parts. (A handle would convert
/// to a tensor, but has no elements.)
template <class S, class... P>
inline constexpr bool members_are =
    std::is_same_v<decltype(members(std::declval<S&>())), std::tuple<std::remove_cvref_t<P>&...>>;

/// How a structure type is taken apart and put together. `parts(s)` is a std::tuple of references;
/// `build<S>(parts...)` makes the like structure around other parts.
template <class S>
struct structure {
  static_assert(std::is_aggregate_v<S>,
                "tfgraph: an argument or result must be a tensor, a view, a scalar, a tuple, an "
                "array, or an aggregate of these");
  template <class Q>
  static constexpr auto parts(Q& s) {
    return members(s);
  }
  template <class... P>
  static constexpr auto build(P&&... parts) {
    static_assert(members_are<S, P...>,
                  "tfgraph: an aggregate of tensors must be a template over its members' types, so "
                  "that the traced callable can receive it with handles in their place");
    return S{std::forward<P>(parts)...};
  }
};

// An aggregate that is a template over the types of its members.
template <template <class...> class S, class... T>
  requires std::is_aggregate_v<S<T...>>
struct structure<S<T...>> {
  template <class Q>
  static constexpr auto parts(Q& s) {
    return members(s);
  }
  template <class... P>
  static constexpr auto build(P&&... parts) {
    if constexpr (members_are<S<T...>, P...>)
      return S<T...>{std::forward<P>(parts)...};  // a model: its variables are handles as they are
    else if constexpr (sizeof...(P) == sizeof...(T))
      return S<std::remove_cvref_t<P>...>{std::forward<P>(parts)...};
    else {
      // One parameter for several members: they must still agree.
      using first = std::remove_cvref_t<std::tuple_element_t<0, std::tuple<P...>>>;
      return S<first>{std::forward<P>(parts)...};
    }
  }
};

template <class... T>
struct structure<std::tuple<T...>> {
  template <class Q>
  static constexpr auto parts(Q& s) {
    return std::apply([](auto&... p) { return std::tie(p...); }, s);
  }
  template <class... P>
  static constexpr auto build(P&&... parts) {
    return std::tuple<std::remove_cvref_t<P>...>(std::forward<P>(parts)...);
  }
};

template <class A, class B>
struct structure<std::pair<A, B>> {
  template <class Q>
  static constexpr auto parts(Q& s) {
    return std::tie(s.first, s.second);
  }
  template <class P, class R>
  static constexpr auto build(P&& a, R&& b) {
    return std::pair<std::remove_cvref_t<P>, std::remove_cvref_t<R>>(std::forward<P>(a),
                                                                     std::forward<R>(b));
  }
};

template <class T, std::size_t N>
struct structure<std::array<T, N>> {
  template <class Q>
  static constexpr auto parts(Q& s) {
    return std::apply([](auto&... p) { return std::tie(p...); }, s);
  }
  template <class P, class... Q>
  static constexpr auto build(P&& first, Q&&... rest) {
    return std::array<std::remove_cvref_t<P>, N>{std::forward<P>(first), std::forward<Q>(rest)...};
  }
};

template <class... T>
struct structure<hana::tuple<T...>> {
  template <class Q>
  static constexpr auto parts(Q& s) {
    return hana::unpack(s, [](auto&... p) { return std::tie(p...); });
  }
  template <class... P>
  static constexpr auto build(P&&... parts) {
    return hana::tuple<std::remove_cvref_t<P>...>(std::forward<P>(parts)...);
  }
};

// ---- leaves -------------------------------------------------------------------------------------

/// Calls f with every leaf, in order.
template <class S, class F>
constexpr void for_each_leaf(S& s, F&& f) {
  if constexpr (leaf<std::remove_const_t<S>>) f(s);
  else
    std::apply([&](auto&... part) { (..., for_each_leaf(part, f)); },
               structure<std::remove_const_t<S>>::parts(s));
}

template <class Tie>
struct part_types;
template <class... P>
struct part_types<std::tuple<P&...>> {
  template <class S, class F>
  static constexpr auto build(F& f);
};

/// The structure like S that has f(std::type_identity<Leaf>{}) in the place of each leaf; f is
/// called in order. It needs the type S only.
template <class S, class F>
constexpr auto build_like(F& f) {
  using plain = std::remove_const_t<S>;
  if constexpr (leaf<plain>) return f(std::type_identity<plain>{});
  else
    return part_types<decltype(structure<plain>::parts(
        std::declval<plain&>()))>::template build<plain>(f);
}

template <class... P>
template <class S, class F>
constexpr auto part_types<std::tuple<P&...>>::build(F& f) {
  // Braces evaluate from left to right.
  std::tuple<decltype(build_like<P>(f))...> parts{build_like<P>(f)...};
  return std::apply([](auto&... p) { return structure<S>::build(std::move(p)...); }, parts);
}

/// Calls f with std::type_identity of every leaf's type, in order.
template <class S, class F>
constexpr void for_each_leaf_type(F&& f) {
  using plain = std::remove_const_t<S>;
  if constexpr (leaf<plain>) f(std::type_identity<plain>{});
  else
    []<class... P>(std::type_identity<std::tuple<P&...>>, F& g) {
      (..., for_each_leaf_type<P>(g));
    }(std::type_identity<decltype(structure<plain>::parts(std::declval<plain&>()))>{}, f);
}

}  // namespace tfgraph::detail
