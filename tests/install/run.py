#!/usr/bin/env python3
"""run.py BUILD SOURCE CXX: installs BUILD, builds and runs the consumer project on it, and tries what a user's build does:
regenerate when the header changes, do nothing when it does not, fail with the generator's message, add_subdirectory."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, fails=False):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout + done.stderr


def require(condition, what):
    if not condition:
        sys.exit("install test: " + what)
    print("ok:", what)


def given(old, new):
    return lambda text: text.replace(old, new)


# What a call is changed to, and the one message that it then gets.
CALL = "residua: residua_add_kernels(my_kernels): "
NO_NAMESPACE = "residua: residua_add_kernels({0}): '{0}' becomes a C++ namespace"
WRONG_CALLS = [
    (given("blocks::post_norm SCALARS", "blocks::pre_norm SCALARS"),
     "residua: two blocks are called pre_norm; their headers would be one file"),
    (given("SCALARS float double", "SCALAR float"),
     CALL + "'SCALAR' is no keyword; they are HEADER, BLOCKS, SCALARS and INSTRUCTION_SETS"),
    (given("SCALARS float double", "SCALARS half"), CALL + "SCALARS has 'half', but there are float, double"),
    (given("SCALARS float double", "SCALARS float float"), CALL + "SCALARS repeats a name: float float"),
    (given("SCALARS float double", "INSTRUCTION_SETS avx51"),
     CALL + "INSTRUCTION_SETS has 'avx51', but there are baseline"),
    (given("SCALARS float double", "INSTRUCTION_SETS avx2 avx2"), CALL + "INSTRUCTION_SETS repeats a name: avx2 avx2"),
    (given("HEADER blocks.hpp", "HEADER block.hpp"), CALL + "there is no header "),
    (given("blocks::post_norm SCALARS", "blocks::wide<16> SCALARS"),
     CALL + "'wide<16>' becomes a C++ namespace and a file, so it must be a short identifier, and not std or residua"),
    (given("blocks::post_norm SCALARS", "blocks::errno SCALARS"),
     CALL + "'errno' becomes a C++ namespace, and the compiler takes it for something else"),
    (given("my_kernels", "float"), NO_NAMESPACE.format("float") + ", and the compiler takes it for something else"),
    (given("my_kernels", "linux"), NO_NAMESPACE.format("linux") + ", and the compiler takes it for something else"),
    (given("my_kernels", "std"), NO_NAMESPACE.format("std") + " and a file, so it must be a short identifier"),
]


def main(build, source, compiler):
    work = Path(tempfile.mkdtemp(prefix="residua_install_"))
    try:
        run("cmake", "--install", build, "--prefix", work / "prefix")
        shutil.copytree(source / "tests/install/consumer", work / "consumer")
        app = work / "build"
        run("cmake", "-S", work / "consumer", "-B", app, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wconversion -Werror")
        run("cmake", "--build", app, "--parallel", "2")
        require("the installed package works" in run(app / "my_app"),
                "a project that finds the installed package builds and runs")

        shutil.copytree(source / "tests/install/runner", work / "runner")
        tool = work / "tool"
        run("cmake", "-S", work / "runner", "-B", tool, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wconversion -Werror")
        run("cmake", "--build", tool)
        require("the installed runner works" in run(tool / "my_tool"), "a block runs without being compiled")

        generated = app / "residua/my_kernels"
        before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in generated.iterdir()}
        require("no work to do" in run("cmake", "--build", app), "a second build does nothing")
        header = work / "consumer/blocks.hpp"
        header.write_text(header.read_text() + "// a comment\n")
        run("cmake", "--build", app, "--target", "my_kernels_generate")
        require(all(file.stat().st_mtime_ns == stamp for file, (stamp, _) in before.items()),
                "a change that changes no block leaves the sources alone")
        header.write_text(header.read_text().replace("x + F(N(x))", "x - F(N(x))").replace('"I + J_F J_N"', '"I - J_F J_N"'))
        run("cmake", "--build", app, "--target", "my_kernels_generate")
        changed = {file.name for file, (_, content) in before.items() if file.read_bytes() != content}
        require(changed and all(name.startswith("pre_norm") for name in changed),
                "a changed block is generated again, and only that one")

        written = {file: file.read_bytes() for file in generated.iterdir()}
        right = header.read_text()
        header.write_text(right.replace("N(x + F(x))", 'x + linear<"load">(d, d)(x)').replace("J_N (I + J_F)", "I + J_load"))
        said = run("cmake", "--build", app, "--target", "my_kernels_generate", fails=True)
        require('residua: an operation may not be called "load"' in said, "a failing generator fails the build with its message")
        require(written == {file: file.read_bytes() for file in generated.iterdir()}, "and writes nothing")
        header.write_text(right)

        lists = work / "consumer/CMakeLists.txt"
        right = lists.read_text()
        for wrong, message in WRONG_CALLS:
            lists.write_text(wrong(right))
            said = " ".join(run("cmake", app, fails=True).split())
            require(message in said and said.count("residua:") == 1, f"refused: {message}")
        lists.write_text(right)

        sub = work / "subdirectory"
        run("cmake", "-S", work / "consumer", "-B", sub, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DRESIDUA_SOURCE={source}")
        run("cmake", "--build", sub, "--target", "my_kernels_generate", "--parallel", "2")
        require((sub / "residua/my_kernels/pre_norm.hpp").exists(), "add_subdirectory generates as well")
        commands = run("ninja", "-C", sub, "-t", "commands", "my_app").splitlines()
        wide = {line.split()[-1] for line in commands if "-mavx512f" in line}
        require(len(wide) == 1 and wide.pop().endswith("rt/lib/avx512.cpp"),
                "and gives an instruction set's flags to its kernels alone")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    os.environ.pop("DESTDIR", None)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
