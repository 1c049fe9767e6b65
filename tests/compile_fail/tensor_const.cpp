// A tensor whose elements are const.
// SPDX-License-Identifier: BSL-1.0
// expect: tfgraph: the elements of a tensor are not const
#include <tfgraph/core/tensor.hpp>

#ifdef CONTROL
const tfgraph::tensor<float, 2> a;
#else
tfgraph::tensor<const float, 2> a;
#endif
