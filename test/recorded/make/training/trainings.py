"""Trainings by the real Paddle: trainings.py OUT

For each network: its forward program, the options of minimize_pass that stand for the optimizer, of schedule_pass that stand for the
scheduler of its rate, if it has one, what the start program set
(init), five steps of inputs, the losses, and what is left (final).
"""
import pathlib
import re
import sys

import numpy as np
import paddle
from paddle.amp.auto_cast import amp_global_state

STEPS = 5
nn, functional, optimizer, lr = paddle.nn, paddle.nn.functional, paddle.optimizer, paddle.optimizer.lr


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


def scheduled():
    x, y = paddle.static.data("x", [-1, 1, 8, 8], "float32"), paddle.static.data("y", [-1, 1], "int64")
    h = functional.dropout(functional.gelu(nn.GroupNorm(2, 4)(nn.Conv2D(1, 4, 3, stride=2)(x))), 0.0)
    return functional.cross_entropy(nn.Linear(36, 5)(paddle.flatten(h, 1)), y), lambda r: {
        "x": normal(r, 6, 1, 8, 8), "y": r.integers(0, 5, (6, 1))}


def scaled_adam():
    x, y = paddle.static.data("x", [-1, 3], "float32"), paddle.static.data("y", [-1, 2], "float32")
    h = nn.Linear(8, 2)(paddle.tanh(nn.Linear(3, 8)(x)))
    return functional.mse_loss(h, y), lambda r: {"x": normal(r, 4, 3), "y": 20 * normal(r, 4, 2)}


def scaled_momentum():
    return scaled_adam()


class Scaled:
    """An optimizer behind paddle.amp.GradScaler, as minimize_pass with loss-scale. The first scale is so large that gradients overflow."""

    def __init__(self, of):
        self.of = of

    def minimize(self, loss):
        amp_global_state().amp_dtype = "float16"  # as within auto_cast, which has no half precision on a CPU
        mixed = paddle.static.amp.decorate(self.of, level="O1")
        scaler = paddle.amp.GradScaler(init_loss_scaling=2.0**126, incr_every_n_steps=2, decr_every_n_nan_or_inf=1)
        scaler.minimize(mixed, scaler.scale(loss))


TRAININGS = {
    lenet: (lambda: optimizer.Momentum(0.05, momentum=0.9), "algo=momentum"),
    lstm: (lambda: optimizer.Adam(0.01), "algo=adam"),
    transformer: (lambda: optimizer.AdamW(0.01, weight_decay=0.05, grad_clip=nn.ClipGradByGlobalNorm(1.0)),
                  "algo=adamw,weight-decay=0.05,clip-norm=1"),
    gru_cells: (lambda: optimizer.RMSProp(0.01, rho=0.9, momentum=0.1), "algo=rmsprop,decay=0.9,momentum=0.1"),
    scheduled: (lambda: optimizer.AdamW(lr.LinearWarmup(lr.CosineAnnealingDecay(0.1, 4), 2, 0.0, 0.1)), "algo=adamw"),
    scaled_adam: (lambda: Scaled(optimizer.Adam(0.1, grad_clip=nn.ClipGradByGlobalNorm(5.0))),
                  "algo=adam,clip-norm=5,loss-scale=8.50706e+37,scale-growth-steps=2"),
    scaled_momentum: (lambda: Scaled(optimizer.Momentum(0.01, momentum=0.9)),
                      "algo=momentum,loss-scale=8.50706e+37,scale-growth-steps=2"),
}
# Options of schedule_pass that stand for the scheduler of an optimizer.
SCHEDULES = {scheduled: "decay=cosine,rate=0.1,steps=4,warmup=2"}
# A state of the rnn op that has no elements, and no value in the scope.
EMPTY_STATE = (r'"builtin.parameter" \(\) {[^}]*dropout_state[^}]*} : \(\)',
               '"pd_op.full" () {dtype:uint8,place:Place(cpu),shape:[0],stop_gradient:[true],value:0} : ()')


def loss_in_forward(trained):
    """The number of the value that the first gradient is like, less those of the variables that the optimizer put in front."""
    like = next(line for line in trained.splitlines() if '"pd_op.full_like" (%' in line and re.search(r": \(tensor<(1x)?f32>", line))
    number = re.search(r"full_like\" \(%(\d+)", like)[1]
    scaled = re.search(rf"\(%{number}\) = \"pd_op.multiply\" \(%(\d+), ", trained)
    return int(scaled[1] if scaled and "loss_scaling" in trained else number) - len(re.findall(r'"pd_op.data" .*persistable', trained))


def save_state(scope, folder):
    folder.mkdir(parents=True)
    for name in scope.local_var_names():
        tensor = scope.find_var(name).get_tensor()
        if tensor._is_initialized() and np.array(tensor).size:
            # The scaler makes the rate a row of one number.
            np.save(folder / f"{name}.npy", np.array(tensor).reshape(()) if name == "learning_rate_0" else np.array(tensor))


def record(net, make, options, folder, exe):
    main, start, scope, r = paddle.static.Program(), paddle.static.Program(), paddle.base.core.Scope(), np.random.default_rng(3)
    paddle.seed(5)
    with paddle.utils.unique_name.guard(), paddle.static.program_guard(main, start):
        loss, draw = net()
        forward = str(main)
        taking = make()
        taking.minimize(loss)
    folder.mkdir(parents=True)
    (folder / "forward.pir").write_text(re.sub(*EMPTY_STATE, forward))
    (folder / "minimize").write_text(f"loss=%{loss_in_forward(str(main))},{options}\n")
    scheduler = getattr(taking, "_learning_rate", None)
    if net in SCHEDULES:
        (folder / "schedule").write_text(SCHEDULES[net] + "\n")
    with paddle.static.scope_guard(scope):
        exe.run(start)
        save_state(scope, folder / "init")
        if net in SCHEDULES:
            np.save(folder / "init/learning_rate_0_step.npy", np.array(0))
        losses = []
        for step in range(STEPS):
            inputs = draw(r)
            (folder / f"step{step}").mkdir()
            for name, value in inputs.items():
                np.save(folder / f"step{step}" / f"{name}.npy", value)
            losses.append(exe.run(main, feed=inputs, fetch_list=[loss])[0])
            if net in SCHEDULES:
                scheduler.step()
        np.save(folder / "losses.npy", np.array(losses, "float32").reshape(STEPS))
        save_state(scope, folder / "final")
        if net in SCHEDULES:
            np.save(folder / "final/learning_rate_0_step.npy", np.array(STEPS))


if __name__ == "__main__":
    paddle.enable_static()
    for network, (maker, text) in TRAININGS.items():
        record(network, maker, text, pathlib.Path(sys.argv[1]) / "train" / network.__name__, paddle.static.Executor(paddle.CPUPlace()))
