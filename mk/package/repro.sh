#!/usr/bin/env bash
# Builds the current commit twice, in two folders of other names and with another locale, time zone, file mode and number of jobs, and compares
# libraries, tools, the Python package and the Debian packages byte by byte.
#   SOURCE_DATE_EPOCH=SECONDS repro.sh BUILD
set -eu
mkdir -p "$1"
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
: "${SOURCE_DATE_EPOCH:?}"
unset MAKEFLAGS MAKELEVEL CFLAGS
into=$build/repro
first=$into/a second=$into/another-folder
rm -rf "$into"
mkdir -p "$first" "$second"
build_in() { # folder, make's arguments..
  git archive HEAD | tar x -C "$1"
  make -s -C "$1" "${@:2}" all python deb >"$1.log" 2>&1 || { tail -n 20 "$1.log"; exit 1; }
}
sums() { # folder
  (cd "$1/build" && find lib bin python deb -type f ! -name '*.d' ! -path '*/__pycache__/*' -exec sha256sum {} + | LC_ALL=C sort -k2)
}
build_in "$first"
(umask 027; export LC_ALL=C.UTF-8 TZ=Pacific/Kiritimati; build_in "$second" -j1)
sums "$first" >"$into/a.sums"
sums "$second" >"$into/b.sums"
count=$(wc -l <"$into/a.sums")
[ "$count" -gt 10 ]
diff "$into/a.sums" "$into/b.sums" || { echo "repro: these files differ"; exit 1; }
echo "repro: $count files have the same bytes"
