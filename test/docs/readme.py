#!/usr/bin/env python3
"""Compares the numbers of the README with the list of operators and with the results of the benchmarks.

  readme.py ROOT
"""
import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    readme = (root / "README.md").read_text()
    table = (root / "docs/reference/operators.md").read_text()
    total, declared = int(re.search(r"lists the (\d+) operators", table)[1]), int(re.search(r"declared only (\d+)", table)[1])
    wrong = [] if f"Of the {total} operators that Paddle 3.3.1 registers {total - declared} are computed, and programs with the other {declared} " in readme else ["operators"]
    results = {m[1]: m[0] for m in re.finditer(r"^\| \[([\w-]+)\]\S+ \| latency \|.*$", (root / "bench/RESULTS.md").read_text(), re.M)}
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\d+) \| ([\d.]*) \| ([\d.]*) ?\|$", readme, re.M)
    for processor, networks, *ratios in rows:
        for threads, ratio in zip(("1 thread", "2 threads"), ratios):
            stated = re.search(rf"over {networks} networks of the zoo, {threads}: ([\d.]+);", results.get(processor, ""))
            if (stated[1] if stated else "") != ratio:
                wrong.append(f"{processor}, {threads}: {ratio or 'nothing'}, measured {stated[1] if stated else 'nothing'}")
    wrong += [f"{processor} is missing" for processor in set(results) - {row[0] for row in rows}]
    print("\n".join(f"README.md: {line}" for line in wrong) or f"{len(rows)} processors, {total} operators")
    return bool(wrong) or not rows


if __name__ == "__main__":
    sys.exit(main())
