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
        lists.write_text(right.replace("blocks::post_norm SCALARS", "blocks::pre_norm SCALARS"))
        said = run("cmake", app, fails=True)
        require("residua: two blocks are called pre_norm; their headers would be one file" in " ".join(said.split()),
                "two blocks of one name stop the configuration")
        lists.write_text(right)

        sub = work / "subdirectory"
        run("cmake", "-S", work / "consumer", "-B", sub, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}",
            f"-DRESIDUA_SOURCE={source}")
        run("cmake", "--build", sub, "--target", "my_kernels_generate", "--parallel", "2")
        require((sub / "residua/my_kernels/pre_norm.hpp").exists(), "add_subdirectory generates as well")
        commands = run("ninja", "-C", sub, "-t", "commands", "my_app").splitlines()
        of_avx512 = [line for line in commands if ".avx512.cpp.o -c" in line or "avx512.cpp" in line.rsplit(" ", 1)[-1]]
        require(all("-mavx512f" in line for line in of_avx512),
                "and gives each instruction set its flags there")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    os.environ.pop("DESTDIR", None)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
