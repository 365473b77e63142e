"""Families of networks. Each file holds functions of one field; a function draws a layer's sizes and declares its inputs."""

import importlib
import pathlib

import numpy as np

FAMILIES = {}


def family(make):
    FAMILIES[make.__name__] = make
    return make


class Inputs:
    """The inputs of a network: dims are numbers, and names of extents; `sizes` gives the extents of each case."""

    def __init__(self, rnd):
        self.rng = np.random.RandomState(rnd.randrange(1 << 30))
        self.declared, self.how, self.extents = [], [], [{}]

    def sizes(self, *cases):
        self.extents = list(cases)
        return self

    def add(self, name, dims, dtype="float32", low=0, high=6, how=None):
        """Declares an input of random numbers, or of `how(rng, shape)`."""
        self.declared.append((name, tuple(dims), dtype))
        self.how.append(how or (lambda rng, shape: numbers(rng, shape, dtype, low, high)))
        return self

    def feed(self, extents):
        return {
            name: how(self.rng, [extents.get(d, d) for d in dims]).astype(dtype)
            for (name, dims, dtype), how in zip(self.declared, self.how)
        }


def numbers(rng, shape, dtype, low, high):
    if dtype == "bool":
        return rng.rand(*shape) < 0.5
    if dtype.startswith(("int", "uint")):
        return rng.randint(low, high, shape)
    if dtype.startswith("complex"):
        return rng.randn(*shape) + 1j * rng.randn(*shape)
    return rng.randn(*shape)


for file in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    if file.stem != "__init__":
        importlib.import_module(f"{__name__}.{file.stem}")
