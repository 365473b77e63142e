#!/usr/bin/env python3
"""Contractions alone, row by row of contract-bench, with disturbed rounds repeated (noise.py).

  run.py --bench build/bin/contract-bench --peak EXE [--rounds N] [--threads N] [SUBSTRING]

Of each row the line of its fastest round is printed, and what was said of noise.
"""
import argparse
import os
import re
import subprocess
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import noise  # noqa: E402


def lines_of(args, *rest):
    command = [args.bench, f"--threads={args.threads}", *rest]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bench", required=True)
    ap.add_argument("--peak")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("only", nargs="?", default="")
    args = ap.parse_args()
    guard = noise.Guard(noise.probe_of(args.peak, args.threads, 0.05))
    names, head = lines_of(args, "--list", args.only), None
    for name in names:
        def once():
            nonlocal head
            head, *rows = lines_of(args, name)
            row = next(r for r in rows if re.split(r"[ :]", r)[0] == name)
            us = re.search(r" ([\d.]+) us ", row)
            return {"pir": float(us[1])} if us else {}, row
        first = head is None
        measured = guard.measure(name, once, args.rounds)
        if first:
            print(head)
        best = min(measured.rounds, key=lambda r: r.times.get("pir", 0))
        print(best.result + measured.note(), flush=True)
    print(guard.summary())


if __name__ == "__main__":
    main()
