"""Writes random parameters for a program in text: `parameters.py PROGRAM FILE`."""
import pathlib
import random
import re
import struct
import sys

random.seed(1)
text = pathlib.Path(sys.argv[1]).read_text()
shapes = {name: [int(d) for d in dims.split("x")]
          for name, dims in re.findall(r'parameter_name:"(\w+)".*-> tensor<([\dx]+)xf32>', text)}
with open(sys.argv[2], "wb") as out:
    for name, dims in sorted(shapes.items()):
        desc = b"\x08\x05" + b"".join(b"\x10" + bytes([d]) for d in dims)
        count = 1
        for d in dims:
            count *= d
        numbers = [random.gauss(0, 0.3) for _ in range(count)]
        values = struct.pack(f"<{count}f", *(map(abs, numbers) if name == "variance" else numbers))
        out.write(struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + values)
