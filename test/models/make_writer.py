#!/usr/bin/env python3
"""Trains the character model of test/models/writer with real Paddle, and saves it as a decoder: ids, their places and the caches of two
layers in, logits and the longer caches out (docs/explain/generation.md).

  make_writer.py OUT TEXT...       OUT: a folder; TEXT: files whose prose is learned, as docs/explain/compiled.md docs/explain/quantise.md

A transformer of 0.4 million weights over bytes of ASCII. It learns a few pages nearly by heart, in minutes on a processor, so that it writes
readable sentences of them.
"""
import math
import pathlib
import re
import sys
import time

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F

IDS, WIDTH, HEADS, LAYERS = 128, 128, 4, 2  # forward names the caches of two layers
HEAD = WIDTH // HEADS
BATCH, LENGTH, STEPS, RATE = 16, 128, 650, 4e-3
WINDOW = 64  # tokens that a token sees: so texts may be longer than those of the training


def prose(paths):
    """The sentences of the files: no tables, headings, lists of code or links."""
    text = ""
    for path in paths:
        body = re.sub(r"```.*?```", "", pathlib.Path(path).read_text(), flags=re.S)
        body = re.sub(r"\]\([^)]*\)|[\[`*]", "", body)
        body = "\n".join(line for line in body.split("\n") if line and line[0] not in "|#-")
        text += re.sub(r"\s+", " ", body) + " "
    return text.encode("ascii", "ignore")


def turned(x, angles):
    """Rotary positions (Su et al., RoFormer, 2021): x [batch, tokens, heads, head], angles [batch, tokens, 1, head / 2]."""
    a, b = paddle.split(x, 2, axis=-1)
    sin, cos = paddle.sin(angles), paddle.cos(angles)
    return paddle.concat([a * cos - b * sin, a * sin + b * cos], axis=-1)


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.before, self.behind = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.three, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, angles, mask, keys=None, values=None):
        parts = self.three(self.before(x)).reshape([0, 0, 3 * HEADS, HEAD])
        q, k, v = paddle.split(parts, 3, axis=2)
        q, k = turned(q, angles), turned(k, angles)
        if keys is not None:
            k, v = paddle.concat([keys, k], axis=1), paddle.concat([values, v], axis=1)
        scores = paddle.matmul(q.transpose([0, 2, 1, 3]), k.transpose([0, 2, 3, 1])) / math.sqrt(HEAD)
        mixed = paddle.matmul(F.softmax(scores + mask, axis=-1), v.transpose([0, 2, 1, 3]))
        x = x + self.out(mixed.transpose([0, 2, 1, 3]).reshape([0, 0, WIDTH]))
        return x + self.narrow(F.gelu(self.wide(self.behind(x)))), k, v


class Writer(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(IDS, WIDTH)
        self.blocks = nn.LayerList([Block() for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.register_buffer("turns", paddle.to_tensor(1000 ** -(np.arange(HEAD // 2) / (HEAD // 2)), "float32"), persistable=True)

    def forward(self, ids, position, keys0=None, values0=None, keys1=None, values1=None):
        caches = [keys0, values0, keys1, values1] if keys0 is not None else []
        angles = position.astype("float32").unsqueeze([2, 3]) * self.turns
        x = self.embedding(ids)
        length = paddle.shape(ids)[1]
        if caches:
            length = length + paddle.shape(caches[0])[1]
        # A token sees those before it: queries [batch, 1, tokens, 1], keys [1, 1, 1, length].
        apart = position.unsqueeze([1, 3]) - paddle.arange(length).astype("int64").unsqueeze([0, 1, 2])
        hidden = paddle.logical_or(apart < 0, apart >= WINDOW)
        mask = hidden.astype("float32") * -1e9
        extended = []
        for i, block in enumerate(self.blocks):
            x, k, v = block(x, angles, mask, *caches[2 * i:2 * i + 2])
            extended += [k, v]
        logits = paddle.matmul(self.norm(x), self.embedding.weight, transpose_y=True)
        return (logits, *extended) if caches else logits


def train(model, text):
    data = np.frombuffer(text, np.uint8).astype(np.int64)
    random = np.random.default_rng(7)
    schedule = paddle.optimizer.lr.CosineAnnealingDecay(RATE, STEPS)
    adam = paddle.optimizer.AdamW(schedule, parameters=model.parameters(), weight_decay=0.01, grad_clip=nn.ClipGradByGlobalNorm(1.0))
    places = paddle.arange(LENGTH, dtype="int64").unsqueeze(0).tile([BATCH, 1])
    begin = time.time()
    for step in range(STEPS):
        starts = random.integers(0, len(data) - LENGTH - 1, BATCH)
        rows = np.stack([data[s:s + LENGTH + 1] for s in starts])
        loss = F.cross_entropy(model(paddle.to_tensor(rows[:, :-1]), places).reshape([-1, IDS]), paddle.to_tensor(rows[:, 1:].reshape(-1)))
        loss.backward()
        adam.step()
        adam.clear_grad()
        schedule.step()
        if step % 100 == 0 or step == STEPS - 1:
            print(f"step {step}: loss {float(loss):.3f}, {time.time() - begin:.0f} s", flush=True)


def main():
    out, *paths = sys.argv[1:]
    paddle.seed(3)
    text = prose(paths)
    model = Writer()
    print(f"{len(text)} characters, {sum(p.size for p in model.parameters())} weights")
    train(model, text)
    model.eval()
    specs = [paddle.static.InputSpec([1, None], "int64", name) for name in ("ids", "position")]
    specs += [paddle.static.InputSpec([1, None, HEADS, HEAD], "float32", f"{kind}{i}") for i in range(LAYERS) for kind in ("keys", "values")]
    paddle.jit.save(paddle.jit.to_static(model, input_spec=specs, full_graph=True), out + "/model")


if __name__ == "__main__":
    main()
