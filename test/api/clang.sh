#!/usr/bin/env bash
# Clang builds what gcc builds, with the same warnings as errors, and the result classifies the shipped digits.
#   clang.sh BUILD
set -eu
case $1 in *san*) exit 0 ;; esac  # a sanitized build is a check of gcc's code alone
cd "$(dirname "$0")/../.."
build=$1-clang
unset MAKEFLAGS  # those of the make that runs the tests name a job server that is not open here
make -s CC=clang-19 CFLAGS=-O1 B="$build" all "$build/bin/digits"
"$build/bin/digits" test/models/digits_cnn | tee "$build/digits.txt"
[ "$(grep -c '64 images, 100.0 % right' "$build/digits.txt")" = 2 ]
