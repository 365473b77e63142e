#!/usr/bin/env python3
"""Prints the branch coverage of parts of the library, and fails under a limit.

  coverage.py --build DIR --exclude REGEXP --points REGEXP --decisions GLOB,.. [--list] PART=LEAST...

DIR holds objects that gcc --coverage built, and the counts that their runs left. A branch does not count where --exclude is found in
"the line before\n>the line\nthe line after". Points are the lines that match --points (reasons that a remark or an error states) and the functions that
a row of a table names: each must have run. Decisions are the files whose untaken branches are printed one by one. --list prints
the untaken branches of all files.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r'^\s*(?:\[\w+\] = )?\{(?:"[^"]*"|\w+),(.*)\},?$')


def read_counts(build):
    """Counts of lines and branches by (file, function, line): an inline function has counts in every object that includes it."""
    lines, branches, functions = collections.Counter(), {}, collections.Counter()
    objects = sorted(pathlib.Path(build, "obj").rglob("*.gcno"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(read_object, objects):
            for file in json.loads(text)["files"]:
                name = os.path.relpath(file["file"])
                for f in file["functions"]:
                    functions[name, f["name"]] += f["execution_count"]
                for line in file["lines"]:
                    key = name, line.get("function_name", ""), line["line_number"]
                    lines[key] += line["count"]
                    taken = branches.setdefault(key, collections.Counter())
                    for i, b in enumerate(line["branches"]):
                        taken[i] += b["count"]
    return lines, branches, functions


def read_object(gcno):
    command = ["gcov", "--json-format", "--stdout", "--branch-probabilities", gcno]
    return subprocess.check_output(command, stderr=subprocess.DEVNULL, text=True)


class Sources:
    def __init__(self, exclude):
        self.texts, self.exclude = {}, re.compile(exclude)

    def lines(self, file):
        if file not in self.texts:
            self.texts[file] = ["", *pathlib.Path(file).read_text().split("\n"), ""]
        return self.texts[file]

    def counts(self, file, line):
        before, this, after = self.lines(file)[line - 1:line + 2]
        return not self.exclude.search(f"{before}\n>{this}\n{after}")

    def show(self, file, line):
        return f"{file}:{line}: {self.lines(file)[line].strip()}"


def print_parts(sources, branches, parts):
    """Prints a row a part; returns those under their limit."""
    low = []
    for part, least in parts.items():
        total = taken = 0
        for (file, _, line), counts in branches.items():
            if file.startswith(part + "/") and sources.counts(file, line):
                total += len(counts)
                taken += sum(c != 0 for c in counts.values())
        share = 100 * taken / total if total else 0
        print(f"{part:14}{taken:7} of {total:6} branches {share:6.1f} %  (at least {least} %)")
        if share < least:
            low.append(part)
    return low


def missed_points(sources, lines, functions, parts, pattern):
    """Lines and functions of tables' rows that never ran."""
    ran = collections.Counter()
    for (file, _, line), count in lines.items():
        ran[file, line] += count
    for (file, line), count in sorted(ran.items()):
        if not count and in_parts(file, parts) and re.search(pattern, sources.lines(file)[line]):
            yield sources.show(file, line)
    for file in sorted({f for f, _ in functions if in_parts(f, parts)}):
        for number, text in enumerate(sources.lines(file)):
            row = ROW.match(text)
            for name in re.findall(r"\w+", row[1]) if row else []:
                if functions.get((file, name)) == 0:
                    yield f"{file}:{number}: {name} of {text.strip()}"


def in_parts(file, parts):
    return any(file.startswith(p + "/") for p in parts)


def untaken(sources, branches, wanted):
    for (file, function, line), counts in sorted(branches.items(), key=lambda b: (b[0][0], b[0][2])):
        missing = sum(c == 0 for c in counts.values())
        if missing and wanted(file) and sources.counts(file, line):
            yield f"{missing} of {len(counts)} {sources.show(file, line)}"


def print_list(title, rows):
    rows = list(rows)
    print(f"-- {title}: {len(rows)}")
    for row in rows:
        print(f"   {row}")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--exclude", required=True)
    ap.add_argument("--points", required=True)
    ap.add_argument("--decisions", required=True)
    ap.add_argument("--list", action="store_true")
    ap.add_argument("parts", nargs="+", metavar="PART=LEAST")
    args = ap.parse_args()
    parts = {part: float(least) for part, least in (p.split("=") for p in args.parts)}
    sources = Sources(args.exclude)
    lines, branches, functions = read_counts(args.build)
    decisions = args.decisions.split(",")
    print_list("reasons and rows of tables that no test reaches", missed_points(sources, lines, functions, parts, args.points))
    print_list("branches of decisions that no test takes",
               untaken(sources, branches, lambda f: any(fnmatch.fnmatch(f, d) for d in decisions)))
    if args.list:
        print_list("branches that no test takes", untaken(sources, branches, lambda f: in_parts(f, parts)))
    low = print_parts(sources, branches, parts)
    for part in low:
        print(f"FAIL coverage of {part}")
    return bool(low)


if __name__ == "__main__":
    sys.exit(main())
