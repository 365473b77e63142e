#!/usr/bin/env python3
"""Calls between the folders of codegen go one way.

  one_way.py BUILD

Reads the order of the folders from docs/explain/architecture.md (the line that begins with `target <`), and the symbols of the
objects below BUILD/obj/codegen. Prints every call of a function that a later folder defines.
"""
import pathlib
import re
import subprocess
import sys


def symbols(path):
    """(defined, undefined) names of an object file."""
    rows = subprocess.run(["nm", str(path)], capture_output=True, text=True).stdout.split("\n")
    names = [row.split() for row in rows if row]
    return {n[-1] for n in names if n[-2] in "TDRB"}, {n[-1] for n in names if n[-2] == "U"}


def main():
    build = pathlib.Path(sys.argv[1]) / "obj/codegen"
    text = (pathlib.Path(__file__).resolve().parent.parent / "docs/explain/architecture.md").read_text()
    order = re.findall(r"[a-z]+", re.search(r"^ *(target < [a-z <]+)$", text, re.M).group(1))
    objects = {path: symbols(path) for path in sorted(build.glob("*/*.o"))}
    home = {name: path.parent.name for path, (defined, _) in objects.items() for name in defined}
    for path, (_, undefined) in objects.items():
        room = path.parent.name
        if room not in order:
            print(f"codegen/{room} has no place in the order of docs/explain/architecture.md")
            continue
        for name in sorted(undefined):
            if name in home and order.index(home[name]) > order.index(room):
                print(f"codegen/{room}/{path.stem}.c calls {name} of codegen/{home[name]}, which comes later")


if __name__ == "__main__":
    main()
