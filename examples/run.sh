#!/usr/bin/env bash
# Installs what is missing, builds, generates the kernels and runs the examples. Works from any folder.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build/examples"

"$root/.ci/install-packages"
echo "== configuring $build"
cd "$root"
cmake --preset examples >/dev/null
echo "== building and generating (a few minutes the first time)"
cmake --build --preset examples >"$build/build.log" || { cat "$build/build.log"; exit 1; }
echo "== running examples/01_norm_placement"
"$build/examples/01_norm_placement/01_norm_placement" "$root/examples/01_norm_placement/data"
echo "== running examples/02_gpt2_block"
"$build/examples/02_gpt2_block/02_gpt2_block" "$build/examples/02_gpt2_block/weights"
