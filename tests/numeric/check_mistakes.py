#!/usr/bin/env python3
"""check_mistakes.py SEED COUNT FOLDER COMPILER...: compiles what random_mistakes.py writes in FOLDER.

COMPILER... is a command without the file, as in `g++ -std=c++20 -Idsl -Iinclude`. Each program must be rejected with
one error, which says `residua:` and its expected sentence, in at most 8 lines (12 for clang).
"""
import sys
from pathlib import Path

import random_mistakes

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/reject"))
from compiling import Precompiled, fault_of, in_parallel

JOBS = 2


def main(folder, command):
    cases = [line.split("\t") for line in (folder / "expected.txt").read_text().splitlines()]
    with Precompiled(command, ROOT / "include/residua/dsl.hpp") as compiler:
        said = in_parallel(JOBS, lambda case: compiler.say(folder / case[0]), cases)
    wrong = 0
    for (name, kind, sentence), (status, lines) in zip(cases, said):
        fault = fault_of(status, lines, compiler.most_lines)
        if not fault and not any(" error: " in line and "residua: " + sentence in line for line in lines):
            fault = f"does not say: {sentence}"
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
