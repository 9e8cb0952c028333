#!/usr/bin/env python3
"""check_symbols.py OBJECT...: no function that the linker may share leaves an object compiled for one instruction set.

A weak symbol without the instruction set in its name could be taken for the whole program, and stop machines that lack it.
"""
import subprocess
import sys


def main(objects):
    loose = []
    for name in objects:
        listing = subprocess.run(["nm", "-C", "--defined-only", name], capture_output=True, text=True, check=True).stdout
        for line in listing.splitlines():
            _, kind, symbol = line.split(" ", 2)
            of_compiler = "__clang_call_terminate" in symbol or symbol.startswith("DW.ref")
            if kind in "WVu" and "xsimd::" not in symbol and not of_compiler:
                loose.append(f"{name}: {symbol}")
    print(f"{len(objects)} objects, {len(loose)} symbols without their instruction set")
    print("\n".join(loose))
    return 1 if loose or not objects else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
