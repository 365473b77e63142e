"""What the kinds of networks share: a network that grows step by step from values with known types and symbolic shapes."""
import dataclasses
import random

import numpy as np
import paddle
from paddle import nn

FLOATS = ("float32", "float64")
NARROW = ("float16", "bfloat16")
INTS = ("int8", "uint8", "int16", "int32", "int64")
# What Paddle's Python raises when an op does not take what a step gives it; the step is then left out.
REFUSALS = (ValueError, TypeError, AssertionError, IndexError, NotImplementedError, AttributeError, RuntimeError, KeyError,
            NameError, OSError, SystemError)


@dataclasses.dataclass
class Value:
    """A tensor; `dims` holds numbers, and names of extents that only the run knows."""
    t: object
    dims: tuple
    dtype: str

    @property
    def rank(self):
        return len(self.dims)


def dtype_of(tensor):
    return str(tensor.dtype).rsplit(".", 1)[-1].lower().replace("paddle.", "").replace("vartype.", "").replace("fp", "float")


class Net:
    """A network while it is drawn. A network may be drawn several times: every step draws from a generator of its own, `without` holds
    the numbers of the steps that Paddle refused, and `layer` the parameters of a network that is traced. `scope` names a region."""

    def __init__(self, seed, without, layer=None, scope=""):
        self.seed, self.without, self.layer, self.scope, self.made = seed, without, layer, scope, 0
        self.whole = True  # no step was refused this time
        self.rnd = random.Random(seed)
        self.values, self.log, self.extent = [], [], {}

    # ---- values
    def add(self, tensor, dims):
        self.values.append(Value(tensor, tuple(dims), dtype_of(tensor)))

    def known(self, name, extent):
        """Gives an extent a name: `extent()` makes the op that computes it."""
        self.extent[name] = extent

    def feed(self, name, dims, dtype):
        """An input of a network in static mode."""
        tensor = paddle.static.data(name, [d if isinstance(d, int) else -1 for d in dims], dtype)
        return tensor

    def pick(self, fits=lambda v: True, recent=6):
        found = [v for v in self.values if fits(v)]
        if not found:
            raise IndexError("no value fits")
        return self.rnd.choice(found[-recent:] if self.rnd.random() < 0.8 else found)

    def floats(self, least=0, most=5, fits=lambda v: True):
        return self.pick(lambda v: v.dtype in FLOATS and least <= v.rank <= most and fits(v))

    def axis(self, v):
        return self.rnd.randrange(v.rank)

    def chance(self, p):
        return self.rnd.random() < p

    def extents(self, dims):
        """A shape for reshape, expand and the like: numbers and scalars."""
        return [d if isinstance(d, int) else self.extent[d]() for d in dims]

    # ---- parameters
    def keep(self, make):
        """A sublayer or parameter: made once where a network is traced several times."""
        name = f"p{len(self.log)}_{self.made}"
        self.made += 1
        if self.scope:
            raise TypeError("Paddle does not save parameters that a region makes")
        if self.layer is None:
            return make()
        if not hasattr(self.layer, name):
            setattr(self.layer, name, make())
        return getattr(self.layer, name)

    def param(self, shape, scale=1.0, dtype="float32"):
        start = nn.initializer.Normal(0.0, scale)
        return self.keep(lambda: paddle.create_parameter(list(shape), dtype, default_initializer=start))

    def linear(self, into, out, bias=None):
        return self.keep(lambda: nn.Linear(into, out, bias_attr=bias))

    # ---- growth
    def grow(self, steps, least, most):
        """Takes steps by chance; `steps` are (weight, function of the network)."""
        names, weights = [s for _, s in steps], [w for w, _ in steps]
        for _ in range(self.rnd.randint(least, most)):
            self.take(self.rnd.choices(names, weights)[0])

    def take(self, step):
        outer, values, number = self.rnd, len(self.values), len(self.log)
        self.rnd, self.made = random.Random(f"{self.seed} {number}"), 0
        taken = number not in self.without
        try:
            if taken:
                step(self)
        except REFUSALS:
            taken = self.whole = False
            del self.values[values:]
            self.without.add(number)
        self.rnd = outer
        del self.log[number:]
        self.log.append(step.__name__ if taken else f"-{step.__name__}")

    def outputs(self, most=5):
        """The newest value, and others by chance; every output is a tensor of its own. One reads a parameter, without which Paddle
        does not save a program."""
        chosen = [self.values[-1]] + [self.rnd.choice(self.values) for _ in range(self.rnd.randint(0, most - 1))]
        return self.own_outputs(chosen)

    def all_outputs(self):
        return self.own_outputs(self.values)

    def own_outputs(self, chosen):
        some = self.pick(lambda v: v.dtype == "float32")
        return [own(v.t) for v in chosen] + [some.t * self.param([1])]


def own(tensor):
    """A tensor that nothing else reads."""
    dtype = dtype_of(tensor)
    if dtype == "bool":
        return paddle.logical_not(tensor)
    if dtype in NARROW:
        return tensor.astype("float32")  # NumPy has no bfloat16
    if dtype in INTS or dtype in FLOATS:
        return tensor + paddle.full([], 1, dtype)
    return paddle.assign(tensor)


def broadcast(a, b):
    """Dims of an elementwise result, or None."""
    rank = max(len(a), len(b))
    a, b = (1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b)):
        return None
    return tuple(y if x == 1 else x for x, y in zip(a, b))


def replaced(dims, axis, *extents):
    return tuple(dims[:axis]) + extents + tuple(dims[axis + 1:])


def numbers(rnd, shape, dtype="float32", low=0, high=6):
    """Numbers for an input."""
    q = np.random.RandomState(rnd.randrange(1 << 30))
    if dtype == "bool":
        return q.rand(*shape) < 0.5
    if dtype.startswith(("int", "uint")):
        return q.randint(low, high, shape).astype(dtype)
    if dtype == "complex64":
        return (q.randn(*shape) + 1j * q.randn(*shape)).astype(dtype)
    return q.randn(*shape).astype(dtype)
