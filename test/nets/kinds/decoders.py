"""Steps of a decoder: queries of new tokens against caches of keys and values that are inputs, with a mask, growing."""
import paddle
import paddle.nn.functional as F

from drawing import numbers

from . import sequences

HEADS, SIZE = 2, 8
WIDTH = HEADS * SIZE
INPUTS = [("ids", ("B", "T"), "int64"), ("lengths", ("B",), "int64"), ("keys", ("B", HEADS, "P", SIZE), "float32"),
          ("values", ("B", HEADS, "P", SIZE), "float32"), ("seen", ("B", "P"), "bool")]


def split_heads(t):
    return t.reshape([0, 0, HEADS, SIZE]).transpose([0, 2, 1, 3])


def cached_attention(n):
    """Appends to the caches, masks what was not seen, and what comes later."""
    v = sequences.tokens(n)
    c = sequences.width(v)
    q, k, w = (split_heads(n.linear(c, WIDTH)(v.t)) for _ in range(3))
    keys, values = paddle.concat([n.keys, k], 2), paddle.concat([n.past, w], 2)
    past = paddle.where(n.seen, paddle.zeros_like(n.seen.astype("float32")), paddle.full_like(n.seen.astype("float32"), -1e4)).unsqueeze([1, 2])
    now = sequences.causal_mask(n).unsqueeze([0, 1]).expand([n.extent["B"](), 1, n.extent["T"](), n.extent["T"]()])
    mask = paddle.concat([past.expand([-1, -1, n.extent["T"](), -1]), now], -1)
    a = F.softmax(paddle.matmul(q, keys, transpose_y=True) * SIZE ** -0.5 + mask, -1)
    t = paddle.matmul(a, values).transpose([0, 2, 1, 3]).reshape([0, 0, WIDTH])
    sequences.add(n, t, WIDTH)
    n.add(keys, ("B", HEADS, "P+T", SIZE))
    n.values[-2], n.values[-1] = n.values[-1], n.values[-2]


def cross_attention(n):
    v = sequences.tokens(n)
    q = split_heads(n.linear(sequences.width(v), WIDTH)(v.t))
    t = F.scaled_dot_product_attention(q.transpose([0, 2, 1, 3]), n.keys.transpose([0, 2, 1, 3]), n.past.transpose([0, 2, 1, 3]), training=False)
    sequences.add(n, t.reshape([0, 0, WIDTH]), WIDTH)


def offset_position(n):
    """Positions go on where the cache ends."""
    v = sequences.tokens(n)
    start = paddle.shape(n.keys)[2].astype("int64")
    at = paddle.arange(start, start + n.extent["T"]().astype("int64"))
    sequences.add(n, v.t + F.embedding(at % 64, n.param([64, sequences.width(v)])), sequences.width(v))


def recent(n):
    """The newest rows of a cache alone."""
    t = n.keys[:, :, -3:]
    n.add(paddle.mean(t, [1, 2]), ("B", SIZE))


def sampled(n):
    """The best words, by rank and by share."""
    v = n.pick(lambda v: v.dims == ("B", "T", sequences.WORDS))
    last = v.t[:, -1]
    s, i = paddle.topk(last, 5, -1)
    share = paddle.cumsum(F.softmax(s, -1), -1)
    n.add(paddle.where(share < 0.7, s, paddle.full_like(s, -1e4)), ("B", 5))
    n.add(paddle.argmax(last, -1), ("B",))


def reordered_cache(n):
    """Caches of the best beams."""
    order = paddle.argsort(paddle.sum(n.keys, [1, 2, 3]), descending=True)
    n.add(paddle.index_select(n.keys, order, 0), ("B", HEADS, "P", SIZE))


def written_cache(n):
    """A cache of a fixed length that is written at places from the contents."""
    v = sequences.tokens(n)
    cache = paddle.zeros([n.extent["B"](), 8, sequences.width(v)])
    at = paddle.clip(n.lengths, 0, 7)
    rows = paddle.stack([paddle.arange(n.extent["B"]()).astype("int64"), at], -1)
    n.add(paddle.scatter_nd_add(cache, rows, v.t[:, 0]), ("B", 8, sequences.width(v)))


STEPS = sequences.STEPS + [(6, cached_attention), (3, cross_attention)] + [(2, f) for f in (offset_position, recent, sampled, reordered_cache, written_cache)]


def draw(n, ids, lengths, keys, values, seen):
    n.ids, n.lengths, n.keys, n.past, n.seen = ids, lengths, keys, values, seen
    n.known("B", lambda: paddle.shape(ids)[0])
    n.known("T", lambda: paddle.shape(ids)[1])
    n.known("P", lambda: paddle.shape(keys)[2])
    n.width = WIDTH
    n.table = n.param([sequences.WORDS, WIDTH])
    n.add(F.embedding(ids, n.table), ("B", "T", WIDTH))
    n.grow(STEPS, 6, 20)
    return n.outputs(5)


def feeds(rnd):
    for b, t, p in ((1, 1, 4), (rnd.randint(2, 3), 1, rnd.randint(5, 20)), (2, rnd.randint(3, 9), rnd.randint(1, 9)), (1, 5, 0)):
        yield {"ids": numbers(rnd, (b, t), "int64", 0, sequences.WORDS), "lengths": numbers(rnd, (b,), "int64", 1, t + 1),
               "keys": numbers(rnd, (b, HEADS, p, SIZE)), "values": numbers(rnd, (b, HEADS, p, SIZE)), "seen": numbers(rnd, (b, p), "bool")}
