// What a node means, computed element by element from the operation table alone. This is the
// constant executor's engine, what constant folding calls, and the reference for the others.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/control.hpp>
#include <tfgraph/graph/layout.hpp>
#include <tfgraph/graph/reduction_order.hpp>

#include <span>
#include <vector>

namespace tfgraph {

/// A tensor whose type is a run-time value: the bits of its elements in row-major order.
struct value {
  spec type;
  std::vector<element_bits> elements;
};

namespace detail {

constexpr std::size_t at(index i) { return static_cast<std::size_t>(i); }

/// A layout reader: the offset of consecutive row-major positions, without divisions.
class cursor {
 public:
  constexpr explicit cursor(const layout& l) : layout_(l), offset_(l.offset) {}
  [[nodiscard]] constexpr std::size_t offset() const { return at(offset_); }
  constexpr void next() {
    for (int i = layout_.shape.rank - 1; i >= 0; --i) {
      offset_ += layout_.stride[i];
      if (++position_[i] < layout_.shape[i]) return;
      offset_ -= layout_.stride[i] * layout_.shape[i];
      position_[i] = 0;
    }
  }

 private:
  layout layout_;
  index position_[max_rank] = {};
  index offset_;
};

constexpr void evaluate_elementwise(const operation& op, std::span<const index> attributes,
                                    std::span<const value* const> x, value& result) {
  constexpr std::size_t most = 4;
  cursor where[most] = {cursor({}), cursor({}), cursor({}), cursor({})};
  for (std::size_t k = 0; k < x.size(); ++k)
    where[k] = cursor(layout::contiguous(x[k]->type.shape).broadcast_to(result.type.shape));
  const dtype operand = x[x.size() - 1]->type.type;
  const index count = result.type.shape.size();
  for (index i = 0; i < count; ++i) {
    element_bits lane[most] = {};
    for (std::size_t k = 0; k < x.size(); ++k) {
      lane[k] = x[k]->elements[where[k].offset()];
      where[k].next();
    }
    result.elements.push_back(op.element(operand, result.type.type, attributes, lane));
  }
}

constexpr void evaluate_concatenation(std::span<const index> attributes,
                                      std::span<const value* const> x, value& result) {
  const index rank = result.type.shape.rank;
  const int axis = static_cast<int>(attributes[0] < 0 ? attributes[0] + rank : attributes[0]);
  index outer = 1;
  for (int i = 0; i < axis; ++i) outer *= result.type.shape[i];
  for (index o = 0; o < outer; ++o)
    for (const value* v : x) {
      const index run = outer == 0 ? 0 : v->type.shape.size() / outer;
      for (index i = 0; i < run; ++i) result.elements.push_back(v->elements[at(o * run + i)]);
    }
}

/// The operand of a reduction with its reduced axes last: how its elements are visited.
struct reduction_plan {
  layout kept;      ///< over the axes that stay
  layout outer;     ///< over the reduced axes but the innermost run
  index inner = 1;  ///< length of the innermost run, whose elements follow each other
};

constexpr reduction_plan plan_reduction(const extents& e, std::span<const index> attributes) {
  bool reduced[max_rank] = {};
  for (int i = 0; i < e.rank; ++i) reduced[i] = attributes.size() <= 1;
  for (std::size_t i = 1; i < attributes.size(); ++i)
    reduced[attributes[i] < 0 ? attributes[i] + e.rank : attributes[i]] = true;
  const strides s = row_major(e);
  reduction_plan p;
  int last = e.rank;
  while (last > 0 && (reduced[last - 1] || e[last - 1] == 1)) p.inner *= e[--last];
  for (int i = 0; i < last; ++i) {
    if (e[i] == 1) continue;  // axes of extent 1 have no part in the order
    layout& l = reduced[i] ? p.outer : p.kept;
    l.stride[l.shape.rank] = s[i];
    l.shape.push_back(e[i]);
  }
  return p;
}

/// Combines `count` >= 1 elements in the order of reduction_order: put(lane, i) is what a lane
/// becomes when the i-th element goes to it; lanes without an element keep `start`.
template <class Put, class Combine>
constexpr element_bits fold(index count, dtype t, element_bits start, Put put, Combine combine) {
  const index lanes = reduction_order::lanes(size_of(t));
  const index block = reduction_order::block(size_of(t));
  reduction_order::pairwise<element_bits> blocks;
  for (index first = 0; first < count; first += block) {
    const index n = count - first < block ? count - first : block;
    element_bits lane[64] = {};
    index width = 1;  // lanes that no element goes to, beyond the next power of two, do not exist
    while (width < lanes && width < n) width *= 2;
    for (index i = 0; i < width; ++i) lane[i] = start;
    for (index i = 0; i < n; ++i) lane[i % lanes] = put(lane[i % lanes], first + i);
    for (index half = width / 2; half > 0; half /= 2)
      for (index i = 0; i < half; ++i) lane[i] = combine(lane[i], lane[i + half]);
    blocks.push(lane[0], combine);
  }
  return blocks.finish(combine);
}

constexpr element_bits fold_run(const value& x, std::size_t first, index count, dtype t,
                                const operation& op, element_bits identity) {
  const auto combine = [&](element_bits a, element_bits b) {
    const element_bits lane[2] = {a, b};
    return op.element(t, t, {}, lane);
  };
  return fold(
      count, t, identity,
      [&](element_bits lane, index i) { return combine(lane, x.elements[first + at(i)]); },
      combine);
}

/// The value of a reduction over no elements: the identity, but a sum of nothing is +0, not -0.
constexpr element_bits empty_reduction(dtype t, element_bits identity) {
  const element_bits sign = is_floating(t) ? element_bits{1} << (8 * size_of(t) - 1) : 0;
  return sign != 0 && identity == sign ? 0 : identity;
}

constexpr void evaluate_reduction(const operation& op, std::span<const index> attributes,
                                  const value& x, value& result) {
  const reduction_plan p = plan_reduction(x.type.shape, attributes);
  const dtype t = x.type.type;
  const element_bits identity = op.identity(t, t, {}, nullptr);
  const auto combine = [&](element_bits a, element_bits b) {
    const element_bits lane[2] = {a, b};
    return op.element(t, t, {}, lane);
  };
  const index rows = p.outer.shape.size();
  const index results = p.kept.shape.size();
  cursor kept(p.kept);
  for (index k = 0; k < results; ++k, kept.next()) {
    if (rows * p.inner == 0) {
      result.elements.push_back(empty_reduction(t, identity));
      continue;
    }
    reduction_order::pairwise<element_bits> blocks;
    cursor outer(p.outer);
    element_bits sum = identity;
    for (index r = 0; r < rows; ++r, outer.next()) {
      const std::size_t first = kept.offset() + outer.offset();
      sum = combine(
          sum, p.inner == 1 ? x.elements[first] : fold_run(x, first, p.inner, t, op, identity));
      if ((r + 1) % reduction_order::rows == 0 || r + 1 == rows) {
        blocks.push(sum, combine);
        sum = identity;
      }
    }
    result.elements.push_back(blocks.finish(combine));
  }
}

constexpr void evaluate_position(const operation& op, std::span<const index> attributes,
                                 const value& x, value& result) {
  const reduction_plan p = plan_reduction(x.type.shape, attributes);
  const dtype t = x.type.type;
  const index rows = p.outer.shape.size();
  const index results = p.kept.shape.size();
  cursor kept(p.kept);
  for (index k = 0; k < results; ++k, kept.next()) {
    cursor outer(p.outer);
    element_bits best[2] = {0, x.elements[kept.offset()]};
    index where = 0;
    for (index r = 0; r < rows; ++r, outer.next())
      for (index i = 0; i < p.inner; ++i) {
        best[0] = x.elements[kept.offset() + outer.offset() + at(i)];
        if (op.element(t, dtype::boolean, {}, best) != 0) {
          best[1] = best[0];
          where = r * p.inner + i;
        }
      }
    result.elements.push_back(static_cast<element_bits>(where));
  }
}

/// A matrix product over broadcast batches, as extents and layouts. Vectors have become matrices.
struct contraction_plan {
  index rows = 1, columns = 1, depth = 1;
  layout batch_a, batch_b;       ///< over the result's batch axes
  index a_row = 0, a_depth = 0;  ///< strides
  index b_depth = 0, b_column = 0;
};

constexpr contraction_plan plan_contraction(const layout& a, const layout& b) {
  contraction_plan p;
  const int ra = a.shape.rank;
  const int rb = b.shape.rank;
  p.depth = a.shape[ra - 1];
  p.a_depth = a.stride[ra - 1];
  if (ra > 1) {
    p.rows = a.shape[ra - 2];
    p.a_row = a.stride[ra - 2];
  }
  p.b_depth = b.stride[rb > 1 ? rb - 2 : 0];
  if (rb > 1) {
    p.columns = b.shape[rb - 1];
    p.b_column = b.stride[rb - 1];
  }
  layout batch_a = a;
  layout batch_b = b;
  batch_a.shape.rank = ra > 2 ? ra - 2 : 0;
  batch_b.shape.rank = rb > 2 ? rb - 2 : 0;
  extents batch = batch_a.shape.rank >= batch_b.shape.rank ? batch_a.shape : batch_b.shape;
  const extents& small = batch_a.shape.rank >= batch_b.shape.rank ? batch_b.shape : batch_a.shape;
  for (int i = 1; i <= small.rank; ++i)
    if (batch[batch.rank - i] == 1) batch[batch.rank - i] = small[small.rank - i];
  p.batch_a = batch_a.broadcast_to(batch);
  p.batch_b = batch_b.broadcast_to(batch);
  return p;
}

/// With more than one column, an element is the chain c = a[k] * b[k] + c, each rounded once, for
/// ascending k. A single column is summed like any run of elements (see reduction_order).
constexpr void evaluate_contraction(const operation& op, const value& a, const value& b,
                                    value& result) {
  const contraction_plan p =
      plan_contraction(layout::contiguous(a.type.shape), layout::contiguous(b.type.shape));
  const dtype t = result.type.type;
  const auto multiply_add = [&](element_bits x, element_bits y, element_bits z) {
    const element_bits lane[3] = {x, y, z};
    return op.element(t, t, {}, lane);
  };
  const element_bits one = visit_dtype(t, []<class T>(T) { return to_bits(T(1)); });
  const auto add = [&](element_bits x, element_bits y) { return multiply_add(x, one, y); };
  cursor batch_a(p.batch_a);
  cursor batch_b(p.batch_b);
  const index batches = p.batch_a.shape.size();
  for (index k = 0; k < batches; ++k, batch_a.next(), batch_b.next())
    for (index i = 0; i < p.rows; ++i)
      for (index j = 0; j < p.columns; ++j) {
        const auto put = [&](element_bits sum, index d) {
          return multiply_add(a.elements[batch_a.offset() + at(i * p.a_row + d * p.a_depth)],
                              b.elements[batch_b.offset() + at(d * p.b_depth + j * p.b_column)],
                              sum);
        };
        element_bits sum = 0;
        if (p.columns == 1 && p.depth > 0) sum = fold(p.depth, t, 0, put, add);
        else
          for (index d = 0; d < p.depth; ++d) sum = put(sum, d);
        result.elements.push_back(sum);
      }
}

constexpr void evaluate_along(const operation& op, std::span<const index> attributes,
                              std::span<const value* const> x, value& result) {
  std::vector<spec> types;
  std::vector<std::span<const element_bits>> elements;
  for (const value* v : x) {
    types.push_back(v->type);
    elements.push_back(v->elements);
  }
  // (The value is said: clang cannot evaluate the standard library's way of making it up.)
  result.elements.resize(at(result.type.shape.size()), element_bits{0});
  op.run_elements(result.type.type, op.axis(types, attributes), attributes, elements,
                  result.elements);
}

}  // namespace detail

/// The value of a node, given its operands' values. (An input has no value of its own.)
[[nodiscard]] constexpr value evaluate(const operation& op, const spec& type,
                                       std::span<const index> attributes,
                                       std::span<const value* const> operands,
                                       std::span<const std::uint64_t> pool = {}) {
  value result{type, {}};
  const index count = type.shape.size();
  result.elements.reserve(detail::at(count));
  switch (op.kind) {
    case operation_kind::input:
    case operation_kind::parameter:
    case operation_kind::loop:
    case operation_kind::branch:
    case operation_kind::result:
      break;
    case operation_kind::constant: {
      const auto words = pool.subspan(detail::at(attributes[0]));
      for (index i = 0; i < count; ++i)
        result.elements.push_back(detail::packed_element(words, type.type, detail::at(i)));
      break;
    }
    case operation_kind::generator:
      for (index i = 0; i < count; ++i) result.elements.push_back(op.generate(type, attributes, i));
      break;
    case operation_kind::shape_query:
      result.elements.push_back(op.generate(operands[0]->type, attributes, 0));
      break;
    case operation_kind::elementwise:
      detail::evaluate_elementwise(op, attributes, operands, result);
      break;
    case operation_kind::movement: {
      detail::cursor from(
          op.view(layout::contiguous(operands[0]->type.shape), type.shape, attributes));
      for (index i = 0; i < count; ++i, from.next())
        result.elements.push_back(operands[0]->elements[from.offset()]);
      break;
    }
    case operation_kind::concatenation:
      detail::evaluate_concatenation(attributes, operands, result);
      break;
    case operation_kind::reduction:
      if (op.to_position) detail::evaluate_position(op, attributes, *operands[0], result);
      else detail::evaluate_reduction(op, attributes, *operands[0], result);
      break;
    case operation_kind::contraction:
      detail::evaluate_contraction(op, *operands[0], *operands[1], result);
      break;
    case operation_kind::along_axis:
      detail::evaluate_along(op, attributes, operands, result);
      break;
    case operation_kind::unbound:  // a graph whose extents are known has none
      break;
  }
  return result;
}

namespace detail {

/// Evaluates a graph node by node, loops turn by turn.
class evaluation {
 public:
  constexpr evaluation(const graph_view& g, std::span<const value> inputs)
      : g_(g),
        values_(g.nodes.size()),
        rows_(g.regions.size() > 1 ? g.nodes.size() : 0),
        first_(first_nodes(g)) {
    for (std::size_t k = 0; k < g.input_list.size(); ++k) values_[at(g.input_list[k])] = inputs[k];
  }

  [[nodiscard]] constexpr std::vector<value> run() {
    run(0, 0, g_.size());
    std::vector<value> results;
    for (node_id o : g_.outputs()) results.push_back(values_[at(o)]);
    return results;
  }

 private:
  constexpr void run(std::int32_t region, node_id first, node_id end) {
    for (node_id id = first; id < end; ++id)
      if (g_[id].region == region) compute(id);
  }

  constexpr void compute(node_id id) {
    const operation& op = *g_[id].op;
    switch (op.kind) {
      case operation_kind::input:
      case operation_kind::parameter:
        return;  // has its value
      case operation_kind::loop:
        return run_loop(id);
      case operation_kind::branch:
        return run_branch(id);
      case operation_kind::result:
        return take_result(id);
      default:
        break;
    }
    list<const value*> operands;
    for (node_id o : g_.operands(id)) operands.push_back(&values_[at(o)]);
    values_[at(id)] = evaluate(op, g_.type(id), g_.attributes(id),
                               {operands.data(), operands.size()},
                               {g_.pool.data(), g_.pool.size()});
  }

  /// A number of turns, or of a region.
  [[nodiscard]] constexpr index number(node_id id) const {
    return number_of(g_.type(id).type, values_[at(id)].elements[0]);
  }

  constexpr void run_loop(node_id id) {
    const std::int32_t r = region_of(g_, id);
    const bool conditional = is_while(g_, id);
    const auto inputs = g_.region_inputs(r);
    const auto outputs = g_.region_outputs(r);
    for (node_id o : outputs) rows_[at(o)].clear();
    for (node_id p : inputs)
      if (role_of(g_, p) == parameter_role::state) values_[at(p)] = values_[at(g_.operand(p, 0))];
    const node_id by = g_.operand(id, 0);
    const index selector =
        turns_of(g_, id) == turns_by::rows ? values_[at(by)].type.shape[0] : number(by);
    bool more = selector != 0;
    for (index turn = 0; conditional ? more : turn < selector; ++turn) {
      for (node_id p : inputs) begin_turn(p, turn);
      run(r, first_[r], id);
      std::vector<value> next;
      for (node_id o : outputs) {
        next.push_back(values_[at(o)]);
        auto& rows = rows_[at(o)];  // (an output may stand in the list twice)
        if (rows.size() == at(turn) * next.back().elements.size())
          for (element_bits e : next.back().elements) rows.push_back(e);
      }
      std::size_t k = 0;
      if (conditional) more = next[k++].elements[0] != 0;
      for (node_id p : inputs)
        if (role_of(g_, p) == parameter_role::state) values_[at(p)] = next[k++];
    }
  }

  constexpr void begin_turn(node_id p, index turn) {
    value& v = values_[at(p)];
    const parameter_role role = role_of(g_, p);
    if (role == parameter_role::state) return;
    v.type = g_.type(p);
    v.elements.clear();
    if (role == parameter_role::row) {
      const index size = v.type.shape.size();
      const value& all = values_[at(g_.operand(p, 0))];
      for (index i = 0; i < size; ++i) v.elements.push_back(all.elements[at(turn * size + i)]);
    } else {
      v.elements.push_back(visit_dtype(
          v.type.type, [&]<class T>(T) { return to_bits<T>(static_cast<T>(turn)); }));
    }
  }

  constexpr void run_branch(node_id id) {
    const std::int32_t r =
        region_of(g_, id) + alternative(number(g_.operand(id, 0)), region_count(g_, id));
    run(r, first_[r], id);
    values_[at(id)].elements.assign(1, static_cast<element_bits>(r));
  }

  constexpr void take_result(node_id id) {
    const node_id from = g_.operand(id, 0);
    const node_id what = g_.operand(id, 1);
    value& v = values_[at(id)];
    if (is_stacked(g_, id)) {
      v.type = g_.type(id);
      v.elements = rows_[at(what)];
    } else if (g_[from].op->kind == operation_kind::loop) {
      v = values_[at(what)];
    } else {
      const auto r = static_cast<std::int32_t>(values_[at(from)].elements[0]);
      v = values_[at(g_.region_outputs(r)[g_.attributes(id)[0]])];
    }
  }

  graph_view g_;
  std::vector<value> values_;
  std::vector<std::vector<element_bits>> rows_;  // of the loops' outputs, in all turns so far
  list<node_id> first_;                          // of the nodes of each region
};

}  // namespace detail

/// The values of a graph's outputs, given those of its inputs.
[[nodiscard]] constexpr std::vector<value> evaluate(const graph_view& g,
                                                    std::span<const value> inputs) {
  return detail::evaluation(g, inputs).run();
}

}  // namespace tfgraph
