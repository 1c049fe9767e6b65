// Tensors without operands: constants, zeros, ones, full, arange, eye.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/function.hpp>

namespace tfgraph::ops {

struct creation : operator_defaults {
  static constexpr operation_kind kind = operation_kind::generator;
  static constexpr int arity = 0;
  /// The type is stated by whoever creates the node.
  [[nodiscard]] static constexpr inference infer(std::span<const spec>, std::span<const index>) {
    return {};
  }
};

/// A parameter of the graph.
struct input : creation {
  static constexpr std::string_view name = "input";
  static constexpr operation_kind kind = operation_kind::input;
};

/// Elements from the graph's pool. Attribute: the first word.
struct constant : creation {
  static constexpr std::string_view name = "constant", onnx = "Constant";
  static constexpr operation_kind kind = operation_kind::constant;
};

/// One value everywhere. Attribute: its bits.
struct full : creation {
  static constexpr std::string_view name = "full", onnx = "ConstantOfShape";
  [[nodiscard]] static constexpr element_bits generate(const spec&,
                                                       std::span<const index> attributes, index) {
    return static_cast<element_bits>(attributes[0]);
  }
};

/// start + position * step along the only axis. Attributes: the bits of start and step.
struct iota : creation {
  static constexpr std::string_view name = "iota", onnx = "Range";
  template <class V>
  static constexpr V at(V start, V step, V position) {
    return start + position * step;
  }
  [[nodiscard]] static constexpr element_bits generate(const spec& result,
                                                       std::span<const index> attributes,
                                                       index position) {
    return tfgraph::detail::visit_dtype(result.type, [&]<class T>(T) -> element_bits {
      if constexpr (std::is_same_v<T, bool>) return 0;
      else {
        using V = simd::batch<T, 1>;
        const auto value = [](index bits) {
          return V(detail::from_bits<T>(static_cast<element_bits>(bits)));
        };
        return detail::encode(result.type, at(value(attributes[0]), value(attributes[1]),
                                              simd::cast<T>(simd::batch<index, 1>(position))));
      }
    });
  }
};

/// Ones on the k-th diagonal of a matrix. Attribute: k.
struct eye : creation {
  static constexpr std::string_view name = "eye", onnx = "EyeLike";
  [[nodiscard]] static constexpr element_bits generate(const spec& result,
                                                       std::span<const index> attributes,
                                                       index position) {
    const index columns = result.shape[1];
    return position % columns - position / columns == attributes[0]
               ? tfgraph::detail::visit_dtype(
                     result.type, []<class T>(T) { return detail::to_bits<T>(static_cast<T>(1)); })
               : 0;
  }
};

}  // namespace tfgraph::ops
