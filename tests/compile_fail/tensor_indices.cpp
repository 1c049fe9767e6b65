// An element is found with as many indices as there are dimensions.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: an element is found with one index per dimension of the tensor
#include <tfgraph/core/tensor.hpp>

constexpr tfgraph::tensor<float, 2, 3> a;
#ifdef CONTROL
constexpr float x = a(0, 0);
#else
constexpr float x = a(0);
#endif
