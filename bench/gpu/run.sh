#!/usr/bin/env bash
# Everything there is to measure on a machine with a CUDA device, in one call of under ten minutes: conformance of the recorded
# programs, bandwidth of memory-bound groups against the device's own copies, products, latency and start of whole
# models. Writes the page of the device in bench/results.
#   bench/gpu/run.sh BUILD [RECORDED]
# RECORDED is a folder of recordings; without it the archives in test/recorded are unpacked and run.
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
recorded=${2-$build/recorded}
if [ $# -lt 2 ]; then
  mkdir -p "$recorded"
  for a in "$here"/../../test/recorded/archives/*.tar.xz; do tar -C "$recorded" -xf "$a"; done
fi
timeout 590 python3 "$here/run.py" --build "$build" --results "$here/../RESULTS.md" "$recorded"
