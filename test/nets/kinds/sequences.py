"""Networks over tokens: values are (B, T, C); attention, recurrence, masks, positions."""
import paddle
import paddle.nn.functional as F
from paddle import nn

from drawing import numbers

from .tensors import ACTIVATIONS

WIDTHS = [4, 6, 8, 12, 16, 20, 24, 33, 40, 64]
WORDS = 30
INPUTS = [("ids", ("B", "T"), "int64"), ("lengths", ("B",), "int64")]


def tokens(n, fits=lambda v: True):
    return n.pick(lambda v: v.dims[:2] == ("B", "T") and v.rank == 3 and v.dtype == "float32" and fits(v))


def width(v):
    return v.dims[2]


def add(n, t, c):
    n.add(t, ("B", "T", c))


def like(n, v):
    return n.pick(lambda u: u.dims == v.dims and u.dtype == v.dtype)


def linear(n):
    v, o = tokens(n), n.rnd.choice(WIDTHS)
    add(n, n.rnd.choice(ACTIVATIONS + [lambda z: z] * 8)(n.linear(width(v), o, n.rnd.choice([None, False]))(v.t)), o)


def feed_forward(n):
    v = tokens(n)
    c = width(v)
    z = n.rnd.choice([F.relu, F.gelu, F.silu])(n.linear(c, 2 * c)(v.t))
    add(n, n.linear(2 * c, c)(z) + v.t, c)


def activation(n):
    v = tokens(n)
    add(n, n.rnd.choice(ACTIVATIONS)(v.t), width(v))


def layer_norm(n):
    v = tokens(n)
    layer = n.keep(lambda: nn.LayerNorm(width(v), epsilon=n.rnd.choice([1e-5, 1e-6])))
    add(n, layer(v.t), width(v))


def rms_norm(n):
    v = tokens(n)
    add(n, v.t * paddle.rsqrt(paddle.mean(v.t * v.t, -1, keepdim=True) + 1e-6) * n.param([width(v)]), width(v))


def length_mask(n):
    """Ones where a token is (B, T)."""
    return F.sequence_mask(n.lengths, maxlen=paddle.shape(n.ids)[1], dtype="float32")


def causal_mask(n):
    i = paddle.arange(n.extent["T"]())
    return paddle.where(i.unsqueeze(1) < i.unsqueeze(0), paddle.full([1], -1e9), paddle.full([1], 0.0))


def heads(t, h, e):
    return t.reshape([0, 0, h, e]).transpose([0, 2, 1, 3])


def attention(n):
    v = tokens(n)
    c = width(v)
    h = n.rnd.choice([h for h in (1, 2, 3, 4) if c % h == 0])
    q, k, w = n.linear(c, c)(v.t), n.linear(c, c)(v.t), n.linear(c, c)(v.t)
    q, k, w = (heads(t, h, c // h) for t in (q, k, w))
    a = paddle.matmul(q * (c // h) ** -0.5, k, transpose_y=True)
    mask = n.rnd.choice(["none", "causal", "length", "both"])
    if mask in ("causal", "both"):
        a = a + causal_mask(n)
    if mask in ("length", "both"):
        a = a + ((1.0 - length_mask(n)) * -1e4).unsqueeze([1, 2])
    t = paddle.matmul(F.softmax(a, -1), w).transpose([0, 2, 1, 3]).reshape([0, 0, c])
    add(n, n.linear(c, c)(t) + v.t, c)


def fused_attention(n):
    v = tokens(n, lambda v: width(v) % 4 == 0)
    q, k, w = n.linear(width(v), width(v) * 3)(v.t).reshape([0, 0, 3, 4, width(v) // 4]).unbind(2)
    t = F.scaled_dot_product_attention(q, k, w, is_causal=n.chance(0.5), training=False)
    add(n, t.reshape([0, 0, width(v)]), width(v))


def grouped_attention(n):
    """Fewer heads of keys than of queries."""
    v = tokens(n, lambda v: width(v) % 4 == 0)
    e = width(v) // 4
    q = heads(n.linear(width(v), width(v))(v.t), 4, e)
    k, w = (heads(n.linear(width(v), 2 * e)(v.t), 2, e) for _ in range(2))
    k, w = (paddle.repeat_interleave(t, 2, 1) for t in (k, w)) if n.chance(0.5) else (
        t.unsqueeze(2).expand([-1, -1, 2, -1, -1]).flatten(1, 2) for t in (k, w))
    a = F.softmax(paddle.matmul(q, k, transpose_y=True) * e ** -0.5 + causal_mask(n))
    add(n, paddle.matmul(a, w).transpose([0, 2, 1, 3]).reshape([0, 0, width(v)]), width(v))


def linear_attention(n):
    v = tokens(n)
    c = width(v)
    q, k = F.softmax(n.linear(c, c)(v.t), -1), F.softmax(n.linear(c, c)(v.t), 1)
    add(n, paddle.matmul(q, paddle.matmul(k, v.t, transpose_x=True)), c)


def relative_bias(n):
    v = tokens(n)
    i = paddle.arange(n.extent["T"]())
    near = paddle.clip(i.unsqueeze(0) - i.unsqueeze(1), -4, 4) + 4
    bias = F.embedding(near, n.param([9, 1])).squeeze(-1)
    a = F.softmax(paddle.matmul(v.t, v.t, transpose_y=True) * 0.2 + bias, -1)
    add(n, paddle.matmul(a, v.t), width(v))


def block(n):
    v = tokens(n, lambda v: width(v) % 4 == 0)
    layer = n.keep(lambda: nn.TransformerEncoderLayer(width(v), 4, 2 * width(v), dropout=0.0, normalize_before=n.chance(0.5)))
    layer.eval()
    mask = ((1.0 - length_mask(n)) * -1e4).unsqueeze([1, 2]) if n.chance(0.5) else None
    add(n, layer(v.t, mask), width(v))


def rope(n):
    v = tokens(n, lambda v: width(v) % 2 == 0)
    c = width(v)
    angle = paddle.arange(n.extent["T"]()).astype("float32").unsqueeze(1) * (1.0 / (100.0 ** (paddle.arange(0, c, 2).astype("float32") / c)))
    if n.chance(0.5):
        a, b = paddle.chunk(v.t, 2, -1)
        angle = paddle.concat([angle, angle], -1)
        add(n, v.t * paddle.cos(angle) + paddle.concat([-b, a], -1) * paddle.sin(angle), c)
    else:
        a, b = v.t[:, :, 0::2], v.t[:, :, 1::2]
        cos, sin = paddle.cos(angle), paddle.sin(angle)
        add(n, paddle.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(2), c)


def recurrent(n):
    v, o = tokens(n), n.rnd.choice([4, 8, 12, 17])
    cls, two, layers = n.rnd.choice([nn.LSTM, nn.GRU, nn.SimpleRNN]), n.chance(0.4), n.rnd.choice([1, 1, 2])
    layer = n.keep(lambda: cls(width(v), o, direction="bidirect" if two else "forward", num_layers=layers))
    layer.eval()
    t, last = layer(v.t, sequence_length=n.lengths if n.chance(0.5) else None)
    add(n, t, o * (2 if two else 1))
    if n.chance(0.3):
        state = last[0] if isinstance(last, tuple) else last
        n.add(state[-1], ("B", o))


def convolution(n):
    v, o, k = tokens(n), n.rnd.choice(WIDTHS), n.rnd.choice([1, 3, 5])
    g = width(v) if n.chance(0.3) else 1
    o = width(v) if g > 1 else o
    d = n.rnd.choice([1, 2])
    layer = n.keep(lambda: nn.Conv1D(width(v), o, k, padding=k // 2 * d, dilation=d, groups=g))
    add(n, layer(v.t.transpose([0, 2, 1])).transpose([0, 2, 1]), o)


def causal_convolution(n):
    v = tokens(n)
    c = width(v)
    layer = n.keep(lambda: nn.Conv1D(c, c, 3, groups=c))
    add(n, layer(F.pad(v.t.transpose([0, 2, 1]), [2, 0], data_format="NCL")).transpose([0, 2, 1]), c)


def plus(n):
    v = tokens(n)
    add(n, v.t + like(n, v).t, width(v))


def times(n):
    v = tokens(n)
    add(n, v.t * paddle.tanh(like(n, v).t), width(v))


def concat(n):
    v = tokens(n)
    u = tokens(n)
    if width(v) + width(u) < 100:
        add(n, paddle.concat([v.t, u.t], -1), width(v) + width(u))


def longer(n):
    """Joined along the tokens, then one part."""
    v = tokens(n)
    t = paddle.concat([v.t, like(n, v).t * 0.5], 1)
    k = n.extent["T"]()
    add(n, t[:, :k] if n.chance(0.5) else t[:, k:], width(v))


def cached(n):
    """Queries against a prefix of a parameter, as keys of an earlier step."""
    v = tokens(n)
    c = width(v)
    past = n.param([1, 5, c]).expand([n.extent["B"](), 5, c])
    keys = paddle.concat([past, v.t], 1)
    a = F.softmax(paddle.matmul(v.t, keys, transpose_y=True) * c ** -0.5, -1)
    add(n, paddle.matmul(a, keys), c)


def gated(n):
    v = tokens(n, lambda v: width(v) % 2 == 0)
    a, b = paddle.chunk(v.t, 2, -1)
    add(n, n.rnd.choice([lambda: a * F.sigmoid(b), lambda: F.glu(v.t, -1), lambda: F.swiglu(a, b), lambda: F.silu(a) * b])(), width(v) // 2)


def cumulate(n):
    v = tokens(n)
    add(n, paddle.cumsum(v.t, 1) * 0.3, width(v))


def centre(n):
    v = tokens(n)
    add(n, v.t - paddle.mean(v.t, 1, keepdim=True) if n.chance(0.5) else v.t + paddle.max(v.t, n.rnd.choice([1, 2]), keepdim=True), width(v))


def reorder(n):
    v = tokens(n)
    i = paddle.argsort(n.ids, axis=1, stable=True)
    b = paddle.arange(n.extent["B"]()).unsqueeze(1) + i * 0
    add(n, paddle.gather_nd(v.t, paddle.stack([b, i], -1)), width(v))


def last_token(n):
    v = tokens(n)
    at = paddle.stack([paddle.arange(n.extent["B"]()).astype("int64"), n.lengths - 1], -1)
    n.add(paddle.gather_nd(v.t, at), ("B", width(v)))


def pooled(n):
    v = tokens(n)
    m = length_mask(n).unsqueeze(-1)
    n.add(paddle.sum(v.t * m, 1) / paddle.clip(paddle.sum(m, 1), min=1.0), ("B", width(v)))


def condition(n):
    """A vector of each sequence added to its tokens."""
    v = tokens(n)
    u = n.pick(lambda u: u.rank == 2 and u.dims[0] == "B" and u.dtype == "float32" and isinstance(u.dims[1], int))
    add(n, v.t + n.linear(u.dims[1], width(v))(u.t).unsqueeze(1), width(v))


def topk(n):
    v = tokens(n, lambda v: width(v) >= 4)
    a, i = paddle.topk(v.t, 4, -1)
    add(n, a * i.astype("float32") * 0.1, 4)


def experts(n):
    """Each token is computed by the best of three experts."""
    v = tokens(n)
    c = width(v)
    gate = F.softmax(n.linear(c, 3)(v.t), -1)
    best = F.one_hot(paddle.argmax(gate, -1), 3)
    each = paddle.stack([F.relu(n.linear(c, c)(v.t)) for _ in range(3)], 2)
    add(n, paddle.sum(each * (gate * best).unsqueeze(-1), 2), c)


def one_hot(n):
    add(n, F.one_hot(n.ids % 5, 5), 5)


def einsum(n):
    v = tokens(n)
    add(n, paddle.sum(paddle.einsum("btc,cno->btno", v.t, n.param([width(v), 3, width(v)], 0.2)), 2), width(v))


def shift(n):
    v = tokens(n)
    add(n, paddle.concat([paddle.zeros_like(v.t[:, :1]), v.t[:, :-1]], 1), width(v))


def position(n):
    v = tokens(n)
    add(n, v.t + F.embedding(paddle.arange(n.extent["T"]()), n.param([64, width(v)])), width(v))


def softmax_tokens(n):
    v = tokens(n)
    add(n, F.softmax(v.t, 1), width(v))


def folded(n):
    """Batch and tokens as one extent."""
    v = tokens(n, lambda v: width(v) % 2 == 0)
    t = F.relu(v.t.reshape([-1, 2, width(v) // 2])) if n.chance(0.5) else paddle.tanh(v.t.reshape([n.extent["B"]() * n.extent["T"](), 2, -1]))
    add(n, t.reshape([n.extent["B"](), n.extent["T"](), width(v)]), width(v))


def scan(n):
    """A decaying sum as a product with a triangle."""
    v = tokens(n)
    i = paddle.arange(n.extent["T"]()).astype("float32")
    decay = paddle.tril(paddle.exp(-0.3 * paddle.abs(i.unsqueeze(1) - i.unsqueeze(0))))
    add(n, paddle.matmul(decay, v.t) * 0.2, width(v))


def tied_output(n):
    v = tokens(n, lambda v: width(v) == n.width)
    n.add(F.log_softmax(paddle.matmul(v.t, n.table, transpose_y=True), -1), ("B", "T", WORDS))


def loss(n):
    v = n.pick(lambda v: v.dims == ("B", "T", WORDS))
    n.add(F.cross_entropy(v.t, n.ids, reduction=n.rnd.choice(["mean", "sum"])), ())


STEPS = [(4, linear), (3, attention), (2, feed_forward), (2, activation), (2, layer_norm), (2, recurrent), (2, plus)] + [(1, f) for f in (
    rms_norm, fused_attention, grouped_attention, linear_attention, relative_bias, block, rope, convolution, causal_convolution, times, concat, longer,
    cached, gated, cumulate, centre, reorder, last_token, pooled, condition, topk, experts, one_hot, einsum, shift, position, softmax_tokens, folded, scan,
    tied_output, loss)]


def draw(n, ids, lengths):
    n.ids, n.lengths = ids, lengths
    n.known("B", lambda: paddle.shape(ids)[0])
    n.known("T", lambda: paddle.shape(ids)[1])
    n.width = n.rnd.choice(WIDTHS)
    n.table = n.param([WORDS, n.width])
    n.add(F.embedding(ids, n.table), ("B", "T", n.width))
    n.grow(STEPS, 8, 30)
    return n.outputs(5)


def feeds(rnd):
    for b, t in ((1, rnd.randint(3, 12)), (rnd.randint(2, 4), rnd.randint(3, 33)), (2, 1 if rnd.random() < 0.3 else 7)):
        yield {"ids": numbers(rnd, (b, t), "int64", 0, WORDS), "lengths": numbers(rnd, (b,), "int64", 1, t + 1)}
