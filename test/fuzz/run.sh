#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and the address and undefined sanitizers and runs each for a while. The corpus is
# test/fuzz/corpus.tar.xz and the tests' own files; what was found in a run is kept beside it. Prints the executions and the
# coverage of each target; fails on a finding, which stays in BUILD-fuzz/fuzz.
#   test/fuzz/run.sh BUILD SECONDS [TARGET...]   SECONDS for each target
#   test/fuzz/run.sh BUILD keep [TARGET...]      minimises the corpora and writes corpus.tar.xz
set -euo pipefail
tools=$(realpath -m "$1")/bin build=$(realpath -m "$1")-fuzz seconds=${2-60}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")/../.."
all=(text json pdmodel program params pipeline rules loops npy api lives custom ops cache image)
[ $# -gt 0 ] || set -- "${all[@]}"
# Clang calls NULL + 0 an overflow of a pointer; empty lists and tensors are NULL here.
flags="-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize=pointer-overflow -fno-sanitize-recover=undefined"
make -s -j"${JOBS-$(nproc)}" B="$build" CC="${FUZZ_CC-clang-19}" CFLAGS="$flags" FUZZ_MAIN=-fsanitize=fuzzer "${@/#/$build/fuzz/}"
corpus=$build/corpus
mkdir -p "$build/fuzz"
for name in "${all[@]}"; do mkdir -p "$corpus/$name"; done
[ ! -f test/fuzz/corpus.tar.xz ] || tar -C "$corpus" -xf test/fuzz/corpus.tar.xz
packed=$(python3 test/recorded/packed.py "${build%-fuzz}")
find test "$packed" -name '*.pir' -size -64k -exec cp {} "$corpus/text/" \;
find test "$packed" -name '*.pir' -size -64k -exec cp {} "$corpus/program/" \;
# One recorded program of every operator.
recorded=$(test/recordings.sh "${build%-fuzz}")
for folder in "$recorded"/ops/cases{,_grad}/*/; do
  program=$(find "$folder" -name program.pir -size -16k | sort | head -n 1)
  [ -z "$program" ] || cp "$program" "$corpus/program/$(basename "$folder").pir"
done
find passes/drr test/rules -name '*.drr' -exec cp {} "$corpus/rules/" \;
find test -name '*.loops' -exec cp {} "$corpus/loops/" \;
find test "$packed" -name '*.json' -size -64k -exec cp {} "$corpus/json/" \;
find test "$packed" -name '*.pdmodel' -size -64k -exec cp {} "$corpus/pdmodel/" \;
find test -name '*.np[yz]' -size -64k -exec cp {} "$corpus/npy/" \;
test/fuzz/seeds.py "$corpus" "$tools"
if [ "$seconds" = keep ]; then
  for name in "$@"; do
    rm -rf "$build/least/$name" && mkdir -p "$build/least/$name"
    (cd "$build/fuzz" && "./$name" -merge=1 -rss_limit_mb=4096 -timeout=20 -max_len=8192 "$build/least/$name" "$corpus/$name" >"$name.merge.log" 2>&1)
    find "$corpus/$name" -name 'found_*' -exec cp {} "$build/least/$name/" \;  # each ended a target once
    echo "$name: $(find "$build/least/$name" -type f | wc -l) inputs"
  done
  tar -C "$build/least" --sort=name --mtime=@0 --owner=0 --group=0 -cJf test/fuzz/corpus.tar.xz "${all[@]}"
  exit
fi
status=0
for name in "$@"; do
  dictionary=test/fuzz/dict/$name.dict
  [ -f "$dictionary" ] && dictionary="-dict=$PWD/$dictionary" || dictionary=
  # shellcheck disable=SC2086
  (cd "$build/fuzz" && "./$name" $dictionary -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=65536 \
    -print_final_stats=1 "$corpus/$name" >"$name.log" 2>&1) || { status=1; echo "FINDING in $name"; tail -n 30 "$build/fuzz/$name.log"; }
  log=$build/fuzz/$name.log
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions," \
    "$(grep -oE 'cov: [0-9]+' "$log" | tail -n 1 | cut -c6-) of $(sed -nE 's/.*Loaded 1 modules +\(([0-9]+) inline 8-bit counters.*/\1/p' "$log") edges"
done
exit $status
