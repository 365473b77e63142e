#!/usr/bin/env python3
"""Compares networks that the real Paddle ran with our numbers, from every program file, under every way to run it.

  compare.py --bin DIR [--judge PYTHON] [--match TEXT] FOLDER...

A network is a folder with model.json or model.pdmodel (and .pdiparams), and case*/ with in_<name>.npy and out_<i>.npy; a FOLDER is
a network or holds networks at any depth. Each program file runs as it is and as the text that pir-translate makes of it, by called
kernels and compiled, with one thread and two, and compiled with groups of few elements too. A number agrees within 1e-4 of the
largest value of its output. What differs is judged with Paddle (stability.py), if --judge names a Python that has it: an element
that Paddle itself moves when every rounding of the network moves by an ulp or so is a tie, and the network is skipped by name.
Ends with `N passed, N failed, N skipped`, counted in networks.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import limited  # noqa: E402

COMMAND = "test/nets/compare.py"
RULE = ["--atol=1e-6", "--rtol=0", "--rtol-max=1e-4"]
COMPILE = "ungrouped,group{few=0},dce,bind"
WAYS = [("kernels", 1), ("kernels", 2), ("compile", 1), ("compile", 2), (COMPILE, 1), (COMPILE, 2)]
TEXT_WAYS = [("kernels", 1), ("compile", 1)]
DIFFERS, SECONDS, MEMORY = 4, 300, 8 << 30  # an exit code; processor time; address space


def run(command):
    """Exit code and all that was printed; 124 when it took too long. A run-away process fails by itself and leaves the machine alive."""
    try:
        p = limited.run(command, SECONDS, MEMORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return 124, f"took more than {SECONDS} s"
    return p.returncode, p.stdout.decode(errors="replace")


def programs_of(net):
    """Program files of a network with their parameters."""
    for name in ("model.json", "model.pdmodel"):
        own = net / ("legacy.pdiparams" if name == "model.pdmodel" else "model.pdiparams")
        if (net / name).exists():
            yield net / name, own if own.exists() else net / "model.pdiparams"


def networks_below(folder):
    found = {p.parent for kind in ("json", "pdmodel") for p in folder.rglob(f"model.{kind}")}
    return sorted(f for f in found if any(f.glob("case*")))


def failures(tools, net, work):
    """(command, exit code, what it printed) of each way that gives other numbers than Paddle's, or none."""
    for program, params in programs_of(net):
        stem = work / (str(net).replace("/", "_") + program.suffix)
        text, own = stem.with_suffix(".pir"), stem.with_suffix(".pdiparams")
        command = [tools / "pir-translate", program, f"--params={params}", "--to=text", "-o", text, f"--params-out={own}"]
        code, out = run(command)
        if code:
            yield " ".join(map(str, command)), code, out
        texts = [] if code else [(text, own, way) for way in TEXT_WAYS]
        for file, tensors, (pipeline, threads) in [(program, params, way) for way in WAYS] + texts:
            command = [tools / "pir-run", file, f"--params={tensors}", f"--cases={net}", f"--pipeline={pipeline}",
                       f"--threads={threads}", f"--cache={work}", *RULE]
            code, out = run(command)
            if code or re.search(r"^\d+ passed, 0 failed, 0 skipped$", out, re.M) is None:
                yield " ".join(str(c) for c in command if "--cache" not in str(c)), code, f"exit code {code}\n{out}"


def judged_tie(judge, tools, net, found):
    """Whether all that differs is what Paddle itself moves by roundings; with the reason."""
    if not judge or any(code != DIFFERS for _, code, _ in found):
        return False, ""
    p = subprocess.run([judge, str(HERE / "stability.py"), "--bin", str(tools), str(net)] + [command for command, _, _ in found],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = p.stdout.decode(errors="replace").strip().splitlines()
    return p.returncode == 0, said[-1] if said else ""


def compare(tools, judge, net, work):
    """(verdict, lines) of a network."""
    found = list(failures(tools, net, work))
    if not found:
        return "passed", []
    tie, reason = judged_tie(judge, tools, net, found)
    if tie:
        return "skipped", [f"skip {net}: {reason}"]
    lines = [f"FAIL {net}: {len(found)} ways{', ' + reason if reason else ''}"]
    for command, _, out in found[:1]:
        lines += [f"  {command}"] + [f"    {line[:300]}" for line in out.strip().splitlines()[:6]]
    return "failed", lines


def compare_all(tools, judge, nets, jobs=1):
    """Compares the networks and prints what differs; returns how many passed, failed and were skipped, and those that failed."""
    counts, bad = {"passed": 0, "failed": 0, "skipped": 0}, []
    with tempfile.TemporaryDirectory(prefix="pir-nets-") as work, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda net: compare(tools, judge, net, pathlib.Path(work)), nets)
        for net, (verdict, lines) in zip(nets, done):
            counts[verdict] += 1
            bad += [net] if verdict == "failed" else []
            for line in lines:
                print(line, flush=True)
            total = sum(counts.values())
            if total % 50 == 0 and total < len(nets):
                print(f"-- {total} of {len(nets)} networks, {counts['failed']} failed", flush=True)
    return counts, bad


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("--judge", help="a Python that has paddlepaddle")
    ap.add_argument("--match", default="", help="only networks in whose path this regular expression is found")
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("folders", nargs="+", type=pathlib.Path)
    args = ap.parse_args()
    nets = [n for f in args.folders for n in networks_below(f) if re.search(args.match, str(n))]
    counts, _ = compare_all(args.bin.resolve(), args.judge, nets, args.jobs)
    print(", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return counts["failed"] != 0


if __name__ == "__main__":
    sys.exit(main())
