// exp is for floating point.
// SPDX-License-Identifier: BSL-1.0
// expect: exp: argument 1 must have a floating-point type, not int32
#include <tfgraph/tfgraph.hpp>

namespace tg = tfgraph;
#ifdef CONTROL
using tensor = tg::tensor<float, 3>;
#else
using tensor = tg::tensor<int, 3>;
#endif
constexpr auto f = tg::function([](auto x) { return tg::exp(x); });
auto call(const tensor& x) { return f(x); }
