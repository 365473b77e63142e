#!/usr/bin/env bash
# The Triton backend in a real server (serve.py). The server and its clients come from PyPI, into an environment below BUILD.
#   serve.sh [--sample] BUILD RECORDED      --sample: the first checks, and only where the environment is there already
set -eu
sample=
if [ "$1" = --sample ]; then sample=$1; shift; fi
build=$(realpath "$1") recorded=$2
here=$(cd "$(dirname "$0")" && pwd)
venv=$build/triton/venv
clients=2.73.0 server=0.7.0
ready=$venv/.ready-$clients-$server log=$build/triton/pip.log
skip() { echo "skipped: Triton: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
install() {
  python3 -m venv "$venv" && "$venv/bin/pip" -q install numpy "tritonclient[http,grpc]==$clients" &&
    "$venv/bin/pip" -q install --no-deps "nvidia-pytriton==$server" && chmod +x "$venv"/lib/python3*/site-packages/pytriton/tritonserver/bin/tritonserver
}
if [ -n "$sample" ]; then
  command -v curl >/dev/null || skip "curl is not installed"
  [ -e "$ready" ] || skip "no server below $venv (make triton)"
elif [ ! -e "$ready" ]; then
  rm -rf "$venv" && mkdir -p "$build/triton"
  if ! install >"$log" 2>&1; then
    echo "FAIL the server cannot be installed: $(tail -n 1 "$log")"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
  fi
  touch "$ready"
fi
# shellcheck disable=SC2086
exec "$venv/bin/python" "$here/serve.py" $sample "$build" "$venv" "$recorded"
