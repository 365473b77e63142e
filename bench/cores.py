#!/usr/bin/env python3
"""How evenly the loops of whole models divide among many cores, foreseen by `pir-run --cores` on the machine at hand.

  cores.py --zoo DIR --pir-run EXE [--models A,B] [--cores 4,8,16,32,64] [--math MODE]

Code is made for each number of cores (`--machine=table:N`), as it is on a machine that has so many. A line a model: for each number the speedup over
one thread with the same code, and the imbalance: the time of the thread that is done last over an even share, less one.
"""
import argparse
import json
import os
import subprocess

import latency


def foresee(args, folder, cores):
    command = [args.pir_run, f"{folder}/model.json", f"--params={folder}/model.pdiparams", f"--machine=table:{cores}", f"--cores={cores}",
               f"--math={args.math}", "--json"]
    command += [f"--input={name}=@{path}" for name, path in latency.input_files(folder + "/case0").items()]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--zoo", required=True)
    ap.add_argument("--pir-run", required=True)
    ap.add_argument("--models", default="all")
    ap.add_argument("--cores", default="4,8,16,32,64")
    ap.add_argument("--math", default="strict")
    args = ap.parse_args()
    numbers = [int(n) for n in args.cores.split(",")]
    names = sorted(os.listdir(args.zoo)) if args.models == "all" else args.models.split(",")
    print(f"{'':24s}" + "".join(f"{n:>16d}" for n in numbers))
    for name in names:
        rows = [foresee(args, os.path.join(args.zoo, name), n) for n in numbers]
        print(f"{name:24s}" + "".join(f"{r['speedup']:8.2f} {100 * r['imbalance']:5.1f} %" for r in rows), flush=True)


if __name__ == "__main__":
    main()
