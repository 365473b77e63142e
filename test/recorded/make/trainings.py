"""Trainings by the real Paddle: trainings.py OUT

For each network: its forward program, the options of minimize_pass that stand for the optimizer, what the start program set
(init), five steps of inputs, the losses, and what is left (final).
"""
import pathlib
import re
import sys

import numpy as np
import paddle

STEPS = 5
nn, functional, optimizer = paddle.nn, paddle.nn.functional, paddle.optimizer


def normal(r, *shape):
    return r.standard_normal(shape).astype("float32")


def lenet():
    x, y = paddle.static.data("x", [-1, 1, 16, 16], "float32"), paddle.static.data("y", [-1, 1], "int64")
    h = functional.max_pool2d(functional.relu(nn.Conv2D(1, 4, 5, padding=2)(x)), 2, 2)
    h = functional.max_pool2d(functional.relu(nn.BatchNorm2D(6)(nn.Conv2D(4, 6, 3)(h))), 2, 2)
    h = nn.Linear(54, 10)(functional.relu(nn.Linear(54, 54)(paddle.flatten(h, 1))))
    return functional.cross_entropy(h, y), lambda r: {"x": normal(r, 4, 1, 16, 16), "y": r.integers(0, 10, (4, 1))}


def lstm():
    x, y = paddle.static.data("x", [-1, 7, 5], "float32"), paddle.static.data("y", [-1, 3], "float32")
    out, _ = nn.LSTM(5, 6, num_layers=2)(x)
    return functional.mse_loss(nn.Linear(6, 3)(out[:, -1]), y), lambda r: {"x": normal(r, 4, 7, 5), "y": normal(r, 4, 3)}


def transformer():
    x, y = paddle.static.data("x", [-1, 6], "int64"), paddle.static.data("y", [-1, 6, 1], "int64")
    h = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu")(nn.Embedding(20, 8)(x))
    return functional.cross_entropy(nn.Linear(8, 20)(h), y), lambda r: {"x": r.integers(0, 20, (3, 6)), "y": r.integers(0, 20, (3, 6, 1))}


def gru_cells():
    x, y = paddle.static.data("x", [4, 5, 3], "float32"), paddle.static.data("y", [4, 6], "float32")
    cell, h = nn.GRUCell(3, 6), paddle.zeros([4, 6])
    for t in range(5):
        _, h = cell(x[:, t], h)
    return functional.smooth_l1_loss(h, y), lambda r: {"x": normal(r, 4, 5, 3), "y": normal(r, 4, 6)}


TRAININGS = {
    lenet: (lambda: optimizer.Momentum(0.05, momentum=0.9), "algo=momentum"),
    lstm: (lambda: optimizer.Adam(0.01), "algo=adam"),
    transformer: (lambda: optimizer.AdamW(0.01, weight_decay=0.05, grad_clip=nn.ClipGradByGlobalNorm(1.0)),
                  "algo=adamw,weight-decay=0.05,clip-norm=1"),
    gru_cells: (lambda: optimizer.RMSProp(0.01, rho=0.9, momentum=0.1), "algo=rmsprop,decay=0.9,momentum=0.1"),
}
# A state of the rnn op that has no elements, and no value in the scope.
EMPTY_STATE = (r'"builtin.parameter" \(\) {[^}]*dropout_state[^}]*} : \(\)',
               '"pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[0],stop_gradient:[true],value:0} : ()')


def loss_in_forward(trained):
    """The number of the value that the first gradient is like, less those of the variables that the optimizer put in front."""
    like = next(line for line in trained.splitlines() if '"pd_op.full_like" (%' in line and ": (tensor<f32>" in line)
    return int(re.search(r"full_like\" \(%(\d+)", like)[1]) - len(re.findall(r'"pd_op.data" .*persistable', trained))


def save_state(scope, folder):
    folder.mkdir(parents=True)
    for name in scope.local_var_names():
        tensor = scope.find_var(name).get_tensor()
        if tensor._is_initialized() and np.array(tensor).size:
            np.save(folder / f"{name}.npy", np.array(tensor))


def record(net, make, options, folder, exe):
    main, start, scope, r = paddle.static.Program(), paddle.static.Program(), paddle.base.core.Scope(), np.random.default_rng(3)
    paddle.seed(5)
    with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, start):
        loss, draw = net()
        forward = str(main)
        make().minimize(loss)
    folder.mkdir(parents=True)
    (folder / "forward.pir").write_text(re.sub(*EMPTY_STATE, forward))
    (folder / "minimize").write_text(f"loss=%{loss_in_forward(str(main))},{options}\n")
    with paddle.static.scope_guard(scope):
        exe.run(start)
        save_state(scope, folder / "init")
        losses = []
        for step in range(STEPS):
            inputs = draw(r)
            (folder / f"step{step}").mkdir()
            for name, value in inputs.items():
                np.save(folder / f"step{step}" / f"{name}.npy", value)
            losses.append(exe.run(main, feed=inputs, fetch_list=[loss])[0])
        np.save(folder / "losses.npy", np.array(losses, "float32").reshape(STEPS))
        save_state(scope, folder / "final")


if __name__ == "__main__":
    paddle.enable_static()
    for network, (maker, text) in TRAININGS.items():
        record(network, maker, text, pathlib.Path(sys.argv[1]) / "train" / network.__name__, paddle.static.Executor(paddle.CPUPlace()))
