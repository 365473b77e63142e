#!/usr/bin/env python3
"""The machine code of every kernel of models, for several architectures, read without a device.

  machine_code.py --build DIR [--arch sm_80,sm_90a,sm_100] [--math MODE] [--table] MODEL..

MODEL is a file, or a folder with model.json. NVRTC compiles the kernels, nvdisasm (on PATH, named by NVDISASM, or in the
CUDA toolkit; the wheel triton has it in backends/nvidia/bin) prints their instructions. Both must be there: without them a
model is skipped, by name. Each kernel must
  - spill no register: it has no stack and no access to local memory, but for what the range reduction of sines, cosines and
    tangents takes
  - multiply on tensor cores where its source says so: at least 95 of 100 products, counted in the instructions. In a source
    without fused products, fused multiply-adds belong to functions as erf, not to products
  - have accesses of 16 bytes where its source reads or writes vectors of four f32
--table prints a row for each kernel. Ends with `N passed, N failed, N skipped`.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import limited

UNSUPPORTED = 3
ARCHITECTURES = ["sm_80", "sm_90a", "sm_100"]
FUSED = re.compile(r"\bfmaf?\(")
VECTORS = re.compile(r"pir_vec<(f32|i32|u32), 4> \*\)&b")
SINES = re.compile(r"\b(sin|cos|tan)f?\(")
STACK_OF_SINES = 40  # bytes
FEWEST_ON_TENSOR_CORES = 0.95
RESOURCES = re.compile(r"(\w+): (\d+) registers, (\d+) bytes of stack, (\d+) bytes shared, (\d+) threads, (\d+) of (\d+) warps")
KERNEL = re.compile(r"^\.text\.(\w+):$")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)")
HMMA = re.compile(r"^HMMA\.(\d+)")
Row = collections.namedtuple("Row", "model arch kernel registers stack shared warps most products tensor loads wide local")


def nvdisasm():
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/nvdisasm"
    return os.environ.get("NVDISASM") or shutil.which("nvdisasm") or (str(toolkit) if toolkit.exists() else None)


def run(command):
    p = limited.run(command, 280, capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def sources_of(text):
    """The source of each kernel."""
    out = {}
    for part in text.split('\nextern "C" __global__ ')[1:]:
        out[re.search(r"\) (\w+)\(", part)[1]] = part
    return out


def instructions_of(listing):
    """The instructions of each kernel, counted."""
    out, here = {}, None
    for line in listing.splitlines():
        if m := KERNEL.match(line):
            here = out.setdefault(m[1], collections.Counter())
        elif here is not None and (m := INSTRUCTION.match(line)):
            here[m[1]] += 1
    return out


def products_of_tile(name):
    """Products of one warp's HMMA: 16 x 8 results of as many terms as its last number says (1688: 8, 16816: 16)."""
    shape = HMMA.match(name)[1]
    return 16 * 8 * int(shape[3:])


def measure(model, arch, resources, counts, source):
    name, registers, stack, shared, _, warps, most = resources
    tensor = sum(n * products_of_tile(i) for i, n in counts.items() if HMMA.match(i))
    plain = sum(32 * n for i, n in counts.items() if re.match(r"(FFMA|DFMA)\b", i)) if FUSED.search(source) else 0
    loads = sum(n for i, n in counts.items() if re.match(r"(LDG|STG|LDGSTS)\b", i))
    wide = sum(n for i, n in counts.items() if re.match(r"(LDG|STG|LDGSTS)\b.*\.128\b", i))
    local = sum(n for i, n in counts.items() if re.match(r"(LDL|STL)\b", i))
    return Row(model, arch, name, int(registers), int(stack), int(shared), int(warps), int(most), tensor + plain, tensor,
               loads, wide, local)


def faults_of(row, source):
    sines = SINES.search(source)
    if row.stack > (STACK_OF_SINES if sines else 0):
        yield f"{row.stack} bytes of stack"
    if row.local and not sines:
        yield f"{row.local} accesses to local memory"
    if "pir_mma_" in source and not row.tensor:
        yield "no product on tensor cores"
    if "pir_mma_" in source and row.tensor < FEWEST_ON_TENSOR_CORES * row.products:
        yield f"{row.tensor} of {row.products} products on tensor cores"
    if VECTORS.search(source) and not row.wide:
        yield "no access of 16 bytes"


def check(build, model, arch, math):
    """Returns the verdict, why, and the rows of the kernels."""
    tool = nvdisasm()
    if not tool:
        return "skip", "nvdisasm is not installed", []
    with tempfile.TemporaryDirectory(prefix="pir-machine-code-") as folder:
        cubin = pathlib.Path(folder) / "code.cubin"
        opt = [build / "bin/pir-opt", f"--target={arch}", f"--math={math}", model]
        code, _, err = run([*opt, "--emit=cubin", "-o", cubin])
        if code == UNSUPPORTED and "NVRTC" in err:
            return "skip", "NVRTC is not installed", []
        if code:
            return ("pass", "", []) if "nothing to compile" in err else ("fail", err.strip()[-200:], [])
        listing = run([tool, "-c", cubin])
        sources, resources = run([*opt, "--emit=cuda"]), run([*opt, "--emit=resources"])
    for code, _, err in (listing, sources, resources):
        if code:
            return "fail", err.strip()[-200:], []
    sources, counts = sources_of(sources[1]), instructions_of(listing[1])
    name = model.parent.name if model.stem == "model" else model.stem
    rows = [measure(name, arch, r, counts.get(r[0], collections.Counter()), sources.get(r[0], "")) for r in RESOURCES.findall(resources[1])]
    lost = sources.keys() - {r.kernel for r in rows if counts.get(r.kernel)}
    if lost or not rows:
        return "fail", f"no instructions of {', '.join(sorted(lost)) or 'any kernel'}", rows
    faults = [f"{r.kernel}: {f}" for r in rows for f in faults_of(r, sources[r.kernel])]
    return ("fail", "; ".join(faults[:3]), rows) if faults else ("pass", "", rows)


def print_row(r):
    share = f"{100 * r.tensor / r.products:.0f} %" if r.products else "-"
    print(f"{r.model:24} {r.arch:7} {r.kernel:16} {r.registers:4} registers {r.stack:3} stack {r.shared:6} shared "
          f"{r.warps:3}/{r.most} warps {share:>6} of products on tensor cores, {r.wide:3} of {r.loads:3} accesses of 16 bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--arch", default=",".join(ARCHITECTURES))
    parser.add_argument("--math", default="strict")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    build = args.build.resolve()
    counts, kernels = {"pass": 0, "fail": 0, "skip": 0}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {}
        for model in (m / "model.json" if m.is_dir() else m for m in args.models):
            jobs |= {pool.submit(check, build, model, arch, args.math): (model, arch) for arch in args.arch.split(",")}
        for job in concurrent.futures.as_completed(jobs):
            verdict, why, rows = job.result()
            counts[verdict] += 1
            kernels += len(rows)
            for row in rows if args.table else []:
                print_row(row)
            if verdict != "pass":
                print(f"{verdict} machine code of {jobs[job][0]} for {jobs[job][1]}: {why}", flush=True)
    print(f"machine code of {kernels} kernels")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return counts["fail"] > 0


if __name__ == "__main__":
    sys.exit(main())
