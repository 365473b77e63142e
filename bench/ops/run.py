#!/usr/bin/env python3
"""How fast single ops are, beside ONNX Runtime and Paddle Inference.

  run.py --lib build/lib/libpir.so --work FOLDER [--peak EXE] [--limits] [--only A;B] [--threads 1,2] [--rounds N] [--results FILE.md]

Every case of cases.py, at a size that stays in the cache and at 16 MB; or, with --limits, those of limits.py and what share of the
multiply-add peak, or of the bandwidth of a non-temporal copy, each engine reaches. One process an engine, all pinned to the same processors; they
run in turns, several rounds of some milliseconds, and the fastest run of each counts, so that a slow moment of a shared machine hits
every engine alike; disturbed rounds are repeated (noise.py). From every time that of an empty call of the same engine is taken off: what is compared is the op. `ratio` is ours
(what a user gets: the default pipeline) to the faster of the peers; `called` the same with every op called (pipeline `kernels`).
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import cases
import limits
from cases import EMPTY

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import noise  # noqa: E402
import results  # noqa: E402
SIZES = {1: "cache", 32: "16 MB"}
SLOW = 300000  # microseconds; what takes longer is measured in one round, as everything called is


class Child:
    def __init__(self, engine, args, threads):
        cpus = sorted(os.sched_getaffinity(0))[:threads]
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), KMP_BLOCKTIME="1")
        self.process = subprocess.Popen([sys.executable, HERE + "/engines.py", engine, args.lib], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
                                        preexec_fn=lambda: os.sched_setaffinity(0, cpus))

    def ask(self, **order):
        try:
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            return {"error": f"the process ended with {self.process.wait()}"}


def folder_of(root, case, size):
    return os.path.join(os.path.abspath(root), re.sub(r"[^a-z0-9]+", "_", case.name.lower()), str(size))


class Bench:
    def __init__(self, args, threads):
        self.args, self.threads, self.engines, self.children, self.empty = args, threads, args.engines, {}, {}
        self.guard = noise.Guard(noise.probe_of(args.peak, threads, args.seconds))
        self.empty = self.times(EMPTY, 1, 6)[0]

    def child(self, engine):
        old = self.children.get(engine)
        if old is None or old.process.poll() is not None:
            self.children[engine] = Child(engine, self.args, self.threads)
        return self.children[engine]

    def times(self, case, size, rounds):
        """Microseconds by engine, why the others have none, and what is said of noise."""
        folder, first, why = folder_of(self.args.work, case, size), {}, {}
        for e in self.engines:
            if e == "ort" and not case.onnx:
                continue
            told = self.child(e).ask(open=folder, threads=self.threads)
            if "error" in told or not told["difference"] < 1:
                why[e] = told.get("error") or f"its numbers differ ({told['difference']:.2g})"
            else:
                first[e] = None

        def once():
            us = {}
            for e in list(first):
                if first[e] and (first[e] > SLOW or e == "called"):
                    continue
                told = self.child(e).ask(time=self.args.seconds)
                if "error" in told:
                    why[e] = told["error"]
                    del first[e]
                else:
                    us[e] = told["us"]
                    first[e] = first[e] or us[e]
                if self.threads > 1:
                    time.sleep(0.005)  # threads that spin after a run go to sleep
            return us, us
        measured = self.guard.measure(f"{case.name} ({SIZES[size]})", once, rounds)
        best = {e: min((us[e] for us in measured.results if e in us), default=first[e]) for e in first}
        return best, why, measured.note()

    def net(self, best, engine):
        return max(best[engine] - self.empty.get(engine, 0), 0.05 * best[engine]) if engine in best else None

    def row(self, case, size):
        best, why, note = self.times(case, size, self.args.rounds)
        us = {e: self.net(best, e) for e in self.engines}
        peers = [us[e] for e in self.engines if e not in ("pir", "called") and us[e]]
        ratio = {e: us[e] / min(peers) if us.get(e) and peers else None for e in ("pir", "called")}
        return {"name": case.name, "size": SIZES[size], "us": us, "ratio": ratio, "why": why, "work": case.work, "note": note}

    def close(self):
        for child in self.children.values():
            child.process.stdin.close()
            child.process.wait()


# ---- the table

def shown(x, form):
    return format(x, form) if x is not None else "-".rjust(int(re.match(r"\d+", form).group()))


def line(row):
    us, ratio = row["us"], row["ratio"]
    return (f"{row['name']:28} {row['size']:6}" + "".join(shown(x, "10.1f") for x in us.values())
            + shown(ratio["pir"], "8.2f") + shown(ratio["called"], "8.2f") + row["note"])


HEAD = f"{'op':28} {'size':6}{'pir us':>10}{'called':>10}{'ort':>10}{'paddle':>10}{'ratio':>8}{'called':>8}"


def limit_line(row, peaks):
    """Shares of the peak: of multiply-adds where the work is flops, of the copy where it is bytes."""
    kind, amount = row["work"]
    shares = {e: amount / us * 1e-3 / peaks[kind] if us and peaks else None for e, us in row["us"].items()}
    return (f"{row['name']:32}" + "".join(shown(us, "10.1f") for us in row["us"].values()) + shown(row["ratio"]["pir"], "8.2f")
            + "".join(shown(100 * x if x else None, "10.0f") + " %" for x in shares.values()) + row["note"])


def limit_head(engines):
    return (f"{'case, us':32}" + "".join(f"{e:>10}" for e in engines) + f"{'ratio':>8}"
            + "".join(f"{e:>12}" for e in engines))


def summary(rows, threads):
    lines = []
    for engine, what in (("pir", "ratio"), ("called", "called")):
        for size in SIZES.values():
            some = [r["ratio"][engine] for r in rows if r["size"] == size and r["ratio"][engine]]
            if some:
                lines.append(f"{what:8} {size:6} median {statistics.median(some):.2f}, of {len(some)}: "
                             f"{sum(x <= 1 for x in some)} at most 1.0, {sum(x > 2 for x in some)} above 2.0")
    for size in SIZES.values():
        some = [math.log(r["ratio"]["pir"]) for r in rows if r["size"] == size and r["ratio"]["pir"]]
        if some:
            lines.append(f"geometric mean of the ratios, {size}, {threads} thread{'s' if threads > 1 else ''}: "
                         f"{math.exp(statistics.fmean(some)):.3f} over {len(some)}")
    slow = [f"{r['name']} ({r['size']}) {r['ratio']['pir']:.2f}" for r in rows if (r["ratio"]["pir"] or 0) > 2]
    lines.append("above 2.0: " + (", ".join(slow) or "none"))
    missing = [f"{r['name']} ({r['size']}): {e}: {w}" for r in rows for e, w in r["why"].items()]
    return lines + [f"not measured: {m}" for m in missing]


def peaks_of(args, threads):
    if not args.peak:
        return {}
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    out = subprocess.run([args.peak, "--json", f"--threads={threads}"], stdout=subprocess.PIPE,
                         preexec_fn=lambda: os.sched_setaffinity(0, cpus)).stdout
    told = json.loads(out)
    return {"flops": told["fma_gflops"], "bytes": told["copy_gbps"]}


def measure(args, chosen, threads):
    bench, rows, peaks = Bench(args, threads), [], peaks_of(args, threads)
    title = f"{threads} thread{'s' if threads > 1 else ''}"
    if peaks:
        title += f"; FMA peak {peaks['flops']:.0f} GFLOP/s, non-temporal copy {peaks['bytes']:.0f} GB/s"
    title += "; empty call, us: " + ", ".join(f"{e} {us:.1f}" for e, us in bench.empty.items())
    lines = [title, limit_head(args.engines) if args.limits else HEAD]
    print(*lines, sep="\n", flush=True)
    for case in chosen:
        for size in args.sizes:
            rows.append(bench.row(case, size))
            lines.append(limit_line(rows[-1], peaks) if args.limits else line(rows[-1]))
            print(lines[-1], flush=True)
    bench.close()
    told = summary(rows, threads) + [bench.guard.summary()]
    print("\n".join(told), flush=True)
    return "\n".join(lines + told) + "\n"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--lib", required=True, type=os.path.abspath)
    ap.add_argument("--work", required=True)
    ap.add_argument("--peak")
    ap.add_argument("--only", default="")
    ap.add_argument("--limits", action="store_true")
    ap.add_argument("--sizes", type=lambda s: [int(x) for x in s.split(",")])
    ap.add_argument("--threads", default="1")
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--seconds", type=float, default=0.02)
    ap.add_argument("--results")
    args = ap.parse_args()
    args.sizes = args.sizes or ([1] if args.limits else [1, 32])
    args.engines = ["pir", "ort", "openvino", "paddle"] if args.limits else ["pir", "called", "ort", "paddle"]
    wanted = [w for w in args.only.split(";") if w]
    chosen = [case for case in (limits if args.limits else cases).CASES if not wanted or case.name in wanted]
    make = [sys.executable, HERE + "/make.py", args.work, "limits" if args.limits else "cases", ",".join(map(str, args.sizes))]
    subprocess.run(make + wanted, check=True, stderr=subprocess.DEVNULL)
    text = "".join(f"```\n{measure(args, chosen, int(t))}```\n" for t in args.threads.split(","))
    if args.results:
        title = "products, convolutions and rows against the machine's limits" if args.limits else "single ops"
        results.write(args.results, "limits" if args.limits else "bench-ops", title,
                      "Written by bench/ops/run.py, which says how it measures.\n\n" + text)


if __name__ == "__main__":
    main()
