"""Steps of a decoder on ranks beside those of one rank: `decode.py PROGRAM PARAMS FOLDER RANKS..`.

Both begin with empty caches, and with caches of three tokens. Ranks have the caches of their heads: inputs keys [1, n, 4, 2] and values
[1, 4, n, 2], which go on as next_keys and next_values. After every step y has to be equal, and so have the caches, put together.
"""
import array
import ast
import pathlib
import random
import struct
import subprocess
import sys

PROGRAM, PARAMS, FOLDER, *RANKS = sys.argv[1:]
AXES = {"keys": 2, "values": 1}


def read(path):
    data = pathlib.Path(path).read_bytes()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    return ast.literal_eval(data[10:end].decode())["shape"], array.array("f", data[end:])


def write(path, shape, values):
    header = str({"descr": "<f4", "fortran_order": False, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + array.array("f", values).tobytes())


def count(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def part(tensor, axis, rank, ranks):
    """A rank's part of a tensor along an axis."""
    shape, values = tensor
    inner = count(shape[axis:])
    step = inner // ranks
    taken = [v for i in range(0, len(values), inner) for v in values[i + rank * step:i + (rank + 1) * step]] if inner else []
    return [*shape[:axis], shape[axis] // ranks, *shape[axis + 1:]], taken


def run(*options):
    done = subprocess.run(["pir-run", PROGRAM, "--params=" + PARAMS, *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)


def close(a, b):
    return list(a[0]) == list(b[0]) and all(abs(x - y) < 2e-6 for x, y in zip(a[1], b[1]))


def step(number, name, *options):
    outputs = [f"--output={output}=@{FOLDER}/{output}_{name}.npy" for output in ("y", "next_keys", "next_values")]
    run(f"--input=x=1x1x8xf32=random:{number}", *outputs, *options)


def decode(length, ranks):
    draw = random.Random(length)
    shapes = {"keys": [1, length, 4, 2], "values": [1, 4, length, 2]}
    state = {name: (shape, [draw.gauss(0, 1) for _ in range(count(shape))]) for name, shape in shapes.items()}
    for name, axis in AXES.items():
        write(f"{FOLDER}/next_{name}_one.npy", *state[name])
        for r in range(ranks):
            write(f"{FOLDER}/next_{name}_{r}.npy", *part(state[name], axis, r, ranks))
    for number in range(4):
        step(number, "one", *(f"--input={name}=@{FOLDER}/next_{name}_one.npy" for name in AXES))
        step(number, "%r", f"--ranks={ranks}", f"--pipeline=shard{{mesh={ranks},rank=%r,caches=split}},compile",
             *(f"--input={name}=@{FOLDER}/next_{name}_%r.npy" for name in AXES))
        for r in range(ranks):
            wanted = {"y": read(f"{FOLDER}/y_one.npy")}
            wanted |= {"next_" + name: part(read(f"{FOLDER}/next_{name}_one.npy"), axis, r, ranks) for name, axis in AXES.items()}
            for name, tensor in wanted.items():
                if not close(read(f"{FOLDER}/{name}_{r}.npy"), tensor):
                    sys.exit(f"{ranks} ranks, step {number} behind {length} tokens: {name} of rank {r} differs")
    print(f"{ranks} ranks, {length} tokens and 4: equal")


for ranks in map(int, RANKS):
    for length in (0, 3):
        decode(length, ranks)
