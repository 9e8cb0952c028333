#!/usr/bin/env bash
# Installs what is missing, builds all tests and runs them. Works from any folder.
#   tests/run.sh                          g++, optimised: every test
#   tests/run.sh --clang                  the same programs by clang 19, without what g++ has tested
#   tests/run.sh --sanitize               g++ with the address and undefined-behaviour sanitizers, likewise
#   tests/run.sh ... --seed N --blocks N  other random blocks than the usual ones
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

kind=gcc seed=1 blocks=""
while [[ $# -gt 0 ]]; do
  case "$1" in
    --clang) kind=clang ;;
    --sanitize) kind=sanitize ;;
    --seed) seed=$2; shift ;;
    --blocks) blocks=$2; shift ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; echo "tests/run.sh: '$1' is no option" >&2; exit 2 ;;
  esac
  shift
done

"$root/.ci/install-packages" for-tests
build="$root/build/tests-$kind"
options=(-DRESIDUA_RANDOM_SEED="$seed" -DRESIDUA_RANDOM_BLOCKS="${blocks:-$([[ $kind == gcc ]] && echo 200 || echo 25)}")
case "$kind" in
  gcc) options+=(-DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Release) ;;
  clang)
    command -v clang++-19 >/dev/null || { echo "tests/run.sh: clang++-19 is not installed and cannot be here" >&2; exit 1; }
    options+=(-DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Release -DRESIDUA_QUICK_TESTS=ON) ;;
  sanitize)
    options+=(-DCMAKE_CXX_COMPILER=g++ -DCMAKE_BUILD_TYPE=Debug -DRESIDUA_QUICK_TESTS=ON -DRESIDUA_OPENMP=OFF -DRESIDUA_INSTRUCTION_SETS=baseline
      -DRESIDUA_WARNINGS_AS_ERRORS=OFF  # g++ has false alarms of uninitialised variables with its sanitizers
      "-DCMAKE_CXX_FLAGS=-O1 -fsanitize=address,undefined -fno-sanitize-recover=all") ;;
esac

mkdir -p "$build"
echo "== configuring $build"
cmake -S "$root" -B "$build" -G Ninja -DRESIDUA_TESTS=ON -DRESIDUA_EXAMPLES=OFF "${options[@]}" >"$build/configure.log" 2>&1 ||
  { cat "$build/configure.log"; exit 1; }
echo "== building (several minutes the first time)"
cmake --build "$build" --parallel 2 >"$build/build.log" || { grep -A20 -E 'FAILED|error:' "$build/build.log" | head -60; exit 1; }
echo "== testing"
cd "$build" && ctest --parallel 2 --output-on-failure
