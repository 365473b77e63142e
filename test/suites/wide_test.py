#!/usr/bin/env python3
"""Runs a program and its float64 program on the same image, and tries the parts of bench/zoo/wide.py.

  wide_test.py ROOT FOLDER        FOLDER holds the float64 program of test/models/digits_cnn; pir-run is found by PATH
"""
import ast
import io
import struct
import subprocess
import sys
from array import array

sys.path.insert(0, sys.argv[1] + "/bench/zoo")
import wide  # noqa: E402


def read_npy(path):
    with open(path, "rb") as f:
        head = f.read(10)
        header = ast.literal_eval(f.read(struct.unpack("<H", head[8:])[0]).decode())
        return header, array({"<f4": "f", "<f8": "d"}[header["descr"]], f.read())


def write_npy(path, header, numbers):
    text = repr(dict(header, descr="<f8")).encode()
    text += b" " * (63 - (10 + len(text)) % 64) + b"\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + array("d", numbers).tobytes())


def expect(condition, what):
    if not condition:
        sys.exit(f"wide_test.py: {what}")


def try_numbers():
    tree = {"#": "1.leaky_relu", "A": [{"N": "slope", "AT": {"#": "0.a_f64", "D": 0.1}}], "O": []}
    wide.widen_program(tree)
    expect(tree["A"][0]["AT"]["D"] == 0.10000000149011612, "a number is not rounded to f32")
    scales = {"#": "0.a_array", "D": [{"#": "0.a_f64", "D": 0.1}]}
    dtype = {"#": "1.a_dtype", "D": "float32"}
    wide.widen_program({"#": "1.nearest_interp", "A": [{"N": "scale", "AT": scales}], "O": []})
    expect(scales["D"][0]["D"] == 0.1, "a scale of sizes is rounded")
    wide.widen_program({"#": "1.assign_value", "A": [{"N": "values", "AT": scales}, {"N": "dtype", "AT": dtype}], "O": []})
    expect(scales["D"][0]["D"] != 0.1 and dtype["D"] == "float64", "numbers of an f32 are not rounded, or the type stays")


def tensor(kind, dims, data):
    desc = bytes([0x08, kind]) + b"".join(b"\x10" + bytes([d]) for d in dims)
    return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + data


def try_params():
    floats, integers = tensor(5, [2, 1], struct.pack("<2f", 0.1, 3)), tensor(3, [1], struct.pack("<q", 7))
    out = io.BytesIO()
    wide.widen_params(io.BytesIO(floats + integers), out)
    expect(out.getvalue() == tensor(6, [2, 1], struct.pack("<2d", 0.10000000149011612, 3)) + integers, "parameters differ")
    for bad in (floats[:-1], b"\1" + floats[1:]):
        try:
            wide.widen_params(io.BytesIO(bad), io.BytesIO())
        except ValueError:
            continue
        expect(False, "a damaged file is read")


def main():
    root, folder = sys.argv[1:]
    try_numbers()
    try_params()
    model = root + "/test/models/digits_cnn"
    write_npy(folder + "/image.npy", *read_npy(model + "/case0/in_image.npy"))
    for program, image, out in ((model, model + "/case0/in_image.npy", "f32.npy"), (folder, folder + "/image.npy", "f64.npy")):
        subprocess.run(["pir-run", program + "/model.json", f"--input=image=@{image}", f"--output=@{folder}/{out}"],
                       check=True, stdout=subprocess.DEVNULL)
    (narrow_header, narrow), (header, numbers) = read_npy(folder + "/f32.npy"), read_npy(folder + "/f64.npy")
    expect(header["descr"] == "<f8" and header["shape"] == narrow_header["shape"], "the outputs have other types or shapes")
    off = max(abs(a - b) for a, b in zip(narrow, numbers))
    expect(0 < off < 1e-5 * max(map(abs, numbers)), f"the outputs differ by {off}")


main()
