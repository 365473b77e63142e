#!/usr/bin/env python3
"""Latency of whole models beside ONNX Runtime, OpenVINO (held to f32) and Paddle Inference with oneDNN.

  latency.py --zoo DIR --pir-run EXE [--peak EXE] [--models A,B|all] [--threads 1,2] [--batch 1,4,16] [--rounds N] [--json FILE]

DIR/NAME holds model.json, model.pdiparams, model.pdmodel, model.onnx and case0/ (models.py makes them). OpenVINO is given the
.pdmodel where it cannot read the ONNX file, Paddle where its passes for oneDNN fail on the JSON program. Every measurement is a fresh process, pinned to the first N
processors, that loads one model in one engine, warms up, runs for --seconds and prints its fastest and median run. Rounds are
interleaved (A B C A B C ...), so that a slow minute of a shared machine hits every engine alike. Reported: per engine the median
over the rounds of each round's fastest run, its ratio to the fastest of the others, and the spread (max / min over the rounds): a
difference below the spread is noise. Engines pir-fast, pir-bf16 and openvino-bf16 compute in those modes (bf16 has peers of its own) and
report their largest error, relative to the largest expected element. So do pir-int8, pir-ptq, ort-int8 and openvino-int8, which
run what models.py quantises on first use and are compared with each other. --peak is run beside every round; its FMA rate makes the
share of peak, and disturbed rounds are repeated (noise.py). --batch: inputs of so many samples where the network has a free batch
(default: those of case0); times are then those of a run divided by the batch. At the end, for each of
our engines: the ratios of all models, and their geometric mean over the networks of bench/zoo.
"""
import argparse
import contextlib
import glob
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import batches
import noise
from models import DETECTORS, ZOO, quantise

# Multiply-adds of the convolutions and products of one run, times two; those on padding count.
NOMINAL_GFLOP = {"resnet50": 8.178, "mobilenet_v1": 1.137, "bert_base": 22.348, "vit_base_patch16_224": 35.13}
# What engines of 8 bits run.
QUANTISED = {"pir-int8": "int8.json", "pir-ptq": "ptq.pdmodel", "ort-int8": "int8.onnx", "openvino-int8": "int8.onnx"}


def input_files(case):
    return {os.path.basename(p)[3:-4]: p for p in sorted(glob.glob(case + "/in_*.npy"))}


def inputs_of(case):
    import numpy as np
    return {name: np.load(path) for name, path in input_files(case).items()}


def outputs_of(case):
    """What is expected; nothing of a batch that is made here."""
    import numpy as np
    paths = sorted(glob.glob(case + "/out_*.npy"), key=lambda p: int(os.path.basename(p)[4:-4]))
    return [np.load(p) for p in paths]


def ort_session(folder, threads, feeds, mode="model"):
    import onnxruntime as ort
    o = ort.SessionOptions()
    o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    s = ort.InferenceSession(f"{folder}/{mode}.onnx", o, providers=["CPUExecutionProvider"])
    names = [i.name for i in s.get_inputs()]
    return lambda: s.run(None, {n: feeds[n] for n in names})


def openvino_session(folder, threads, feeds, mode="f32"):
    import openvino as ov
    core = ov.Core()
    model, hint = ("int8", "f32") if mode == "int8" else ("model", mode)
    how = {"INFERENCE_PRECISION_HINT": hint, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads}
    try:
        compiled = core.compile_model(f"{folder}/{model}.onnx", "CPU", how)
    except Exception:
        if mode == "int8":
            raise
        compiled = core.compile_model(folder + "/model.pdmodel", "CPU", how)
    request = compiled.create_infer_request()
    outputs = request.model_outputs

    def run():
        request.infer(feeds)
        return [request.get_tensor(o).data for o in outputs]
    return run


def paddle_session(folder, threads, feeds):
    try:
        run = paddle_predictor(folder + "/model.json", folder, threads, feeds)
        run()
    except Exception:
        run = paddle_predictor(folder + "/model.pdmodel", folder, threads, feeds)
    return run


def paddle_predictor(program, folder, threads, feeds):
    import paddle.inference as pi
    c = pi.Config(program, folder + "/model.pdiparams")
    c.disable_gpu()
    c.disable_glog_info()
    c.enable_mkldnn()
    c.set_cpu_math_library_num_threads(threads)
    p = pi.create_predictor(c)
    for n in p.get_input_names():
        p.get_input_handle(n).copy_from_cpu(feeds[n])
    handles = [p.get_output_handle(n) for n in p.get_output_names()]

    def run():
        p.run()
        return [h.copy_to_cpu() for h in handles]
    return run


def session_of(engine, folder, threads, feeds):
    """A function that runs the model in an engine, not ours, and returns its results."""
    engine, _, mode = engine.partition("-")
    session = {"ort": ort_session, "openvino": openvino_session, "paddle": paddle_session}[engine]
    return session(folder, threads, feeds, *[mode] if mode else [])


def measure_here(engine, folder, threads, seconds, case):
    """In a child: prints one line of JSON."""
    import numpy as np
    feeds = inputs_of(case)
    start = time.perf_counter()
    run = session_of(engine, folder, threads, feeds)
    out = run()
    first = time.perf_counter() - start
    error = max((float(np.max(np.abs(a.astype("f8") - b.astype("f8"))) / max(1e-30, float(np.max(np.abs(b)))))
                 for a, b in zip(out, outputs_of(case))), default=None)
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        t = time.perf_counter()
        run()
        times.append(time.perf_counter() - t)
    with open("/proc/self/status") as f:
        rss = next(int(l.split()[1]) for l in f if l.startswith("VmHWM"))
    print(json.dumps({"min_ms": min(times) * 1e3, "median_ms": statistics.median(times) * 1e3, "first_ms": first * 1e3,
                      "peak_rss_kb": rss, "error": error}))


def pinned(threads, command, env=None):
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                       preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    if p.returncode:
        return {"error_text": p.stderr.decode(errors="replace").strip()[-300:]}
    return json.loads(p.stdout.decode().strip().splitlines()[-1])


def version(engine):
    import importlib.metadata
    engine = engine.partition("-")[0]
    return importlib.metadata.version({"ort": "onnxruntime", "paddle": "paddlepaddle"}.get(engine, engine))


def is_ours(engine):
    return engine.partition("-")[0] == "pir"


def precision(engine):
    """Engines of one precision are compared."""
    return "int8" if engine in QUANTISED else "bf16" if engine.endswith("-bf16") else "f32"


def our_command(args, engine, folder, threads, case):
    mode = engine.partition("-")[2]
    command = [args.pir_run, f"{folder}/{QUANTISED.get(engine, 'model.json')}", f"--threads={threads}"]
    if mode:
        command.append(f"--math={'int8' if engine in QUANTISED else mode}")
    if mode and outputs_of(case):
        return command + [f"--case={case}", "--rtol-max=1"]
    return command + [f"--input={name}=@{path}" for name, path in input_files(case).items()]


def measure(args, engine, folder, threads, case=None):
    case = case or folder + "/case0"
    if is_ours(engine):
        return pinned(threads, our_command(args, engine, folder, threads, case) + [f"--benchmark={args.seconds}", "--json"])
    env = dict(os.environ, OMP_NUM_THREADS=str(threads))
    return pinned(threads, [sys.executable, __file__, "--child", engine, folder, str(threads), str(args.seconds), case], env)


def middle_of(rounds, batch):
    """Medians over the rounds of one engine, times by sample."""
    mins = [r["min_ms"] / batch for r in rounds]
    return {"min_ms": statistics.median(mins), "spread": max(mins) / min(mins),
            "median_ms": statistics.median(r["median_ms"] / batch for r in rounds),
            "first_ms": statistics.median(r.get("first_ms", r.get("first_run_ms", 0)) for r in rounds),
            "error": rounds[0].get("error", rounds[0].get("max_rel_error")),
            "rss_mb": max(r["peak_rss_kb"] for r in rounds) / 1024}


def table(args, name, title, batch, measured):
    peak = statistics.median(measured.peaks)
    flops = NOMINAL_GFLOP.get(name, 0)
    print(f"\n{title}; FMA peak {peak:.0f} GFLOP/s{measured.note()}")
    each = "; min and median of one sample" if batch > 1 else ""
    print(f"  engine         min ms  / best  spread  median ms  first ms   RSS MB  share of peak{each}")
    rows = {}
    for engine in args.engines:
        good = [r[engine] for r in measured.results if "min_ms" in r[engine]]
        if good:
            rows[engine] = middle_of(good, batch)
        else:
            print(f"  {engine:13} failed: {measured.results[0][engine].get('error_text', '')[:120]}")
    for engine, r in rows.items():
        base = min((p["min_ms"] for e, p in rows.items() if not is_ours(e) and precision(e) == precision(engine)), default=None)
        r["ratio"] = r["min_ms"] / base if base else float("nan")
        share = 100 * flops / (r["min_ms"] * 1e-3) / peak if peak else 0
        print(f"  {engine:13} {r['min_ms']:8.2f} {r['ratio']:7.2f} {r['spread']:7.2f} {r['median_ms']:10.2f} "
              f"{r['first_ms']:9.1f} {r['rss_mb']:8.0f} {share:8.0f} %"
              + (f"  error {r['error']:.2g}" if "-" in engine and r["error"] is not None else ""))
    return rows


def label(threads, batch):
    return (f"batch {batch}, " if batch else "") + f"{threads} thread{'s' if threads > 1 else ''}"


def one(args, name, threads, batch, guard):
    """Measures a network; nothing of one that has no free batch. `batch` is 0 for the inputs of case0."""
    folder, title = os.path.join(args.zoo, name), f"{name}, {label(threads, batch)}"
    with tempfile.TemporaryDirectory() if batch else contextlib.nullcontext() as case:
        if batch and not batches.write_case(folder, case, batch):
            return print(f"\n{title}: has no free batch")

        def once():
            results = {e: measure(args, e, folder, threads, case) for e in args.engines}
            return {e: r["min_ms"] for e, r in results.items() if "min_ms" in r}, results
        return table(args, name, title, batch or 1, guard.measure(title, once, args.rounds))


def summary(results, columns, ours="pir"):
    """A line a model, and the geometric means of the ratios of an engine over the zoo."""
    of = "" if ours == "pir" else f"of {ours} "
    print(f"\nlatency {of}over the fastest peer's, by {'; '.join(label(*c) for c in columns)}")
    for name in dict.fromkeys(name for name, _, _ in results):
        ratios = [results.get((name, *c), {}).get(ours, {}).get("ratio", math.nan) for c in columns]
        print(f"  {name:22}" + "".join(f"{r:8.2f}" for r in ratios))
    for c in columns:
        ratios = [r[ours]["ratio"] for (name, *column), r in results.items()
                  if tuple(column) == c and name in ZOO and r.get(ours, {}).get("ratio", 0) > 0]
        if len(ratios) > 1:
            print(f"geometric mean {of}over {len(ratios)} networks of the zoo, {label(*c)}: "
                  f"{math.exp(statistics.fmean(map(math.log, ratios))):.3f}; above 1.00: {sum(r > 1 for r in ratios)}")


def numbers(text):
    return [int(x) for x in text.split(",")]


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        return measure_here(sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5]), sys.argv[6])
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--zoo", required=True)
    ap.add_argument("--pir-run", required=True)
    ap.add_argument("--peak")
    ap.add_argument("--models", default="resnet50,mobilenet_v1,bert_base")
    ap.add_argument("--threads", default=[1, 2], type=numbers)
    ap.add_argument("--batch", default=[0], type=numbers)
    ap.add_argument("--engines", default="pir,ort,openvino,paddle", type=lambda s: s.split(","))
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--seconds", type=float, default=2.0)
    ap.add_argument("--json")
    args = ap.parse_args()
    results = {}
    print("versions: " + ", ".join(f"{e} {version(e)}" for e in args.engines if not is_ours(e)))
    if any(e in QUANTISED for e in args.engines):
        print("programs: " + ", ".join(f"{e} {QUANTISED[e]}" for e in args.engines if e in QUANTISED)
              + "; int8.json is made by our passes, ptq.pdmodel by Paddle, int8.onnx by ONNX Runtime (QDQ)")
    guards = {threads: noise.Guard(noise.probe_of(args.peak, threads)) for threads in args.threads}
    columns = [(threads, batch) for batch in args.batch for threads in args.threads]
    for name in ZOO + list(DETECTORS) if args.models == "all" else args.models.split(","):
        if any(e in QUANTISED for e in args.engines):
            quantise(os.path.join(args.zoo, name), os.path.join(os.path.dirname(args.pir_run), "pir-opt"),
                     {QUANTISED[e] for e in args.engines if e in QUANTISED})
        for threads, batch in columns:
            rows = one(args, name, threads, batch, guards[threads])
            if rows:
                results[name, threads, batch] = rows
    for ours in [e for e in args.engines if is_ours(e)]:
        summary(results, columns, ours)
    for threads, guard in guards.items():
        print(f"{label(threads, 0)}: {guard.summary()}")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({f"{name}/{threads}" + f"/{batch}" * (batch > 0): r for (name, threads, batch), r in results.items()}, f, indent=1)


if __name__ == "__main__":
    main()
