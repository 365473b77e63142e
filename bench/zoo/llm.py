#!/usr/bin/env python3
"""Writes language models of the shape of Llama with random weights, as two programs of Paddle that share their parameters.

    llm.py OUTDIR [NAME ...]

OUTDIR/NAME/ holds prefill.json (ids [1, n] -> logits of the last token [1, 1, vocabulary], and the keys and values of each layer,
[1, n, heads, width]), decode.json (one id and the caches of each layer -> logits, and the caches with the token behind them), model.pdiparams
(f32, for both programs), and DONE last. Batch 1. Names and sizes: SIZES. Parameters are made by NumPy, because drawing 4 GB by Paddle takes
minutes: each is a window of one block of normal numbers, scaled by 1/sqrt(rows). Needs paddlepaddle==3.3.1 and, on the disk, 4 bytes a
parameter; no more than a few MB of parameters are in memory at a time.
"""
import argparse
import dataclasses
import json
import os
import struct
import sys

import numpy as np

BLOCK = 1 << 22  # numbers that are drawn


@dataclasses.dataclass
class Size:
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    ffn: int
    vocab: int = 32000
    tied: bool = False  # the head multiplies by the embedding, transposed
    theta: float = 10000.0
    eps: float = 1e-5

    @property
    def width(self):
        return self.hidden // self.heads

    def matrices(self):
        """Name, rows and columns of each matrix that a token is multiplied by, in order, without the head."""
        kv = self.kv_heads * self.width
        for i in range(self.layers):
            for name, rows, columns in (("q", self.hidden, self.hidden), ("k", self.hidden, kv), ("v", self.hidden, kv),
                                        ("o", self.hidden, self.hidden), ("gate", self.hidden, self.ffn),
                                        ("up", self.hidden, self.ffn), ("down", self.ffn, self.hidden)):
                yield f"layer_{i}.{name}", rows, columns

    def parameters(self):
        """Shapes by name."""
        shapes = {name: (rows, columns) for name, rows, columns in self.matrices()}
        for i in range(self.layers):
            shapes[f"layer_{i}.norm_1"] = shapes[f"layer_{i}.norm_2"] = (self.hidden,)
        shapes["embedding"], shapes["norm"] = (self.vocab, self.hidden), (self.hidden,)
        if not self.tied:
            shapes["head"] = (self.hidden, self.vocab)
        return shapes

    def products(self):
        """Weights that a token is multiplied by: those that decoding reads."""
        return sum(rows * columns for _, rows, columns in self.matrices()) + self.hidden * self.vocab


SIZES = {
    "llama_160m": Size(hidden=768, layers=12, heads=12, kv_heads=12, ffn=3072),
    "llama_1b": Size(hidden=2048, layers=22, heads=32, kv_heads=4, ffn=5632),
    "llama_3b": Size(hidden=3072, layers=28, heads=24, kv_heads=8, ffn=8192, tied=True),
}


# ---- parameters

def make_parameter(block, place, shape):
    """`place` is the number of the parameter: where its window begins."""
    count = int(np.prod(shape))
    if len(shape) == 1:
        return np.ones(shape, "float32") + 0.1 * block[place % 4096:][:count]
    start = place * 7919 % BLOCK
    scale = np.float32(shape[0] ** -0.5)
    return (np.resize(np.roll(block, -start), count) * scale).reshape(shape)


def write_parameters(size, path):
    """A file of parameters as Paddle combines them: tensors in the order of their names (docs/reference/formats.md)."""
    block = np.random.default_rng(1).standard_normal(BLOCK, "float32")
    with open(path, "wb") as out:
        for place, (name, shape) in enumerate(sorted(size.parameters().items())):
            described = bytes([8, 5]) + b"".join(bytes([16]) + varint(n) for n in shape)  # TensorDesc: FP32, dims
            out.write(struct.pack("<IQIi", 0, 0, 0, len(described)) + described)
            make_parameter(block, place, shape).tofile(out)


def varint(n):
    text = b""
    while n > 127:
        text, n = text + bytes([n & 127 | 128]), n >> 7
    return text + bytes([n])


def read_parameters(size, path):
    """The parameters, mapped, and the place of each in the file."""
    values, at = {}, 0
    for name, shape in sorted(size.parameters().items()):
        at += 20 + 2 + sum(1 + len(varint(n)) for n in shape)
        values[name] = np.memmap(path, "float32", "r", at, shape)
        at += 4 * int(np.prod(shape))
    return values


# ---- programs

class Network:
    """The ops of one program; parameters are made on first use, by name."""

    def __init__(self, paddle, size):
        self.paddle, self.size, self.made = paddle, size, {}

    def parameter(self, name):
        if name not in self.made:
            shape = list(self.size.parameters()[name])
            self.made[name] = self.paddle.static.create_parameter(shape, "float32", attr=self.paddle.ParamAttr(name=name))
        return self.made[name]

    def norm(self, x, name):
        p = self.paddle
        return x * p.rsqrt(p.mean(p.square(x), -1, keepdim=True) + self.size.eps) * self.parameter(name)

    def product(self, x, name):
        return self.paddle.matmul(x, self.parameter(name))

    def rotate(self, x, cos, sin):
        a, b = self.paddle.chunk(x, 2, axis=-1)
        return x * cos + self.paddle.concat([-b, a], axis=-1) * sin

    def angles(self, past, n):
        p, width = self.paddle, self.size.width
        at = p.arange(past, past + n, dtype="int64").astype("float32")
        steps = p.to_tensor((1.0 / self.size.theta ** (np.arange(0, width, 2) / width)).astype("float32"))
        angle = at.unsqueeze(1) * steps.unsqueeze(0)
        angle = p.concat([angle, angle], axis=-1).unsqueeze(1)
        return p.cos(angle), p.sin(angle)

    def heads(self, x, count):
        return x.reshape([1, -1, count, self.size.width])

    def repeated(self, x):
        """Keys or values [1, n, kv heads, width], for each head that shares them: [1, heads, n, width]."""
        s = self.size
        share = s.heads // s.kv_heads
        if share > 1:
            x = self.paddle.tile(x.unsqueeze(3), [1, 1, 1, share, 1]).reshape([1, -1, s.heads, s.width])
        return x.transpose([0, 2, 1, 3])

    def attention(self, x, i, cos, sin, mask, past):
        p, s, name = self.paddle, self.size, f"layer_{i}."
        q = self.rotate(self.heads(self.product(x, name + "q"), s.heads), cos, sin)
        k = self.rotate(self.heads(self.product(x, name + "k"), s.kv_heads), cos, sin)
        v = self.heads(self.product(x, name + "v"), s.kv_heads)
        if past:
            k, v = p.concat([past[0], k], axis=1), p.concat([past[1], v], axis=1)
        scores = p.matmul(q.transpose([0, 2, 1, 3]), self.repeated(k), transpose_y=True) * s.width ** -0.5
        if mask is not None:
            scores = scores + mask
        y = p.matmul(p.nn.functional.softmax(scores), self.repeated(v)).transpose([0, 2, 1, 3])
        return self.product(y.reshape([1, -1, s.hidden]), name + "o"), k, v

    def layer(self, x, i, cos, sin, mask, past):
        name = f"layer_{i}."
        y, k, v = self.attention(self.norm(x, name + "norm_1"), i, cos, sin, mask, past)
        x = x + y
        y = self.norm(x, name + "norm_2")
        y = self.paddle.nn.functional.silu(self.product(y, name + "gate")) * self.product(y, name + "up")
        return x + self.product(y, name + "down"), k, v

    def head(self, x):
        if self.size.tied:
            return self.paddle.matmul(x, self.parameter("embedding"), transpose_y=True)
        return self.product(x, "head")

    def run(self, ids, caches):
        p = self.paddle
        n = p.shape(ids)[1]
        cos, sin = self.angles(p.shape(caches[0][0])[1] if caches else 0, n)
        mask = None if caches else p.triu(p.full([n, n], -1e9, "float32"), 1)
        x, made = p.nn.functional.embedding(ids, self.parameter("embedding")), []
        for i in range(self.size.layers):
            x, k, v = self.layer(x, i, cos, sin, mask, caches[i] if caches else None)
            made += [k, v]
        return [self.head(self.norm(x[:, -1:], "norm"))] + made


def write_program(size, path, cached):
    import paddle
    from paddle.base import core
    paddle.enable_static()
    program = paddle.static.Program()
    with paddle.static.program_guard(program, paddle.static.Program()):
        feeds = [paddle.static.data("ids", [1, 1 if cached else -1], "int64")]
        for i in range(size.layers if cached else 0):
            feeds += [paddle.static.data(f"{kind}_{i}", [1, -1, size.kv_heads, size.width], "float32") for kind in ("keys", "values")]
        caches = [feeds[i:i + 2] for i in range(1, len(feeds), 2)]
        program = paddle.static.normalize_program(program, feeds, Network(paddle, size).run(feeds[0], caches))
    core.serialize_pir_program(program, path, True, False, True)


def make(folder, name):
    size = SIZES[name]
    os.makedirs(folder, exist_ok=True)
    write_program(size, folder + "/prefill.json", False)
    write_program(size, folder + "/decode.json", True)
    write_parameters(size, folder + "/model.pdiparams")
    with open(folder + "/size.json", "w") as f:
        json.dump(dataclasses.asdict(size), f)
    open(folder + "/DONE", "w").close()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("dir")
    ap.add_argument("names", nargs="*", default=list(SIZES))
    args = ap.parse_args()
    for name in args.names:
        folder = os.path.join(args.dir, name)
        if not os.path.exists(folder + "/DONE"):
            print(f"llm: making {name}", file=sys.stderr, flush=True)
            make(folder, name)


if __name__ == "__main__":
    main()
