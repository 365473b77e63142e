#!/usr/bin/env python3
"""Compiled models: the time from exec to the first result, and of later runs, beside the full library; sizes.

  run.py BUILD ZOO [MODEL..]

Each measurement is a fresh process on one processor, with the file in the page cache; the two libraries take turns. Reported are medians of
nine rounds: `opened` and `first` in milliseconds since exec, `warm` the median of 20 later runs, `over` = first - warm, and the warm run's
ratio to libpir's, which loads and compiles the program. For each library: the text as `size` prints it, its code section, the file without
symbols, and the libraries that `ldd` shows.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS, RUNS = 9, 20


def measure(program, model):
    cpu = sorted(os.sched_getaffinity(0))[:1]
    p = subprocess.run([program, model, str(time.monotonic_ns()), str(RUNS)], stdout=subprocess.PIPE, check=True, text=True,
                       preexec_fn=lambda: os.sched_setaffinity(0, cpu))
    return [float(x) for x in p.stdout.split()]


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def describe(library):
    text = output("size", library).split()[6]
    code = next(line.split()[1] for line in output("size", "-A", library).splitlines() if line.startswith(".text"))
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "stripped.so"
        output("strip", "-o", stripped, library)
        size = stripped.stat().st_size
    needed = [line.split()[0] for line in output("ldd", library).splitlines() if "=>" in line]
    return f"{library.stem}: text {text} bytes, of which code {code}; file {size} bytes; needs {' '.join(sorted(needed)) or 'nothing'}"


def main():
    build, zoo = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    names = sys.argv[3:] or sorted(f.name for f in zoo.iterdir() if (f / "model.json").exists())
    for name in ("libpir_rt", "libpir"):
        print(describe(build / f"lib/{name}.so"))
    print(f"{'model':24}{'MB':>8}{'opened':>9}{'first':>9}{'warm':>9}{'over':>9}{'of libpir':>11}")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            file = pathlib.Path(folder) / "model.pirm"
            program = zoo / name / "model.json"
            subprocess.run([build / "bin/pir-compile", program, "-o", file], check=True)
            measure(build / "bin/first_compiled", file)
            ours, full = [], []
            for _ in range(ROUNDS):
                ours.append(measure(build / "bin/first_compiled", file))
                full.append(measure(build / "bin/first_program", program))
            opened, first, warm = (statistics.median(r[i] for r in ours) for i in range(3))
            ratio = statistics.median(a[2] / b[2] for a, b in zip(ours, full))
            print(f"{name:24}{file.stat().st_size / 1e6:8.1f}{opened:9.1f}{first:9.1f}{warm:9.2f}{first - warm:9.1f}{ratio:11.3f}", flush=True)


if __name__ == "__main__":
    main()
