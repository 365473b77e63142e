#!/usr/bin/env python3
"""Writes .pdmodel programs: feed x -> elementwise_add with parameter w -> softmax -> fetch, and the parameters w.pdiparams.

  make_places.py FOLDER      plain.pdmodel; traced.pdmodel, whose ops have Python frames; bad.pdmodel, with an attribute of another kind
"""
import os
import struct
import sys

FRAMES = ('  File "run.py", line 7, in <module>', "    main()", '  File "/home/me/model.py", line 41, in forward', "    return x + self.w",
          '  File "/usr/lib/python3/site-packages/paddle/tensor/math.py", line 900, in add', "    helper.append_op(type)")


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


def attr(name, kind, *values):
    return raw(4, raw(1, name) + num(2, kind) + b"".join(values))


def slot(name, arg):
    return raw(1, name) + raw(2, arg)


def op(kind, ins, out, *attrs):
    return raw(4, b"".join(raw(1, s) for s in ins) + raw(2, out) + raw(3, kind) + b"".join(attrs))


def var(name, dims=(), persistable=False, kind=7):
    tensor = num(1, 5) + b"".join(num(2, d) for d in dims)
    body = num(1, kind) + (raw(3, raw(1, tensor)) if kind == 7 else b"")
    return raw(3, raw(1, name) + raw(2, body) + (num(3, 1) if persistable else b""))


def program(axis, traced):
    frames = (attr("op_callstack", 5, *(raw(8, line) for line in FRAMES)),) if traced else ()
    ops = [op("feed", [slot("X", "feed")], slot("Out", "x"), attr("col", 0, num(3, 0))),
           op("elementwise_add", [slot("X", "x"), slot("Y", "w")], slot("Out", "y"), attr("axis", 0, num(3, -1)), *frames),
           op("softmax", [slot("X", "y")], slot("Out", "z"), axis, *frames),
           op("fetch", [slot("X", "z")], slot("Out", "fetch"), attr("col", 0, num(3, 0)))]
    variables = [var("feed", (), True, 9), var("fetch", (), True, 10), var("x", (-1, 3)), var("w", (2, 3), True), var("y", (-1, 3)),
                 var("z", (-1, 3))]
    return raw(1, num(1, 0) + num(2, -1) + b"".join(variables + ops)) + raw(4, num(1, 3003001))


def write(name, data):
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(data)


good = attr("axis", 0, num(3, -1))
write("plain.pdmodel", program(good, False))
write("traced.pdmodel", program(good, True))
write("bad.pdmodel", program(attr("axis", 2, raw(5, "x")), True))
description = num(1, 5) + num(2, 2) + num(2, 3)
write("w.pdiparams", struct.pack("<IQI", 0, 0, 0) + struct.pack("<i", len(description)) + description + struct.pack("<6f", *range(6)))
