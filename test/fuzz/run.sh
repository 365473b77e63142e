#!/usr/bin/env bash
# Builds the fuzz targets with libFuzzer and the address and undefined sanitizers and runs each for a while; the corpus
# is made from the tests and kept, with what was found beside it. Prints executions; fails on a finding, which stays
# in BUILD-fuzz/fuzz.
#   test/fuzz/run.sh BUILD SECONDS [TARGET...]
set -euo pipefail
build=$(realpath -m "$1")-fuzz seconds=${2-60}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- text json pdmodel params pipeline rules loops
flags="-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined"
make -s -j"${JOBS-$(nproc)}" B="$build" CC="${FUZZ_CC-clang-19}" CFLAGS="$flags" "$build/lib/libpir.a"
corpus=$build/corpus
mkdir -p "$corpus"/{text,json,pdmodel,params,pipeline,rules,loops} "$build/fuzz"
find test -name '*.pir' -size -64k -exec cp {} "$corpus/text/" \;
find passes/drr test/rules -name '*.drr' -exec cp {} "$corpus/rules/" \;
find test -name '*.loops' -exec cp {} "$corpus/loops/" \;
find test -name '*.json' -size -64k -exec cp {} "$corpus/json/" \;
find test -name '*.pdmodel' -size -64k -exec cp {} "$corpus/pdmodel/" \;
test/fuzz/seeds.py "$corpus"
includes="-Iir/abi -Iir/include -Idialects/include -I$build/gen/include -Ipasses/include -Iruntime/include -Icodegen/include"
status=0
for name in "$@"; do
  dictionary=test/fuzz/$name.dict
  # shellcheck disable=SC2086
  clang-19 -std=c11 $flags -fsanitize=fuzzer $includes -o "$build/fuzz/$name" "test/fuzz/${name}_fuzz.c" \
    "$build/lib/libpir.a" -ljansson -lprotobuf-c -lxxhash -lffi -ldl -lm -lpthread
  [ -f "$dictionary" ] && dictionary="-dict=$PWD/$dictionary" || dictionary=
  # shellcheck disable=SC2086
  (cd "$build/fuzz" && "./$name" $dictionary -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 -max_len=65536 \
    -print_final_stats=1 "$corpus/$name" >"$name.log" 2>&1) || { status=1; echo "FINDING in $name"; tail -n 30 "$build/fuzz/$name.log"; }
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/fuzz/$name.log") executions"
done
exit $status
