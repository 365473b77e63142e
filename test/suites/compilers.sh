#!/usr/bin/env bash
# Builds everything with the compiler that did not make BUILD (clang or gcc), warnings as errors,
# and runs the text tests of the IR with those tools.
#   compilers.sh BUILD LLVM
set -u
build=$1 llvm=$2
here=$(cd "$(dirname "$0")" && pwd)
other=clang-19
case ${CC:-gcc} in *clang*) other=gcc ;; esac
# It is compiled to be checked, not to be fast.
if ! make -s -C "$here/../.." B="$(realpath -m "$build")/other" HOST="$(realpath "$build")" CC="$other" CFLAGS=-O0 tests; then
  echo "FAIL $other: does not build"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
if ! python3 "$llvm/build/utils/lit/lit.py" -q --no-progress-bar --param bin="$(realpath "$build")/other/bin" --param llvm="$llvm" "$here/../ir"; then
  echo "FAIL $other: text tests of the IR"
  echo "1 passed, 1 failed, 0 skipped"
  exit 1
fi
echo "2 passed, 0 failed, 0 skipped"
