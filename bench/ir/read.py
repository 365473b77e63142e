#!/usr/bin/env python3
"""How long reading a legacy program takes: ours (from bytes to a verified program) beside real Paddle's two steps, parsing the
protobuf and translating it to PIR. Both in this process, in turns; the least of many times counts. Ends with the ratio.

  read.py --lib build/lib/libpir.so [--rounds N] [--json OUT] PROGRAM.pdmodel|ARCHIVE.tar.xz...
"""
import argparse
import ctypes as c
import json
import pathlib
import sys
import tarfile
import time


class Str(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_size_t)]


class Ours:
    """A context a reading, as a tool that opens one model has."""

    def __init__(self, path):
        self.lib = lib = c.CDLL(path)
        lib.pir_context_create.restype = c.c_void_p
        lib.pir_context_create.argtypes = [c.c_void_p]
        lib.pir_context_destroy.argtypes = [c.c_void_p]
        lib.pir_dialects_load_all.argtypes = [c.c_void_p]
        lib.pir_program_read_pdmodel.argtypes = [c.c_void_p, Str, Str, c.POINTER(c.c_void_p)]
        lib.pir_program_destroy.argtypes = [c.c_void_p]
        lib.pir_program_module.restype = c.c_void_p
        lib.pir_program_module.argtypes = [c.c_void_p]
        lib.pir_verify.argtypes = [c.c_void_p, c.c_void_p]

    def read(self, data):
        lib, program = self.lib, c.c_void_p()
        start = time.perf_counter()
        ctx = lib.pir_context_create(None)
        if lib.pir_dialects_load_all(ctx) or lib.pir_program_read_pdmodel(ctx, Str(data, len(data)), Str(b"m", 1),
                                                                         c.byref(program)):
            sys.exit("read.py: the program was refused")
        if lib.pir_verify(lib.pir_program_module(program), None):
            sys.exit("read.py: the program does not verify")
        end = time.perf_counter()
        lib.pir_program_destroy(program)
        lib.pir_context_destroy(ctx)
        return end - start


def paddle_reader():
    import paddle
    from paddle.base import core

    def read(data):
        start = time.perf_counter()
        program = paddle.pir.translate_to_pir(core.ProgramDesc(data))
        end = time.perf_counter()
        assert len(program.global_block().ops) > 0
        return end - start

    paddle.enable_static()
    return read


def programs(paths):
    for path in map(pathlib.Path, paths):
        if path.suffix == ".pdmodel":
            yield path.name, path.read_bytes()
            continue
        with tarfile.open(path) as archive:
            for member in archive:
                if member.name.endswith(".pdmodel"):
                    yield member.name, archive.extractfile(member).read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", required=True)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json")
    parser.add_argument("programs", nargs="+")
    args = parser.parse_args()
    ours, paddle, rows = Ours(args.lib), paddle_reader(), []
    for name, data in programs(args.programs):
        times = [(ours.read(data), paddle(data)) for _ in range(args.rounds)]
        a, b = (min(column) for column in zip(*times))
        rows.append({"program": name, "bytes": len(data), "ours_ms": a * 1e3, "paddle_ms": b * 1e3, "ratio": b / a})
        print(f"{name}: {len(data)} bytes, ours {a * 1e3:.2f} ms, Paddle {b * 1e3:.2f} ms: {b / a:.1f} x")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
