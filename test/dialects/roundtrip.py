#!/usr/bin/env python3
"""One instance of every declared op with every operand, attribute and result, through all forms and back.

  roundtrip.py BIN DIALECTS

The program is made from the declarations (opsc --list). Its text must print as it was written, and come back equal from the typed form and
from JSON. Ops that hold regions have tests of their own.
"""
import pathlib
import subprocess
import sys
import tempfile

VALUES = {"bool": "true", "i32": "3", "i64": "4", "index": "5", "f32": "0.5", "f64": "0.25", "str": '"s"', "dtype": "float32",
          "place": "Place(cpu)", "layout": "NCHW", "scalar": "1.5", "intarray": "[1,2]", "int_array": "[1,2]", "any": "7",
          "type": "f32", "tensorname": '"t"', "tensor_name": '"t"'}
DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "i64": "int64", "i8": "int8",
          "u8": "uint8", "i16": "int16", "b": "bool", "c64": "complex64", "c128": "complex128",
          "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2", "pstring": "pstring"}
REGIONS = {"module", "group", "if", "while", "pylayer", "fusion", "cuda_graph", "yield", "stack_create", "tuple_push", "tuple_pop",
           "has_elements", "combine", "split", "slice", "parameter", "set_parameter", "shadow_output", "constant"}
JSON_DIALECTS = {"pd_op"}


def declared(opsc, folder):
    with tempfile.NamedTemporaryFile("r", suffix=".tsv") as f:
        subprocess.run([opsc, folder / f"{folder.name}.ops", f"--list={f.name}"], check=True)
        return [l.split("\t") for l in f.read().splitlines()[1:]]


def value(kind):
    return "[" + ",".join([VALUES[kind[:-2]]] * 2) + "]" if kind.endswith("[]") else VALUES[kind]


def words(text):
    """Names with their kinds; a default, which may hold spaces, is dropped."""
    out, depth, word = [], 0, ""
    for c in text + " ":
        depth += (c == "[") - (c == "]")
        if c == " " and not depth:
            out.append(word.split("=")[0])
            word = ""
        else:
            word += c
    return [w for w in out if w]


def dtype_of(word):
    """An element type that a declaration allows: f32 where it may be."""
    allowed = word.partition(":")[2].split("=")[0].split("|")
    return "f32" if "f32" in allowed or allowed[0] in ("", "intarray", "scalar") else allowed[0]


def program(rows):
    lines, feeds, count = ["{"], {}, 0
    types = sorted({dtype_of(w) for r in rows for w in words(r[2])})
    for dtype in types:
        tensor = f"tensor<2x{dtype}>"
        lines.append(f'    (%{count}) = "pd_op.data" () {{dtype:{DTYPES[dtype]},name:"{dtype}",place:Place(undefined:0),shape:[2]}} : () -> {tensor}')
        lines.append(f'    (%{count + 1}) = "builtin.combine" (%{count}, %{count}) {{}} : ({tensor}, {tensor}) -> vec[{tensor},{tensor}]')
        feeds[dtype] = (f"%{count}", tensor), (f"%{count + 1}", f"vec[{tensor},{tensor}]")
        count += 2
    for name, _, operands, attributes, results, *_ in rows:
        takes = [feeds[dtype_of(w)]["*" in w.split(":")[0]] for w in words(operands)]
        gives = [f"tensor<2x{dtype_of(w)}>" for w in results.split()]
        gives = [f"vec[{t},{t}]" if "*" in w else t for t, w in zip(gives, results.split())]
        attrs = ",".join(f"{n}:{value(k)}" for n, k in sorted(w.split(":") for w in words(attributes)))
        numbers = ", ".join(f"%{count + i}" for i in range(len(gives)))
        count += len(gives)
        lines.append(f'    ({numbers}) = "{name}" ({", ".join(v for v, _ in takes)}) {{{attrs}}} : '
                     f'({", ".join(t for _, t in takes)}) -> {", ".join(gives)}')
    return "\n".join(lines + ["}\n"]), len(rows)


def convert(tool, text, option, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as f:
        f.write(text)
        f.flush()
        p = subprocess.run([tool, f.name, *option], capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{tool.name} {' '.join(option)}: {p.stderr[-2000:]}")
    return p.stdout


def compare(what, made, want):
    for a, b in zip(made.splitlines(), want.splitlines()):
        if a != b:
            sys.exit(f"{what}: {a}\n  where it was {b}")
    if made != want:
        sys.exit(f"{what}: lengths differ")


def main():
    tools, dialects = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows = [r for folder in sorted(p for p in dialects.iterdir() if (p / f"{p.name}.ops").exists())
            for r in declared(tools / "opsc", folder) if r[0].split(".")[1] not in REGIONS and not r[0].startswith("cinn_op.")]
    text, ops = program(rows)
    compare("text", convert(tools / "pir-opt", text, ["--strict"], ".pir"), text)
    typed = convert(tools / "pir-opt", text, ["--emit=typed"], ".pir")
    compare("typed", convert(tools / "pir-opt", typed, [], ".pir"), text)
    saved, in_json = program([r for r in rows if r[0].split(".")[0] in JSON_DIALECTS])
    json = convert(tools / "pir-translate", saved, ["--to=json"], ".pir")
    compare("json", convert(tools / "pir-translate", json, ["--to=text"], ".json"), saved)
    print(f"{ops} ops as text and typed, {in_json} as JSON: equal")


if __name__ == "__main__":
    main()
