#!/usr/bin/env bash
# Installs what is missing, builds, generates the kernels and runs the examples, whose output must be the expected one. Works
# from any folder.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/examples"

"$root/.ci/install-packages"
echo "== configuring $build"
cd "$root"
cmake --preset examples >/dev/null
echo "== building and generating (a minute the first time)"
cmake --build --preset examples >"$build/build.log" || { cat "$build/build.log"; exit 1; }
run() {
  echo "== running examples/$1"
  python3 "$root/examples/check.py" "$root/examples/$1/expected.txt" "$build/examples/$1/$1" "$2"
}
run 01_norm_placement "$root/examples/01_norm_placement/data"
run 02_gpt2_block "$build/examples/02_gpt2_block/weights"
run 03_depth_laws "$build/examples/03_depth_laws"
