#!/usr/bin/env python3
"""Writes docs/reference/operators.md from the tables: every operator of Paddle's inventory, and what this library does with it.

  operators.py OPSC [--check]

OPSC lists the declarations. Recordings are counted in test/recorded/archives. --check writes nothing, and fails where the page differs.
"""
import collections
import lzma
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/operators.md"
JSON_DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf"}
# Run by the executor, though no trait says so.
EXECUTED = {"builtin.module", "cf.has_elements", "cf.stack_create", "cf.tuple_pop", "cf.tuple_push"}
# Operators of lower blocks that state constants and shapes, or make lists.
SCAFFOLD = {"pd_op.full", "pd_op.full_int_array", "pd_op.shape", "pd_op.shape64", "builtin.combine", "builtin.split"}
CALLED = {"scan", "scatter", "split"}  # kinds of clauses that groups leave to the evaluator
HEAD = """# Operators

`make docs` writes this page from the declarations in `dialects` and the recordings in `test/recorded/archives`; a test compares it.
It lists the {total} operators that Paddle 3.3.1 registers.

{summary}

* **Computed by**: the meaning ([ops.md](ops.md)): a *clause* with its kind, the operators of a *lower* block, a *kernel*, or the executor (control flow,
  feeds, lists). A reason stands there for an operator without a meaning: it is declared, so programs with it are read, changed and written, not run.
* **Runs**: *compiled* operators become part of groups ([compile.md](../explain/compile.md)), except where a result has few elements or only renames those of an operand;
  *called* ones run as kernels or by the evaluator; *in part*: some operators of the lower block are compiled, or only some forms of the operator.
* **Gradient**: the operator's gradient operator is computed too.
* **Cases**: recordings of this operator alone, and of gradients that hold it. **Programs**: all recorded programs with it.
"""


def declarations(opsc):
    """Rows of all dialects by name, in the order of the .ops files; `path` is the file."""
    ops = {}
    for folder in sorted(p for p in (ROOT / "dialects").iterdir() if (p / f"{p.name}.ops").exists()):
        files = {f.stem: f.relative_to(ROOT) for f in folder.rglob("*.ops")}
        with tempfile.NamedTemporaryFile("r", suffix=".tsv") as f:
            subprocess.run([opsc, folder / f"{folder.name}.ops", f"--list={f.name}"], check=True)
            head, *lines = f.read().splitlines()
        for line in lines:
            row = dict(zip(head.split("\t"), line.split("\t")))
            row["path"] = str(files.get(row["family"], folder.relative_to(ROOT) / f"{row['family']}.ops"))
            ops.setdefault(row["op"], row)
    return ops


def recordings():
    """How often each operator was recorded: alone or as a gradient, and in programs of any kind."""
    cases, programs = collections.Counter(), collections.Counter()
    for archive in sorted((ROOT / "test/recorded/archives").rglob("*.tar.xz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.name.endswith("cases_index.tsv"):
                    for line in tar.extractfile(member).read().decode().splitlines()[1:]:
                        cases["pd_op." + line.split("\t")[0]] += 1
                elif member.name.endswith(".json"):
                    names = {f"{JSON_DIALECTS[d]}.{name}" for d, name in
                             re.findall(r'"#":\s*"([012])\.(\w+)"', tar.extractfile(member).read().decode(errors="replace"))}
                    programs.update(names)
                    if "/cases_grad/" in member.name:
                        cases.update(n for n in names if re.search(r"_grad\d*_?(_sp)?$", n))
    return cases, programs


def is_executed(row):
    """Whether the executor runs the operator itself: control flow, feeds, lists, stacks of loops."""
    return row["meaning"] == "program" or row["op"] in EXECUTED


def ways_of(ops, row, seen=()):
    """How the operator runs: any of `compiled` and `called`."""
    if row["op"] in seen:
        return set()
    steps = [ops.get(s if "." in s else f"pd_op.{s}") for s in row["lower"].split()]
    ways = {w for s in steps if s and s["op"] not in SCAFFOLD for w in ways_of(ops, s, (*seen, row["op"]))}
    if row["clauses"]:
        ways.add("called" if row["random"] or row["clauses"].split()[0] in CALLED else "compiled")
    if is_executed(row) or (row["kernel"] and not row["clauses"]):
        ways.add("called")
    return ways


def runs(ops, row):
    ways = ways_of(ops, row)
    return "in part" if len(ways) > 1 else "".join(ways)


def computed_by(row):
    parts = [("lower", [s.removeprefix("pd_op.") for s in row["lower"].split()]), ("clause", row["clauses"].split()),
             ("kernel", row["kernel"].split())]
    parts = [f"{word}: {', '.join(dict.fromkeys(forms))}" for word, forms in parts if forms]
    if parts or is_executed(row):
        return "; ".join(parts) or "executor"
    return f"declared only: {row['declared'] or 'not written yet'}"


def gradient_of(ops, row):
    """Whether the gradient of an operator has a meaning, by the names that Paddle gives to gradients."""
    dialect, name = row["op"].split(".")
    base = name.rstrip("_")
    sparse = re.fullmatch(r"(.*?)((?:_(?:coo|csr|dense))*_sp)", base)
    if base.endswith("_double_grad"):
        wanted = [base.replace("_double_grad", "_triple_grad")]
    elif base.endswith("_grad"):
        wanted = [base[:-5] + "_double_grad"]
    else:
        wanted = [f"{sparse[1]}{sparse[2][:-3]}_grad_sp"] if sparse else [f"{base}_grad", f"{name}_grad"]
    return any(ops[g]["meaning"] != "-" for g in (f"{dialect}.{w}" for w in wanted) if g in ops)


def page(opsc):
    ops, (cases, programs) = declarations(opsc), recordings()
    lines = lzma.open(ROOT / "test/dialects/inputs/inventory.tsv.xz", "rt").read().splitlines()
    inventory = [l.split("\t")[0] for l in lines if not l.startswith("#")][1:]
    groups, count = {}, collections.Counter()
    for name in inventory:
        row = ops[name]
        count["program" if is_executed(row) else row["meaning"]] += 1
        groups.setdefault(row["path"], []).append(row)
    words = {"clause": "clauses", "lower": "lower blocks", "kernel": "kernels", "program": "the executor", "-": "declared only"}
    summary = "Computed by " + ", ".join(f"{words[k]} {count[k]}" for k in list(words)[:4]) + f"; {words['-']} {count['-']}."
    out = [HEAD.format(total=len(inventory), summary=summary)]
    for path in sorted(groups):
        rows = groups[path]
        out.append(f"\n## {path} ({len(rows)})\n\n| operator | computed by | runs | gradient | cases | programs |\n"
                   "| --- | --- | --- | --- | ---: | ---: |\n")
        for row in rows:
            cells = [f"`{row['op']}`", computed_by(row).replace("|", "\\|"), runs(ops, row), "yes" if gradient_of(ops, row) else "",
                     str(cases[row["op"]] or ""), str(programs[row["op"]] or "")]
            out.append(f"| {' | '.join(cells)} |\n".replace("  ", " "))
    return "".join(out)


def main():
    made = page(sys.argv[1])
    if "--check" not in sys.argv:
        PAGE.write_text(made)
        return 0
    if made == PAGE.read_text():
        print("docs/reference/operators.md is up to date")
        return 0
    print("docs/reference/operators.md is not up to date: `make docs` renews it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
