// vmap needs static extents.
// SPDX-License-Identifier: BSL-1.0
// expect: vmap needs arguments of static extents
#include <tfgraph/tfgraph.hpp>

constexpr auto doubled = tfgraph::vmap([](auto x) { return x * 2; });

#ifdef CONTROL
using vector = tfgraph::tensor<float, 3>;
#else
using vector = tfgraph::tensor<float, tfgraph::dyn>;
#endif

void run(const vector& x) { static_cast<void>(doubled(x)); }
