#!/usr/bin/env bash
# Runs the tests of an instrumented build, for their coverage. Three lanes run side by side, and every part runs, whatever failed
# before; ends with 1 if one failed.
#   test/suites/coverage.sh BUILD LLVM SHARE KEEP RECORDED
set -u
build=$1 llvm=$2 share=$3 keep=$4 recorded=$5
here=$(cd "$(dirname "$0")/.." && pwd)
log=$build/test-logs
rm -rf "$log" && mkdir -p "$log"
[ -n "$keep" ] || find "$build" -name '*.gcda' -delete

run() { # name, command: its output is in a log
  local name=$1 status=0
  shift
  "$@" >"$log/$name.log" 2>&1 || status=$?
  [ $status = 0 ] && return
  echo "$name" >>"$log/failed"
  echo "FAIL $name: status $status, $log/$name.log"
  grep -aE '^(FAIL|failed)|\[  FAILED  \]' "$log/$name.log" | head -n 20
}
part() { # name, title, command
  local name=$1 title=$2
  shift 2
  run "$name" "$@"
  printf '%-14s %s\n' "$title" "$(grep -aE '[Pp]assed|pass|, 0 failed' "$log/$name.log" | tail -n 1)"
}
text_tests() {
  part lit "text tests" python3 "$llvm/build/utils/lit/lit.py" --no-progress-bar --param bin="$build/bin" --param llvm="$llvm" --param flags=--coverage "$here"
  part syscalls "system calls" python3 "$here/faults/syscalls.py" --sample "$build"
  part fuzz "kept inputs" bash "$here/fuzz/sample.sh" "$build"
}
programs() {
  local count=0 rules
  for t in "$build"/test/*_test; do
    [ -x "$t" ] || continue
    LD_LIBRARY_PATH=$build/lib run "$(basename "$t")" timeout 3600 "$t"
    count=$((count + 1))
  done
  printf '%-14s %s\n' "C tests" "$count programs ran"
  for rules in "$here"/../passes/drr/*/*.drr; do
    case $rules in *.inc.drr) ;; *) run drrc "$build/bin/drrc" "$rules" -I "$here/../passes/drr" -o "$log/rules.c" ;; esac
  done
  part allocations allocations "$build/faults/oom" "$recorded/models"
}
recordings() {
  part bad "bad inputs" python3 "$here/bad/bad.py" "$build/bin" "$here/bad"
  part draws draws "$build/bin/draws" --draws=300 --seed=1
  part clauses clauses "$build/bin/draws" --clauses --draws=438 --seed=1
  part graphs graphs "$build/bin/draws" --graphs=100 --seed=1
  part rules rules python3 "$here/rules/rules_covered.py" "$build/bin" "$recorded"
  part recorded recordings python3 "$here/recorded/recorded.py" --bin "$build/bin" --share "$share" "$recorded"
  [ ! -d "$recorded/models" ] || part cuda CUDA python3 "$here/cuda/cuda.py" --build "$build" "$recorded"
}

text_tests &
programs &
recordings &
wait
[ ! -e "$log/failed" ]
