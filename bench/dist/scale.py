#!/usr/bin/env python3
"""Step times of distributed programs: predicted, compared with runs on this machine, and printed for more ranks than it has.

  scale.py BUILD ZOO [--models NAME=SHAPE[,SHAPE..] ..] [--modes threads,openmpi,mpich] [--ranks 8,16,..] [--seconds S] [--rounds N] [--link US,GB/S] [--json FILE]

For each model of ZOO (bench/zoo) and number of ranks N, `shard{mesh=N}` writes a rank's program. Predicted is the time of its own work plus the costs
of its collective calls (costs.py). The first is measured by ranks.c, whose ranks are alone and answer their calls themselves: as many of them at the
same time as there are processors and ranks, and 64 at most, since they share the memory. The second comes from a probe of each collective call
on two ranks, as threads and under each MPI: seconds for sizes from 64 bytes to 4 MiB.

Up to the number of processors the prediction is compared with steps that run, a thread a rank: medians of --rounds rounds, each of
which measures both, and their difference (`error`), marked where it is beyond 20 %. The steps stand beside those of one rank with as many
threads (`threads`), from the same rounds. For more ranks, the prediction alone is printed with
the links of this machine, and with those of --link: latency in microseconds and bandwidth in GB/s between two ranks, with the better of ring and
recursive doubling; numbers of ranks that a model cannot be cut for are skipped, with the reason. `speed-up` is one rank's time over the
prediction. Ranks beyond a machine's processors are taken to run as the last ones measured.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile

import costs

HERE = pathlib.Path(__file__).resolve().parent
SIZES = [64, 1024, 8192, 65536, 262144, 1 << 20, 4 << 20]
MODELS = ["bert_base=1x128,1x128,1x128", "llama_160m_prefill=1x128"]
LIMIT = 0.20
MOST_COPIES = 64  # MOST_RANKS of ranks.c


class Refused(Exception):
    """Why a model has no program for a number of ranks."""


class Tool:
    """ranks.c, built against the libraries of BUILD."""
    def __init__(self, build, folder, seconds):
        self.build, self.folder, self.seconds = build, folder, seconds
        self.path = folder / "ranks"
        root = HERE.parent.parent
        include = [f"-I{root}/{part}" for part in ("ir/abi", "ir/include", "runtime/include", "runtime/exec/include")]
        flags = os.environ.get("CFLAGS", "-O2").split()  # a library with a sanitizer needs its flags
        subprocess.run(["cc", "-std=gnu11", *flags, "-pthread", *include, "-o", self.path, HERE / "ranks.c", f"-L{build}/lib", "-lpir",
                        f"-Wl,-rpath,{build}/lib"], check=True)
        self.environment = dict(os.environ, RANKS_CACHE=str(folder / "cache"), OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        (folder / "cache").mkdir()

    def run(self, what, mode, ranks, seconds, *more):
        """The lines it prints, in words."""
        launcher = [] if what == "alone" or mode == "threads" else [f"mpirun.{mode}", "-n", str(ranks)]
        command = [*launcher, str(self.path), what, *map(str, (mode, ranks, seconds, *more))]
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, text=True, check=True)
        return [text.split() for text in done.stdout.splitlines()]

    def probe(self, mode):
        measured = collections.defaultdict(dict)
        for kind, size, seconds in self.run("probe", mode, 2, self.seconds / 20, *SIZES):
            measured[kind][int(size)] = float(seconds)
        return measured


class Model:
    def __init__(self, tool, zoo, text):
        self.name, shapes = text.split("=")
        self.tool, self.source, self.shapes = tool, zoo / self.name, shapes.split(",")

    def pattern(self, ranks, some):
        """Writes the programs of the first ranks."""
        if ranks == 1:
            return self.source / "model.json"
        for r in range(some):
            done = subprocess.run([self.tool.build / "bin/pir-opt", self.source / "model.json", f"--passes=shard{{mesh={ranks},rank={r}}}", "-o",
                                   self.tool.folder / f"{self.name}_{ranks}_{r}.json"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                said = done.stderr.splitlines() or [f"exit code {done.returncode}"]
                raise Refused(next((line for line in said if "error: " in line), said[0]))
        return self.tool.folder / f"{self.name}_{ranks}_%r.json"

    def arguments(self, pattern, threads=1):
        return self.tool.seconds, threads, pattern, self.source / "model.pdiparams", *self.shapes

    def alone(self, ranks, copies):
        """Seconds of a rank's own work in a step, and its calls."""
        lines = self.tool.run("alone", copies, ranks, *self.arguments(self.pattern(ranks, copies)))
        return float(lines[-1][1]), [(kind, int(size)) for word, kind, size in lines[:-1] if word == "call"]

    def steps(self, mode, ranks, threads=1):
        return float(self.tool.run("step", mode, ranks, *self.arguments(self.pattern(ranks, ranks), threads))[-1][1])


def known_modes(build, asked):
    for mode in asked.split(","):
        if mode == "threads" or (shutil.which(f"mpirun.{mode}") and (build / f"lib/libpir_mpi_{mode}.so").exists()):
            yield mode
        else:
            print(f"skipped: {mode}: no launcher, or libpir has no module for it")


def print_links(mode, links):
    print(f"\nlinks of {mode}, two ranks: latency of a message, and bytes a second of a large one")
    for kind, link in links.items():
        print(f"  {kind:15} {link.alpha * 1e6:8.1f} us {link.rate / 1e9:8.2f} GB/s", flush=True)


def compare(model, ranks, of_mode, rounds):
    out = []
    for mode, links in of_mode.items():
        alone, steps, threads = [], [], []
        for _ in range(rounds):
            alone.append(model.alone(ranks, ranks))
            steps.append(model.steps(mode, ranks))
            threads.append(model.steps("threads", 1, ranks))
        compute, calls = sorted(alone)[rounds // 2]
        measured, beside = statistics.median(steps), statistics.median(threads)
        predicted = costs.step_seconds(compute, calls, ranks, links)
        error = predicted / measured - 1
        print(f"  {model.name:20} {ranks:5} {mode:8} {compute * 1e3:9.2f} {predicted * 1e3:9.2f} {measured * 1e3:9.2f} {100 * error:+6.1f} % {beside * 1e3:9.2f}"
              f" {measured / beside:5.2f}{'' if abs(error) <= LIMIT else '  beyond 20 %'}", flush=True)
        out.append({"model": model.name, "ranks": ranks, "mode": mode, "compute": compute, "predicted": predicted, "measured": measured, "threads": beside})
    return out


def print_means(compared):
    ratios = collections.defaultdict(list)
    for one in compared:
        ratios[one["ranks"], one["mode"]].append(one["measured"] / one["threads"])
    for (ranks, mode), values in ratios.items():
        print(f"geometric mean, {ranks} ranks ({mode}) over {ranks} threads of one rank: {statistics.geometric_mean(values):.2f}")


def made_of(model, ranks, make, *more):
    """What `make` gives, and nothing where the model cannot be cut for so many ranks."""
    try:
        return make(model, ranks, *more)
    except Refused as why:
        print(f"  {model.name:20} {ranks:5} skipped: {why}", flush=True)
        return []


def foretell(model, ranks, copies, of_mode, one):
    compute, calls = model.alone(ranks, copies)
    moved = sum(size for _, size in calls)
    out = []
    for mode, links in of_mode.items():
        algorithm = "best" if mode.startswith("link") else "ring"
        predicted = costs.step_seconds(compute, calls, ranks, links, algorithm)
        print(f"  {model.name:20} {ranks:5} {mode:16} {compute * 1e3:9.2f} {len(calls):5} {moved / 1e6:8.2f} {predicted * 1e3:9.2f} {one / predicted:8.2f}", flush=True)
        out.append({"model": model.name, "ranks": ranks, "mode": mode, "compute": compute, "predicted": predicted})
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    ap.add_argument("zoo", type=lambda text: pathlib.Path(text).resolve())
    ap.add_argument("--models", nargs="+", default=MODELS)
    ap.add_argument("--modes", default="threads,openmpi,mpich")
    ap.add_argument("--ranks", default="8,16,32,64,128,256,512,1024", type=lambda text: [int(n) for n in text.split(",")])
    ap.add_argument("--seconds", type=float, default=2)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--link", default="5,12.5", type=lambda text: [float(x) for x in text.split(",")])
    ap.add_argument("--json")
    args = ap.parse_args()
    processors = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(args.build, pathlib.Path(folder), args.seconds)
        measured = {mode: tool.probe(mode) for mode in known_modes(args.build, args.modes)}
        of_mode = {mode: costs.links(times, 2) for mode, times in measured.items()}
        for mode, links in of_mode.items():
            print_links(mode, links)
        models = [Model(tool, args.zoo, text) for text in args.models]
        print(f"\nsteps on {processors} processors, ms\n  {'model':20} ranks mode       compute predicted  measured    error   threads ratio")
        one, compared, foretold = {}, [], []
        for model in models:
            one[model.name] = model.alone(1, 1)[0]
            for ranks in range(2, min(processors, MOST_COPIES) + 1):
                compared += made_of(model, ranks, compare, of_mode, args.rounds)
        print_means(compared)
        latency, rate = args.link
        far = collections.defaultdict(lambda: costs.line(latency * 1e-6, rate * 1e9))
        of_mode = {**of_mode, f"link {latency:g},{rate:g}": far}
        print(f"\npredicted steps, ms; calls of a step and MB of their tensors\n"
              f"  {'model':20} ranks {'links':16}   compute calls       MB predicted speed-up")
        for model in models:
            print(f"  {model.name:20} {1:5} {'':16} {one[model.name] * 1e3:9.2f}")
            for ranks in args.ranks:
                foretold += made_of(model, ranks, foretell, min(ranks, processors, MOST_COPIES), of_mode, one[model.name])
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"links": measured, "one": one, "compared": compared, "foretold": foretold}, indent=1))


if __name__ == "__main__":
    main()
