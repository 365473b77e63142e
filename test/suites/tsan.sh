#!/usr/bin/env bash
# Everything that runs threads, under the thread sanitizer: C tests of pool, executor and sessions, and models
# with two threads through both pipelines; then threads that run, load and release models (test/soak).
#   test/suites/tsan.sh BUILD
set -u
build=$1
here=$(cd "$(dirname "$0")/.." && pwd)
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 suppressions=$here/suites/tsan.supp ${TSAN_OPTIONS-}"
passed=0 failed=0
check() { # name command...
  local name=$1; shift
  if (ulimit -t 1200; exec timeout 7200 "$@") >"$build/tsan.log" 2>&1; then passed=$((passed + 1))
  else failed=$((failed + 1)); echo "FAIL $name"; tail -n 30 "$build/tsan.log"; fi
}
for t in "$build"/test/*thread*_test "$build"/test/*session*_test "$build"/test/*parallel*_test; do
  [ -x "$t" ] && check "$(basename "$t")" "$t"
done
for program in model.json model.pdmodel; do
  for pipeline in kernels compile; do
    check "digits_cnn $program $pipeline" "$build/bin/pir-run" "$here/models/digits_cnn/$program" \
      --case="$here/models/digits_cnn/case0" --pipeline=$pipeline --threads=2
  done
done
models=$("$here/recordings.sh" "${build%-tsan}")/models
# A process with threads under this sanitizer may not fork.
check "soak" "$build/bin/soak" --seconds="${SOAK_SECONDS-60}" --no-fork "$models"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
