"""The backend in a real Triton server, with real clients: curl, and tritonclient over HTTP and gRPC.

  serve.py [--sample] BUILD VENV RECORDED

Ends with `N passed, N failed, N skipped`. serve.sh makes the environment VENV."""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException, np_to_triton_dtype

from server import Server, add_model

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parents[1] / "models/digits_cnn"
DIGITS_FILES = [DIGITS / "model.json", DIGITS / "model.pdiparams"]
counts = {"passed": 0, "failed": 0}


def check(name, good, *shown):
    counts["passed" if good else "failed"] += 1
    if not good:
        print("FAIL", name, " ".join(map(str, shown)).replace("\n", " ")[:400], flush=True)


def infer(server, model, arrays, kind=tritonclient.http, outputs=None, version=""):
    """The outputs by name, or the error's text."""
    address = server.http if kind is tritonclient.http else server.grpc
    with kind.InferenceServerClient(address) as client:
        inputs = []
        for name, array in arrays.items():
            inputs.append(kind.InferInput(name, array.shape, np_to_triton_dtype(array.dtype)))
            inputs[-1].set_data_from_numpy(array)
        wanted = None if outputs is None else [kind.InferRequestedOutput(o) for o in outputs]
        try:
            answer = client.infer(model, inputs, model_version=version, outputs=wanted)
        except InferenceServerException as error:
            return str(error.message())
        listed = answer.get_response()
        names = [o["name"] for o in listed["outputs"]] if isinstance(listed, dict) else [o.name for o in listed.outputs]
        return {n: answer.as_numpy(n) for n in names}


def of(got, name):
    """An output of an answer; None where the answer is an error."""
    return got.get(name) if isinstance(got, dict) else None


def ports(config, side):
    """Of each input or output of a configuration: name, type and extents; none where there is no configuration."""
    return [(p["name"], p["data_type"], p["dims"]) for p in config.get(side, [])]


def close(got, want):
    return isinstance(got, np.ndarray) and got.shape == want.shape and np.allclose(got, want, rtol=1e-5, atol=1e-5)


def curl(server, model, body):
    """Status and answer of a request in JSON."""
    run = subprocess.run(["curl", "-s", "-w", "\n%{http_code}", "-d", "@-", f"http://{server.http}/v2/models/{model}/infer"],
                         input=json.dumps(body).encode(), stdout=subprocess.PIPE)
    text, code = run.stdout.decode().rsplit("\n", 1)
    return int(code), json.loads(text)


def tensor(name, array):
    return {"name": name, "shape": list(array.shape), "datatype": np_to_triton_dtype(array.dtype), "data": array.ravel().tolist()}


def answers(server):
    """A saved model, with nothing said of it but the backend: configuration and answers."""
    image, want = np.load(DIGITS / "case0/in_image.npy"), np.load(DIGITS / "case0/out_0.npy")
    config = server.config("digits")
    check("inputs are completed", ports(config, "input") == [("image", "TYPE_FP32", [-1, 1, 8, 8])], config)
    check("outputs are completed", ports(config, "output") == [("fetch_name_0", "TYPE_FP32", [-1, 10])], config)
    check("no batching of its own", config.get("max_batch_size") == 0 and "dynamic_batching" not in config, config)
    config = server.config("batched")
    check("axis 0 is the batch", ports(config, "input") == [("image", "TYPE_FP32", [1, 8, 8])] and ports(config, "output") == [("fetch_name_0", "TYPE_FP32", [10])] and
          "dynamic_batching" not in config, config)
    status, got = curl(server, "digits", {"inputs": [tensor("image", image[:3])]})
    check("curl", status == 200 and np.allclose(np.reshape(got["outputs"][0]["data"], (3, 10)), want[:3], atol=1e-5), got)
    for kind in (tritonclient.http, tritonclient.grpc):
        for model in ("digits", "batched", "both", "compiled"):
            got = infer(server, model, {"image": image[:16]}, kind)
            check(f"{kind.__name__} {model}", isinstance(got, dict) and len(got) == 1 and close(*got.values(), want[:16]), got)
    x, s = np.arange(3, dtype=np.float32), np.array([2], np.float32)
    got = infer(server, "ranks", {"x": x, "s": s})
    check("a tensor without axes", close(of(got, "scaled"), x * 2) and close(of(got, "total"), np.array([6], np.float32)), got)
    check("one of two outputs", list(infer(server, "ranks", {"x": x, "s": s}, outputs=["total"])) == ["total"])
    got = infer(server, "double", {"x": np.array([[1], [2], [3]], np.float32)})
    check("axis 0 alone", close(of(got, "doubled"), np.array([[2], [4], [6]], np.float32)), got)
    got = infer(server, "digits", {"image": np.zeros((0, 1, 8, 8), np.float32)})
    check("no rows", close(of(got, "fetch_name_0"), np.zeros((0, 10), np.float32)), got)


def refusals(server):
    """Requests that are wrong get a status of 4xx and a text, and the server goes on."""
    image = np.zeros((2, 1, 8, 8), np.float32)
    wrong = [("digits", {"image": image[:, :, :7]}, "unexpected shape for input 'image'"),
             ("digits", {"image": image.astype(np.float64)}, "inference input 'image' data-type is 'FP64'"),
             ("digits", {"picture": image}, "picture"),
             ("batched", {"image": np.zeros((17, 1, 8, 8), np.float32)}, "batch-size must be <= 16"),
             ("pick", {"ids": np.full((1, 2), 7, np.int64)}, "pd_op.embedding: index outside of the table"),
             ("small", {"image": np.zeros((4096, 1, 8, 8), np.float32)}, "more than max_bytes allows")]
    for model, arrays, text in wrong:
        status, got = curl(server, model, {"inputs": [tensor(n, a) for n, a in arrays.items()]})
        check(f"refused: {model} {list(arrays)}", 400 <= status < 500 and text in got.get("error", ""), status, str(got)[:300])
        for kind in (tritonclient.http, tritonclient.grpc):
            got = infer(server, model, arrays, kind)
            check(f"refused by {kind.__name__}: {model}", isinstance(got, str) and text in got, str(got)[:300])
    got = infer(server, "pick", {"ids": np.full((1, 2), 1, np.int64)})
    check("the next request runs", close(of(got, "rows"), np.full((1, 2, 4), 0.5, np.float32)), got)


# Models that cannot be loaded: files of the version, the configuration behind the backend, and a part of the reason.
BAD_MODELS = {
    "empty": ([], "", "bad_empty/1: no program lies in this folder"),
    "several": ([DIGITS / "model.json", DIGITS / "model.pdmodel", DIGITS / "model.pdiparams"], "", "several programs lie in this folder"),
    "no_params": ([DIGITS / "model.json"], "", "parameter"),
    "parameter": (DIGITS_FILES, 'parameters { key: "thread" value { string_value: "1" } }', 'unknown parameter "thread"'),
    "threads": (DIGITS_FILES, 'parameters { key: "threads" value { string_value: "none" } }', 'parameter "threads": expected 1 to 1024, found "none"'),
    "math": (DIGITS_FILES, 'parameters { key: "math" value { string_value: "slow" } }', "slow"),
    "target": (DIGITS_FILES, 'parameters { key: "target" value { string_value: "pdp11" } }', "pdp11"),
    "elsewhere": (DIGITS_FILES, 'default_model_filename: "../1/model.json"', "expected a name without '/'"),
    "input": (DIGITS_FILES, 'input { name: "picture" data_type: TYPE_FP32 dims: [-1, 1, 8, 8] }', 'the model has no input "picture"'),
    "type": (DIGITS_FILES, 'input { name: "image" data_type: TYPE_INT8 dims: [-1, 1, 8, 8] }', 'input "image" is TYPE_FP32, the configuration states TYPE_INT8'),
    "dims": (DIGITS_FILES, 'input { name: "image" data_type: TYPE_FP32 dims: [-1, 1, 8, 9] }', "other dims than the program"),
    "batch": ([HERE / "inputs/ranks.pir"], "max_batch_size: 4", 'unsupported: max_batch_size 4 with input "s", which has no axis 0'),
    "square": ([HERE / "inputs/square.pir"], "max_batch_size: 4", 'output "pairs", whose axis 1 depends on axis 0 of the inputs'),
    "twice": ([HERE / "inputs/twice.pir"], "max_batch_size: 4", 'output "y", whose axis 0 has 2*S0 elements, not those of the inputs'),
    "fixed": ([HERE / "inputs/sized.pir"], "max_batch_size: 4", 'input "x", whose axis 0 has 2 to 2 elements'),
    "found": ([HERE / "inputs/found.pir"], "max_batch_size: 4", 'output "places", whose axis 0 is known only when a run ends'),
    "optional": (DIGITS_FILES, 'input { name: "image" data_type: TYPE_FP32 dims: [-1, 1, 8, 8] optional: true }', 'input "image" with optional: true'),
    "complex": ([HERE / "inputs/sized.pir"], "", 'unsupported: input "x" of complex64'),
    "gpu": (DIGITS_FILES, "instance_group { kind: KIND_GPU count: 1 }", "GPU"),
}


def bad_models(server):
    states = server.states()
    for name, (_, _, reason) in BAD_MODELS.items():
        state = [s for (n, _), s in states.items() if n == "bad_" + name]
        check("not loaded: " + name, state and state[0][0] == "UNAVAILABLE" and reason in state[0][1], state)


def make_repository(repository, build):
    batched = 'backend: "pir"\nmax_batch_size: 16\n'
    subprocess.run([build / "bin/pir-compile", DIGITS / "model.json", "-o", repository.parent / "model.pirm"], check=True)
    add_model(repository, "digits", DIGITS_FILES)
    add_model(repository, "batched", DIGITS_FILES, batched)
    add_model(repository, "both", [*DIGITS_FILES, DIGITS / "model.pdmodel"], 'backend: "pir"\ndefault_model_filename: "model.pdmodel"\n')
    add_model(repository, "compiled", [repository.parent / "model.pirm"], 'backend: "pir"\ndefault_model_filename: "model.pirm"\n')
    add_model(repository, "small", DIGITS_FILES, 'backend: "pir"\nparameters { key: "max_bytes" value { string_value: "100000" } }\n')
    for name in ("ranks", "pick"):
        add_model(repository, name, [HERE / f"inputs/{name}.pir"])
    add_model(repository, "double", [HERE / "inputs/double.pir"], batched)
    damaged = repository.parent / "model.json"
    damaged.write_text(DIGITS_FILES[0].read_text()[:2000])
    BAD_MODELS["damaged"] = ([damaged, DIGITS_FILES[1]], "", "model.json:1:")
    for name, (files, config, _) in BAD_MODELS.items():
        add_model(repository, "bad_" + name, files, 'backend: "pir"\n' + config + "\n")


# ---- what takes longer

CLIENTS = 8


TURNS = 4


def at_once(server, model, requests, turns=TURNS):
    """Each client sends some requests, one after the other, while the others do: number and answer of each."""
    begin = threading.Barrier(CLIENTS, timeout=60)

    def client(number):
        begin.wait()
        return [(i, infer(server, model, requests[i], tritonclient.grpc if number % 2 else tritonclient.http))
                for turn in range(turns) for i in ((number + turn) % len(requests),)]
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        return [a for answers in pool.map(client, range(CLIENTS)) for a in answers]


def counted(server, model, before, rows):
    """Runs and rows since the statistics `before`. A run is counted after its answers, so that it may take a while until the rows are there."""
    end = time.monotonic() + 10
    while True:
        after = server.stats(model)
        runs, seen = (after.get(k, 0) - before.get(k, 0) for k in ("execution_count", "inference_count"))
        if seen >= rows or time.monotonic() > end:
            return runs, seen, after
        time.sleep(0.02)


def compute_time(stats):
    return stats.get("inference_stats", {}).get("compute_infer", {}).get("ns", 0)


def concurrent_clients(server, model, requests, together):
    """Answers of 8 clients at once are those of one alone."""
    alone = [infer(server, model, r) for r in requests]
    check(f"{model}: alone", all(isinstance(a, dict) for a in alone), alone)
    if not all(isinstance(a, dict) for a in alone):
        return
    before = counted(server, model, {}, sent[model] + rows_of(requests, together))[2]
    sent[model] += rows_of(requests, together)
    answered = at_once(server, model, requests)
    bad = [i for i, got in answered if any(not close(of(got, n), alone[i][n]) for n in alone[i])]
    check(f"{model}: {CLIENTS} clients at once", not bad, f"{len(bad)} answers differ")
    want = rows_of([requests[i] for i, _ in answered], together)
    runs, rows, after = counted(server, model, before, want)
    sent[model] += want
    check(f"{model}: counted", rows == want, rows, want)
    check(f"{model}: requests run together", runs < TURNS * CLIENTS if together else runs == TURNS * CLIENTS, runs, rows)
    check(f"{model}: times are counted", compute_time(after) > compute_time(before))


# Rows that a server was sent, of each model.
sent = collections.Counter()


def rows_of(requests, batched):
    """Rows of requests as the server counts them: those of axis 0, and one a request without batches."""
    return sum(next(iter(r.values())).shape[0] if batched else 1 for r in requests)


def case_inputs(folder):
    return {p.name[3:-4]: np.load(p) for p in sorted(folder.glob("in_*.npy"))}


def large_models(build, venv, recorded, work):
    bert, detector = recorded / "models/bert_tiny", recorded / "real/ppocrv4_det"
    # A short wait, so that requests meet.
    waits = "dynamic_batching { max_queue_delay_microseconds: 20000 }\n"
    batched = 'backend: "pir"\nmax_batch_size: 8\n' + waits
    repository = work / "large"
    add_model(repository, "bert", [bert / "model.json", bert / "model.pdiparams"], batched)
    add_model(repository, "detector", [detector / "inference.pdmodel", detector / "inference.pdiparams"], batched)
    add_model(repository, "detector_alone", [detector / "inference.pdmodel", detector / "inference.pdiparams"], 'backend: "pir"\ninstance_group { count: 2 }\n')
    with Server(build, venv, repository) as server:
        for case in sorted(detector.glob("case_*")):
            got = infer(server, "detector_alone", case_inputs(case))
            want = np.load(case / "out_0.npy")
            worst = max(float(np.abs(a - want).max()) for a in got.values()) if isinstance(got, dict) else got
            check(f"detector {case.name}", isinstance(worst, float) and worst < 1e-3, worst)
            sent["detector_alone"] += 1
        image = np.load(detector / "case_sign_160x320/in_x.npy")
        images = [{"x": np.roll(image, 17 * k, axis=3)} for k in range(CLIENTS)]
        concurrent_clients(server, "detector", images, True)
        concurrent_clients(server, "detector_alone", images, False)
        inputs = case_inputs(sorted(bert.glob("case*"))[0])
        texts = [{n: np.ascontiguousarray(np.roll(a[:1], k, axis=1)) for n, a in inputs.items()} for k in range(CLIENTS)]
        concurrent_clients(server, "bert", texts, True)
        # Other lengths at the same time cannot run together, and come out right.
        concurrent_clients(server, "bert", [{n: np.ascontiguousarray(a[:, :4 + k % 3]) for n, a in t.items()} for k, t in enumerate(texts)], True)
    check("the server ends well", server.exit_code == 0, server.exit_code)


def one_bad_among_good(build, venv, work):
    """Of requests that run together only the one that is wrong gets an error."""
    repository = work / "one_bad"
    add_model(repository, "pick", [HERE / "inputs/pick.pir"],
              'backend: "pir"\nmax_batch_size: 8\ndynamic_batching { preferred_batch_size: 8 max_queue_delay_microseconds: 5000000 }\n')
    with Server(build, venv, repository) as server:
        # The delay is long enough for all to meet, and none waits longer than for the eighth.
        good, bad = {"ids": np.full((1, 2), 1, np.int64)}, {"ids": np.full((1, 2), 9, np.int64)}
        want = np.full((1, 2, 4), 0.5, np.float32)
        got = at_once(server, "pick", [good] * CLIENTS, 1)
        runs, rows, before = counted(server, "pick", {}, CLIENTS)
        check("eight good ones run together", runs == 1 and rows == CLIENTS and all(close(of(g, "rows"), want) for _, g in got), runs, rows, got)
        got = at_once(server, "pick", [bad if k == 3 else good for k in range(CLIENTS)], 1)
        runs, rows, _ = counted(server, "pick", before, CLIENTS - 1)
        check("the bad one", all("index outside of the table" in g if isinstance(g, str) else False for i, g in got if i == 3), got)
        check("the good ones", all(close(of(g, "rows"), want) for i, g in got if i != 3), got)
        check("each ran by itself then", runs == CLIENTS - 1 and rows == CLIENTS - 1, runs, rows)
        time.sleep(0.2)  # The one that failed is counted beside the others, maybe behind them.
        stats = server.stats("pick").get("inference_stats", {})
        check("failures are counted", [stats.get(k, {}).get("count") for k in ("fail", "success")] == [1, 2 * CLIENTS - 1], stats)


def versions_and_instances(build, venv, work):
    repository = work / "versions"
    config = 'backend: "pir"\nversion_policy { all {} }\n'
    add_model(repository, "scale", [HERE / "inputs/ranks.pir"], config)
    double = (HERE / "inputs/ranks.pir").read_text().replace("pd_op.multiply", "pd_op.add")
    (work / "added.pir").write_text(double)
    add_model(repository, "scale", [work / "added.pir"], config, version=2)
    cache = work / "cache"
    add_model(repository, "set", DIGITS_FILES, 'backend: "pir"\ninstance_group { count: 3 }\n' + "".join(
        f'parameters {{ key: "{k}" value {{ string_value: "{v}" }} }}\n' for k, v in (("threads", 2), ("math", "fast"), ("target", "x86-64"), ("cache", cache))))
    with Server(build, venv, repository, "--backend-config=pir,threads=1") as server:
        x, s = np.arange(3, dtype=np.float32), np.array([5], np.float32)
        for version, want in (("1", x * 5), ("2", x + 5), ("", x + 5)):
            got = infer(server, "scale", {"x": x, "s": s}, version=version)
            check(f"version {version or 'latest'}", close(of(got, "scaled"), want), got)
        image, want = np.load(DIGITS / "case0/in_image.npy"), np.load(DIGITS / "case0/out_0.npy")
        got = infer(server, "set", {"image": image})
        check("settings", isinstance(got, dict) and np.allclose(of(got, "fetch_name_0"), want, atol=1e-2), got)
        check("instances", [g["count"] for g in server.config("set").get("instance_group", [])] == [3])
    check("the cache is filled", cache.is_dir() and any(cache.iterdir()))


def shared_weights(build, venv, work):
    """Four instances have the weights once."""
    elements = 12 << 20
    program = work / "wide.pir"
    program.write_text(f'''{{
    (%0) = "pd_op.data" () {{dtype:float32,name:"x",place:Place(undefined:0),shape:[-1,{elements >> 10}],stop_gradient:[true]}} : () -> tensor<-1x{elements >> 10}xf32>
    (%1) = "builtin.parameter" () {{is_distributed:[false],is_parameter:[true],need_clip:[true],parameter_name:"w",persistable:[true],stop_gradient:[true],trainable:[true]}} : () -> tensor<{elements >> 10}x1024xf32>
    (%2) = "pd_op.matmul" (%0, %1) {{transpose_x:false,transpose_y:false}} : (tensor<-1x{elements >> 10}xf32>, tensor<{elements >> 10}x1024xf32>) -> tensor<-1x1024xf32>
    (%3) = "pd_op.fetch" (%2) {{col:0,name:"y"}} : (tensor<-1x1024xf32>) -> tensor<-1x1024xf32>
}}
''')
    weights = np.ones(elements, np.float32)
    header = bytes([8, 5]) + b"".join(bytes([0x10]) + varint(d) for d in (elements >> 10, 1024))
    (work / "wide.pdiparams").write_bytes(b"\0" * 16 + len(header).to_bytes(4, "little") + header + weights.tobytes())
    memory = []
    for count in (1, 4):
        repository = work / f"shared{count}"
        add_model(repository, "wide", [program, work / "wide.pdiparams"], f'backend: "pir"\ninstance_group {{ count: {count} }}\n')
        with Server(build, venv, repository) as server:
            x = np.ones((1, elements >> 10), np.float32)
            for _ in range(8):
                got = infer(server, "wide", {"x": x})
            check(f"{count} instances", close(of(got, "y"), np.full((1, 1024), elements >> 10, np.float32)), got)
            memory.append(server.memory())
    check("weights are shared", memory[1] < memory[0] + weights.nbytes / 4, memory)


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


LOADS = 50


def wait_for_unload(server):
    """The server answers before a model is gone; returns whether it is after a minute."""
    end = time.monotonic() + 60
    while any(state not in ("UNAVAILABLE", "") or reason == "unloading" for state, reason in server.states().values()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def loads_and_unloads(build, venv, recorded, work):
    """The process does not grow: neither memory, nor threads, nor open files. Models are loaded by other threads each time, for which the
    allocator keeps memory apart unless it is told to have one heap."""
    repository = work / "loads"
    detector = recorded / "real/ppocrv4_det"
    cache = f'parameters {{ key: "cache" value {{ string_value: "{work}/kept" }} }}\n'
    add_model(repository, "digits", DIGITS_FILES, 'backend: "pir"\n' + cache)
    add_model(repository, "detector", [detector / "inference.pdmodel", detector / "inference.pdiparams"], 'backend: "pir"\ninstance_group { count: 2 }\n' + cache)
    image = np.load(detector / "case_sign_160x320/in_x.npy")
    with Server(build, venv, repository, "--model-control-mode=explicit", MALLOC_ARENA_MAX="1") as server:
        seen = []
        for turn in range(LOADS):
            for model, arrays in (("digits", {"image": np.zeros((4, 1, 8, 8), np.float32)}), ("detector", {"x": image})):
                status, got = server.ask("POST", f"/v2/repository/models/{model}/load", {})
                good = status == 200 and isinstance(infer(server, model, arrays), dict)
                status, got = server.ask("POST", f"/v2/repository/models/{model}/unload", {})
                if not good or status != 200:
                    check(f"load {turn} of {model}", False, status, got)
            if not wait_for_unload(server):
                check(f"unload {turn}", False, server.states())
                return
            seen.append((server.memory(), server.threads(), server.files()))
        print("memory, threads and files after unloads", seen[0], seen[LOADS // 2], seen[-1])
        check("memory", seen[-1][0] < seen[5][0] + (16 << 20), seen[5], seen[-1])
        check("threads and files", seen[-1][1] <= seen[5][1] and seen[-1][2] <= seen[5][2], seen[5], seen[-1])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--sample", action="store_true")
    for name in ("build", "venv", "recorded"):
        options.add_argument(name, type=lambda p: pathlib.Path(p).resolve())
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        make_repository(work / "models", args.build)
        with Server(args.build, args.venv, work / "models") as server:
            answers(server)
            refusals(server)
            bad_models(server)
        check("the server ends well", server.exit_code == 0, server.exit_code, server.log.read_text()[-1000:])
        shutil.copy(server.log, args.build / "triton/models.log")
        if not args.sample:
            one_bad_among_good(args.build, args.venv, work)
            versions_and_instances(args.build, args.venv, work)
            shared_weights(args.build, args.venv, work)
            large_models(args.build, args.venv, args.recorded, work)
            loads_and_unloads(args.build, args.venv, args.recorded, work)
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
