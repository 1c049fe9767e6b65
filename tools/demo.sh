#!/usr/bin/env bash
# Installs what is missing, then builds and runs the main example: it trains a neural network on
# handwritten digits, and writes a picture of how that went.
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install.sh g++ cmake ninja-build libboost-dev libxsimd-dev
cmake --preset gcc-release -B build/demo -DTFGRAPH_TESTS=OFF -DTFGRAPH_BENCH=OFF
cmake --build build/demo --target train_digits
build/demo/examples/train_digits examples/data/digits.csv build/demo/train_digits.svg
