#!/usr/bin/env python3
"""What a new shape costs: every shape is run twice, in one session that saw the largest first.

  shapes.py --zoo DIR --pir-run EXE [--threads N] [--sizes N] [--seed N] [--engines pir,ort] [--json FILE]

Two models: BERT at eight lengths from 16 to 512, and the PP-OCRv4 detector at --sizes random sizes (batch 1 to 4, height and width
multiples of 32 from 32 to 320). Reported over the shapes: what was compiled after the first run, the median of first run over second, and
by how much the process grew after the largest shape.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import latency

LENGTHS = (16, 32, 64, 96, 128, 256, 384, 512)


def shapes_of(name, args):
    if name == "bert_base":
        return [[(1, n)] * 3 for n in LENGTHS]
    draw = random.Random(args.seed)
    return [[(draw.randint(1, 4), 3, draw.randrange(32, 321, 32), draw.randrange(32, 321, 32))] for _ in range(args.sizes)]


def resident_kb():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def onnx_here(folder, threads, path):
    """In a child: prints one line of JSON."""
    import numpy as np
    import onnxruntime as ort
    o = ort.SessionOptions()
    o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
    s = ort.InferenceSession(folder + "/model.onnx", o, providers=["CPUExecutionProvider"])
    draw = np.random.default_rng(0)

    def feed(shapes):
        return {i.name: draw.integers(0, 2, shape) if "int64" in i.type else draw.random(shape, np.float32)
                for i, shape in zip(s.get_inputs(), shapes)}

    def once(feeds):
        start = time.perf_counter()
        s.run(None, feeds)
        return time.perf_counter() - start
    with open(path) as f:
        rows = [[tuple(map(int, shape.split("x"))) for shape in line.split()] for line in f]
    feeds = [feed(row) for row in rows]
    once(max(feeds, key=lambda f: sum(x.size for x in f.values())))
    base, most, ratios = resident_kb(), 0, []
    for one in feeds:
        ratios.append(once(one) / once(one))
        most = max(most, resident_kb() - base)
    print(json.dumps({"first_over_second": statistics.median(ratios), "rss_growth_kb": most}))


def measure(engine, args, folder, path):
    if engine == "ort":
        return latency.pinned(args.threads, [sys.executable, __file__, "--child", folder, str(args.threads), path])
    return latency.pinned(args.threads, [args.pir_run, folder + "/model.json", f"--threads={args.threads}", f"--shapes={path}", "--json"])


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        return onnx_here(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--zoo", required=True)
    ap.add_argument("--pir-run", required=True)
    ap.add_argument("--threads", default=2, type=int)
    ap.add_argument("--sizes", default=200, type=int)
    ap.add_argument("--seed", default=1, type=int)
    ap.add_argument("--engines", default="pir,ort", type=lambda s: s.split(","))
    ap.add_argument("--json")
    args = ap.parse_args()
    results = {}
    print("  model            engine  shapes  compiled  first / second  growth MB")
    for name in ("bert_base", "ppocrv4_det_480"):
        shapes = shapes_of(name, args)
        if not os.path.exists(os.path.join(args.zoo, name, "model.json")):
            print(f"  {name}: not in {args.zoo}")
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
            f.writelines(" ".join("x".join(map(str, shape)) for shape in row) + "\n" for row in shapes)
            f.flush()
            for engine in args.engines:
                r = measure(engine, args, os.path.join(args.zoo, name), f.name)
                results[f"{name}/{engine}"] = r
                if "error_text" in r:
                    print(f"  {name:16} {engine:6}  failed: {r['error_text'][:100]}")
                    continue
                print(f"  {name:16} {engine:6} {len(shapes):7} {r.get('recompiles_after_warmup', '-'):>9} {r['first_over_second']:15.3f} "
                      f"{r['rss_growth_kb'] / 1024:10.1f}", flush=True)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
