#!/usr/bin/env bash
# Real Paddle and OpenVINO run what we write of every recorded model (interop.py); Paddle partitions programs over meshes as we do (partition.py), and its
# passes and gradients of whole programs are ours (passes.py). Makes its own Python environment on first use.
#   test/interop/run.sh BUILD [RECORDED]
# RECORDED names a folder of recordings; without it the archives in test/recorded are unpacked. VENV names an environment that has
# paddlepaddle 3.3.1 (and openvino, else those checks are left out).
set -euo pipefail
build=$(realpath "$1") recorded=${2-}
here=$(cd "$(dirname "$0")" && pwd)
work=$build/interop venv=${VENV:-$build/interop/venv}
mkdir -p "$work"
if [ -z "${VENV-}" ] && [ ! -e "$venv/.ready" ]; then
  echo "interop: making a Python environment with the peers"
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install numpy paddlepaddle==3.3.1 openvino
  touch "$venv/.ready"
fi
if [ -z "$recorded" ]; then
  recorded=$work/recorded
  mkdir -p "$recorded"
  for a in "$here"/../recorded/archives/*.tar.xz; do
    mark=$recorded/.$(basename "$a")
    if [ ! -e "$mark" ] || [ "$a" -nt "$mark" ]; then tar -C "$recorded" -xf "$a" && touch "$mark"; fi
  done
fi
"$venv/bin/python" "$here/partition.py" --bin "$build/bin" --work "$work/partition"
"$venv/bin/python" "$here/passes.py" --bin "$build/bin" --work "$work/passes" "$recorded"
"$venv/bin/python" "$here/interop.py" --bin "$build/bin" --work "$work/out" "$recorded" "$here/.."
