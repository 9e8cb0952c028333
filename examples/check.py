#!/usr/bin/env python3
"""check.py EXPECTED COMMAND...: runs an example, prints what it prints and compares it with the file EXPECTED.

Text and whole numbers are equal, spaces aside; other numbers agree within two units of their last digit, or 1e-9 of their
size: instruction sets round differently. In EXPECTED, <number> and <word> stand for what depends on the machine. Ends with 1
where a line differs or the command fails."""
import re
import subprocess
import sys
from pathlib import Path

NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])"
TOKEN = re.compile(rf"<number>|<word>|{NUMBER}|[A-Za-z_]\w*|\S")


def agree(wanted, got):
    if wanted == got:
        return True
    if wanted == "<word>":
        return re.fullmatch(r"\w+", got) is not None
    if not re.fullmatch(NUMBER, got):
        return False
    if wanted == "<number>":
        return True
    if not re.fullmatch(NUMBER, wanted) or "." not in wanted:
        return False
    digits, _, power = wanted.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(float(wanted) - float(got)) <= max(2.001 * unit, 1e-9 * abs(float(wanted)))


def same(wanted, got):
    left, right = TOKEN.findall(wanted), TOKEN.findall(got)
    return len(left) == len(right) and all(map(agree, left, right))


def main(expected, command):
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    if process.returncode != 0:
        sys.exit(f"{Path(command[0]).name} ended with {process.returncode}")
    wanted = expected.read_text().splitlines()
    for at, (one, other) in enumerate(zip(wanted, lines), start=1):
        if not same(one, other):
            sys.exit(f"{expected}:{at}: expected\n{one}\nbut it printed\n{other}")
    if len(wanted) != len(lines):
        sys.exit(f"{expected}: has {len(wanted)} lines, but {len(lines)} were printed")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
