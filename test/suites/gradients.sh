#!/usr/bin/env bash
# Gradients beside derivatives by differences (tools/slopes.h): of random programs of every op, and of the recorded models.
#   test/suites/gradients.sh BUILD RECORDED [--draws=N] [--seed=N]
# Without --draws each op is drawn 20 times. Ends with `N passed, N failed, N skipped`; a model that is not differentiable,
# and an op that is not drawn, is a skip with its reason (`draws --gradients --list`).
set -u
build=$1 recorded=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
passed=0 failed=0 skipped=0

if "$build/bin/draws" --gradients "$@"; then passed=1; else failed=1; echo "FAIL draws --gradients"; fi
while IFS=$'\t' read -r op _ reason; do
  echo "skip $op: $reason"
  skipped=$((skipped + 1))
done < <("$build/bin/draws" --gradients --list | grep 'not drawn' | grep -v 'the twin in place')

# Parts of models in front of ops that have no gradient, and the models that have none anywhere: the exit code, and the reason.
outputs_of() { awk -F'\t' -v m="$1" '$1 == m { print $2 }' "$here/gradients.tsv"; }
expected_of() { awk -F'\t' -v m="$1" '$1 == m { print $3 }' "$here/gradients.tsv"; }
for model in "$recorded"/models/*/; do
  name=$(basename "$model")
  [ -e "$model/model.json" ] || continue
  cut=$(outputs_of "$name") expected=$(expected_of "$name")
  text=$("$build/bin/pir-opt" --check-gradients "$model/model.json" --params="$model/model.pdiparams" ${cut:+--outputs="$cut"} 2>&1)
  code=$?
  if [ $code -eq 0 ] && [ -z "$expected" ]; then
    echo "$name: $(tail -n 1 <<<"$text")"
    passed=$((passed + 1))
  elif [ -n "$expected" ] && [ $code -ne 0 ] && grep -qF "$expected" <<<"$text"; then
    echo "skip $name: $expected"
    skipped=$((skipped + 1))
  else
    echo "FAIL $name: exit code $code"
    tail -n 12 <<<"$text"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
