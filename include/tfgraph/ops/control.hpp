// Control flow: the operators of loops and branches (graph/control.hpp says what they consist of).
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/graph/control.hpp>
#include <tfgraph/ops/generate.hpp>

namespace tfgraph::ops {

/// An input of a loop's region. Attribute: its role.
struct parameter : operator_defaults {
  static constexpr std::string_view name = "parameter";
  static constexpr operation_kind kind = operation_kind::parameter;
  static constexpr int arity = 1;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x,
                                                 std::span<const index> attributes) {
    inference r{x[0], {}};
    if (attributes[0] != static_cast<index>(parameter_role::row)) return r;
    if (x[0].shape.rank == 0) {
      r.objection << "scan: a tensor of rank 0 has no rows";
      return r;
    }
    r.result.shape = {};
    for (int i = 1; i < x[0].shape.rank; ++i) r.result.shape.push_back(x[0].shape[i]);
    return r;
  }
};

/// What runs regions. Its own type says nothing.
struct control : operator_defaults {
  static constexpr int arity = 1;
  [[nodiscard]] static constexpr inference infer(std::span<const spec>, std::span<const index>) {
    return {};
  }
};

/// Runs its region in turns. Attributes: the region; what says how often (`turns_by`).
struct loop : control {
  static constexpr std::string_view name = "loop", onnx = "Loop";
  static constexpr operation_kind kind = operation_kind::loop;
};

/// Runs the region that its operand selects: bool, or an integer that is brought into range.
/// Attributes: the first of the regions, how many there are.
struct branch : control {
  static constexpr std::string_view name = "branch", onnx = "If";
  static constexpr operation_kind kind = operation_kind::branch;
};

/// What is left of a state of a loop (the second operand is its parameter), or the output of a
/// branch with the number that the attribute says (the operand is that of the first region).
struct result : operator_defaults {
  static constexpr std::string_view name = "result";
  static constexpr operation_kind kind = operation_kind::result;
  static constexpr int arity = 2;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    return {x[1], {}};
  }
};

/// The values that an output of a loop's region (the second operand) has in all turns, along a new
/// first axis, which is as long as that of the third operand, whose rows the loop goes through.
struct stacked : operator_defaults {
  static constexpr std::string_view name = "stacked";
  static constexpr operation_kind kind = operation_kind::result;
  static constexpr int arity = 3;
  [[nodiscard]] static constexpr inference infer(std::span<const spec> x, std::span<const index>) {
    inference r{{x[1].type, {x[2].shape[0]}}, {}};
    for (int i = 0; i < x[1].shape.rank; ++i) r.result.shape.push_back(x[1].shape[i]);
    return r;
  }
};

}  // namespace tfgraph::ops
