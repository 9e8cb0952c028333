#!/usr/bin/env python3
"""check_table.py PROGRAM PAGE [--update]: the table that the program prints, against the part of the page between the lines
`<!-- begin PROGRAM -->` and `<!-- end PROGRAM -->`, as models_table.

A difference is shown as a diff and fails. With --update the part is replaced by what is printed now; look at the change with
git before you commit it.
"""
import difflib
import subprocess
import sys
from pathlib import Path


def main(program, page, update):
    begin, end = (f"<!-- {word} {Path(program).stem} -->\n" for word in ("begin", "end"))
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    before, found, rest = page.read_text().partition(begin)
    written, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f"{page.name} has no lines {begin.strip()} and {end.strip()}")
    if update:
        page.write_text(before + begin + printed + end + after)
        return 0
    difference = "".join(difflib.unified_diff(written.splitlines(True), printed.splitlines(True), page.name, "printed"))
    print(difference or f"{page.name}: the table is what the blocks say")
    return 1 if difference else 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    sys.exit(main(arguments[0], Path(arguments[1]), "--update" in sys.argv))
