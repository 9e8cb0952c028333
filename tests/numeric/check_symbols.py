#!/usr/bin/env python3
"""check_symbols.py --set NAME OBJECT... --set NAME OBJECT...: no function that the linker may share between instruction sets.

A weak symbol is taken once for the whole program. One that objects of two instruction sets have under the same name, or that
does not name its instruction set at all, could stop machines that lack the set it was taken from.
"""
import subprocess
import sys

# The compilers' own, which hold no instructions of a set.
OF_COMPILERS = ("__clang_call_terminate", "DW.ref.")


def weak_symbols(path):
    listing = subprocess.run(["nm", "-C", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    symbols = (line.split(" ", 2)[1:] for line in listing.splitlines())
    return {name for kind, name in symbols if kind in "WVu" and not name.startswith(OF_COMPILERS)}


def names_its_set(symbol):
    return "xsimd::" in symbol or "functions_for<(residua::rt::instruction_set)" in symbol


def main(arguments):
    objects, name = {}, ""
    for argument in arguments:
        if argument == "--set":
            name = None
        elif name is None:
            name = argument
            objects.setdefault(name, [])
        elif name:
            objects[name].append(argument)
    if len(objects) < 2 or not all(objects.values()):
        sys.exit(__doc__)
    faults = []
    seen = {}
    for set_name, paths in objects.items():
        for symbol in sorted(set().union(*map(weak_symbols, paths))):
            if set_name != "baseline" and not names_its_set(symbol):
                faults.append(f"{set_name}: names no instruction set: {symbol}")
            if symbol in seen:
                faults.append(f"{seen[symbol]} and {set_name} share {symbol}")
            seen[symbol] = set_name
    print(f"{len(seen)} symbols of {', '.join(objects)}, {len(faults)} that could be shared")
    print("\n".join(faults))
    return 1 if faults or not seen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
