#!/usr/bin/env bash
# A sample of the text tests and of the recordings, for a first look at a change: under a minute on two cores. Ends with
# `N passed, N failed, N skipped`.
#   test/suites/quick.sh BUILD LLVM [RECORDED]
# The sample is every 8th text test, and of the recordings those of operators, texts and networks that SAMPLE (K/N) names.
set -u
build=$1 llvm=$2 recorded=${3-}
here=$(cd "$(dirname "$0")/.." && pwd)
log=$build/test-logs
mkdir -p "$log"

python3 "$llvm/build/utils/lit/lit.py" --no-progress-bar -q --param bin="$build/bin" --param llvm="$llvm" --param flags="${CFLAGS-}" \
  --num-shards=8 --run-shard=3 --xunit-xml-output "$log/quick.xml" "$here" >"$log/quick-lit.log" 2>&1
grep -v '^\(Total Discovered.*\)\?$' "$log/quick-lit.log"
python3 "$here/recorded/recorded.py" --bin "$build/bin" --only ops,grads,text,json,numbers,passes --share "${SAMPLE:-3/90}" \
  "$("$here/recordings.sh" "$build" "$recorded")" >"$log/quick-recorded.log" 2>&1
grep -E '^(FAIL|Traceback)' "$log/quick-recorded.log" | cut -c1-300

# The sum of both; a part without a summary is a failure.
python3 "$here/suites/count.py" "$log/quick.xml" "$log/quick-recorded.log"
