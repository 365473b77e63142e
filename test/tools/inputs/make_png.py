#!/usr/bin/env python3
"""Writes a PNG file of random bytes, the same each time.

  make_png.py FILE WIDTH HEIGHT CHANNELS
"""
import random
import struct
import sys
import zlib


def pixels(width, height, channels):
    """The rows of the picture, each a list of bytes."""
    draw = random.Random(width * height * channels)
    return [[draw.randrange(256) for _ in range(width * channels)] for _ in range(height)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    path, width, height, channels = sys.argv[1], *map(int, sys.argv[2:5])
    rows = b"".join(b"\0" + bytes(row) for row in pixels(width, height, channels))
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
