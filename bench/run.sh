#!/usr/bin/env bash
# Everything measured, in one run: costs of the IR beside mlir-opt-19 in counted instructions, and latency of full-size models
# beside ONNX Runtime, OpenVINO and Paddle with a peak probe. Makes its own Python environment and models on first use; writes RESULTS.md.
#   bench/run.sh BUILD [MODELS]
set -euo pipefail
build=$(realpath "$1")
models=${2-resnet50,mobilenet_v1,bert_base}
here=$(cd "$(dirname "$0")" && pwd)
zoo=$build/bench/zoo
mkdir -p "$build/bench"
python=$("$here/peers.sh" "$build")
for m in ${models//,/ }; do
  [ -e "$zoo/$m/DONE" ] || "$python" "$here/zoo/make_zoo.py" --no-variants "$zoo" "$m"
  [ -e "$zoo/$m/model.onnx" ] || "$(dirname "$python")/paddle2onnx" --model_dir "$zoo/$m" --model_filename model.pdmodel \
    --params_filename model.pdiparams --save_file "$zoo/$m/model.onnx" --opset_version 17 >/dev/null
done
gcc -O2 -pthread -o "$build/bench/peak" "$here/peak.c" -lm
keep() { # section title command...: its output, shown and kept
  echo "== $2"
  python3 "$here/results.py" "$here/RESULTS.md" "$@"
}
keep ir "costs of the IR (counted instructions)" python3 "$here/ir/run.py" --build "$build"
keep read "reading legacy programs (from bytes to a verified program, in turns with Paddle's parser and translator)" \
  "$python" "$here/read.py" --lib "$build/lib/libpir.so" --json "$build/bench/read.json" \
  "$here"/../test/recorded/ppocr_cls.tar.xz "$here"/../test/recorded/ppocrv4_det.tar.xz
keep passes "passes of Paddle's GPU pipeline over a transformer (in turns with Paddle's PassManager)" \
  "$python" "$here/passes.py" --build "$build" --json "$build/bench/passes.json"
keep latency "latency" "$python" "$here/latency.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --peak "$build/bench/peak" \
  --models "$models" --json "$build/bench/latency.json"
