#!/usr/bin/env python3
"""check_docs.py SOURCE: docs/errors.md and the wrong programs say the same.

Every mistake has one sentence in <residua/dsl.hpp>. Every sentence is a heading of the page, and no other is; every case stands below the heading of its
sentence, with the code that is compiled when WRONG is defined, and with all that it must say.
"""
import re
import sys
from pathlib import Path


def program(case):
    """The wrong program as the page shows it: without what is common to all, and without the right one."""
    text = "\n".join(line for line in case.read_text().split("\n") if not line.startswith("//!") and line != '#include "common.hpp"')
    text = re.sub(r"#else\n.*?#endif\n", "\n", text, flags=re.S)
    text = re.sub(r"#(ifdef WRONG|endif)\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def enumerators(header):
    """The kinds of mistakes."""
    body = re.search(r"enum class mistake \{(.*?)\};", header, re.S)[1]
    return set(re.findall(r"^  (\w+),", body, re.M))


def main(source):
    faults = []
    umbrella = (source / "include/residua/dsl.hpp").read_text()
    said = re.findall(r'RESIDUA_MISTAKE\((\w+)\) \{\s*static_assert\([^"]*RESIDUA_SENTENCE\("((?:[^"\\]|\\.)*)"\)\); \};', umbrella)
    sentences = [text.replace('\\"', '"') for _, text in said]
    kinds = enumerators((source / "dsl/residua/dsl/report/mistake.hpp").read_text()) - {"none", "already_reported"}
    faults += [f"not a sentence each: {each}" for each in sorted(kinds ^ {kind for kind, _ in said})]
    faults += [] if len(said) == len(kinds) == umbrella.count("RESIDUA_SENTENCE(\"") else ["a sentence is said twice, or not seen here"]
    sections = dict(re.findall(r"^## residua: (.*?)\n(.*?)(?=^## )", (source / "docs/errors.md").read_text(), re.S | re.M))
    faults += [f"no heading: {each}" for each in sentences if each not in sections]
    faults += [f"no such message: {each}" for each in sections if each not in sentences]
    cases = sorted((source / "tests/reject").glob("*.cpp"))
    for case in cases:
        said = [line[4:].strip() for line in case.read_text().split("\n") if line.startswith("//! ")]
        section = sections.get(said[0].removeprefix("residua: "), "")
        entry = f"<!-- tests/reject/{case.name} -->\n```cpp\n{program(case)}\n```\n\nsays " + ", ".join(f"`{each}`" for each in said[1:]) + ".\n"
        if entry not in section:
            faults.append(f"not in docs/errors.md below its heading, or not so:\n{entry}")
    print(f"{len(sentences)} messages, {len(cases)} programs, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults or not cases else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
