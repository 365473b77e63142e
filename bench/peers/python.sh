#!/usr/bin/env bash
# Prints the Python that has the engines we are measured beside: PEERS where it is set, else one made below BUILD on first use.
#   bench/peers/python.sh BUILD
set -euo pipefail
venv=$(realpath "$1")/bench/venv
if [ -n "${PEERS-}" ]; then
  echo "$PEERS"
  exit
fi
if [ ! -e "$venv/.ready" ]; then
  echo "bench: making a Python environment with the peers" >&2
  mkdir -p "$(dirname "$venv")"
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install numpy paddlepaddle==3.3.1 onnx onnxruntime openvino paddle2onnx gguf >&2
  touch "$venv/.ready"
fi
echo "$venv/bin/python"
