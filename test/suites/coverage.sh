#!/usr/bin/env bash
# Runs the tests of an instrumented build, for their coverage alone: a test that fails here fails in `make test`.
#   test/suites/coverage.sh BUILD LLVM SHARE KEEP RECORDED
set -eu
build=$1 llvm=$2 share=$3 keep=$4 recorded=$5
here=$(cd "$(dirname "$0")/.." && pwd)
log=$build/test-logs
mkdir -p "$log"
[ -n "$keep" ] || find "$build" -name '*.gcda' -delete
summary() { # name, log
  printf '%-12s %s\n' "$1" "$(grep -E '(passed|Passed|pass)' "$2" | tail -n 1)"
}

python3 "$llvm/build/utils/lit/lit.py" --no-progress-bar --param bin="$build/bin" --param llvm="$llvm" "$here" >"$log/lit.log" 2>&1 || true
summary "text tests" "$log/lit.log"
for t in "$build"/test/*_test; do
  if [ -x "$t" ]; then LD_LIBRARY_PATH=$build/lib timeout 900 "$t" >"$log/$(basename "$t").log" 2>&1 || echo "failed: $(basename "$t")"; fi
done
python3 "$here/bad/bad.py" "$build/bin" "$here/bad" >"$log/bad.log" 2>&1 || true
summary "bad inputs" "$log/bad.log"
python3 "$here/faults/syscalls.py" --sample "$build" >"$log/syscalls.log" 2>&1 || true
summary "system calls" "$log/syscalls.log"
for rules in "$here"/../passes/drr/*/*.drr; do
  case $rules in *.inc.drr) ;; *) "$build/bin/drrc" "$rules" -I "$here/../passes/drr" -o "$log/rules.c" ;; esac
done
"$build/faults/oom" "$recorded/models" >"$log/allocations.log" 2>&1 || true
summary allocations "$log/allocations.log"
"$build/bin/draws" --draws=300 --seed=1 >"$log/draws.log" 2>&1 || true
"$build/bin/draws" --clauses --draws=372 --seed=1 >"$log/clauses.log" 2>&1 || true
"$build/bin/draws" --graphs=100 --seed=1 >"$log/graphs.log" 2>&1 || true
python3 "$here/rules/rules_covered.py" "$build/bin" "$recorded" >"$log/rules.log" 2>&1 || true
summary rules "$log/rules.log"
python3 "$here/recorded/recorded.py" --bin "$build/bin" --share "$share" "$recorded" >"$log/recorded.log" 2>&1 || true
summary recordings "$log/recorded.log"
if [ -d "$recorded/models" ]; then
  python3 "$here/cuda/cuda.py" --build "$build" "$recorded" >"$log/cuda.log" 2>&1 || true
  summary "CUDA" "$log/cuda.log"
fi
