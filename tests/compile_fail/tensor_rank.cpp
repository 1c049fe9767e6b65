// A tensor of nine dimensions.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: a tensor has at most 8 dimensions
#include <tfgraph/core/tensor.hpp>

#ifdef CONTROL
tfgraph::tensor<float, 1, 1, 1, 1, 1, 1, 1, 1> a;
#else
tfgraph::tensor<float, 1, 1, 1, 1, 1, 1, 1, 1, 1> a;
#endif
