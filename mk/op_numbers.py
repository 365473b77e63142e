#!/usr/bin/env python3
"""Rows of the lists of op numbers (dialects/*/*.numbers) that were committed once and are not there any more.

  op_numbers.py

Prints each as a finding. A row may only get the word `retired`. opsc sees to the order of rows and to gaps.
"""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def published(patches):
    """Every row that the patches of a history add, without `retired`, in the order of numbers."""
    return sorted(set(re.findall(r"^\+(0x[0-9a-f]+ \S+)", patches, re.M)), key=lambda row: int(row.split()[0], 16))


def gone(patches, lists):
    """The published rows that the texts of the lists do not have."""
    there = {" ".join(line.split()[:2]) for text in lists for line in text.splitlines()}
    return [row for row in published(patches) if row not in there]


def main():
    patches = subprocess.run(["git", "log", "-p", "--format=", "--", "dialects/*.numbers"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout
    for row in gone(patches, [path.read_text() for path in ROOT.glob("dialects/*/*.numbers")]):
        print(f"lint: the row '{row}' was removed or changed: numbers of ops are for ever (docs/reference/compatibility.md)")


if __name__ == "__main__":
    main()
