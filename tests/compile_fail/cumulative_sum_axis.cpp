// A tensor of two dimensions has no axis to sum along unless one is named.
// SPDX-License-Identifier: BSL-1.0
// expect: cumulative_sum: name the axis of a tensor that has not one dimension
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using tensor = tg::tensor<float, 6>;
#else
using tensor = tg::tensor<float, 2, 3>;
#endif
constexpr auto f = tg::function([](auto x) { return tg::cumulative_sum(x); });
auto call(const tensor& x) { return f(x); }
