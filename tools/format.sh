#!/usr/bin/env bash
# Formats every source file in place (with clang-format-19: versions differ in what they write).
# SPDX-License-Identifier: BSL-1.0
set -euo pipefail
cd "$(dirname "$0")/.."
find include tests examples bench -name '*.[ch]pp' -print0 | xargs -0 clang-format-19 -i
