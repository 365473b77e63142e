"""Inputs of other batch sizes for a network of bench/zoo, made from those of case0."""
import json
import os


def batch_axes(folder):
    """The batch axis of each input by name, which is its first free extent; None if an input has none."""
    if not os.path.exists(folder + "/meta.json"):
        return None
    with open(folder + "/meta.json") as f:
        shapes = {i["name"]: i["shape"] for i in json.load(f)["inputs"]}
    return {name: shape.index(-1) for name, shape in shapes.items()} if all(-1 in s for s in shapes.values()) else None


def batched(array, axis, batch):
    """`batch` samples along the axis: those of the array, again and again."""
    import numpy as np
    return np.ascontiguousarray(np.take(array, np.arange(batch) % array.shape[axis], axis=axis))


def write_case(folder, there, batch):
    """Writes the inputs into the folder `there`; False when the network has no free batch."""
    import numpy as np
    axes = batch_axes(folder)
    if axes is None:
        return False
    for name, axis in axes.items():
        path = f"{folder}/case0/in_{name}.npy"
        if os.path.exists(path):  # one that no op reads has none
            np.save(f"{there}/in_{name}.npy", batched(np.load(path), axis, batch))
    return True
