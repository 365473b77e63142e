#!/usr/bin/env bash
# Says where recordings are: RECORDED, or where the archives of test/recorded were unpacked.
#   test/recordings.sh BUILD [RECORDED]
set -eu
[ -z "${2-}" ] || { echo "$2"; exit; }
to=$1/recorded
for a in "$(dirname "$0")"/recorded/archives/{,more/}*.tar.xz; do
  [ -f "$a" ] || continue
  [ -e "$to/.$(basename "$a")" ] && [ ! "$a" -nt "$to/.$(basename "$a")" ] && continue
  mkdir -p "$to" && tar -C "$to" -xf "$a" && touch "$to/.$(basename "$a")"
done
echo "$to"
