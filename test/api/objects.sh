#!/usr/bin/env bash
# Object code of the examples that was compiled against earlier headers of this libpir.so.N runs with this library.
#   objects.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
[ "$(uname -m)" = x86_64 ] || { echo "the object code is for x86-64"; exit 77; }  # 77: skipped
number=$(sed -n 's/^#define PIR_SONAME "\(.*\)"/\1/p' ir/abi/pir/base.h)
into=$build/objects
model=test/models/digits_cnn
rm -rf "$into"
mkdir -p "$into"
# The program NAME of a version, linked.
link() { # compiler object
  # shellcheck disable=SC2086
  "$1" ${CFLAGS-} "$2" -o "$into/program" -L"$build/lib" -lpir -lm -pthread -Wl,-rpath,"$build/lib" -Wl,-rpath-link,"$build/lib"
}
ran=0
for version in test/api/objects/"$number"/*/; do
  for name in embed embed_cpp; do
    link "$([ $name = embed ] && echo "${CC-gcc}" || echo g++)" "$version$name.o"
    "$into/program" $model/model.json $model/model.pdiparams >"$into/out"
    grep -qx 'image: float32, rank 4' "$into/out"
    grep -qx 'the two sessions agree' "$into/out"
  done
  link "${CC-gcc}" "${version}digits.o"
  [ "$("$into/program" $model | grep -c '64 images, 100.0 % right')" = 2 ]
  link "${CC-gcc}" "${version}build.o"
  "$into/program" >"$into/out"
  grep -q 'pd_op.sigmoid' "$into/out"
  grep -qx '0.5000 0.5000 0.7311 0.8808 0.9526 0.9820' "$into/out"
  # shellcheck disable=SC2086
  "${CC-gcc}" ${CFLAGS-} -shared "${version}custom_op.o" -o "$into/ops.so"
  "$build/bin/pir-run" test/api/custom_ops.pir --custom-ops="$into/ops.so" --input=x=2x3x2x4xf32=0 --print --pipeline=kernels >"$into/out"
  [ -s "$into/out" ]
  ran=$((ran + 1))
done
[ $ran -gt 0 ]
echo "object code of $ran versions runs with libpir.so.$number"
