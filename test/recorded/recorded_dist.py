"""Distributed programs (kind `dist` of recorded.py), recordings below dist/.

  text   every program's text through typed text and JSON and back, to the byte, but for what JSON does not hold; Paddle's JSON gives
         Paddle's text, likewise, and itself back but for the version of the format and the place of op_role; every type of types.txt
  collective, dense, predict, train  programs of one collective operator, partitioned programs, models, and their training: from text and JSON,
         on all ranks as threads, by both pipelines
  stage, own, model  partitioning (recorded_partition.py)
  openmpi, mpich  operators and one training on two ranks as processes, where that MPI is installed
  nccl            operators and one training of ranks whose tensors the stand-in for NCCL moves (test/cuda/shim)
"""
import json
import math
import pathlib
import re
import shutil
import tempfile
import zipfile

import legacy_desc
from npy import read_npy, write_npy
from recorded_deviations import last_line
from recorded_formats import Batch, Broken, Chain, Missing, job, same, through_json
from recorded_partition import partition_jobs

VERSION = re.compile(rb'"version":\d+')
# JSON holds these of ops that Paddle does not describe alone.
UNHELD = re.compile(rb'([{,])(?:chunk_id:-?\d+|execution_stream:"\w*"|replace_all_uses_with_reshard_var:true)(,?)')
# Of undescribed ops: behind or in front of other attributes, by the passes that the program went through.
ROLE = re.compile(rb'ITEM,|,ITEM|ITEM'.replace(b"ITEM", rb'\{"AT":\{"#":"0.a_i32","D":\d\},"N":"op_role"\}'))
BATCH = 50  # texts that one process reads


def held(text):
    """The text without what JSON does not hold."""
    while True:
        shorter = UNHELD.sub(lambda m: b"{" if m[1] == b"{" else m[2], text)
        if shorter == text:
            return text
        text = shorter


def comparable(json):
    return ROLE.sub(b"", VERSION.sub(b"", json.strip(), count=1))


def json_steps(chain, path):
    same(comparable(chain.file(path, "json")), comparable(path.read_bytes()), "JSON")
    text = path.with_suffix(".pir")
    if not text.exists():
        return ""
    made, want = chain.file(path, "text"), text.read_bytes()
    if made == want:
        return ""
    same(held(made), held(want), "text")
    return "attributes that JSON does not hold"


def program_steps(chain, batch, path):
    if batch.holds(path):
        return ""
    text = path.read_bytes()
    same(chain.file(path, "text"), text, "text")
    typed, json = chain.file(path, "typed"), chain.file(path, "json")
    same(chain.text(typed, "text"), text, "text through typed")
    same(chain.text(typed, "json"), json, "JSON of typed")
    same(held(chain.text(json, "text")), held(text), "text through JSON")
    return "attributes that JSON does not hold"


def type_steps(chain, path):
    """Each type is the result of an op."""
    types = path.read_text().splitlines()
    ops = "".join(f'    (%{i}) = "test.made" () {{}} : () -> {t}\n' for i, t in enumerate(types))
    text = ("{\n" + ops + "}\n").encode()
    same(chain.text(text, "text"), text, "text")
    same(chain.text(chain.text(text, "typed"), "text"), text, "text through typed")
    return through_json(chain, text, "text", chain.text(text, "json"))


def format_jobs(run, tools, root):
    chain = Chain(run, tools, "--unverified")
    texts = sorted(root.rglob("*.pir"))
    for i, path in enumerate(texts):
        if i % BATCH == 0:
            batch = Batch(run, tools, texts[i:i + BATCH])
        name, steps = job(f"dist text/{path.relative_to(root)}", program_steps, chain, batch, path)
        yield name, steps, batch
    for path in sorted(root.rglob("*.json")):
        if ".meta." not in path.name and path.name != "index.json" and "spmd" not in path.parts:
            yield job(f"dist json/{path.relative_to(root)}", json_steps, chain, path)
    if (root / "types.txt").exists():
        yield job("dist types", type_steps, chain, root / "types.txt")


# ---- numbers ------------------------------------------------------------------------------------------
def rezipped(to, *sources):
    """Writes a case: arrays of npz files under other names. A source is (npz, {name there: name here})."""
    with zipfile.ZipFile(to, "w") as z:
        for npz, names in sources:
            with zipfile.ZipFile(npz) as given:
                for old, new in names.items():
                    z.writestr(f"{new}.npy", given.read(f"{old}.npy"))


def names_in(npz):
    return [n.removesuffix(".npy") for n in zipfile.ZipFile(npz).namelist()]


LAST = re.compile(r"\((%[^()]*)\) = .* -> (.*)\n}\s*$")


def with_outputs(text):
    """A program without outputs hands out the results of its last op."""
    last = LAST.search(text)
    if "pd_op.fetch" in text or "builtin.shadow_output" in text or not last:
        return text
    body = text.rstrip().removesuffix("}")
    for i, (value, kind) in enumerate(zip(last[1].split(", "), re.split(r", (?=tensor|vec)", last[2]))):
        body += f'    (%out_{i}) = "pd_op.fetch" ({value}) {{col:{i},name:"out{i}"}} : ({kind}) -> {kind}\n'
    return body + "}\n"


def of_rank(folder, name, rank):
    """A rank's file; one that is not there equals rank 0's."""
    own = folder / name.format(rank)
    return own if own.exists() else folder / name.format(0)


def ring_lines(rings):
    return "".join(f"{ring},{','.join(map(str, ranks))}\n" for ring, ranks in rings)


THREADS = "threads"
MPIS = ("openmpi", "mpich")
NCCL = "nccl"


def start_of(tools, by, ranks):
    """The command that starts pir-run on all ranks, as threads, perhaps with NCCL, or by an MPI's launcher."""
    if by == THREADS:
        return [tools / "pir-run", f"--ranks={ranks}"]
    if by == NCCL:
        return ["env", f"LD_LIBRARY_PATH={tools.parent}/cuda", f"PIR_SHIM_DEVICES={ranks}", tools / "pir-run", f"--ranks={ranks}", "--comm=nccl"]
    if not shutil.which(f"mpirun.{by}") or not (tools.parent / f"lib/libpir_mpi_{by}.so").exists():
        raise Missing(f"{by} is not installed (mk/setup.sh mpi)")
    crowd = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"] if by == "openmpi" else []
    root = ["env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "ASAN_OPTIONS=detect_leaks=0"]
    return [*root, f"mpirun.{by}", *crowd, "-n", str(ranks), tools / "pir-run"]


def run_ranks(run, tools, work, ranks, rings, by, *options):
    """Runs rank_R/model.pir with the case rank_R/tensors.npz for all ranks."""
    if rings is not None:  # else the file is there
        (work / "rings").write_text("[ring_id -> ranks]\n" + ring_lines(rings))
    case = [] if any(o.startswith("--train") for o in options) else [f"--case={work}/rank_%r"]
    # Launchers of Open MPI share a folder for their sessions, which the last one removes while the next begins.
    apart = ["env", f"TMPDIR={work}"] if by == "openmpi" else []
    code, out, err = run([*apart, *start_of(tools, by, ranks), work / "rank_%r/model.pir", *case, f"--rings={work}/rings", "--comm-timeout=20", *options])
    if code:
        told = [line for line in (err or out.decode(errors="replace")).splitlines() if line.startswith("pir-run")]
        raise (Missing if code == 3 and "unsupported" in err else Broken)(told[-1] if told else last_line(err or out.decode(errors="replace")))


def header(npz, name):
    dtype, shape, _ = read_npy(zipfile.ZipFile(npz).read(f"{name}.npy"), False)
    return dtype, shape


def made_program(folder, kind):
    """The .pdmodel of an op that Paddle 3.3.1 does not know any more; the root is the rank that has the result."""
    given, want = folder / "rank0.in.npz", folder / "rank0.out.npz"
    ranks = sorted(folder.glob("rank*.in.npz"))
    result = zipfile.ZipFile(want).read("out0.npy")
    root = next((r for r, npz in enumerate(ranks) if zipfile.ZipFile(npz).read("x.npy") == result), 0)
    made = legacy_desc.op(kind, {"X": ["x"]}, {"Out": ["out"]}, ring_id=0, root=root, root_id=root, nranks=len(ranks), use_calc_stream=True)
    return legacy_desc.program({"x": header(given, "x")}, [made], {"out": header(want, "out0")})


def collective_steps(run, tools, chain, folder, suffix, pipeline, by=THREADS):
    meta = json.loads(next(folder.glob("rank*.meta.json")).read_text())
    count, ignored = meta["nranks"], []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for rank in range(count):
            to = work / f"rank_{rank}"
            to.mkdir()
            given, want = folder / f"rank{rank}.in.npz", folder / f"rank{rank}.out.npz"
            takes_part = rank in meta.get("ranks", range(count))
            program = of_rank(folder, "rank{}" + suffix, rank)
            if suffix == ".pdmodel":
                program = work / "made.pdmodel"
                program.write_bytes(made_program(folder, meta["op"]))
            text = chain.file(program, "text").decode() if takes_part else "{\n}\n"
            root = re.search(r'"pd_op.reduce_?" .*root_id:(\d+)', text)  # on other ranks Paddle leaves anything
            shows = want.exists() and takes_part and not (root and int(root[1]) != rank)
            (to / "model.pir").write_text(with_outputs(text) if shows else text)
            sources = [(given, {n: f"in_{n}" for n in names_in(given)})] if given.exists() else []
            if shows:
                sources += [(want, {f"out{i}": f"out_{i}" for i in range(len(names_in(want)))})]
            rezipped(to / "tensors.npz", *sources)
        every = list(range(count))
        rings = [(0, every), (5, every), (7, every[-2:])]
        run_ranks(run, tools, work, count, rings, by, f"--pipeline={pipeline}", "--atol=1e-6", "--rtol=1e-6")
    return ""


def collective_jobs(run, tools, root):
    chain = Chain(run, tools, "--unverified")
    for folder in sorted((root / "collective").glob("*_n*")):
        for suffix in (".pir", ".json") if (folder / "rank0.pir").exists() or not folder.name.startswith("legacy") else (".pdmodel",):
            for pipeline in ("kernels", "compile"):
                name = f"dist collective/{folder.name}/{suffix[1:]} {pipeline}"
                yield job(name, collective_steps, run, tools, chain, folder, suffix, pipeline)


def rings_of(folder, count):
    """Which ranks made which ring, by all ranks' accounts."""
    rings = set()
    for rank in range(count):
        meta = json.loads(of_rank(folder, "rank{}.meta.json", rank).read_text())
        for groups in (meta.get("groups", {}), meta.get("predict_groups", {})):
            rings |= {(int(ring), tuple(ranks)) for ring, ranks in groups.items()}
    return sorted(rings)


def dense_steps(run, tools, chain, folder, suffix, pipeline):
    """What each rank runs of a partitioned program gives its part of the results."""
    count = json.loads((folder / "rank0.meta.json").read_text())["nranks"]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for rank in range(count):
            to, arrays = work / f"rank_{rank}", folder / f"rank{rank}.npz"
            to.mkdir()
            text = chain.file(of_rank(folder, "5_dense.rank{}" + suffix, rank), "text").decode()
            (to / "model.pir").write_text(text)
            given = names_in(arrays) if arrays.exists() else []
            names = {n: n for n in given if n.startswith("in_")}
            for i, out in enumerate(re.findall(r'output_name:"(\w+)"', text)):
                names[f"out_{out}"] = f"out_{i}"
            rezipped(to / "tensors.npz", *([(arrays, names)] if given else []))
        run_ranks(run, tools, work, count, rings_of(folder, count), THREADS, f"--pipeline={pipeline}", "--atol=1e-6", "--rtol=1e-6")
    return ""


def dense_jobs(run, tools, root):
    chain = Chain(run, tools, "--unverified")
    for folder in sorted((root / "dist").glob("*")):
        for suffix in (".pir", ".json"):
            for pipeline in ("kernels", "compile"):
                if (folder / f"5_dense.rank0{suffix}").exists():
                    name = f"dist dense/{folder.name}/{suffix[1:]} {pipeline}"
                    yield job(name, dense_steps, run, tools, chain, folder, suffix, pipeline)


def rows_like(whole, part, result):
    """The rows of `result` that belong to those rows of `whole` that `part` has: (element type, extents, values) each."""
    if part[1] == whole[1]:
        return result
    rows, of = part[1][0], whole[1][0]
    width, out_width = len(whole[2]) // of, len(result[2]) // of
    at = next(i for i in range(0, of, rows) if whole[2][i * width:(i + rows) * width] == part[2])
    return result[0], [rows, *result[1][1:]], result[2][at * out_width:(at + rows) * out_width]


def predict_steps(run, tools, folder, suffix, pipeline):
    """A trained model, cut for the ranks, gives what the whole model gives."""
    count = json.loads((folder / "rank0.meta.json").read_text())["nranks"]
    with tempfile.TemporaryDirectory() as work, zipfile.ZipFile(folder / "full.npz") as full:
        work = pathlib.Path(work)
        for rank in range(count):
            to = work / f"rank_{rank}"
            to.mkdir()
            with zipfile.ZipFile(folder / f"rank{rank}.npz") as own:
                x = own.read("step0/x.npy")
            want = rows_like(read_npy(full.read("step0/x.npy"), False), read_npy(x, False), read_npy(full.read("predict.npy"), False))
            with zipfile.ZipFile(to / "tensors.npz", "w") as case:
                case.writestr("in_input0.npy", x)
                case.writestr("out_0.npy", write_npy(*want))
            (to / "model.pir").symlink_to(of_rank(folder, "predict_dense.rank{}" + suffix, rank))
            (to / "model.pdiparams").symlink_to(of_rank(folder, "predict_dense.rank{}.pdiparams", rank))
        run_ranks(run, tools, work, count, rings_of(folder, count), THREADS, f"--params={work}/rank_%r/model.pdiparams", f"--pipeline={pipeline}",
                  "--atol=1e-6", "--rtol=1e-6")
    return ""


STATE = re.compile(r'"pd_op.data" .*?dtype:(\w+),name:"(\w+(?:\.\w+)*)",op_role:\d,persistable:\[true\].*?shape:\[([\d,]*)\]')
# How the optimizers of the recordings begin; the moments and the velocity are 0.
BEGINS = {"beta1_pow_acc_0": 0.9, "beta2_pow_acc_0": 0.999}
RATES = {"sgd_": 0.1, "momentum_": 0.1, "adamw_": 0.01}


def state_of_optimizer(text, to):
    """Writes the variables that the optimizer begins with."""
    rate = next(r for op, r in RATES.items() if f'"pd_op.{op}"' in text)
    for dtype, name, dims in STATE.findall(text):
        shape = [int(d) for d in dims.split(",") if d]
        value = rate if name == "learning_rate_0" else next((v for end, v in BEGINS.items() if name.endswith(end)), 0.0)
        (to / f"{name}.npy").write_bytes(write_npy(dtype, shape, [value] * math.prod(shape)))


def own_rows(data, text, name, rank):
    """The rank's rows, where the program holds some of the parameter's rows alone (the third stage of sharding)."""
    dtype, shape, values = read_npy(data, False)
    dims = re.search(rf'name:"{re.escape(name)}".*?shape:\[([\d,]*)\]', text)[1]
    rows = int(dims.split(",")[0]) if dims else 0
    if not rows or rows == shape[0]:
        return data
    width = len(values) // shape[0]
    return write_npy(dtype, [rows, *shape[1:]], values[rank * rows * width:(rank + 1) * rows * width])


def rank_of_training(tools, run, folder, rank, suffix, to):
    """A folder as pir-run --train reads it. Returns the outputs that the recording lacks."""
    meta = json.loads((folder / f"rank{rank}.meta.json").read_text())
    program = of_rank(folder, "train_dense.rank{}" + suffix, rank)
    code, text, err = run([tools / "pir-opt", program, "--passes=state"])
    if code:
        raise Broken(last_line(err))
    text, names = text.decode(), {new: old for new, old in meta["layer_names"].items()}
    for part in ("init", "final", *(f"step{k}" for k in range(3))):
        (to / part).mkdir(parents=True)
    (to / "model.pir").symlink_to(program)
    state_of_optimizer(text, to / "init")
    with zipfile.ZipFile(folder / f"rank{rank}.npz") as arrays:
        for name, layer in names.items():
            for part in ("init", "final"):
                (to / part / f"{name}.npy").write_bytes(own_rows(arrays.read(f"{part}/{layer}.npy"), text, name, rank))
        for k in range(3):
            (to / f"step{k}/input0.npy").write_bytes(arrays.read(f"step{k}/x.npy"))
            (to / f"step{k}/label0.npy").write_bytes(arrays.read(f"step{k}/y.npy"))
    losses = meta.get("losses_by_gloo")
    (to / "losses.npy").write_bytes(write_npy("float32", [3], losses or [0.0] * 3))
    outputs = re.findall(r'(?:output_name|pd_op.fetch" .*name):"([^"]+)"', text)
    # The gradient of the keys' bias is rounding noise.
    return [i for i, name in enumerate(outputs) if (not losses if name.startswith("loss") else names.get(name, "k.bias").endswith("k.bias"))]


def train_steps(run, tools, folder, suffix, pipeline, by=THREADS):
    """Three steps of training on all ranks: the losses that Paddle has over gloo, and the parameters of the whole model."""
    count = json.loads((folder / "rank0.meta.json").read_text())["nranks"]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        ignored = [rank_of_training(tools, run, folder, rank, suffix, work / f"rank_{rank}") for rank in range(count)]
        run_ranks(run, tools, work, count, rings_of(folder, count), by, f"--train={work}/rank_%r", f"--pipeline={pipeline}", "--atol=1e-6",
                  "--rtol=1e-5", *(f"--ignore-output={i}" for i in ignored[0]))
    return ""


def fleet_steps(run, tools, folder, pipeline):
    """A model of fleet's layers as paddle.jit.save leaves it on each rank."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for rank in range(2):
            to = work / f"rank_{rank}"
            to.mkdir()
            rezipped(to / "tensors.npz", (folder / f"rank{rank}.npz", {"in_ids": "in_ids", "out": "out_0"}))
            (to / "model.pir").symlink_to(folder / f"rank_{rank}/model.json")
        run_ranks(run, tools, work, 2, [(14, (0, 1))], THREADS, f"--params={folder}/rank_%r/model.pdiparams", f"--pipeline={pipeline}", "--atol=1e-6",
                  "--rtol=1e-6")
    return ""


def model_jobs(run, tools, root):
    for pipeline in ("kernels", "compile"):
        for folder in sorted((root / "models").glob("*")):
            for suffix in (".pir", ".json"):
                name = f"dist predict/{folder.name}/{suffix[1:]} {pipeline}"
                yield job(name, predict_steps, run, tools, folder, suffix, pipeline)
                name = f"dist train/{folder.name}/{suffix[1:]} {pipeline}"
                yield job(name, train_steps, run, tools, folder, suffix, pipeline)
        if (root / "fleet_n2").exists():
            yield job(f"dist fleet_n2 {pipeline}", fleet_steps, run, tools, root / "fleet_n2", pipeline)


def mpi_jobs(run, tools, root):
    """The collective operators, and one training, of two ranks as processes."""
    chain = Chain(run, tools, "--unverified")
    for by in MPIS:
        for folder in sorted((root / "collective").glob("*_n2")):
            if (folder / "rank0.pir").exists():
                yield job(f"dist {by}/{folder.name}", collective_steps, run, tools, chain, folder, ".pir", "compile", by)
        for folder in sorted((root / "models").glob("tp_mlp_n2")):
            yield job(f"dist {by}/{folder.name}", train_steps, run, tools, folder, ".pir", "compile", by)


def nccl_jobs(run, tools, root):
    """The collective operators of all recorded numbers of ranks, and a training, as threads whose tensors NCCL moves."""
    chain = Chain(run, tools, "--unverified")
    for folder in sorted((root / "collective").glob("*_n*")):
        if (folder / "rank0.pir").exists():
            yield job(f"dist nccl/{folder.name}", collective_steps, run, tools, chain, folder, ".pir", "compile", NCCL)
    for folder in sorted((root / "models").glob("tp_mlp_n2")):
        yield job(f"dist nccl/{folder.name}", train_steps, run, tools, folder, ".pir", "compile", NCCL)


def dist_jobs(run):
    def jobs(tools, root):
        yield from format_jobs(run, tools, root / "dist")
        yield from collective_jobs(run, tools, root / "dist")
        yield from dense_jobs(run, tools, root / "dist")
        yield from model_jobs(run, tools, root / "dist")
        yield from mpi_jobs(run, tools, root / "dist")
        yield from nccl_jobs(run, tools, root / "dist")
        yield from partition_jobs(run, tools, root / "dist", own_rows, run_ranks, rezipped, names_in)
    return jobs
