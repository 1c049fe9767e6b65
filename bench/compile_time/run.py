#!/usr/bin/env python3
"""Measures what programs that use tfgraph cost to compile: seconds and peak memory of the compiler.

    bench/compile_time/run.py [--sizes 100,250,500,1000,2000] [--compilers g++,clang++-19]

Run it on an idle machine: it compiles one program at a time and takes the best of --repeat runs.
Needs Python 3 and Linux (the peak memory is what wait4 reports).
"""
# SPDX-License-Identifier: BSL-1.0

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

INCLUDE_ONLY = "#include <tfgraph/tfgraph.hpp>\nint main() {}\n"

PROGRAM = """\
#include <tfgraph/tfgraph.hpp>
namespace tg = tfgraph;
constexpr auto f = tg::function([](auto x, auto y) {{
{statements}
  return {result};
}});
int main(int argc, char**) {{
  tg::tensor<float, 1024> x, y;
  x.fill(static_cast<float>(argc));
  y.fill(0.5F);
  const auto z = f(x, y);
  return z(7) < 0 ? 1 : 0;
}}
"""


def elementwise(count):
    """`count` unlike operators, so that nothing can be shared or folded."""
    forms = ["{a} + {b}", "{a} * {b}", "{a} - {b}", "tg::maximum({a}, {b})"]
    names = ["x", "y"]
    lines = []
    for i in range(count):
        a, b = names[-1], names[-2 - (i * 7) % min(len(names) - 1, 5)]
        lines.append(f"  auto t{i} = " + forms[i % len(forms)].format(a=a, b=b) + ";")
        names.append(f"t{i}")
    return PROGRAM.format(statements="\n".join(lines), result=names[-1])


def chain(count):
    """`count` times t = t * t + t: a value used twice, over and over."""
    lines = ["  auto t = x * y;"] + ["  t = t * t + t;"] * count
    return PROGRAM.format(statements="\n".join(lines), result="t")


def compile_once(command, source):
    """Seconds of wall time and the peak of the resident memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.cpp")
        path.write_text(source)
        output = pathlib.Path(folder, "messages")
        with output.open("w") as messages:
            start = time.monotonic()
            process = subprocess.Popen(command + [path, "-c", "-o", path.with_suffix(".o")],
                                       stdout=messages, stderr=messages)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.monotonic() - start
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n" + output.read_text()[:2000])
    return seconds, usage.ru_maxrss / 1024


def compiler_name(compiler):
    return subprocess.run([compiler, "--version"], capture_output=True, text=True,
                          check=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,250,500,1000,2000")
    parser.add_argument("--compilers", default="g++,clang++-19")
    parser.add_argument("--flags", default="", help="further flags, such as -march=native")
    parser.add_argument("--repeat", type=int, default=2)
    arguments = parser.parse_args()

    compilers = [c for c in arguments.compilers.split(",") if shutil.which(c)]
    if not compilers:
        sys.exit("none of the compilers was found")
    sizes = [int(n) for n in arguments.sizes.split(",")]
    programs = [("the include alone, -O0", INCLUDE_ONLY, "-O0"),
                ("the include alone", INCLUDE_ONLY, "-O2")]
    programs += [(f"{n:,} operators", elementwise(n), "-O2") for n in sizes]
    programs += [("60 times t = t*t + t", chain(60), "-O2")]

    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"(The machine is busy, load {load:.1f}: these numbers are worth nothing.)\n")
    for compiler in compilers:
        print(f"- {compiler}: {compiler_name(compiler)}")
    flags = ["-std=c++20", f"-I{ROOT / 'include'}"] + arguments.flags.split()
    print(f"- -O2 {arguments.flags}".rstrip() + " where nothing else is said\n")
    print("| program | " + " | ".join(f"{c} (s) | {c} (MB)" for c in compilers) + " |")
    print("|---|" + "---:|---:|" * len(compilers))
    for name, source, level in programs:
        cells = []
        for compiler in compilers:
            runs = [compile_once([compiler, level] + flags, source)
                    for _ in range(arguments.repeat)]
            cells += [f"{min(r[0] for r in runs):.2f}", f"{max(r[1] for r in runs):.0f}"]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
