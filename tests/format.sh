#!/usr/bin/env bash
# Checks that every file is laid out as .clang-format and .editorconfig say, by the one version of clang-format that decides.
#   tests/format.sh          says what differs, and fails
#   tests/format.sh --fix    lays out C++ files; lines that are too long elsewhere are for you to break
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=19.1 columns=160  # of scripts; those of C++ are clang-format's

fix=0
case "${1:-}" in
  "") ;;
  --fix) fix=1 ;;
  *) sed -n '2,4s/^# \{0,1\}//p' tests/format.sh >&2; echo "tests/format.sh: unknown option '$1'" >&2; exit 2 ;;
esac

failed=0
# The generator's expected text is the generator's, and what the pages quote to the letter stands as it reads best there.
mapfile -t sources < <(git ls-files '*.hpp' '*.cpp' ':!tests/golden/expected' ':!tests/reject' ':!tests/install' ':!tests/static' \
  ':!tests/numeric/*_blocks.hpp')
if ! clang-format-19 --version 2>/dev/null | grep -q "version $version\."; then
  echo "== tests/format.sh: C++ is not checked, for there is no clang-format $version (package clang-format-19)"
elif [[ $fix -eq 1 ]]; then
  clang-format-19 -i "${sources[@]}"
else
  clang-format-19 --dry-run -Werror "${sources[@]}" 2>&1 | grep ' error: ' | cut -d: -f1 | sort | uniq -c |
    while read -r count file; do echo "$file: $count places that clang-format would change"; done | grep . && failed=1
fi

mapfile -t others < <(git ls-files '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' .ci)
# Python is exempt from the number of columns: its long lines are programs that tests are made of.
awk -v columns=$columns 'length($0) > columns && FILENAME !~ /\.py$/ { print FILENAME ":" FNR ": " length($0) " columns"; bad = 1 }
  /[ \t]$/ { print FILENAME ":" FNR ": ends in a space"; bad = 1 } END { exit bad }' "${others[@]}" || failed=1
[[ $failed -eq 0 ]] && echo "== ${#sources[@]} C++ files and ${#others[@]} others are laid out as they should be"
exit $failed
