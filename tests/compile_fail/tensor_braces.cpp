// A constant with too few values in its braces.
// SPDX-License-Identifier: BSL-1.0
// expect: tensor: the braces hold
#include <tfgraph/core/tensor.hpp>

#ifdef CONTROL
constexpr tfgraph::tensor<float, 2, 2> a{{1, 2}, {3, 4}};
#else
constexpr tfgraph::tensor<float, 2, 2> a{{1, 2}, {3}};
#endif
