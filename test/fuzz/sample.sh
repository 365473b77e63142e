#!/usr/bin/env bash
# Runs the kept inputs of every fuzz target, and some changes of each from fixed seeds. Ends with
# `N passed, N failed, N skipped`, a target each; the input that ended a target stays in BUILD/fuzz.
#   test/fuzz/sample.sh BUILD [CHANGES]
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1") changes=${2-10}
source "$here/../suites/share.sh"
passed=0 failed=0
rm -rf "$build/fuzz/corpus" && mkdir -p "$build/fuzz/corpus"
tar -C "$build/fuzz/corpus" -xf "$here/corpus.tar.xz"
for harness in "$here"/*_fuzz.c; do
  name=$(basename "$harness" _fuzz.c) last=$build/fuzz/$(basename "$harness" _fuzz.c).last
  is_mine || continue
  if (cd "$build/fuzz" && "./$name" "$changes" "$last" "corpus/$name" >"$name.log" 2>&1); then
    passed=$((passed + 1))
    echo "$name: $(tail -n 1 "$build/fuzz/$name.log")"
    rm -f "$last"
  else
    failed=$((failed + 1))
    echo "FAIL $name: ended by $last: $(tail -n 20 "$build/fuzz/$name.log" | cut -c1-300)"
  fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
