#!/usr/bin/env python3
"""Checks of networks by what must not change their numbers; no recorded outputs are needed.

  meta.py --bin DIR [--share K/N] [--match TEXT] [--find] [--no-memory-limit] FOLDER

FOLDER holds networks (compare.py). What a network gives compiled, with one thread and the processor's code, is compared with:
  threads    2, 3 and 8 threads: equal to the bit
  targets    the code of x86-64, -v2, -v3 and -v4, as far as this processor runs it: within the bound
  orders     inputs whose elements lie in memory first axis fastest: equal to the bit
  few        groups of few elements compiled too: within the bound
  again      a second run of one session, behind a run of another case: equal to the bit
and, for the networks in batches.tsv, whose rows do not influence each other:
  permuted   the rows in another order
  split      the rows in two parts
  padded     rows added
each within the bound, which is 1e-4 of the largest value of an output. `--find` prints the rows of batches.tsv anew, from called kernels.
Ends with `N passed, N failed, N skipped`.
"""
import argparse
import ast
import concurrent.futures
import contextlib
import functools
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import compare

HERE = pathlib.Path(__file__).resolve().parent
EXACT, BOUND = ["--atol=0", "--rtol=0"], compare.RULE
TARGETS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]


# ---- arrays, of which only rows are moved
class Array:
    """A .npy file: its element type as NumPy writes it, its shape and its bytes, last axis fastest."""

    def __init__(self, kind, shape, data):
        self.kind, self.shape, self.data = kind, tuple(shape), data

    @staticmethod
    def read(path):
        raw = path.read_bytes()
        size, start = (int.from_bytes(raw[8:10], "little"), 10) if raw[6] == 1 else (int.from_bytes(raw[8:12], "little"), 12)
        header = ast.literal_eval(raw[start:start + size].decode("latin-1").strip())
        if header["fortran_order"] and len(header["shape"]) > 1:
            raise ValueError(f"{path}: another order of elements")
        return Array(header["descr"], header["shape"], raw[start + size:])

    def write(self, path, first_fastest=False):
        header = f"{{'descr': '{self.kind}', 'fortran_order': {first_fastest}, 'shape': {self.shape!r}, }}".encode()
        header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
        data = self.reordered() if first_fastest else self.data
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data)

    def reordered(self):
        """The bytes with the first axis fastest."""
        item = len(self.data) // max(1, self.elements())
        strides = list(itertools.accumulate(reversed(self.shape[1:] + (1,)), lambda a, b: a * b, initial=1))[1:][::-1]
        at = [sum(i * s for i, s in zip(reversed(index), strides)) * item for index in itertools.product(*map(range, reversed(self.shape)))]
        return b"".join(self.data[a:a + item] for a in at)

    def elements(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def rows(self, which):
        size = len(self.data) // self.shape[0]
        return Array(self.kind, (len(which),) + self.shape[1:], b"".join(self.data[r * size:(r + 1) * size] for r in which))


def arrays_of(folder, prefix):
    return {p.name[len(prefix):-4]: Array.read(p) for p in sorted(folder.glob(f"{prefix}*.npy"))}


def write_case(scratch, inputs, outputs, first_fastest=False):
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    for name, array in inputs.items():
        array.write(folder / f"in_{name}.npy", first_fastest and len(array.shape) > 1)
    for name, array in outputs.items():
        array.write(folder / f"out_{name}.npy")
    return folder


# ---- one network
class Checked:
    """A program with its parameters and cases, and what it gives for them."""

    def __init__(self, tools, program, params, cases, work):
        self.tools, self.program, self.params, self.cases, self.work = tools, program, params, cases, work
        self.scratch = pathlib.Path(tempfile.mkdtemp(dir=work))

    def run(self, *arguments, pipeline="compile"):
        return compare.run([self.tools / "pir-run", self.program, f"--params={self.params}", f"--pipeline={pipeline}", f"--cache={self.work}",
                            *arguments])

    def given(self, case, pipeline="compile"):
        """What the network gives for a case, as a case to compare with."""
        kept = self.scratch / f"{case.parent.name}-{case.name}-{pipeline}"
        if not kept.exists():
            made = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
            code, out = self.run(f"--case={case}", f"--output-dir={made}", "--atol=1e30", "--rtol=1e30", pipeline=pipeline)
            if not list(made.glob("out_*.npy")):
                raise RuntimeError(f"exit code {code}: {out.strip()[-300:]}")
            for p in case.glob("in_*.npy"):
                shutil.copy(p, made)
            with contextlib.suppress(OSError):  # another thread was first
                made.rename(kept)
        return kept

    def runs(self, case):
        try:
            return bool(self.given(case, "kernels"))
        except RuntimeError:
            return False

    def same(self, case, rule, *arguments, pipeline="compile"):
        """Why the network gives other numbers than the case has, or nothing."""
        code, out = self.run(f"--case={case}", *rule, *arguments, pipeline=pipeline)
        return "" if code == 0 else f"exit code {code}: {' '.join(out.strip().splitlines()[:2])[:300]}"


def threads(net, case):
    base = net.given(case)
    return "; ".join(filter(None, (net.same(base, EXACT, f"--threads={n}") for n in (2, 3, 8))))


def targets(net, case):
    base = net.given(case)
    return "; ".join(filter(None, (net.same(base, BOUND, f"--target={t}") for t in runnable(net.tools))))


def runnable(tools):
    """The levels below that of this processor, and it."""
    this = re.search(r"this processor: ([\w-]+)", compare.run([tools / "pir-run", "--version"])[1])
    return TARGETS[:TARGETS.index(this[1]) + 1] if this and this[1] in TARGETS else []


def orders(net, case):
    base = net.given(case)
    turned = write_case(net.scratch, arrays_of(base, "in_"), arrays_of(base, "out_"), first_fastest=True)
    return net.same(turned, EXACT)


def few(net, case):
    return net.same(net.given(case), BOUND, pipeline=compare.COMPILE)


def again(net, case):
    """All cases in one process, forwards and backwards, give what each gives alone."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=net.scratch))
    for i, c in enumerate([case, *net.cases, case]):
        shutil.copytree(net.given(c), folder / f"{i:02}")
    code, out = net.run(f"--cases={folder}", *EXACT)
    return "" if code == 0 else out.strip()[:300]


def batched(net, case, names):
    """The case with the names of the inputs that have rows, and the outputs that have as many."""
    base = net.given(case)
    inputs, outputs = arrays_of(base, "in_"), arrays_of(base, "out_")
    count = inputs[names[0]].shape[0]
    return base, inputs, {k: v for k, v in outputs.items() if v.shape[:1] == (count,)}, count


def of_rows(net, case, names, which, pipeline):
    """Compares a run on some rows, in some order, with those rows of the outputs of all."""
    _, inputs, outputs, _ = batched(net, case, names)
    chosen = {k: v.rows(which) if k in names else v for k, v in inputs.items()}
    wanted = {k: v.rows(which) for k, v in outputs.items()}
    return net.same(write_case(net.scratch, chosen, wanted), BOUND, pipeline=pipeline)


def permuted(net, case, names, pipeline="compile"):
    count = batched(net, case, names)[3]
    return of_rows(net, case, names, list(range(count))[::-1], pipeline)


def split(net, case, names, pipeline="compile"):
    count = batched(net, case, names)[3]
    parts = [list(range(0, count // 2)), list(range(count // 2, count))]
    return "; ".join(filter(None, (of_rows(net, case, names, part, pipeline) for part in parts)))


def padded(net, case, names, pipeline="compile"):
    """Rows added behind: the new ones repeat old ones, so their results are known too."""
    count = batched(net, case, names)[3]
    return of_rows(net, case, names, list(range(count)) + [0, count - 1, 0], pipeline)


ANY, ROWS = [threads, targets, orders, few, again], [permuted, split, padded]


def batches():
    """The inputs with rows of each network whose rows do not influence each other."""
    lines = (HERE / "batches.tsv").read_text().splitlines()
    return {name: names.split(",") for name, names in (l.split("\t") for l in lines if l and not l.startswith("#"))}


def find_batches(tools, nets, work):
    """Prints the rows of batches.tsv: networks with several rows whose called kernels give the same for other orders and numbers of rows."""
    for folder in nets:
        program, params = next(compare.programs_of(folder))
        net, case = checked(tools, folder, program, params, work)
        inputs = arrays_of(case, "in_")
        counts = {v.shape[0] for v in inputs.values() if v.shape}
        for count in sorted(counts - {0, 1}, reverse=True):
            names = [k for k, v in inputs.items() if v.shape[:1] == (count,)]
            if not any(check(net, case, names, "kernels") for check in ROWS) and batched(net, case, names)[2]:
                print(f"{folder.name}\t{','.join(names)}")
                break


class NoCase(Exception):
    """The network runs none of its cases."""


@functools.lru_cache(None)
def checked(tools, folder, program, params, work):
    """The network, and of the cases that it can run the one with the most rows (a recorded case may be one that Paddle's predictor refuses)."""
    cases = sorted(folder.glob("case*"), key=lambda c: -max((v.shape[0] for v in arrays_of(c, "in_").values() if v.shape), default=0))
    net = Checked(tools, program, params, cases, work)
    net.cases = [case for case in cases if net.runs(case)]
    if not net.cases:
        raise NoCase
    return net, net.cases[0]


def jobs_of(tools, nets, work):
    rows = batches()
    for folder in nets:
        for program, params in compare.programs_of(folder):
            for check in ANY + (ROWS if folder.name in rows else []):
                arguments = [rows[folder.name]] if check in ROWS else []
                yield (f"{folder.name}/{program.name} {check.__name__}",
                       lambda c=check, a=arguments, f=folder, p=program, q=params: c(*checked(tools, f, p, q, work), *a))


def judged(job):
    try:
        why = job()
    except NoCase:
        return "skipped", "none of its cases runs"
    except RuntimeError as stopped:  # a run that must give numbers gave none
        why = str(stopped)
    return ("failed", why) if why else ("passed", "")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("--share", default="0/1", help="K/N: of the checks the K-th of every N")
    ap.add_argument("--match", default="", help="only checks in whose name this regular expression is found")
    ap.add_argument("--find", action="store_true")
    ap.add_argument("--no-memory-limit", action="store_true", help="for sanitizers")
    ap.add_argument("folder", type=pathlib.Path)
    args = ap.parse_args()
    if args.no_memory_limit:
        compare.MEMORY = 0
    tools, nets = args.bin.resolve(), compare.networks_below(args.folder)
    work = pathlib.Path(tempfile.mkdtemp(prefix="pir-meta-"))
    if args.find:
        find_batches(tools, nets, work)
        shutil.rmtree(work)
        return 0
    first, step = map(int, args.share.split("/"))
    jobs = [(name, job) for name, job in jobs_of(tools, nets, work) if re.search(args.match, name)][first::step]
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (name, _), (verdict, why) in zip(jobs, pool.map(lambda job: judged(job[1]), jobs)):
            counts[verdict] += 1
            if why:
                print(f"{'FAIL' if verdict == 'failed' else 'skip'} {name}: {why}", flush=True)
    shutil.rmtree(work)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
