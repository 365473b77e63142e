#!/usr/bin/env bash
# Runs every test of a build folder and ends with `N passed, N failed, N skipped` alone on a line.
#   test/run.sh BUILD LLVM [RECORDED]
# Parts: text tests (lit), C tests (cmocka), bad inputs, recordings of the real Paddle. RECORDED names a folder
# of recordings; without it the archives in test/recorded are unpacked and run.
set -u
build=$1 llvm=$2 recorded=${3-}
here=$(cd "$(dirname "$0")" && pwd)
log=$build/test-logs
mkdir -p "$log"
passed=0 failed=0 skipped=0
part= failures=()
add() { # passed failed skipped
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
  [ "$2" -eq 0 ] || failures+=("$part: $2")
}
begin() { # part
  part=$1
  echo "== $part"
}
last_counts() { # file: adds up the numbers of its last summary line, or counts one failure
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1" | tail -n 1)
  if [ -z "$line" ]; then echo "$1: ended without a summary"; tail -n 20 "$1"; add 0 1 0; return; fi
  # shellcheck disable=SC2086
  set -- $(echo "$line" | tr -dc '0-9 ')
  add "$1" "$2" "$3"
}

begin "text tests"
python3 "$llvm/build/utils/lit/lit.py" -q --no-progress-bar --param bin="$build/bin" --param llvm="$llvm" \
  --xunit-xml-output "$log/lit.xml" "$here" >"$log/lit.log" 2>&1
cat "$log/lit.log"
python3 - "$log/lit.xml" >"$log/lit.sum" <<'EOF'
import sys, xml.etree.ElementTree as E
root = E.parse(sys.argv[1]).getroot()
cases = list(root.iter("testcase"))
bad = sum(1 for c in cases if c.find("failure") is not None)
skip = sum(1 for c in cases if c.find("skipped") is not None)
print(f"{len(cases) - bad - skip} passed, {bad} failed, {skip} skipped")
EOF
last_counts "$log/lit.sum"; cat "$log/lit.sum"

begin "C tests"
for t in "$build"/test/*_test; do
  [ -x "$t" ] || continue
  name=$(basename "$t")
  # Under the sanitizers dlopen is theirs, and does not search the path that the program has built in.
  # The limit is processor time, so that a busy machine fails no test; the clock's limit is for a test that waits forever.
  (ulimit -t 900; LD_LIBRARY_PATH=$build/lib CMOCKA_MESSAGE_OUTPUT=TAP exec timeout 7200 "$t") >"$log/$name.log" 2>&1
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
python3 "$here/bad/bad.py" "$build/bin" "$here/bad" >"$log/bad.log" 2>&1
grep -v '^ok' "$log/bad.log" | tail -n 40
last_counts "$log/bad.log"

begin "scripts"
for t in "$here"/api/*.sh; do
  [ -f "$t" ] || continue
  timeout 7200 bash "$t" "$build" >"$log/$(basename "$t").log" 2>&1
  case $? in
    0) add 1 0 0 ;;
    77) add 0 0 1; echo "skipped: $t: $(tail -n 1 "$log/$(basename "$t").log")" ;;
    *) add 0 1 0; echo "FAIL $t"; tail -n 25 "$log/$(basename "$t").log" ;;
  esac
done

begin "failures of the system"
# Under the sanitizers allocations are theirs.
case $build in
  *san*) ;;
  *)
    python3 "$here/faults/syscalls.py" --sample "$build" >"$log/syscalls.log" 2>&1
    grep -E '^(FAIL|Traceback)' "$log/syscalls.log" | head -n 20; last_counts "$log/syscalls.log"
    python3 "$here/faults/allocations.py" --sample "$build" "$("$here/recordings.sh" "$build" "$recorded")/models" >"$log/allocations.log" 2>&1
    grep -E '^(FAIL|Traceback)' "$log/allocations.log" | head -n 20; last_counts "$log/allocations.log"
    python3 "$here/faults/kills.py" --kills=40 "$build" >"$log/kills.log" 2>&1
    grep -E '^(FAIL|Traceback)' "$log/kills.log" | head -n 20; last_counts "$log/kills.log"
    ;;
esac

begin "sandbox"
# Under the sanitizers processes ask the system for more, and the leak checker is a tracer too.
case $build in
  *san*) ;;
  *)
    python3 "$here/faults/sandbox/sandbox.py" --share 0/12 "$build" "$("$here/recordings.sh" "$build" "$recorded")" 2>&1 | tee "$log/sandbox.log"
    last_counts "$log/sandbox.log"
    ;;
esac

begin "soak, a sample"
"$build/bin/soak" --seconds=15 "$("$here/recordings.sh" "$build" "$recorded")/models" >"$log/soak.log" 2>&1
grep '^FAIL' "$log/soak.log" | head -n 20; last_counts "$log/soak.log"

begin "draws"
# The same random programs every time, so that a failure belongs to the change that caused it; `make draws SEED=N` makes others.
if "$build/bin/draws" --draws=500 --seed=1 >"$log/draws.log" 2>&1; then add 1 0 0
else add 0 1 0; grep -vE '^[{} ]' "$log/draws.log" | cut -c1-300; fi
tail -n 3 "$log/draws.log" | head -n 2
if "$build/bin/draws" --extremes --draws=300 --seed=1 >"$log/extremes.log" 2>&1; then add 1 0 0
else add 0 1 0; grep -vE '^[{} ]' "$log/extremes.log" | cut -c1-300; fi
tail -n 1 "$log/extremes.log"
if "$build/bin/draws" --clauses --draws=372 --seed=1 >"$log/clauses.log" 2>&1; then add 1 0 0
else add 0 1 0; grep -vE '^[{} ]' "$log/clauses.log" | cut -c1-300; fi
tail -n 3 "$log/clauses.log" | head -n 1

begin "recordings"
recorded=$("$here/recordings.sh" "$build" "$recorded")
limit=; case $build in *san*) limit=--no-memory-limit ;; esac
# shellcheck disable=SC2086
python3 "$here/recorded/recorded.py" --bin "$build/bin" $limit "$recorded" 2>&1 | tee "$log/recorded.log" | grep -v '^skip ' | tail -n 150
last_counts "$log/recorded.log"
echo "the skipped recordings are named in $log/recorded.log"

begin "networks: what must not change their numbers"
# shellcheck disable=SC2086
python3 "$here/nets/meta.py" --bin "$build/bin" --share "${META_SHARE:-0/9}" $limit "$recorded/nets" 2>&1 | tee "$log/meta.log"
last_counts "$log/meta.log"

begin "attributes"
"$here/attributes/run.sh" "$build" "$recorded" 0/60 >"$log/attributes.log" 2>&1
last_counts "$log/attributes.log"; tail -n 20 "$log/attributes.log"

begin "levels of x86-64"
LIMIT=$limit "$here/suites/levels.sh" "$build" "$recorded" 2>&1 | tee "$log/levels.log"
last_counts "$log/levels.log"

begin "memory: guard pages, outputs in the memory of inputs"
case $build in
  *san*) ;;
  *) "$here/suites/memory.sh" "$build" "$recorded" 2>&1 | tee "$log/memory.log"; last_counts "$log/memory.log" ;;
esac

begin "random schedules"
LIMIT=$limit "$here/suites/schedules.sh" "$build" "$recorded" 2>&1 | tee "$log/schedules.log"
last_counts "$log/schedules.log"

begin "NEON, emulated"
case $build in
  *san*) ;;
  *) "$here/suites/neon.sh" "$build" "$recorded" >"$log/neon.log" 2>&1; grep -v '^skip ops' "$log/neon.log"; last_counts "$log/neon.log" ;;
esac

begin "the other compiler"
case $build in
  *san*) ;;
  *) "$here/suites/compilers.sh" "$build" "$llvm" >"$log/compilers.log" 2>&1; grep -v '^[a-z ]*$' "$log/compilers.log" | tail -n 20; last_counts "$log/compilers.log" ;;
esac

begin "rules: each fires in a test and is refused in one"
python3 "$here/rules/rules_covered.py" "$build/bin" "$recorded" >"$log/rules.log" 2>&1
last_counts "$log/rules.log"; tail -n 20 "$log/rules.log"

begin "CUDA groups, without a device"
if [ -d "$recorded/models" ]; then
  python3 "$here/cuda/cuda.py" --build "$build" "$recorded" >"$log/cuda.log" 2>&1
  cat "$log/cuda.log"
  last_counts "$log/cuda.log"
fi

# The failures again, named: of a long log often only the end is kept.
if [ "$failed" -gt 0 ]; then
  echo "== failed: ${failures[*]}"
  grep -hE '^(FAIL|not ok|fail)\b' "$log"/*.log | grep -v '# SKIP' | cut -c1-300 | tail -n 40
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
