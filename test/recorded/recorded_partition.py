"""Partitioning of distributed programs (kind `dist` of recorded.py), recordings below dist/dist and dist/models.

  stage  each step of the pipeline `dist` gives Paddle's next stage from its previous one, for each rank; rings are numbered by first use
  own    `dist` by itself, from the program with shard_tensor on: every rank writes the same rings, and all ranks together give
         the numbers of the program without distribution, by both pipelines
  model  the last step gives the dense program of a model's first rank
  forward  a model's program with shard_tensor, for all ranks: its loss with the first parameters, or the mean of the losses of parts of a batch
"""
import difflib
import json
import pathlib
import re
import tempfile
import zipfile

from recorded_deviations import digest, last_line
from recorded_formats import Broken, Missing, job

RING = re.compile(r"ring_id:(\d+)")
# What JSON does not hold, which a program that came from it lacks.
UNHELD = re.compile(r'([{,])(?:chunk_id:-?\d+|execution_stream:"\w*"|replace_all_uses_with_reshard_var:true)(,?)')
SAVED = re.compile(r'    \(\) = "builtin.shadow_output" \(%\d+\) \{output_name:"output"\}.*\n')


def with_rings_by_use(text):
    ids = {}
    return RING.sub(lambda m: f"ring_id:{ids.setdefault(m[1], len(ids))}", text)


def held(text):
    while True:
        shorter = UNHELD.sub(lambda m: "{" if m[1] == "{" else m[2], text)
        if shorter == text:
            return text
        text = shorter


def passed(run, tools, program, passes):
    code, out, err = run([tools / "pir-opt", program, f"--passes={passes}"])
    if code:
        raise (Missing if code == 3 else Broken)(last_line(err))
    return out.decode()


def equal(made, want):
    if made == want:
        return ""
    changes = [line for line in difflib.unified_diff(want.splitlines(), made.splitlines(), n=0, lineterm="")][2:]
    more, fewer = (sum(c.startswith(sign) for c in changes) for sign in "+-")
    raise Broken(f"{more} lines more, {fewer} lines fewer [{digest(made.encode())}]")


def stage_steps(run, tools, before, passes, after):
    return equal(with_rings_by_use(passed(run, tools, before, passes)), with_rings_by_use(after.read_text()))


def first_steps(run, tools, folder):
    """Gradients were added behind the first step: what it gives is how the next stage begins."""
    made, want = passed(run, tools, folder / "0_mix.pir", "mix2dist"), (folder / "1_dist.pir").read_text()
    if "_grad" not in want:
        return equal(made, want)
    lines = [line for line in made.splitlines() if "shadow_output" not in line and line != "}"]
    return equal("\n".join(lines), "\n".join(want.splitlines()[:len(lines)]))


def stage_of(folder, name, rank):
    """A rank's file, or the one that equals it: rank 0's; of 4_remove that of the step before, if the rank has others of its own."""
    own = folder / f"{name}.rank{rank}.pir"
    if own.exists():
        return own
    if name == "4_remove" and ((folder / f"5_dense.rank{rank}.pir").exists() or not (folder / "4_remove.rank0.pir").exists()):
        return stage_of(folder, "3_reshard", rank)
    first = folder / f"{name}.rank0.pir"
    return first if first.exists() else None


def steps_of_rank(folder, rank, ranks):
    """(text, passes, text) of a rank. The middle stages of ranks 2 and 3 of 4 were not recorded."""
    only = f"{{rank={rank}}}"
    if ranks == 4 and rank > 1:
        yield "partition to dense", folder / "2_partition.pir", f"reshard{only},remove_other_rank{only},dist2dense", stage_of(folder, "5_dense", rank)
        return
    yield "reshard", folder / "2_partition.pir", f"reshard{only}", stage_of(folder, "3_reshard", rank)
    yield "remove", stage_of(folder, "3_reshard", rank), f"remove_other_rank{only}", stage_of(folder, "4_remove", rank)
    yield "dense", stage_of(folder, "4_remove", rank), "dist2dense", stage_of(folder, "5_dense", rank)


def ranks_of(folder):
    return json.loads((folder / "rank0.meta.json").read_text())["nranks"]


def stage_jobs(run, tools, root):
    for folder in sorted((root / "dist").glob("*")):
        yield job(f"dist stage/{folder.name} mix2dist", first_steps, run, tools, folder)
        yield job(f"dist stage/{folder.name} partition", stage_steps, run, tools, folder / "1_dist.pir", "partition", folder / "2_partition.pir")
        for rank in range(ranks_of(folder)):
            for name, before, passes, after in steps_of_rank(folder, rank, ranks_of(folder)):
                if before and after:
                    yield job(f"dist stage/{folder.name} {name} {rank}", stage_steps, run, tools, before, passes, after)


def beginning_of(folder):
    """The program before the first step, or, where gradients were added behind it, after that."""
    return folder / ("1_dist.json" if "_grad" in (folder / "1_dist.pir").read_text() else "0_mix.json")


def own_steps(run, tools, folder, pipeline, run_ranks, rezipped, names_in):
    count, rings, partitioned = ranks_of(folder), set(), (folder / "5_dense.rank0.pir").exists()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for rank in range(count):
            to, arrays = work / f"rank_{rank}", folder / f"rank{rank}.npz"
            to.mkdir()
            text = passed(run, tools, beginning_of(folder), f"dist{{rank={rank},rings={work}/rings}}")
            (to / "model.pir").write_text(text)
            rings.add((work / "rings").read_text())
            read, shown = re.findall(r'"pd_op.data" .*?\bname:"(\w+)"', text), re.findall(r'output_name:"(\w+)"', text)
            wanted = {f"in_{n}": f"in_{n}" for n in read} | {f"out_{n}": f"out_{i}" for i, n in enumerate(shown)}
            given = set(names_in(arrays)) if arrays.exists() else set()
            parts = {n: to for n, to in wanted.items() if n in given}
            # Where Paddle's partitioning failed, every rank has the whole results.
            whole = {n: to for n, to in wanted.items() if n.startswith("out_") and n not in given and not partitioned}
            rezipped(to / "tensors.npz", *([(arrays, parts)] if parts else []), *([(folder / "full.npz", whole)] if whole else []))
        if len(rings) > 1:
            raise Broken("ranks have different rings")
        run_ranks(run, tools, work, count, None, "threads", f"--pipeline={pipeline}", "--atol=1e-6", "--rtol=1e-6")
    return ""


def own_jobs(run, tools, root, *helpers):
    for folder in sorted((root / "dist").glob("*")):
        for pipeline in ("kernels", "compile"):
            yield job(f"dist own/{folder.name} {pipeline}", own_steps, run, tools, folder, pipeline, *helpers)


def model_steps(run, tools, folder, kind):
    """Saving adds an output to the program that predicts."""
    made = passed(run, tools, folder / f"{kind}_dist.rank0.json", "dist2dense")
    want = SAVED.sub("", (folder / f"{kind}_dense.rank0.pir").read_text()) if kind == "predict" else (folder / f"{kind}_dense.rank0.pir").read_text()
    return equal(held(with_rings_by_use(made)), held(with_rings_by_use(want)))


def model_jobs(run, tools, root):
    for folder in sorted((root / "models").glob("*")):
        for kind in ("predict", "train"):
            yield job(f"dist model/{folder.name} {kind}", model_steps, run, tools, folder, kind)


PARAMETER = re.compile(r'"builtin.parameter" \(\) \{.*?parameter_name:"([^"]+)".*?\} : \(\) -> tensor<([\dx]*)xf32>')
FED = re.compile(r'"pd_op.data" .*?\bname:"([^"]+)"')
LOSS = re.compile(r"^loss\S*: float32.*\n\[?([-\d.e]+)", re.M)


def as_input(m):
    return (f'"pd_op.data" () {{dtype:float32,name:"{m[1]}",place:Place(undefined:0),shape:[{m[2].replace("x", ",")}]}}'
            f" : () -> tensor<{m[2]}xf32>")


def forward_steps(run, tools, folder, pipeline, own_rows):
    count, meta = ranks_of(folder), json.loads((folder / "rank0.meta.json").read_text())
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for rank in range(count):
            to = work / f"rank_{rank}"
            to.mkdir()
            text = passed(run, tools, folder / "train_mix.rank0.pir", f"dist{{rank={rank},rings={work}/rings}}")
            text = PARAMETER.sub(as_input, text)
            (to / "model.pir").write_text(text)
            with zipfile.ZipFile(folder / f"rank{rank}.npz") as arrays:
                for name in FED.findall(text):
                    given = {"input0": "step0/x", "label0": "step0/y"}.get(name) or f"init/{meta['layer_names'][name]}"
                    data = arrays.read(f"{given}.npy")
                    (to / f"{name}.npy").write_bytes(own_rows(data, text, name, rank) if given.startswith("init/") else data)
        inputs = [f"--input={name}=@{work}/rank_%r/{name}.npy" for name in FED.findall(text)]
        code, out, err = run([tools / "pir-run", f"--ranks={count}", f"{work}/rank_%r/model.pir", f"--rings={work}/rings", "--print",
                              f"--pipeline={pipeline}", *inputs])
    if code:
        raise Broken(last_line(err))
    losses, want = [float(v) for v in LOSS.findall(out.decode())], meta["losses_without_distribution"][0]
    if len(losses) != count or abs(sum(losses) / count - want) > 1e-6 * max(1, abs(want)):
        raise Broken(f"losses {losses}, not {want}")
    return ""


def forward_jobs(run, tools, root, own_rows):
    for folder in sorted((root / "models").glob("*")):
        for pipeline in ("kernels", "compile"):
            yield job(f"dist forward/{folder.name} {pipeline}", forward_steps, run, tools, folder, pipeline, own_rows)


def partition_jobs(run, tools, root, own_rows, *helpers):
    yield from stage_jobs(run, tools, root)
    yield from own_jobs(run, tools, root, *helpers)
    yield from model_jobs(run, tools, root)
    yield from forward_jobs(run, tools, root, own_rows)
