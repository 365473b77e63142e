#!/usr/bin/env bash
# Prints llama-bench of llama.cpp, as llama-cpp-python has its source: LLAMA_BENCH where it is set, else built below BUILD on first use for
# this processor (half an hour on one core). Prints nothing where it cannot be built.
#   bench/peers/llama_cpp.sh BUILD PYTHON
set -euo pipefail
there=$(realpath "$1")/bench/llama.cpp
if [ -n "${LLAMA_BENCH-}" ]; then
  echo "$LLAMA_BENCH"
  exit
fi
build() {
  rm -rf "$there" && mkdir -p "$there" && cd "$there"
  "$1" -m pip -q download --no-deps --no-binary :all: llama-cpp-python==0.3.36
  tar xf llama_cpp_python-*.tar.gz && rm llama_cpp_python-*.tar.gz
  cmake -G Ninja -S llama_cpp_python-*/vendor/llama.cpp -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=ON \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF
  nice ninja -j1 -C build llama-bench
}
if [ ! -x "$there/build/bin/llama-bench" ]; then
  echo "bench: building llama.cpp" >&2
  (build "$2") >"$there.log" 2>&1 || { echo "bench: llama.cpp cannot be built, see $there.log" >&2 && exit 0; }
fi
echo "$there/build/bin/llama-bench"
