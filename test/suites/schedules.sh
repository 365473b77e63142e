#!/usr/bin/env bash
# Runs recordings again under random schedules on 1 to 16 threads (pir-run --schedules): the same bits as on one thread.
#   test/suites/schedules.sh BUILD [RECORDED]
# A share of the recordings, less than a minute; SCHEDULES=all in the environment: all of them. Groups are compiled however
# small, for each level of x86-64 that this processor has. SEED=N makes other schedules. Ends with `N passed, N failed, N skipped`.
set -u
build=$1 recorded=${2:-$1/recorded}
here=$(cd "$(dirname "$0")/.." && pwd)
source "$here/suites/share.sh"
every='--with=--pipeline=ungrouped,group{few=0},dce,bind'
# Its sum of four doubles has another order in code than in the kernel: 1 ulp, where the recorded class allows none.
ops='(?<!p_norm/p2_float64) compile$'
total=(0 0 0) next=0
run() { # what, recorded.py's kinds, which, of how many one, options
  local what=$1 kinds=$2 match=$3 share=$4 turns=4 out counts
  shift 4
  next=$((next + 1))
  is_mine || return
  if [ "${SCHEDULES-}" = all ]; then share=0/1; else share=$((next * 7 % share))/$share; fi
  out=$(python3 "$here/recorded/recorded.py" --bin "$build/bin" --only "$kinds" --match "$match" --share "$share" ${LIMIT-} \
    "--with=--schedules=$turns:${SEED-1}" "$@" "$recorded")
  echo "$out" | grep '^FAIL'
  # shellcheck disable=SC2207
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
run "kernels" ops,grads,more ' kernels$' 20
run "kernels" numbers,nets 'model.json.* kernels 1t' 30
for target in native $(levels); do
  run "$target" ops,grads,more "$ops" 60 --target "$target" "$every"
  run "$target" numbers,nets 'model.json.* compile 1t' 80 --target "$target"
done
# What these modes may lose is measured elsewhere: here only bits count. An output that deviates has a job of its own
# (model.json:1), which is of its number alone.
# shellcheck disable=SC2046
for math in fast bf16; do
  run "native, $math" numbers,nets 'model.json .* compile 1t' 60 "--with=--math=$math" $(seq -f '--with=--ignore-output=%g' 0 99)
done
draws=40
[ "${SCHEDULES-}" != all ] || draws=3000
if ! is_mine; then out=
elif out=$("$build/bin/draws" --schedules --draws=$draws --seed="${SEED-1}"); then total[0]=$((total[0] + 1))
else total[1]=$((total[1] + 1)); echo "$out" | sed 's/^\(different\|failed\|crashed\)/FAIL draws: \1/' | grep -vE '^[{} ]*$' | cut -c1-300; fi
echo "$out" | tail -n 3 | head -n 2
echo "${total[0]} passed, ${total[1]} failed, ${total[2]} skipped"
[ "${total[1]}" = 0 ]
