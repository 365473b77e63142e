"""Element types: integers of every width, booleans, f16, bf16 and f64, and conversions between them."""
import paddle
import paddle.nn.functional as F

from drawing import INTS, NARROW, broadcast, numbers, replaced

INPUTS = [("x", ("B", "T", 4), "float32"), ("d", ("B", "T", 4), "float64"), ("i", ("B", "T", 4), "int32"), ("l", ("T", 4), "int64"),
          ("s", ("B", "T", 4), "int8"), ("p", ("B", "T", 4), "bool")]


def whole(n, fits=lambda v: True):
    return n.pick(lambda v: v.dtype in INTS and fits(v))


def truth(n):
    return n.pick(lambda v: v.dtype == "bool")


def cast(n):
    v = n.pick()
    kind = n.rnd.choice(["float32", "float64", "int32", "int64", "int8", "uint8", "int16", "bool", "float16", "bfloat16"])
    t = v.t
    if v.dtype.startswith(("float", "bfloat")) and kind in INTS:
        low = 0.0 if kind == "uint8" else -100.0
        t = paddle.clip(t.astype("float32") * 3.0, low, 100.0)
    n.add(t.astype(kind), v.dims)


def through_narrow(n):
    v = n.floats()
    n.add(v.t.astype(n.rnd.choice(NARROW)).astype("float32") * 0.5, v.dims)


def whole_pair(n):
    v = whole(n, lambda v: v.dtype in ("int32", "int64"))
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(u.dims, v.dims) is not None)
    f = n.rnd.choice([paddle.add, paddle.subtract, paddle.multiply, paddle.maximum, paddle.minimum, lambda a, b: paddle.floor_divide(a, paddle.abs(b) + 1),
                      lambda a, b: paddle.remainder(a, paddle.abs(b) + 2), lambda a, b: paddle.remainder(a, -paddle.abs(b) - 2),
                      lambda a, b: paddle.floor_divide(a, -paddle.abs(b) - 3), lambda a, b: a / (b * b + 1).astype(a.dtype)])
    n.add(f(v.t, u.t), broadcast(v.dims, u.dims))


def bits(n):
    v = whole(n)
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(u.dims, v.dims) is not None)
    f = n.rnd.choice([paddle.bitwise_and, paddle.bitwise_or, paddle.bitwise_xor, lambda a, b: paddle.bitwise_not(a) + b * 0])
    n.add(f(v.t, u.t), broadcast(v.dims, u.dims))


def shift(n):
    v = whole(n, lambda v: v.dtype in ("int32", "int64"))
    by = paddle.full([], n.rnd.randint(0, 5), v.dtype)
    n.add(n.rnd.choice([paddle.bitwise_left_shift, paddle.bitwise_right_shift])(v.t, by), v.dims)


def logic(n):
    a = truth(n)
    b = n.pick(lambda u: u.dtype == "bool" and broadcast(u.dims, a.dims) is not None)
    n.add(n.rnd.choice([paddle.logical_and, paddle.logical_or, paddle.logical_xor])(a.t, b.t), broadcast(a.dims, b.dims))


def logic_not(n):
    a = truth(n)
    n.add(paddle.logical_not(a.t), a.dims)


def compare(n):
    v = n.pick(lambda v: v.dtype not in NARROW and v.dtype != "bool")
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(u.dims, v.dims) is not None)
    n.add(n.rnd.choice([paddle.greater_than, paddle.less_equal, paddle.equal, paddle.not_equal])(v.t, u.t), broadcast(u.dims, v.dims))


def select(n):
    c = truth(n)
    v = n.pick(lambda v: v.dims == c.dims and v.dtype != "bool")
    u = n.pick(lambda u: u.dims == c.dims and u.dtype == v.dtype)
    n.add(paddle.where(c.t, v.t, u.t), c.dims)


def reduce_whole(n):
    v = whole(n, lambda v: v.rank > 0 and v.dtype in ("int32", "int64"))
    a = n.axis(v)
    f = n.rnd.choice([paddle.sum, paddle.max, paddle.min, lambda t, axis: paddle.prod(t % 3 - 1, axis)])
    n.add(f(v.t, axis=a), replaced(v.dims, a))


def reduce_truth(n):
    v = n.pick(lambda v: v.dtype == "bool" and v.rank > 0)
    a = n.axis(v)
    n.add(n.rnd.choice([paddle.any, paddle.all, lambda t, axis: paddle.sum(t, axis)])(v.t, axis=a), replaced(v.dims, a))


def narrow_math(n):
    v = n.pick(lambda v: v.dtype in NARROW)
    f = n.rnd.choice([lambda t: t + t, lambda t: t * 0.5, F.relu, paddle.abs, paddle.tanh, lambda t: paddle.sum(t, -1, keepdim=True), F.sigmoid,
                      lambda t: paddle.maximum(t, t * 0.5), paddle.exp, lambda t: F.softmax(t, -1)])
    z = f(v.t)
    n.add(z, v.dims if z.shape == v.t.shape else v.dims[:-1] + (1,))


def narrow_matmul(n):
    v = n.floats(2, fits=lambda v: isinstance(v.dims[-1], int) and v.dtype == "float32")
    kind = n.rnd.choice(NARROW)
    n.add(paddle.matmul(v.t.astype(kind), n.param([v.dims[-1], 5], 0.3).astype(kind)).astype("float32"), v.dims[:-1] + (5,))


def whole_matmul(n):
    v = whole(n, lambda v: v.rank > 1 and v.dtype in ("int32", "int64"))
    n.add(paddle.matmul(v.t % 7, v.t % 5, transpose_y=True), v.dims[:-1] + (v.dims[-2],))


def wide_math(n):
    v = n.pick(lambda v: v.dtype == "float64")
    n.add(n.rnd.choice([paddle.exp, paddle.tanh, F.gelu, paddle.sin, lambda t: paddle.log1p(paddle.abs(t)), lambda t: t * t + 0.5,
                        lambda t: paddle.pow(paddle.abs(t) + 0.1, 0.3)])(paddle.clip(v.t, -20.0, 20.0)), v.dims)


def wide_matmul(n):
    v = n.pick(lambda v: v.dtype == "float64" and v.rank > 1)
    n.add(paddle.matmul(v.t, v.t, transpose_y=True) * 0.1, v.dims[:-1] + (v.dims[-2],))


def whole_moves(n):
    v = n.pick(lambda v: v.rank > 1)
    p = list(range(v.rank))
    n.rnd.shuffle(p)
    n.add(n.rnd.choice([lambda: (v.t.transpose(p), [v.dims[i] for i in p])])()[0], [v.dims[i] for i in p])


def whole_join(n):
    v = n.pick(lambda v: v.rank > 0 and isinstance(v.dims[-1], int) and v.dims[-1] < 20)
    u = n.pick(lambda u: u.dims == v.dims and u.dtype == v.dtype)
    n.add(paddle.concat([v.t, u.t], -1), v.dims[:-1] + (v.dims[-1] * 2,))


def whole_order(n):
    v = whole(n, lambda v: v.rank > 0 and v.dtype in ("int32", "int64"))
    a = n.axis(v)
    n.add(n.rnd.choice([lambda: paddle.sort(v.t, a), lambda: paddle.cumsum(v.t, a), lambda: paddle.argmax(v.t, a, keepdim=True) + v.t.astype("int64") * 0,
                        lambda: paddle.clip(v.t, -3, 5), lambda: paddle.abs(v.t), lambda: -v.t, lambda: paddle.sign(v.t), lambda: v.t * v.t])(), v.dims)


def float_pair(n):
    v = n.floats()
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(u.dims, v.dims) is not None)
    n.add(n.rnd.choice([paddle.add, paddle.multiply, lambda a, b: a - F.sigmoid(b)])(v.t, u.t), broadcast(u.dims, v.dims))


def mixed_scale(n):
    """Numbers and tensors of another type: Python's rules of promotion."""
    v = n.pick(lambda v: v.dtype in ("int32", "int64", "float32", "float64"))
    n.add(n.rnd.choice([lambda: v.t + 1, lambda: v.t * 2, lambda: v.t * 0.5, lambda: 3 - v.t, lambda: v.t / 2, lambda: v.t + 0.25])(), v.dims)


STEPS = [(3, cast), (2, cast)] + [(1, f) for f in (
    through_narrow, whole_pair, bits, shift, logic, logic_not, compare, select, reduce_whole, reduce_truth, narrow_math, narrow_matmul, whole_matmul,
    wide_math, wide_matmul, whole_moves, whole_join, whole_order, float_pair, mixed_scale)]


def draw(n, *inputs):
    for tensor, (_, dims, _) in zip(inputs, INPUTS):
        n.add(tensor, dims)
    n.grow(STEPS, 10, 36)
    return n.outputs(7)


def feeds(rnd):
    for b, t in ((rnd.randint(1, 3), rnd.randint(2, 9)), (rnd.randint(2, 4), rnd.randint(16, 40)), (1, 1)):
        real = {"B": b, "T": t}
        yield {name: numbers(rnd, [real.get(d, d) for d in dims], dtype, -9, 10) for name, dims, dtype in INPUTS}
