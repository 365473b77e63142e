#!/usr/bin/env python3
"""Kills at random moments: while a cache is written, a program is translated, parameters are written.

  kills.py [--kills N] [--seed N] BUILD

Each process is killed after a random part of the time that it usually takes. Afterwards every file that was good is still
good, every output is the old file or the new one, and the next start finds nothing damaged and computes the right numbers.
Every fourth process gets SIGTERM, and leaves no unpublished file. Ends with `N passed, N failed, N skipped`: the kills.
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from syscalls import OLD, SCENARIOS, UNPUBLISHED, Bench

# The scenarios that write files, and the share of the kills that each gets.
SHARES = {"compile with an empty cache": 4, "translate": 3, "write parameters": 3}


def start(bench, scenario, folder):
    words = scenario.command.format(model=bench.model, out=folder / "out", cache=folder / "cache").split()
    return subprocess.Popen([bench.build / "bin" / words[0], *words[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def usual_time(bench, scenario):
    folder = bench.prepare(scenario, f"time-{time.monotonic_ns()}")
    begin = time.monotonic()
    start(bench, scenario, folder).communicate()
    shutil.rmtree(folder)
    return time.monotonic() - begin


def fill_partly(bench, scenario, folder, chance):
    """Some files of a good cache: the process writes the others, and must keep these. Yields paths and bytes."""
    cache = bench.cache[scenario.name]
    if not cache.exists():
        return {}
    (folder / "cache").mkdir(mode=0o700)
    kept = [p for p in sorted(cache.iterdir()) if chance.random() < 0.3]
    for path in kept:
        shutil.copy2(path, folder / "cache" / path.name)
    return {folder / "cache" / p.name: p.read_bytes() for p in kept}


class Pace:
    """How long a process takes, as far as it is known: the shortest time seen."""

    def __init__(self, bench, scenario):
        self.seconds = min(usual_time(bench, scenario) for _ in range(3))

    def learn(self, seconds):
        self.seconds = min(self.seconds, seconds)


def kill_one(bench, scenario, n, seed, pace):
    chance = random.Random(seed * 1000003 + n)
    folder = bench.prepare(scenario, f"kill-{scenario.name}-{n}".replace(" ", "-"))
    kept = fill_partly(bench, scenario, folder, chance)
    gently = n % 4 == 3
    begin = time.monotonic()
    process = start(bench, scenario, folder)
    time.sleep(chance.random() * pace.seconds)
    process.send_signal(signal.SIGTERM if gently else signal.SIGKILL)
    text = process.communicate()[1].decode(errors="replace")
    killed = process.returncode in (-signal.SIGTERM, -signal.SIGKILL)
    if not killed:
        pace.learn(time.monotonic() - begin)
    faults = [] if killed or process.returncode == 0 else [f"exit status {process.returncode}: {text[-300:]}"]
    faults += bench.faults_of(scenario, folder, process.returncode, text, False, killed)
    faults += [f"{path.name} was good, and has changed" for path, data in kept.items() if path.read_bytes() != data]
    if gently and any(p.name.startswith(UNPUBLISHED) for p in (folder / "out").iterdir()):
        faults.append("SIGTERM leaves an unpublished file")
    changed = any(p.read_bytes() != OLD for p in (folder / "out").iterdir() if not p.name.startswith(UNPUBLISHED))
    left = any(p.name.startswith(UNPUBLISHED) for p in folder.rglob("*"))
    shutil.rmtree(folder)
    return killed, changed, left, [f"FAIL {scenario.name}, kill {n} of seed {seed}: {f}" for f in faults]


def kill_many(pool, bench, scenario, count, seed):
    """Starts processes until `count` of them were killed before their end; returns all results."""
    pace, results = Pace(bench, scenario), []
    while sum(r[0] for r in results) < count and len(results) < 10 * count:
        missing = count - sum(r[0] for r in results)
        numbers = range(len(results), len(results) + missing)
        results += pool.map(lambda n: kill_one(bench, scenario, n, seed, pace), numbers)
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("build")
    args = parser.parse_args()
    bench = Bench(args.build)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for scenario in SCENARIOS:
            if scenario.name not in SHARES:
                continue
            bench.learn(scenario)
            count = args.kills * SHARES[scenario.name] // sum(SHARES.values())
            begin = time.monotonic()
            results = kill_many(pool, bench, scenario, count, args.seed)
            for line in itertools.chain(*(r[3] for r in results)):
                print(line)
            killed, faulty = sum(r[0] for r in results), sum(bool(r[3]) for r in results)
            if killed < count:
                print(f"FAIL {scenario.name}: only {killed} of {len(results)} processes were killed before their end")
            failed += faulty + (killed < count)
            passed += max(0, min(killed, count) - faulty)
            print(f"{scenario.name}: {killed} of {len(results)} processes were killed before their end, "
                  f"{sum(r[2] for r in results)} left an unpublished file, {sum(r[1] for r in results)} had published an output; "
                  f"{time.monotonic() - begin:.0f} s", flush=True)
    bench.close()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
