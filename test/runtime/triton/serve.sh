#!/usr/bin/env bash
# The Triton backend in a real server (serve.py). The server and its clients come from PyPI, into an environment below BUILD.
#   serve.sh [--sample] BUILD RECORDED      --sample: the first checks, and only where the environment is there already
set -eu
sample=
if [ "$1" = --sample ]; then sample=$1; shift; fi
build=$(realpath "$1") recorded=$2
here=$(cd "$(dirname "$0")" && pwd)
venv=$build/triton/venv
skip() { echo "skipped: Triton: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
command -v curl >/dev/null || skip "curl is not installed"
if [ ! -e "$venv/.ready" ]; then
  [ -z "$sample" ] || skip "no server below $venv (make triton)"
  rm -rf "$venv" && mkdir -p "$build/triton" && python3 -m venv "$venv"
  "$venv/bin/pip" -q install numpy 'tritonclient[http,grpc]==2.73.0' >"$build/triton/pip.log" 2>&1 &&
    "$venv/bin/pip" -q install --no-deps nvidia-pytriton==0.7.0 >>"$build/triton/pip.log" 2>&1 || skip "the server cannot be had: $(tail -n 1 "$build/triton/pip.log")"
  chmod +x "$venv"/lib/python3*/site-packages/pytriton/tritonserver/bin/tritonserver
  touch "$venv/.ready"
fi
# shellcheck disable=SC2086
exec "$venv/bin/python" "$here/serve.py" $sample "$build" "$venv" "$recorded"
