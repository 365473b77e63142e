#!/usr/bin/env python3
"""Deterministic generator of one graph in two texts: MLIR and PIR.

  gen.py SHAPE N --form=mlir|pir [--seed S]

  empty  no operation
  chain  N straight-line integer ops; nothing is common, nothing folds
  cse    N integer ops of which half repeat an earlier one exactly; all are used
  fold   N integer ops: constants, ops on constants, x + 0, and a live chain through them
  pd     N ops of a transformer in the attributes and types of Paddle programs
Both texts hold the same operations, operands, attributes and types in the same order.
"""
import argparse
import random
import sys

BINARY = {"add": "arith.addi", "multiply": "arith.muli", "subtract": "arith.subi", "bitwise_xor": "arith.xori"}
NAMES = list(BINARY)


class Mlir:
    """Small ops in the arith dialect's own syntax, large ones in the generic form."""

    def __init__(self, out):
        self.out = out

    def begin(self, args, types):
        self.out.write("module {\n  func.func @f(" + ", ".join(f"%a{i}: {t}" for i, t in enumerate(types[:args])) + ") {\n")

    def value(self, v):
        return f"%a{-1 - v}" if v < 0 else f"%v{v}"

    def binary(self, i, name, x, y):
        self.out.write(f"    %v{i} = {BINARY[name]} {self.value(x)}, {self.value(y)} : i64\n")

    def constant(self, i, number):
        self.out.write(f"    %v{i} = arith.constant {number} : i64\n")

    def keep(self, i, v):
        self.out.write(f'    "test.keep"({self.value(v)}) : (i64) -> ()\n')

    def attr(self, a):
        if isinstance(a, bool):
            return "true" if a else "false"
        if isinstance(a, int):
            return f"{a} : i32"
        if isinstance(a, float):
            return f"{a:.6e} : f32"
        if isinstance(a, str):
            return '"' + a + '"'
        return "[" + ", ".join(self.attr(x) for x in a) + "]"

    def op(self, i, name, operands, attrs, types, result):
        text = ", ".join(f"{k} = {self.attr(v)}" for k, v in sorted(attrs.items()))
        self.out.write(f'    %v{i} = "pd_op.{name}"({", ".join(map(self.value, operands))}) {{{text}}} : '
                       f'({", ".join(types)}) -> {result}\n')

    def end(self):
        self.out.write("    return\n  }\n}\n")


class Pir(Mlir):
    def begin(self, args, types):
        self.args = args
        self.out.write("{\n")
        for i, t in enumerate(types[:args]):
            self.out.write(f'    (%{i}) = "pd_op.data" () {{dtype:int64,name:"a{i}",place:Place(undefined:0),shape:[]}} : () -> '
                           f'{t if t.startswith("tensor") else "tensor<i64>"}\n')

    def value(self, v):
        return f"%{-1 - v}" if v < 0 else f"%{v + self.args}"

    def binary(self, i, name, x, y):
        self.out.write(f'    ({self.value(i)}) = "pd_op.{name}" ({self.value(x)}, {self.value(y)}) {{}} : '
                       "(tensor<i64>, tensor<i64>) -> tensor<i64>\n")

    def constant(self, i, number):
        self.out.write(f'    ({self.value(i)}) = "pd_op.full" () {{dtype:int64,place:Place(cpu),shape:[],value:{number}}} : () -> '
                       "tensor<i64>\n")

    def keep(self, i, v):
        self.out.write(f'    ({self.value(i)}) = "pd_op.fetch" ({self.value(v)}) {{col:0,name:"keep"}} : (tensor<i64>) -> tensor<i64>\n')

    def attr(self, a):
        if isinstance(a, bool):
            return "true" if a else "false"
        if isinstance(a, float):
            return f"{a:g}"
        if isinstance(a, str):
            return '"' + a + '"'
        if isinstance(a, list):
            return "[" + ",".join(self.attr(x) for x in a) + "]"
        return str(a)

    def op(self, i, name, operands, attrs, types, result):
        # Places and element types have a notation of their own in PIR.
        bare = ("place", "dtype")
        text = ",".join(f"{k}:{v if k in bare else self.attr(v)}" for k, v in sorted(attrs.items()))
        self.out.write(f'    ({self.value(i)}) = "pd_op.{name}" ({", ".join(map(self.value, operands))}) {{{text}}} : '
                       f'({", ".join(types)}) -> {result}\n')

    def end(self):
        self.out.write("}\n")


def chain(w, r, n):
    w.begin(8, ["i64"] * 8)
    window, prev = [-1 - i for i in range(8)], -1
    for i in range(n):
        other = window[r.randrange(8)]
        while other == prev:
            other = window[r.randrange(8)]
        w.binary(i, NAMES[r.randrange(4)] if i % 2 else "multiply", prev, other)
        prev = i
        window[r.randrange(8)] = i


def cse(w, r, n):
    w.begin(8, ["i64"] * 8)
    prev, unique = -1, []
    for i in range(n):
        if i % 2 and len(unique) > 1:
            w.binary(i, *unique[r.randrange(max(0, len(unique) - 64), len(unique) - 1)])
            continue
        op = (NAMES[r.randrange(4)], prev, -1 - r.randrange(8) if i % 4 else i - 1 if i else -2)
        unique.append(op)
        w.binary(i, *op)
        prev = i


def fold(w, r, n):
    w.begin(8, ["i64"] * 8)
    constants, prev, i = [], -1, 0
    while i < n:
        m = i % 8
        if m < 2 or len(constants) < 4:
            w.constant(i, r.randrange(-1000000, 1000000))
            constants = (constants + [i])[-16:]
        elif m < 6:
            w.binary(i, NAMES[r.randrange(4)], constants[r.randrange(len(constants))], constants[r.randrange(len(constants))])
            constants[r.randrange(len(constants))] = i
        elif m == 6:
            w.constant(i, 0)
            i += 1
            w.binary(i, "add", prev, i - 1)
            prev = i
        else:
            w.binary(i, "add", prev, constants[r.randrange(len(constants))])
            prev = i
        i += 1
    w.keep(i, prev)


def pd(w, r, n):
    wide, tall = "tensor<8x512x1024xf32>", "tensor<8x512x4096xf32>"
    up, down = "tensor<1024x4096xf32>", "tensor<4096x1024xf32>"
    w.begin(1, [wide])
    prev, i, layer = -1, 0, 0
    while i < n:
        common = {"struct_name": f"/model/transformer/layers/{100 + layer % 400}/forward/", "place": "Place(gpu:0)",
                  "stop_gradient": [False]}
        param = {"persistable": [True], "trainable": True, "need_clip": True, **common}
        flags = {"is_test": False, **common}
        layer += 1
        rows = [
            ("parameter", [], {"parameter_name": f"linear_{layer}.w_0", **param}, [], up),
            ("layer_norm", [prev], {"begin_norm_axis": 2, "epsilon": 1e-05, **flags}, [wide], wide),
            ("matmul", [i + 1, i], {"transpose_x": False, "transpose_y": False, **flags}, [wide, up], tall),
            ("gelu", [i + 2], {"approximate": True, "name": f"gelu_{layer}", **flags}, [tall], tall),
            ("parameter", [], {"parameter_name": f"linear_{layer}.w_1", **param}, [], down),
            ("matmul", [i + 3, i + 4], {"transpose_x": False, "transpose_y": False, **flags}, [tall, down], wide),
            ("full", [], {"shape": [1], "value": r.randrange(100) + 0.5, "dtype": "float32", **common}, [], "tensor<1xf32>"),
            ("scale", [i + 5, i + 6], {"bias": 0.0, "bias_after_scale": True, "axis": -1, **common}, [wide, "tensor<1xf32>"], wide),
            ("add", [i + 7, prev], {"axis": -1, "name": f"add_{layer}", **flags}, [wide, wide], wide),
        ]
        for name, operands, attrs, types, result in rows[:n - i]:
            w.op(i, name, operands, attrs, types, result)
            i += 1
        prev = i - 1


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("shape", choices=["empty", "chain", "cse", "fold", "pd"])
    ap.add_argument("n", type=int)
    ap.add_argument("--form", choices=["mlir", "pir"], required=True)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    writer = (Mlir if args.form == "mlir" else Pir)(sys.stdout)
    if args.shape == "empty":
        writer.begin(0, [])
    else:
        {"chain": chain, "cse": cse, "fold": fold, "pd": pd}[args.shape](writer, random.Random(args.seed), args.n)
    writer.end()


if __name__ == "__main__":
    main()
