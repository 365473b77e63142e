#!/usr/bin/env bash
# Runs recordings on NEON: libpir and pir-run are built for aarch64, models are compiled ahead here (pir-run --compile-only)
# and run by qemu-user, without LLVM; numbers are compared with Paddle's as everywhere.
#   test/suites/neon.sh BUILD [RECORDED]
# Every whole model of the recordings from one program file, some with called kernels and on two threads, and a share of
# the one-op programs. Ends with `N passed, N failed, N skipped`.
set -u
build=$1 recorded=${2:-$1/recorded}
here=$(cd "$(dirname "$0")/.." && pwd)
source "$here/suites/share.sh"
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v $tool >/dev/null || { echo "skip neon: $tool is not installed (make test-neon installs it)"; echo "0 passed, 0 failed, 1 skipped"; exit; }
done
log=$build/test-logs/neon-build.log
mkdir -p "$build/test-logs"
cross=${CROSS_CC:-aarch64-linux-gnu-gcc}
build_elsewhere() { # files of the other build
  make -s -j"$(nproc)" -C "$here/.." B="$build/aarch64" HOST="$build" CC="$cross" CFLAGS=-O2 "${@/#/$build/aarch64/}" >>"$log" 2>&1 ||
    { tail -n 20 "$log"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
}
: >"$log"
build_elsewhere bin/run_case lib/libpir_rt_kernels.so
# The whole library needs the libraries that it is built with; libpir_rt needs none.
has_libraries=0
[ -e /lib/ld-linux-aarch64.so.1 ] || export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
printf '#include <%s>\n' ffi.h jansson.h xxhash.h protobuf-c/protobuf-c.h | "$cross" -fsyntax-only -xc - 2>>"$log" && has_libraries=1
total=(0 0 0)
run() { # options of recorded.py: adds up its last line
  local out
  out=$(python3 "$here/recorded/recorded.py" --bin "$build/bin" --emulate "$build/aarch64/bin" "$@" "$recorded")
  echo "$out" | head -n -1
  # shellcheck disable=SC2207
  local counts=($(echo "$out" | tail -n 1 | tr -dc '0-9 '))
  for i in 0 1 2; do total[i]=$((total[i] + ${counts[i]:-1})); done
}
# Not the text detectors: a minute each under emulation. Transforms need libpir_fft, factorisations LAPACKE, which are not there.
run --only compiled --match '^compiled (?!\w+_det/|autoformer/|complex_io/|fnet_fft/|gauss_process/)' --share "$(share_of 0/2)"
if [ $has_libraries = 1 ]; then
  build_elsewhere lib/libpir.so bin/pir-run
  models='^numbers (?!\w+_det/).*/(model|inference)\.json case\d+'
  run --only numbers --match "$models compile 1t" --share "$SHARE"
  run --only numbers --match "$models compile 2t" --share "$(share_of 0/4)"
  run --only numbers --match "$models kernels 1t" --share "$(share_of 0/6)"
  run --only small --match '^ops ' --share "$(share_of 0/12)"
else
  echo "skip neon: the whole library: its libraries are not installed for aarch64 (make test-neon installs them)"
  total[2]=$((total[2] + 1))
fi
echo "${total[0]} passed, ${total[1]} failed, ${total[2]} skipped"
[ "${total[1]}" = 0 ]
