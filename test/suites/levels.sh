#!/usr/bin/env bash
# Runs recordings with code for each level of x86-64 in turn (pir-run --target), then with all that this processor has.
#   test/suites/levels.sh BUILD [RECORDED]
# A share of the recordings a level, different ones; LEVELS=all in the environment: all of them on each. What this
# processor lacks is a named skip. Ends with `N passed, N failed, N skipped`.
set -u
build=$1 recorded=${2:-$1/recorded}
here=$(cd "$(dirname "$0")/.." && pwd)
source "$here/suites/share.sh"
levels=(x86-64 x86-64-v2 x86-64-v3 x86-64-v4)
this=$("$build/bin/pir-run" --version | sed -n 's/.*this processor: //p')
best=${this%%,*}
total=(0 0 0)
lacks() { is_mine || return; echo "skip levels $1: not run, this processor lacks it"; total[2]=$((total[2] + 1)); }
run() { # target, kinds, which, share: adds up the last line of recorded.py
  local out counts
  is_mine || return
  [ "${LEVELS-}" = all ] && set -- "$1" "$2" "$3" 0/1
  out=$(python3 "$here/recorded/recorded.py" --bin "$build/bin" --target "$1" --only "$2" --match "$3" --share "$4" ${LIMIT-} "$recorded")
  echo "$out" | grep '^FAIL'
  counts=($(echo "$out" | tail -n 1 | tr -dc '0-9 '))
  echo "-- $1, $2: ${counts[0]:-0} pass, ${counts[1]:-1} fail, ${counts[2]:-0} skip"
  for i in 0 1 2; do total[i]=$((total[i] + ${counts[i]:-1})); done
}
has=1
for i in 0 1 2 3 4; do
  target=${levels[i]:-native}
  case $best,$target in *,native) ;; x86-64*) [ $has = 1 ] || { lacks "$target"; continue; } ;; *) lacks "$target"; continue ;; esac
  [ "$target" = "$best" ] && has=0
  run "$target" numbers 'compile' "$i/15"
  run "$target" small . "$((7 * i))/60"
done
for extra in "products of bf16:products of bf16 (AVX-512)" ", of bytes:products of bytes (VNNI)" \
  "tiles of bf16:tiles of bf16 (AMX)" "tiles of bytes:tiles of bytes (AMX)"; do
  case $this in *"${extra%%:*}"*) ;; *) lacks "${extra##*:}" ;; esac
done
echo "${total[0]} passed, ${total[1]} failed, ${total[2]} skipped"
[ "${total[1]}" = 0 ]
