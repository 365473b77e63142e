#!/usr/bin/env python3
"""Runs recordings of the real Paddle through the built tools.

  recorded.py --bin DIR [--only KIND,...] FOLDER

FOLDER holds any of: models/ real/ (whole programs with cases), ops/ (one-op programs), passes/. Kinds:
  numbers    pir-run --case from every program file, pipelines kernels and compile, 1 and 2 threads
  refused    likewise and nets, with groups that compilation refuses at each stage and many places: their ops are called
  nets       numbers of whole networks, from their text too
  compiled   numbers of compiled models, run by libpir_rt alone (recorded_compiled.py)
  memory     the arena of compiled models is at most 10 % above the most that lives together, for every case
  text       pir-translate X.json --to=text equals X.pir byte for byte
  translate  pir-translate X.pdmodel equals the recorded translation up to names and independent order
  infer      one-op programs without their result types get the printed ones back
  shape      symbolic shapes of programs (recorded_shape.py)
  ops        one-op programs, numbers by tolerances.tsv
  grads      an op and its gradient, likewise
   more       one-op programs of archives/more/*.tar.xz, which the repository alone holds
   small      ops and grads, compiled although their results have few elements
  vjp        programs with the gradients Paddle added
  backward   the same programs without them, to which the pass `backward` adds the same
  train      steps of training: losses, and the parameters in the end
  passes     before.pir through a pass equals after.pir likewise; with fusions of oneDNN, its numbers are those before
  decomp, kernel, pipelines  decomposition, lowering, the whole predictor (recorded_passes.py)
  roundtrip, json  through our own formats and back (recorded_formats.py)
  legacy     through .pdmodel files of ours and back (recorded_legacy.py)
  loops      loop IR is verified, and its text gives the same text and code (recorded_loops.py)
  errors     changed programs that Paddle refuses are refused (recorded_errors.py)
  dist       distributed programs: texts, JSON, and numbers on all ranks (recorded_dist.py)
  spmd       how operators take and give distributed tensors (recorded_spmd.py)
A program with an operator or feature that is still unsupported (exit code 3) is a skip and is named.
Ends with `N passed, N failed, N skipped`.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import limited
import recorded_backward
import recorded_compiled
import recorded_deviations
import recorded_dist
import recorded_errors
import recorded_extremes
import recorded_formats
import recorded_infer
import recorded_legacy
import recorded_loops
import recorded_passes
import recorded_shape
import recorded_spmd
from recorded_custom import custom_ops
from recorded_deviations import KNOWN, digest, last_line, verdict

CODE_CACHE = tempfile.mkdtemp(prefix="pir-code-")  # equal kernels of all recordings are compiled once
TARGET = None  # of pir-run: cuda runs the same suite on a device, or on the stand-ins of test/cuda/shim
MORE = []  # options of pir-run that override those of the job
EMULATED = None  # folder of the tools for aarch64: pir-run is theirs, under qemu-user, with code that ours compiled ahead
# Bytes of address space a process, so that a run-away process fails by itself and leaves the machine alive; sanitizers need it off
# (--no-memory-limit).
MEMORY_LIMIT = 6 << 30


def run(command, timeout=300):
    if TARGET and pathlib.Path(command[0]).name == "pir-run":
        command = [command[0], f"--target={TARGET}", *command[1:]]
    if pathlib.Path(command[0]).name == "pir-run":
        command = [*command, *MORE]
    if EMULATED and pathlib.Path(command[0]).name == "pir-run":
        if not any(str(c).startswith("--cache") for c in command):
            command = [*command, f"--cache={CODE_CACHE}"]
        code, out, err = run_once([*command, "--compile-only", "--target=aarch64"], timeout)
        if code:
            return code, out, err
        command = ["qemu-aarch64", EMULATED / "pir-run", *command[1:]]
    code, out, err = run_once(command, timeout)
    if EMULATED and "libpir_codegen_llvm" in err:
        code = -1  # no skip: all code was to be compiled ahead
    return code, out, err


def run_once(command, timeout):
    try:
        p = limited.run(command, timeout, MEMORY_LIMIT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return -1, b"", "timed out"
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def judged(job):
    name, result, why = job()
    return name, *KNOWN.judge(name, result, why)


# ---- jobs: (name, function) ---------------------------------------------------------------------------
def programs_of(folder):
    """Program files of a model folder with their parameter files."""
    for prog in sorted(folder.iterdir()):
        if prog.suffix not in (".pdmodel", ".json") or prog.name in ("meta.json", "case.json"):
            continue
        if prog.name.startswith("legacy.train") or "as_is" in prog.name:
            continue
        names = (["legacy.pdiparams"] if prog.name == "model.pdmodel" else []) + [
            prog.stem + ".pdiparams", "model.pdiparams", "inference.pdiparams"]
        params = next((folder / n for n in names if (folder / n).exists()), None)
        yield prog, params


def number_jobs(tools, root):
    for top in ("models", "real"):
        for folder in sorted(p for p in (root / top).glob("*") if p.is_dir()):
            cases = sorted(c for c in folder.glob("case*") if c.is_dir())
            if not cases:
                continue
            allowed = ["--atol=1e-4" if "det" in folder.name else "--atol=1e-5", "--rtol=1e-4"]
            if folder.name == "yolo_tiny":  # corners of boxes are differences of large numbers: exactly the rule of models/README.md
                allowed = ["--atol=1e-6", "--rtol=0", "--rtol-max=3e-5"]
            for prog, params in programs_of(folder):
                for pipeline in ("kernels", "compile"):
                    for threads in (1, 2):
                        for case in cases:
                            command = [tools / "pir-run", prog, f"--case={case}", f"--pipeline={pipeline}",
                                       f"--threads={threads}"] + allowed
                            command += [f"--params={params}"] if params else []
                            command += [f"--cache={CODE_CACHE}"] if pipeline == "compile" else []
                            command += custom_ops(prog)
                            name = f"numbers {folder.name}/{prog.name} {case.name} {pipeline} {threads}t"
                            yield name, lambda n=name, c=command: number_job(n, c)


NET_RULE = ["--atol=1e-6", "--rtol=0", "--rtol-max=1e-4"]


def net_programs(root):
    """Program, parameters and cases of the networks, also as their printed text."""
    for folder in sorted(p for p in (root / "nets").glob("*") if p.is_dir()):
        texts = [(folder / "model.pir", folder / "model.pdiparams")] if (folder / "model.pir").exists() else []
        for prog, params in [*programs_of(folder), *texts]:
            yield prog, params, sorted(folder.glob("case*"))


def odd_outputs(label, case):
    """Outputs of a case that deviate, as deviations.tsv has them: `nets NET/PROGRAM:OUTPUT`, or that and a case."""
    outputs = range(len(list(case.glob("out_*.npy"))))
    return outputs, [i for i in outputs if KNOWN.key_of(f"nets {label}:{i} {case.name}")]


def net_jobs(tools, root):
    """Whole networks: within 1e-4 of the largest value. Outputs that deviate are compared by jobs of their own."""
    for prog, params, cases in net_programs(root):
        label = f"{prog.parent.name}/{prog.name}"
        for pipeline, threads, case in itertools.product(("kernels", "compile"), (1, 2), cases):
            command = [tools / "pir-run", prog, f"--params={params}", f"--case={case}", f"--pipeline={pipeline}",
                       f"--threads={threads}", *NET_RULE]
            command += [f"--cache={CODE_CACHE}"] if pipeline == "compile" else []
            every, odd = odd_outputs(label, case)
            for which, ignored in [("", odd)] + [(f":{i}", [k for k in every if k != i]) for i in odd]:
                name = f"nets {label}{which} {case.name} {pipeline} {threads}t"
                yield name, lambda n=name, c=command + [f"--ignore-output={i}" for i in ignored]: net_job(n, c)


def net_job(name, command):
    """All of these run: one that is unsupported fails."""
    name, result, why = number_job(name, command)
    return name, "fail" if result == "skip" else result, why


def number_job(name, command):
    return recorded_deviations.number_job(run, name, command)


REFUSED = "--pipeline=ungrouped,group{refuse=%s},dce,bind"
# Stages, groups and places: the number of places that a test of lowering passes depends on the group, so few are near each other.
REFUSALS = ["lower", "lower,every=2", "plan,every=3", "choose,every=2", "emit,every=3", "emit,at=2,every=2",
            *(f"{stage},at={at}" for stage in ("choose", "lower") for at in (2, 3, 5, 8, 13, 21, 34, 55, 89, 144)),
            *(f"lower,at={at},every=2" for at in (4, 7, 11, 18, 29)), *(f"plan,at={at}" for at in (2, 3, 4, 5)),
            *(f"plan,at={at},every=2" for at in (4, 5))]


# The distance of two equal inputs: 0 only where both branches are computed alike, and a refusal makes them differ in rounding.
TWINS = {"siamese": ["--ignore-output=3"]}


def refused_jobs(tools, root):
    """One in 40 of all; with REFUSED=all in the environment all of them."""
    yield from itertools.islice(all_refused_jobs(tools, root), 0, None, 1 if os.environ.get("REFUSED") == "all" else 40)


def all_refused_jobs(tools, root):
    """Models and networks whose groups find something that they cannot do, at each stage and at many of its places: the group's ops
    are called, with the same numbers."""
    every = itertools.chain(number_jobs(tools, root), net_jobs(tools, root))
    for name, job in every:
        command = job.__defaults__[1]
        deviates = re.search(r":\d+ case", name) or KNOWN.key_of(name)
        if "--pipeline=compile" in command and "--threads=1" in command and not deviates:
            for how in REFUSALS:
                changed = [REFUSED % how if str(c).startswith("--pipeline=") else c for c in command]
                changed += TWINS.get(command[1].parent.name, [])
                own = re.sub("^(numbers|nets)", "refused", name).replace("compile 1t", how)
                yield own, lambda n=own, c=changed: number_job(n, c)


MEMORY_SHARE, MEMORY_SLACK = 1.10, 4096


def memory_jobs(tools, root):
    for name, job in number_jobs(tools, root):
        command = job.__defaults__[1]
        if "--pipeline=compile" in command and "--threads=1" in command:
            own = name.replace("numbers ", "memory ", 1)
            yield own, lambda n=own, c=command: memory_job(n, c)


def memory_job(name, command):
    code, out, err = run(command + ["--benchmark=0", "--json"])
    if code:
        return verdict(name, code, err)
    plan = json.loads(out.decode().strip().splitlines()[-1])
    arena, alive = plan["arena_bytes"], plan["live_peak_bytes"]
    good = alive <= arena <= MEMORY_SHARE * alive + MEMORY_SLACK
    return name, "pass" if good else "fail", "" if good else f"{arena} bytes for {alive} that live together"


def text_jobs(tools, root):
    for top in ("models", "real", "nets", "ops/cases", "ops/cases_grad", "passes/printer"):
        for prog in sorted((root / top).rglob("*.json")):
            # What Paddle printed after reading this file, where that differs from what was saved.
            names = (prog.with_name("reloaded.pir") if prog.name == "program.json" else prog, prog.with_suffix(".pir"), prog.with_suffix(".pir.txt"))
            want = next((w for w in names if w != prog and w.exists()), None)
            if want:
                name = f"text {prog.relative_to(root)}"
                yield name, lambda n=name, p=prog, w=want: text_job(tools, n, p, w)


def text_job(tools, name, prog, want):
    anyhow = ["--unverified"] if "printer" in prog.parts else []  # Paddle prints ops without operands too
    code, out, err = run([tools / "pir-translate", prog, "--to=text", *anyhow])
    if code:
        return verdict(name, code, err)
    expected = want.read_bytes()
    if not same_text(out, expected):
        return name, "fail", "text differs"
    return name, "pass", "" if out == expected else "the same but for what JSON does not hold"


def same_text(made, want):
    """Equal to the byte, but for what JSON does not hold: attributes of block arguments, and the shape of a result that its
    operator left without one (it prints as 0 in memory and is stored without dims)."""
    if made == want:
        return True
    want = re.sub(rb"(?m)^ *\^.*$", lambda line: re.sub(rb"\{[^}]*\}", b"{}", line.group()), want)
    split = re.compile(rb"tensor<[^>]*>")
    pairs = list(zip(split.findall(made), split.findall(want)))
    return split.split(made) == split.split(want) and all(m == w or m == w.replace(b"<0x", b"<") for m, w in pairs)


def compare(tools, name, made, want):
    with tempfile.NamedTemporaryFile(suffix=".pir") as f:
        f.write(made)
        f.flush()
        code, out, err = run([tools / "pir-opt", "--diff", f.name, want])
    return (name, "pass", "") if code == 0 else (name, "fail", f"{last_line(err or out.decode(errors='replace'))} [{digest(made)}]")


def translate_jobs(tools, root):
    pairs = [(d / "translated.pir", d / "model.pdmodel") for top in ("models", "nets") for d in sorted((root / top).glob("*"))]
    pairs += [(d / "translated.pir", d / "legacy.pdmodel") for d in sorted((root / "passes/translate").glob("*"))]
    pairs += [(d / "converted.pir.txt", d / "inference.pdmodel") for d in sorted((root / "real").glob("*"))]
    for want, prog in pairs:
        if want.exists() and prog.exists():
            name = f"translate {prog.parent.name}"
            yield name, lambda n=name, p=prog, w=want: translate_job(tools, n, p, w)


def translate_job(tools, name, prog, want):
    code, out, err = run([tools / "pir-translate", prog, "--to=text"])
    return verdict(name, code, err) if code else compare(tools, name, out, want)


def pass_jobs(tools, root):
    listed = {l.split()[0].decode() for l in run([tools / "pir-opt", "--list-passes"])[1].splitlines() if l.strip()}
    for index in sorted(root.glob("passes/*_pass/index.jsonl")):
        which = index.parent.name
        for row in map(json.loads, index.read_text().splitlines()):
            want = index.parent / row["case"].split("/")[-1] / "after.pir"
            if not want.exists() or not (row.get("fired") or row.get("expect") == "neg"):
                continue  # did not fire on the build that recorded it: no golden
            label = f"passes {which}/{want.parent.name}"
            if which in listed:
                yield label, lambda n=label, p=which, w=want: pass_job(tools, n, p, w)
                if b"onednn_op" in want.read_bytes() and "maxdiff" in row:
                    command = [tools / "pir-opt", want.with_name("before.pir"), f"--passes={which}"]
                    name = label + ":numbers"
                    yield name, lambda n=name, c=command, f=want.parent: recorded_passes.numbers_job(run, tools, n, c, f)
            else:
                yield label, lambda n=label, p=which: (n, "skip", f"not written: {p}")


def pass_job(tools, name, which, want):
    params = want.with_name("before.pdiparams")
    command = [tools / "pir-opt", want.with_name("before.pir"), f"--passes={which}"]
    code, out, err = run(command + ([f"--params={params}"] if params.exists() else []))
    return verdict(name, code, err) if code else compare(tools, name, out, want)


def op_tolerances(root):
    table = {}
    for line in (root / "tolerances.tsv").read_text().splitlines()[1:]:
        c = line.split("\t")
        table[c[0]] = tuple(float(v) if v != "-" else d for v, d in ((c[6], 1e-5), (c[7], 1e-6)))
    return table


def op_options(tolerance, kind, flags, tensors):
    rtol, atol = tolerance
    if kind == "grad":
        rtol, atol = max(rtol, 1e-5), max(atol, 1e-6)
    if "bfloat16" in tensors:
        rtol, atol = max(rtol, 1e-2), max(atol, 1e-2)
    elif "float16" in tensors:
        rtol, atol = max(rtol, 2e-3), max(atol, 2e-3)
    ignored = [i for f in flags.split() if f.startswith(("varies:", "unset:")) for i in f.split(":")[1].split(",")]
    return [f"--rtol={rtol:g}", f"--atol={atol:g}"], ignored


def left_without_memory(folder, outs):
    """Results that Paddle gave no tensor: an empty one, of the type that numpy defaults to, whatever type and rank the result has."""
    with zipfile.ZipFile(folder / "tensors.npz") as z:
        for column in outs.split():
            i, _, dtype = column.split(":")[:3]
            stated, run, shape = column.split(":")[-1].rpartition("=")
            if run and shape == "0" and "x" in stated:
                yield i
                continue
            name = f"out_{i}.npy"
            if dtype != "float64" and name in z.namelist() and b"'<f8', 'fortran_order': False, 'shape': (0,)" in z.read(name)[:128]:
                yield i


def op_jobs(tools, root):
    yield from case_jobs(tools, root / "ops", "cases", "ops")


def grad_jobs(tools, root):
    yield from case_jobs(tools, root / "ops", "cases_grad", "grads")


def unpacked(root, archive):
    """The folder that an archive holds: among the recordings, or unpacked."""
    folder = root / archive.name.split(".")[0]
    if not folder.exists():
        folder = pathlib.Path(CODE_CACHE) / "recordings" / folder.name
        folder.parent.mkdir(exist_ok=True)
        subprocess.check_call(["tar", "-C", folder.parent, "-xf", archive])
    return folder


def more_jobs(tools, root):
    """The archives are unpacked where the folder of recordings lacks them."""
    for archive in sorted(pathlib.Path(__file__).parent.glob("archives/more/*.tar.xz")):
        yield from case_jobs(tools, unpacked(root, archive), "cases", "more")


SMALL = "ungrouped,group{few=0},dce,bind"


def small_jobs(tools, root):
    """One-op programs have so few elements that groups leave them to kernels; here they are compiled all the same."""
    yield from case_jobs(tools, root / "ops", "cases", "ops", {"small": SMALL})
    yield from case_jobs(tools, root / "ops", "cases_grad", "grads", {"small": SMALL})


def case_jobs(tools, root, top, label, pipelines=None):
    index = root / f"{top}_index.tsv"
    if not index.exists():
        return
    tolerances = op_tolerances(root)
    for line in index.read_text().splitlines()[1:]:
        op, case, kind, flags, ins, outs = line.split("\t")[:6]
        folder = root / top / op / case
        if kind == "infer" or "garbage" in flags or not (folder / "tensors.npz").exists():
            continue
        options, ignored = op_options(tolerances.get(op, (1e-5, 1e-6)), kind, flags, ins + " " + outs)
        ignored += [o.split(":")[0] for o in outs.split() if "~" in o]
        if "=0" in outs or "mismatch" in flags:
            ignored += left_without_memory(folder, outs)
        if "random" in flags:  # shape and type alone; what is compared exactly is left out
            options = ["--rtol=0", "--atol=1e30"]
            ignored += [o.split(":")[0] for o in outs.split() if "int" in o.split(":")[2] or "?" in o]
        command = [tools / "pir-run", folder / "program.json", f"--case={folder}"] + options
        command += [f"--ignore-output={i}" for i in ignored]
        for label_of, pipeline in (pipelines or {"kernels": "kernels", "compile": "compile"}).items():
            name = f"{label} {op}/{case} {label_of}"
            yield name, lambda n=name, c=command + [f"--pipeline={pipeline}", f"--cache={CODE_CACHE}"]: number_job(n, c)


def vjp_jobs(tools, root):
    """Where Paddle ran the program, from a state that is recorded: not the steps of optimizers."""
    for npz in sorted((root / "passes/vjp").glob("*/*/tensors.npz")):
        folder = npz.parent
        recorded = zipfile.ZipFile(npz).namelist()
        ran = any(name.startswith(("out/", "grad/")) for name in recorded)
        if not ran or folder.name.startswith("minimize_"):
            continue
        command = [tools / "pir-run", folder / "after.json", f"--case={folder}", "--rtol=1e-5", "--atol=1e-6"]
        for pipeline in ("kernels", "compile"):
            name = f"vjp {folder.parent.name}/{folder.name} {pipeline}"
            yield name, lambda n=name, c=command + [f"--pipeline={pipeline}", f"--cache={CODE_CACHE}"]: number_job(n, c)
            own = not any(KNOWN.key_of(f"{kind} {folder.parent.name}/{folder.name}") for kind in ("vjp", "backward"))
            if own and json.loads((folder / "grads.json").read_text())["has_grad"]:
                name = f"vjp {folder.parent.name}/{folder.name}/again {pipeline}"
                yield name, lambda n=name, f=folder, c=command[2:] + [f"--pipeline={pipeline}", f"--cache={CODE_CACHE}"]: again_job(tools, n, f, c)


def again_job(tools, name, folder, options):
    """Our gradients of the forward program, for which its values are computed again."""
    with tempfile.NamedTemporaryFile(suffix=".pir") as f:
        code, _, err = run([tools / "pir-opt", folder / "before.pir", f"--passes={recorded_backward.again_text(folder)}", "-o", f.name])
        return verdict(name, code, err) if code else number_job(name, [tools / "pir-run", f.name, *options])


TRAIN_SEED = 77  # paddle.seed of the recordings


def train_jobs(tools, root):
    """The loss is what the first gradient starts from: the scalar that a full_like of 1 is like. The startup program sets the
    parameters and the state of the optimizer, with Paddle's random numbers."""
    for folder in sorted((root / "models").glob("train_*")):
        text = (folder / "train.pir").read_text()
        loss = re.search(r'"pd_op.full_like" \((%\d+), %\d+\).* : \((tensor<f32>)', text)
        fetch = f'    (%loss) = "pd_op.fetch" ({loss[1]}) {{col:0,name:"loss"}} : ({loss[2]}) -> {loss[2]}\n'
        name = f"train {folder.name}/forward"
        yield name, lambda n=name, f=folder, t=text: minimized_job(tools, n, f, t)
        for pipeline in ("kernels", "compile"):
            name = f"train {folder.name} {pipeline}"
            yield name, lambda n=name, f=folder, t=text.rstrip()[:-1] + fetch + "}\n", p=pipeline: train_job(tools, n, f, t, p)
            expected = [f"--expect={p.stem}=@{p}" for p in sorted((folder / "init").glob("*.npy"))]
            command = [tools / "pir-run", folder / "startup.json", f"--seed={TRAIN_SEED}", f"--pipeline={pipeline}", *expected]
            name = f"train {folder.name}/startup {pipeline}"
            yield name, lambda n=name, c=command + ["--atol=0", "--rtol=1e-6"]: number_job(n, c)
    for folder in sorted(unpacked(root, pathlib.Path(__file__).parent / "archives/train.tar.xz").iterdir()):
        for pipeline in ("kernels", "compile"):
            for threads in (1, 2):
                name = f"train {folder.name}/minimize {pipeline} {threads}"
                yield name, lambda n=name, f=folder, p=pipeline, t=threads: forward_job(tools, n, f, p, t)
            for memory in ("60%", "10%"):
                name = f"train {folder.name}/again {memory} {pipeline}"
                yield name, lambda n=name, f=folder, p=pipeline, m=memory: forward_job(tools, n, f, p, 1, f",checkpoints=auto,memory={m}")
    for folder in sorted(unpacked(root, pathlib.Path(__file__).parent / "archives/trained.tar.xz").iterdir()):
        program, = [p for p in folder.glob("model.*") if p.suffix in (".json", ".pdmodel")]
        params = [f"--params={p}" for p in folder.glob("*.pdiparams")]
        for pipeline, threads in itertools.product(("kernels", "compile"), (1, 2)):
            name = f"train {folder.name}/whole {pipeline} {threads}"
            command = [tools / "pir-run", program, *params, f"--train={folder}", f"--pipeline={pipeline}", f"--threads={threads}", "--atol=1e-5", "--rtol=1e-4"]
            yield name, lambda n=name, c=command: number_job(n, c)


# The bias of attention's keys moves every score of a row alike: its gradient is 0, and what Adam makes steps of is rounding.
ROUNDING_ALONE = {"train_attention": ["--ignore-output=31"], "transformer": ["--ignore-output=76"]}


def minimized_job(tools, name, folder, text):
    """The forward program becomes that of the steps. Its values have the numbers that they have there, less one for each variable
    that lasts from step to step."""
    loss = re.search(r'"pd_op.full_like" \(%(\d+)', text)[1]
    variables = len(re.findall(r'"pd_op.data" .*persistable', text))
    update, attrs = re.search(r'"pd_op.(\w+)_" .*<<NULL VALUE>>.* {(.*?)}', text).groups()
    decay = re.search(r"\bcoeff:([^,]*)", attrs)
    options = f"loss=%{int(loss) - variables},algo={update},fetch=false" + (f",weight-decay={decay[1]}" if decay else "")
    code, out, err = run([tools / "pir-opt", folder / "forward.pir", f"--passes=minimize{{{options}}}"])
    return verdict(name, code, err) if code else compare(tools, name, out, folder / "train.pir")


def forward_job(tools, name, folder, pipeline, threads, more=""):
    """Training from the forward program alone: its steps have the losses, and leave the parameters, that Paddle's had. `more` are
    options of minimize_pass."""
    passes = [f"{file}{{{(folder / file).read_text().strip()}{more if file == 'minimize' else ''}}}"
              for file in ("minimize", "schedule") if (folder / file).exists()]
    code, out, err = run([tools / "pir-opt", folder / "forward.pir", f"--passes={','.join(passes)}"])
    if code:
        return verdict(name, code, err)
    return train_job(tools, name, folder, out.decode(), pipeline, "--rtol=1e-5", f"--threads={threads}")


def train_job(tools, name, folder, program, pipeline, *more):
    with tempfile.NamedTemporaryFile(suffix=".pir", mode="w") as f:
        f.write(program)
        f.flush()
        return number_job(name, [tools / "pir-run", f.name, f"--train={folder}", f"--pipeline={pipeline}", "--atol=1e-5",
                                 "--rtol=1e-4", *more] + ROUNDING_ALONE.get(folder.name, []))


KINDS = {"text": text_jobs, "translate": translate_jobs, "passes": pass_jobs, "numbers": number_jobs, "nets": net_jobs,
         "refused": refused_jobs, "memory": memory_jobs, "ops": op_jobs, "grads": grad_jobs, "small": small_jobs, "more": more_jobs, "vjp": vjp_jobs, "train": train_jobs,
         "roundtrip": recorded_formats.roundtrip_jobs(run), "json": recorded_formats.json_jobs(run),
         "infer": recorded_infer.infer_jobs(run), "shape": recorded_shape.shape_jobs(run),
         "legacy": recorded_legacy.legacy_jobs(run), "decomp": recorded_passes.decomp_jobs(run),
         "backward": recorded_backward.backward_jobs(run),
         "kernel": recorded_passes.kernel_jobs(run), "pipelines": recorded_passes.pipeline_jobs(run),
         "compiled": recorded_compiled.compiled_jobs(run, programs_of, lambda: EMULATED), "loops": recorded_loops.loop_jobs(run, programs_of),
         "errors": recorded_errors.error_jobs(run), "dist": recorded_dist.dist_jobs(run), "spmd": recorded_spmd.spmd_jobs(run),
         "extremes": recorded_extremes.extreme_jobs}


def share_of(jobs, first, step):
    """The first-th of every `step` jobs. Jobs that one process runs (job, process) count as one."""
    groups = collections.defaultdict(list)
    for job, *process in jobs:
        groups[process[0] if process else job].append(job)
    return [job for group in list(groups.values())[first::step] for job in group]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("--only", default=",".join(KINDS))
    ap.add_argument("--match", default="", help="only jobs in whose name this regular expression is found")
    ap.add_argument("--share", default="0/1", help="K/N: of these, the K-th of every N")
    ap.add_argument("folder", type=pathlib.Path)
    ap.add_argument("--no-memory-limit", action="store_true")
    ap.add_argument("--target")
    ap.add_argument("--accept", action="store_true", help="write what deviations.tsv states of the rows that run")
    ap.add_argument("--with", action="append", default=[], dest="more", help="an option for every pir-run")
    ap.add_argument("--emulate", type=pathlib.Path, help="folder of the tools built for aarch64")
    args = ap.parse_args()
    if args.no_memory_limit:
        globals()["MEMORY_LIMIT"] = 0
    globals()["TARGET"] = args.target
    globals()["MORE"] = args.more
    if args.emulate:
        globals()["EMULATED"], globals()["MEMORY_LIMIT"] = args.emulate.resolve(), 0  # the emulator maps all that there is
    first, step = map(int, args.share.split("/"))
    KNOWN.accepting = args.accept
    counts = {"pass": 0, "fail": 0, "skip": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind in args.only.split(","):
            jobs = [(j, *process) for n, j, *process in KINDS[kind](args.bin.resolve(), args.folder.resolve()) if re.search(args.match, n)]
            jobs = share_of(jobs, first, step)
            mine, notes = {"pass": 0, "fail": 0, "skip": 0}, collections.Counter()
            for name, result, why in pool.map(judged, jobs):
                mine[result] += 1
                if result == "pass":
                    notes[why] += 1
                else:
                    print(f"{'FAIL' if result == 'fail' else 'skip'} {name}: {why}", flush=True)
            print(f"-- {kind}: {mine['pass']} pass, {mine['fail']} fail, {mine['skip']} skip", flush=True)
            for why in sorted(w for w in notes if w):
                print(f"   {notes[why]} of them: {why}", flush=True)
            counts = {k: counts[k] + mine[k] for k in counts}
    if args.accept:
        KNOWN.write()
    if not args.match and step == 1:
        print(f"   {len(KNOWN.unmet(args.only.split(',')))} rows of deviations.tsv name no recording in {args.folder}")
    print(f"{counts['pass']} passed, {counts['fail']} failed, {counts['skip']} skipped")
    shutil.rmtree(CODE_CACHE)
    return counts["fail"] != 0


if __name__ == "__main__":
    sys.exit(main())
