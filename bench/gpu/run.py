#!/usr/bin/env python3
"""Measures generated CUDA code on a device (run.sh): conformance, bandwidth, products, latency.

  run.py --build DIR --results INDEX [--small] RECORDED

The results go into the page of this device (results.py), part by part. Bandwidth is what a group reads and writes once, over the time of its span on the device (--profile), in relation to copies from
device memory to device memory by the driver in the same run. --small takes small shapes and few models: with
LD_LIBRARY_PATH=BUILD/cuda it tries the script itself, on the processor.
"""
import argparse
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import processor  # noqa: E402
import results  # noqa: E402

NAMES = {"f32": ("float32", 4), "bf16": ("bfloat16", 2)}
DEADLINE = time.monotonic() + 540


def data(number, name, shape, dtype):
    dims = ",".join(map(str, shape))
    kind = "x".join(map(str, shape)) + "x" + dtype
    return (f'    (%{number}) = "pd_op.data" () {{dtype:{NAMES[dtype][0]},name:"{name}",place:Place(undefined:0),shape:[{dims}],'
            f"stop_gradient:[true]}} : () -> tensor<{kind}>\n")


def program(inputs, body, result, kind):
    text = "".join(data(i, f"x{i}", shape, dtype) for i, (shape, dtype) in enumerate(inputs))
    return "{\n" + text + body + f'    () = "builtin.shadow_output" (%{result}) {{output_name:"out"}} : (tensor<{kind}>) -> \n}}\n'


def unary(op, attrs, at, kind):
    return f'    (%{at + 1}) = "pd_op.{op}" (%{at}) {{{attrs}}} : (tensor<{kind}>) -> tensor<{kind}>\n'


def chain(rows, length, dtype):
    kind = f"{rows}x{length}x{dtype}"
    body = unary("tanh", "", 0, kind) + unary("sigmoid", "", 1, kind) + unary("relu", "", 2, kind)
    return program([((rows, length), dtype)], body, 3, kind)


def softmax(rows, length, dtype):
    kind = f"{rows}x{length}x{dtype}"
    return program([((rows, length), dtype)], unary("softmax", "axis:-1", 0, kind), 1, kind)


def layer_norm(rows, length, dtype):
    kind = f"{rows}x{length}x{dtype}"
    body = (f'    (%3, %4, %5) = "pd_op.layer_norm" (%0, %1, %2) {{begin_norm_axis:1,epsilon:1e-05}} : (tensor<{kind}>, '
            f"tensor<{length}x{dtype}>, tensor<{length}x{dtype}>) -> tensor<{kind}>, tensor<{rows}xf32>, tensor<{rows}xf32>\n")
    return program([((rows, length), dtype), ((length,), dtype), ((length,), dtype)], body, 3, kind)


def product(m, n, k, dtype):
    body = (f'    (%2) = "pd_op.matmul" (%0, %1) {{transpose_x:false,transpose_y:false}} : (tensor<{m}x{k}x{dtype}>, '
            f"tensor<{k}x{n}x{dtype}>) -> tensor<{m}x{n}x{dtype}>\n")
    return program([((m, k), dtype), ((k, n), dtype)], body, 2, f"{m}x{n}x{dtype}")


class Bench:
    def __init__(self, args, folder):
        self.run_tool, self.folder, self.cache = args.build / "bin/pir-run", folder, folder / "cache"

    def spans(self, name, text, inputs):
        """Nanoseconds of each group's span in the last of several runs."""
        path, profile = self.folder / f"{name}.pir", self.folder / "profile.json"
        path.write_text(text)
        command = [self.run_tool, "--target=cuda", f"--cache={self.cache}", "--benchmark=0.2", f"--profile={profile}", path]
        p = subprocess.run([*command, *(f"--input=x{i}={v}" for i, v in enumerate(inputs))], capture_output=True, text=True)
        if p.returncode:
            return None, (p.stderr.strip().splitlines() or ["?"])[-1][:120]
        events = json.loads(profile.read_text())
        return [e["dur"] * 1e3 for e in events if e.get("ph") == "X" and not e["name"].startswith("memcpy")], ""


def copy_bandwidth(bytes_each, times=20):
    """Of the driver's copies from device to device: bytes read and written a second; the device's name."""
    cu = ctypes.CDLL("libcuda.so.1")
    device, context, name = ctypes.c_int(), ctypes.c_void_p(), ctypes.create_string_buffer(128)
    for call, *args in ((cu.cuInit, 0), (cu.cuDeviceGet, ctypes.byref(device), 0), (cu.cuDeviceGetName, name, 128, device),
                        (cu.cuDevicePrimaryCtxRetain, ctypes.byref(context), device), (cu.cuCtxPushCurrent_v2, context)):
        if call(*args):
            sys.exit("no CUDA device")
    a, b = ctypes.c_uint64(), ctypes.c_uint64()
    if not all(hasattr(cu, call) for call in ("cuMemcpyDtoDAsync_v2", "cuCtxSynchronize")):  # the stand-in
        return name.value.decode(), 1e9
    cu.cuMemAlloc_v2(ctypes.byref(a), ctypes.c_size_t(bytes_each)), cu.cuMemAlloc_v2(ctypes.byref(b), ctypes.c_size_t(bytes_each))
    best = 0
    for _ in range(5):
        cu.cuCtxSynchronize()
        start = time.perf_counter()
        for _ in range(times):
            cu.cuMemcpyDtoDAsync_v2(b, a, ctypes.c_size_t(bytes_each), None)
        cu.cuCtxSynchronize()
        best = max(best, 2 * bytes_each * times / (time.perf_counter() - start))
    cu.cuMemFree_v2(a), cu.cuMemFree_v2(b)
    return name.value.decode(), best


def bandwidth(bench, small, copy, out):
    total = 1 << (14 if small else 25)  # elements
    out.append("| group | type | rows | length | GB/s | of copies |\n| --- | --- | --- | --- | --- | --- |")
    for make in (chain, softmax, layer_norm):
        for dtype in NAMES:
            for length in ((64, 256) if small else (256, 1024, 4096, 16384, 65536)):
                rows, size = total // length, NAMES[dtype][1]
                shapes = [(rows, length)] + [(length,)] * (2 if make is layer_norm else 0)
                inputs = ["x".join(map(str, s)) + f"x{dtype}=random:1" for s in shapes]
                spans, why = bench.spans("rows", make(rows, length, dtype), inputs)
                if spans is None:
                    out.append(f"| {make.__name__} | {dtype} | {rows} | {length} | {why} | |")
                    continue
                rate = 2 * total * size / (sum(spans) * 1e-9)
                out.append(f"| {make.__name__} | {dtype} | {rows} | {length} | {rate / 1e9:.0f} | {100 * rate / copy:.0f} % |")


def library_rate(n, dtype):
    """Of the vendor's library, through PyTorch where that is installed: operations a second."""
    try:
        import torch
    except ImportError:
        return None
    kind = torch.bfloat16 if dtype == "bf16" else torch.float32
    torch.backends.cuda.matmul.allow_tf32 = False
    a, b = (torch.randn(n, n, device="cuda", dtype=kind) for _ in range(2))
    best = 0
    for _ in range(10):
        torch.cuda.synchronize()
        start = time.perf_counter()
        a @ b
        torch.cuda.synchronize()
        best = max(best, 2 * n**3 / (time.perf_counter() - start))
    return best


def products(bench, small, out):
    out.append("| product | type | TFLOP/s | library |\n| --- | --- | --- | --- |")
    for n in ((64,) if small else (1024, 2048, 4096)):
        for dtype in NAMES:
            spans, why = bench.spans("product", product(n, n, n, dtype), [f"{n}x{n}x{dtype}=random:{i}" for i in (1, 2)])
            other = None if small else library_rate(n, dtype)
            rate = why if spans is None else f"{2 * n**3 / (sum(spans) * 1e-9) / 1e12:.2f}"
            out.append(f"| {n}^3 | {dtype} | {rate} | {f'{other / 1e12:.2f}' if other else 'PyTorch is not installed'} |")


def models_of(recorded):
    return [d for d in sorted((recorded / "models").glob("*")) if (d / "model.json").exists()]


def conformance(bench, recorded, small, out):
    passed, failed, refused = 0, [], 0
    for d in models_of(recorded)[:3 if small else None]:
        for case in sorted(d.glob("case*")):
            if time.monotonic() > DEADLINE:
                failed.append("out of time")
                break
            p = subprocess.run([bench.run_tool, "--target=cuda", f"--cache={bench.cache}", "--atol=1e-5", "--rtol=1e-4",
                                d / "model.json", f"--case={case}"], capture_output=True, text=True)
            if p.returncode == 0:
                passed += 1
            elif p.returncode == 3:
                refused += 1
            else:
                failed.append(f"{d.name}/{case.name}: {(p.stderr.strip().splitlines() or ['?'])[-1][:100]}")
    out.append(f"{passed} cases passed, {len(failed)} failed, {refused} unsupported.")
    out += [f"* {f}" for f in failed]


def latency(bench, recorded, small, out):
    out.append("| model | cold start ms | cached start ms | run ms |\n| --- | --- | --- | --- |")
    for d in models_of(recorded)[:2 if small else 12]:
        row = []
        for cache in ("none", str(bench.cache), str(bench.cache)):  # the second of three fills the cache
            p = subprocess.run([bench.run_tool, "--target=cuda", f"--cache={cache}", "--json", "--benchmark=0.2", d / "model.json",
                                f"--case={d / 'case0'}"], capture_output=True, text=True)
            try:
                report = json.loads(p.stdout[p.stdout.index("{"):])
            except ValueError:
                report = {}
            row.append(report)
        start = [f"{r.get('compile_ms', float('nan')):.0f}" for r in row]
        run = row[2].get("median_ms", row[2].get("p50_ms", float("nan")))
        out.append(f"| {d.name} | {start[0]} | {start[2]} | {run:.3f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--results", required=True)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("recorded", type=pathlib.Path)
    args = parser.parse_args()
    name, copy = copy_bandwidth(1 << (16 if args.small else 28))
    with tempfile.TemporaryDirectory(prefix="pir-gpu-") as folder:
        bench = Bench(args, pathlib.Path(folder))
        for section, title, part in (("groups", "memory-bound groups", lambda o: bandwidth(bench, args.small, copy, o)),
                                     ("products", "products", lambda o: products(bench, args.small, o)),
                                     ("latency", "latency", lambda o: latency(bench, args.recorded, args.small, o)),
                                     ("conformance", "conformance", lambda o: conformance(bench, args.recorded, args.small, o))):
            out = [f"Copies within the memory of the device: {copy / 1e9:.0f} GB/s read and written.", ""] if section == "groups" else []
            part(out)
            results.write(args.results, section, title, "\n".join(out), processor.Device(name))
            print(f"{title}: done", flush=True)


if __name__ == "__main__":
    main()
