#!/usr/bin/env python3
"""check_mistakes.py SEED COUNT FOLDER COMPILER...: compiles what random_mistakes.py writes in FOLDER.

COMPILER... is a command without the file, as in `g++ -std=c++20 -Idsl -Iinclude`. Each program must be rejected with
one error, which says `residua:` and its expected sentence, in at most 8 lines (12 for clang).
"""
import subprocess
import sys
from pathlib import Path

import random_mistakes


def fault_of(compiler, program, sentence, most_lines):
    """What is wrong with the messages about one program, or nothing."""
    done = subprocess.run([*compiler, "-fsyntax-only", str(program)], capture_output=True, text=True)
    lines = done.stderr.splitlines()
    errors = [line for line in lines if " error: " in line]
    if done.returncode == 0:
        return "was accepted", lines
    if len(errors) != 1:
        return f"has {len(errors)} errors", lines
    if "residua: " + sentence not in errors[0]:
        return f"does not say: {sentence}", lines
    said = [line for line in lines if not line.endswith("generated.")]
    if len(said) > most_lines:
        return f"takes {len(said)} lines", lines
    return None, lines


def main(folder, compiler):
    wrong = 0
    cases = [line.split("\t") for line in (folder / "expected.txt").read_text().splitlines()]
    for name, kind, sentence in cases:
        fault, lines = fault_of(compiler, folder / name, sentence, 12 if "clang" in compiler[0] else 8)
        if fault:
            wrong += 1
            print(f"{folder / name} ({kind}) {fault}:\n  " + "\n  ".join(lines[:20]))
    print(f"{len(cases) - wrong} of {len(cases)} programs rejected as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    random_mistakes.main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    sys.exit(main(Path(sys.argv[3]), sys.argv[4:]))
