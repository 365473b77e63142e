#!/usr/bin/env bash
# Keeps object code of the examples, compiled against the headers of this version: test/api/objects/N/VERSION, where N is
# that of libpir.so.N. Every later library of the same N must run it (test/api/objects.sh). What was released stays.
#   keep.sh BUILD
set -eu
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
[ "$(uname -m)" = x86_64 ] || { echo "objects are kept for x86-64"; exit 1; }
number=$(sed -n 's/^#define PIR_SONAME "\(.*\)"/\1/p' ir/abi/pir/base.h)
version=$(sed -n 's/^#define PIR_VERSION_M[A-Z]* //p; s/^#define PIR_VERSION_PATCH //p' ir/abi/pir/base.h | paste -sd.)
into=test/api/objects/$number/$version
rm -rf "$into"
mkdir -p "$into"
headers="-Iir/abi -Iir/include -Idialects/include -I$build/gen/include -Iruntime/include -Ipasses/include -Icodegen/include -Iruntime/exec/include"
for source in embed/embed.c build/build.c custom_op/ops.c digits/main.c; do
  # shellcheck disable=SC2086
  gcc -std=gnu11 -O2 -g0 -fPIC -fno-stack-protector $headers -c "examples/$source" -o "$into/$(dirname "$source").o"
done
# shellcheck disable=SC2086
g++ -x c++ -std=c++17 -O2 -g0 -fPIC -fno-stack-protector $headers -c examples/embed/embed.c -o "$into/embed_cpp.o"
