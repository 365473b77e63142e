#!/usr/bin/env python3
"""Runs changed programs in both pipelines, and prints the message, or the outputs, which both must give.

  both.py PROGRAM CASES

A line of CASES has the name of a case, inputs (`x=2x3xf32:1,2`: numbers are repeated up to the shape), offsets
(`lod_x=[[0,2,5]]`, or `none`), and changes of the program (`/this/that/`, with any other delimiter that is a sign). The line `default`
is the start of every case.
"""
import itertools
import math
import shlex
import struct
import subprocess
import sys

KINDS = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "f16": ("<f2", "e"), "i8": ("|i1", "b"), "u8": ("|u1", "B"), "i32": ("<i4", "i"),
         "i64": ("<i8", "q"), "bool": ("|b1", "?")}


def write_npy(path, text):
    """A tensor stated as 2x3xf32:1,2."""
    form, _, numbers = text.partition(":")
    *shape, kind = form.split("x")
    descr, code = KINDS[kind]
    shape = tuple(int(n) for n in shape)
    values = [float(v) if kind[0] == "f" else int(v) for v in numbers.split(",")] if numbers else [0]
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (descr, "".join(f"{n}," for n in shape))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for v in itertools.islice(itertools.cycle(values), math.prod(shape)):
            f.write(struct.pack("<" + code, v))


def run(name, program, inputs, pipeline):
    with open("case.pir", "w") as f:
        f.write(program)
    command = ["pir-run", "case.pir", f"--pipeline={pipeline}", "--print"]
    for key, value in inputs.items():
        if key.startswith("lod_"):
            command += [] if value == "none" else [f"--lod={key[4:]}={value}"]
        else:
            write_npy(f"{key}.npy", value)
            command.append(f"--input={key}=@{key}.npy")
    done = subprocess.run(command, capture_output=True, text=True)
    lines = (done.stdout + done.stderr).strip().split("\n")
    if done.returncode:  # a message may be followed by the line that it is about
        return f"{name} ({done.returncode}): " + lines[0].replace("pir-run: ", "").replace("error: ", "", 1)
    return f"{name}:\n" + "\n".join(lines)


def main():
    text = open(sys.argv[1]).read()
    default = []
    for line in open(sys.argv[2]):
        name, *words = shlex.split(line) or [None]
        if name == "default":
            default = words
        if name in (None, "default"):
            continue
        program, inputs = text, {}
        for word in default + words:
            if word[0].isalpha():
                key, _, value = word.partition("=")
                inputs[key] = value
            else:
                _, old, new, _ = word.split(word[0])
                if old not in program:
                    sys.exit(f"{name}: the program has no {old}")
                program = program.replace(old, new)
        one, other = (run(name, program, inputs, p) for p in ("kernels", "compile"))
        print(one if one == other else f"kernels: {one}\ncompile: {other}")


main()
