"""Trains a network of run.py with Paddle: paddle_steps.py NET FOLDER THREADS SECONDS. Writes its forward program, batch and optimizer to
FOLDER/NET, then takes steps for SECONDS with Paddle's executor, and prints the fastest and the peak of resident memory."""
import json
import pathlib
import resource
import sys
import time

import numpy as np
import paddle

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test/recorded/make/training"))
import trainings
from sizes import BLOCKS

nn, functional = paddle.nn, paddle.nn.functional


class Block(nn.Layer):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2D(inputs, outputs, 3, stride, 1, bias_attr=False), nn.BatchNorm2D(outputs), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2D(outputs, outputs, 3, 1, 1, bias_attr=False), nn.BatchNorm2D(outputs))
        same = stride == 1 and inputs == outputs
        self.beside = None if same else nn.Sequential(nn.Conv2D(inputs, outputs, 1, stride, bias_attr=False), nn.BatchNorm2D(outputs))

    def forward(self, x):
        return functional.relu(self.second(self.first(x)) + (x if self.beside is None else self.beside(x)))


def resnet18():
    x, y = paddle.static.data("x", [8, 3, 224, 224], "float32"), paddle.static.data("y", [8, 1], "int64")
    h = functional.relu(nn.BatchNorm2D(64)(nn.Conv2D(3, 64, 7, 2, 3, bias_attr=False)(x)))
    h = nn.Sequential(*[Block(*b) for b in BLOCKS])(functional.max_pool2d(h, 3, 2, 1))
    h = nn.Linear(512, 1000)(paddle.flatten(functional.adaptive_avg_pool2d(h, 1), 1))
    return functional.cross_entropy(h, y), lambda r: {"x": trainings.normal(r, 8, 3, 224, 224), "y": r.integers(0, 1000, (8, 1))}


def bert():
    x, y = paddle.static.data("x", [4, 128], "int64"), paddle.static.data("y", [4, 1], "int64")
    h = nn.LayerNorm(768)(nn.Embedding(30522, 768)(x) + nn.Embedding(512, 768)(paddle.arange(128).unsqueeze(0)))
    for _ in range(12):
        h = nn.TransformerEncoderLayer(768, 12, 3072, dropout=0.0, activation="gelu")(h)
    h = nn.Linear(768, 2)(paddle.tanh(nn.Linear(768, 768)(h[:, 0])))
    return functional.cross_entropy(h, y), lambda r: {"x": r.integers(0, 30522, (4, 128)), "y": r.integers(0, 2, (4, 1))}


def lstm():
    x, y = paddle.static.data("x", [16, 100, 128], "float32"), paddle.static.data("y", [16, 1], "int64")
    out, _ = nn.LSTM(128, 256, num_layers=2)(x)
    h = nn.Linear(256, 10)(out[:, -1])
    return functional.cross_entropy(h, y), lambda r: {"x": trainings.normal(r, 16, 100, 128), "y": r.integers(0, 10, (16, 1))}


def write(folder, forward, trained, batch):
    """A parameter that is not trained (the LSTM's flat copy of its weights) becomes zeros."""
    text = trainings.re.sub(*trainings.EMPTY_STATE, forward)
    text = trainings.re.sub(r'"builtin.parameter" \(\) {[^}]*parameter_name:"lstm_\d+.w_0"[^}]*} : \(\) -> tensor<(\d+)xf32>',
                            r'"pd_op.full" () {dtype:float32,place:Place(cpu),shape:[\1],stop_gradient:[true],value:0.0} : () -> tensor<\1xf32>', text)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "forward.pir").write_text(text)
    (folder / "minimize").write_text(f"loss=%{trainings.loss_in_forward(trained)},algo=momentum\n")
    for name, value in batch.items():
        np.save(folder / f"{name}.npy", value)


def main():
    net, folder, seconds = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[4])
    paddle.enable_static()
    start, trained = paddle.static.Program(), paddle.static.Program()
    with paddle.utils.unique_name.guard(), paddle.static.program_guard(trained, start):
        loss, draw = {"resnet18": resnet18, "bert": bert, "lstm": lstm}[net]()
        forward = str(trained)
        paddle.optimizer.Momentum(0.01, momentum=0.9).minimize(loss)
    batch = draw(np.random.default_rng(3))
    if not (folder / net / "minimize").exists():
        write(folder / net, forward, str(trained), batch)
    executor, times, end = paddle.static.Executor(paddle.CPUPlace()), [], time.monotonic() + seconds
    executor.run(start)
    while seconds and (len(times) < 3 or time.monotonic() < end):
        before = time.perf_counter()
        executor.run(trained, feed=batch, fetch_list=[loss])
        times.append(time.perf_counter() - before)
    print(json.dumps({"seconds": min(times, default=0), "peak_kb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


if __name__ == "__main__":
    main()
