#!/usr/bin/env python3
"""Time and memory of a training step beside Paddle and PyTorch.

  run.py FOLDER [--paddle=PYTHON] [--torch=PYTHON] [--bin=DIR] [--threads=1,2] [--rounds=N] [NET...]

NET is resnet18 (8 images of 224 x 224), bert (base, 4 sequences of 128) or lstm (2 layers of 256, 16 sequences of 100); all by default. PYTHON is
an interpreter that has the engine; Paddle's makes the programs, once, in FOLDER. Each engine takes steps of SGD with momentum on one batch,
in a process of its own; engines take turns, and the fastest step of all rounds counts. Peaks are those of the resident memory.
PyTorch runs eager, and compiled (torch.compile) where its compiler works.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NETS = ["resnet18", "bert", "lstm"]
SECONDS = 6  # of each turn


def call(command, threads, folder=None):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env=environment, cwd=folder)
    return done.stdout if done.returncode == 0 else None


def by_peer(python, script, net, threads, folder):
    """Seconds of the fastest step and peak of resident memory, which the script prints as its last line; None: it does not run."""
    out = call([python, HERE / script, net, folder, threads, SECONDS], threads)
    return json.loads(out.splitlines()[-1]) if out else None


def by_pir(tools, net, threads, folder):
    there = folder / net
    train = there / "train.pir"
    if not train.exists():
        options = (there / "minimize").read_text().strip()
        subprocess.run([tools / "pir-opt", there / "forward.pir", f"--passes=minimize{{{options}}},expose_state_pass", "-o", train], check=True)
    feeds = [f"--input={p.stem}=@{p}" for p in sorted(there.glob("*.npy"))]
    out = call([tools / "pir-run", train, *feeds, f"--benchmark={SECONDS}", f"--threads={threads}", f"--cache={folder / 'cache'}"], threads)
    if not out:
        return None
    figures = dict(line.split() for line in out.splitlines() if len(line.split()) == 2)
    return {"seconds": float(figures["min_ms"]) / 1000, "peak_kb": int(figures["peak_rss_kb"])}


def measure(engines, net, threads, rounds):
    best = {}
    for _ in range(rounds):
        for name, engine in engines.items():
            figures = engine(net, threads)
            if figures and (name not in best or figures["seconds"] < best[name]["seconds"]):
                best[name] = figures
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("nets", nargs="*", default=NETS)
    parser.add_argument("--paddle")
    parser.add_argument("--torch")
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parents[2] / "build/bin")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    a = parser.parse_intermixed_args()
    folder, tools = a.folder.resolve(), a.bin.resolve()
    engines = {"pir": lambda net, threads: by_pir(tools, net, threads, folder)}
    if a.paddle:
        engines["paddle"] = lambda net, threads: by_peer(a.paddle, "paddle_steps.py", net, threads, folder)
    if a.torch:
        for how in ("eager", "compiled"):
            engines[f"torch {how}"] = lambda net, threads, how=how: by_peer(a.torch, "torch_steps.py", f"{net}:{how}", threads, folder)
    for net in a.nets:
        if not (folder / net / "minimize").exists():
            subprocess.run([a.paddle or sys.executable, HERE / "paddle_steps.py", net, folder, "1", "0"], check=True, stdout=subprocess.DEVNULL)
    print("| network | threads | " + " | ".join(f"{e}, ms | MB" for e in engines) + " | ratio to the fastest peer |")
    print("| --- " * (3 + 2 * len(engines)) + "|")
    ratios = []
    for net in a.nets:
        for threads in map(int, a.threads.split(",")):
            best = measure(engines, net, threads, a.rounds)
            cells = [f"{best[e]['seconds'] * 1000:.1f} | {best[e]['peak_kb'] / 1000:.0f}" if e in best else "- | -" for e in engines]
            peers = [best[e]["seconds"] for e in best if e != "pir"]
            ratio = best["pir"]["seconds"] / min(peers) if peers and "pir" in best else None
            ratios += [ratio] if ratio else []
            print(f"| {net} | {threads} | " + " | ".join(cells) + f" | {f'{ratio:.2f}' if ratio else '-'} |", flush=True)
    if ratios:
        print(f"\ngeometric mean, {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} of the fastest peer")


if __name__ == "__main__":
    main()
