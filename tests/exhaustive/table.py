#!/usr/bin/env python3
# Writes the table of docs/accuracy.md. With the programs built and run like this, which takes hours:
#
#   cmake --build --preset gcc-release --target tfgraph_measure_avx512 tfgraph_measure_avx2 \
#     tfgraph_measure_sse2_fma
#   tfgraph_measure_avx512 all > errors
#   tfgraph_measure_avx512 bits > avx512
#   tfgraph_measure_avx2 bits > avx2
#   tfgraph_measure_sse2_fma bits > sse2
#   table.py docs/accuracy.md errors avx512 avx2 sse2
#
# The first file has the errors, the others checksums of the results. Where the checksums of an
# instruction set agree with those of AVX-512, the results are the same, and so are their errors.
# SPDX-License-Identifier: BSL-1.0
import sys


def rows(path):
    """Function and type -> the other columns."""
    with open(path) as file:
        cells = [[c.strip() for c in line.strip().strip("|").split("|")] for line in file]
    return {(c[0], c[1]): c[2:] for c in cells if len(c) > 3}


def main():
    document, first, *others = sys.argv[1:]
    errors, checksums = rows(first), [rows(path) for path in others]
    lines = [
        "| function | type | arguments | AVX-512 | AVX2 | SSE2 with FMA | at |",
        "|---|---|---|---|---|---|---|",
    ]
    for key, (count, error, at, *_) in errors.items():
        same = [error if c[key][-1] == checksums[0][key][-1] else "differs" for c in checksums[1:]]
        number = {"4.29e+09": "2^32", "1e+08": "10^8"}.get(count, count)
        lines.append(f"| {key[0]} | {key[1]} | {number} | {error} | {' | '.join(same)} | {at} |")
    with open(document) as file:
        text = file.read()
    begin, end = "<!-- errors: begin -->\n", "<!-- errors: end -->"
    head, rest = text.split(begin)
    with open(document, "w") as file:
        file.write(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


main()
