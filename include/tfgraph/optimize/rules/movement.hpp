// Rules of movement: nothing is computed, only moved.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/movement.hpp>
#include <tfgraph/optimize/rules/guards.hpp>

namespace tfgraph::optimize {
namespace detail {

struct permutation {
  int rank = 0;
  index axis[max_rank] = {};
  [[nodiscard]] constexpr std::span<const index> view() const {
    return {axis, static_cast<std::size_t>(rank)};
  }
};

constexpr permutation permutation_of(const match& m, node_id n) {
  permutation p{m.shape(n).rank, {}};
  for (int i = 0; i < p.rank; ++i)
    p.axis[i] = ops::detail::normal_axis(m.attributes(n)[static_cast<std::size_t>(i)], p.rank);
  return p;
}

constexpr bool is_identity(const permutation& p) {
  for (int i = 0; i < p.rank; ++i)
    if (p.axis[i] != i) return false;
  return true;
}

constexpr permutation composed(const permutation& outer, const permutation& inner) {
  permutation p{outer.rank, {}};
  for (int i = 0; i < p.rank; ++i) p.axis[i] = inner.axis[outer.axis[i]];
  return p;
}

/// Whether the axes whose extent is not 1 keep their order.
constexpr bool keeps_order(const permutation& p, const extents& from) {
  index last = -1;
  for (int i = 0; i < p.rank; ++i) {
    if (from[static_cast<int>(p.axis[i])] == 1) continue;
    if (p.axis[i] < last) return false;
    last = p.axis[i];
  }
  return true;
}

/// What a slice takes of an axis, in numbers that mean the same wherever they stand.
constexpr ops::slice::range section_of(const match& m, node_id n, int axis, index extent) {
  const auto a = m.attributes(n);
  const auto i = 3 * static_cast<std::size_t>(axis);
  if (i >= a.size()) return {0, extent, 1};
  return ops::slice::resolve(a[i], a[i + 1], a[i + 2], extent);
}

struct sections {
  index value[3 * max_rank] = {};
  int rank = 0;
  constexpr void push_back(ops::slice::range r) {
    const index last = r.start + r.count * r.step;  // one step past the last element
    index* v = value + 3 * rank++;
    v[0] = r.count == 0 ? 0 : r.start;
    v[1] = r.count == 0 ? 0 : last < 0 ? end : last;
    v[2] = r.count == 0 ? 1 : r.step;
  }
  [[nodiscard]] constexpr std::span<const index> view() const {
    return {value, 3 * static_cast<std::size_t>(rank)};
  }
};

constexpr node_id slice_of_slice(match& m) {
  const node_id inner = m.part(1);
  const extents from = m.shape(m['x']);
  const extents between = m.shape(inner);
  sections s;
  for (int i = 0; i < from.rank; ++i) {
    const ops::slice::range a = section_of(m, inner, i, from[i]);
    const ops::slice::range b = section_of(m, m.root, i, between[i]);
    s.push_back({a.start + b.start * a.step, b.count, a.step * b.step});
  }
  return m.make<ops::slice>({m['x']}, s.view());
}

constexpr node_id slice_of_broadcast(match& m) {
  const extents from = m.shape(m['x']);
  const extents wide = m.shape(m.part(1));
  const int leading = wide.rank - from.rank;
  sections s;
  for (int i = 0; i < from.rank; ++i)
    s.push_back(from[i] == wide[i + leading] ? section_of(m, m.root, i + leading, from[i])
                                             : ops::slice::range{0, from[i], 1});
  const node_id part = m.make<ops::slice>({m['x']}, s.view());
  return m.broadcast(part, m.shape(m.root));
}

constexpr node_id slice_of_permuted(match& m) {
  const node_id inner = m.part(1);
  const permutation p = permutation_of(m, inner);
  const extents moved = m.shape(inner);
  ops::slice::range taken[max_rank] = {};
  for (int i = 0; i < p.rank; ++i) taken[p.axis[i]] = section_of(m, m.root, i, moved[i]);
  sections s;
  for (int i = 0; i < p.rank; ++i) s.push_back(taken[i]);
  return m.make<ops::permute_dims>({m.make<ops::slice>({m['x']}, s.view())}, p.view());
}

constexpr int concat_axis(const match& m, node_id n) {
  return ops::detail::normal_axis(m.attributes(n)[0], m.shape(n).rank);
}

constexpr node_id concat_of_concat(match& m) {
  tfgraph::detail::list<node_id> parts;
  const int axis = concat_axis(m, m.root);
  bool nested = false;
  for (int k = 0; k < m.g[m.root].operand_count; ++k) {
    const node_id o = m.g.operand(m.root, k);
    if (ops::is<ops::concat>(m.g[o].op) && concat_axis(m, o) == axis && m.single_use(o)) {
      nested = true;
      for (int i = 0; i < m.g[o].operand_count; ++i) parts.push_back(m.g.operand(o, i));
    } else parts.push_back(o);
  }
  const index attributes[1] = {axis};
  if (!nested) return no_node;
  return m.g.add(ops::id<ops::concat>, m.type(m.root),
                 std::span<const node_id>(parts.data(), parts.size()), attributes);
}

/// Where one operand holds all that the slice takes, the slice of that operand.
constexpr node_id slice_of_concat(match& m) {
  const node_id whole = m.part(1);
  const int axis = concat_axis(m, whole);
  const extents e = m.shape(whole);
  const ops::slice::range taken = section_of(m, m.root, axis, e[axis]);
  if (taken.count == 0) return no_node;
  const index last = taken.start + (taken.count - 1) * taken.step;
  index first_of_part = 0;
  for (int k = 0; k < m.g[whole].operand_count; ++k) {
    const node_id part = m.g.operand(whole, k);
    const index after = first_of_part + m.shape(part)[axis];
    if (taken.start >= first_of_part && last >= first_of_part && taken.start < after &&
        last < after) {
      sections s;
      for (int i = 0; i < e.rank; ++i) {
        ops::slice::range r = section_of(m, m.root, i, e[i]);
        if (i == axis) r.start -= first_of_part;
        s.push_back(r);
      }
      return m.make<ops::slice>({part}, s.view());
    }
    first_of_part = after;
  }
  return no_node;
}

/// Parts that are adjacent slices of one tensor, with nothing else changed.
constexpr node_id concat_of_slices(match& m) {
  const int axis = concat_axis(m, m.root);
  const node_id first = m['x'];
  if (!ops::is<ops::slice>(m.g[first].op)) return no_node;
  const node_id source = m.g.operand(first, 0);
  const extents e = m.shape(source);
  if (!e.is_static()) return no_node;
  sections s;
  for (int i = 0; i < e.rank; ++i) {
    ops::slice::range all = section_of(m, first, i, e[i]);
    for (int k = 1; k < m.g[m.root].operand_count; ++k) {
      const node_id part = m.g.operand(m.root, k);
      if (!ops::is<ops::slice>(m.g[part].op) || m.g.operand(part, 0) != source) return no_node;
      const ops::slice::range r = section_of(m, part, i, e[i]);
      if (all.step != r.step) return no_node;
      if (i != axis) {
        if (r.start != all.start || r.count != all.count) return no_node;
      } else {
        if (r.start != all.start + all.count * all.step) return no_node;
        all.count += r.count;
      }
    }
    if (all.count == 0) return no_node;
    s.push_back(all);
  }
  return m.make<ops::slice>({source}, s.view());
}

}  // namespace detail

inline constexpr rule movement_rules[] = {
    {.name = "permute_nothing",
     .from = "permute_dims(x)",
     .to = "x",
     .when = {"the permutation is the identity",
              [](const match& m) {
                return detail::is_identity(detail::permutation_of(m, m.root));
              }}},
    {.name = "permute_of_permute",
     .from = "permute_dims(permute_dims(x))",
     .to = "permute_dims(x), the permutations composed",
     .build =
         [](match& m) {
           const auto p = detail::composed(detail::permutation_of(m, m.root),
                                           detail::permutation_of(m, m.part(1)));
           return m.make<ops::permute_dims>({m['x']}, p.view());
         }},
    {.name = "permute_is_reshape",
     .from = "permute_dims(x)",
     .to = "reshape(x)",
     .when = {"only axes of extent 1 move",
              [](const match& m) {
                return detail::keeps_order(detail::permutation_of(m, m.root), m.shape(m['x']));
              }},
     .build = [](match& m) { return m.reshape(m['x'], m.shape(m.root)); }},
    {.name = "permute_elementwise_permute",
     .from = "permute_dims(f(permute_dims(x)))",
     .to = "f(x)",
     .when = {"the permutations are inverse and the inner nodes have no other use",
              [](const match& m) {
                return detail::is_identity(
                           detail::composed(detail::permutation_of(m, m.root),
                                            detail::permutation_of(m, m.part(2)))) &&
                       m.single_use(m.part(1));
              }},
     .f = "neg abs sqrt exp log tanh sigmoid sin cos erf softplus reciprocal not floor"},
    {.name = "expand_dims_is_reshape",
     .from = "expand_dims(x)",
     .to = "reshape(x)",
     .build = [](match& m) { return m.reshape(m['x'], m.shape(m.root)); }},
    {.name = "squeeze_is_reshape",
     .from = "squeeze(x)",
     .to = "reshape(x)",
     .build = [](match& m) { return m.reshape(m['x'], m.shape(m.root)); }},
    {.name = "reshape_nothing",
     .from = "reshape(x)",
     .to = "x",
     .when = {"x has that shape",
              [](const match& m) { return detail::surely_equal(m.type(m['x']), m.type(m.root)); }}},
    {.name = "reshape_of_reshape",
     .from = "reshape(reshape(x))",
     .to = "reshape(x)",
     .build = [](match& m) { return m.reshape(m['x'], m.shape(m.root)); }},
    {.name = "broadcast_nothing",
     .from = "broadcast_to(x)",
     .to = "x",
     .when = {"x has that shape",
              [](const match& m) { return detail::surely_equal(m.type(m['x']), m.type(m.root)); }}},
    {.name = "broadcast_of_broadcast",
     .from = "broadcast_to(broadcast_to(x))",
     .to = "broadcast_to(x)",
     .build = [](match& m) { return m.broadcast(m['x'], m.shape(m.root)); }},
    {.name = "broadcast_is_implied",
     .from = "f(broadcast_to(x), y)",
     .to = "f(x, y)",
     .when = {"y has the result's shape",
              [](const match& m) { return m.shape(m['y']) == m.shape(m.root); }},
     .f = "add mul maximum minimum equal not_equal and or xor"},
    {.name = "broadcast_is_implied_at_left",
     .from = "f(broadcast_to(x), y)",
     .to = "f(x, y)",
     .when = {"y has the result's shape",
              [](const match& m) { return m.shape(m['y']) == m.shape(m.root); }},
     .f = "sub div pow less less_equal greater greater_equal"},
    {.name = "broadcast_is_implied_at_right",
     .from = "f(x, broadcast_to(y))",
     .to = "f(x, y)",
     .when = {"x has the result's shape",
              [](const match& m) { return m.shape(m['x']) == m.shape(m.root); }},
     .f = "sub div pow less less_equal greater greater_equal"},
    {.name = "function_of_broadcast",
     .from = "f(broadcast_to(x))",
     .to = "broadcast_to(f(x))",
     .when = inner_used_once,
     .f = "exp log tanh sigmoid sqrt rsqrt reciprocal sin cos erf softplus expm1 log1p"},
    {.name = "slice_nothing",
     .from = "slice(x)",
     .to = "x",
     .when = {"all is taken, in order",
              [](const match& m) {
                if (!detail::surely_equal(m.type(m['x']), m.type(m.root))) return false;
                const auto a = m.attributes(m.root);
                for (std::size_t i = 0; 3 * i < a.size(); ++i)
                  if (a[3 * i + 2] < 0 && m.shape(m.root)[static_cast<int>(i)] != 1) return false;
                return true;
              }}},
    {.name = "slice_of_slice",
     .from = "slice(slice(x))",
     .to = "slice(x), the sections composed",
     .build = detail::slice_of_slice},
    {.name = "slice_of_broadcast",
     .from = "slice(broadcast_to(x))",
     .to = "broadcast_to(slice(x)), of the axes that x has",
     .build = detail::slice_of_broadcast},
    {.name = "slice_of_permuted",
     .from = "slice(permute_dims(x))",
     .to = "permute_dims(slice(x))",
     .when = inner_used_once,
     .build = detail::slice_of_permuted},
    {.name = "slice_of_concat",
     .from = "slice(concat(x...))",
     .to = "slice of the operand that holds all that is taken",
     .build = detail::slice_of_concat},
    {.name = "concat_of_one",
     .from = "concat(x...)",
     .to = "x",
     .when = {"there is one operand",
              [](const match& m) { return m.g[m.root].operand_count == 1; }}},
    {.name = "concat_of_slices",
     .from = "concat(x...)",
     .to = "slice",
     .when = {"the operands are adjacent slices of one tensor",
              [](const match& m) { return m.g[m.root].operand_count > 1; }},
     .build = detail::concat_of_slices},
    {.name = "concat_of_concat",
     .from = "concat(x...)",
     .to = "concat of all operands",
     .when = {"an operand is a concat along the same axis, with no other use",
              [](const match& m) { return m.g[m.root].operand_count > 0; }},
     .build = detail::concat_of_concat},
};

}  // namespace tfgraph::optimize
