// The derivative of prod is a tree over its elements, whose number must be known.
// SPDX-License-Identifier: BSL-1.0
// expect: grad: the derivative of prod needs static extents, not the shape \(.\)
#include <tfgraph/tfgraph.hpp>

constexpr auto slope = tfgraph::grad([](auto x) { return tfgraph::prod(x); });

#ifdef CONTROL
using vector = tfgraph::tensor<float, 3>;
#else
using vector = tfgraph::tensor<float, tfgraph::dyn>;
#endif

void run(const vector& x) { static_cast<void>(slope(x)); }
