"""Weights and values as integers: scales of a tensor and of a token, products of integers, rounding through int8."""
import paddle
import paddle.nn.functional as F

from . import sequences

INPUTS = sequences.INPUTS


def rounded(t, scale):
    """Through int8 and back."""
    return paddle.clip(paddle.round(t / scale), -127.0, 127.0).astype("int8").astype("float32") * scale


def value_scale(n):
    v = sequences.tokens(n)
    scale = paddle.max(paddle.abs(v.t)) / 127.0 + 1e-4
    sequences.add(n, rounded(v.t * 0.999, scale), sequences.width(v))


def token_scale(n):
    v = sequences.tokens(n)
    scale = paddle.max(paddle.abs(v.t), -1, keepdim=True) / 127.0 + 1e-4
    sequences.add(n, rounded(v.t, scale), sequences.width(v))


def weight_scale(n):
    v, o = sequences.tokens(n), n.rnd.choice(sequences.WIDTHS)
    w = n.param([sequences.width(v), o], 0.3)
    scale = paddle.max(paddle.abs(w), 0, keepdim=True) / 127.0
    sequences.add(n, paddle.matmul(v.t, rounded(w, scale)), o)


def integer_product(n):
    v, o = sequences.tokens(n), n.rnd.choice([4, 8, 16])
    a = paddle.clip(paddle.round(v.t * 20.0), -127.0, 127.0).astype("int32")
    w = paddle.clip(paddle.round(n.param([sequences.width(v), o]) * 40.0), -127.0, 127.0).astype("int32")
    sequences.add(n, paddle.matmul(a, w).astype("float32") / 800.0, o)


def table(n):
    """Words of integers with a scale each."""
    q = paddle.clip(paddle.round(n.param([sequences.WORDS, 8]) * 50.0), -127.0, 127.0).astype("int8")
    sequences.add(n, F.embedding(n.ids, q.astype("float32")) * 0.02, 8)


def unsigned(n):
    v = sequences.tokens(n)
    q = paddle.clip(paddle.round(F.sigmoid(v.t) * 255.0), 0.0, 255.0).astype("uint8")
    sequences.add(n, (q.astype("int32") - 128).astype("float32") / 128.0, sequences.width(v))


def packed(n):
    """Two numbers of four bits in a byte."""
    v = sequences.tokens(n, lambda v: sequences.width(v) % 2 == 0)
    q = paddle.clip(paddle.round(F.sigmoid(v.t) * 15.0), 0.0, 15.0).astype("int32")
    low, high = q[:, :, 0::2], q[:, :, 1::2]
    byte = low + high * 16
    t = paddle.stack([paddle.bitwise_and(byte, paddle.full([], 15, "int32")), byte // 16], -1).flatten(2)
    sequences.add(n, t.astype("float32") / 15.0, sequences.width(v))


STEPS = sequences.STEPS + [(4, f) for f in (value_scale, token_scale, weight_scale, integer_product, table, unsigned, packed)]


def draw(n, ids, lengths):
    n.ids, n.lengths = ids, lengths
    n.known("B", lambda: paddle.shape(ids)[0])
    n.known("T", lambda: paddle.shape(ids)[1])
    n.width = 16
    n.table = n.param([sequences.WORDS, n.width])
    n.add(F.embedding(ids, n.table), ("B", "T", n.width))
    n.grow(STEPS, 6, 20)
    return n.outputs(5)


feeds = sequences.feeds
