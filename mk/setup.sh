#!/bin/sh
# Installs the Debian packages that the build and the tests need and that are missing, and says which.
# Needs root or sudo for that; does nothing when all are there.
set -eu
packages="gcc g++ clang-19 libc6-dev make pkg-config flex bison llvm-19-dev llvm-19-tools libjansson-dev libprotobuf-c-dev
 protobuf-c-compiler libffi-dev libxxhash-dev liblapacke libkissfft-dev libpng-dev libturbojpeg0-dev libcmocka-dev python3 python3-cffi python3-numpy
 python3-pytest xz-utils cmake"
[ "${1-}" = lint ] && packages="$packages clang-format-19 universal-ctags abigail-tools"
[ "${1-}" = engine ] && packages="$packages valgrind"
[ "${1-}" = deb ] && packages="$packages dpkg-dev"
[ "${1-}" = bench ] && packages="$packages mlir-19-tools valgrind python3-venv"
[ "${1-}" = triton ] && packages="$packages python3-venv curl"
[ "${1-}" = interop ] || [ "${1-}" = wheel ] && packages="$packages python3-venv"
# Another architecture's libraries, its compiler, and an emulator of its processors.
if [ "${1-}" = neon ]; then
  packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
   libjansson-dev:arm64 libprotobuf-c-dev:arm64 libffi-dev:arm64 libxxhash-dev:arm64"
fi
[ "${1-}" = view ] && packages="$packages chromium fonts-dejavu-core"
[ "${1-}" = site ] && packages="$packages python3-sphinx python3-myst-parser python3-breathe furo doxygen"
[ "${1-}" = mpi ] && packages="$packages openmpi-bin libopenmpi-dev mpich libmpich-dev"
[ "${1-}" = fuzz ] && packages="$packages libclang-rt-19-dev"
missing=
for p in $packages; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "setup: installing$missing"
as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "setup: please install as root:$missing" >&2; exit 1; }
  as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
case $missing in *:arm64*) $as_root dpkg --add-architecture arm64 ;; esac
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
