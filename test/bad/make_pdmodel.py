#!/usr/bin/env python3
"""make_pdmodel.py FOLDER: writes the bad .pdmodel and parameter files of packed.tar.xz and prints their rows of expected.tsv.

Each is a good one with one thing wrong. The good program: feed x -> elementwise_add with parameter w -> fetch.
"""
import os
import struct
import sys

FOLDER = sys.argv[1]
ROWS = []


def varint(v):
    v &= (1 << 64) - 1
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def num(field, v):
    return varint(field << 3) + varint(v)


def raw(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def f32(field, v):
    return varint(field << 3 | 5) + struct.pack("<f", v)


def slot(name, *args):
    return raw(1, name) + b"".join(raw(2, a) for a in args)


def attr(name, kind, *values):
    return raw(4, raw(1, name) + num(2, kind) + b"".join(values))


def op(kind, ins, outs, *attrs):
    return raw(4, b"".join(raw(1, s) for s in ins) + b"".join(raw(2, s) for s in outs) + raw(3, kind) + b"".join(attrs))


def tensor(dtype, dims):
    return num(1, dtype) + b"".join(num(2, d) for d in dims)


def var(name, dims=(2, 3), dtype=5, persistable=False, kind=7):
    kind_field = {7: 3, 13: 4}.get(kind)
    body = num(1, kind) + (raw(kind_field, raw(1, tensor(dtype, dims))) if kind_field else b"")
    return raw(3, raw(1, name) + raw(2, body) + (num(3, 1) if persistable else b""))


def block(i, parent, *parts):
    return raw(1, num(1, i) + num(2, parent) + b"".join(parts))


FEED = op("feed", [slot("X", "feed")], [slot("Out", "x")], attr("col", 0, num(3, 0)))
ADD = op("elementwise_add", [slot("X", "x"), slot("Y", "w")], [slot("Out", "y")], attr("axis", 0, num(3, -1 & (1 << 64) - 1)))
FETCH = op("fetch", [slot("X", "y")], [slot("Out", "fetch")], attr("col", 0, num(3, 0)))
VARS = (var("feed", kind=9, persistable=True) + var("fetch", kind=10, persistable=True) + var("x") + var("y"))
W = var("w", persistable=True)
VERSION = raw(4, num(1, 3003001))


def program(*parts, version=VERSION):
    return b"".join(parts) + version


def good(vars_=VARS + W, ops=FEED + ADD + FETCH):
    return program(block(0, -1, vars_, ops))


def record(dtype, dims, data=None, version=0, tensor_version=0, lod=b"", levels=0, size=None):
    desc = num(1, dtype) + b"".join(num(2, d) for d in dims)
    if data is None:
        n = 1
        for d in dims:
            n *= d
        data = bytes(n * {5: 4, 4: 2, 3: 8}[dtype])
    return (struct.pack("<IQ", version, levels) + lod + struct.pack("<Ii", tensor_version, len(desc) if size is None else size)
            + desc + data)


def write(name, data):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def bad(name, data, message, code=1, command="pir-translate {}"):
    write(name, data)
    ROWS.append((name, command, str(code), message))


def bad_params(name, data, message, code=1):
    bad(name, data, message, code, "pir-run {dir}/add.pdmodel --params={} --input=x=2x3xf32")


def programs():
    whole = good()
    bad("pdmodel/syntax/half.pdmodel", whole[:len(whole) // 2], "length reaches beyond the enclosing message")
    bad("pdmodel/syntax/cut_tag.pdmodel", whole + b"\x80", "truncated varint")
    bad("pdmodel/syntax/overlong_varint.pdmodel", whole + b"\x20" + b"\xff" * 10 + b"\x01", "varint of more than 64 bits")
    bad("pdmodel/syntax/beyond_parent.pdmodel", program(raw(1, num(1, 0) + num(2, -1) + b"\x22\x7f" + FEED[2:])),
        "length reaches beyond the enclosing message")
    bad("pdmodel/syntax/group.pdmodel", whole + b"\x0b", "unknown wire type")
    bad("pdmodel/syntax/wrong_wire.pdmodel", program(raw(1, num(1, 0) + raw(2, b"\x01") + VARS)), "field 'parent_idx' has the wrong wire type")
    bad("pdmodel/syntax/no_type.pdmodel", good(ops=raw(4, raw(1, slot("X", "x")))), "OpDesc without its field 'type'")
    bad("pdmodel/syntax/zero_in_name.pdmodel", good(vars_=VARS + W + var("a\0b")), "a name with a zero byte")
    bad("pdmodel/program/block_number.pdmodel", program(block(3, -1, VARS)), "block 0 says that it is block 3")
    bad("pdmodel/program/parent_later.pdmodel", program(block(0, -1, VARS), block(1, 1)), "its parent is block 1")
    bad("pdmodel/syntax/nested_blocks.pdmodel", program(*(block(i, i - 1) for i in range(100))), "nested more than 64 deep")
    bad("pdmodel/syntax/variable_twice.pdmodel", good(vars_=VARS + W + var("x")), "variable 'x': declared twice")
    bad("pdmodel/program/rank_17.pdmodel", good(vars_=VARS + W + var("big", (1,) * 17)), "more than 16 dimensions")
    bad("pdmodel/program/element_type.pdmodel", good(vars_=VARS + var("w", dtype=99)), "variable 'w' is no tensor of a known element type")
    bad("pdmodel/syntax/attribute_twice.pdmodel", good(ops=FEED + op("relu", [slot("X", "x")], [slot("Out", "y")], attr("a", 0, num(3, 1)),
                                                          attr("a", 1, f32(4, 2)))), "attribute 'a' is given twice, with two types")
    bad("pdmodel/program/attribute_type.pdmodel", good(ops=FEED + op("relu", [slot("X", "x")], [slot("Out", "y")], attr("a", 0, raw(5, "text")))),
        "attribute 'a' has no value of its type 0")
    bad("pdmodel/program/attribute_kind.pdmodel", good(ops=FEED + op("softmax", [slot("X", "x")], [slot("Out", "y")], attr("axis", 2, raw(5, "last")))),
        "attribute 'axis' does not fit its declared kind")
    bad("pdmodel/syntax/slot_twice.pdmodel", good(ops=FEED + op("relu", [slot("X", "x"), slot("X", "y")], [slot("Out", "y")])),
        "slot 'X' is given twice")
    bad("pdmodel/syntax/empty_slot.pdmodel", good(ops=FEED + op("relu", [], [slot("Out", "y")])), "input slot 'X' is empty")
    bad("pdmodel/program/undeclared_input.pdmodel", good(ops=FEED + op("relu", [slot("X", "nobody")], [slot("Out", "y")])),
        "variable 'nobody' is not declared")
    bad("pdmodel/program/undeclared_variable.pdmodel", good(ops=FEED + op("relu", [slot("X", "x")], [slot("Out", "nobody")])),
        "variable 'nobody' is not declared")
    bad("pdmodel/program/unknown_op.pdmodel", good(ops=FEED + op("gap", [slot("X", "x")], [slot("Out", "y")])),
        "unsupported: op 'gap' has no translation", 3)
    stack = ['  File "model.py", line 7, in forward', "    y = gap(x)", '  File "/lib/paddle/base/framework.py", line 3016, in __init__',
             "    for frame in traceback.extract_stack():"]
    bad("pdmodel/program/origin.pdmodel", good(ops=FEED + op("gap", [slot("X", "x")], [slot("Out", "y")],
                                             attr("op_callstack", 5, *(raw(8, line) for line in stack)))),
        "model.py:7: note: the op was made here: y = gap(x)", 3)
    cond = var("c", (1,), 0)

    def branch(child):
        return op("conditional_block", [slot("Cond", "c")], [slot("Out", "y")], attr("sub_block", 8, num(12, child)))
    bad("pdmodel/program/undefined_variable.pdmodel", program(block(0, -1, VARS + cond + var("z"), branch(1)),
                                              block(1, 0, op("relu", [slot("X", "z")], [slot("Out", "y")]))),
        "(block 1, op 0 relu): error: variable 'z' is read before anything defines it")
    bad("pdmodel/program/sub_block_self.pdmodel", program(block(0, -1, VARS + cond, branch(0))), "names block 0, expected one after 0 and before 1")
    bad("pdmodel/program/sub_block_missing.pdmodel", program(block(0, -1, VARS + cond, branch(7)), block(1, 0)), "names block 7, expected one after 0 and before 2")
    bad("pdmodel/program/sub_block_shared.pdmodel", program(block(0, -1, VARS + cond, branch(1) + branch(1)), block(1, 0)),
        "block 1 is the body of another op already")
    bad("pdmodel/program/sub_block_cycle.pdmodel", program(block(0, -1, VARS + cond, branch(1)), block(1, 0, branch(1))),
        "names block 1, expected one after 1 and before 2")


def params():
    write("pdmodel/program/add.pdmodel", good())
    one = record(5, (2, 3))
    bad_params("params/short.pdiparams", one[:-1], "the file ends inside a record")
    bad_params("params/trailing.pdiparams", one + b"\0\0\0", "the file ends inside a record")
    bad_params("params/extra_record.pdiparams", one + record(5, (4,)),
               "record 1 (float32 [4]) belongs to no parameter: the file holds 2 records, the program declares 1")
    bad_params("params/no_record.pdiparams", b"", "parameter 'w' is missing: the file holds 0 records, the program declares 1")
    bad_params("params/shape.pdiparams", record(5, (3, 2)), "parameter 'w' is float32 [3, 2] in the file, the program declares float32 [2, 3]")
    bad_params("params/dtype.pdiparams", record(4, (2, 3)), "parameter 'w' is float16 [2, 3] in the file, the program declares float32 [2, 3]")
    bad_params("params/version.pdiparams", record(5, (2, 3), version=1), "its version is not 0")
    bad_params("params/tensor_version.pdiparams", record(5, (2, 3), tensor_version=7), "its tensor version is not 0")
    bad_params("params/element_type.pdiparams", record(99, (2, 3), data=b""), "an unknown element type")
    bad_params("params/overflow.pdiparams", record(5, (1 << 62, 1 << 62), data=b""), "a tensor of 2^64 bytes or more")
    bad_params("params/rank.pdiparams", record(5, (1,) * 17), "a tensor of more than 16 dimensions")
    bad_params("params/description.pdiparams", record(5, (2, 3), size=1 << 30), "a description longer than the file")
    bad_params("params/negative.pdiparams", record(5, (2, 3), size=-1), "a description longer than the file")
    bad_params("params/lod.pdiparams", record(5, (2, 3), levels=1, lod=struct.pack("<Q", 1 << 60)), "the file ends inside a record")
    bad("alone/model.pdmodel", good(), "no parameter file was given or found beside it", 1, "pir-run {} --input=x=2x3xf32")
    run_folder = "pir-run {} --params={dir}/separate --input=x=2x3xf32"
    write("separate/other", one)
    bad("pdmodel/program/separate_missing.pdmodel", good(), "parameter 'w': the folder has no file of that name", 1, run_folder)
    outside = good(vars_=VARS + var("../add.pdmodel", persistable=True),
                   ops=FEED + op("elementwise_add", [slot("X", "x"), slot("Y", "../add.pdmodel")], [slot("Out", "y")]) + FETCH)
    bad("pdmodel/program/separate_outside.pdmodel", outside, "'../add.pdmodel' is no file name inside a folder", 1, run_folder)


if __name__ == "__main__":
    programs()
    params()
    for row in sorted(ROWS):
        sys.stdout.write("\t".join(row) + "\n")
