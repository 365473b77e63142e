#!/usr/bin/env python3
"""CUDA without a device: every group of recorded models is emitted, compiled by NVRTC, and run.

  cuda.py --build DIR FOLDER

FOLDER holds models/ of recordings. For each model
  run        pir-run --target=cuda with the stand-ins for driver and NVRTC (cuda/shim): transfers, memory, launches and
             graphs of the runtime as on a device, kernels executed on the processor, outputs compared. Between feed and
             fetch nothing is copied to or from the device, but for the models of TRANSFERS
  math       the same of a few models, by the modes that put products of f32 on tensor cores: errors are larger than those of
             the strict mode, and no larger than they may be. On a device without such products, modes change nothing
  architectures  those that the library lists are those of NVRTC 13.0. Skipped where it is not installed.
  devices    build/test/device_test on the stand-ins: queues, copies, the pool, graphs
  ports      build/test/device_ports_test: inputs and outputs in the memory of the device
  attention  build/test/attention_test: attention by its device kernel, compared with plain loops; each attention of a model is
             one kernel; numbers and machine code of heads of several sizes
  failures   build/test/device_faults_test: every call of the stand-ins fails once
  indices    build/test/indices_test, and the runs of codegen/indices: kernels report an index out of range as the processor does
  machine code  of every kernel, for one architecture, of a few models in each mode (machine_code.py). Skipped where nvdisasm is not installed.
  copies     a kernel that copies asynchronously, and what is left of it without its waits or barriers (copies.py)
  heads, stages  programs of attention, and of scans, scatters and positions, compared with called kernels
  products   test/codegen/cuda/products.pir and weights.pir, in modes and on a device without asynchronous copies, compared with
             the processor
  resources  NVRTC compiles every kernel; registers, stack (spills) and shared memory read from the CUBIN stay below
             limits, and kernels of elements, rows and reductions move no more than 5 % of their bytes again, but for those
             of AGAIN_MOVED. Skipped where NVRTC is not installed.
A driver that is missing, and a device that is too old or not known, must be errors with exit code 3. Ends with `N passed, N failed, N skipped`.
"""
import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zipfile
from math import prod

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import limited
import machine_code

UNSUPPORTED = 3
ARCHITECTURES = ["sm_80"]
HEADS = pathlib.Path(__file__).resolve().parents[1] / "codegen/attention/device.pir"
STAGES = HEADS.parents[1] / "cuda/stages.pir"
STAGES_MOST = 2e-6  # scans add tile by tile
MACHINE_CODE = "sm_90a"  # a sample: `make machine-code` reads it for all
UNKNOWN = [70, 999]  # a device that is too old, and one of a later time
WITHOUT_TILES = 75  # a device whose threads multiply no tiles: a mode changes nothing there
LATER = 129  # a later minor version of a known device
TABLE_OF = (13, 0)  # the version of NVRTC whose architectures the library lists
DEVICE_TESTS = ["device_test", "device_ports_test", "device_faults_test", "comm_test", "attention_test", "indices_test"]
ATTENTIONS = {"bert_tiny": 2, "vit_tiny": 2, "gpt_tiny": 2, "llama_prefill": 2, "diffusion_unet_tiny": 1}
ATTENTION = re.compile(r"\bpd_op\.matmul,.*pd_op\.exp,.*pd_op\.matmul\b")
AGAIN = ["mlp", "lenet", "bert_tiny"]  # run often enough that graphs are made, and compared afterwards
# Errors that modes may make, of the largest element: tf32 has 10 bits of the mantissa, bf16 has 7; times three layers of sums.
MATH = {"fast": 4e-3, "bf16": 3e-2}
# Modes and architectures of products, and the largest error.
AS_PRODUCTS = [("strict", 80, 1e-6), ("strict", WITHOUT_TILES, 1e-6), ("fast", 80, MATH["fast"]), ("bf16", 80, MATH["bf16"])]
STEP = 1e-3  # of an f16
ERROR = re.compile(r"max_rel_error (\S+) of the largest element")
# Transfers inside a run; docs/explain/cuda.md states their causes. Other models have none.
TRANSFERS = {"fpn_roi_tiny": 2, "if_branch": 2, "index_ops": 3, "ssd_tiny": 2, "while_decoder": 4, "while_tensor_array": 1,
             "yolo_tiny": 2}
COPIED = re.compile(r"copied (?:to|from) the device")
COUNTS = re.compile(r"shim: (\d+) launches, (\d+) graphs")
# Of the stack: what the range reduction of sines takes; a spilled tile takes more.
INDICES = pathlib.Path(__file__).resolve().parents[1] / "codegen/indices"
PLAIN_RUN = re.compile(r"// RUN: (?:not )?pir-run %s ((?:--input=\S+ ?)+)(?:--guard-pages=\w+ ?)?(?:2>&1 .*)?$", re.M)
LIMITS = {"registers": 255, "stack": 40, "shared": 48 << 10, "registers of a block": 64 << 10}
PRODUCTS = pathlib.Path(__file__).resolve().parents[1] / "codegen/cuda/products.pir"
WEIGHTS = PRODUCTS.with_name("weights.pir")
TENSOR = re.compile(r'"(pd_op.data|builtin.parameter)" \(\).*name:"(\w+)".*tensor<([\dx]+)xf32>')
INPUT = re.compile(r'dtype:(\w+),name:"(\w+)".*shape:\[(\d+),(\d+)\]')
# Ops whose kernels read neighbours of what another block reads, or sides of products; scans read their weights in each step.
SHARED = re.compile(r"cinn_op\.scan|matmul|conv|bmm|pool|interp|grid_sample|scatter|roi|deform|unfold|fold|\bpad")
MOST_MOVED = 1.05
# Columns of open length that are read for each of two reductions; a selection with positions, which is kept in memory.
AGAIN_MOVED = {"reduce_ops": 1, "index_ops": 1}
KERNEL = re.compile(r"(\w+): (\d+) registers, (\d+) bytes of stack, (\d+) bytes shared, (\d+) threads")


def run(command, timeout=280, **variables):
    env = dict(os.environ, **variables)
    try:
        p = limited.run(command, timeout, capture_output=True, text=True, env=env)
    except subprocess.TimeoutExpired:
        return -1, "", "timed out"
    return p.returncode, p.stdout, p.stderr


def last_line(text):
    return (text.strip().splitlines() or ["no message"])[-1][:200]


def tolerances(folder):
    if folder.name == "yolo_tiny":  # corners of boxes are differences of large numbers (models/README.md)
        return ["--atol=1e-6", "--rtol=0", "--rtol-max=3e-5"]
    return ["--atol=1e-5", "--rtol=1e-4"]


def shim_job(build, folder, case, cache, totals):
    name = f"cuda run {folder.name}/{case.name}"
    command = [build / "bin/pir-run", "--target=cuda", "--explain", f"--cache={cache}", *tolerances(folder),
               folder / "model.json", f"--case={case}"]
    again = folder.name in AGAIN
    if again:
        command += ["--benchmark=0.01", f"--expect-dir={case}"]
    code, _, err = run(command, LD_LIBRARY_PATH=str(build / "cuda"), PIR_SHIM_COUNTS="1")
    found = COUNTS.search(err)
    launches, graphs = (int(found[1]), int(found[2])) if found else (0, 0)
    totals["launches"] += launches
    totals["graphs"] += graphs
    if code == 0 and ("device memory leak" in err or not found or (again and not graphs)):
        return name, "fail", err.strip()
    copies, stated = len(COPIED.findall(err)), TRANSFERS.get(folder.name, 0)
    if code == 0 and copies != stated:
        return name, "fail", f"{copies} transfers inside a run, not {stated}"
    return name, "pass" if code == 0 else "skip" if code == UNSUPPORTED else "fail", last_line(COUNTS.sub("", err))


def error_of(build, folder, math, most, cache, arch):
    """The largest error of a mode, relative to the largest element; None, and why, after a failure."""
    code, _, err = run([build / "bin/pir-run", "--target=cuda", f"--math={math}", f"--cache={cache}", "--atol=0", "--rtol=0",
                        f"--rtol-max={most}", folder / "model.json", f"--case={folder / 'case0'}"],
                       LD_LIBRARY_PATH=str(build / "cuda"), PIR_SHIM_ARCH=str(arch))
    found = ERROR.search(err)
    return (float(found[1]), "") if code == 0 and found else (None, f"--math={math} of sm_{arch}: {last_line(err)}")


def math_job(build, folder, cache):
    """Products on tensor cores: of f32 rounded to tf32, or to bf16."""
    name = f"cuda --math {folder.name}"
    strict, why = error_of(build, folder, "strict", 1e-5, cache, 80)
    for math, most in MATH.items() if strict is not None else []:
        error, why = error_of(build, folder, math, most, cache, 80)
        if error is None:
            return name, "fail", why
        if error <= strict:
            return name, "fail", f"--math={math} has the error of strict, {error}"
        error, why = error_of(build, folder, math, 1e-5, cache, WITHOUT_TILES)
        if error is None:
            return name, "fail", why
    return name, "fail" if strict is None else "pass", why


def later_device_job(build, folder, cache):
    name = f"cuda device of sm_{LATER}"
    error, why = error_of(build, folder, "strict", 1e-5, cache, LATER)
    return name, "fail" if error is None else "pass", why


def open_nvrtc():
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def architectures_job(build):
    name = "cuda architectures"
    library = open_nvrtc()
    if not library:
        return name, "skip", "NVRTC is not installed"
    major, minor, count = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    if (major.value, minor.value) != TABLE_OF:
        return name, "skip", f"NVRTC is of version {major.value}.{minor.value}"
    library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    supported = (ctypes.c_int * count.value)()
    library.nvrtcGetSupportedArchs(supported)
    with tempfile.NamedTemporaryFile("w", suffix=".pir") as program:
        program.write("{\n}\n")
        program.flush()
        _, _, err = run([build / "bin/pir-opt", "--emit=cuda", "--target=none", program.name])
    listed = {int(n) for n in re.findall(r"\bsm_(\d+)", err)}
    return name, "pass" if listed == set(supported) else "fail", f"differ in {sorted(listed ^ set(supported))}"


def check_kernels(text):
    """Groups, their kinds, kernels, and what is above a limit."""
    groups = [l[3:].strip() for l in text.splitlines() if l.startswith("// ")]
    kernels = [(m[0], *map(int, m[1:])) for m in KERNEL.findall(text)]
    worst = []
    for name, registers, stack, shared, threads in kernels:
        found = {"registers": registers, "stack": stack, "shared": shared, "registers of a block": registers * threads}
        worst += [f"{name}: {k} {v} above {LIMITS[k]}" for k, v in found.items() if v > LIMITS[k]]
    return groups, kernels, worst


def attention_faults(model, groups, kernels):
    """Every attention is one group, and the group is one kernel."""
    found = [i for i, ops in enumerate(groups) if ATTENTION.search(ops)]
    if len(found) != ATTENTIONS.get(model, 0):
        yield f"{len(found)} groups are attention"
    for i in found:
        count = sum(name.startswith(f"g{i}_") for name, *_ in kernels)
        if count != 1:
            yield f"attention of {count} kernels"


def traffic_faults(model, text):
    """Groups that read what no other unit reads, and whose kernels move bytes again. The lines of a group's kernels come first."""
    worst, here = [], []
    for line in text.splitlines():
        if m := machine_code.TRAFFIC.match(line):
            here += [line] if int(m[2]) > MOST_MOVED * int(m[3]) else []
        elif "bytes not counted" in line:
            here.append(line)
        elif line.startswith("// "):
            worst += [] if SHARED.search(line) else here
            here = []
    return worst if len(worst) != AGAIN_MOVED.get(model, 0) else []


def resources_job(build, folder, arch, totals):
    name = f"cuda resources {folder.name} {arch}"
    code, out, err = run([build / "bin/pir-opt", "--pipeline=compile-cuda", "--emit=resources", f"--target={arch}",
                          folder / "model.json"])
    if machine_code.lacks_nvrtc(code, err):
        return name, "skip", "NVRTC is not installed"
    groups, kernels, worst = check_kernels(out)
    worst += [*attention_faults(folder.name, groups, kernels), *traffic_faults(folder.name, out)]
    if code or (groups and not kernels):
        if "nothing to compile" in err and not machine_code.has_contraction(build, folder / "model.json"):
            return name, "pass", ""
        return name, "fail", last_line(err)
    totals["groups"] += len(groups)
    totals["kernels"] += len(kernels)
    totals["kinds"].update(groups)
    return name, "fail" if worst else "pass", "; ".join(worst[:3])


def machine_code_job(build, model, math):
    verdict, why, _ = machine_code.check(build, model, MACHINE_CODE, math)
    return f"cuda machine code {machine_code.name_of(model)} {MACHINE_CODE} --math={math}", verdict, why


def copies_job(build):
    code, _, err = run([sys.executable, pathlib.Path(__file__).with_name("copies.py"), build])
    return "cuda asynchronous copies", "fail" if code else "pass", last_line(err)


def products_job(build, math, arch, most):
    name = f"cuda products of sm_{arch} --math={math}"
    inputs = [f"--input={n}={r}x{c}x{'bf16' if kind == 'bfloat16' else 'f32'}=random:{i}"
              for i, (kind, n, r, c) in enumerate(INPUT.findall(PRODUCTS.read_text()))]
    with tempfile.TemporaryDirectory(prefix="pir-products-") as folder:
        run([build / "bin/pir-run", "--any-float", f"--output-dir={folder}", PRODUCTS, *inputs])
        code, _, err = run([build / "bin/pir-run", "--target=cuda", "--any-float", f"--math={math}", "--atol=0", "--rtol=0",
                            f"--rtol-max={most}", f"--expect-dir={folder}", PRODUCTS, *inputs],
                           LD_LIBRARY_PATH=str(build / "cuda"), PIR_SHIM_ARCH=str(arch))
    return name, "fail" if code else "pass", last_line(err)


def write_tensors(path, program):
    """Numbers for the inputs and parameters of a program, all of them f32, as a recorded case has them."""
    numbers = random.Random(1)
    with zipfile.ZipFile(path, "w") as out:
        for op, name, dims in TENSOR.findall(program):
            shape = [int(d) for d in dims.split("x")]
            head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}\n".encode()
            values = [numbers.uniform(-1, 1) for _ in range(prod(shape))]
            out.writestr(f"{'in' if op == 'pd_op.data' else 'param'}/{name}.npy",
                         b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(values)}f", *values))


def weights_job(build, mode, arch, most):
    name = f"cuda weights of sm_{arch} --math={mode}"
    with tempfile.TemporaryDirectory(prefix="pir-weights-") as folder:
        write_tensors(pathlib.Path(folder, "tensors.npz"), WEIGHTS.read_text())
        code, _, err = run([build / "bin/pir-run", "--pipeline=kernels", "--record", f"--case={folder}", WEIGHTS])
        if code == 0:
            code, _, err = run([build / "bin/pir-run", "--target=cuda", f"--math={mode}", "--atol=0", "--rtol=0", f"--rtol-max={most}",
                                f"--case={folder}", WEIGHTS], LD_LIBRARY_PATH=str(build / "cuda"), PIR_SHIM_ARCH=str(arch))
    return name, "fail" if code else "pass", last_line(err)


def called_job(build, program, math, most):
    """A program whose first lines state its inputs, compared with called ops."""
    name = f"cuda {program.parent.name}/{program.stem} --math={math}"
    inputs = re.search(r"%\{in\} = (.*)", program.read_text())[1].split()
    with tempfile.TemporaryDirectory(prefix="pir-called-") as folder:
        code, _, err = run([build / "bin/pir-run", program, "--pipeline=kernels", *inputs, f"--output-dir={folder}"])
        if code == 0:
            code, _, err = run([build / "bin/pir-run", "--target=cuda", f"--math={math}", program, *inputs, f"--expect-dir={folder}",
                                "--atol=0", "--rtol=0", f"--rtol-max={most}"], LD_LIBRARY_PATH=str(build / "cuda"))
    return name, "fail" if code else "pass", last_line(err)


def missing_driver_job(build, folder):
    name = "cuda without a driver"
    try:
        ctypes.CDLL("libcuda.so.1")
        return name, "skip", "there is a driver"
    except OSError:
        pass
    code, _, err = run([build / "bin/pir-run", "--target=cuda", folder / "model.json", f"--case={folder / 'case0'}"])
    told = "libcuda.so.1 is missing" in err and "install" in err
    return name, "pass" if code == UNSUPPORTED and told else "fail", f"exit code {code}: {last_line(err)}"


def unknown_device_job(build, folder, arch):
    name = f"cuda device of sm_{arch}"
    code, _, err = run([build / "bin/pir-run", "--target=cuda", folder / "model.json", f"--case={folder / 'case0'}"],
                       LD_LIBRARY_PATH=str(build / "cuda"), PIR_SHIM_ARCH=str(arch))
    told = f"the device is of architecture sm_{arch}; known: " in err
    return name, "pass" if code == UNSUPPORTED and told else "fail", f"exit code {code}: {last_line(err)}"


def indices_job(build, program, cache):
    """The runs that a test of indices makes end as on the processor."""
    name = f"cuda indices {program.stem}"
    runs = PLAIN_RUN.findall(program.read_text())
    if not runs:
        return name, "skip", "all of its runs have options of the processor"
    for inputs in runs:
        command = [build / "bin/pir-run", program, *shlex.split(inputs.replace("%S", str(INDICES)))]
        code, _, err = run(command)
        found, _, said = run([*command, "--target=cuda", f"--cache={cache}"], LD_LIBRARY_PATH=str(build / "cuda"))
        # A kernel that is called says more of its operands, and a group may have another place.
        if found != code or not last_line(err).startswith(last_line(said).partition(" (at ")[0]):
            return name, "fail", f"{inputs}: {found}, {last_line(said)}; on the processor {code}, {last_line(err)}"
    return name, "pass", ""


def device_job(build, test):
    name = f"cuda {test}"
    code, out, err = run([build / "test" / test], LD_LIBRARY_PATH=str(build / "cuda"))
    ran = "SKIPPED" not in out + err
    return name, "pass" if code == 0 and ran else "fail", last_line(out + err)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--match", default="")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    build = args.build.resolve()
    models = [d for d in sorted((args.folder / "models").glob("*")) if (d / "model.json").exists() and args.match in d.name]
    totals = {"groups": 0, "kernels": 0, "kinds": set(), "launches": 0, "graphs": 0}
    counts = {"pass": 0, "fail": 0, "skip": 0}
    with tempfile.TemporaryDirectory(prefix="pir-cuda-") as cache, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(missing_driver_job, build, m) for m in models[:1]]
        jobs += [pool.submit(unknown_device_job, build, m, arch) for m in models[:1] for arch in UNKNOWN]
        jobs += [pool.submit(later_device_job, build, m, cache) for m in models[:1]] + [pool.submit(architectures_job, build)]
        jobs += [pool.submit(copies_job, build)] + [pool.submit(job, build, *how) for how in AS_PRODUCTS for job in (products_job, weights_job)]
        jobs += [pool.submit(device_job, build, test) for test in DEVICE_TESTS if (build / "test" / test).exists()]
        jobs += [pool.submit(machine_code_job, build, HEADS, math) for math in ("strict", "fast") if models]
        jobs += [pool.submit(called_job, build, HEADS, *how) for how in (("strict", STEP), ("fast", MATH["fast"]))]
        jobs += [pool.submit(called_job, build, STAGES, "strict", STAGES_MOST)]
        jobs += [pool.submit(indices_job, build, program, cache) for program in sorted(INDICES.glob("*.pir"))]
        for m in models:
            jobs += [pool.submit(resources_job, build, m, arch, totals) for arch in ARCHITECTURES]
            jobs += [pool.submit(math_job, build, m, cache)] if m.name in AGAIN else []
            jobs += [pool.submit(machine_code_job, build, m / "model.json", math) for math in ("strict", *(MATH if m.name in AGAIN else ()))]
            jobs += [pool.submit(shim_job, build, m, case, cache, totals) for case in sorted(m.glob("case*"))]
        for job in concurrent.futures.as_completed(jobs):
            name, verdict, why = job.result()
            counts[verdict] += 1
            if verdict != "pass":
                print(f"{verdict} {name}: {why}", flush=True)
    print(f"{totals['groups']} groups of {len(models)} models, {len(totals['kinds'])} kinds, {totals['kernels']} kernels "
          f"compiled by NVRTC for {', '.join(ARCHITECTURES)}; {totals['launches']} launches and {totals['graphs']} graphs run on the processor")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return counts["fail"] > 0 or not models


if __name__ == "__main__":
    sys.exit(main())
