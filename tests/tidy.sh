#!/usr/bin/env bash
# Runs clang-tidy, with the checks of .clang-tidy, over the generator's sources and all headers they include.
#   tests/tidy.sh            every source (minutes)
#   tests/tidy.sh FILE...    these, as in tests/tidy.sh codegen/residua/codegen/driver.cpp
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v clang-tidy-19 >/dev/null; then
  echo "== tests/tidy.sh: nothing is checked, for there is no clang-tidy-19 (package clang-tidy-19)"
  exit 0
fi
[[ $# -gt 0 ]] || set -- $(git ls-files 'codegen/*.cpp')
cmake --preset release >/dev/null  # writes compile_commands.json
printf '%s\n' "$@" | xargs -P 2 -n 1 clang-tidy-19 -p build/release --quiet --warnings-as-errors='*' 2>/dev/null ||
  { echo "== tests/tidy.sh: not as .clang-tidy says"; exit 1; }
echo "== tests/tidy.sh: nothing to say about $# files"
