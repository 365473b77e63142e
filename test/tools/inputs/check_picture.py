#!/usr/bin/env python3
"""Compares an output that was made of the picture of make_png.py, 30 x 20 pixels in three channels, with it.

  check_picture.py FILE.npy WIDTH HEIGHT MEAN STD     normalised by channel
  check_picture.py FILE.npy WIDTH HEIGHT half         scaled to half its size
  check_picture.py FILE.png WIDTH HEIGHT              the same picture
"""
import array
import ast
import struct
import sys
import zlib

from make_png import pixels

ROWS = pixels(30, 20, 3)


def read_png(path):
    """Rows of bytes of an RGB picture of 8 bits."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    assert depth == 8 and colour == 2, (depth, colour)
    raw, stride = zlib.decompress(packed), width * 3
    rows = [[0] * stride]
    for y in range(height):
        kind, row = raw[y * (stride + 1)], list(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, up, corner = (row[x - 3] if x >= 3 else 0), rows[-1][x], (rows[-1][x - 3] if x >= 3 else 0)
            about = left + up - corner
            nearest = min((abs(about - left), 0, left), (abs(about - up), 1, up), (abs(about - corner), 2, corner))[2]
            row[x] = (row[x] + [0, left, up, (left + up) // 2, nearest][kind]) & 255
        rows.append(row)
    return rows[1:]


def read_npy(path):
    """Shape and elements of an array of f32."""
    data = open(path, "rb").read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"]
    return header["shape"], array.array("f", data[10 + size:])


def triangle(n):
    """Weights by which n pixels become half as many: the triangle around each centre reaches two pixels to each side."""
    for k in range(n // 2):
        row = [max(0, 1 - abs(i + 0.5 - (k + 0.5) * 2) / 2) for i in range(n)]
        yield [(i, w / sum(row)) for i, w in enumerate(row) if w]


def main():
    path, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if path.endswith(".png"):
        assert read_png(path) == ROWS
        return
    shape, got = read_npy(path)
    assert shape == (1, 3, height, width), shape
    if sys.argv[4] == "half":
        down, across = list(triangle(20)), list(triangle(30))
        want = [sum(wy * wx * ROWS[y][x * 3 + c] for y, wy in down[j] for x, wx in across[i]) / 255
                for c in range(3) for j in range(height) for i in range(width)]
    else:
        mean, std = ([float(x) for x in a.split(",")] for a in sys.argv[4:6])
        want = [(ROWS[y][x * 3 + c] / 255 - mean[c]) / std[c] for c in range(3) for y in range(height) for x in range(width)]
    assert max(abs(a - b) for a, b in zip(got, want)) < 1e-5


main()
