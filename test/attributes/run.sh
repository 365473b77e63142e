#!/usr/bin/env bash
# Gives each attribute of each op values of every kind, in the first recorded program of each operator and in programs
# made from the declarations; then hands some of the programs to the tools themselves.
#   test/attributes/run.sh BUILD RECORDED [K/N [KINDS [TYPES]]]
# K/N: the K-th of every N attributes; KINDS likewise: of these, values of other kinds alone are verified. TYPES: of every N operators one has its types changed; of 8 N one on a device too,
# whose driver is the stand-in. Ends with `N passed, N failed, N skipped`.
set -u
build=$1 recorded=$2 share=${3-0/1}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
passed=0 failed=0
mapfile -t programs < <(for d in "$recorded"/ops/cases/*/ "$recorded"/ops/cases_grad/*/; do find "$d" -name program.pir 2>/dev/null | sort | head -n 1; done)
[ ${#programs[@]} -gt 0 ] || { echo "FAIL attributes: no recorded programs in $recorded"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
# Runs the program `attributes`, and adds up what it has tried. The first of what it finds stands on the line that says so.
try() { # what it tries, options
  local name=$1 said
  shift
  if said=$("$build/bin/attributes" "$@" "${programs[@]}"); then passed=$((passed + $(echo "$said" | grep -oE '^[0-9]+' | tail -n 1)))
  else failed=$((failed + 1)); echo "FAIL $name: $(echo "$said" | head -n 40)"; fi
}
types=${5:-0/1}
[ $# -lt 4 ] || try "attributes of other kinds" --kinds --share="$4"
try "types of results and operands" --types --share="$types"
LD_LIBRARY_PATH=$(realpath "$build/cuda") try "types on a device" --types --pipelines=compile --target=cuda --share="${types%/*}/$((8 * ${types#*/}))"
every=$((300000 / ${share#*/} / 150 + 1))
(cd "$work" && mkdir programs) || exit 70
tool=$(realpath "$build/bin/attributes")
(cd "$work" && "$tool" --share="$share" --write=programs/"$every" "${programs[@]}") >"$work/log" 2>&1 &&
  passed=$((passed + $(grep -oE '^[0-9]+' "$work/log" | tail -n 1))) || { failed=$((failed + 1)); echo "FAIL attributes: $(grep -E '^(failed|crashed)' "$work/log")"; }
tail -n 1 "$work/log"
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
