#!/usr/bin/env python3
"""Requests a second of a Triton server, with and without dynamic batching, beside its Python backend with ONNX Runtime.

  triton.py [--clients 8] [--seconds 10] [--rounds 3] [--lengths 8,128] [--peer] BUILD VENV MODEL

MODEL is a folder of bench/models.py whose inputs are rows of tokens (bert_base): model.json, model.pdiparams, case0, and model.onnx for
--peer. VENV is the environment that test/runtime/triton/serve.sh makes, with onnxruntime for --peer. Each client sends one row, waits for
the answer, and sends the next. The variants take turns in one server, and the median of the rounds is shown:

  alone      max_batch_size: 0, every request runs by itself
  batched    max_batch_size: 8
  ..peer     the same with ONNX Runtime in the Python backend
"""
import argparse
import pathlib
import shutil
import statistics
import sys
import tempfile
import threading
import time

import numpy as np
import tritonclient.http
from tritonclient.utils import np_to_triton_dtype

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/runtime/triton"))
from server import Server, add_model  # noqa: E402

PEER = '''
import os
import sys
sys.path[:0] = PACKAGES
import numpy as np
import onnxruntime
import triton_python_backend_utils as backend


class TritonPythonModel:
    def initialize(self, args):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self.session = onnxruntime.InferenceSession(os.path.join(args["model_repository"], args["model_version"], "model.onnx"), options)
        self.inputs = [i.name for i in self.session.get_inputs()]
        self.outputs = [o.name for o in self.session.get_outputs()]

    def execute(self, requests):
        given = [[backend.get_input_tensor_by_name(r, n).as_numpy() for n in self.inputs] for r in requests]
        rows = np.cumsum([g[0].shape[0] for g in given])[:-1]
        joined = {n: np.concatenate([g[i] for g in given]) for i, n in enumerate(self.inputs)}
        made = [np.split(o, rows) for o in self.session.run(self.outputs, joined)]
        return [backend.InferenceResponse([backend.Tensor(n, m[k]) for n, m in zip(self.outputs, made)]) for k in range(len(requests))]
'''
BATCHED = "max_batch_size: 8\ndynamic_batching { }\n"


def peer_config(server, program, batched):
    """The configuration of the peer: the ports of our completed one, under the names that ONNX has."""
    import onnx
    graph = onnx.load(program, load_external_data=False).graph
    config = 'backend: "python"\n' + (BATCHED if batched else "")
    for side, values in (("input", graph.input), ("output", graph.output)):
        own = server.config("batched" if batched else "alone")[side]
        for port, value in zip(own, values):
            config += f'{side} {{ name: "{value.name}" data_type: {port["data_type"]} dims: {[int(d) for d in port["dims"]]} }}\n'
    return config


def load(server, model, inputs, clients, seconds):
    """Requests a second, and the median and the 99th percentile of their times in ms."""
    times, stop, begin = [], [0.0], threading.Barrier(clients + 1)

    def client():
        own = []
        with tritonclient.http.InferenceServerClient(server.http) as connection:
            tensors = []
            for name, array in inputs.items():
                tensors.append(tritonclient.http.InferInput(name, array.shape, np_to_triton_dtype(array.dtype)))
                tensors[-1].set_data_from_numpy(array)
            connection.infer(model, tensors)
            begin.wait()
            while time.monotonic() < stop[0]:
                start = time.monotonic()
                connection.infer(model, tensors)
                own.append(time.monotonic() - start)
        times.extend(own)
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for t in threads:
        t.start()
    stop[0] = time.monotonic() + 3600
    begin.wait()
    start = time.monotonic()
    stop[0] = start + seconds
    for t in threads:
        t.join()
    took = time.monotonic() - start
    times.sort()
    return len(times) / took, times[len(times) // 2] * 1e3, times[len(times) * 99 // 100] * 1e3


def run_times(server, model):
    """Runs so far, and the ms that they took."""
    stats = server.stats(model)
    return stats["execution_count"], sum(b["compute_infer"]["ns"] for b in stats["batch_stats"]) / 1e6


def cut(array, length):
    row = array[:1, :length] if array.shape[1] >= length else np.tile(array[:1], (1, -(-length // array.shape[1])))[:, :length]
    return np.ascontiguousarray(row)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--clients", type=int, default=8)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--lengths", default="8,128")
    options.add_argument("--peer", action="store_true")
    for name in ("build", "venv", "model"):
        options.add_argument(name, type=lambda p: pathlib.Path(p).resolve())
    args = options.parse_args()
    case = {p.name[3:-4]: np.load(p) for p in sorted((args.model / "case0").glob("in_*.npy"))}
    threads = f'parameters {{ key: "threads" value {{ string_value: "{args.threads}" }} }}\n'
    with tempfile.TemporaryDirectory() as work:
        repository = pathlib.Path(work) / "models"
        files = [args.model / "model.json", args.model / "model.pdiparams"]
        variants = ["alone", "batched"]
        for name in variants:
            add_model(repository, name, files, 'backend: "pir"\n' + threads + (BATCHED if name == "batched" else ""))
        extra = []
        if args.peer:
            (home,) = args.venv.glob("lib/python3*/site-packages/pytriton/tritonserver")
            stub = home / f"python_backend_stubs/3.{sys.version_info.minor}/triton_python_backend_stub"
            backends = pathlib.Path(work) / "backends"
            shutil.copytree(home / "backends/python", backends / "python")
            stub.chmod(0o755)
            (backends / "python/triton_python_backend_stub").symlink_to(stub)  # which finds libraries beside where it lies
            (backends / "pir").symlink_to(args.build / "lib/triton/pir")
            extra = [f"--backend-directory={backends}"]
            with Server(args.build, args.venv, repository) as server:
                configs = {n + "_peer": peer_config(server, args.model / "model.onnx", n == "batched") for n in variants}
            (pathlib.Path(work) / "model.py").write_text(PEER.replace("THREADS", str(args.threads)).replace("PACKAGES", repr([p for p in sys.path if "site-packages" in p])))
            for name, config in configs.items():
                add_model(repository, name, [pathlib.Path(work) / "model.py", args.model / "model.onnx"], config)
            variants += list(configs)
        with Server(args.build, args.venv, repository, *extra) as server:
            bad = {m: s for (m, _), s in server.states().items() if s[0] != "READY"}
            if bad:
                raise SystemExit(f"not loaded: {bad}\n{server.log.read_text()[-3000:]}")
            for length in map(int, args.lengths.split(",")):
                inputs = {n: cut(a, length) for n, a in case.items()}
                got, before = {v: [] for v in variants}, {v: run_times(server, v) for v in variants}
                for _ in range(args.rounds):
                    for v in variants:
                        got[v].append(load(server, v, inputs, args.clients, args.seconds))
                first = statistics.median(g[0] for g in got["alone"])
                for v in variants:
                    rate, middle, late = (statistics.median(g[i] for g in got[v]) for i in range(3))
                    runs, run_ms = (a - b for a, b in zip(run_times(server, v), before[v]))
                    print(f"{length:4} tokens  {v:13} {rate:8.1f} requests/s  {rate / first:5.2f}  median {middle:7.1f} ms  99 % {late:7.1f} ms  "
                          f"{run_ms / runs:7.1f} ms a run", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
