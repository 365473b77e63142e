#!/usr/bin/env python3
"""The machine code of every kernel of models, for several architectures, read without a device.

  machine_code.py --build DIR [--arch sm_80,sm_90a,sm_100,sm_120] [--math MODE] [--table] MODEL..

MODEL is a file, or a folder with model.json. NVRTC compiles the kernels, nvdisasm (on PATH, named by NVDISASM, or in the
CUDA toolkit; the wheel triton has it in backends/nvidia/bin) prints their instructions. Both must be there: without them a
model is skipped, by name. Each kernel must
  - spill no register: it has no stack and no access to local memory, but for what the range reduction of sines, cosines and
    tangents takes
  - multiply on tensor cores where its source has fragments, and then have no other products in its source
  - have accesses of 16 bytes where its source reads or writes vectors of four f32, or copies 16 bytes
  - copy into shared memory asynchronously where its source does
The models of TILES must have such copies in so many kernels, and in the modes `fast` and `bf16` fragments. A model of which nothing is
compiled must have no contraction outside of loops and branches, whose bodies are not compiled for a device.
--table prints a row for each kernel; its last columns are the roofline that pir-opt --emit=resources counts. Ends with `N passed, N failed, N skipped`.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import limited

UNSUPPORTED = 3
ARCHITECTURES = ["sm_80", "sm_90a", "sm_100", "sm_120"]
FUSED = re.compile(r"\bfmaf?\(")
VECTORS = re.compile(r"pir_vec<(f32|i32|u32), 4> \*\)&b|pir_copy<16>")
COPY = re.compile(r"\bpir_copy<")
SINES = re.compile(r"\b(sin|cos|tan)f?\(")
STACK_OF_SINES = 40  # bytes
# Kernels with tiles: of all contractions but those too narrow for a tile (one column of mlp, two of lenet, three of bert_tiny).
TILES = {"mlp": 2, "lenet": 3, "bert_tiny": 13}
ATTENTION = {"bert_tiny": 2}  # kernels of attention
FRAGMENT = re.compile(r"\bpir_mma_\w+<")
CONTRACTION = re.compile(r'(?m)^    [^ ].* = "pd_op\.(matmul|bmm|mm|addmm|conv\w+|depthwise_conv\w+|fc|fused_gemm\w*|einsum|flash_attn\w*)"')
RESOURCES = re.compile(r"(\w+): (\d+) registers, (\d+) bytes of stack, (\d+) bytes shared, (\d+) threads, (\d+) of (\d+) warps")
TRAFFIC = re.compile(r"^(\w+): (\d+) bytes moved, (\d+) needed, (\d+) operations", re.M)
KERNEL = re.compile(r"^\.text\.(\w+):$")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)")
HMMA = re.compile(r"^HMMA\.(\d+)")
Row = collections.namedtuple("Row", "model arch kernel registers stack shared warps most products tensor loads wide local copies moved needed work")


def nvdisasm():
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin/nvdisasm"
    return os.environ.get("NVDISASM") or shutil.which("nvdisasm") or (str(toolkit) if toolkit.exists() else None)


def run(command):
    try:
        p = limited.run(command, 280, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return -1, "", f"{command[0]} timed out"
    except OSError as e:
        return -1, "", str(e)
    return p.returncode, p.stdout, p.stderr


def lacks_nvrtc(code, message):
    """Whether a run ended because there is no NVRTC. One that is too old is a failure."""
    return code == UNSUPPORTED and "NVRTC" in message and "cannot be opened" in message


def has_contraction(build, model):
    code, text, _ = run([build / "bin/pir-opt", model])
    return code != 0 or CONTRACTION.search(text) is not None


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


def measure(model, arch, resources, counts, source, traffic):
    name, registers, stack, shared, _, warps, most = resources
    tensor = sum(n * products_of_tile(i) for i, n in counts.items() if HMMA.match(i))
    plain = sum(32 * n for i, n in counts.items() if re.match(r"(FFMA|DFMA)\b", i)) if FUSED.search(source) else 0
    loads = sum(n for i, n in counts.items() if re.match(r"(LDG|STG|LDGSTS)\b", i))
    wide = sum(n for i, n in counts.items() if re.match(r"(LDG|STG|LDGSTS)\b.*\.128\b", i))
    local = sum(n for i, n in counts.items() if re.match(r"(LDL|STL)\b", i))
    copies = sum(n for i, n in counts.items() if i.startswith("LDGSTS"))
    return Row(model, arch, name, int(registers), int(stack), int(shared), int(warps), int(most), tensor + plain, tensor,
               loads, wide, local, copies, *traffic)


def faults_of(row, source):
    sines = SINES.search(source)
    if row.stack > (STACK_OF_SINES if sines else 0):
        yield f"{row.stack} bytes of stack"
    if row.local and not sines:
        yield f"{row.local} accesses to local memory"
    if FRAGMENT.search(source) and not row.tensor:
        yield "no product on tensor cores"
    if FRAGMENT.search(source) and FUSED.search(source):
        yield "products beside those on tensor cores"
    if VECTORS.search(source) and not row.wide:
        yield "no access of 16 bytes"
    if COPY.search(source) and not row.copies:
        yield "no asynchronous copy"


def name_of(model):
    return model.parent.name if model.stem == "model" else model.stem


def check(build, model, arch, math):
    """Returns the verdict, why, and the rows of the kernels."""
    tool = nvdisasm()
    if not tool:
        return "skip", "nvdisasm is not installed", []
    with tempfile.TemporaryDirectory(prefix="pir-machine-code-") as folder:
        cubin = pathlib.Path(folder) / "code.cubin"
        opt = [build / "bin/pir-opt", f"--target={arch}", f"--math={math}", model]
        code, _, err = run([*opt, "--emit=cubin", "-o", cubin])
        if lacks_nvrtc(code, err):
            return "skip", "NVRTC is not installed", []
        if code and "nothing to compile" in err and not has_contraction(build, model):
            return "pass", "", []
        if code:
            return "fail", err.strip()[-200:], []
        listing = run([tool, "-c", cubin])
        sources, resources = run([*opt, "--emit=cuda"]), run([*opt, "--emit=resources"])
    for code, _, err in (listing, sources, resources):
        if code:
            return "fail", err.strip()[-200:], []
    sources, counts = sources_of(sources[1]), instructions_of(listing[1])
    name = name_of(model)
    traffic = {k: tuple(map(int, numbers)) for k, *numbers in TRAFFIC.findall(resources[1])}
    rows = [measure(name, arch, r, counts.get(r[0], collections.Counter()), sources.get(r[0], ""), traffic.get(r[0], (0, 0, 0)))
            for r in RESOURCES.findall(resources[1])]
    lost = sources.keys() - {r.kernel for r in rows if counts.get(r.kernel)}
    if lost or not rows:
        return "fail", f"no instructions of {', '.join(sorted(lost)) or 'any kernel'}", rows
    faults = [f"{r.kernel}: {f}" for r in rows for f in faults_of(r, sources[r.kernel])]
    fragments = sum(FRAGMENT.search(s) is not None for s in sources.values())
    copies = sum(r.copies > 0 for r in rows)
    wanted = TILES[name] + ATTENTION.get(name, 0) if name in TILES else fragments
    if math != "strict" and fragments != wanted:
        faults.append(f"fragments in {fragments} kernels, not in {wanted}")
    if copies != TILES.get(name, copies):
        faults.append(f"asynchronous copies in {copies} kernels, not in {TILES[name]}")
    return ("fail", "; ".join(faults[:3]), rows) if faults else ("pass", "", rows)


def print_row(r):
    share = f"{100 * r.tensor / r.products:.0f} %" if r.products else "-"
    print(f"{r.model:24} {r.arch:7} {r.kernel:16} {r.registers:4} registers {r.stack:3} stack {r.shared:6} shared "
          f"{r.warps:3}/{r.most} warps {share:>6} of products on tensor cores, {r.wide:3} of {r.loads:3} accesses of 16 bytes, "
          f"{r.copies} copies, {r.moved / r.needed if r.needed else 0:.2f} x {r.needed} bytes, "
          f"{r.work / r.moved if r.moved else 0:.1f} operations a byte")


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
    print(f"machine code of {kernels} kernels" if kernels else "nothing read")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    return counts["fail"] > 0


if __name__ == "__main__":
    sys.exit(main())
