#!/usr/bin/env bash
# Draws networks with the real Paddle and compares our numbers (nets.py). Makes its own Python environment on first use.
#   test/nets/run.sh BUILD SEED NETS [KINDS] [SCRIPT]
# VENV names an environment that has paddlepaddle 3.3.1. SCRIPT draws in place of draw.py.
set -euo pipefail
build=$(realpath "$1") seed=$2 nets=$3 kinds=${4-} script=${5-}
here=$(cd "$(dirname "$0")" && pwd)
venv=${VENV:-$build/nets/venv}
mkdir -p "$build/nets"
if [ -z "${VENV-}" ] && [ ! -e "$venv/.ready" ]; then
  echo "nets: making a Python environment with Paddle"
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install numpy paddlepaddle==3.3.1
  touch "$venv/.ready"
fi
nice python3 "$here/nets.py" --bin "$build/bin" --work "$build/nets/drawn" --python "$venv/bin/python" --seed "$seed" --nets "$nets" \
  ${kinds:+--kinds="$kinds"} ${script:+--draw="$script"}
