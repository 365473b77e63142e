#!/usr/bin/env bash
# The Debian packages, installed by dpkg into an empty root: examples compile against them by pkg-config and by CMake, and
# run; the tools, the Python package and the manual pages are there; nothing names the folder in which they were built.
#   packages.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
case "${CFLAGS-}" in *-fsanitize*) echo "packages are not made of instrumented code"; exit 77 ;; esac  # 77: skipped
command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-dev is missing"; exit 77; }
MAKEFLAGS= make -s -C "$root" B="$build" CC="${CC-gcc}" deb >"$build/packages.log" 2>&1 || { cat "$build/packages.log"; exit 1; }
into=$build/packages
rm -rf "$into"
mkdir -p "$into"/var/lib/dpkg/{info,updates,triggers}
touch "$into/var/lib/dpkg/status"
# The packages that libpir depends on are those of this machine.
dpkg --root="$into" --force-not-root --force-depends --force-script-chrootless --log=/dev/null --install "$build"/deb/*.deb >"$build/packages.log" 2>&1 ||
  { cat "$build/packages.log"; exit 1; }
[ "$(dpkg --root="$into" --get-selections | grep -c '	install$')" = 5 ]

lib=$into/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
export LD_LIBRARY_PATH=$lib
model=$root/test/models/digits_cnn
work=$into/work
mkdir "$work"
export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$into
# shellcheck disable=SC2046
"${CC-gcc}" -std=c11 -Wall -Wextra -Werror "$root/examples/build/build.c" -o "$work/build" $(pkg-config --cflags --libs pir)
"$work/build" | grep -qx '0.5000 0.5000 0.7311 0.8808 0.9526 0.9820'
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(engine C)
find_package(pir 1.0 REQUIRED)
add_executable(engine $root/examples/embed/embed.c)
target_link_libraries(engine pir::pir pthread)
END
cmake -S "$work" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$into/usr" -DCMAKE_C_COMPILER="${CC-gcc}" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake --build "$work/cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/cmake/engine" "$model/model.json" "$model/model.pdiparams" | grep -q 'the two sessions agree'

# A compiled model, run with the runtime library alone.
"$into/usr/bin/pir-compile" "$model/model.json" -o "$work/model.o" --name=digits
"$into/usr/bin/pir-compile" -o "$work/digits.h" --name=digits
cat >"$work/rt.c" <<END
#include "digits.h"
int main(void) {
  pir_model *model;
  if (pir_model_open_digits(NULL, &model)) return 1;
  pir_model_release(model);
  return 0;
}
END
# shellcheck disable=SC2046
"${CC-gcc}" -std=c11 -Wall -Wextra -Werror "$work/rt.c" "$work/model.o" -o "$work/rt" $(pkg-config --cflags --libs pir_rt)
"$work/rt"
[ "$(LC_ALL=C objdump -p "$work/rt" | grep -c 'NEEDED *libpir')" = 1 ]

# LLVM is found beside the library.
"$into/usr/bin/pir-run" --version | grep -q '^LLVM [0-9]'
"$into/usr/bin/pir-run" "$model/model.json" --case="$model/case0"
"$into/usr/bin/pir-opt" "$model/model.json" --passes=dce | "$into/usr/bin/pir-translate" - --to=json >"$work/again.json"
PYTHONPATH=$into/usr/lib/python3/dist-packages /usr/bin/python3 -B - "$model" <<'END'
import sys
import numpy, libpir
model = libpir.Model.load(sys.argv[1] + "/model.json")
(scores,) = model.run([numpy.zeros((1, 1, 8, 8), numpy.float32)])
assert scores.shape == (1, 10), scores.shape
assert "/packages/usr/lib/python3/" in libpir.__file__, libpir.__file__
END
for tool in pir-opt pir-run pir-translate pir-compile; do
  gzip -dc "$into/usr/share/man/man1/$tool.1.gz" | grep -q "^.TH"
  [ -s "$into/usr/share/bash-completion/completions/$tool" ]
done
for package in "$into"/usr/share/doc/*; do [ -s "$package/copyright" ] && [ -s "$package/changelog.gz" ]; done
if grep -rlF "$root" "$into/usr"; then exit 1; fi
