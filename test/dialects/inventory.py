#!/usr/bin/env python3
"""Compares what the dialects declare with the operators that the real Paddle registers.

  inventory.py OPSC DIALECTS INVENTORY

Every operator of INVENTORY must be declared with the same operands, attributes (kind, default, order), results and
in-place pairs. A row without a signature (`-` throughout: operators that Paddle writes by hand) asks for the name only.
Prints every difference, then how many operators agree.
"""
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

COLUMNS = ("operands", "attributes", "results", "inplace")
UNTOLD = {"-", ":?"}


def declared(opsc, dialects):
    ops = {}
    for folder in sorted(p for p in dialects.iterdir() if (p / f"{p.name}.ops").exists()):
        with tempfile.NamedTemporaryFile("r", suffix=".tsv") as f:
            subprocess.run([opsc, folder / f"{folder.name}.ops", f"--list={f.name}"], check=True)
            head, *lines = f.read().splitlines()
            for line in lines:
                row = dict(zip(head.split("\t"), line.split("\t")))
                ops[row["op"]] = row
    return ops


def words(text):
    """Splits at spaces outside of quotes and brackets."""
    return re.findall(r'(?:"[^"]*"|\[[^\]]*\]|\{[^}]*\}|\([^)]*\)|[^\s"\[{(])+', text)


def number(text):
    """A C literal, or a quotient of two, as a number: 1.0f/8, -1, 1e-5f. None for anything else."""
    parts = [re.fullmatch(r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)[fFuUlL]*", p.strip()) for p in text.split("/")]
    if not all(parts) or len(parts) > 2:
        return None
    values = [float(p.group(1)) for p in parts]
    return values[0] if len(values) == 1 else values[0] / values[1]


def literal(text):
    """A default of either notation, comparable."""
    text = text.strip()
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("{") or text.startswith("["):
        return [literal(t) for t in text[1:-1].split(",") if t.strip()]
    if text.startswith('"'):
        return text
    value = number(text)
    if value is not None:
        return float(f"{value:.6g}")
    names = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "bool": "b", "cpuplace()": "cpu",
             "float16": "f16", "bfloat16": "bf16", "uint8": "u8", "int8": "i8"}
    return names.get(text.lower(), text.lower())


def same_default(ours, theirs, kind):
    """A default of one element for a list stands for the list; booleans and numbers convert as in C; `{}` is the empty
    value of its kind."""
    a, b = literal(ours), literal(theirs)
    if a == b or (kind == "place" and b == []):
        return True
    if isinstance(a, list) != isinstance(b, list):
        return (a if isinstance(a, list) else [a]) == (b if isinstance(b, list) else [b])
    return isinstance(a, (bool, float)) and isinstance(b, (bool, float)) and float(a) == float(b)


def split_default(word):
    name, _, default = word.partition("=")
    return name, default if "=" in word else None


def operand(word):
    """(name, optional, list, kind) and the default."""
    name, default = split_default(word)
    name, _, kind = name.partition(":")
    constant = kind.lower() if kind.lower() in ("intarray", "scalar") else ""
    members = "[]" in kind or ("*" in name and not constant)
    return (name.rstrip("?*"), "?" in word.split("=")[0], members, constant), default


def result(word):
    return word.split(":")[0].rstrip("?~*"), "?" in word, "[]" in word or "*" in word, "~" in word


def attribute(word):
    name, default = split_default(word)
    name, _, kind = name.partition(":")
    return (name, "any[]" if kind == "array" else kind.lower()), default


def with_defaults(ours, theirs, parse):
    a, b = [parse(w) for w in words(ours)], [parse(w) for w in words(theirs)]
    if [x[0] for x in a] != [x[0] for x in b]:
        return False
    return all((x[1] is None) == (y[1] is None) and (x[1] is None or same_default(x[1], y[1], x[0][-1])) for x, y in zip(a, b))


def pairs(text, separator):
    return sorted(tuple(p.split("->")) for p in text.split(separator) if p)


def differences(ours, theirs):
    """The columns in which a declaration differs from the row of the inventory."""
    agrees = {
        "operands": lambda a, b: with_defaults(a, b, operand),
        "attributes": lambda a, b: with_defaults(a, b, attribute),
        "results": lambda a, b: [result(w) for w in words(a)] == [result(w) for w in words(b)],
        "inplace": lambda a, b: pairs(a, " ") == [(y, x) for x, y in sorted(pairs(b, ";"), key=lambda p: p[::-1])],
    }
    whole = all(theirs[c] in UNTOLD for c in COLUMNS)
    for column in () if whole else COLUMNS:
        if column == "inplace" and theirs[column] == "-" and "I" in theirs["flags"]:
            continue  # a member of a list is overwritten: the op infos have no words for it
        told = "" if theirs[column] in UNTOLD else theirs[column]
        if not agrees[column](ours[column], told):
            yield column, ours[column], told
    if "E" in theirs["flags"] and ours["effect"] == "pure":
        yield "effect", "pure", "has a side effect"


def main():
    opsc, dialects, inventory = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    ours = declared(opsc, dialects)
    head, *lines = [l for l in lzma.open(inventory, "rt").read().splitlines() if not l.startswith("#")]
    good = 0
    for line in lines:
        row = dict(zip(head.split("\t"), line.split("\t")))
        found = [("name", "not declared", "")] if row["op"] not in ours else list(differences(ours[row["op"]], row))
        for column, mine, told in found:
            print(f"{row['op']}: {column}: {mine or '-'} here, {told or '-'} in Paddle")
        good += not found
    print(f"{good} of {len(lines)} operators are declared as Paddle declares them")
    return good != len(lines)


if __name__ == "__main__":
    sys.exit(main())
