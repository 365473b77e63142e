#!/usr/bin/env bash
# Everything measured, in one run: costs of the IR beside mlir-opt-19 in counted instructions, and latency and accuracy of full-size models
# (f32, bf16, int8) beside ONNX Runtime, OpenVINO and Paddle, with a peak probe. Makes its own Python environment and models on first use
# (ten minutes and 4 GB of disk for all of them); writes the page of this processor in results, and the index RESULTS.md. MODELS: names
# with commas between, or all (default). RESULTS=FILE: another index, with its pages beside it.
#   bench/run.sh BUILD [MODELS]
set -euo pipefail
build=$(realpath "$1")
models=${2-all}
here=$(cd "$(dirname "$0")" && pwd)
zoo=$build/bench/zoo
index=${RESULTS-$here/RESULTS.md}
mkdir -p "$build/bench"
python=$("$here/peers/python.sh" "$build")
names=()
[ "$models" = all ] || IFS=, read -ra names <<<"$models"
"$python" "$here/models.py" "$zoo" --pir-translate "$build/bin/pir-translate" "${names[@]}"
gcc -O2 -pthread -o "$build/bench/peak" "$here/peak.c" -lm
keep() { # section title command...: its output, shown and kept
  echo "== $2"
  python3 "$here/results.py" "$index" "$@"
}
keep ir "costs of the IR (counted instructions)" python3 "$here/ir/run.py" --build "$build"
keep read "reading legacy programs (from bytes to a verified program, in turns with Paddle's parser and translator)" \
  "$python" "$here/ir/read.py" --lib "$build/lib/libpir.so" --json "$build/bench/read.json" \
  "$here"/../test/recorded/archives/ppocr_cls.tar.xz "$here"/../test/recorded/archives/ppocrv4_det.tar.xz
keep passes "passes of Paddle's GPU pipeline over a transformer (in turns with Paddle's PassManager)" \
  "$python" "$here/passes.py" --build "$build" --json "$build/bench/passes.json"
keep latency "latency" "$python" "$here/latency.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --peak "$build/bench/peak" \
  --models "$models" --json "$build/bench/latency.json"
keep math "latency of --math=fast and --math=bf16" "$python" "$here/latency.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --peak "$build/bench/peak" \
  ${names[@]:+--models "$models"} --engines pir,pir-fast,pir-bf16,ort,openvino,openvino-bf16
keep int8 "latency of networks of 8 bits" \
  "$python" "$here/latency.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --peak "$build/bench/peak" \
  --models "$([ "$models" = all ] && echo resnet50,mobilenet_v1,mobilenet_v2 || echo "$models")" \
  --engines pir-int8,pir-ptq,ort-int8,openvino-int8
keep batches "latency by batch" "$python" "$here/latency.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --peak "$build/bench/peak" \
  --models "$([ "$models" = all ] && echo resnet50,mobilenet_v1,mobilenet_v3_large,shufflenet_v2_x1_0 || echo "$models")" --batch 1,4,16,64
keep accuracy "errors against float64" "$python" "$here/accuracy.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --models "$models" \
  --json "$build/bench/accuracy.json"
keep start "from files to the first result" "$python" "$here/start.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --json "$build/bench/start.json"
keep shapes "new shapes" "$python" "$here/shapes.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --json "$build/bench/shapes.json"
keep roofline "where the time goes, and how near it is to the limits" python3 "$here/roofline.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" \
  --peak "$build/bench/peak" ${names[@]:+--models "$models"}
keep cores "many cores, foreseen: speedup and imbalance of loops" \
  python3 "$here/cores.py" --zoo "$zoo" --pir-run "$build/bin/pir-run" --models "$models"
keep dist "distributed programs: steps of ranks, predicted and measured" \
  python3 "$here/dist/scale.py" "$build" "$zoo" --json "$build/bench/dist.json"
keep contract "contractions alone, channels last (beside the multiply-add peak)" \
  python3 "$here/contract/run.py" --bench "$build/bin/contract-bench" --peak "$build/bench/peak"
keep llm "language models" "$python" "$here/llm.py" --models "$build/bench/llm" --pir "$build/bin" --peak "$build/bench/peak" \
  --llama-bench "$("$here/peers/llama_cpp.sh" "$build" "$python")"
"$python" "$here/ops/run.py" --lib "$build/lib/libpir.so" --work "$build/bench/limits" --peak "$build/bench/peak" --limits --threads 1,2 \
  --results "$index"
