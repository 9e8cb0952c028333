#!/usr/bin/env python3
"""run_case.py CASE SOURCE COMPILER [FLAG...]: compiles a case right and wrong and compares what the compiler says.

Right: nothing at all. Wrong: one error, whose text starts with `residua:`; every `//!` line of the case; at most 8 lines
(g++) or 12 (clang). With C++26's messages (a flag -std=c++2c) the phrases stand in the error's own sentence.
"""
import subprocess
import sys
from pathlib import Path


def main(case, source, compiler, flags):
    command = [compiler, *(flags or ["-std=c++20"]), "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", f"-I{source}/dsl", f"-I{source}/include"]
    clang = "clang" in compiler
    faults = []
    right = subprocess.run([*command, case], capture_output=True, text=True)
    if right.returncode != 0 or right.stderr:
        faults.append("the right program is not accepted in silence")
    wrong = subprocess.run([*command, "-DWRONG", case], capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"})
    lines = [line for line in wrong.stderr.splitlines() if not line.endswith("generated.")]
    errors = [line for line in lines if " error: " in line]
    if wrong.returncode == 0 or len(errors) != 1:
        faults.append(f"{len(errors)} errors, exit status {wrong.returncode}")
    elif "static assertion failed" not in errors[0] or ": residua: " not in errors[0]:
        faults.append("the error does not start with residua:")
    if len(lines) > (12 if clang else 8):
        faults.append(f"{len(lines)} lines")
    said = wrong.stderr.replace('\\"', '"')
    faults += [f"does not say: {line[4:]}" for line in case.read_text().splitlines() if line.startswith("//! ") and line[4:] not in said]
    if faults:
        print("\n".join(faults), right.stderr, wrong.stderr, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]))
