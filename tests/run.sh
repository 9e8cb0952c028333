#!/usr/bin/env bash
# Installs what is missing, builds all tests and runs them. Works from any folder.
#   tests/run.sh                          g++, optimised: every test
#   tests/run.sh --clang                  the same programs by clang 19, without what g++ has tested
#   tests/run.sh --sanitize               g++ with the address and undefined-behaviour sanitizers, likewise
#   tests/run.sh --tsan                   g++ with the thread sanitizer: the tests that run kernels
#   tests/run.sh ... --seed N --blocks N  other random blocks than the usual ones
# It ends with the slowest targets and tests. The configurations are the presets of CMakePresets.json, in build/<preset>.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=gcc options=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --clang | --sanitize | --tsan) preset=${1#--} ;;
    --seed) options+=("-DRESIDUA_RANDOM_SEED=$2"); shift ;;
    --blocks) options+=("-DRESIDUA_RANDOM_BLOCKS=$2"); shift ;;
    *) sed -n '2,8s/^# \{0,1\}//p' "tests/run.sh" >&2; echo "tests/run.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done

.ci/install-packages for-tests
if [[ $preset == clang ]] && ! command -v clang++-19 >/dev/null; then
  echo "tests/run.sh: clang++-19 is not installed and no package was found" >&2
  exit 1
fi

build="build/$preset"
mkdir -p "$build"
echo "== configuring $build"
cmake --preset "$preset" ${options[@]+"${options[@]}"} >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
echo "== building (some minutes the first time)"
cmake --build --preset "$preset" >"$build/build.log" || { grep -A20 -E 'FAILED|error:' "$build/build.log" | head -60; exit 1; }
echo "== testing"
failed=0
ctest --preset "$preset" --output-junit tests.xml 2>&1 | tee "$build/ctest.log" | sed '/% tests passed,/,$d' || failed=1
python3 tests/slowest.py "$build"
sed -n '/% tests passed,/,$p' "$build/ctest.log"
exit "$failed"
