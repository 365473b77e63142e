#!/usr/bin/env python3
"""Allocations that fail: a status and a message, no leak, and the same numbers afterwards.

  allocations.py [--sample | --dense=N] BUILD MODELS

The scenarios of test/faults/oom_scenarios.c are run once for every n, with their n-th allocation failing (--sample: a part of the
numbers n, the same ones every time; --dense=N: those up to N, and N of the others). Then a model is compiled under limits of the address space (`ulimit -v`), in steps
from too little for a process to enough, kernels run that open a library, and the n-th allocation of pir-compile-server
fails: each run ends with its results or with exit status 5, and never by a signal.
Ends with `N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

LARGE, STEP = 700 << 20, 20 << 20  # bytes of address space
LAST_ALLOCATION = 60000  # of the server that the sweep tries
LOADER = 300  # the server's first allocations: the loader's, which has a message of its own for each kind


def sweep(build, models, which):
    """Counts of the scenarios that passed and failed, whose lines are printed as they end."""
    found = None
    with subprocess.Popen([build / "faults/oom", *which, models], stdout=subprocess.PIPE, text=True) as oom:
        for line in oom.stdout:
            print(line, end="", flush=True)
            found = re.match(r"(\d+) passed, (\d+) failed", line) or found
    counts = (int(found[1]), int(found[2])) if found else (0, 0)
    return counts if any(counts) else (0, 1)


def starve(build, models, sample):
    """Counts of the limits under which the run ended as it must."""
    model, outcomes = models / "gpt_tiny", {}
    for limit in range(STEP, LARGE, STEP * (3 if sample else 1)):
        run = subprocess.run([build / "bin/pir-run", model / "model.json", f"--case={model / 'case0'}"],
                             capture_output=True, text=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        outcomes[limit] = run.returncode, run.stderr.strip()
    # Below this size the dynamic loader itself has no memory, and ends with 127.
    started = [n for n, (code, _) in outcomes.items() if code != 127]
    bad = [n for n in started if outcomes[n][0] not in (0, 5)]
    for n in bad:
        print(f"FAIL ulimit -v {n >> 10}: exit status {outcomes[n][0]}: {outcomes[n][1]}")
    ends = {outcomes[n][0] for n in started}
    if ends != {0, 5}:
        print(f"FAIL ulimit -v: exit statuses {sorted(ends)}, not 0 and 5")
        bad.append(None)
    print(f"ulimit -v: {len(started)} limits, {sum(outcomes[n][0] == 5 for n in started)} of them refused")
    return len(started) - len(bad), len(bad)


# A kernel that opens a library, of a matrix that is 1.
PROGRAM = """{
(%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(cpu),shape:[1,1]} : () -> tensor<1x1xf32>
(%1) = "pd_op.exp" (%0) {} : (tensor<1x1xf32>) -> tensor<1x1xf32>
(%2) = "pd_op.NAME" (%1) {ATTRIBUTES} : (tensor<1x1xf32>) -> tensor<1x1xTYPE>
(%3) = "pd_op.fetch" (%2) {col:0,name:"y"} : (tensor<1x1xTYPE>) -> tensor<1x1xTYPE>
}
"""
OPENING = (("cholesky", "upper:false", "f32"),
           ("fft_r2c", 'axes:[1],normalization:"backward",forward:true,onesided:false', "c64"))


def starve_libraries(build, models, sample):
    """Kernels that open a library, under limits of the address space. Counts of the limits."""
    good, bad, step = 0, 0, (1 << 20) if sample else (1 << 19)
    command = [build / "bin/pir-run", "-", "--input=1x1xf32=0", "--pipeline=kernels"]
    # Where the executable itself finds no room, the kernel ends the process before it begins.
    least = (command[0].stat().st_size // step + 1) * step
    for name, attributes, kind in OPENING:
        program = PROGRAM.replace("NAME", name).replace("ATTRIBUTES", attributes).replace("TYPE", kind)
        counts = {0: 0, 5: 0}
        for limit in range(least, 64 << 20, step):
            run = subprocess.run(command, input=program, capture_output=True, text=True,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            if run.returncode in counts:
                counts[run.returncode] += 1
            elif run.returncode != 127:
                bad += 1
                print(f"FAIL {name}, ulimit -v {limit >> 10}: exit status {run.returncode}: {run.stderr.strip()}")
        print(f"{name}, ulimit -v: {counts[5]} refused, {counts[0]} successes")
        bad += not all(counts.values())
        good += sum(counts.values())
    return good, bad


def starve_server(build, models, sample):
    """The n-th allocation of pir-compile-server and of each of its jobs fails. Counts of the numbers n."""
    model, counts, bad = models / "mlp", {0: 0, 5: 0}, 0
    numbers = {*range(1, LAST_ALLOCATION, 997 if sample else 61), *range(2, LOADER, 13 if sample else 1)}
    for n in sorted(numbers):
        env = dict(os.environ, LD_PRELOAD=str((build / "faults/libpir_fail.so").resolve()), PIR_FAIL_AT=str(n),
                   PIR_FAIL_IN="pir-compile-server")
        run = subprocess.run([build / "bin/pir-run", model / "model.json", f"--case={model / 'case0'}"],
                             capture_output=True, text=True, env=env)
        if run.returncode in counts:
            counts[run.returncode] += 1
        else:
            bad += 1
            print(f"FAIL pir-compile-server at {n}: exit status {run.returncode}: {run.stderr.strip()}")
    print(f"pir-compile-server: {counts[5]} refused, {counts[0]} successes, {bad} others")
    return sum(counts.values()), bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--dense", type=int, metavar="N")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    args = parser.parse_args()
    which = [] if args.sample else [f"--dense={args.dense}"] if args.dense else ["--every=1"]
    counts = [sweep(args.build, args.models, which)]
    counts += [part(args.build, args.models, args.sample) for part in (starve, starve_libraries, starve_server)]
    failed = sum(c[1] for c in counts)
    print(f"{sum(c[0] for c in counts)} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
