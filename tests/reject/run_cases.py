#!/usr/bin/env python3
"""run_cases.py COMPILER [--standard S] [--jobs N] [--plain] [CASE...]: compiles the cases of this folder right and wrong and
compares what the compiler says. All of them, or those named, as in

    tests/reject/run_cases.py g++ name_taken no_axis

Right: nothing at all. Wrong: one error, whose text starts with `residua:`; every `//!` line of the case; at most 8 lines
(g++) or 12 (clang). With C++26's messages (--standard c++2c, clang) the phrases stand in the error's own sentence.

The right programs are compiled in a few files, each program in a namespace of its own; where one of these files is not
accepted in silence, its programs are compiled one by one. --plain: without a precompiled header, each program alone.
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

from compiling import Compiler, Precompiled, fault_of, in_parallel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BATCH = 37  # programs in a file: some four files, enough for every core
COMPARED = 50  # one case of so many is compiled without the precompiled header too, with the same result


def text_of(cases):
    """A program that is all these, right. What they include comes first, outside the namespaces."""
    texts = [case.read_text() for case in cases]
    system = sorted({line for text in texts for line in re.findall(r"^#include <.*", text, re.M)})
    lines = [f'#include "{HERE}/common.hpp"', *system]
    for case, text in zip(cases, texts):
        # Not included: of what stands in a header compilers do not say that it is unused.
        lines += [f"namespace {case.stem} {{", f'#line 1 "{case}"', re.sub(r"^#include .*", "", text, flags=re.M), "}"]
    return "\n".join([*lines, ""])


def faults_when_right(compiler, cases, jobs, alone):
    """Case and what it says, for each that is not accepted in silence."""
    def say(case):
        status, lines = compiler.say(case)
        return [(case, "the right program is not accepted in silence", lines)] if status or lines else []

    suspects = cases
    if not alone:
        with tempfile.TemporaryDirectory(prefix="residua_right_") as folder:
            batches = [cases[i:i + BATCH] for i in range(0, len(cases), BATCH)]
            files = [Path(folder) / f"right_{i}.cpp" for i in range(len(batches))]
            for file, batch in zip(files, batches):
                file.write_text(text_of(batch))
            said = in_parallel(jobs, compiler.say, files)
        suspects = [case for batch, (status, lines) in zip(batches, said) if status or lines for case in batch]
    faults = sum(in_parallel(jobs, say, suspects), [])
    if suspects and not faults and not alone:  # silent alone: what they say together is a fault nevertheless
        faults = [(suspects[0], "with others in one file is not accepted", lines) for status, lines in said if status or lines]
    return faults


def without_chain(lines):
    """What a compiler says, without which file included which."""
    return [line for line in lines if not re.match(r"In file included from |\s+from ", line)]


def faults_when_wrong(compiler, cases, jobs):
    """Case, fault and what the compiler says, for each wrong program that does not get its message."""
    def faults(numbered):
        number, case = numbered
        status, lines = compiler.say(case, "-DWRONG")
        found = [fault_of(status, lines, compiler.most_lines)]
        said = "\n".join(lines).replace('\\"', '"')
        expected = [line[4:] for line in case.read_text().splitlines() if line.startswith("//! ")]
        found += [f"does not say: {text}" for text in expected if text not in said]
        if number % COMPARED == 0 and isinstance(compiler, Precompiled):
            plain = compiler.plain.say(case, "-DWRONG")[1]
            if without_chain(plain) != without_chain(lines) or len(plain) != len(lines):
                found.append("says something else without the precompiled header:\n" + "\n".join(plain))
        return [(case, "\n".join(each for each in found if each), lines)] if any(found) else []

    return sum(in_parallel(jobs, faults, enumerate(cases)), [])


def main(options):
    every = sorted(HERE.glob("*.cpp"))
    unknown = set(options.case) - {case.stem for case in every}
    if unknown or not every:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    cases = [case for case in every if not options.case or case.stem in options.case]
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow"]
    command = [options.compiler, f"-std={options.standard}", *warnings, f"-I{ROOT}/dsl", f"-I{ROOT}/include"]

    def run(compiler):
        return faults_when_right(compiler, cases, options.jobs, options.plain) + faults_when_wrong(compiler, cases, options.jobs)

    if options.plain or len(cases) < 5:
        faults = run(Compiler(command))
    else:
        with Precompiled(command, HERE / "common.hpp") as compiler:
            faults = run(compiler)
    for case, fault, lines in faults:
        print(f"{case.stem}: {fault}\n  " + "\n  ".join(lines[:40]))
    names = sorted({case.stem for case, _, _ in faults})
    print("\n  ".join([f"{len(cases)} cases, {len(names)} not as they should be by {options.compiler}", *names]))
    return 1 if faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("case", nargs="*")
    parser.add_argument("--standard", default="c++20")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--plain", action="store_true")
    sys.exit(main(parser.parse_intermixed_args()))
