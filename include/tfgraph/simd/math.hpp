// All elementary and special functions of floating-point batches.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tfgraph/simd/erf.hpp>
#include <tfgraph/simd/exp.hpp>
#include <tfgraph/simd/gamma.hpp>
#include <tfgraph/simd/hyperbolic.hpp>
#include <tfgraph/simd/log.hpp>
#include <tfgraph/simd/pow.hpp>
#include <tfgraph/simd/trig.hpp>
