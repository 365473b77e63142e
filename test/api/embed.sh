#!/usr/bin/env bash
# Installs into a scratch folder, builds examples/embed against the installed pkg-config file as C11 and as
# C++17, and runs it: two threads, two sessions, the library's pool and the program's own executor. Then
# by CMake; programs with the runtime library alone, by CMake and static; and what else is installed. (engine.sh runs
# examples/engine.)
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
# The functions that build ops, all of them, as C and as C++.
# shellcheck disable=SC2086
cc -std=c11 -Wall -Wextra -Werror "$root/examples/build/build.c" -o "$into/build_c" $flags
"$into/build_c" | grep -qx '0.5000 0.5000 0.7311 0.8808 0.9526 0.9820'
printf '#include <pir/compiler/build/%s.h>\n' builtin onednn pd_op >"$into/all_ops.cc"
cat >>"$into/all_ops.cc" <<EOF
pir_value *largest(pir_op_builder *b, pir_value *x) {
  pir_pd_topk_options options = {};
  options.k = pir_number_of(2);
  options.axis = PIR_SET(0);
  pir_pd_topk_results top = pir_pd_topk(PIR_HERE(b), x, &options);
  return pir_pd_concat(b, pir_values_of(&top.out, 1), nullptr);
}
EOF
# shellcheck disable=SC2086
c++ -std=c++17 -Wall -Wextra -Werror -pedantic -c "$into/all_ops.cc" -o "$into/all_ops.o" $flags
# A library of passes, and the installed tool that opens it.
# shellcheck disable=SC2086
cc -std=c11 -Wall -Wextra -Werror -shared -fPIC "$root/examples/pass/passes.c" -o "$into/passes.so" $flags
"$into/bin/pir-opt" --load-passes="$into/passes.so" --list-passes >"$into/log"
grep -q '^exchange_pass ' "$into/log"
# One with a libpir of its own is refused.
# shellcheck disable=SC2046,SC2086
cc -std=c11 -shared -fPIC "$root/examples/pass/passes.c" -o "$into/whole.so" ${CFLAGS-} $(pkg-config --cflags pir) "$into/lib/libpir.a" \
  $(pkg-config --static --libs pir | sed 's/-lpir //')
if "$into/bin/pir-opt" --load-passes="$into/whole.so" --list-passes 2>"$into/log"; then exit 1; fi
grep -q 'whole.so: is linked with another copy of libpir' "$into/log"

# The same by CMake, with its own version and not with a later one.
cat >"$into/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(engine C)
find_package(pir 1.0 REQUIRED)
find_package(pir 1000 QUIET)
if(pir_FOUND)
  message(FATAL_ERROR "version 1000 was found")
endif()
find_package(pir REQUIRED)
add_executable(engine $root/examples/embed/embed.c)
target_link_libraries(engine pir::pir pthread)
add_executable(runtime $root/examples/engine/runtime.c)
target_link_libraries(runtime pir::rt)
EOF
cmake -S "$into" -B "$into/cmake" -DCMAKE_PREFIX_PATH="$into" -DCMAKE_C_COMPILER="${CC-gcc}" -DCMAKE_C_FLAGS="${CFLAGS-}" >"$into/log"
cmake --build "$into/cmake" >>"$into/log"
"$into/cmake/engine" "$model/model.json" "$model/model.pdiparams" | grep -q 'the two sessions agree'

# A compiled model, with the runtime library alone: from CMake, and the static one.
"$into/bin/pir-compile" "$model/model.json" -o "$into/model.pirm"
# shellcheck disable=SC2046,SC2086
cc -std=c11 "$root/examples/engine/runtime.c" -o "$into/runtime_static" ${CFLAGS-} $(pkg-config --cflags pir_rt) \
  $(pkg-config --static --libs pir_rt | sed 's/-lpir_rt/-l:libpir_rt.a/')
for program in cmake/runtime runtime_static; do
  "$into/$program" "$into/model.pirm" | grep -q '^first row: '
done
needed() { LC_ALL=C objdump -p "$into/$1" | grep -oE 'NEEDED *libpir.*' | grep -oE '[^ ]+$' || true; }
[ "$(needed cmake/runtime | sed 's/[.]so.*//')" = libpir_rt ]
[ -z "$(needed runtime_static)" ]

# Headers of the two sets alone: those between the layers stay in the source tree.
[ ! -e "$into/include/pir/layer" ]
if grep -rn '#include [<"]pir/layer' "$into/include"; then exit 1; fi

# Manual pages and completions know every option that --help prints.
for tool in pir-compile pir-opt pir-run pir-translate; do
  page=$into/share/man/man1/$tool.1
  . "$into/share/bash-completion/completions/$tool"
  COMP_WORDS=("$tool" --) COMP_CWORD=1
  compopt() { :; }  # outside of a completion there is nothing to set
  "_$tool"
  count=0
  for option in $("$into/bin/$tool" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    grep -qF -- "\fB${option//-/\\-}\fR" "$page" || { echo "$page: no $option"; exit 1; }
    [[ " ${COMPREPLY[*]} " == *" $option"[=\ ]* ]] || { echo "$tool: $option is not completed"; exit 1; }
    count=$((count + 1))
  done
  [ $count -gt 15 ]
  if grep -q '@[A-Z]*@' "$page"; then exit 1; fi
done
