"""Tensors without elements and of no axis, through the steps of indexing."""
import paddle

from drawing import numbers

from . import indexing, tensors

INPUTS = indexing.INPUTS
STEPS = indexing.ANY_EXTENT + [(4, tensors.reduce_all), (3, tensors.first_or_last), (3, tensors.binary), (3, tensors.unary), (2, tensors.reduce)]


def draw(n, x, y, k, i, w):
    tensors.start(n, x, y, k)
    n.known("N", lambda: paddle.shape(i)[0])
    n.add(i, ("N",))
    n.add(w, ("N", 6))
    n.grow(STEPS, 6, 20)
    return n.outputs(6)


def feeds(rnd):
    for extents, count in (((rnd.randint(1, 3), rnd.randint(2, 9)), 4), ((0, 5), 0), ((2, 3), 0), ((3, 0), 0)):
        feed = next(tensors.feeds(rnd, [extents]))
        yield {**feed, "i": numbers(rnd, (count,), "int64", 0, 1000), "w": numbers(rnd, (count, 6))}
