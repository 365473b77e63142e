#!/usr/bin/env python3
"""Seeds that no test file is: parameter files behind the head that params_fuzz.c wants, and pipeline texts.

  test/fuzz/seeds.py CORPUS
"""
import pathlib
import re
import struct
import sys

CODES = {5: 0, 3: 1, 4: 2, 22: 3, 0: 4, 20: 5, 21: 6, 2: 7, 6: 8, 1: 9, 23: 10, 24: 11, 32: 12, 33: 13}
SIZES = {5: 4, 3: 8, 4: 2, 22: 2, 0: 1, 20: 1, 21: 1, 2: 4, 6: 8, 1: 2, 23: 8, 24: 16, 32: 1, 33: 1}


def record(dtype, dims, lod=b""):
    description = bytes([8, dtype]) + b"".join(bytes([16, d]) for d in dims)
    count = SIZES[dtype]
    for d in dims:
        count *= d
    head = struct.pack("<IQ", 0, 1 if lod else 0) + (struct.pack("<Q", len(lod)) + lod if lod else b"")
    return head + struct.pack("<Ii", 0, len(description)) + description + bytes(i % 251 for i in range(count))


def file(*tensors):
    """The head that declares `tensors`, then the file that holds them."""
    head = bytes([len(tensors)]) + b"".join(bytes([CODES[t] | len(dims) << 4, *dims]) for t, dims in tensors)
    return head, b"".join(record(t, dims) for t, dims in tensors)


def params(out):
    good = [file((5, [2, 3])), file((5, [2, 3]), (3, []), (4, [4])), file((22, [1, 2, 3]), (0, [5])),
            file((20, [0]), (21, [7]), (2, [2]), (6, [1])), file((23, [2]), (24, [1]), (32, [3]), (33, [3]), (1, [2]))]
    for i, (head, body) in enumerate(good):
        (out / f"good{i}").write_bytes(head + body)
        (out / f"cut{i}").write_bytes(head + body[:-1])
        (out / f"more{i}").write_bytes(head + body + record(5, [2]))
    (out / "lod").write_bytes(good[0][0] + record(5, [2, 3], struct.pack("<QQ", 0, 2)))
    head = good[0][0]
    for path in sorted(pathlib.Path("test").rglob("*.pdiparams")):
        if path.stat().st_size < 4096:
            (out / path.stem).write_bytes(head + path.read_bytes())


def pipelines(out):
    texts = set()
    for path in sorted(pathlib.Path("test").rglob("*.pir")):
        texts.update(re.findall(r"--passes=\"?([^\s\"]+)", path.read_text(errors="replace")))
    for i, text in enumerate(sorted(texts)):
        (out / f"p{i}").write_text(text.strip("'"))


if __name__ == "__main__":
    corpus = pathlib.Path(sys.argv[1])
    params(corpus / "params")
    pipelines(corpus / "pipeline")
