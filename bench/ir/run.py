#!/usr/bin/env python3
"""Costs of the IR beside mlir-opt: instructions an op (callgrind), start-up, and resident bytes an op.

  run.py --build BUILD [--ops N] [--mlir-opt EXE]

Both tools parse, verify and print the same graph (gen.py); an empty file's instructions are taken off. Instructions are counted,
so the figures repeat on any load; resident memory is the kernel's high-water mark.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PARSERS = {"pir": "pir_program_parse", "mlir": "mlir::parseSourceFile*"}  # entries of the readers; MLIR's text is in generic form
CELLS = [("parse+verify+print", "chain", "", ""), ("parse+verify+print", "pd", "", ""), ("cse", "cse", "--passes=cse", "--cse"),
         ("cse, nothing common", "chain", "--passes=cse", "--cse")]
RUNS = {"pir": "pir_pass_manager_run", "mlir": "mlir::PassManager::run*"}  # everything passes do, and nothing else
RULES = "--passes=silu_fuse,conv2d_bn_fuse,conv2d_add_fuse,matmul_scale_fuse"


def instructions(command, inside=None):
    """Of the whole run, or inside one function only."""
    options = [f"--toggle-collect={inside}"] if inside else []
    p = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + options + command,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    found = re.search(rb"Collected : (\d+)", p.stderr)
    if p.returncode or not found:
        sys.exit(f"failed: {' '.join(command)}\n{p.stderr.decode(errors='replace')[-800:]}")
    return int(found.group(1))


def resident_kb(command):
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.execvp(command[0], command)
    return os.wait4(pid, 0)[2].ru_maxrss


def generate(folder, shape, n, form):
    path = os.path.join(folder, f"{shape}-{n}.{form}")
    with open(path, "w") as f:
        subprocess.run([sys.executable, os.path.join(HERE, "gen.py"), shape, str(n), f"--form={form}"], stdout=f, check=True)
    return path


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--ops", type=int, default=10000)
    ap.add_argument("--mlir-opt", default="/usr/lib/llvm-19/bin/mlir-opt")
    args = ap.parse_args()
    tools = {"pir": [args.build + "/bin/pir-opt"], "mlir": [args.mlir_opt, "--mlir-disable-threading", "--allow-unregistered-dialect"]}
    with tempfile.TemporaryDirectory() as folder:
        files = {(s, f): generate(folder, s, args.ops, f) for s in ("empty", "chain", "cse", "fold", "pd") for f in tools}
        empty = {f: instructions(tools[f] + [files["empty", f]]) for f in tools}
        base = {f: resident_kb(tools[f] + [files["empty", f]]) for f in tools}
        print(f"{'':32}{'pir':>12}{'mlir-opt':>12}{'ratio':>8}")
        print(f"{'start-up, M instructions':32}{empty['pir'] / 1e6:12.2f}{empty['mlir'] / 1e6:12.2f}{empty['pir'] / empty['mlir']:8.3f}")
        print(f"{'start-up, resident KB':32}{base['pir']:12}{base['mlir']:12}{base['pir'] / base['mlir']:8.3f}")
        count = {f: instructions(tools[f] + [files["pd", f]], PARSERS[f]) / args.ops for f in tools}
        print(f"{'parse alone (pd), instr/op':32}{count['pir']:12.0f}{count['mlir']:12.0f}{count['pir'] / count['mlir']:8.3f}")
        for label, shape, ours, theirs in CELLS:
            count = {}
            for f, flag in (("pir", ours), ("mlir", theirs)):
                count[f] = (instructions(tools[f] + [files[shape, f]] + ([flag] if flag else [])) - empty[f]) / args.ops
            print(f"{label + ' (' + shape + '), instr/op':32}{count['pir']:12.0f}{count['mlir']:12.0f}{count['pir'] / count['mlir']:8.3f}")
        flags = {"pir": "--passes=canon", "mlir": "--canonicalize"}
        count = {f: instructions(tools[f] + [files["fold", f], flags[f]], RUNS[f]) / args.ops for f in tools}
        print(f"{'canonicalize alone (fold), instr/op':32}{count['pir']:12.0f}{count['mlir']:12.0f}{count['pir'] / count['mlir']:8.3f}")
        few, many = (instructions(tools["pir"] + [generate(folder, "pd", n, "pir"), RULES], RUNS["pir"]) for n in (args.ops, 4 * args.ops))
        print(f"{'rules (pd), instr/op; 4 N to N':32}{few / args.ops:12.0f}{'':12}{many / few:8.3f}")
        for shape in ("chain", "pd"):
            big = {f: generate(folder, shape, 10 * args.ops, f) for f in tools}
            size = {f: (resident_kb(tools[f] + [big[f]]) - base[f]) * 1024 / (10 * args.ops) for f in tools}
            print(f"{'resident bytes/op (' + shape + ')':32}{size['pir']:12.0f}{size['mlir']:12.0f}{size['pir'] / size['mlir']:8.3f}")


if __name__ == "__main__":
    main()
