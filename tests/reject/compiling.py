"""How the wrong programs are compiled: the header that all of them include once, the programs in parallel.

A precompiled header changes nothing that a compiler says but the first lines of the chain `In file included from`, which
then name it instead of the program; their number stays. run_cases.py compares both ways.
"""
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Compiler:
    """A compiler's command, as in `g++ -std=c++20 -Idsl -Iinclude`, which looks at a program without writing anything."""

    def __init__(self, command):
        self.command = [*command, "-fsyntax-only"]
        self.is_clang = "clang" in command[0]
        self.most_lines = 12 if self.is_clang else 8

    def say(self, program, *flags):
        """The exit status, and what the compiler says: its lines, without clang's `1 error generated.`"""
        command = [*self.command, *flags, str(program)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        return done.returncode, [line for line in done.stderr.splitlines() if not line.endswith("generated.")]


class Precompiled(Compiler):
    """The same with a header that is compiled once. A context: the header is gone when it ends."""

    def __init__(self, command, header):
        super().__init__(command)
        self.plain = Compiler(command)
        self.folder = tempfile.TemporaryDirectory(prefix="residua_header_")
        folder = Path(self.folder.name)
        if self.is_clang:
            self.compile_header(command, header, folder / "header.pch")
            self.command += ["-include-pch", str(folder / "header.pch")]
        else:
            # g++ leaves out the line of the file that includes the precompiled one: here that of a file in between.
            (folder / "header.hpp").write_text(f'#include "{header}"\n')
            self.compile_header(command, folder / "header.hpp", folder / "header.hpp.gch")
            self.command += ["-Winvalid-pch", "-include", str(folder / "header.hpp")]

    def compile_header(self, command, header, result):
        done = subprocess.run([*command, "-x", "c++-header", str(header), "-o", str(result)], capture_output=True, text=True)
        if done.returncode != 0 or done.stderr:
            raise SystemExit(f"{header} is not accepted in silence:\n{done.stderr}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


def fault_of(status, lines, most_lines):
    """What is wrong with the message of a wrong program, whatever it says, or nothing."""
    errors = [line for line in lines if " error: " in line]
    if status == 0:
        return "was accepted"
    if len(errors) != 1:
        return f"has {len(errors)} errors"
    if ": residua: " not in errors[0] or "static assertion failed" not in errors[0]:
        return "has an error that does not start with residua:"
    if len(lines) > most_lines:
        return f"takes {len(lines)} lines"
    return None


def in_parallel(jobs, function, items):
    """The function's results in the order of the items."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))
