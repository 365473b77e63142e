#!/usr/bin/env python3
"""Draws networks with the real Paddle and compares them with ours (draw.py, compare.py).

  nets.py --bin DIR --work DIR --python PYTHON [--seed N] [--nets N] [--kinds A,B] [--draw SCRIPT]

Of every kind N networks are drawn, with the seeds from --seed on, as JSON and as .pdmodel. A network that Paddle refuses to save or run
has nothing to compare with: it is not counted, and neither is one that crashes Paddle. What agrees is removed; the folder of a network that
fails stays in --work, and the command that repeats it is printed. --draw names another script with draw.py's arguments.
Ends with `N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import compare

HERE = pathlib.Path(__file__).resolve().parent
BATCH, SECONDS = 20, 900  # networks a process, and what they may take


def drawn_by(python, script, kind, first, count, out, legacy):
    """Runs the script; of a seed at which it dies it is started again behind it."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", GLOG_minloglevel="3")
    command = [python, *([HERE / "legacy_builders.py"] if legacy else []), script]
    log, end = out / "draw.log", first + count
    while first < end:
        with open(log, "w") as to:
            try:
                subprocess.run([*command, kind, str(first), str(end - first), out], env=environment, stdout=to, stderr=subprocess.STDOUT,
                               timeout=SECONDS)
            except subprocess.TimeoutExpired:
                pass
        # Lines begin with a seed; so do those of a crash, with other numbers.
        words = [line.split() for line in log.read_text(errors="replace").splitlines()]
        seen = [int(w[0]) for w in words if len(w) > 1 and w[0].isdigit() and first <= int(w[0]) < end]
        first = max(seen, default=first - 1) + 1
        if first < end:
            shutil.rmtree(out / f"{kind}{first}", ignore_errors=True)
            first += 1


def batches(args):
    for kind in args.kinds:
        for first in range(args.seed, args.seed + args.nets, BATCH):
            for legacy in (False, True):
                yield kind, first, min(BATCH, args.seed + args.nets - first), legacy


def list_kinds(python, script):
    made = subprocess.run([python, script, "--list"], capture_output=True, text=True, env=dict(os.environ, GLOG_minloglevel="3"), check=True)
    return made.stdout.split()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("--work", required=True, type=pathlib.Path)
    ap.add_argument("--python", required=True, help="a Python that has paddlepaddle")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--nets", type=int, default=20, help="networks of each kind")
    ap.add_argument("--kinds", default="", type=lambda text: [k for k in text.split(",") if k])
    ap.add_argument("--draw", type=pathlib.Path, default=HERE / "draw.py")
    ap.add_argument("--jobs", type=int, default=os.cpu_count())
    args = ap.parse_args()
    args.kinds = args.kinds or list_kinds(args.python, args.draw)
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for kind, first, count, legacy in batches(args):
        out = args.work / ("pdmodel" if legacy else "json")
        out.mkdir(parents=True, exist_ok=True)
        for seed in range(first, first + count):
            shutil.rmtree(out / f"{kind}{seed}", ignore_errors=True)
        drawn_by(args.python, args.draw, kind, first, count, out, legacy)
        nets = [out / f"{kind}{seed}" for seed in range(first, first + count)]
        whole = [net for net in nets if (net / "meta.json").exists()]
        counts, failed = compare.compare_all(args.bin.resolve(), args.python, whole, args.jobs)
        for net in failed:
            seed = net.name[len(kind):]
            print(f"  kept: {net}; again: make nets KINDS={kind} SEED={seed} NETS=1, or {compare.COMMAND} --bin {args.bin} {net}", flush=True)
        for net in nets:
            if net not in failed:
                shutil.rmtree(net, ignore_errors=True)
        total = {verdict: total[verdict] + counts[verdict] for verdict in total}
        print(f"-- {kind} {first}..{first + count - 1} {out.name}: {len(whole)} drawn, {counts['passed']} passed, {counts['failed']} failed, "
              f"{counts['skipped']} skipped", flush=True)
    print(", ".join(f"{n} {verdict}" for verdict, n in total.items()))
    return total["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
