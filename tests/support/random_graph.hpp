// Random graphs with inputs for them, and a shrinker for those that fail.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/trace/composite.hpp>
#include <tfgraph/graph/evaluate.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace tfgraph::test {

/// A graph and values for its inputs.
struct graph_case {
  graph g;
  std::vector<value> inputs;
};

/// Makes graphs of all operators that cannot throw, over all element types and ranks 0 to 4.
class random_graph {
 public:
  explicit random_graph(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] graph_case make() {
    const int inputs = 1 + below(4);
    for (int i = 0; i < inputs; ++i) add_input();
    const int nodes = 2 + below(one_in(8) ? 60 : 14);
    for (int tries = 0; c_.g.size() < inputs + nodes && tries < 20 * nodes; ++tries) add_any();
    add_outputs();
    return std::move(c_);
  }

 private:
  static constexpr index most_elements = 20'000;

  std::mt19937_64 random_;
  graph_case c_;

  // ---- chance ---------------------------------------------------------------------------------

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T any_of(const T (&list)[N]) {
    return list[below(static_cast<int>(N))];
  }

  node_id any_node() {
    // Late nodes more often, so that graphs get deep; early ones now and then, so that they share.
    const int n = c_.g.size();
    return one_in(2) ? n - 1 - below(n < 4 ? n : 4) : below(n);
  }
  dtype any_type() {
    return one_in(2) ? any_of({dtype::float32, dtype::float64})
                     : static_cast<dtype>(below(dtype_count));
  }
  index any_extent() {
    const int kind = below(40);
    if (kind == 0) return 0;
    if (kind < 10) return 1;
    if (kind == 10) return 60 + below(80);
    if (kind < 14) return 7 + below(12);
    return 2 + below(4);
  }
  extents any_shape() {
    for (;;) {
      extents e;
      const int rank = below(5);
      for (int i = 0; i < rank; ++i) e.push_back(any_extent());
      if (one_in(60)) e = {300 + below(6000)};
      if (e.size() <= most_elements) return e;
    }
  }
  // A shape that broadcasts with e: leading axes missing, some extents 1.
  extents any_partner(const extents& e) {
    if (one_in(2)) return e;
    extents partner;
    for (int i = below(e.rank + 1); i < e.rank; ++i) partner.push_back(one_in(3) ? 1 : e[i]);
    return partner;
  }

  element_bits any_element(dtype t, bool small) {
    return detail::visit_dtype(t, [&]<class T>(T) -> element_bits {
      if constexpr (std::is_same_v<T, bool>) return one_in(2) ? 1 : 0;
      else if constexpr (std::is_integral_v<T>) {
        if (small) return detail::to_bits(static_cast<T>(below(7) - 3));
        return detail::to_bits(static_cast<T>(random_()));
      } else {
        using limits = std::numeric_limits<T>;
        if (!small && one_in(6))
          return detail::to_bits(any_of({limits::quiet_NaN(), limits::infinity(),
                                         -limits::infinity(), T(0), T(-0.0), limits::denorm_min(),
                                         limits::max(), limits::lowest(), limits::min(), T(1)}));
        return detail::to_bits(static_cast<T>((below(4001) - 2000) / (one_in(4) ? 1000.0 : 7.0)));
      }
    });
  }
  value any_value(const spec& type) {
    value v{type, {}};
    const bool small = one_in(2);
    for (index i = 0; i < type.shape.size(); ++i)
      v.elements.push_back(any_element(type.type, small));
    return v;
  }

  // ---- nodes ----------------------------------------------------------------------------------

  void add_input() {
    const spec type{any_type(), any_shape()};
    c_.g.add_input(ops::id<ops::input>, type);
    c_.inputs.push_back(any_value(type));
  }

  node_id add_leaf(const spec& type) {
    if (one_in(3)) {
      const element_bits bits =
          one_in(2) ? any_element(type.type, true)
                    : detail::visit_dtype(type.type, [&]<class T>(T) {
                        return detail::to_bits(static_cast<T>(any_of({0, 1, -1})));
                      });
      return detail::record_full(c_.g, type, bits);
    }
    if (type.shape.rank == 1 && is_numeric(type.type) && one_in(2)) {
      const index attributes[2] = {static_cast<index>(any_element(type.type, true)),
                                   static_cast<index>(any_element(type.type, true))};
      return c_.g.add(ops::id<ops::iota>, type, {}, attributes);
    }
    if (type.shape.rank == 2 && one_in(2)) {
      const index attributes[1] = {below(5) - 2};
      return c_.g.add(ops::id<ops::eye>, type, {}, attributes);
    }
    if (one_in(2)) {
      c_.inputs.push_back(any_value(type));
      return c_.g.add_input(ops::id<ops::input>, type);
    }
    return detail::record_value(c_.g, any_value(type));
  }

  // A node of this element type that broadcasts with e: found, converted or new.
  node_id partner(dtype t, const extents& e) {
    for (int i = 0; i < 12; ++i) {
      const node_id n = any_node();
      const spec type = c_.g.type(n);
      if (!ops::broadcast(type.shape, e).ok) continue;
      if (type.type == t) return n;
      if (i > 8) return convert(n, t);
    }
    return add_leaf({t, any_partner(e)});
  }

  node_id convert(node_id x, dtype t) {
    const index attributes[1] = {static_cast<index>(t)};
    return add(ops::id<ops::cast>, {x}, attributes);
  }

  // Adds a node if the operator's rule admits it.
  node_id add(const operation* op, const std::vector<node_id>& operands,
              std::span<const index> attributes = {}) {
    std::vector<spec> types;
    for (node_id o : operands) types.push_back(c_.g.type(o));
    const inference r = op->infer(types, attributes);
    if (!r.objection.empty() || r.result.shape.size() > most_elements) return no_node;
    return c_.g.add(op, r.result, operands, attributes);
  }

  void add_any() {
    switch (below(17)) {
      case 16: add_along_axis(); break;
      case 0: case 1: add_unary(); break;
      case 2: case 3: case 4: case 5: add_binary(); break;
      case 6: add_selection(); break;
      case 7: convert(any_node(), any_type()); break;
      case 8: case 9: case 10: add_movement(); break;
      case 11: add_concatenation(); break;
      case 12: case 13: add_reduction(); break;
      case 14: add_product(); break;
      default: add_leaf({any_type(), any_shape()});
    }
  }

  void add_unary() {
    static const operation* const all[] = {
        ops::id<ops::neg>,     ops::id<ops::abs>,     ops::id<ops::sign>,
        ops::id<ops::square>,  ops::id<ops::bit_not>, ops::id<ops::logical_not>,
        ops::id<ops::neg>,     ops::id<ops::logical_not>,
        ops::id<ops::floor>,   ops::id<ops::ceil>,    ops::id<ops::trunc>,
        ops::id<ops::round>,   ops::id<ops::isnan>,   ops::id<ops::isinf>,
        ops::id<ops::isfinite>, ops::id<ops::reciprocal>, ops::id<ops::sqrt>,
        ops::id<ops::rsqrt>,   ops::id<ops::cbrt>,    ops::id<ops::exp>,
        ops::id<ops::exp2>,    ops::id<ops::expm1>,   ops::id<ops::log>,
        ops::id<ops::log2>,    ops::id<ops::log10>,   ops::id<ops::log1p>,
        ops::id<ops::sin>,     ops::id<ops::cos>,     ops::id<ops::tan>,
        ops::id<ops::asin>,    ops::id<ops::acos>,    ops::id<ops::atan>,
        ops::id<ops::sinh>,    ops::id<ops::cosh>,    ops::id<ops::tanh>,
        ops::id<ops::asinh>,   ops::id<ops::acosh>,   ops::id<ops::atanh>,
        ops::id<ops::erf>,     ops::id<ops::erfc>,    ops::id<ops::lgamma>,
        ops::id<ops::tgamma>,  ops::id<ops::digamma>, ops::id<ops::sigmoid>,
        ops::id<ops::softplus>};
    const node_id x = any_node();
    if (one_in(8)) {
      const bool floating = is_floating(c_.g.type(x).type);
      const index exponent[1] = {floating ? below(12) - 4 : below(8)};
      add(ops::id<ops::integer_power>, {x}, exponent);
    } else add(any_of(all), {x});
  }

  void add_binary() {
    static const operation* const all[] = {
        ops::id<ops::add>,       ops::id<ops::sub>,         ops::id<ops::mul>,
        ops::id<ops::maximum>,   ops::id<ops::minimum>,     ops::id<ops::bit_and>,
        ops::id<ops::bit_or>,    ops::id<ops::bit_xor>,     ops::id<ops::equal>,
        ops::id<ops::not_equal>, ops::id<ops::less>,        ops::id<ops::less_equal>,
        ops::id<ops::greater>,   ops::id<ops::greater_equal>, ops::id<ops::logical_and>,
        ops::id<ops::logical_or>, ops::id<ops::logical_xor>, ops::id<ops::pow>,
        ops::id<ops::hypot>,     ops::id<ops::atan2>,       ops::id<ops::div>,
        ops::id<ops::floor_div>, ops::id<ops::add>,         ops::id<ops::mul>,
        ops::id<ops::sub>};
    const operation* op = any_of(all);
    const node_id x = any_node();
    const spec type = c_.g.type(x);
    if (op->partial && !is_floating(type.type)) return;  // may throw
    const node_id y = one_in(10) ? x : partner(type.type, type.shape);
    if (y == no_node) return;
    if (one_in(2)) add(op, {x, y});
    else add(op, {y, x});
  }

  void add_selection() {
    const node_id x = any_node();
    const spec type = c_.g.type(x);
    const node_id y = partner(type.type, type.shape);
    if (y == no_node) return;
    const extents both = ops::broadcast(type.shape, c_.g.type(y).shape).shape;
    if (both.size() > most_elements) return;
    const node_id z = partner(one_in(3) ? type.type : dtype::boolean, both);
    if (z == no_node) return;
    if (c_.g.type(z).type != dtype::boolean || (type.type == dtype::boolean && one_in(2)))
      add(ops::id<ops::clip>, {x, y, z});
    else add(ops::id<ops::where>, {z, x, y});
  }

  void add_movement() {
    const node_id x = any_node();
    const extents e = c_.g.type(x).shape;
    std::vector<index> a;
    switch (below(6)) {
      case 0: {
        for (int i = 0; i < e.rank; ++i) a.push_back(i);
        std::shuffle(a.begin(), a.end(), random_);
        add(ops::id<ops::permute_dims>, {x}, a);
        break;
      }
      case 1: {  // extents made of the factors of the size
        index rest = e.size();
        for (int i = below(4); i > 0; --i) {
          const index factors[] = {1, 2, 3, 5};
          const index f = any_of(factors);
          if (rest % f != 0) continue;
          a.push_back(f);
          rest /= f;
        }
        a.insert(a.begin() + below(static_cast<int>(a.size()) + 1), rest);
        add(ops::id<ops::reshape>, {x}, a);
        break;
      }
      case 2: {
        for (int i = below(3); i > 0; --i) a.push_back(any_extent());
        for (int i = 0; i < e.rank; ++i) a.push_back(e[i] == 1 && one_in(2) ? any_extent() : e[i]);
        if (a.size() <= 5) add(ops::id<ops::broadcast_to>, {x}, a);
        break;
      }
      case 3: {
        const int rank = e.rank + 1 + below(2);
        for (int i = 0; i < rank; ++i)
          if (static_cast<int>(a.size()) < rank - e.rank &&
              (one_in(2) || rank - i == rank - e.rank - static_cast<int>(a.size())))
            a.push_back(one_in(3) ? i - rank : i);
        if (rank <= 5) add(ops::id<ops::expand_dims>, {x}, a);
        break;
      }
      case 4: {
        for (int i = 0; i < e.rank; ++i)
          if (e[i] == 1 && one_in(2)) a.push_back(i);
        if (!a.empty()) add(ops::id<ops::squeeze>, {x}, a);
        break;
      }
      default: {
        for (int i = 0; i < e.rank && !one_in(5); ++i) {
          const index step = any_of({index{1}, index{1}, index{2}, index{-1}, index{-2}, index{3}});
          const int n = static_cast<int>(e[i]) + 2;
          a.push_back(one_in(2) ? (step > 0 ? 0 : end) : below(2 * n) - n);
          a.push_back(one_in(2) ? end : below(2 * n) - n);
          a.push_back(step);
        }
        add(ops::id<ops::slice>, {x}, a);
      }
    }
  }

  void add_concatenation() {
    const node_id x = any_node();
    const spec type = c_.g.type(x);
    if (type.shape.rank == 0) return;
    const index axis = below(type.shape.rank);
    std::vector<node_id> parts{x};
    for (int i = below(4); i > 0; --i) {
      node_id part = no_node;
      for (int tries = 0; tries < 8 && part == no_node; ++tries) {
        const node_id n = any_node();
        spec t = c_.g.type(n);
        if (t.type != type.type || t.shape.rank != type.shape.rank) continue;
        t.shape[static_cast<int>(axis)] = type.shape[static_cast<int>(axis)];
        if (t == type) part = n;
      }
      if (part == no_node) {
        spec t = type;
        t.shape[static_cast<int>(axis)] = any_extent();
        if (t.shape.size() < most_elements / 4) part = one_in(2) ? x : add_leaf(t);
      }
      if (part != no_node) parts.push_back(part);
    }
    std::shuffle(parts.begin(), parts.end(), random_);
    const index attributes[1] = {one_in(2) ? axis : axis - type.shape.rank};
    add(ops::id<ops::concat>, parts, attributes);
  }

  void add_reduction() {
    static const operation* const all[] = {
        ops::id<ops::sum>, ops::id<ops::prod>, ops::id<ops::max>,    ops::id<ops::min>,
        ops::id<ops::any>, ops::id<ops::all>,  ops::id<ops::argmax>, ops::id<ops::argmin>,
        ops::id<ops::sum>, ops::id<ops::sum>};
    const node_id x = any_node();
    const int rank = c_.g.type(x).shape.rank;
    std::vector<index> a{below(2)};
    for (int i = 0; i < rank; ++i)
      if (one_in(2)) a.push_back(one_in(3) ? i - rank : i);
    add(any_of(all), {x}, a);
  }

  // Indices are constants, in range, some of them from the end.
  void add_along_axis() {
    const node_id x = any_node();
    const spec type = c_.g.type(x);
    if (type.shape.rank == 0) return;
    const int at = below(type.shape.rank);
    const index axis = one_in(3) ? at - type.shape.rank : at;
    if (one_in(3)) {
      const index a[2] = {axis, below(2)};
      add(ops::id<ops::cumulative_sum>, {x}, a);
      return;
    }
    const index n = type.shape[at];
    value indices{{dtype::int64, {}}, {}};
    for (int i = below(3); i > 0; --i) indices.type.shape.push_back(n == 0 ? 0 : 1 + below(4));
    if (n == 0 && indices.type.shape.rank == 0) return;
    for (index i = 0; i < indices.type.shape.size(); ++i)
      indices.elements.push_back(
          detail::to_bits(index{below(static_cast<int>(2 * n)) - n}));
    const node_id where = detail::record_value(c_.g, indices);
    const index a[2] = {axis, 0};
    const node_id taken = add(ops::id<ops::take>, {where, x}, a);
    if (taken != no_node && one_in(2)) add(ops::id<ops::scatter_add>, {where, x, taken}, a);
  }

  void add_product() {
    const node_id x = any_node();
    const spec type = c_.g.type(x);
    if (type.shape.rank == 0 || type.type == dtype::boolean) return;
    const extents& e = type.shape;
    extents other;
    if (one_in(4)) other = {e[e.rank - 1]};
    else {
      for (int i = 0; i + 2 < e.rank; ++i)
        if (other.rank > 0 || one_in(2)) other.push_back(one_in(3) ? 1 : e[i]);
      other.push_back(e[e.rank - 1]);
      other.push_back(any_extent());
    }
    node_id y = no_node;
    for (int tries = 0; tries < 6 && y == no_node; ++tries) {
      const node_id n = any_node();
      const spec t = c_.g.type(n);
      if (t.type == type.type && t.shape.rank > 0 &&
          t.shape[t.shape.rank == 1 ? 0 : t.shape.rank - 2] == e[e.rank - 1])
        y = n;
    }
    if (y == no_node) y = add_leaf({type.type, other});
    const index work = c_.g.type(y).shape.size() * e.size();
    if (work < 4'000'000) add(ops::id<ops::matmul>, {x, y});
  }

  void add_outputs() {
    const int count = 1 + below(one_in(3) ? 4 : 2);
    for (int i = 0; i < count; ++i) c_.g.output_list.push_back(any_node());
    if (one_in(2)) c_.g.output_list[0] = c_.g.size() - 1;
  }
};

// ---- shrinking ----------------------------------------------------------------------------------

/// The values of all nodes.
[[nodiscard]] inline std::vector<value> all_values(const graph_case& c) {
  graph every = c.g;
  every.output_list.clear();
  for (node_id id = 0; id < c.g.size(); ++id) every.output_list.push_back(id);
  return evaluate(every.view(), c.inputs);
}

/// The same graph with only these outputs, in which some nodes are inputs that hold their values, and
/// without what is not needed then.
[[nodiscard]] inline graph_case cut(const graph_case& c, const std::vector<node_id>& outputs,
                                    const std::vector<char>& becomes_input,
                                    const std::vector<value>& values) {
  const graph_view g = c.g.view();
  std::vector<char> live(g.nodes.size(), 0);
  for (node_id o : outputs) live[static_cast<std::size_t>(o)] = 1;
  for (node_id id = g.size() - 1; id >= 0; --id)
    if (live[static_cast<std::size_t>(id)] != 0 && becomes_input[static_cast<std::size_t>(id)] == 0)
      for (node_id o : g.operands(id)) live[static_cast<std::size_t>(o)] = 1;
  graph_case r;
  r.g.pool = c.g.pool;
  std::vector<node_id> place(g.nodes.size(), no_node);
  for (node_id id = 0; id < g.size(); ++id) {
    const auto i = static_cast<std::size_t>(id);
    if (live[i] == 0) continue;
    if (becomes_input[i] != 0 || g[id].op->kind == operation_kind::input) {
      place[i] = r.g.add_input(ops::id<ops::input>, g.type(id));
      r.inputs.push_back(values[i]);
      continue;
    }
    std::vector<node_id> operands;
    for (node_id o : g.operands(id)) operands.push_back(place[static_cast<std::size_t>(o)]);
    place[i] = r.g.add(g[id].op, g.type(id), operands, g.attributes(id));
  }
  for (node_id o : outputs) r.g.output_list.push_back(place[static_cast<std::size_t>(o)]);
  return r;
}

/// A smaller case that still fails: fewer outputs, and nodes turned into inputs.
template <class Fails>
[[nodiscard]] graph_case shrink(graph_case c, Fails fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    const std::vector<value> values = all_values(c);
    const std::vector<node_id> outputs(c.g.output_list.begin(), c.g.output_list.end());
    const std::vector<char> none(c.g.nodes.size(), 0);
    const auto attempt = [&](const std::vector<node_id>& o, const std::vector<char>& inputs) {
      graph_case less = cut(c, o, inputs, values);
      if (less.g.size() >= c.g.size() && o.size() >= outputs.size()) return false;
      if (!fails(less)) return false;
      c = std::move(less);
      return true;
    };
    for (std::size_t k = 0; k < outputs.size() && outputs.size() > 1 && !smaller; ++k) {
      std::vector<node_id> fewer = outputs;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      smaller = attempt(fewer, none);
    }
    for (node_id o = 0; o < c.g.size() && !smaller; ++o) smaller = attempt({o}, none);
    for (node_id id = c.g.size() - 1; id >= 0 && !smaller; --id) {
      if (c.g[id].operand_count == 0) continue;
      std::vector<char> inputs = none;
      inputs[static_cast<std::size_t>(id)] = 1;
      smaller = attempt(outputs, inputs);
    }
  }
  return c;
}

}  // namespace tfgraph::test
