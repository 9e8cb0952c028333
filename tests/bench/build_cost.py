#!/usr/bin/env python3
"""build_cost.py [--compiler C] [--examples] [WHAT...]: what building costs, in seconds of user time of one core.

The package is built and installed in build/cost and the project in build_cost/ on it, anew each time, one command at a time;
each compile is measured. WHAT: some of the rows only, by the words below; the package is then kept from the run before.
Every row stands beside the reference, a file that includes <xtensor/xtensor.hpp> and nothing else, measured in the same run:
other machines have other seconds, and much the same ratios. --examples: the wall time of examples/run.sh, in a copy.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COST = ROOT / "build/cost"
LOG = "RESIDUA_COST_LOG"

# word: what it is, the target before whose build the clock is not running, the target, the goal in seconds
ROWS = {
    "mlp": ("an MLP block in float", "mlp_generate", "mlp", 4.0),
    "gpt2": ("GPT-2's block in float", "gpt2_generate", "gpt2", 8.0),
    "stack": ("12 layers of GPT-2 in float", "gpt2_stack_generate", "gpt2_stack", None),  # at most twice one layer
    "program": ("a program that includes one kernel header", "mlp_generate", "program", 1.5),
}
GENERATOR_GOAL = 15.0
EXAMPLES_GOAL = 60.0


def compile_and_log(command):
    """What cmake puts before each compiler command: runs it and adds its user time to the log."""
    process = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(process, 0)
    with open(os.environ[LOG], "a") as log:
        log.write(f"{usage.ru_utime}\n")
    return os.waitstatus_to_exitcode(status)


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-3000:]}")


def configure(source, build, compiler, *options):
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={sys.executable};{Path(__file__).resolve()};--compile", *options)


def seconds_to_build(build, target):
    """User seconds of the compiles that the target still needs, and their number."""
    log = COST / "compiles.txt"
    log.write_text("")
    os.environ[LOG] = str(log)
    run("ninja", "-C", build, "-j1", target)
    times = [float(line) for line in log.read_text().split()]
    return sum(times), len(times)


def wall_of_examples():
    """Seconds of examples/run.sh in a copy of the tracked files."""
    with tempfile.TemporaryDirectory(prefix="residua_cost_") as folder:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True)
        for file in listed.stdout.splitlines():
            (Path(folder) / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, Path(folder) / file)
        start = time.monotonic()
        run(Path(folder) / "examples/run.sh")
        return time.monotonic() - start


def show(what, seconds, files, reference, goal):
    compiles = f"{files} file{'' if files == 1 else 's'}" if files else "wall"
    bound = f"goal {goal:4.1f}{'' if seconds <= goal else ', missed'}" if goal else ""
    print(f"{what:44} {seconds:6.2f} s {seconds / reference:5.1f} x  {compiles:9} {bound}".rstrip(), flush=True)


def main(options):
    words = options.what or ["generator", *ROWS]
    package, project = COST / "package", COST / "project"
    shutil.rmtree(project, ignore_errors=True)
    if "generator" in words:
        shutil.rmtree(package, ignore_errors=True)
    COST.mkdir(parents=True, exist_ok=True)
    configure(ROOT, package, options.compiler, "-DRESIDUA_TESTS=OFF", "-DRESIDUA_EXAMPLES=OFF")
    generator = seconds_to_build(package, "residua_codegen")
    runtime = seconds_to_build(package, "all")
    shutil.rmtree(COST / "prefix", ignore_errors=True)
    run("cmake", "--install", package, "--prefix", COST / "prefix")
    configure(ROOT / "tests/bench/build_cost", project, options.compiler, f"-DCMAKE_PREFIX_PATH={COST / 'prefix'}")

    reference, files = seconds_to_build(project, "reference")
    print(f"by {options.compiler}: user time, beside that of including <xtensor/xtensor.hpp>")
    show("the reference", reference, files, reference, None)
    if "generator" in words:
        show("the generator's library", *generator, reference, GENERATOR_GOAL)
        show("the rest of the package", *runtime, reference, None)
    measured = {}
    for word in [word for word in ROWS if word in words]:
        what, before, target, goal = ROWS[word]
        seconds_to_build(project, before)
        seconds, files = measured[word] = seconds_to_build(project, target)
        show(what, seconds, files, reference, 2 * measured["gpt2"][0] if word == "stack" and "gpt2" in measured else goal)
    if options.examples:
        show("examples/run.sh from a clone", wall_of_examples(), 0, reference, EXAMPLES_GOAL)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--compile"]:
        sys.exit(compile_and_log(sys.argv[2:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[[], "generator", *ROWS], metavar="WHAT", help=", ".join(["generator", *ROWS]))
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--examples", action="store_true")
    main(parser.parse_args())
