// Functions take tensors of static extents so far.
// SPDX-License-Identifier: BSL-1.0
// expect: functions and operators take tensors of static extents only
#include <tfgraph/tfgraph.hpp>

constexpr auto twice = tfgraph::function([](auto x) { return x + x; });

#ifdef CONTROL
using vector = tfgraph::tensor<float, 3>;
#else
using vector = tfgraph::tensor<float, tfgraph::dyn>;
#endif

void run(const vector& x) { static_cast<void>(twice(x)); }
