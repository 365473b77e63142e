#!/usr/bin/env python3
"""Keeps what benchmarks print: a page for each processor, and an index of the pages.

  results.py INDEX SECTION TITLE COMMAND...    runs COMMAND and keeps its output
  results.py INDEX                             writes the index anew

COMMAND's output is shown as it comes. When it succeeds, it takes the place of SECTION in the page of this processor, `results/KEY.md`
beside INDEX (processor.py makes the key), with the date and the load. Its other sections stay as they are, and so do the pages of other
processors and devices. INDEX is then made from all pages: when each section was measured, and its lines that begin with
`geometric mean`.
"""
import glob
import os
import re
import subprocess
import sys
import time

import processor

PAGE = """# Results on {}

Each section is written by the bench that it names, in place of its earlier run: `bench/run.sh` and the Makefile say how to repeat one.
Engines take turns in one run, a probe of the multiply-add peak beside every round.
"""
INDEX = """# Results of the benchmarks

Made by `bench/results.py` from the pages in `bench/results`, one for each processor or device; `make bench` and the other benches renew the
sections of the machine that they run on. Means are of the time over that of the fastest peer, or as the section says.

| Machine | Section | Measured | Means |
| --- | --- | --- | --- |
"""


def replace(path, text):
    with open(path + ".new", "w") as f:
        f.write(text)
    os.replace(path + ".new", path)


def sections_of(page):
    """Name, and what stands between its marks."""
    return [(m[1], m[2]) for m in re.finditer(r"^<!-- (\S+) -->\n(.*?)^<!-- /\1 -->\n", page, re.S | re.M)]


def row(key, name, text):
    date = re.search(r"^(\d{4}-\d\d-\d\d), ", text, re.M)
    means = re.findall(r"^geometric mean,? (.*)", text, re.M)
    return f"| [{key}](results/{key}.md) | {name} | {date[1] if date else 'unknown'} | {'<br>'.join(means)} |\n"


def write_index(index):
    rows = []
    for path in sorted(glob.glob(os.path.join(os.path.dirname(index), "results/*.md"))):
        with open(path) as f:
            page = f.read()
        key = os.path.basename(path)[:-3]
        rows += [row(key, name, text) for name, text in sections_of(page)]
    replace(index, INDEX + "".join(rows))


def write(index, section, title, text, machine=None):
    """Puts `text` into the page of `machine`, by default this processor."""
    head = f"{time.strftime('%Y-%m-%d')}, {processor.count()} processors; load average {os.getloadavg()[1]:.1f}."
    machine = machine or processor.here()
    folder = os.path.join(os.path.dirname(index), "results")
    path = os.path.join(folder, machine.key() + ".md")
    os.makedirs(folder, exist_ok=True)
    page = PAGE.format(machine.describe())
    if os.path.exists(path):
        with open(path) as f:
            page = f.read()
    begin, end = f"<!-- {section} -->\n", f"<!-- /{section} -->\n"
    new = f"{begin}## {title}\n\n{head}\n\n" + text.strip("\n") + "\n" + end
    old = re.search(re.escape(begin) + ".*?" + re.escape(end), page, re.S)
    page = page[:old.start()] + new + page[old.end():] if old else page.rstrip("\n") + "\n\n" + new
    replace(path, page)
    write_index(index)


def main():
    if len(sys.argv) < 2 or any(arg.startswith("-") for arg in sys.argv[1:4]):
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    if len(sys.argv) == 2:
        return write_index(sys.argv[1])
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    index, section, title = sys.argv[1:4]
    child = subprocess.Popen(sys.argv[4:], stdout=subprocess.PIPE, text=True)
    lines = []
    for line in child.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    if child.wait():
        sys.exit(f"results.py: {sys.argv[4]} failed; the results are as they were")
    write(index, section, title, "```\n" + "".join(lines).strip("\n") + "\n```")


if __name__ == "__main__":
    main()
