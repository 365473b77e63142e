#!/usr/bin/env bash
# Runs recordings with tensors between pages that cannot be accessed (pir-run --guard-pages), and with outputs in the
# memory of inputs (--overlap): an access outside of a tensor ends the process, and numbers are as recorded.
#   test/suites/memory.sh BUILD [RECORDED] [guard|overlap]
# A share of the recordings, about a minute; MEMORY=all in the environment: all of them, for each level of x86-64 that
# this processor has. Groups are compiled however small. Ends with `N passed, N failed, N skipped`.
set -u
build=$1 recorded=${2:-$1/recorded} which=${3:-guard overlap}
here=$(cd "$(dirname "$0")/.." && pwd)
source "$here/suites/share.sh"
every='--with=--pipeline=ungrouped,group{few=0},dce,bind'
# Its sum of four doubles has another order in code than in the kernel: 1 ulp, where the recorded class allows none.
ops='(?<!p_norm/p2_float64) compile$'
total=(0 0 0) next=0
run() { # what, recorded.py's kinds, which, of how many one, options
  local what=$1 kinds=$2 match=$3 share=$4 out counts
  shift 4
  next=$((next + 1))
  is_mine || return
  if [ "${MEMORY-}" = all ]; then share=0/1; else share=$((next * 7 % share))/$share; fi
  out=$(python3 "$here/recorded/recorded.py" --bin "$build/bin" --only "$kinds" --match "$match" --share "$share" "$@" "$recorded")
  echo "$out" | grep '^FAIL'
  counts=($(echo "$out" | tail -n 1 | tr -dc '0-9 '))
  echo "-- $what, $kinds: ${counts[0]:-0} pass, ${counts[1]:-1} fail, ${counts[2]:-0} skip"
  for i in 0 1 2; do total[i]=$((total[i] + ${counts[i]:-1})); done
}
levels() { # of x86-64 that the processor has, below all that it has
  local best level
  best=$("$build/bin/pir-run" --version | sed -n 's/.*this processor: \([^, ]*\).*/\1/p')
  case $best in x86-64*) ;; *) return ;; esac
  for level in x86-64 x86-64-v2 x86-64-v3 x86-64-v4; do
    echo "$level"
    [ "$level" != "$best" ] || return
  done
}
guard() { # begin or end
  run "kernels, guarded $1" ops,grads ' kernels$' 160 "--with=--guard-pages=$1"
  run "kernels, guarded $1" numbers,nets 'model.json.* kernels 1t' 60 "--with=--guard-pages=$1"
  for target in native $(levels); do
    run "$target, guarded $1" ops,grads "$ops" 200 --target "$target" "--with=--guard-pages=$1" "$every"
    run "$target, guarded $1" numbers,nets 'model.json.* compile 1t' 80 --target "$target" "--with=--guard-pages=$1" --with=--cache=none
  done
}
overlap() { # whole, part or shifted
  run "overlapping, $1" ops,grads "kernels$" 200 "--with=--overlap=$1"
  run "overlapping, $1" ops,grads "$ops" 200 "--with=--overlap=$1" "$every"
  run "overlapping, $1" numbers,nets 'model.json' 160 "--with=--overlap=$1"
}
for part in $which; do
  if [ "$part" = guard ]; then guard end; guard begin; else overlap whole; overlap part; overlap shifted; fi
done
echo "${total[0]} passed, ${total[1]} failed, ${total[2]} skipped"
[ "${total[1]}" = 0 ]
