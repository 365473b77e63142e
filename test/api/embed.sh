#!/usr/bin/env bash
# Installs into a scratch folder, builds examples/embed against the installed pkg-config file as C11 and as
# C++17, and runs it: two threads, two sessions, the library's pool and the program's own executor.
#   embed.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
into=$build/embed-install
rm -rf "$into"
make -s -C "$root" B="$build" PREFIX="$into" CC="${CC-gcc}" ${CFLAGS+CFLAGS="$CFLAGS"} install
export PKG_CONFIG_PATH=$into/lib/pkgconfig LD_LIBRARY_PATH=$into/lib
flags="${CFLAGS-} $(pkg-config --cflags --libs pir)"
# shellcheck disable=SC2086
cc -std=c11 -Wall -Wextra -Werror -pedantic "$root/examples/embed/embed.c" -o "$into/embed_c" $flags -pthread
# shellcheck disable=SC2086
c++ -x c++ -std=c++17 -Wall -Wextra -Werror -pedantic "$root/examples/embed/embed.c" -o "$into/embed_cpp" $flags -pthread
model=$root/test/models/digits_cnn
for program in embed_c embed_cpp; do
  for file in model.json model.pdmodel; do
    "$into/$program" "$model/$file" "$model/model.pdiparams" | grep -q 'the two sessions agree'
  done
done
