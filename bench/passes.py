#!/usr/bin/env python3
"""What Paddle's GPU pipeline costs over a transformer: ours beside real Paddle's PassManager, the same passes in the same order over
the same program, both in this process, in turns; the least processor time of some rounds counts. Then ours alone, all of the pipeline, over the
program and one four times as large, in counted instructions.

  passes.py --build BUILD [--ops N] [--rounds N] [--json OUT]

Paddle runs the passes that it can run alone (not those that want a scope of parameters); ours are timed with the same ones. Memory
that reading gave back is gathered before the clock starts, on both sides.
"""
import argparse
import ctypes as c
import json
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "ir"))
from run import instructions  # noqa: E402

LIBC = c.CDLL(None)
WIDTH, HEADS, LENGTH = 64, 4, 16
OPS_A_LAYER = 51
LEVEL = 2  # Paddle's default


class Str(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_size_t)]


def text(value):
    return Str(value.encode(), len(value.encode()))


class Ours:
    def __init__(self, path):
        self.lib = lib = c.CDLL(path)
        for name, result, arguments in (
                ("pir_context_create", c.c_void_p, [c.c_void_p]), ("pir_context_destroy", None, [c.c_void_p]),
                ("pir_dialects_load_all", c.c_int, [c.c_void_p]), ("pir_program_destroy", None, [c.c_void_p]),
                ("pir_program_read_json", c.c_int, [c.c_void_p, Str, Str, c.POINTER(c.c_void_p)]),
                ("pir_pass_manager_create", c.c_void_p, [c.c_void_p, c.c_void_p]), ("pir_pass_manager_destroy", None, [c.c_void_p]),
                ("pir_pass_manager_parse", c.c_int, [c.c_void_p, Str]), ("pir_pass_manager_run", c.c_int, [c.c_void_p, c.c_void_p]),
                ("pir_pipeline_text", c.c_char_p, [Str])):
            getattr(lib, name).restype, getattr(lib, name).argtypes = result, arguments

    def names(self, pipeline):
        """The passes of a named pipeline, named pipelines in it taken apart."""
        found = []
        for name in self.lib.pir_pipeline_text(text(pipeline)).decode().split(","):
            found += self.names(name) if self.lib.pir_pipeline_text(text(name)) else [name]
        return found

    def run(self, data, passes):
        lib, program = self.lib, c.c_void_p()
        ctx = lib.pir_context_create(None)
        if lib.pir_dialects_load_all(ctx) or lib.pir_program_read_json(ctx, Str(data, len(data)), text("m"), c.byref(program)):
            sys.exit("passes.py: the program was refused")
        manager = lib.pir_pass_manager_create(ctx, None)
        if lib.pir_pass_manager_parse(manager, text(",".join(passes))):
            sys.exit("passes.py: unknown passes")
        LIBC.malloc_trim(0)
        start = time.process_time()
        status = lib.pir_pass_manager_run(manager, program)
        seconds = time.process_time() - start
        lib.pir_pass_manager_destroy(manager)
        lib.pir_program_destroy(program)
        lib.pir_context_destroy(ctx)
        return sys.exit("passes.py: a pass failed") if status else seconds


def transformer(paddle, layers):
    """Layers of a transformer with layer norm in front, attention of several heads, and x * sigmoid(x) between two products."""
    main, functional = paddle.static.Program(), paddle.nn.functional
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data("x", [2, LENGTH, WIDTH], "float32")

        def parameter(*shape):
            return paddle.create_parameter(list(shape), "float32")

        def linear(value, n, m):
            return paddle.add(paddle.matmul(value, parameter(n, m)), parameter(m))

        def heads(value):
            return paddle.transpose(paddle.reshape(value, [0, 0, HEADS, WIDTH // HEADS]), [0, 2, 1, 3])

        for _ in range(layers):
            h = functional.layer_norm(x, [WIDTH], parameter(WIDTH), parameter(WIDTH))
            q, k, v = (heads(linear(h, WIDTH, WIDTH)) for _ in range(3))
            scores = paddle.scale(paddle.matmul(q, k, transpose_y=True), (WIDTH // HEADS) ** -0.5)
            o = paddle.transpose(paddle.matmul(functional.softmax(scores), v), [0, 2, 1, 3])
            x = paddle.add(x, linear(paddle.reshape(o, [0, 0, WIDTH]), WIDTH, WIDTH))
            h = linear(functional.layer_norm(x, [WIDTH], parameter(WIDTH), parameter(WIDTH)), WIDTH, 4 * WIDTH)
            x = paddle.add(x, linear(paddle.multiply(h, functional.sigmoid(h)), 4 * WIDTH, WIDTH))
        paddle._pir_ops.fetch(x, "out", 0)
    return main


class Theirs:
    def __init__(self):
        import paddle
        from paddle.base import core
        self.paddle, self.core = paddle, core
        paddle.enable_static()

    def make(self, path, ops):
        program = transformer(self.paddle, max(1, round(ops / OPS_A_LAYER)))
        self.core.serialize_pir_program(program, path, True, False, True)
        with open(path, "rb") as f:
            return program.num_ops(), f.read()

    def run(self, path, passes):
        program = self.paddle.static.Program()
        self.core.deserialize_pir_program(path, program)
        manager = self.paddle.pir.PassManager(LEVEL)
        for name in passes:
            manager.add_pass(name + "_pass", {})
        LIBC.malloc_trim(0)
        start = time.process_time()
        manager.run(program)
        return time.process_time() - start

    def can_run(self, path, name):
        try:
            self.run(path, [name])
        except Exception:  # a pass that wants a scope, or is not there, raises whatever it likes
            return False
        return True


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", required=True)
    ap.add_argument("--ops", type=int, default=10000)
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--json")
    args = ap.parse_args()
    ours, theirs = Ours(args.build + "/lib/libpir.so"), Theirs()
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small.json")
        count, data = theirs.make(small, args.ops)
        large = os.path.join(folder, "large.json")
        many, _ = theirs.make(large, 4 * args.ops)
        passes = ours.names("paddle-gpu")
        alone = [name for name in passes if theirs.can_run(small, name)]
        times = {"ours": [], "theirs": [], "whole": []}
        for _ in range(args.rounds):
            times["ours"] += [ours.run(data, alone) for _ in range(3)]
            times["theirs"].append(theirs.run(small, alone))
            times["whole"] += [ours.run(data, passes) for _ in range(3)]
        few, more = (instructions([args.build + "/bin/pir-opt", path, "--pipeline=paddle-gpu"], "pir_pass_manager_run")
                     for path in (small, large))
    best = {key: min(values) * 1e3 for key, values in times.items()}
    print(f"{len(alone)} passes that Paddle runs alone, {count} ops: ours {best['ours']:.1f} ms, Paddle {best['theirs']:.1f} ms: "
          f"{best['theirs'] / best['ours']:.1f} x")
    print(f"all {len(passes)} passes, {count} ops: {best['whole']:.1f} ms, {few / count:.0f} instructions an op; "
          f"{many} ops: {more / few:.3f} x the instructions for {many / count:.3f} x the ops")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"ops": count, "large_ops": many, "passes": alone, "ms": best, "instructions": [few, more]}, f, indent=1)


if __name__ == "__main__":
    main()
