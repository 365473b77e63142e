"""Writes a file with one parameter of float32: `parameters.py FILE EXTENT..`. Its elements count from 0."""
import math
import pathlib
import struct
import sys

dims = [int(d) for d in sys.argv[2:]]
desc = b"\x08\x05" + b"".join(b"\x10" + bytes([d]) for d in dims)
values = struct.pack(f"<{math.prod(dims)}f", *range(math.prod(dims)))
pathlib.Path(sys.argv[1]).write_bytes(struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + values)
