#!/usr/bin/env bash
# Runs every test of a build folder and ends with `N passed, N failed, N skipped` alone on a line.
#   test/run.sh BUILD LLVM [RECORDED]
# Parts: text tests (lit), C tests (cmocka), bad inputs, recordings of the real Paddle. RECORDED names a folder
# of recordings; without it the archives in test/recorded are unpacked and run. SHARE=K/N in the environment: the K-th
# of N shares of every part, K from 0. The counts stay in BUILD/shares, where test/suites/merge.py adds up those of all shares.
set -u
build=$1 llvm=$2 recorded=${3-}
here=$(cd "$(dirname "$0")" && pwd)
log=$build/test-logs
mkdir -p "$log"
source "$here/suites/share.sh"
source "$here/suites/sanitizers.sh"
started=$(date +%s) commit=$(commit_of_sources)
result=$build/shares/${SHARE/\//-of-}
rm -f "$result"
passed=0 failed=0 skipped=0
part= failures=()
add() { # passed failed skipped
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
  [ "$2" -eq 0 ] || failures+=("$part: $2")
}
begin() { # part
  part=$1
  echo "== $part, after $(($(date +%s) - started)) s"
}
last_counts() { # file: adds up the numbers of its last summary line, or counts one failure
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1)
  if [ -z "$line" ]; then echo "$1: ended without a summary"; tail -n 20 "$1"; add 0 1 0; return; fi
  # shellcheck disable=SC2086
  set -- $(echo "$line" | tr -dc '0-9 ')
  add "$1" "$2" "$3"
}
counted() { # name, command: shows what failed, and adds up the last line
  local name=$1
  shift
  "$@" >"$log/$name.log" 2>&1
  grep -E '^(FAIL|Traceback)' "$log/$name.log" | cut -c1-300 | head -n 40
  last_counts "$log/$name.log"
}
recordings() { "$here/recordings.sh" "$build" "$recorded"; }

# The same random programs every time, so that a failure belongs to the change that caused it; `make draws SEED=N` makes others.
draws() { # name, number of draws, options
  local name=$1 first=$(($2 * ${SHARE%/*} / ${SHARE#*/})) end=$(($2 * (${SHARE%/*} + 1) / ${SHARE#*/}))
  shift 2
  [ $end -gt $first ] || return
  if "$build/bin/draws" "$@" --draws=$((end - first)) --seed=$((first + 1)) >"$log/$name.log" 2>&1; then add 1 0 0
  else add 0 1 0; echo "FAIL $name"; grep -vE '^[{} ]' "$log/$name.log" | cut -c1-300; fi
  tail -n 3 "$log/$name.log" | head -n 2
}

# Parts whose programs keep one core busy.
narrow_parts() {
  begin "C tests"
  for t in "$build"/test/*_test; do
    [ -x "$t" ] && is_mine || continue
    name=$(basename "$t")
    # Under the sanitizers dlopen is theirs, and does not search the path that the program has built in.
    # The limit is processor time, so that a busy machine fails no test; the clock's limit is for a test that waits forever.
    (ulimit -t $((900 * slower)); LD_LIBRARY_PATH=$build/lib CMOCKA_MESSAGE_OUTPUT=TAP exec timeout 7200 "$t") >"$log/$name.log" 2>&1
    status=$?
    ok=$(grep -c '^ok ' "$log/$name.log"); skip=$(grep -cE '^(not )?ok .*# SKIP' "$log/$name.log")
    ok=$((ok - $(grep -c '^ok .*# SKIP' "$log/$name.log"))); bad=$(grep '^not ok ' "$log/$name.log" | grep -vc '# SKIP')
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ $((ok + bad + skip)) -eq 0 ]; then bad=1; fi
    [ "$bad" -eq 0 ] || { echo "FAIL $name (status $status)"; tail -n 25 "$log/$name.log"; }
    add "$ok" "$bad" "$skip"
    [ "$skip" -eq 0 ] || echo "skipped: $skip of $name ($(grep -o '# SKIP.*' "$log/$name.log" | cut -c8- | tr '\n' ' '))"
  done

  begin "bad inputs"
  counted bad python3 "$here/bad/bad.py" --share "$SHARE" "$build/bin" "$here/bad"

  begin "scripts"
  for t in "$here"/api/*.sh; do
    is_mine || continue
    timeout 7200 bash "$t" "$build" >"$log/$(basename "$t").log" 2>&1
    case $? in
      0) add 1 0 0 ;;
      77) add 0 0 1; echo "skipped: $t: $(tail -n 1 "$log/$(basename "$t").log")" ;;
      *) add 0 1 0; echo "FAIL $t"; tail -n 25 "$log/$(basename "$t").log" ;;
    esac
  done

  begin "fuzzing, the kept inputs"
  counted fuzz "$here/fuzz/sample.sh" "$build"

  # Under the sanitizers allocations and system calls are theirs, and the leak checker is a tracer too.
  if [ -z "$sanitizer" ]; then
    begin "failures of the system"
    is_mine && counted syscalls python3 "$here/faults/syscalls.py" --sample "$build"
    is_mine && counted allocations python3 "$here/faults/allocations.py" --sample "$build" "$(recordings)/models"
    is_mine && counted kills python3 "$here/faults/kills.py" --kills=40 "$build"

    begin "documentation"
    is_mine && counted docs "$here/docs/run.sh" "$build"

    begin "site"
    is_mine && counted site "$here/docs/site.sh" "$build"
    grep '^skipped: ' "$log/site.log" 2>/dev/null

    begin "Python"
    is_mine && counted python "$here/api/python/run.sh" "$build" "$(recordings)"

    begin "Triton"
    is_mine && counted triton "$here/runtime/triton/serve.sh" --sample "$build" "$(recordings)"
    grep '^skipped: ' "$log/triton.log" 2>/dev/null

    begin "sandbox"
    is_mine && counted sandbox python3 "$here/faults/sandbox/sandbox.py" --share 0/12 "$build" "$(recordings)"
  fi

  begin "soak, a sample"
  # shellcheck disable=SC2086
  is_mine && counted soak "$build/bin/soak" --seconds=15 $soak_options "$(recordings)/models"

  begin "draws"
  draws draws 500
  draws extremes 300 --extremes
  draws clauses 438 --clauses

  begin "gradients beside differences"
  is_mine && counted gradients "$here/suites/gradients.sh" "$build" "$(recordings)" --draws=1560

  begin "attributes"
  counted attributes "$here/attributes/run.sh" "$build" "$(recordings)" "$(share_of 0/60)" "$SHARE" "$(share_of 0/12)"

  if [ -z "$sanitizer" ]; then
    begin "the other compiler"
    is_mine && counted compilers "$here/suites/compilers.sh" "$build" "$llvm"
  fi

  # The tools write the same pages under a sanitizer; what a browser shows is asked once.
  if [ -z "$sanitizer" ]; then
    begin "pages of the viewer"
    is_mine && counted view timeout 300 python3 "$here/tools/view/view_test.py" "$build" "$(recordings)"
    grep '^skipped: ' "$log/view.log" 2>/dev/null
  fi

  begin "rules: each fires in a test and is refused in one"
  is_mine && counted rules python3 "$here/rules/rules_covered.py" "$build/bin" "$(recordings)"

  begin "CUDA groups, without a device"
  if [ -d "$(recordings)/models" ] && is_mine; then
    counted cuda python3 "$here/cuda/cuda.py" --build "$build" "$(recordings)"
  fi
}

# Parts that keep all cores busy.
wide_parts() {
  begin "text tests"
  python3 "$llvm/build/utils/lit/lit.py" -q --no-progress-bar --param bin="$build/bin" --param llvm="$llvm" --param flags="${CFLAGS-}" \
    --num-shards="${SHARE#*/}" --run-shard=$((${SHARE%/*} + 1)) --xunit-xml-output "$log/lit.xml" "$here" >"$log/lit.log" 2>&1
  cat "$log/lit.log"
  python3 "$here/suites/count.py" "$log/lit.xml" >"$log/lit.sum"
  last_counts "$log/lit.sum"; cat "$log/lit.sum"

  begin "recordings"
  # shellcheck disable=SC2086
  python3 "$here/recorded/recorded.py" --bin "$build/bin" --share "$SHARE" $limit "$(recordings)" 2>&1 | tee "$log/recorded.log" | grep -v '^skip ' | tail -n 150
  last_counts "$log/recorded.log"
  echo "the skipped recordings are named in $log/recorded.log"

  begin "networks: what must not change their numbers"
  # shellcheck disable=SC2086
  counted meta python3 "$here/nets/meta.py" --bin "$build/bin" --share "$(share_of "${META_SHARE:-0/9}")" $limit "$(recordings)/nets"

  begin "levels of x86-64"
  LIMIT=$limit "$here/suites/levels.sh" "$build" "$(recordings)" 2>&1 | tee "$log/levels.log"
  last_counts "$log/levels.log"

  begin "random schedules"
  LIMIT=$limit "$here/suites/schedules.sh" "$build" "$(recordings)" 2>&1 | tee "$log/schedules.log"
  last_counts "$log/schedules.log"

  # Pages that cannot be accessed are what the address sanitizer has anyway; the two others build without it.
  if [ -z "$sanitizer" ]; then
    begin "memory: guard pages, outputs in the memory of inputs"
    "$here/suites/memory.sh" "$build" "$(recordings)" 2>&1 | tee "$log/memory.log"
    last_counts "$log/memory.log"

    begin "NEON, emulated"
    counted neon "$here/suites/neon.sh" "$build" "$(recordings)"
    grep '^skip neon' "$log/neon.log"
  fi
}

# The narrow parts run beside the wide ones, so that no core is idle. They are shown when they end.
recordings >/dev/null
counts=$log/narrow.$$
(
  narrow_parts
  printf '%s\n' "${failures[@]}" >"$log/narrow.failures"
  echo "$passed $failed $skipped" >"$counts.made" && mv "$counts.made" "$counts"
) >"$log/narrow.out" 2>&1 &
narrow=$!
trap 'kill $narrow 2>/dev/null' EXIT
wide_parts
wait $narrow
trap - EXIT
cat "$log/narrow.out"
more=$(cat "$counts" 2>/dev/null)
rm -f "$counts"
if [[ $more =~ ^([0-9]+)\ ([0-9]+)\ ([0-9]+)$ ]]; then
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
  [ "${BASH_REMATCH[2]}" -eq 0 ] || mapfile -t -O "${#failures[@]}" failures <"$log/narrow.failures"
else
  part="narrow parts" && echo "the narrow parts ended without a summary" && add 0 1 0
fi

# The failures again, named: of a long log often only the end is kept.
if [ "$failed" -gt 0 ]; then
  echo "== failed: ${failures[*]}"
  find "$log" -name '*.log' -newermt "@$started" -exec grep -hE '^(FAIL|not ok|fail)\b' {} + | grep -v '# SKIP' | cut -c1-300 | tail -n 40
fi
mkdir -p "$build/shares"
{
  echo "commit $commit"
  echo "passed $passed failed $failed skipped $skipped seconds $(($(date +%s) - started))"
  for f in "${failures[@]}"; do echo "failure $f"; done
} >"$result"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
