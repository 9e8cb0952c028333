#!/usr/bin/env python3
"""compile_cost.py [COMPILER...]: what the language costs to compile, in seconds of user time (the least of five runs):
including <residua/dsl.hpp> beyond an empty file, and chains of pre-norm sublayers written out by hand."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def chain(count):
    axes = ['axis<"B"> B', 'axis<"T"> T', 'axis<"d", 768> d', 'axis<"h", 3072> h']
    lines = ["#include <residua/dsl.hpp>", "namespace blocks {", "using namespace residua::dsl;"]
    lines += [f"inline constexpr {axis};" for axis in axes]
    for i in range(count):
        lines.append(f'inline constexpr auto N{i} = layer_norm<"N{i}">(d);')
        parts = 'linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d, with_bias)'
        lines.append(f'inline constexpr auto F{i} = branch<"F{i}">({parts});')
    lines.append('inline constexpr auto chain = block<"chain">(stream(B, T, d), [](auto x) {')
    lines += [f"  auto x{i + 1} = x{i or ''} + F{i}(N{i}(x{i or ''}));" for i in range(count)]
    lines += [f"  return x{count};", "});", "static_assert(identity_route(chain) == route::direct);", "}"]
    return "\n".join(lines) + "\n"


def seconds(compiler, text, folder):
    source = Path(folder) / "cost.cpp"
    source.write_text(text)
    best = float("inf")
    for _ in range(5):
        before = os.times().children_user
        subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT}/dsl", f"-I{ROOT}/include", source], check=True)
        best = min(best, os.times().children_user - before)
    return best


def main(compilers):
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            empty = seconds(compiler, "", folder)
            include = seconds(compiler, "#include <residua/dsl.hpp>\n", folder) - empty
            print(f"{compiler}: including the language {include:.2f} s")
            for count in (12, 24, 48, 96):
                print(f"{compiler}: {count} sublayers {seconds(compiler, chain(count), folder) - empty - include:.2f} s more")


if __name__ == "__main__":
    main(sys.argv[1:] or ["g++", "clang++-19"])
