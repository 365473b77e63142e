#!/usr/bin/env python3
"""Draws networks with the real Paddle.

  draw.py KIND SEED N OUT

Makes OUT/KINDSEED, .. for N seeds: the program, its parameters, and cases with what Paddle computed (layout as in compare.py). A network is a
function of its kind and seed. Needs paddlepaddle 3.3.1; `draw.py --list` names the kinds. The program is JSON, or a .pdmodel
if legacy_builders.py runs this script. Of two seeds one is built in static mode, and one is a layer that paddle.jit.save traced.
"""
import json
import os
import pathlib
import random
import sys

os.environ.setdefault("GLOG_minloglevel", "2")
import numpy as np  # noqa: E402
import paddle  # noqa: E402
from paddle import nn  # noqa: E402

import paddle_run  # noqa: E402
from drawing import Net, own  # noqa: E402
from kinds import KINDS  # noqa: E402

LEGACY = os.environ.get("FLAGS_enable_pir_api") == "0"


class Traced(nn.Layer):
    """A drawn network as a layer; parameters are made by the first run, which is eager. `without`: steps that are left out."""

    def __init__(self, kind, seed, without):
        super().__init__()
        self.kind, self.seed, self.without, self.log = kind, seed, without, []

    @paddle.jit.not_to_static
    def drawn(self, *inputs):
        net = Net(self.seed, self.without, self)
        outputs = self.kind.draw(net, *inputs) + [own(x) for x in inputs]
        self.log = net.log
        return outputs

    def forward(self, a, b=None, c=None, d=None, e=None, f=None):
        return self.drawn(*[x for x in (a, b, c, d, e, f) if x is not None])


def trace(kind, seed, feeds, path, without):
    paddle.disable_static()
    layer = Traced(kind, seed, without)
    with paddle.no_grad():
        layer(*[paddle.to_tensor(a) for a in feeds[0].values()])
    layer.eval()
    specs = [paddle.static.InputSpec([d if isinstance(d, int) else -1 for d in dims], dtype, name) for name, dims, dtype in kind.inputs]
    paddle.jit.save(paddle.jit.to_static(layer, input_spec=specs, full_graph=True), path)
    return layer.log


def build(kind, seed, feeds, path, without):
    paddle.enable_static()
    main, start = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, start), paddle.base.unique_name.guard():
        net = Net(seed, without)
        inputs = [net.feed(*declared) for declared in kind.inputs]
        outputs = kind.draw(net, *inputs)
    executor = paddle.static.Executor(paddle.CPUPlace())
    if net.whole:
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor.run(start)
            paddle.static.save_inference_model(path, inputs, outputs, executor, program=main, skip_prune_program=True)
    return net.log


def save(kind, seed, feeds, path, without):
    """Saves the network without the steps that Paddle refuses; each of them makes it begin again."""
    known = -1
    while len(without) > known:
        known = len(without)
        log = (trace if seed % 2 else build)(kind, seed, feeds, path, without)
    return log


def run(kind, seed, feeds, path):
    """The steps of the network, and its outputs. A step that Paddle builds but does not run is left out."""
    program, params = pathlib.Path(path + (".pdmodel" if LEGACY else ".json")), pathlib.Path(path + ".pdiparams")
    refused, failure, step, steps = set(), None, None, 0
    while step is None or step < steps:
        try:
            log = save(kind, seed, feeds, path, refused if step is None else refused | {step})
            steps = len(log)
            if not params.exists():
                params.touch()
            return log, paddle_run.run(program, params, feeds)
        except (RuntimeError, ValueError) as e:
            failure = failure or e
        step = 0 if step is None else step + 1
    raise failure


def save_cases(folder, feeds, results):
    for k, (feed, outputs) in enumerate(zip(feeds, results)):
        case = folder / f"case{k}"
        case.mkdir(exist_ok=True)
        for name, array in feed.items():
            np.save(case / f"in_{name}.npy", array)
        for i, array in enumerate(outputs):
            np.save(case / f"out_{i}.npy", array)


def draw(name, seed, out):
    kind, folder = KINDS[name], pathlib.Path(out) / f"{name}{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    paddle.seed(seed)
    np.random.seed(seed % (1 << 32))
    feeds = list(kind.feeds(random.Random(~seed)))
    log, results = run(kind, seed, feeds, str(folder / "model"))
    save_cases(folder, feeds, results)
    (folder / "meta.json").write_text(json.dumps({"name": folder.name, "traced": seed % 2 == 1, "log": log, "cases": len(feeds)}) + "\n")
    return log


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(KINDS))
        return
    name, first, count, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for seed in range(first, first + count):
        try:
            print(seed, "ok", " ".join(draw(name, seed, out)), flush=True)
        except Exception as e:  # Paddle refuses the network: nothing to compare with
            words = [line.strip() for line in str(e).splitlines() if line.strip()]
            print(seed, "REFUSED", type(e).__name__, words[-1][:300] if words else "", flush=True)


if __name__ == "__main__":
    main()
