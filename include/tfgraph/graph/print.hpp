// Graphs as text and as a picture (Graphviz).
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/element.hpp>
#include <tfgraph/graph/control.hpp>

#include <charconv>
#include <string>

namespace tfgraph {
namespace detail {

inline std::string text_of(const spec& s) {
  return std::string(name_of(s.type)) + " " + std::string((sentence() << s.shape).view());
}

inline std::string text_of_element(dtype t, element_bits bits) {
  return visit_dtype(t, [&]<class T>(T) -> std::string {
    const T v = from_bits<T>(bits);
    if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
    else {
      char buffer[64];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, v);
      return {buffer, end.ptr};
    }
  });
}

// What a loop or branch does, and what its regions give.
inline std::string text_of_control(const graph_view& g, node_id id) {
  std::string s;
  if (g[id].op->kind == operation_kind::loop)
    s = is_while(g, id) ? " while" : turns_of(g, id) == turns_by::rows ? " rows" : " times";
  for (int r = 0; r < region_count(g, id); ++r) {
    s += " {";
    for (node_id o : g.region_outputs(region_of(g, id) + r))
      s += (s.back() == '{' ? "%" : ", %") + std::to_string(o);
    s += "}";
  }
  return s;
}

inline std::string_view name_of(parameter_role r) {
  return r == parameter_role::state ? "state" : r == parameter_role::row ? "row" : "turn";
}

// "[0, 2]", or the value for a node that is one value everywhere.
inline std::string text_of_attributes(const graph_view& g, node_id id) {
  const node& n = g[id];
  switch (n.op->kind) {
    case operation_kind::loop:
    case operation_kind::branch:
      return text_of_control(g, id);
    case operation_kind::parameter:
      return " " + std::string(name_of(role_of(g, id)));
    default:
      break;
  }
  if (n.op->name == "full")
    return " " + text_of_element(g.type(id).type, static_cast<element_bits>(g.attributes(id)[0]));
  if (n.op->kind == operation_kind::constant || n.attribute_count == 0) return "";
  std::string s = " [";
  for (index a : g.attributes(id)) {
    if (s.size() > 2) s += ", ";
    s += a == INT64_MAX ? "end" : std::to_string(a);
  }
  return s + "]";
}

}  // namespace detail

/// One line per node: `%2 = mul %0, %1 : float32 (2, 3)`. What belongs to a loop or branch stands
/// indented before it; in braces is what each turn, or each alternative, gives.
[[nodiscard]] inline std::string to_string(const graph_view& g) {
  std::string s;
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    for (std::int32_t r = n.region; r != 0; r = g.regions[r].parent) s += "  ";
    s += "%" + std::to_string(id) + " = " + std::string(n.op->name);
    const char* separator = " ";
    for (node_id o : g.operands(id)) {
      s += separator + ("%" + std::to_string(o));
      separator = ", ";
    }
    s += detail::text_of_attributes(g, id) + " : " + detail::text_of(g.type(id)) + "\n";
  }
  s += "return";
  const char* separator = " ";
  for (node_id o : g.outputs()) {
    s += separator + ("%" + std::to_string(o));
    separator = ", ";
  }
  return s + "\n";
}

/// The graph in the DOT language.
[[nodiscard]] inline std::string to_dot(const graph_view& g) {
  std::string s = "digraph tfgraph {\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (node_id id = 0; id < g.size(); ++id) {
    const node& n = g[id];
    const char* style = n.op->kind == operation_kind::input
                            ? ", style=filled, fillcolor=\"#cde4ff\""
                        : n.operand_count == 0 ? ", style=filled, fillcolor=\"#eeeeee\""
                                               : "";
    s += "  n" + std::to_string(id) + " [label=\"" + std::string(n.op->name) +
         detail::text_of_attributes(g, id) + "\\n" + detail::text_of(g.type(id)) + "\"" + style +
         "];\n";
    for (node_id o : g.operands(id))
      s += "  n" + std::to_string(o) + " -> n" + std::to_string(id) + ";\n";
  }
  int k = 0;
  for (node_id o : g.outputs()) {
    const std::string name = "out" + std::to_string(k);
    s += "  " + name + " [label=\"output " + std::to_string(k++) + "\", shape=ellipse];\n  n" +
         std::to_string(o) + " -> " + name + ";\n";
  }
  return s + "}\n";
}

}  // namespace tfgraph
