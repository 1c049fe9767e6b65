// Derivatives need static extents so far.
// SPDX-License-Identifier: BSL-1.0
// expect: grad: the function has a value of shape \(.\), but derivatives need static extents so far
#include <tfgraph/tfgraph.hpp>

constexpr auto slope = tfgraph::grad([](auto x) { return tfgraph::sum(x * x); });

#ifdef CONTROL
using vector = tfgraph::tensor<float, 3>;
#else
using vector = tfgraph::tensor<float, tfgraph::dyn>;
#endif

void run(const vector& x) { static_cast<void>(slope(x)); }
