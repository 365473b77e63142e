#!/usr/bin/env python3
"""Makes the float64 program of a float32 one: every f32 type, element type and parameter becomes f64; all else stays.

  wide.py MODEL.json PARAMS OUT_FOLDER        writes OUT_FOLDER/model.json and model.pdiparams

The result is the same function of the same numbers, without the rounding of each step to f32. So numbers in attributes are those that the
f32 program computes with: a slope of 0.1 stored as f64 is 0.1 rounded to f32. Lists of f64 stay, but those of an op that says its element
type: they are scales of sizes, which are computed in f64.
"""
import json
import math
import os
import struct
import sys
from array import array

FP32, FP64 = 5, 6  # of VarType in Paddle's framework.proto


def rounded(number):
    """To f32; what f32 does not hold stays (JSON has text for infinities and NaN)."""
    if isinstance(number, float) and abs(number) < 3.4e38:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    return number


def round_number(attr):
    if attr.get("#") == "0.a_f64":
        attr["D"] = rounded(attr["D"])


def is_f32_type(attr):
    return attr.get("#", "").endswith(".a_dtype") and attr.get("D") == "float32"


def widen_op(attrs):
    says_type = any(is_f32_type(a["AT"]) for a in attrs)
    for attr in (a["AT"] for a in attrs):
        round_number(attr)
        if is_f32_type(attr):
            attr["D"] = "float64"
        if says_type and attr.get("#") == "0.a_array":
            for element in attr["D"]:
                round_number(element)


def widen_program(node):
    """In place, a program as Paddle's JSON holds it."""
    if isinstance(node, list):
        for child in node:
            widen_program(child)
    elif isinstance(node, dict):
        if node.get("#") == "0.t_f32":
            node["#"] = "0.t_f64"
        if "A" in node and "O" in node and isinstance(node["A"], list):
            widen_op([a for a in node["A"] if isinstance(a, dict)])
        for child in node.values():
            if isinstance(child, (list, dict)):
                widen_program(child)


def widen_params(read, write):
    """From one file of a .pdiparams to another: tensors, each with versions, lod, a TensorDesc whose first field is the type, numbers."""
    while head := read.read(4):
        levels = read.read(8)
        if struct.unpack("<I", head)[0] or struct.unpack("<Q", levels)[0]:
            raise ValueError("a tensor of another version, or with lod")
        version, size = struct.unpack("<Ii", read.read(8))
        desc = read.read(size)
        if version or desc[0] != 0x08:
            raise ValueError("a tensor of another version, or without a type")
        count, width = elements(desc), {FP32: 4, FP64: 8, 0: 1, 2: 4, 3: 8}[desc[1]]
        data = read.read(count * width)
        if len(data) != count * width:
            raise ValueError("the file ends within a tensor")
        if desc[1] == FP32:
            desc, data = bytes([0x08, FP64]) + desc[2:], array("d", array("f", data)).tobytes()
        write.write(head + levels + struct.pack("<Ii", version, len(desc)) + desc + data)


def varints(data):
    """The numbers that the bytes hold, 7 bits in each, the last of a number below 128."""
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


def elements(desc):
    """The product of the dimensions in a TensorDesc, which are field 2: packed, or each with its tag."""
    if desc[2:3] == b"\x12":
        return math.prod(varints(desc[4:]))
    tagged = varints(desc[2:])
    if any(tag != 0x10 for tag in tagged[::2]):
        raise ValueError("a TensorDesc with an unknown field")
    return math.prod(tagged[1::2])


def widen(program, params, folder):
    with open(program) as f:
        tree = json.load(f)
    widen_program(tree)
    with open(folder + "/model.json", "w") as f:
        json.dump(tree, f)
    with open(params, "rb") as read, open(folder + "/model.pdiparams", "wb") as write:
        widen_params(read, write)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    os.makedirs(sys.argv[3], exist_ok=True)
    widen(*sys.argv[1:])
