// All elementary and special functions of floating-point batches.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "erf.hpp"
#include "exp.hpp"
#include "gamma.hpp"
#include "hyperbolic.hpp"
#include "log.hpp"
#include "pow.hpp"
#include "trig.hpp"
