#!/usr/bin/env bash
# Gives each attribute of each op values of every kind, in the first recorded program of each operator and in programs
# made from the declarations; then hands some of the programs to the tools themselves.
#   test/attributes/run.sh BUILD RECORDED [K/N [KINDS [TYPES]]]
# K/N: the K-th of every N attributes; KINDS likewise: of these, values of other kinds alone are verified. TYPES: of every N operators one has its types changed. Ends with `N passed, N failed, N skipped`.
set -u
build=$1 recorded=$2 share=${3-0/1}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
passed=0 failed=0
mapfile -t programs < <(for d in "$recorded"/ops/cases/*/ "$recorded"/ops/cases_grad/*/; do find "$d" -name program.pir 2>/dev/null | sort | head -n 1; done)
[ ${#programs[@]} -gt 0 ] || { echo "FAIL attributes: no recorded programs in $recorded"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
if [ $# -gt 3 ]; then
  if kinds=$("$build/bin/attributes" --kinds --share="$4" "${programs[@]}"); then passed=$((passed + $(echo "$kinds" | grep -oE '^[0-9]+' | tail -n 1)))
  else failed=$((failed + 1)); echo "FAIL attributes of other kinds:"; echo "$kinds" | head -n 40; fi
fi
# Types of results and operands, changed in turn: the whole, or of every N operators one.
if types=$("$build/bin/attributes" --types ${5:+--share="$5"} "${programs[@]}"); then passed=$((passed + $(echo "$types" | grep -oE '^[0-9]+' | tail -n 1)))
else failed=$((failed + 1)); echo "FAIL types of results and operands:"; echo "$types" | head -n 40; fi
every=$((300000 / ${share#*/} / 150 + 1))
(cd "$work" && mkdir programs) || exit 70
tool=$(realpath "$build/bin/attributes")
(cd "$work" && "$tool" --share="$share" --write=programs/"$every" "${programs[@]}") >"$work/log" 2>&1 &&
  passed=$((passed + $(grep -oE '^[0-9]+' "$work/log" | tail -n 1))) || { failed=$((failed + 1)); echo "FAIL attributes:"; }
cat "$work/log"
# A program whose attribute has another kind: exit code 1 and a place. Any other: a result, or a refusal that says why.
judge() { # file, tool and options
  local file=$1 code
  shift
  timeout 60 "$@" "$file" >/dev/null 2>"$work/err"
  code=$?
  case $file in *-refused.*) [ $code -eq 1 ] && grep -qE ':[0-9]+:[0-9]+: error|\.json: ' "$work/err" ;; *) [[ " 0 1 2 3 5 " = *" $code "* ]] && { [ $code -eq 0 ] || [ -s "$work/err" ]; } ;; esac
  if [ $? -eq 0 ]; then passed=$((passed + 1)); return; fi
  failed=$((failed + 1))
  echo "FAIL ${*##*/} $(basename "$file"): exit code $code: $(head -c 300 "$work/err")"
}
for file in "$work"/programs/*; do
  judge "$file" "$build/bin/pir-opt" --passes= -o /dev/null
  for pipeline in kernels compile; do judge "$file" "$build/bin/pir-run" --pipeline="$pipeline" --max-time=20 --max-memory=2g; done
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
