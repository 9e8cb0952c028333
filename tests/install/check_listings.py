#!/usr/bin/env python3
"""check_listings.py SOURCE: every code block of README.md and docs/ that names a file stands in that file, word for word.

A block names its file in the line before it: `<!-- tests/install/consumer/blocks.hpp -->`. Its paragraphs (parts between
blank lines) are looked for in the file, in order; so a listing may leave parts out but not differ.
"""
import re
import sys
from pathlib import Path


def main(source):
    wrong = []
    count = 0
    for page in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        for name, block in re.findall(r"<!-- ([\w./]+) -->\n```\w*\n(.*?)```", page.read_text(), re.S):
            count += 1
            text = (source / name).read_text()
            at = 0
            for paragraph in filter(None, (part.strip("\n") for part in re.split(r"\n\s*\n", block))):
                found = text.find(paragraph, at)
                if found < 0:
                    wrong.append(f"{page.name}: not in {name}, or not in this order:\n{paragraph}")
                    break
                at = found + len(paragraph)
    print(f"{count} listings, {len(wrong)} differ from their files")
    print("\n\n".join(wrong))
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
