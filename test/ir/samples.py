#!/usr/bin/env python3
"""Old programs as people published them (test/ir/samples; each has a header of four comment lines).

  samples.py PIR_OPT FOLDER

Every file is read and printed: whole programs as they are, pieces with --fragment (and not without), cases by
--split-input-file. What is printed reads back to the same print, in T2 and in the typed form. Whole programs of 2024 (T2)
print to the byte with --emit=t2, spaces at the ends and beginnings of lines aside, since published copies lost them.
"""
import pathlib
import re
import subprocess
import sys

PIECES = ("04_", "10_", "14_", "15_", "16_", "17_", "18_", "19_", "20_", "21_", "22_", "23_")
EXACT = ("01_", "02_", "05a_", "05b_", "06_", "08_", "09_", "11_", "13_")
# Operand types that a hand changed: printed as the types of the values they name.
STATED = {"06_": [("(%7, %0)", "-1x3x224x224xf32", "-1x8x224x224xf32"), ("(%7, %0)", "64x3x7x7xf32", "64x8x7x7xf32"),
                  ("(%15, %5)", "-1x64x56x56xf32", "-1x64x112x112xf32")]}
AMBIGUOUS = {"22_": "older form: 2 results, now 1", "23_": "older form: axis is an operand now, not an attribute",
             "02_": "older form: axis is an operand now", "16_": "older form: there is no attribute keepdim"}


def run(tool, options, text):
    done = subprocess.run([tool, *options, "-"], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


def check(tool, path, wrong):
    raw = path.read_text()
    body, key = raw.split("\n", 4)[4], path.name.split("_")[0] + "_"
    options = ["--fragment"] if key in PIECES else []
    if key == "07_":
        code, out, err = run(tool, ["--split-input-file", "--emit=t2"], body)
        tokens = lambda text: re.findall(r'"(?:\\"|[^"])*"|\S', text.replace("pd_op.tensor<", "builtin.tensor<"))
        if code or tokens(out) != tokens(body):
            wrong.append(f"{path.name}: exit {code}, tokens equal: {tokens(out) == tokens(body)} {err}")
        return
    code, out, err = run(tool, [*options, "--emit=t2"], raw)
    if code or AMBIGUOUS.get(key, "") not in err:
        wrong.append(f"{path.name}: exit {code} {err}")
        return
    if options and run(tool, [], raw)[0] != 1:
        wrong.append(f"{path.name}: a piece is read as a whole")
    for form in ("t2", "typed"):
        first = run(tool, [*options, f"--emit={form}", "--strip-debug"], raw)[1]
        again = run(tool, ["--fragment", f"--emit={form}", "--strip-debug"], first)
        if again[0] or again[1] != first:
            wrong.append(f"{path.name}: {form} does not read back: {again[2]}")
    if key in EXACT and path.suffixes[0] != ".json":
        want = lines(re.sub(r"(?m) //.*$", "", body))
        for op, old, new in STATED.get(key, []):
            want = [line.replace(f"builtin.tensor<{old}>", f"builtin.tensor<{new}>", 1) if op in line else line for line in want]
        if lines(out) != want:
            wrong += [f"{path.name}: - {b}\n + {a}" for a, b in zip(lines(out), want) if a != b][:3] or [f"{path.name}: lengths"]


def main():
    wrong, files = [], sorted(pathlib.Path(sys.argv[2]).rglob("*.txt"))
    for path in files:
        check(sys.argv[1], path, wrong)
    print("\n".join(wrong + [f"{len(files)} files, {len(wrong)} wrong"]))
    return bool(wrong) or not files


if __name__ == "__main__":
    sys.exit(main())
