"""Random programs of tensors with two extents that the run knows, B and T."""
import paddle
import paddle.nn.functional as F

from drawing import broadcast, numbers, replaced

ACTIVATIONS = [F.relu, F.silu, F.hardswish, F.gelu, paddle.tanh, F.sigmoid, F.leaky_relu, F.elu, F.mish, F.relu6, F.hardsigmoid, F.softplus,
               F.selu, F.softsign, F.tanhshrink, F.celu, F.swish, F.hardtanh, F.hardshrink, F.softshrink, paddle.square, paddle.abs,
               lambda x: F.gelu(x, approximate=True), lambda x: paddle.clip(x, -1.0, 1.5), lambda x: x * 0.5 + 0.1,
               lambda x: paddle.sqrt(paddle.abs(x) + 0.1), lambda x: F.thresholded_relu(x, 0.3)]
UNARY = ACTIVATIONS + [paddle.floor, paddle.ceil, paddle.round, paddle.trunc, paddle.sin, paddle.cos, paddle.erf, paddle.sign, paddle.atan,
                       paddle.asinh, paddle.sinh, lambda x: paddle.exp(-paddle.abs(x)), lambda x: paddle.log1p(paddle.abs(x)),
                       lambda x: paddle.log(paddle.abs(x) + 0.5), lambda x: paddle.log2(paddle.abs(x) + 0.5), lambda x: paddle.log10(paddle.abs(x) + 0.5),
                       lambda x: paddle.rsqrt(paddle.abs(x) + 0.5), lambda x: paddle.reciprocal(paddle.abs(x) + 0.5), lambda x: paddle.expm1(-paddle.abs(x)),
                       lambda x: paddle.acos(paddle.tanh(x) * 0.9), lambda x: paddle.pow(paddle.abs(x) + 0.1, 1.7), lambda x: x ** 3,
                       lambda x: paddle.lgamma(paddle.abs(x) + 0.5), lambda x: paddle.digamma(paddle.abs(x) + 0.5), lambda x: paddle.frac(x),
                       lambda x: paddle.logit(F.sigmoid(x) * 0.8 + 0.1), lambda x: paddle.stanh(x), lambda x: F.log_sigmoid(x)]
BINARY = [paddle.add, paddle.subtract, paddle.multiply, paddle.maximum, paddle.minimum, paddle.fmax, paddle.fmin, paddle.atan2,
          lambda a, b: a / (paddle.abs(b) + 0.5), lambda a, b: a * F.sigmoid(b), lambda a, b: paddle.pow(paddle.abs(a) + 0.1, paddle.tanh(b)),
          lambda a, b: paddle.remainder(a, paddle.abs(b) + 0.5), lambda a, b: paddle.floor_divide(a, paddle.abs(b) + 0.5),
          lambda a, b: paddle.lerp(a, b, 0.3), lambda a, b: paddle.heaviside(a, b), lambda a, b: paddle.hypot(a, b), lambda a, b: paddle.logaddexp(a, b)]
REDUCE = [paddle.mean, paddle.sum, paddle.max, paddle.min, paddle.amax, paddle.amin, paddle.logsumexp, lambda v, **k: paddle.prod(paddle.tanh(v), **k),
          lambda v, **k: paddle.any(v > 0.5, **k).astype(v.dtype), lambda v, **k: paddle.all(v > -1.5, **k).astype(v.dtype)]
COMPARE = [paddle.greater_than, paddle.less_equal, paddle.equal, paddle.not_equal, paddle.less_than, paddle.greater_equal]


def same_type(v):
    return lambda u: u.dtype == v.dtype


def binary(n):
    v = n.floats()
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(v.dims, u.dims) is not None)
    a, b = (v, u) if n.chance(0.5) else (u, v)
    n.add(n.rnd.choice(BINARY)(a.t, b.t), broadcast(v.dims, u.dims))


def unary(n):
    v = n.floats()
    n.add(n.rnd.choice(UNARY)(v.t), v.dims)


def reduced(dims, axes, keep):
    return tuple(1 if i in axes else d for i, d in enumerate(dims) if keep or i not in axes)


def reduce(n):
    v = n.floats(1)
    axes, keep = n.rnd.sample(range(v.rank), n.rnd.randint(1, v.rank)), n.chance(0.5)
    n.add(n.rnd.choice(REDUCE)(v.t, axis=axes, keepdim=keep), reduced(v.dims, axes, keep))


def reduce_all(n):
    v = n.floats()
    n.add(n.rnd.choice([paddle.mean, paddle.sum, paddle.max, paddle.min])(v.t), ())


def centre(n):
    v, r = n.floats(1), n.rnd.choice([paddle.mean, paddle.max, paddle.min, paddle.logsumexp])
    z = r(v.t, axis=[n.axis(v)], keepdim=True)
    n.add(v.t - z if n.chance(0.6) else v.t / (paddle.abs(z) + 1.0), v.dims)


def moments(n):
    v = n.floats(1)
    a = n.axis(v)
    z = n.rnd.choice([paddle.var, paddle.std])(v.t, axis=a, keepdim=True, unbiased=False)
    n.add((v.t - paddle.mean(v.t, a, keepdim=True)) / paddle.sqrt(paddle.abs(z) + 0.1), v.dims)


def softmax(n):
    v = n.floats(1)
    n.add(n.rnd.choice([F.softmax, F.log_softmax])(v.t, axis=n.axis(v)), v.dims)


def layer_norm(n):
    v = n.floats(1, fits=lambda v: v.dtype == "float32" and isinstance(v.dims[-1], int))
    if n.chance(0.6):
        n.add(n.keep(lambda: paddle.nn.LayerNorm(v.dims[-1]))(v.t), v.dims)
    else:
        n.add(F.layer_norm(v.t, [v.dims[-1]]), v.dims)


def normalize(n):
    v = n.floats(1)
    a = n.axis(v)
    n.add(v.t / (paddle.norm(v.t, p=n.rnd.choice([1, 2, 3, float("inf")]), axis=a, keepdim=True) + 0.1), v.dims)


def transpose(n):
    v = n.floats(2)
    p = list(range(v.rank))
    n.rnd.shuffle(p)
    n.add(v.t.transpose(p), [v.dims[i] for i in p])


def split_last(n):
    v = n.floats(1, 4, lambda v: isinstance(v.dims[-1], int) and v.dims[-1] % 2 == 0 and v.dims[-1])
    dims = v.dims[:-1] + (2, v.dims[-1] // 2)
    n.add(v.t.reshape(n.extents(dims)) if n.chance(0.5) else v.t.reshape([0] * (v.rank - 1) + [2, -1]), dims)


def merge_last(n):
    v = n.floats(2, 5, lambda v: all(isinstance(d, int) for d in v.dims[-2:]) and all(v.dims[-2:]))
    n.add(v.t.flatten(v.rank - 2), v.dims[:-2] + (v.dims[-2] * v.dims[-1],))


def merge_dynamic(n):
    """B and T become one extent, and two again."""
    v = n.floats(3, 4, lambda v: set(v.dims[:2]) == {"B", "T"})
    rest = list(v.dims[2:])
    z = F.relu(v.t.reshape([-1] + rest) if all(isinstance(d, int) and d for d in rest) else v.t.flatten(0, 1))
    n.add(z.reshape(n.extents(v.dims)), v.dims)


def concat(n):
    v = n.floats(1)
    i = n.axis(v)
    u = n.pick(lambda u: u.dtype == v.dtype and u.rank == v.rank and all(x == y for k, (x, y) in enumerate(zip(u.dims, v.dims)) if k != i))
    if isinstance(v.dims[i], int) and isinstance(u.dims[i], int) and v.dims[i] + u.dims[i] < 40:
        n.add(paddle.concat([v.t, u.t], i), replaced(v.dims, i, v.dims[i] + u.dims[i]))


def concat_slice(n):
    """Joined along an extent of the run, then one part again."""
    v = n.floats(1, fits=lambda v: not isinstance(v.dims[0], int))
    u = n.pick(lambda u: u.dtype == v.dtype and u.dims == v.dims)
    k = n.extent[v.dims[0]]()
    z = paddle.concat([v.t, u.t], 0)
    n.add(z[:k] if n.chance(0.5) else z[k:], v.dims)


def slice_(n):
    v = n.floats(1)
    i = n.axis(v)
    if isinstance(v.dims[i], int) and v.dims[i] > 1:
        a = n.rnd.randint(0, v.dims[i] - 1)
        e = n.rnd.randint(a + 1, v.dims[i])
        n.add(paddle.slice(v.t, [i], [a], [e]), replaced(v.dims, i, e - a))
    else:
        n.add(paddle.slice(v.t, [i], [0], [1]), replaced(v.dims, i, 1))


def strided(n):
    v = n.floats(1, fits=lambda v: any(isinstance(d, int) and d > 3 for d in v.dims))
    i = n.rnd.choice([k for k, d in enumerate(v.dims) if isinstance(d, int) and d > 3])
    if n.chance(0.5):
        n.add(paddle.strided_slice(v.t, [i], [0], [v.dims[i]], [2]), replaced(v.dims, i, (v.dims[i] + 1) // 2))
    else:
        n.add(paddle.strided_slice(v.t, [i], [v.dims[i] - 1], [0], [-2]), replaced(v.dims, i, v.dims[i] // 2))


def where(n):
    v = n.floats()
    u = n.pick(lambda u: u.dtype == v.dtype and u.dims == v.dims)
    n.add(paddle.where(n.rnd.choice(COMPARE)(v.t, u.t * 0.5), v.t, u.t - 1.0), v.dims)


def compare(n):
    v = n.floats()
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(v.dims, u.dims) is not None)
    n.add(n.rnd.choice(COMPARE)(v.t, u.t).astype("float32"), broadcast(v.dims, u.dims))


def cumulate(n):
    v = n.floats(1)
    a = n.axis(v)
    z = n.rnd.choice([lambda: paddle.cumsum(v.t, a) * 0.2, lambda: paddle.cumprod(paddle.tanh(v.t), a), lambda: paddle.cummax(v.t, a)[0],
                      lambda: paddle.logcumsumexp(v.t, a), lambda: paddle.cummin(v.t, a)[0]])()
    n.add(z, v.dims)


def matmul(n):
    v = n.floats(2, fits=lambda v: isinstance(v.dims[-1], int) and v.dtype == "float32")
    o = n.rnd.choice([1, 3, 5, 8, 17])
    n.add(paddle.matmul(v.t, n.param([v.dims[-1], o], 0.3)), v.dims[:-1] + (o,))


def gram(n):
    v = n.floats(2, 4)
    n.add(paddle.matmul(v.t, v.t, transpose_y=True) * 0.2, v.dims[:-1] + (v.dims[-2],))


def einsum(n):
    v = n.floats(3, 3, lambda v: v.dims[:2] == ("B", "T") and isinstance(v.dims[2], int) and v.dtype == "float32")
    d = v.dims[2]
    text, shape, dims = n.rnd.choice([
        ("btd,dk->btk", [d, 5], ("B", "T", 5)), ("btd,kd->bkt", [4, d], ("B", 4, "T")), ("btd,d->bt", [d], ("B", "T")),
        ("btd,de->bet", [d, 3], ("B", 3, "T")), ("btd,dhk->bhtk", [d, 2, 3], ("B", 2, "T", 3))])
    n.add(paddle.einsum(text, v.t, n.param(shape, 0.3)), dims)


def einsum_pair(n):
    v = n.floats(3, 3, lambda v: v.dims[:2] == ("B", "T") and isinstance(v.dims[2], int))
    u = n.pick(lambda u: u.dims == v.dims and u.dtype == v.dtype)
    text, dims = n.rnd.choice([("btd,bsd->bts", ("B", "T", "T")), ("btd,bte->bde", ("B", v.dims[2], v.dims[2])), ("btd,btd->b", ("B",)),
                               ("btd,btd->td", ("T", v.dims[2])), ("btd,bse->de", (v.dims[2], v.dims[2]))])
    n.add(paddle.einsum(text, v.t, u.t) * 0.1, dims)


def unsqueeze(n):
    v = n.floats(0, 3)
    i = n.rnd.randint(0, v.rank)
    n.add(v.t.unsqueeze(i), v.dims[:i] + (1,) + v.dims[i:])


def squeeze(n):
    v = n.floats(1, fits=lambda v: 1 in v.dims)
    i = v.dims.index(1)
    n.add(v.t.squeeze(i), replaced(v.dims, i))


def expand(n):
    v = n.floats(1, fits=lambda v: 1 in v.dims)
    i = v.dims.index(1)
    dims = replaced(v.dims, i, n.rnd.choice([2, 3, "T", "B"]))
    n.add(paddle.expand(v.t, n.extents(dims)), dims)


def expand_as(n):
    v = n.floats(0, 3)
    u = n.pick(lambda u: u.rank >= v.rank and broadcast(v.dims, u.dims) == u.dims)
    n.add(paddle.expand_as(v.t, u.t), u.dims)


def broadcast_tensors(n):
    v = n.floats(0, 3)
    u = n.floats(0, 3, lambda u: u.dtype == v.dtype and broadcast(v.dims, u.dims) is not None)
    a, b = paddle.broadcast_tensors([v.t, u.t])
    n.add(a * 0.5 - b, broadcast(v.dims, u.dims))


def stack(n):
    v = n.floats(0, 3)
    u = n.pick(lambda u: u.dtype == v.dtype and u.dims == v.dims)
    i = n.rnd.randint(0, v.rank)
    n.add(paddle.stack([v.t, u.t], i), v.dims[:i] + (2,) + v.dims[i:])


def split(n):
    v = n.floats(1, fits=lambda v: any(isinstance(d, int) and d > 2 for d in v.dims))
    i = n.rnd.choice([k for k, d in enumerate(v.dims) if isinstance(d, int) and d > 2])
    a = n.rnd.randint(1, v.dims[i] - 1)
    for part, extent in zip(paddle.split(v.t, [a, v.dims[i] - a], i), (a, v.dims[i] - a)):
        n.add(part, replaced(v.dims, i, extent))


def unbind(n):
    v = n.floats(1, fits=lambda v: any(isinstance(d, int) and 0 < d < 9 for d in v.dims))
    i = n.rnd.choice([k for k, d in enumerate(v.dims) if isinstance(d, int) and 0 < d < 9])
    parts = paddle.unbind(v.t, i)
    n.add(parts[0] + parts[-1] * 2.0, replaced(v.dims, i))


def move(n):
    v = n.floats(1)
    a = n.axis(v)
    n.add(n.rnd.choice([lambda: paddle.flip(v.t, [a]), lambda: paddle.roll(v.t, n.rnd.choice([1, -1, 2]), a)])(), v.dims)


def arg(n):
    v = n.floats(1)
    a, keep = n.axis(v), n.chance(0.5)
    n.add(n.rnd.choice([paddle.argmax, paddle.argmin])(v.t, a, keepdim=keep).astype("float32") * 0.1, reduced(v.dims, [a], keep))


def tile(n):
    v = n.floats(1, fits=lambda v: isinstance(v.dims[-1], int) and v.dims[-1] < 10)
    n.add(paddle.tile(v.t, [1] * (v.rank - 1) + [2]), v.dims[:-1] + (v.dims[-1] * 2,))


def repeat(n):
    v = n.floats(1, fits=lambda v: isinstance(v.dims[-1], int) and v.dims[-1] < 10)
    n.add(paddle.repeat_interleave(v.t, 2, v.rank - 1), v.dims[:-1] + (v.dims[-1] * 2,))


def outer(n):
    v = n.floats(1, 2)
    n.add(v.t.unsqueeze(-1) * v.t.unsqueeze(-2), v.dims + (v.dims[-1],))


def topk(n):
    v = n.floats(1, fits=lambda v: isinstance(v.dims[-1], int) and v.dims[-1] > 2)
    values, indices = paddle.topk(v.t, 2, -1, largest=n.chance(0.7))
    n.add(values if n.chance(0.6) else indices.astype("float32") * 0.1, v.dims[:-1] + (2,))


def sort(n):
    v = n.floats(1)
    a, down = n.axis(v), n.chance(0.5)
    n.add(paddle.sort(v.t, a, descending=down) if n.chance(0.5) else paddle.argsort(v.t, a, descending=down, stable=True).astype("float32") * 0.1, v.dims)


def kth(n):
    v = n.floats(1, fits=lambda v: isinstance(v.dims[-1], int) and v.dims[-1] > 1)
    z = n.rnd.choice([lambda: paddle.kthvalue(v.t, 2, -1)[0], lambda: paddle.median(v.t, -1), lambda: paddle.quantile(v.t, 0.4, -1).astype("float32"),
                      lambda: paddle.mode(v.t, -1)[0]])()
    n.add(z, v.dims[:-1])


def cast(n):
    v = n.floats()
    wide = "float64" if v.dtype == "float32" else "float32"
    n.add(v.t.astype(wide), v.dims)


def through_integers(n):
    v = n.floats()
    n.add((paddle.clip(v.t, -5.0, 5.0) * 3.0).astype(n.rnd.choice(["int32", "int64"])).astype("float32") * 0.25, v.dims)


def parameter(n):
    v = n.floats(1, fits=lambda v: isinstance(v.dims[-1], int) and v.dtype == "float32")
    n.add(n.rnd.choice([paddle.add, paddle.multiply, paddle.maximum])(v.t, n.param([v.dims[-1]])), v.dims)


def one_hot(n):
    k = n.pick(lambda v: v.dtype == "int64")
    n.add(F.one_hot(k.t % 4, 4), k.dims + (4,))


def mask(n):
    v = n.floats(2, fits=lambda v: v.dims[:2] == ("B", "T"))
    k = n.pick(lambda u: u.dtype == "int64" and u.dims == ("B", "T"))
    m = (k.t > 2).astype(v.dtype)
    n.add(v.t * m.reshape(n.extents(("B", "T")) + [1] * (v.rank - 2)), v.dims)


def triangle(n):
    v = n.floats(2)
    n.add(n.rnd.choice([paddle.tril, paddle.triu])(v.t, n.rnd.choice([-1, 0, 1])), v.dims)


def pad(n):
    v = n.floats(3, 3, lambda v: isinstance(v.dims[-1], int) and v.dims[-1] > 2)
    mode = n.rnd.choice(["constant", "reflect", "replicate", "circular"])
    n.add(F.pad(v.t, [1, 2], mode=mode, value=0.3 if mode == "constant" else 0.0, data_format="NCL"), v.dims[:-1] + (v.dims[-1] + 3,))


def first_or_last(n):
    v = n.floats(1)
    n.add(v.t[-1] if n.chance(0.5) else v.t[0], v.dims[1:])


def extent_as_number(n):
    """Arithmetic with an extent of the run."""
    v, name = n.floats(), n.rnd.choice(["B", "T"])
    n.add(v.t / (n.extent[name]().astype(v.dtype) + 1.0), v.dims)


def grid(n):
    name = n.rnd.choice(["B", "T"])
    z = paddle.arange(n.extent[name]()).astype("float32") * 0.1
    n.add(n.rnd.choice([paddle.sin, paddle.cos, lambda z: z])(z), (name,))


def distance(n):
    v = n.floats(2, 3, lambda v: isinstance(v.dims[-1], int) and v.dtype == "float32")
    n.add(paddle.cdist(v.t, v.t * 0.5 + 0.3), v.dims[:-1] + (v.dims[-2],))


def unit(n):
    v = n.floats(2, 3, lambda v: v.dtype == "float32")
    if n.chance(0.5):
        n.add(F.normalize(v.t, axis=-1), v.dims)
    else:
        n.add(F.cosine_similarity(v.t, v.t * v.t + 0.1, axis=-1), v.dims[:-1])


BASIC = [(6, binary), (5, unary), (4, reduce), (1, reduce_all), (3, centre), (2, moments), (2, softmax), (2, layer_norm), (1, normalize),
         (2, transpose), (1, split_last), (1, merge_last), (1, merge_dynamic), (1, concat), (1, concat_slice), (1, slice_), (1, strided),
         (1, where), (1, compare), (1, cumulate), (2, matmul), (1, gram), (1, einsum), (1, einsum_pair), (1, unsqueeze), (1, squeeze),
         (1, expand), (1, expand_as), (1, broadcast_tensors), (1, stack), (1, split), (1, unbind), (1, move), (1, arg), (1, tile), (1, repeat), (1, outer),
         (1, topk), (1, sort), (1, kth), (1, cast), (1, through_integers), (1, parameter), (1, one_hot), (1, mask), (1, triangle), (1, pad),
         (1, first_or_last), (1, extent_as_number), (1, grid), (1, distance),
         (1, unit)]

INPUTS = [("x", ("B", "T", 6), "float32"), ("y", ("T", 6), "float32"), ("k", ("B", "T"), "int64")]


def start(n, x, y, k):
    n.known("B", lambda: paddle.shape(x)[0])
    n.known("T", lambda: paddle.shape(x)[1])
    for tensor, (_, dims, _) in zip((x, y, k), INPUTS):
        n.add(tensor, dims)


def draw(n, x, y, k):
    start(n, x, y, k)
    n.grow(BASIC, 10, 36)
    return n.outputs(6)


def feeds(rnd, extents=None):
    for b, t in extents or ((rnd.randint(1, 3), rnd.randint(2, 9)), (rnd.randint(2, 5), rnd.randint(16, 40)), (1, 1)):
        real = {"B": b, "T": t}
        yield {name: numbers(rnd, [real.get(d, d) for d in dims], dtype) for name, dims, dtype in INPUTS}
