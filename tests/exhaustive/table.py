#!/usr/bin/env python3
# Writes the table of docs/accuracy.md. With the programs built and run like this, which takes hours:
#
#   cmake --build --preset gcc-release --target tfgraph_measure_avx512 tfgraph_measure_avx2 \
#     tfgraph_measure_sse2_fma
#   tfgraph_measure_avx512 all > avx512; tfgraph_measure_avx2 bits > avx2
#   tfgraph_measure_sse2_fma bits > sse2
#   table.py docs/accuracy.md avx512 avx2 sse2
#
# The first file has the errors. The others have checksums; where they agree with those of the first
# one, the results were the same, and so are their errors.
# SPDX-License-Identifier: BSL-1.0
import sys


def rows(path):
    """Function and type -> the other columns."""
    with open(path) as file:
        cells = [[c.strip() for c in line.strip().strip("|").split("|")] for line in file]
    return {(c[0], c[1]): c[2:] for c in cells if len(c) > 3}


def scientific(count):
    return "2^32" if count == "4.29e+09" else "10^8"


def main():
    document, first, *others = sys.argv[1:]
    errors, checksums = rows(first), [rows(path) for path in others]
    lines = [
        "| function | type | arguments | AVX-512 | AVX2 | SSE2 with FMA | at |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, (count, error, at, _, checksum) in errors.items():
        same = [error if key in c and c[key][-1] == checksum else "?" for c in checksums]
        lines.append(f"| {key[0]} | {key[1]} | {scientific(count)} | {error} | {' | '.join(same)} | {at} |")
    with open(document) as file:
        text = file.read()
    begin, end = "<!-- errors: begin -->\n", "<!-- errors: end -->"
    head, rest = text.split(begin)
    with open(document, "w") as file:
        file.write(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


main()
