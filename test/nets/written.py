#!/usr/bin/env python3
"""Draws networks of written families with the real Paddle: models as users write them, exported as users export them.

  written.py FAMILY SEED N OUT

Arguments and files as those of draw.py; `written.py --list` names the families, `nets.py --draw written.py` compares them. A family is a
function of a generator that returns a layer and its inputs; the seed draws its sizes, which extents the run alone knows, and the numbers.
paddle.jit.save traces the layer's own Python code, so branches and loops over tensors become the program's.
"""

import json
import os
import pathlib
import random
import sys

os.environ.setdefault("GLOG_minloglevel", "2")
import numpy as np  # noqa: E402
import paddle  # noqa: E402

import draw  # noqa: E402
import paddle_run  # noqa: E402
from families import FAMILIES, Inputs  # noqa: E402


def perturb(layer, rng):
    """Moves parameters that begin with equal numbers, as biases and statistics of norms do."""
    for name, tensor in layer.state_dict().items():
        a = tensor.numpy()
        if a.dtype.kind == "f" and a.size > 1 and (a == a.flat[0]).all():
            moved = a + rng.uniform(-0.3, 0.3, a.shape)
            tensor.set_value((np.abs(moved) if "_variance" in name else moved).astype(a.dtype))


def fixed(declared, rnd):
    """Which names of extents stay unknown: all, those of the first axis, or none."""
    names = [d for _, dims, _ in declared for d in dims if isinstance(d, str)]
    first = {dims[0] for _, dims, _ in declared if dims and isinstance(dims[0], str)}
    return rnd.choice([set(names), set(names), first, set()])


def save(layer, inputs, free, path):
    real = inputs.extents[0]
    specs = [
        paddle.static.InputSpec([-1 if d in free else real.get(d, d) for d in dims], dtype, name) for name, dims, dtype in inputs.declared
    ]
    layer.eval()
    paddle.jit.save(paddle.jit.to_static(layer, input_spec=specs, full_graph=True), path)


def draw_one(name, seed, out):
    folder = pathlib.Path(out) / f"{name}{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    paddle.disable_static()
    paddle.seed(seed)
    np.random.seed(seed % (1 << 32))
    rnd = random.Random(f"{name} {seed}")
    layer, inputs = FAMILIES[name](rnd, Inputs(rnd))
    perturb(layer, np.random.RandomState(seed % (1 << 32)))
    free = fixed(inputs.declared, rnd)
    save(layer, inputs, free, str(folder / "model"))
    params = folder / "model.pdiparams"
    if not params.exists():
        params.touch()
    same = [e for e in inputs.extents if all(e[d] == inputs.extents[0][d] for d in e if d not in free)]
    feeds = [inputs.feed(e) for e in same]
    results = paddle_run.run(folder / ("model.pdmodel" if draw.LEGACY else "model.json"), params, feeds)
    draw.save_cases(folder, feeds, results)
    (folder / "meta.json").write_text(json.dumps({"name": folder.name, "free": sorted(free), "cases": len(feeds)}) + "\n")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(FAMILIES))
        return
    name, first, count, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for seed in range(first, first + count):
        try:
            draw_one(name, seed, out)
            print(seed, "ok", flush=True)
        except Exception as e:  # Paddle refuses the network: nothing to compare with
            words = [line.strip() for line in str(e).splitlines() if line.strip()]
            print(seed, "REFUSED", type(e).__name__, words[-1][:300] if words else "", flush=True)


if __name__ == "__main__":
    main()
