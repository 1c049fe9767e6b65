// The version of tfgraph; CMake reads it from here.
// SPDX-License-Identifier: BSL-1.0
#pragma once

#define TFGRAPH_VERSION_MAJOR 0
#define TFGRAPH_VERSION_MINOR 1
#define TFGRAPH_VERSION_PATCH 0
