#!/usr/bin/env bash
# Runs the tests of an instrumented build, for their coverage. Every part runs, whatever failed before; ends with 1 if one failed.
#   test/suites/coverage.sh BUILD LLVM SHARE KEEP RECORDED
set -u
build=$1 llvm=$2 share=$3 keep=$4 recorded=$5
here=$(cd "$(dirname "$0")/.." && pwd)
log=$build/test-logs
failed=0
mkdir -p "$log"
[ -n "$keep" ] || find "$build" -name '*.gcda' -delete
run() { # name, command: its output is in a log
  local name=$1 status=0
  shift
  "$@" >"$log/$name.log" 2>&1 || status=$?
  [ $status = 0 ] && return
  failed=1
  echo "FAIL $name: status $status, $log/$name.log"
  grep -aE '^(FAIL|failed)|\[  FAILED  \]' "$log/$name.log" | head -n 20
}
summary() { # name, title
  printf '%-12s %s\n' "$2" "$(grep -aE '([Pp]assed|pass|0 failed)' "$log/$1.log" | tail -n 1)"
}

run lit python3 "$llvm/build/utils/lit/lit.py" --no-progress-bar --param bin="$build/bin" --param llvm="$llvm" "$here"
summary lit "text tests"
count=0
for t in "$build"/test/*_test; do
  [ -x "$t" ] || continue
  LD_LIBRARY_PATH=$build/lib run "$(basename "$t")" timeout 1800 "$t"
  count=$((count + 1))
done
printf '%-12s %s\n' "C tests" "$count programs ran"
run bad python3 "$here/bad/bad.py" "$build/bin" "$here/bad"
summary bad "bad inputs"
run syscalls python3 "$here/faults/syscalls.py" --sample "$build"
summary syscalls "system calls"
for rules in "$here"/../passes/drr/*/*.drr; do
  case $rules in *.inc.drr) ;; *) run drrc "$build/bin/drrc" "$rules" -I "$here/../passes/drr" -o "$log/rules.c" ;; esac
done
run allocations "$build/faults/oom" "$recorded/models"
summary allocations allocations
run draws "$build/bin/draws" --draws=300 --seed=1
summary draws draws
run clauses "$build/bin/draws" --clauses --draws=438 --seed=1
summary clauses clauses
run graphs "$build/bin/draws" --graphs=100 --seed=1
summary graphs graphs
run rules python3 "$here/rules/rules_covered.py" "$build/bin" "$recorded"
summary rules rules
run recorded python3 "$here/recorded/recorded.py" --bin "$build/bin" --share "$share" "$recorded"
summary recorded recordings
if [ -d "$recorded/models" ]; then
  run cuda python3 "$here/cuda/cuda.py" --build "$build" "$recorded"
  summary cuda CUDA
fi
exit $failed
