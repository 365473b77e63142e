#!/usr/bin/env python3
"""Seeds that no test file is: parameter files behind the head that params_fuzz.c wants, pipeline texts, archives of arrays,
declarations of ops, compiled objects.

  test/fuzz/seeds.py CORPUS TOOLS
"""
import pathlib
import re
import struct
import subprocess
import sys
import zipfile

CODES = {5: 0, 3: 1, 4: 2, 22: 3, 0: 4, 20: 5, 21: 6, 2: 7, 6: 8, 1: 9, 23: 10, 24: 11, 32: 12, 33: 13}
SIZES = {5: 4, 3: 8, 4: 2, 22: 2, 0: 1, 20: 1, 21: 1, 2: 4, 6: 8, 1: 2, 23: 8, 24: 16, 32: 1, 33: 1}


def record(dtype, dims, lod=b""):
    description = bytes([8, dtype]) + b"".join(bytes([16, d]) for d in dims)
    count = SIZES[dtype]
    for d in dims:
        count *= d
    head = struct.pack("<IQ", 0, 1 if lod else 0) + (struct.pack("<Q", len(lod)) + lod if lod else b"")
    return head + struct.pack("<Ii", 0, len(description)) + description + bytes(i % 251 for i in range(count))


def file(*tensors):
    """The head that declares `tensors`, then the file that holds them."""
    head = bytes([len(tensors)]) + b"".join(bytes([CODES[t] | len(dims) << 4, *dims]) for t, dims in tensors)
    return head, b"".join(record(t, dims) for t, dims in tensors)


def params(out):
    good = [file((5, [2, 3])), file((5, [2, 3]), (3, []), (4, [4])), file((22, [1, 2, 3]), (0, [5])),
            file((20, [0]), (21, [7]), (2, [2]), (6, [1])), file((23, [2]), (24, [1]), (32, [3]), (33, [3]), (1, [2]))]
    for i, (head, body) in enumerate(good):
        (out / f"good{i}").write_bytes(head + body)
        (out / f"cut{i}").write_bytes(head + body[:-1])
        (out / f"more{i}").write_bytes(head + body + record(5, [2]))
    (out / "lod").write_bytes(good[0][0] + record(5, [2, 3], struct.pack("<QQ", 0, 2)))
    head = good[0][0]
    packed = pathlib.Path(sys.argv[2]).parent / "packed"
    for path in sorted([*pathlib.Path("test").rglob("*.pdiparams"), *packed.rglob("*.pdiparams")]):
        if path.stat().st_size < 4096:
            (out / path.stem).write_bytes(head + path.read_bytes())


def pipelines(out):
    texts = set()
    for path in sorted(pathlib.Path("test").rglob("*.pir")):
        texts.update(re.findall(r"--passes=\"?([^\s\"]+)", path.read_text(errors="replace")))
    for i, text in enumerate(sorted(texts)):
        (out / f"p{i}").write_text(text.strip("'"))


def archives(out):
    """Uncompressed archives of the arrays that the tests have, one and three in each."""
    arrays = [p for p in sorted(pathlib.Path("test").rglob("*.npy")) if p.stat().st_size < 2048]
    for i, path in enumerate(arrays):
        for count in (1, 3):
            with zipfile.ZipFile(out / f"z{i}_{count}.npz", "w") as archive:
                for k, member in enumerate((arrays * 2)[i:i + count]):
                    archive.write(member, f"{k}_{member.name}")


DECLARATIONS = [("gap", "X", "test_attr1: i32[], test_attr2: i32 = 1", "Out"),
                ("weighted_sum", "Xs*, Bias?", "weights: f32[], mean: bool = false", "Out"),
                ("kinds", "X, Y?, Rest*", "flag: bool = true, big: i64, half: f32 = 0.5, whole: f64 = -1e3, word: str = \"abc\", none: i32[] = []",
                 "Out, Second")]


def customs(out):
    """Four texts of a declaration, a line each, and a program."""
    programs = [pathlib.Path("test/api/custom_ops.pir").read_text().split("\n{\n")[1]]
    programs = ["{\n" + p for p in programs] + ["{\n" + "\n".join(programs[0].split("\n")[:4]) + "\n}\n"]
    for i, lines in enumerate(DECLARATIONS):
        for k, program in enumerate(programs):
            (out / f"c{i}_{k}").write_text("\n".join(lines) + "\n" + program)


def objects(out, tool):
    """What pir-opt, if it is built, compiles of the tests of code generation."""
    for path in sorted(pathlib.Path("test/codegen").glob("*.pir")) if tool.exists() else []:
        done = subprocess.run([tool, "--emit=obj", "--target=x86-64-v3", path], capture_output=True)
        if done.returncode == 0 and done.stdout[:4] == b"\x7fELF":
            (out / path.stem).write_bytes(done.stdout)


# Lines of an op of libpir that name parts of its sources.
OWN = re.compile(r"^ *(?:hook|kernel|declared)\b.*\n|^ *legacy\b[^{\n]*(?:\{[^}]*\})?[^\n]*\n", re.M)
DECLARATION = re.compile(r"^(op|form) ([\w, ]+?)(?: like ([\w, ]+?))? (\"[^\n]*\") \{\n(.*?)^\}\n", re.M | re.S)
NAMED = re.compile(r"^(?:typeset|let) [^\n]*\n(?:^ [^\n]*\n)*", re.M)


def with_forms(name, forms, seen):
    """The text of a form and of those that it needs, in the order in which they are read."""
    if name in seen or name not in forms:
        return ""
    seen.add(name)
    text = forms[name]
    needed = re.findall(r"\w+", " ".join(re.findall(r"(?:like|include) ([\w, ]+)", text)))
    return "".join(with_forms(n, forms, seen) for n in needed) + text


def ops(out):
    """Each op of libpir whose meaning is in the language, as a user would declare it; and the files of the tests."""
    files = sorted(pathlib.Path("dialects/pd_op").rglob("*.ops"))
    texts = {path: path.read_text() for path in files}
    names = "".join(sorted({n for t in texts.values() for n in NAMED.findall(t) if n.startswith("typeset")}))
    names += "".join(sorted({n for t in texts.values() for n in NAMED.findall(t) if n.startswith("let")}))
    forms = {m[2]: OWN.sub("", m[0]) for t in texts.values() for m in DECLARATION.finditer(t) if m[1] == "form"}
    for path, text in texts.items():
        for m in DECLARATION.finditer(text):
            if m[1] == "op" and re.search(r"^ *(compute|reduce|scan|view|gather|scatter|contract|window|join|split|lower)\b", m[5], re.M):
                needed = re.findall(r"\w+", " ".join(re.findall(r"(?:like|include) ([\w, ]+)", m[0])))
                seen = set()
                (out / f"{path.stem}_{m[2].split(',')[0]}").write_text(
                    names + "".join(with_forms(n, forms, seen) for n in needed) + OWN.sub("", m[0]))
    for path in sorted(pathlib.Path("test/api/user_ops/inputs").glob("*.ops")):
        (out / path.stem).write_text(path.read_text())


if __name__ == "__main__":
    corpus, tools = map(pathlib.Path, sys.argv[1:3])
    params(corpus / "params")
    pipelines(corpus / "pipeline")
    archives(corpus / "npy")
    customs(corpus / "custom")
    ops(corpus / "ops")
    objects(corpus / "image", tools / "pir-opt")
