#!/usr/bin/env python3
"""Language models beside llama.cpp, ONNX Runtime, OpenVINO and Paddle: tokens a second, and prompts of 512 tokens.

  llm.py --models DIR --pir BIN --peak EXE [--llama-bench EXE] [--sizes A,B] [--types f32,bf16,int8,int4] [--threads 1,2]
         [--engines A,B] [--rounds N] [--max-gb N] [--keep] [--json FILE]

DIR/SIZE holds models of bench/zoo/llm.py, which are made where they lack: shapes of Llama with 162 million, 1.1 and 3.2 billion parameters, random
weights, batch 1. Ours: the programs as they are (f32) or after weight_only_pass (bf16; int8 with a scale for each column; int4 with one for each 128
rows; both with --math=int8, as the others round rows too). The others have the same weights in their own forms: F32, BF16, Q8_0 and Q4_0 of llama.cpp; MatMulNBits (blocks of 32 rows, and of 128) with
bytes for activations, and GroupQueryAttention, of ONNX Runtime; compressed constants and states of OpenVINO, in its bf16 for bf16; Paddle runs
our f32 programs. Their files are removed behind each type unless --keep.

A round measures each engine once, a fresh process on the first N processors: --tokens tokens after a prompt of one (mean), and prompts of 512
tokens of which the last one's logits are wanted (fastest of three or more). Medians over the rounds; spread is the slowest over the fastest round, for tokens. Beside
each round runs bench/peak.c: multiply-adds and bytes read a second. Disturbed rounds are repeated (noise.py). `read` is the bytes of the weights that
one token is multiplied by, over the time of a token, as a share of the bandwidth of reading; `peak` the arithmetic of the products and of attention,
as a share of the multiply-add peak in f32, for the whole prompt and, of ours, while contractions run. A size that needs more than --max-gb is
skipped by name, and so is what an engine cannot run.
"""
import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import noise

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + "/zoo", HERE + "/peers"]
import llm as models  # noqa: E402  (of the zoo; this file is run, not imported)

PROMPT = 512
PASSES = {"bf16": "weight_only{bits=16}", "int8": "weight_only{bits=8}", "int4": "weight_only{bits=4,group=128}"}
MATH = {"f32": "strict", "bf16": "bf16", "int8": "int8", "int4": "int8"}  # of ours
BYTES = {"f32": 4.0, "bf16": 2.0, "int8": 1.0, "int4": 0.5 + 4 / 128}  # of a weight; scales of columns do not count
PRODUCT = re.compile("matmul|weight_only|product")


def ids_of(size, count):
    return [(7 * i + 3) % size.vocab for i in range(count)]


# ---- others, in a child

class PaddleRunner:
    def __init__(self, folder, size, threads):
        import paddle.inference as pi
        self.size, self.predictors, self.caches = size, {}, None
        for name in ("prefill", "decode"):
            c = pi.Config(f"{folder}/{name}.json", folder + "/model.pdiparams")
            c.disable_gpu()
            c.disable_glog_info()
            c.enable_mkldnn()
            c.set_cpu_math_library_num_threads(threads)
            self.predictors[name] = lambda c=c: pi.create_predictor(c)

    def clear(self):
        self.caches = None

    def run(self, ids):
        import numpy as np
        name = "prefill" if self.caches is None else "decode"
        if callable(self.predictors[name]):
            self.predictors[name] = self.predictors[name]()
        p = self.predictors[name]
        for n in p.get_input_names():
            p.get_input_handle(n).copy_from_cpu(np.array([ids], "int64") if n == "ids" else self.caches[n])
        p.run()
        outputs = [p.get_output_handle(n) for n in p.get_output_names()]
        kinds = [f"{kind}_{i}" for i in range(self.size.layers) for kind in ("keys", "values")]
        self.caches = {n: o.copy_to_cpu() for n, o in zip(kinds, outputs[1:])}
        return int(np.argmax(outputs[0].copy_to_cpu()))


def runner_of(engine, folder, size, kind, threads):
    if engine == "paddle":
        return PaddleRunner(folder, size, threads)
    if engine == "ort":
        import llm_onnx
        return llm_onnx.Runner(f"{folder}/{kind}.onnx", size, threads)
    import llm_openvino
    return llm_openvino.Runner(f"{folder}/{kind}.xml", kind, threads)


def measure_here(engine, folder, name, kind, threads, tokens):
    """In a child: prints one line of JSON."""
    size = models.SIZES[name]
    runner = runner_of(engine, folder, size, kind, threads)

    def answer(count):
        runner.clear()
        made = [runner.run([1])]
        start = time.perf_counter()
        while len(made) < count:
            made.append(runner.run(made[-1:]))
        return (count - 1) / (time.perf_counter() - start), made

    def prompt():
        runner.clear()
        start = time.perf_counter()
        runner.run(ids_of(size, PROMPT))
        return time.perf_counter() - start
    answer(4)
    rate, made = answer(tokens)
    prompt()
    prefill = min(prompt() for _ in range(3))
    with open("/proc/self/status") as f:
        rss = next(int(l.split()[1]) for l in f if l.startswith("VmHWM"))
    print(json.dumps({"rate": rate, "prefill_ms": prefill * 1e3, "rss_mb": rss / 1024, "tokens": made}))


# ---- measuring

def pinned(threads, command):
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    env = dict(os.environ, OMP_NUM_THREADS=str(threads))
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    if p.returncode:
        raise RuntimeError(p.stderr.decode(errors="replace").strip()[-300:] or f"ended by {p.returncode}")
    return p.stdout.decode()


def our_command(args, folder, kind, program, threads):
    ending = "" if kind == "f32" else "." + kind
    return [args.pir + "/pir-run", f"{folder}/{program}{ending}.json", f"--params={folder}/model{ending}.pdiparams", f"--threads={threads}",
            f"--cache={folder}/cache", f"--math={MATH[kind]}", "--json"]


def contraction_share(trace, peak):
    with open(trace) as f:
        spans = [s for s in json.load(f) if PRODUCT.search(s["name"])]
    return sum(s["args"]["flops"] for s in spans) / sum(s["dur"] for s in spans) * 1e-3 / peak


def measure_pir(args, folder, size, kind, threads, peaks):
    command = our_command(args, folder, kind, "decode", threads)
    decode = json.loads(pinned(threads, command + ["--generate=1", f"--max-tokens={args.tokens}"]))
    with tempfile.TemporaryDirectory() as there:
        import numpy as np
        np.save(there + "/ids.npy", np.array([ids_of(size, PROMPT)], "int64"))
        command = our_command(args, folder, kind, "prefill", threads) + [f"--input=ids=@{there}/ids.npy", "--benchmark=1", f"--profile={there}/trace"]
        prefill = json.loads(pinned(threads, command))
        share = contraction_share(there + "/trace", peaks["fma_gflops"])
    return {"rate": decode["tokens_per_s"], "prefill_ms": prefill["min_ms"], "tokens": decode["tokens"], "contractions": share,
            "rss_mb": max(decode["peak_rss_kb"], prefill["peak_rss_kb"]) / 1024}


def measure_llama(args, folder, kind, threads):
    command = [args.llama_bench, "-m", f"{folder}/{kind}.gguf", "-t", str(threads), "-r", "3", "-o", "json"]
    prefill, decode = json.loads(pinned(threads, command + ["-p", str(PROMPT), "-n", str(args.tokens)]))
    return {"rate": decode["avg_ts"], "prefill_ms": min(prefill["samples_ns"]) * 1e-6}


def measure(args, engine, name, kind, threads, peaks):
    folder = os.path.join(args.models, name)
    try:
        if engine == "pir":
            return measure_pir(args, folder, models.SIZES[name], kind, threads, peaks)
        if engine == "llama.cpp":
            return measure_llama(args, folder, kind, threads)
        child = [sys.executable, __file__, "--child", engine, folder, name, kind, str(threads), str(args.tokens)]
        return json.loads(pinned(threads, child).strip().splitlines()[-1])
    except RuntimeError as error:
        return {"error": str(error)}


# ---- files

def refusal(engine, kind):
    if engine == "ort" and kind == "bf16":
        return "has no products of bf16 for processors"
    if engine == "paddle" and kind != "f32":
        return "has no kernel of few bits for processors"
    return None


def our_files(args, folder, kind):
    """Both programs and one file of parameters, as the pass makes them for each."""
    for program in ("prefill", "decode"):
        subprocess.run([args.pir + "/pir-opt", f"{folder}/{program}.json", f"--params={folder}/model.pdiparams", f"--passes={PASSES[kind]}",
                        "--emit=json", f"--params-out={folder}/model.{kind}.pdiparams", "-o", f"{folder}/{program}.{kind}.json", "--report=/dev/null"],
                       check=True, stderr=subprocess.DEVNULL)


def make_files(args, name, kind, engine):
    folder = os.path.join(args.models, name)
    path = {"pir": f"decode.{kind}.json", "llama.cpp": f"{kind}.gguf", "ort": f"{kind}.onnx", "openvino": f"{kind}.xml"}.get(engine)
    if not path or os.path.exists(f"{folder}/{path}") or (engine == "pir" and kind == "f32"):
        return
    if engine == "pir":
        return our_files(args, folder, kind)
    import importlib
    import llm_graph
    module = {"llama.cpp": "llm_gguf", "ort": "llm_onnx", "openvino": "llm_openvino"}[engine]
    importlib.import_module(module).write(llm_graph.Weights(folder, models.SIZES[name]), kind, f"{folder}/{path}")


def remove_files(args, name, kind):
    folder = os.path.join(args.models, name)
    for file in os.listdir(folder):
        if file.startswith(kind + ".") or f".{kind}." in file:
            os.remove(f"{folder}/{file}")
    shutil.rmtree(folder + "/cache", ignore_errors=True)


# ---- the report

def flops_of(size):
    """Of a prompt: products of all tokens, the head of the last, and scores and values of attention, all of them."""
    head = size.hidden * size.vocab
    return 2 * (PROMPT * (size.products() - head) + head + 2 * PROMPT * PROMPT * size.hidden * size.layers)


def middle(rounds):
    rates = [r["rate"] for r in rounds]
    row = {key: statistics.median(r[key] for r in rounds) for key in ("rate", "prefill_ms", "contractions", "rss_mb") if key in rounds[0]}
    return row | {"spread": max(rates) / min(rates), "tokens": rounds[0].get("tokens")}


def show(rows, engine, row, size, kind, peaks):
    others = [r for e, r in rows.items() if e != "pir"]
    if engine == "pir" and others:
        row["over_best"] = row["rate"] / max(r["rate"] for r in others)
        row["prefill_over_best"] = row["prefill_ms"] / min(r["prefill_ms"] for r in others)
    read = size.products() * BYTES[kind] * row["rate"] * 1e-9
    whole = flops_of(size) / row["prefill_ms"] * 1e-6 / peaks["fma_gflops"]
    ours, agree = rows["pir"]["tokens"] if "pir" in rows else None, ""
    if engine == "pir":
        row["read_share"], row["whole"] = read / peaks["read_gbps"], whole
    elif ours and row["tokens"]:
        agree = f"  {next((i for i, (a, b) in enumerate(zip(ours, row['tokens'])) if a != b), len(ours))} tokens as ours"
    ratio = [f"{row[key]:7.2f}" if key in row else "       " for key in ("over_best", "prefill_over_best")]
    share = f"{100 * read / peaks['read_gbps']:5.0f} %" if engine == "pir" else "       "
    inner = f"{100 * row['contractions']:5.0f} %" if engine == "pir" else "       "
    print(f"  {engine:10} {row['rate']:8.1f} {ratio[0]} {row['spread']:7.2f} {share} {row['prefill_ms']:10.1f} {ratio[1]} {100 * whole:5.0f} % {inner} "
          f"{row.get('rss_mb', math.nan):8.0f}{agree}")


def table(title, size, kind, engines, measured):
    peaks = {key: statistics.median(r["peaks"][key] for r in measured.results) for key in ("fma_gflops", "read_gbps")}
    print(f"\n{title}; {size.products() * BYTES[kind] / 1e6:.0f} MB of weights a token, read {peaks['read_gbps']:.1f} GB/s, "
          f"FMA peak {peaks['fma_gflops']:.0f} GFLOP/s{measured.note()}")
    print(f"  engine     tokens/s  / best  spread    read  prefill ms  / best    peak  inside   RSS MB")
    rows = {}
    for engine in engines:
        good = [r[engine] for r in measured.results if engine in r and "rate" in r[engine]]
        if good:
            rows[engine] = middle(good)
        elif engine in measured.results[0]:
            print(f"  {engine:10} failed: {measured.results[0][engine]['error'][-160:]}")
        else:
            print(f"  {engine:10} skipped: {refusal(engine, kind)}")
    for engine, row in rows.items():
        show(rows, engine, row, size, kind, peaks)
    return rows


def one(args, name, kind, threads, guard):
    title = f"{name}, {kind}, {threads} thread{'s' if threads > 1 else ''}"
    engines = [e for e in args.engines if not refusal(e, kind)]

    def once():
        peaks = json.loads(pinned(threads, [args.peak, "--json", f"--threads={threads}", "--seconds=0.3"]))
        results = {e: measure(args, e, name, kind, threads, peaks) for e in engines}
        times = {f"{e} {key}": r[key] for e, r in results.items() if "rate" in r for key in ("prefill_ms",)}
        times |= {f"{e} tokens": 1 / r["rate"] for e, r in results.items() if "rate" in r}
        return times | {"read": 1 / peaks["read_gbps"]}, results | {"peaks": peaks}
    return table(title, models.SIZES[name], kind, args.engines, guard.measure(title, once, args.rounds))


def summary(results):
    for key, title in (("over_best", "tokens a second over the best peer's"), ("prefill_over_best", "time of a prompt over the best peer's"),
                       ("read_share", "weights read, share of the bandwidth"), ("whole", "prompts in f32, share of the multiply-add peak")):
        rows = {k: r["pir"][key] for k, r in results.items() if key in r.get("pir", {}) and (key != "whole" or k[1] == "f32")}
        if rows:
            mean = math.exp(statistics.fmean(map(math.log, rows.values())))
            least = min(rows, key=rows.get)
            most = max(rows, key=rows.get)
            print(f"geometric mean, {title}: {mean:.2f} (least {rows[least]:.2f}: {' '.join(map(str, least))} threads; "
                  f"most {rows[most]:.2f}: {' '.join(map(str, most))} threads)")


def versions(args):
    import importlib.metadata
    names = {"ort": "onnxruntime", "openvino": "openvino", "paddle": "paddlepaddle"}
    found = [f"{e} {importlib.metadata.version(names[e])}" for e in args.engines if e in names]
    if "llama.cpp" in args.engines:
        text = subprocess.run([args.llama_bench, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        found.append("llama.cpp " + (re.search(r"version: (\S+)", text) or ["", args.llama_version])[1])
    return ", ".join(found)


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        return measure_here(*sys.argv[2:6], int(sys.argv[6]), int(sys.argv[7]))
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    lists = {"type": lambda s: s.split(",")}
    ap.add_argument("--models", required=True)
    ap.add_argument("--pir", required=True)
    ap.add_argument("--peak", required=True)
    ap.add_argument("--llama-bench")
    ap.add_argument("--llama-version", default="of an unknown version")
    ap.add_argument("--sizes", default=list(models.SIZES), **lists)
    ap.add_argument("--types", default=list(BYTES), **lists)
    ap.add_argument("--threads", default=[1, 2], type=lambda s: [int(n) for n in s.split(",")])
    ap.add_argument("--engines", default=["pir", "llama.cpp", "ort", "openvino", "paddle"], **lists)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--tokens", type=int, default=32)
    ap.add_argument("--max-gb", type=float, default=8)
    ap.add_argument("--keep", action="store_true")
    ap.add_argument("--json")
    args = ap.parse_args()
    if "llama.cpp" in args.engines and not args.llama_bench:
        print("llama.cpp skipped: no --llama-bench")
        args.engines.remove("llama.cpp")
    print("versions: " + versions(args))
    guards, results = {threads: noise.Guard(noise.probe_of(args.peak, threads)) for threads in args.threads}, {}
    for name in args.sizes:
        for kind in args.types:
            needed = sum(map(math.prod, models.SIZES[name].parameters().values())) * BYTES[kind] * 1e-9
            if needed > args.max_gb * 0.8:
                print(f"\n{name}, {kind}: skipped, {needed:.1f} GB of parameters and as much room as they need exceed {args.max_gb:g} GB")
                continue
            subprocess.run([sys.executable, HERE + "/zoo/llm.py", args.models, name], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for engine in args.engines:
                if not refusal(engine, kind):
                    make_files(args, name, kind, engine)
            for threads in args.threads:
                results[name, kind, threads] = one(args, name, kind, threads, guards[threads])
                sys.stdout.flush()
            if not args.keep:
                remove_files(args, name, kind)
    print()
    summary(results)
    for threads, guard in guards.items():
        print(f"{threads} thread{'s' if threads > 1 else ''}: {guard.summary()}")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"/".join(map(str, k)): r for k, r in results.items()}, f, indent=1)


if __name__ == "__main__":
    main()
