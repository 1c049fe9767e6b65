#!/usr/bin/env bash
# Installs what is missing, builds everything with one of the presets of CMakePresets.json, and runs
# the tests:  tools/test.sh [preset]
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-gcc-release}
packages=(g++ cmake ninja-build libboost-dev libxsimd-dev doctest-dev libmpfr-dev python3-numpy)
case $preset in
  clang*) packages+=("clang-${preset#clang}") ;;
esac

tools/install.sh "${packages[@]}"
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset"
