"""Language models of bench/zoo/llm.py in the forms of ONNX Runtime, OpenVINO and llama.cpp, with the same weights.

A front end makes the ops of one engine; `network` calls them in their order. Weights have one of the TYPES. Integers are symmetric, with a scale
for a group of rows of a column, as many as the engine's own converter takes.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../zoo"))
import llm  # noqa: E402

TYPES = ("f32", "bf16", "int8", "int4")


def network(front, size):
    """The logits of the last token: front.embed, norm, product, attention, add, gated."""
    x = front.embed()
    for i in range(size.layers):
        name = f"layer_{i}."
        y = front.norm(x, name + "norm_1")
        y = front.attention(i, *(front.product(y, name + part) for part in "qkv"))
        x = front.add(x, front.product(y, name + "o"))
        y = front.norm(x, name + "norm_2")
        y = front.gated(front.product(y, name + "gate"), front.product(y, name + "up"))
        x = front.add(x, front.product(y, name + "down"))
    return front.product(front.norm(front.last(x), "norm"), "head")


class Weights:
    """The parameters of a model, mapped; matrices as [rows, columns] by which a row is multiplied."""

    def __init__(self, folder, size):
        self.path, self.values, self.size = folder + "/model.pdiparams", llm.read_parameters(size, folder + "/model.pdiparams"), size

    def matrix(self, name):
        return self.values["embedding"].T if name == "head" and self.size.tied else self.values[name]


def bf16(x):
    """Bits of f32 numbers, rounded to the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(x).view("uint32")
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype("uint16")


def quantised(matrix, kind, group):
    """Whole numbers [columns, groups, rows of a group] and scales [columns, groups] of a matrix."""
    most = {"int8": 127, "int4": 7}[kind]
    columns = np.ascontiguousarray(matrix.T).reshape(matrix.shape[1], -1, group)
    scales = np.maximum(np.abs(columns).max(2) / most, np.float32(1e-12))
    return np.rint(columns / scales[:, :, None]).astype("int8"), scales.astype("float32")
