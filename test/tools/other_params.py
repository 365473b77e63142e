#!/usr/bin/env python3
"""Writes a combined parameter file with other weights of float32.

  other_params.py IN.pdiparams OUT.pdiparams RAW [NUMBER]

RAW gets the bytes of all parameters of OUT, one after another. With NUMBER only that parameter is another one.
"""
import array
import struct
import sys


def varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def record_at(data, at):
    """Where the elements of the record begin and end."""
    version, levels = struct.unpack_from("<IQ", data, at)
    assert version == 0 and levels == 0, "a parameter has no levels"
    size, = struct.unpack_from("<i", data, at + 16)
    at, end, count = at + 20, at + 20 + size, 1
    while at < end:
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key >> 3 == 1:
            assert value == 5, "float32"
        else:
            count *= value
    return end, end + 4 * count


def main():
    data, only = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[4]) if len(sys.argv) > 4 else None
    at, number, raw = 0, 0, bytearray()
    while at < len(data):
        begin, at = record_at(data, at)
        elements = array.array("f", bytes(data[begin:at]))
        if only in (None, number):
            elements = array.array("f", [x * 1.25 + 0.01 * (k % 3) for k, x in enumerate(elements)])
        data[begin:at] = elements.tobytes()
        raw += data[begin:at]
        number += 1
    open(sys.argv[2], "wb").write(data)
    open(sys.argv[3], "wb").write(raw)


main()
