// Conditions that several rules share.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/optimize/match.hpp>

namespace tfgraph::optimize {

/// The first operand (a node of the pattern) is used here only, so that it disappears.
inline constexpr guard inner_used_once{"the inner node has no other use",
                                       [](const match& m) { return m.single_use(m.part(1)); }};

/// Patterns of two inner nodes with two operands each: g(h(.,.), h(.,.)).
inline constexpr guard both_used_once{"the inner nodes have no other use", [](const match& m) {
                                        return m.single_use(m.part(1)) && m.single_use(m.part(4));
                                      }};

/// Patterns g(h(.), h(.)).
inline constexpr guard both_unary_used_once{
    "the inner nodes have no other use",
    [](const match& m) { return m.single_use(m.part(1)) && m.single_use(m.part(3)); }};

}  // namespace tfgraph::optimize
