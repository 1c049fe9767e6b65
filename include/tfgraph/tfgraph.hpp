// Everything that a user needs to compute.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/core/any_tensor.hpp>
#include <tfgraph/core/print.hpp>
#include <tfgraph/core/tensor.hpp>
#include <tfgraph/core/view.hpp>
#include <tfgraph/differentiate/checkpoint.hpp>
#include <tfgraph/differentiate/custom_gradient.hpp>
#include <tfgraph/differentiate/grad.hpp>
#include <tfgraph/differentiate/jacobian.hpp>
#include <tfgraph/differentiate/jvp.hpp>
#include <tfgraph/differentiate/vmap.hpp>
#include <tfgraph/function/eager.hpp>
#include <tfgraph/function/function.hpp>
#include <tfgraph/graph/print.hpp>
#include <tfgraph/graph/verify.hpp>
#include <tfgraph/trace/branch.hpp>
#include <tfgraph/trace/composite.hpp>
#include <tfgraph/trace/indexing.hpp>
#include <tfgraph/trace/loop.hpp>
#include <tfgraph/trace/print.hpp>
#include <tfgraph/version.hpp>
