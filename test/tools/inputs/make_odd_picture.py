#!/usr/bin/env python3
"""Writes a picture of a kind that is rare, or damaged.

  make_odd_picture.py FILE KIND

rgb8, rgb16, grey16, gamma, interlaced, palette: a PNG file of 2 x 2 pixels whose upper 8 bits of every channel are
0x10, 0x40, 0x80 and 0xc0 (gamma: 8 bits and a gAMA chunk of 1.0). large: a PNG file of 32768 x 32768 pixels of one bit.
cmyk: the headers of a JPEG file of four inks. short: the first three bytes of a JPEG file.
"""
import struct
import sys
import zlib

from make_png import chunk

LEVELS = [0x10, 0x40, 0x80, 0xc0]


def png(width, height, depth, colour, rows, before=b"", interlaced=0):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


def lines(pixel, starts=(0, 2)):
    """Two rows without a filter; `pixel` makes the bytes of a level."""
    return b"".join(b"\0" + b"".join(map(pixel, LEVELS[i:i + 2])) for i in starts)


def cmyk():
    parts = b"".join(bytes([i, 0x11, 0]) for i in range(1, 5))
    scan = b"".join(bytes([i, 0]) for i in range(1, 5))
    return (b"\xff\xd8\xff\xc0" + struct.pack(">HBHHB", 20, 8, 8, 8, 4) + parts
            + b"\xff\xda" + struct.pack(">HB", 14, 4) + scan + b"\0\x3f\0\xff\xd9")


def make(kind):
    if kind == "rgb8":
        return png(2, 2, 8, 2, lines(lambda v: bytes([v] * 3)))
    if kind == "rgb16":
        return png(2, 2, 16, 2, lines(lambda v: bytes([v, 0] * 3)))
    if kind == "grey16":
        return png(2, 2, 16, 0, lines(lambda v: bytes([v, 0xff])))
    if kind == "gamma":
        return png(2, 2, 8, 2, lines(lambda v: bytes([v] * 3)), chunk(b"gAMA", struct.pack(">I", 100000)))
    if kind == "interlaced":  # Adam7: of 2 x 2 pixels the first, the second and the second row
        rows = b"\0\x10" + b"\0\x40" + b"\0\x80\xc0"
        return png(2, 2, 8, 0, rows, interlaced=1)
    if kind == "palette":
        palette = b"".join(bytes([v] * 3) for v in LEVELS)
        return png(2, 2, 2, 3, b"\0\x10" + b"\0\xb0", chunk(b"PLTE", palette))
    if kind == "large":
        return png(32768, 32768, 1, 0, bytes(32768 * 4097))
    return {"cmyk": cmyk(), "short": b"\xff\xd8\xff"}[kind]


def main():
    with open(sys.argv[1], "wb") as file:
        file.write(make(sys.argv[2]))


main()
