#!/usr/bin/env python3
"""Writes a program of about N ops: layers of an encoder, without names of layers.   layers.py N"""
import random
import sys

SHAPE = "tensor<8x64xf32>"


class Writer:
    def __init__(self):
        self.lines, self.values = [], 0

    def op(self, name, operands, attributes="stop_gradient:[true]", shape=SHAPE):
        of = ", ".join(f"%{v}" for v in operands)
        types = ", ".join([SHAPE] * len(operands))
        self.lines.append(f'    (%{self.values}) = "{name}" ({of}) {{{attributes}}} : ({types}) -> {shape}')
        self.values += 1
        return self.values - 1

    def parameter(self):
        name = f"w{self.values}"
        return self.op("builtin.parameter", [], f'is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"{name}",'
                       "persistable:[true],stop_gradient:[false],trainable:[true]")

    def layer(self, x):
        """20 ops: three products, their functions, a sum, and a second part with a gate."""
        parts = [self.op("pd_op.multiply", [x, self.parameter()]) for _ in range(3)]
        a, b, c = (self.op(f"pd_op.{f}", [p]) for f, p in zip(("sigmoid", "tanh", "relu"), parts))
        y = self.op("pd_op.add", [self.op("pd_op.multiply", [a, b]), c])
        y = self.op("pd_op.add", [x, y])
        gate = self.op("pd_op.sigmoid", [self.op("pd_op.multiply", [y, self.parameter()])])
        z = self.op("pd_op.exp", [self.op("pd_op.tanh", [y])])
        return self.op("pd_op.add", [y, self.op("pd_op.multiply", [gate, z])])


DATA = 'dtype:float32,name:"x",place:Place(undefined:0),shape:[8,64],stop_gradient:[true]'


def program(ops, towers=1):
    """Layers behind each other, in towers beside each other."""
    w = Writer()
    tops = [w.op("pd_op.data", [], DATA)] * towers
    while w.values + 20 * towers <= ops:
        tops = [w.layer(x) for x in tops]
    x = tops[0]
    for top in tops[1:]:
        x = w.op("pd_op.add", [x, top])
    return whole(w, x)


def mixed(ops):
    """Ops of all kinds, each of which reads values shortly before it: no layers, and nothing repeats."""
    w, draw = Writer(), random.Random(5)
    w.op("pd_op.data", [], DATA)
    while w.values < ops:
        x, y = (max(0, w.values - 1 - int(draw.expovariate(1 / 12))) for _ in range(2))
        if draw.random() < 0.4:
            w.op("pd_op." + draw.choice(["relu", "tanh", "exp", "sigmoid", "sin", "cos", "abs"]), [x])
        else:
            w.op("pd_op." + draw.choice(["add", "multiply", "subtract", "maximum"]), [x, y])
    return whole(w, w.values - 1)


def whole(w, x):
    w.lines.append(f'    () = "builtin.shadow_output" (%{x}) {{output_name:"y"}} : ({SHAPE}) -> ')
    return "{\n" + "\n".join(w.lines) + "\n}\n"


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1])))
