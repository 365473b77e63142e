#!/usr/bin/env bash
# Installs into a scratch folder, builds examples/engine against the installed pkg-config files, in C with libpir, in C with
# libpir_rt alone, and in C++, and runs the three; the first one also with the stand-ins for a CUDA device (docs/explain/cuda.md).
#   engine.sh BUILD      UNDER="valgrind .." in the environment: runs them under that command
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
into=$build/engine-install
rm -rf "$into"
make -s -C "$root" B="$build" PREFIX="$into" CC="${CC-gcc}" ${CFLAGS+CFLAGS="$CFLAGS"} install
export PKG_CONFIG_PATH=$into/lib/pkgconfig LD_LIBRARY_PATH=$into/lib
warn="-Wall -Wextra -Werror -pedantic"
flags="${CFLAGS-} $(pkg-config --cflags --libs pir)"
# shellcheck disable=SC2046,SC2086
{
  cc -std=gnu11 $warn "$root"/examples/engine/{main,load,sessions,generate,parallel,exchange,device,extend}.c -o "$into/engine" $flags -lm -pthread
  cc -std=c11 $warn "$root/examples/engine/runtime.c" -o "$into/runtime" ${CFLAGS-} $(pkg-config --cflags --libs pir_rt)
  c++ -std=c++20 -fno-exceptions $warn "$root/examples/engine/engine.cc" -o "$into/engine_cpp" $flags
  c++ -std=c++20 -fno-exceptions $warn "$root/test/runtime/exec/strings/strings.cc" -o "$into/strings_cpp" $flags
  c++ -std=c++20 -fno-exceptions $warn "$root/test/runtime/generate/sequences.cc" -o "$into/sequences_cpp" $flags
  cc -std=c11 $warn -shared -fPIC "$root/examples/custom_op/ops.c" -o "$into/ops.so" ${CFLAGS-} $(pkg-config --cflags pir)
  cc -std=c11 $warn -shared -fPIC "$root/examples/pass/passes.c" -o "$into/passes.so" $flags
}
model=$root/test/models/digits_cnn
run() { # output, program, arguments
  local out=$1
  shift
  # shellcheck disable=SC2086
  ${UNDER-} "$@" >"$out" || { cat "$out"; return 1; }
}
run "$into/log" "$into/engine" "$model/model.json" "$model/model.pdiparams" "$into/ops.so" "$into/passes.so" "$into"
check() { # output
  [ "$(grep -c ': good$' "$1")" = 22 ]
  grep -qx '0 expectations failed' "$1"
}
check "$into/log"
grep -q '^\(no \)\?device: ' "$into/log"
# Stand-ins switch stacks, of which no memory checker knows.
mkdir "$into/device"
UNDER='' LD_LIBRARY_PATH=$build/cuda:$into/lib run "$into/device.log" "$into/engine" "$model/model.json" "$model/model.pdiparams" "$into/ops.so" "$into/passes.so" "$into/device"
check "$into/device.log"
grep -q '^device: ' "$into/device.log"
# The runtime library runs what the engine compiled: the same numbers.
run "$into/rt.log" "$into/runtime" "$into/model.pirm"
grep '^first row:' "$into/log" | cmp - "$into/rt.log"
if ldd "$into/runtime" | grep -q 'libpir\.so'; then exit 1; fi
run "$into/cpp.log" "$into/engine_cpp" "$model/model.json" "$model/model.pdiparams" "$into"/{model,apart}.pirm "$into/moved.weights"
grep -q 'expects float32, got float64' "$into/cpp.log"
grep -q 'the two sessions agree' "$into/cpp.log"
grep -qx 'tokens: 3 4 5' "$into/cpp.log"
run "$into/strings.log" "$into/strings_cpp" "$root/test/tools/pir-run/strings/tensors.pir"
grep -qx 'hello wörld' "$into/strings.log"
run "$into/sequences.log" "$into/sequences_cpp"
grep -qx '2 6' "$into/sequences.log"
printf '3 4 5 -3.822\n3 4 0 -4.822\n' | cmp - <(tail -n 2 "$into/sequences.log")
