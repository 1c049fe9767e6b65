// What a graph knows of an operator: the table that every pass, printer and executor reads.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/dtype.hpp>
#include <tfgraph/core/element.hpp>
#include <tfgraph/core/error.hpp>
#include <tfgraph/core/optional_pointer.hpp>
#include <tfgraph/core/shape.hpp>
#include <tfgraph/graph/block_code.hpp>

#include <span>
#include <string_view>

namespace tfgraph {

/// What is known of a tensor before it has a value: element type and shape.
struct spec {
  dtype type = dtype::boolean;
  extents shape;
  [[nodiscard]] friend constexpr bool operator==(const spec&, const spec&) = default;
};

/// How an operator's result depends on its operands' elements. Passes and executors handle kinds,
/// not operators.
enum class operation_kind : std::uint8_t {
  input,          ///< a parameter of the graph
  constant,       ///< elements stand in the graph's pool; attribute: the first word
  generator,      ///< an element depends on its position only (full, iota, eye)
  shape_query,    ///< a number that follows from the operand's shape; none where shapes are static
  elementwise,    ///< operands broadcast; an element depends on the operands' elements there
  movement,       ///< an element is an element of the operand, found by a strided layout
  concatenation,  ///< operands side by side along an axis
  reduction,      ///< axes are combined away
  contraction,    ///< sums of products (matmul)
  along_axis,     ///< elements are found, or go on from each other, along one axis (take)
  unbound,        ///< stands for others until all extents are known
  parameter,      ///< what the body of a loop starts a turn with; its operand: where that comes from
  loop,           ///< runs a region in turns
  branch,         ///< runs one of several regions
  result          ///< what a loop or branch leaves; operands: that node, a value of its region
};

/// Whether nodes of this kind belong to the regions that stand around them: they are neither moved
/// nor merged nor computed ahead of time.
[[nodiscard]] constexpr bool is_structural(operation_kind k) {
  return k == operation_kind::parameter || k == operation_kind::loop ||
         k == operation_kind::branch || k == operation_kind::result;
}

/// An operator's rule applied to operands: the result's type and shape, or a sentence of complaint.
struct inference {
  spec result;
  detail::sentence objection;
  bool about_types = false;  ///< the objection is to element types and not to shapes
};

/// Throws what a rule objects to: a `dtype_error` or a `shape_error`.
constexpr void require(const inference& i) {
  if (i.objection.empty()) return;
  if (i.about_types) throw dtype_error(std::string(i.objection.view()));
  detail::throw_shape_error(i.objection);
}

/// Operands and result of an operator along an axis, as arrays of shape (batch, outer, axis,
/// inner).
struct axis_extents {
  index batch = 1, outer = 1;
  index from = 1;  ///< extent of the axis in what is read
  index to = 1;    ///< and in the result
  index inner = 1;
};

struct layout;
class graph;

/// Everything about an operator that does not depend on a C++ type. There is one object of this
/// type per operator (made from its struct, see ops/define.hpp); its address identifies the
/// operator.
struct operation {
  std::string_view name;
  /// A hash of the name, which must be unique. Operators are compared by it and not by address:
  /// with -fsanitize=undefined g++ does not compare addresses in constant expressions.
  std::uint64_t key = 0;
  operation_kind kind = operation_kind::elementwise;
  int arity = 1;  ///< number of operands; -1: any
  bool commutative = false;
  bool partial = false;   ///< may throw domain_error, so it is not computed ahead of time
  std::string_view onnx;  ///< name in the ONNX standard; empty: composed of others

  using infer_function = inference(std::span<const spec>, std::span<const index> attributes);
  using element_function = element_bits(dtype operand, dtype result,
                                        std::span<const index> attributes,
                                        const element_bits* operands);
  using generate_function = element_bits(const spec& result, std::span<const index> attributes,
                                         index position);
  using axis_function = axis_extents(std::span<const spec>, std::span<const index> attributes);
  using run_elements_function = void(dtype, const axis_extents&, std::span<const index> attributes,
                                     std::span<const std::span<const element_bits>> operands,
                                     std::span<element_bits> result);
  using run_memory_function = void(dtype, const axis_extents&, std::span<const index> attributes,
                                   const void* const* operands, void* result);
  using view_function = layout(const layout& operand, const extents& result,
                               std::span<const index> attributes);

  infer_function* infer = nullptr;
  /// elementwise: one element; reduction: two combined; contraction: fma(a, b, accumulator);
  /// reduction to a position: whether the first operand comes before the second
  element_function* element = nullptr;
  bool to_position = false;              ///< reduction to a position (argmax): has no identity
  element_function* identity = nullptr;  ///< reduction: the neutral element
  /// generator: the element at a row-major position; shape_query: the number for an operand's type
  generate_function* generate = nullptr;
  view_function* view = nullptr;                  ///< movement: where the operand's elements are
  block_code* blocks = nullptr;                   ///< for the dynamic executor
  axis_function* axis = nullptr;                  ///< along_axis: how it sees its operands
  run_elements_function* run_elements = nullptr;  ///< along_axis: all of it, in the compiler
  run_memory_function* run_memory = nullptr;      ///< and on contiguous memory

  /// Records, at the end of a graph, what the k-th operand of a node contributes to a derivative.
  /// vjp: given the cotangent of the node, the cotangent of the operand. jvp: given the tangent of
  /// the operand, its share of the tangent of the node (a shape that broadcasts to the node's).
  /// Negative: no contribution.
  using derivative_function = std::int32_t(graph& g, std::int32_t node, int k, std::int32_t given);
  detail::optional_pointer<derivative_function> vjp = {};
  detail::optional_pointer<derivative_function> jvp = {};
  /// unbound: what the operator is, of operands of known extents; recorded at the end of a graph.
  using expand_function = std::int32_t(graph& g, std::span<const std::int32_t> operands,
                                       std::span<const index> attributes);
  expand_function* expand = nullptr;
  bool needs_extents = false;  ///< the derivative can only be written for known extents
  bool flat = false;           ///< the derivative is zero wherever there is one (rounding)
};

[[nodiscard]] constexpr bool operator==(const operation& a, const operation& b) {
  return a.key == b.key;
}

namespace detail {

/// The key of an operator's name (FNV-1a).
[[nodiscard]] constexpr std::uint64_t operation_key(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace detail
}  // namespace tfgraph
