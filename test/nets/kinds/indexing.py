"""Gathers, scatters and results whose extents the contents decide, mixed with arithmetic."""
import paddle
import paddle.nn.functional as F

from drawing import numbers, replaced

from . import tensors

INPUTS = tensors.INPUTS + [("i", ("N",), "int64"), ("w", ("N", 6), "float32")]


def rows(v):
    """The number of rows as a scalar of the run."""
    return paddle.shape(v.t)[0]


def some_rows(n, v):
    """Indices within the rows of a value, made from an input."""
    i = n.pick(lambda u: u.dtype == "int64" and u.rank == 1 and u.dims[0] == "N")
    return i.t % rows(v).astype("int64")


def gather(n):
    v = n.floats(1, 4)
    n.add(paddle.gather(v.t, some_rows(n, v)), ("N",) + v.dims[1:])


def index_select(n):
    v = n.floats(1, 4)
    n.add(paddle.index_select(v.t, some_rows(n, v), 0), ("N",) + v.dims[1:])


def gather_nd(n):
    v = n.floats(2, 4, lambda v: isinstance(v.dims[1], int))
    i = some_rows(n, v)
    if v.dims[1]:
        n.add(paddle.gather_nd(v.t, paddle.stack([i, i % v.dims[1]], -1)), ("N",) + v.dims[2:])


def subscript(n):
    v = n.floats(1, 4)
    n.add(v.t[some_rows(n, v)], ("N",) + v.dims[1:])


def negative_rows(n):
    v = n.floats(1, 4)
    n.add(v.t[some_rows(n, v) - rows(v).astype("int64")], ("N",) + v.dims[1:])


def take_along(n):
    v = n.floats(1, 3)
    a = n.axis(v)
    n.add(paddle.take_along_axis(v.t, paddle.argsort(v.t, a, stable=True), a), v.dims)


def put_along(n):
    v = n.floats(1, 3)
    a = n.axis(v)
    how = n.rnd.choice(["assign", "add", "multiply", "amax", "mean"])
    n.add(paddle.put_along_axis(v.t, paddle.argsort(v.t * 2.0, a, stable=True), v.t * 0.5, a, how), v.dims)


def scatter(n):
    v = n.floats(2, 2, lambda v: isinstance(v.dims[1], int) and v.dtype == "float32")
    u = n.pick(lambda u: u.dims == ("N",) + v.dims[1:] and u.dtype == v.dtype)
    if n.chance(0.5):
        n.add(paddle.scatter(v.t, some_rows(n, v), u.t, overwrite=False), v.dims)
    else:
        n.add(paddle.scatter_nd_add(v.t, some_rows(n, v).unsqueeze(-1), u.t), v.dims)


def index_add(n):
    v = n.floats(2, 2, lambda v: isinstance(v.dims[1], int) and v.dtype == "float32")
    u = n.pick(lambda u: u.dims == ("N",) + v.dims[1:] and u.dtype == v.dtype and u is not v)  # Paddle writes v in place
    n.add(paddle.index_add(v.t, some_rows(n, v), 0, u.t), v.dims)


def index_put(n):
    v = n.floats(2, 2, lambda v: isinstance(v.dims[1], int))
    u = n.pick(lambda u: u.dims == ("N",) + v.dims[1:] and u.dtype == v.dtype)
    n.add(paddle.index_put(v.t, (some_rows(n, v),), u.t * 0.0 + 1.5, accumulate=n.chance(0.5)), v.dims)


def assign_slice(n):
    v = n.floats(2, 3)
    z = v.t * 1.0
    at = n.rnd.choice([0, -1])
    z = paddle.static.setitem(z, at, z[at] * 2.0) if not paddle.in_dynamic_mode() else set_item(z, at, z[at] * 2.0)
    n.add(z, v.dims)


def set_item(z, at, value):
    z[at] = value
    return z


def masked_fill(n):
    v = n.floats()
    n.add(n.rnd.choice([lambda: paddle.masked_fill(v.t, v.t > 0.3, -1.0), lambda: paddle.where(v.t > 0, v.t, paddle.full_like(v.t, 0.25))])(), v.dims)


def nonzero(n):
    v = n.floats(1, 2)
    where = paddle.nonzero(v.t > n.rnd.choice([-0.5, 0.0, 0.5, 9.0]))
    n.add(paddle.gather_nd(v.t, where), ("?",))


def masked_select(n):
    v = n.floats(1, 3)
    z = paddle.masked_select(v.t, v.t > n.rnd.choice([-0.5, 0.0, 0.5]))
    n.add(n.rnd.choice([lambda z: z * 2.0, lambda z: paddle.sort(z), lambda z: paddle.cumsum(z, 0)])(z), ("?",))


def select_rows(n):
    """The rows for which a number is above a bound, and arithmetic with them."""
    v = n.floats(2, 3, lambda v: isinstance(v.dims[-1], int) and v.dtype == "float32")
    score = v.t.flatten(1).max(1)
    kept = paddle.nonzero(score > n.rnd.choice([0.0, 0.7])).flatten()
    z = paddle.gather(v.t, kept)
    z = n.rnd.choice([lambda z: F.softmax(z), lambda z: F.relu(z) + 1.0, lambda z: z - paddle.sum(z, -1, keepdim=True)])(z)
    n.add(paddle.concat([z, v.t], 0), ("?",) + v.dims[1:])


def reduce_unknown(n):
    v = n.pick(lambda v: v.dims[:1] == ("?",) and v.dtype in ("float32", "float64"))
    n.add(n.rnd.choice([lambda: paddle.sum(v.t, 0), lambda: paddle.sum(F.relu(v.t) * 0.5, 0)])(), v.dims[1:])


def unknown_math(n):
    v = n.pick(lambda v: v.dims[:1] == ("?",) and v.dtype in ("float32", "float64"))
    n.add(n.rnd.choice(tensors.ACTIVATIONS)(v.t), v.dims)


def unique(n):
    k = n.pick(lambda v: v.dtype == "int64")
    values, inverse, counts = paddle.unique(k.t.flatten(), return_inverse=True, return_counts=True)
    n.add(n.rnd.choice([values, counts]).astype("float32") * 0.5, ("?",))


def counted(n):
    k = n.pick(lambda v: v.dtype == "int64")
    z = n.rnd.choice([lambda: paddle.bincount(k.t.flatten() % 8, minlength=8)[:8].astype("float32"),
                      lambda: paddle.histogram(k.t.flatten().astype("float32"), bins=8, min=0, max=6).astype("float32")])()
    n.add(z, (8,))


def search(n):
    v = n.floats(1, 1)
    edges = paddle.sort(n.param([7]))
    n.add(paddle.searchsorted(edges, v.t.astype("float32")).astype("float32") * 0.1, v.dims)


def embedding(n):
    k = n.pick(lambda v: v.dtype == "int64" and v.rank < 3)
    d = n.rnd.choice([3, 6, 16])
    n.add(F.embedding(k.t % 9, n.param([9, d])), k.dims + (d,))


def integers(n):
    k = n.pick(lambda v: v.dtype == "int64")
    n.add(n.rnd.choice([lambda: k.t * 2 + 1, lambda: paddle.abs(k.t - 3), lambda: k.t // 2, lambda: paddle.cumsum(k.t, 0) % 7,
                        lambda: paddle.flip(k.t, [0]), lambda: paddle.sort(k.t, -1), lambda: paddle.clip(k.t, 1, 4)])(), k.dims)


def position(n):
    v = n.floats(2, 3, lambda v: v.dims[0] in ("B", "T", "N"))
    last = paddle.argmax(v.t.flatten(1).max(1), 0, keepdim=True)
    n.add(paddle.gather(v.t, last), (1,) + v.dims[1:])


def segments(n):
    v = n.floats(2, 2, lambda v: v.dims[0] == "N" and v.dtype == "float32")
    ids = paddle.arange(n.extent["N"]()).astype("int64") // 3
    pool = n.rnd.choice([paddle.geometric.segment_sum, paddle.geometric.segment_mean, paddle.geometric.segment_max])
    n.add(paddle.sum(pool(v.t, ids), 0), v.dims[1:])


def diagonal(n):
    v = n.floats(2, 3)
    n.add(paddle.sum(paddle.diagonal(v.t, axis1=0, axis2=1), -1), v.dims[2:])


def index_sample(n):
    v = n.floats(2, 2, lambda v: isinstance(v.dims[1], int) and v.dims[1] > 1)
    order = paddle.argsort(v.t, 1, stable=True)
    n.add(paddle.index_sample(v.t, order), v.dims)


def slice_by_tensor(n):
    """A slice whose bounds are computed."""
    v = n.floats(1, 3, lambda v: v.dims[0] in ("B", "T", "N"))
    k = rows(v) // 2
    n.add(n.rnd.choice([lambda: v.t[k:], lambda: paddle.concat([v.t[k:], v.t[:k]], 0)])(), ("?",) + v.dims[1:])


ANY_EXTENT = tensors.BASIC + [(3, f) for f in (
    gather, index_select, gather_nd, subscript, negative_rows, take_along, put_along, scatter, index_add, index_put, assign_slice, masked_fill, nonzero,
    masked_select, select_rows, reduce_unknown, unknown_math, unique, counted, search, embedding, integers, diagonal, index_sample,
    slice_by_tensor)]
# The position of the largest element of none is what the memory holds in Paddle.
STEPS = ANY_EXTENT + [(3, segments), (3, position)]


def draw(n, x, y, k, i, w):
    tensors.start(n, x, y, k)
    n.known("N", lambda: paddle.shape(i)[0])
    n.add(i, ("N",))
    n.add(w, ("N", 6))
    n.grow(STEPS, 8, 30)
    return n.outputs(6)


def feeds(rnd):
    for feed, count in zip(tensors.feeds(rnd), (rnd.randint(1, 6), rnd.randint(7, 40), 1)):
        yield {**feed, "i": numbers(rnd, (count,), "int64", 0, 1000), "w": numbers(rnd, (count, 6))}
