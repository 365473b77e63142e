#!/usr/bin/env python3
"""Start-up: from the files of a model to its first result, beside ONNX Runtime, OpenVINO and Paddle Inference.

  start.py --zoo DIR --pir-run EXE [--models A,B] [--threads N] [--rounds N] [--engines pir,ort,..] [--json FILE]

Every measurement is a fresh process, pinned to the first N processors. "cold" starts with an empty cache folder, "warm" with the one
that the cold start left. A start is what the process takes to load, compile and run once (an engine's session and its first run); "process"
is the whole process from outside, which for Python would say nothing. Reported are medians over the rounds. Of a warm process: bytes of
shared libraries it maps beside libc, libm and the loader, read from /proc while it runs, and how many of them are resident. Memory
is the largest resident set of a process, beside what the parameter file holds.
"""
import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import latency

SYSTEM = re.compile(r"/(libc|libm|libpthread|libdl|ld-linux[^/]*|ld)[.-][^/]*$")


def command_of(args, folder, cache):
    feeds = [f"--input={os.path.basename(p)[3:-4]}=@{p}" for p in sorted(glob.glob(folder + "/case0/in_*.npy"))]
    return [args.pir_run, folder + "/model.json", f"--threads={args.threads}", f"--cache={cache}"] + feeds


def pin(threads):
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    return lambda: os.sched_setaffinity(0, cpus)


def one_start(args, folder, cache):
    r = latency.pinned(args.threads, command_of(args, folder, cache) + ["--benchmark=0", "--json"])
    r["first_ms"] = r["load_ms"] + r["compile_ms"] + r["first_run_ms"]
    return r


def one_process(args, folder, cache):
    start = time.perf_counter()
    subprocess.run(command_of(args, folder, cache), stdout=subprocess.DEVNULL, check=True, preexec_fn=pin(args.threads))
    return (time.perf_counter() - start) * 1e3


def mapped_libraries(pid):
    """{path: (mapped, resident)} of the shared libraries of a process, in bytes."""
    out, path = {}, None
    with open(f"/proc/{pid}/smaps") as f:
        for line in f:
            head = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s*(.*)", line)
            if head:
                path = head.group(3) if ".so" in head.group(3) and not SYSTEM.search(head.group(3)) else None
                size = int(head.group(2), 16) - int(head.group(1), 16)
                if path:
                    out[path] = (out.get(path, (0, 0))[0] + size, out.get(path, (0, 0))[1])
            elif path and line.startswith("Rss:"):
                out[path] = (out[path][0], out[path][1] + int(line.split()[1]) * 1024)
    return out


def libraries_of(args, folder, cache):
    child = subprocess.Popen(command_of(args, folder, cache) + ["--benchmark=1"], stdout=subprocess.DEVNULL, preexec_fn=pin(args.threads))
    time.sleep(0.6)
    found = mapped_libraries(child.pid)
    child.wait()
    return found


def ours(args, folder, samples):
    cache = tempfile.mkdtemp(prefix="pir-start-")
    try:
        samples.setdefault("pir cold", []).append(one_start(args, folder, cache))
        warm = one_start(args, folder, cache)
        if warm["kernels_compiled"]:
            raise SystemExit("start.py: a warm start compiled something")
        warm["process_ms"] = one_process(args, folder, cache)
        samples.setdefault("pir warm", []).append(warm)
        return libraries_of(args, folder, cache)
    finally:
        shutil.rmtree(cache)


def table(args, name, folder, samples, libraries):
    weights = os.path.getsize(folder + "/model.pdiparams") / 1e6
    print(f"\n{name}, {args.threads} threads; parameters {weights:.0f} MB")
    print("  engine      start ms   of it first run   process ms   peak MB  / parameters")
    rows = {}
    for engine, runs in samples.items():
        good = [r for r in runs if "first_ms" in r]
        if not good:
            print(f"  {engine:10} failed: {runs[0].get('error_text', '')[:100]}")
            continue
        middle = {k: statistics.median(r[k] for r in good if k in r) for k in ("first_ms", "first_run_ms", "process_ms")
                  if any(k in r for r in good)}
        rows[engine] = dict(middle, peak_mb=max(r["peak_rss_kb"] for r in good) * 1.024e-3, parameters_mb=weights)
        text = [f"{middle[k]:.1f}" if k in middle else "" for k in ("first_ms", "first_run_ms", "process_ms")]
        print(f"  {engine:10} {text[0]:>9} {text[1]:>17} {text[2]:>12} {rows[engine]['peak_mb']:9.0f} {rows[engine]['peak_mb'] / weights:11.2f}")
    total = [sum(v[i] for v in libraries.values()) / 1e6 for i in (0, 1)]
    print(f"  libraries a warm process maps: {total[0]:.2f} MB, resident {total[1]:.2f} MB: " +
          ", ".join(f"{os.path.basename(p)} {v[0] / 1e6:.2f}" for p, v in sorted(libraries.items(), key=lambda x: -x[1][0])))
    rows["libraries_mb"] = {"mapped": total[0], "resident": total[1]}
    return rows


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--zoo", required=True)
    ap.add_argument("--pir-run", required=True)
    ap.add_argument("--models", default="resnet50,bert_base", type=lambda s: s.split(","))
    ap.add_argument("--threads", default=2, type=int)
    ap.add_argument("--engines", default="pir,ort,openvino,paddle", type=lambda s: s.split(","))
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--json")
    args = ap.parse_args()
    args.seconds = 0
    peers = [e for e in args.engines if e != "pir"]
    if peers:
        print("versions: " + ", ".join(f"{e} {latency.version(e)}" for e in peers))
    results = {}
    for name in args.models:
        folder, samples, libraries = os.path.join(args.zoo, name), {}, {}
        if not os.path.exists(folder + "/model.json"):
            print(f"\n{name}: not in {args.zoo}")
            continue
        for _ in range(args.rounds):
            libraries = ours(args, folder, samples)
            for engine in peers:
                samples.setdefault(engine, []).append(latency.measure(args, engine, folder, args.threads))
        results[name] = table(args, name, folder, samples, libraries)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
