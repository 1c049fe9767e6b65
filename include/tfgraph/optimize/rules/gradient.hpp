// Rules of what differentiation alone looks at: it has gone by when the optimiser works.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/ops/gradient.hpp>
#include <tfgraph/optimize/rule.hpp>

namespace tfgraph::optimize {

inline constexpr rule gradient_rules[] = {
    {.name = "stop_gradient_is_identity", .from = "stop_gradient(x)", .to = "x"},
    {.name = "custom_gradient_is_identity", .from = "custom_gradient(x...)", .to = "x"},
    {.name = "checkpoint_is_identity", .from = "checkpoint(x...)", .to = "x"},
};

}  // namespace tfgraph::optimize
