#!/usr/bin/env python3
"""Checks that the built site has an entry, which is an anchor, for each public function, option, operator, pass and name of Python.

  site_names.py BUILD HTML
"""
import ast
import lzma
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def anchors(html):
    """The ids of each page."""
    return {str(p.relative_to(html)): set(re.findall(r'\bid="([^"]+)"', p.read_text(encoding="utf-8"))) for p in html.rglob("*.html")}


def functions(build):
    """Functions that public headers declare, those that build operators, and classes of the C++ header."""
    for header in (build / "gen/include/pir/compiler/build").rglob("*.h"):
        yield from (f"c.{name}" for name in re.findall(r"^static inline [^{;(]*?\b(pir_\w+)\(", header.read_text(), re.M))
    for header in [*ROOT.glob("*/include/pir/**/*.h"), *ROOT.glob("ir/abi/pir/**/*.h"), *ROOT.glob("runtime/exec/include/pir/**/*.h")]:
        if "layer" not in header.parts:
            text = re.sub(r"//.*", "", header.read_text())
            yield from (f"c.{name}" for name in re.findall(r"^PIR_API\b[^;(]*?(\bpir_\w+)\(", text, re.M))
    for name in re.findall(r"^class (\w+)", (ROOT / "runtime/exec/include/pir/engine/engine.hpp").read_text(), re.M):
        yield f"_CPPv4N3pir{len(name)}{name}E"


def options(build):
    for tool in sorted((ROOT / "docs/man").glob("*.1")):
        for option in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", output(build / "bin" / tool.stem, "--help"), re.M):
            yield f"cmdoption-{tool.stem}-{option}"


def operators(build):
    for folder in sorted((ROOT / "dialects").iterdir()):
        if (folder / f"{folder.name}.ops").exists():
            rows = output(build / "bin/opsc", folder / f"{folder.name}.ops", "--list=/dev/stdout").splitlines()[1:]
            yield from (f"op.{row.split(chr(9))[0]}" for row in rows)
    inventory = lzma.open(ROOT / "test/dialects/inputs/inventory.tsv.xz", "rt").read().splitlines()
    yield from (f"op.{line.split(chr(9))[0]}" for line in [l for l in inventory if not l.startswith("#")][1:])


def passes(build):
    return [f"pass.{line.split()[0]}" for line in output(build / "bin/pir-opt", "--list-passes").splitlines() if line[:1].strip()]


def python():
    package = ROOT / "python/libpir"
    public = set(re.findall(r'"(\w+)"', "".join(re.findall(r"^__all__.*$", (package / "__init__.py").read_text(), re.M))))
    for module in package.glob("*.py"):
        for node in ast.parse(module.read_text()).body:
            if getattr(node, "name", None) in public:
                yield f"libpir.{node.name}"
                yield from (f"libpir.{node.name}.{f.name}" for f in getattr(node, "body", []) if isinstance(f, ast.FunctionDef) and
                            not f.name.startswith("_") and not isinstance(node, ast.FunctionDef))


def main():
    build, html = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    found, missing, total = set().union(*anchors(html).values()), [], []
    for kind, names in [("functions", functions(build)), ("options", options(build)), ("operators", operators(build)), ("passes", passes(build)), ("names of Python", python())]:
        names = sorted(set(names))
        total.append(f"{len(names)} {kind}")
        missing += names
        if not names:
            missing.append(f"any {kind}")
    missing = [name for name in missing if name not in found]
    print("".join(f"FAIL no entry for {name}\n" for name in missing), end="")
    print(f"{', '.join(total)}; {len(missing)} without an entry")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
