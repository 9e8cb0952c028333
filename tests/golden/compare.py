#!/usr/bin/env python3
"""compare.py GENERATOR EXPECTED [--update]: what the generator writes for blocks.hpp, against the files in EXPECTED.

A difference is shown as a diff and fails. With --update the files are replaced by what is written now; look at the change
with git before you commit it.
"""
import difflib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def main(generator, expected, update):
    with tempfile.TemporaryDirectory() as folder:
        options = ["--library", "golden", "--output", folder, "--scalars", "float", "--instruction-sets", "baseline", "avx2"]
        subprocess.run([generator, *options], check=True)
        written = Path(folder) / "golden"
        if update:
            shutil.rmtree(expected, ignore_errors=True)
            shutil.copytree(written, expected)
            return 0
        names = sorted({file.name for file in written.iterdir()} | {file.name for file in expected.iterdir()})
        different = []
        for name in names:
            files = (expected / name, written / name)
            old, new = ((file.read_text() if file.exists() else "").splitlines(True) for file in files)
            if old != new:
                different.append("".join(difflib.unified_diff(old, new, f"expected/{name}", f"written/{name}")))
        print(f"{len(names)} files, {len(different)} differ")
        print("\n".join(different))
        return 1 if different else 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    sys.exit(main(arguments[0], Path(arguments[1]), "--update" in sys.argv))
