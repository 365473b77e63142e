#!/usr/bin/env python3
"""Where the time of a model goes, and how near each kind of instruction comes to the limits of the machine.

  roofline.py --zoo DIR --pir-run EXE --peak EXE [--models A,B] [--threads N] [--rows N]

One line for each set of ops that runs as one group (or called op): how often, its share of the time, the arithmetic and the bytes of its
tensors a second, and their shares of the multiply-add peak and of the bandwidth of a non-temporal copy. The roof of a group is the time
that the slower of the two would need at least (Williams, Waterman, Patterson 2009): `roof` is its share of the time it took. Bytes in a
cache can move faster than a copy through memory, and minimal filtering needs fewer multiplications than are counted: above 100 %.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import tempfile


def profile(args, name):
    folder = os.path.join(args.zoo, name)
    feeds = [f"--input={os.path.basename(p)[3:-4]}=@{p}" for p in sorted(glob.glob(folder + "/case0/in_*.npy"))]
    with tempfile.TemporaryDirectory() as there:
        subprocess.run([args.pir_run, folder + "/model.json", f"--threads={args.threads}", "--benchmark=0.5", f"--profile={there}/trace.json"] + feeds,
                       check=True, stdout=subprocess.DEVNULL)
        with open(there + "/trace.json") as f:
            return json.load(f)


def table(args, name, peaks):
    sums = collections.defaultdict(lambda: [0, 0.0, 0, 0])
    for span in profile(args, name):
        s = sums[span["name"].replace("pd_op.", "").replace("builtin.", ""), span["cat"]]
        s[0] += 1
        s[1] += span["dur"]
        s[2] += span["args"]["flops"]
        s[3] += span["args"]["bytes"]
    total = sum(s[1] for s in sums.values())
    print(f"\n{name}: {total / 1e3:.2f} ms in {sum(s[0] for s in sums.values())} instructions")
    print(f"  {'count':>5} {'time':>6} {'GFLOP/s':>8} {'peak':>6} {'GB/s':>7} {'copy':>6} {'roof':>6}")
    for (ops, how), (count, us, flops, size) in sorted(sums.items(), key=lambda x: -x[1][1])[:args.rows]:
        rate, speed = flops / us * 1e-3, size / us * 1e-3
        roof = max(rate / peaks["fma_gflops"], speed / peaks["copy_gbps"])
        print(f"  {count:5} {100 * us / total:5.1f}% {rate:8.1f} {100 * rate / peaks['fma_gflops']:5.0f}% {speed:7.1f} "
              f"{100 * speed / peaks['copy_gbps']:5.0f}% {100 * roof:5.0f}%  {'' if how == 'compiled' else 'called: '}{ops[:90]}")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--zoo", required=True)
    ap.add_argument("--pir-run", required=True)
    ap.add_argument("--peak", required=True)
    ap.add_argument("--models", default="resnet50,mobilenet_v1,bert_base,ppocrv4_det_480")
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--rows", type=int, default=8)
    args = ap.parse_args()
    peaks = json.loads(subprocess.run([args.peak, "--json", f"--threads={args.threads}"], stdout=subprocess.PIPE, check=True).stdout)
    print(f"{args.threads} thread{'s' if args.threads > 1 else ''}; multiply-add peak {peaks['fma_gflops']:.0f} GFLOP/s, "
          f"non-temporal copy {peaks['copy_gbps']:.0f} GB/s")
    for name in args.models.split(","):
        table(args, name, peaks)


if __name__ == "__main__":
    main()
