#!/usr/bin/env python3
"""slowest.py BUILD [COUNT]: what took longest in a build folder, ten of each where no count is given: targets, as ninja
logged them when each was last built, and tests of the last run with `--output-junit tests.xml`. Seconds of wall time."""
import re
import sys
import xml.etree.ElementTree
from pathlib import Path


def built(log):
    """Seconds and name of each command that ninja ran; the outputs of one command are one."""
    commands = {}
    for line in log.read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        commands[output] = (int(start), int(end))  # a later line is a later build
    named = {times: output for output, times in reversed(commands.items())}
    names = {times: re.sub(r"CMakeFiles/([^/]*)\.dir/", r"\1: ", output) for times, output in named.items()}
    return [((end - start) / 1000, name) for (start, end), name in names.items()]


def run(junit):
    """Seconds and name of each test."""
    cases = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
    return [(float(case.get("time")), case.get("name")) for case in cases]


def main(build, count):
    for what, file, read in (("targets", ".ninja_log", built), ("tests", "tests.xml", run)):
        if not (build / file).exists():
            print(f"== no {build / file}: no list of the slowest {what}")
            continue
        times = sorted(read(build / file), reverse=True)
        print(f"== the slowest of {len(times)} {what}, which take {sum(seconds for seconds, _ in times):.0f} s in all")
        for seconds, name in times[:count]:
            print(f"{seconds:7.1f} s  {name}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 10)
