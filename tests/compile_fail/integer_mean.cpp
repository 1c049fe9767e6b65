// The mean of integers is not one.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: mean, var and std need a floating-point type; convert with astype
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using tensor = tg::tensor<float, 3>;
#else
using tensor = tg::tensor<int, 3>;
#endif
constexpr auto f = tg::function([](auto x) { return tg::mean(x); });
auto call(const tensor& x) { return f(x); }
