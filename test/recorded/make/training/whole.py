"""Whole training programs by the real Paddle, as it saves them: whole.py OUT

With FLAGS_enable_pir_api=0 and run by test/nets/legacy_builders.py they are .pdmodel files, else JSON. Beside the program: what the
start program set (init, and of a .pdmodel as parameters), three steps of inputs, the losses, and what is left (final).
"""
import os
import pathlib
import struct
import sys

import numpy as np
import paddle
from paddle.base.proto import framework_pb2

STEPS = 3
LEGACY = os.environ.get("FLAGS_enable_pir_api") == "0"
nn, functional, optimizer, static = paddle.nn, paddle.nn.functional, paddle.optimizer, paddle.static
incubated = paddle.incubate.optimizer


def normal(r, *shape):
    return r.standard_normal(shape).astype("float32")


def classes():
    x, y = static.data("x", [-1, 6], "float32"), static.data("y", [-1, 1], "int64")
    p = functional.softmax(nn.Linear(8, 2)(functional.relu(nn.Linear(6, 8)(x))))
    loss = paddle.mean(functional.cross_entropy(p, y, use_softmax=False))
    return loss, p, y, lambda r: {"x": normal(r, 5, 6), "y": r.integers(0, 2, (5, 1))}


def nadam():
    loss, _, _, draw = classes()
    optimizer.NAdam(0.05, momentum_decay=0.01).minimize(loss)
    return loss, draw


def rmsprop():
    loss, _, _, draw = classes()
    optimizer.RMSProp(0.05).minimize(loss)
    return loss, draw


def area():
    """A metric whose counts last from step to step."""
    loss, p, y, draw = classes()
    area_under = static.auc(p, y, num_thresholds=20, slide_steps=2)[0]
    optimizer.SGD(0.1).minimize(loss)
    return paddle.subtract(loss, paddle.cast(area_under, "float32")), draw


def merged():
    """Every second step takes the sum of two gradients."""
    loss, _, _, draw = classes()
    clip = nn.ClipGradByGlobalNorm(0.1)
    incubated.GradientMergeOptimizer(optimizer.Adam(0.1, grad_clip=clip), k_steps=2, avg=False).minimize(loss)
    return loss, draw


def branch():
    x, y = static.data("x", [-1, 3], "float32"), static.data("y", [-1, 3], "float32")
    one, other = nn.Linear(3, 3), nn.Linear(3, 3)
    h = static.nn.cond(paddle.mean(x) > 0, lambda: paddle.tanh(one(x)), lambda: functional.relu(other(x)))
    loss = functional.mse_loss(h, y)
    optimizer.SGD(0.1).minimize(loss)
    return loss, lambda r: {"x": normal(r, 4, 3) + r.choice([-0.5, 0.5]).astype("float32"), "y": normal(r, 4, 3)}


def image():
    x, y = static.data("x", [-1, 1, 4, 4], "float32"), static.data("y", [-1, 1], "int64")
    h = functional.relu(nn.BatchNorm2D(2)(nn.Conv2D(1, 2, 3, padding=1, bias_attr=False)(x)))
    h = nn.Linear(8, 3)(paddle.flatten(functional.avg_pool2d(h, 2), 1))
    loss = functional.cross_entropy(h, y)
    optimizer.Momentum(0.05, 0.9, use_nesterov=True).minimize(loss)
    return loss, lambda r: {"x": normal(r, 3, 1, 4, 4), "y": r.integers(0, 3, (3, 1))}


def penalty():
    """The loss has a gradient in it."""
    x, y = static.data("x", [4, 3], "float32"), static.data("y", [4, 1], "float32")
    x.stop_gradient = False
    h = nn.Linear(3, 5)(x)
    out = nn.Linear(5, 1)(paddle.tanh(paddle.reshape(h, [2, 2, 5])))
    out = paddle.reshape(out, [4, 1])
    slope = static.gradients([out], [x])[0]
    penalty_of = paddle.divide(paddle.multiply(slope, slope), paddle.add(paddle.square(slope), paddle.full([1], 1.0)))
    loss = functional.mse_loss(out, y) + paddle.mean(paddle.subtract(penalty_of, slope))
    optimizer.Adam(0.05).minimize(loss)
    return loss, lambda r: {"x": normal(r, 4, 3), "y": normal(r, 4, 1)}


CASES = (area, merged, branch, image, penalty, nadam) if LEGACY else (rmsprop, nadam)


def write_program(main, loss, folder):
    """The loss becomes an output. Of a .pdmodel the places in Python are left out."""
    if not LEGACY:
        with static.program_guard(main):
            paddle.base.libpaddle.pir.ops.fetch(loss, "loss", 0)
        paddle.base.core.serialize_pir_program(main, str(folder / "model.json"))
        return
    made = static.Program.parse_from_string(main.desc.serialize_to_string())
    block = made.global_block()
    holder = block.create_var(name="fetch", type=paddle.base.core.VarDesc.VarType.FETCH_LIST, persistable=True)
    block.append_op(type="fetch", inputs={"X": [block.var(loss.name)]}, outputs={"Out": [holder]}, attrs={"col": 0})
    desc = framework_pb2.ProgramDesc()
    desc.ParseFromString(made.desc.serialize_to_string())
    for op in (op for b in desc.blocks for op in b.ops):
        kept = [a for a in op.attrs if a.name != "op_callstack"]
        del op.attrs[:]
        op.attrs.extend(kept)
    (folder / "model.pdmodel").write_bytes(desc.SerializeToString())


def save_state(scope, folder, feeds):
    folder.mkdir(parents=True)
    for name in scope.local_var_names():
        if name in feeds or "fetch" in name or name == "feed":
            continue
        tensor = scope.find_var(name).get_tensor()
        if tensor._is_initialized():
            np.save(folder / f"{name}.npy", np.array(tensor))


def write_params(main, scope, path):
    """Every variable that lasts, as Paddle saves it in one file."""
    with path.open("wb") as out:
        for var in sorted((v for v in main.list_vars() if v.persistable), key=lambda v: v.name.encode()):
            array = np.array(scope.find_var(var.name).get_tensor())
            desc = framework_pb2.VarType.TensorDesc(data_type=int(var.dtype), dims=array.shape).SerializeToString()
            out.write(struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + array.tobytes())


def record(make, folder):
    main, start, scope, r = static.Program(), static.Program(), paddle.base.core.Scope(), np.random.default_rng(3)
    paddle.seed(5)
    with paddle.utils.unique_name.guard(), static.program_guard(main, start):
        loss, draw = make()
    folder.mkdir(parents=True)
    executor = static.Executor(paddle.CPUPlace())
    with static.scope_guard(scope):
        executor.run(start)
        save_state(scope, folder / "init", ())
        if LEGACY:
            write_params(main, scope, folder / "model.pdiparams")
        losses = []
        for step in range(STEPS):
            feeds = draw(r)
            (folder / f"step{step}").mkdir()
            for name, value in feeds.items():
                np.save(folder / f"step{step}" / f"{name}.npy", value)
            losses.append(executor.run(main, feed=feeds, fetch_list=[loss])[0])
        np.save(folder / "losses.npy", np.array(losses, "float32").reshape(STEPS))
        save_state(scope, folder / "final", feeds)
    write_program(main, loss, folder)


if __name__ == "__main__":
    paddle.enable_static()
    for network in CASES:
        record(network, pathlib.Path(sys.argv[1]) / "trained" / (network.__name__ + ("_legacy" if LEGACY else "")))
