#!/usr/bin/env bash
# Installs what is missing, then builds and runs the handwritten digits example.
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install.sh g++ cmake ninja-build libboost-dev libxsimd-dev
cmake --preset gcc-release -B build/demo -DTFGRAPH_TESTS=OFF -DTFGRAPH_BENCH=OFF
cmake --build build/demo --target digits
build/demo/examples/digits
