#!/usr/bin/env python3
"""Writes .pdmodel programs: feed x -> elementwise_add with parameter w -> softmax -> fetch, and the parameters w.pdiparams.

  make_places.py FOLDER      plain.pdmodel; traced.pdmodel, whose ops have Python frames; bad.pdmodel, with an attribute of another kind
"""
import os
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bad"))
from make_pdmodel import attr, block, num, op, raw, slot, var

FRAMES = ('  File "run.py", line 7, in <module>', "    main()", '  File "/home/me/model.py", line 41, in forward', "    return x + self.w",
          '  File "/usr/lib/python3/site-packages/paddle/tensor/math.py", line 900, in add', "    helper.append_op(type)")


def program(axis, traced):
    frames = (attr("op_callstack", 5, *(raw(8, line) for line in FRAMES)),) if traced else ()
    ops = [op("feed", [slot("X", "feed")], [slot("Out", "x")], attr("col", 0, num(3, 0))),
           op("elementwise_add", [slot("X", "x"), slot("Y", "w")], [slot("Out", "y")], attr("axis", 0, num(3, -1)), *frames),
           op("softmax", [slot("X", "y")], [slot("Out", "z")], axis, *frames),
           op("fetch", [slot("X", "z")], [slot("Out", "fetch")], attr("col", 0, num(3, 0)))]
    variables = [var("feed", kind=9, persistable=True), var("fetch", kind=10, persistable=True), var("x", (-1, 3)),
                 var("w", persistable=True), var("y", (-1, 3)), var("z", (-1, 3))]
    return block(0, -1, *variables, *ops) + raw(4, num(1, 3003001))


def write(name, data):
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(data)


good = attr("axis", 0, num(3, -1))
write("plain.pdmodel", program(good, False))
write("traced.pdmodel", program(good, True))
write("bad.pdmodel", program(attr("axis", 2, raw(5, "x")), True))
description = num(1, 5) + num(2, 2) + num(2, 3)
write("w.pdiparams", struct.pack("<IQI", 0, 0, 0) + struct.pack("<i", len(description)) + description + struct.pack("<6f", *range(6)))
