// The graph: nodes in topological order, in flat arrays. It exists in three forms: `graph` grows
// (lists), `detail::static_graph` can outlive a constant expression (arrays), `graph_view` reads
// either.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/list.hpp>
#include <tfgraph/graph/frozen.hpp>
#include <tfgraph/graph/operation.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace tfgraph {

/// A node's place in its graph. Operands always have smaller ids than their users.
using node_id = std::int32_t;
inline constexpr node_id no_node = -1;

/// One value of the computation. (Small and without constructors: compilers copy nodes often.)
struct node {
  const operation* op;
  std::int32_t type;  ///< into the graph's list of types
  std::int32_t first_operand;
  std::int32_t operand_count;
  std::int32_t first_attribute;
  std::int32_t attribute_count;
  std::int32_t region;  ///< which subgraph it belongs to; 0 is the graph itself
};

/// Words of the pool that a constant of this type takes.
[[nodiscard]] constexpr std::size_t pool_words(const spec& type) {
  return (static_cast<std::size_t>(type.shape.size()) * size_of(type.type) + 7) / 8;
}

/// A subgraph that a node owns (the body of a loop, a branch). Its nodes stand before the owner's
/// node in the same arrays and may use nodes of the enclosing regions.
struct region {
  std::int32_t parent;
  std::int32_t first_value;  ///< into `region_values`: inputs, then outputs
  std::int32_t input_count;
  std::int32_t output_count;
};

/// Read access to a graph of either form.
class graph_view {
 public:
  detail::list_view<node> nodes;
  detail::list_view<spec> types;  ///< each type once
  detail::list_view<node_id> operand_list;
  detail::list_view<index> attribute_list;
  detail::list_view<std::uint64_t> pool;  ///< contents of constants, packed little-endian
  detail::list_view<node_id> input_list;
  detail::list_view<node_id> output_list;
  detail::list_view<region> regions;
  detail::list_view<node_id> region_values;
  detail::list_view<std::int32_t> update_list;  ///< see graph

  /// Number of nodes, inputs included.
  [[nodiscard]] constexpr int size() const { return static_cast<int>(nodes.size()); }
  /// Number of nodes of the operator with this name.
  [[nodiscard]] constexpr int count(std::string_view name) const {
    int n = 0;
    for (const node& x : nodes) n += x.op->name == name ? 1 : 0;
    return n;
  }
  [[nodiscard]] constexpr std::span<const node_id> inputs() const { return input_list; }
  [[nodiscard]] constexpr std::span<const node_id> outputs() const { return output_list; }

  [[nodiscard]] constexpr const node& operator[](node_id id) const { return nodes[id]; }
  [[nodiscard]] constexpr const spec& type(node_id id) const { return types[nodes[id].type]; }
  [[nodiscard]] constexpr detail::list_view<node_id> operands(node_id id) const {
    const node& n = nodes[id];
    return {operand_list.data() + n.first_operand, static_cast<std::size_t>(n.operand_count)};
  }
  [[nodiscard]] constexpr node_id operand(node_id id, int k) const {
    return operand_list[nodes[id].first_operand + k];
  }
  [[nodiscard]] constexpr std::span<const index> attributes(node_id id) const {
    const node& n = (*this)[id];
    return {attribute_list.data() + n.first_attribute, static_cast<std::size_t>(n.attribute_count)};
  }
  [[nodiscard]] constexpr detail::list_view<node_id> region_inputs(std::int32_t r) const {
    return {region_values.data() + regions[r].first_value,
            static_cast<std::size_t>(regions[r].input_count)};
  }
  [[nodiscard]] constexpr detail::list_view<node_id> region_outputs(std::int32_t r) const {
    return {region_values.data() + regions[r].first_value + regions[r].input_count,
            static_cast<std::size_t>(regions[r].output_count)};
  }
};

/// A graph under construction.
class graph {
 public:
  detail::list<node> nodes;
  detail::list<spec> types;
  detail::list<node_id> operand_list;
  detail::list<index> attribute_list;
  detail::list<std::uint64_t> pool;
  detail::list<node_id> input_list;
  detail::list<node_id> output_list;
  detail::list<region> regions;
  detail::list<node_id> region_values;
  /// The last outputs are the new values of these inputs (by number), which are variables. (Of a graph
  /// as written; passes need not know.)
  detail::list<std::int32_t> update_list;
  bool settled = true;  ///< whether the pass that made it would find nothing more to do
  std::int32_t current = 0;  ///< the region that new nodes belong to

  constexpr graph() { regions.push_back(region{}); }

  [[nodiscard]] constexpr graph_view view() const {
    return {nodes,      types,       operand_list, attribute_list, pool,
            input_list, output_list, regions,      region_values,  update_list};
  }
  [[nodiscard]] constexpr int size() const { return static_cast<int>(nodes.size()); }
  [[nodiscard]] constexpr const node& operator[](node_id id) const { return nodes[id]; }
  [[nodiscard]] constexpr const spec& type(node_id id) const { return types[nodes[id].type]; }
  [[nodiscard]] constexpr node_id operand(node_id id, int k) const {
    return operand_list[nodes[id].first_operand + k];
  }
  [[nodiscard]] constexpr index attribute(node_id id, int k) const {
    return attribute_list[nodes[id].first_attribute + k];
  }

  /// The place of a type in the list of types.
  constexpr std::int32_t intern(const spec& type) {
    for (std::size_t i = types.size(); i > 0; --i)
      if (types[i - 1] == type) return static_cast<std::int32_t>(i - 1);
    types.push_back(type);
    return static_cast<std::int32_t>(types.size()) - 1;
  }

  /// Appends a node. That its type fits its operator is the caller's business.
  constexpr node_id add(const operation* op, const spec& type, std::span<const node_id> operands,
                        std::span<const index> attributes = {}) {
    return add_interned(op, intern(type), operands, attributes);
  }
  constexpr node_id add_interned(const operation* op, std::int32_t type,
                                 std::span<const node_id> operands,
                                 std::span<const index> attributes) {
    const node n{op,
                 type,
                 static_cast<std::int32_t>(operand_list.size()),
                 static_cast<std::int32_t>(operands.size()),
                 static_cast<std::int32_t>(attribute_list.size()),
                 static_cast<std::int32_t>(attributes.size()),
                 current};
    for (std::size_t k = 0; k < operands.size(); ++k) operand_list.push_back(operands[k]);
    for (std::size_t k = 0; k < attributes.size(); ++k) attribute_list.push_back(attributes[k]);
    nodes.push_back(n);
    return static_cast<node_id>(nodes.size()) - 1;
  }
  constexpr node_id add(const operation* op, const spec& type,
                        std::initializer_list<node_id> operands,
                        std::initializer_list<index> attributes = {}) {
    return add(op, type, std::span<const node_id>(operands.begin(), operands.size()),
               std::span<const index>(attributes.begin(), attributes.size()));
  }

  /// Appends a parameter.
  constexpr node_id add_input(const operation* op, const spec& type) {
    const node_id id = add(op, type, {});
    nodes[id].region = 0;
    input_list.push_back(id);
    return id;
  }

  /// Adds a region in the current one. New nodes belong to it while it is `current`.
  constexpr std::int32_t add_region() {
    regions.push_back({current, 0, 0, 0});
    return static_cast<std::int32_t>(regions.size()) - 1;
  }
  /// Says what the current region takes and gives; its parent is the current one then.
  constexpr void end_region(std::span<const node_id> inputs, std::span<const node_id> outputs) {
    region& r = regions[current];
    r.first_value = static_cast<std::int32_t>(region_values.size());
    r.input_count = static_cast<std::int32_t>(inputs.size());
    r.output_count = static_cast<std::int32_t>(outputs.size());
    region_values.append(inputs.data(), inputs.size());
    region_values.append(outputs.data(), outputs.size());
    current = r.parent;
  }

  /// Takes back the node that was added last.
  constexpr void remove_last() {
    const node& n = nodes.back();
    operand_list.resize(static_cast<std::size_t>(n.first_operand));
    attribute_list.resize(static_cast<std::size_t>(n.first_attribute));
    nodes.pop_back();
  }
};

namespace detail {

struct graph_sizes {
  std::size_t nodes, types, operands, attributes, pool, inputs, outputs, regions, region_values,
      updates;
  [[nodiscard]] friend constexpr bool operator==(const graph_sizes&, const graph_sizes&) = default;
};

/// A graph in arrays, for `static constexpr` members. Refer to it through the type that holds it:
/// as a template argument by value it would give symbol names of tens of kilobytes.
template <auto S>
struct static_graph {
  static_list<node, S.nodes> nodes;
  static_list<spec, S.types> types;
  static_list<node_id, S.operands> operand_list;
  static_list<index, S.attributes> attribute_list;
  alignas(64) static_list<std::uint64_t, S.pool> pool;
  static_list<node_id, S.inputs> input_list;
  static_list<node_id, S.outputs> output_list;
  static_list<region, S.regions> regions;
  static_list<node_id, S.region_values> region_values;
  static_list<std::int32_t, S.updates> update_list;
  bool settled;

  template <class Graph>
  static constexpr static_graph from(const Graph& g) {
    static_graph s{};
    s.nodes.assign(g.nodes);
    s.types.assign(g.types);
    s.operand_list.assign(g.operand_list);
    s.attribute_list.assign(g.attribute_list);
    s.pool.assign(g.pool);
    s.input_list.assign(g.input_list);
    s.output_list.assign(g.output_list);
    s.regions.assign(g.regions);
    s.region_values.assign(g.region_values);
    s.update_list.assign(g.update_list);
    s.settled = g.settled;
    return s;
  }

  [[nodiscard]] constexpr graph_sizes sizes() const {
    return {nodes.count,          types.count,   operand_list.count,
            attribute_list.count, pool.count,    input_list.count,
            output_list.count,    regions.count, region_values.count, update_list.count};
  }
  [[nodiscard]] constexpr bool fits() const {
    const graph_sizes n = sizes();
    return n.nodes <= S.nodes && n.types <= S.types && n.operands <= S.operands &&
           n.attributes <= S.attributes && n.pool <= S.pool && n.inputs <= S.inputs &&
           n.outputs <= S.outputs && n.regions <= S.regions && n.region_values <= S.region_values &&
           n.updates <= S.updates;
  }
  [[nodiscard]] constexpr graph_view view() const {
    return {nodes.view(),          types.view(),   operand_list.view(),
            attribute_list.view(), pool.view(),    input_list.view(),
            output_list.view(),    regions.view(), region_values.view(), update_list.view()};
  }
};

inline constexpr graph_sizes roomy_graph{4096, 64, 8192, 4096, 4096, 64, 64, 64, 256, 64};

/// The type that holds, as `value`, the graph that the constant expression `Maker::make()` returns.
template <class Maker>
struct frozen : frozen_as<Maker, static_graph, roomy_graph> {};

}  // namespace detail
}  // namespace tfgraph
