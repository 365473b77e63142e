"""Control flow: choices and loops whose bodies are drawn too, nested, with values from outside."""
import numpy
import paddle
import paddle.nn.functional as F
from paddle.static import nn as control

from drawing import Net

from . import tensors

INPUTS = tensors.INPUTS + [("c", (1,), "int64")]
DEEPEST = 2


def body(n, v, seed, depth):
    """A value of v's type and shape, computed by drawn steps from v and from values outside."""
    inner = Net(seed, n.without_inside, n.layer, f"{n.scope}{seed}_")
    inner.extent, inner.without_inside, inner.depth, inner.count = n.extent, n.without_inside, depth, n.count
    inner.values = n.values[3:5] + [u for u in n.values if u.dtype in ("float32", "int64")][-5:]
    inner.values.append(v)
    inner.grow(STEPS if depth < DEEPEST else tensors.BASIC, 1, 5)
    same = [u for u in inner.values if u.dims == v.dims and u.dtype == v.dtype and u is not v]
    return paddle.tanh(same[-1].t) if same else paddle.tanh(v.t * 0.7 + 0.2)


def seeds(n, count):
    return [n.rnd.randrange(1 << 30) for _ in range(count)]


def condition(n):
    """A truth of one element: of the input that counts, or of a value."""
    if n.chance(0.5):
        return n.count > n.rnd.randint(0, 3)
    v = n.floats(fits=lambda v: v.dtype == "float32")
    return paddle.mean(v.t) > 0.1


def choose(n):
    v = n.floats(0, 4, lambda v: v.dtype == "float32")
    one, two = seeds(n, 2)
    n.add(control.cond(condition(n), lambda: body(n, v, one, n.depth + 1), lambda: body(n, v, two, n.depth + 1)), v.dims)


def choose_two(n):
    v, u = n.floats(0, 4, lambda v: v.dtype == "float32"), n.floats(0, 4, lambda v: v.dtype == "float32")
    one, two = seeds(n, 2)
    a, b = control.cond(condition(n), lambda: (body(n, v, one, n.depth + 1), u.t * 2.0), lambda: (v.t + 1.0, body(n, u, two, n.depth + 1)))
    n.add(a, v.dims)
    n.add(b, u.dims)


def loop(n):
    """As many rounds as an input says."""
    v = n.floats(0, 4, lambda v: v.dtype == "float32")
    seed, = seeds(n, 1)
    start, end = paddle.full([1], 0, "int64"), n.count

    def more(i, state):
        return i < end

    def round_(i, state):
        return [i + 1, body(n, type(v)(state, v.dims, v.dtype), seed, n.depth + 1)]
    _, state = control.while_loop(more, round_, [start, v.t * 1.0])
    n.add(state, v.dims)


def loop_until(n):
    """Rounds until a value of the state says so."""
    v = n.floats(1, 4, lambda v: v.dtype == "float32")
    start = paddle.full([], 0, "int32")

    def more(i, state):
        return paddle.logical_and(i < 6, paddle.max(paddle.abs(state)) > 0.2)

    def round_(i, state):
        return [i + 1, state * 0.6 - paddle.mean(state) * 0.1]
    count, state = control.while_loop(more, round_, [start, F.tanh(v.t)])
    n.add(state, v.dims)
    n.add(count.astype("float32"), ())


def loop_rows(n):
    """A state that takes one row of a value after the other."""
    v = n.floats(2, 3, lambda v: v.dims[0] in ("B", "T") and v.dtype == "float32")
    rows = n.extent[v.dims[0]]().astype("int64")
    i = paddle.full([], 0, "int64")

    def more(i, state):
        return i < rows

    def round_(i, state):
        return [i + 1, paddle.tanh(state * 0.5 + paddle.gather(v.t, i.reshape([1])).squeeze(0))]
    _, state = control.while_loop(more, round_, [i, paddle.zeros_like(v.t[0])])
    n.add(state, v.dims[1:])


def loop_grow(n):
    """A state that becomes longer every round."""
    v = n.floats(2, 2, lambda v: isinstance(v.dims[1], int) and v.dtype == "float32")
    i = paddle.full([1], 0, "int64")

    def more(i, state):
        return i < n.count

    def round_(i, state):
        return [i + 1, paddle.concat([state, F.softmax(state[-1:], -1)], 0)]
    i, state = control.while_loop(more, round_, [i, v.t * 1.0])
    n.add(paddle.sum(state, 0), v.dims[1:])


def nested(n):
    """A loop in a loop, and a choice in both."""
    v = n.floats(0, 3, lambda v: v.dtype == "float32")
    zero = paddle.full([1], 0, "int64")

    def inner_round(j, state):
        return [j + 1, control.cond(paddle.mean(state) > 0.0, lambda: state * 0.5 - 0.1, lambda: paddle.tanh(state) + v.t * 0.1)]

    def outer_round(i, state):
        _, state = control.while_loop(lambda j, state: j < i, inner_round, [zero * 1, state])
        return [i + 1, state + 0.05]
    _, state = control.while_loop(lambda i, state: i < n.count, outer_round, [zero, v.t * 1.0])
    n.add(state, v.dims)


def outer_matrix(n):
    v = n.floats(2, 4, lambda v: v.dims[-1] == 6 and v.dtype == "float32")
    n.add(paddle.matmul(v.t, n.pick(lambda u: u.dims == (6, 6)).t), v.dims)


def case(n):
    v = n.floats(0, 4, lambda v: v.dtype == "float32")
    n.add(control.switch_case(n.count % 3, {0: lambda: v.t * 2.0, 1: lambda: F.relu(v.t), 2: lambda: v.t - 1.0}), v.dims)


STEPS = tensors.BASIC + [(5, f) for f in (choose, choose_two, loop, loop_until, loop_rows, loop_grow, nested, case,
                                          outer_matrix)]


def draw(n, x, y, k, c):
    tensors.start(n, x, y, k)
    n.count, n.depth, n.without_inside = c, 0, set()
    n.add(n.param([6, 6], 0.4), (6, 6))
    n.made += 1
    n.add(n.param([6]), (6,))
    n.grow(STEPS, 6, 20)
    return n.outputs(5)


def feeds(rnd):
    for feed, count in zip(tensors.feeds(rnd), (rnd.randint(0, 2), rnd.randint(2, 5), 0)):
        yield {**feed, "c": numpy.array([count], "int64")}
