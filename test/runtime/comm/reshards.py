"""Chains of reshards over random meshes: `reshards.py BIN FOLDER FIRST LAST` partitions one program for each seed, runs all its ranks, and compares
their parts with parts of the whole tensor. Meshes have 1 to 3 dimensions, any order of processes, and all ranks or some; tensors are whole, split or
partial along each dimension. Prints a line for each seed that fails, and in the end how many passed."""
import itertools
import math
import pathlib
import random
import shutil
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "recorded"))
from npy import write_npy  # noqa: E402

COMBINE = {None: lambda v: v[0], "SUM": sum, "MAX": max, "MIN": min, "PRODUCT": math.prod, "AVG": lambda v: sum(v) / len(v)}


class Mesh:
    def __init__(self, shape, ids):
        self.shape, self.ids = shape, ids
        self.lists = f"shape:{shape},process_ids:{ids}".replace(" ", "")

    def place(self, rank):
        """The coordinates of a rank."""
        at, out = self.ids.index(rank), []
        for extent in reversed(self.shape):
            at, c = divmod(at, extent)
            out.insert(0, c)
        return out


class Spread:
    def __init__(self, mesh, mapping, partial):
        self.mesh, self.mapping, self.partial = mesh, mapping, partial
        kinds = ",".join(f"partial({d},{k})" for d, k in sorted(partial.items()))
        self.text = f"mesh_{mesh.lists},dims_mappings:{mapping}".replace(" ", "") + (", " + kinds if kinds else "") + ", placements:[]"

    def part(self, whole, dims, rank):
        """The extents and elements of a rank's part."""
        at, ranges = self.mesh.place(rank), []
        for extent, along in zip(dims, self.mapping):
            width = extent // self.mesh.shape[along] if along >= 0 else extent
            first = at[along] * width if along >= 0 else 0
            ranges.append(range(first, first + width))
        strides = [math.prod(dims[i + 1:]) for i in range(len(dims))]
        return [len(r) for r in ranges], [whole[sum(i * s for i, s in zip(index, strides))] for index in itertools.product(*ranges)]


def drawn_mesh(r, ranks, full):
    left, shape = ranks if full else r.randint(1, ranks), []
    ids = r.sample(range(ranks), left)
    while len(shape) < 2 and r.random() < 0.65:
        shape.append(r.choice([d for d in range(1, left + 1) if left % d == 0]))
        left //= shape[-1]
    return Mesh([*shape, left], sorted(ids) if r.random() < 0.5 else ids)


def drawn_spread(r, mesh, rank, partial_too):
    mapping, partial, kind = [-1] * rank, [], r.choice([k for k in COMBINE if k])
    for d in r.sample(range(len(mesh.shape)), len(mesh.shape)):
        free, how = [i for i in range(rank) if mapping[i] < 0], r.random()
        if how < 0.4 and free:
            mapping[r.choice(free)] = d
        elif how < 0.6 and partial_too:
            partial.append(d)
    return Spread(mesh, mapping, {d: kind for d in partial})


def drawn_chain(r, ranks, rank):
    chain = [drawn_spread(r, drawn_mesh(r, ranks, True), rank, True)]
    for last in [False] * r.randint(1, 3) + [True]:
        mesh, how = chain[-1].mesh, r.random()
        if how < 0.4:
            mesh = drawn_mesh(r, ranks, how < 0.2)
        elif how < 0.6:
            mesh = Mesh(mesh.shape, r.sample(range(ranks), len(mesh.ids)))
        chain.append(drawn_spread(r, mesh, rank, not last))
    return chain


def program_of(chain, dims):
    """The program, in Paddle's text."""
    dense = "x".join(map(str, dims)) + "xf32"

    def of_type(s):
        return f"pd_dist.tensor<{dense}, {s.text}>"

    def dist(operands, results):
        ids = sorted({i for s in operands + results for i in s.mesh.ids})
        meshes = {s.mesh.lists for s in operands + results}
        mesh = meshes.pop() if len(meshes) == 1 else Mesh([len(ids)], ids).lists
        sides = "".join(f",{side}({i}):{{{s.text}}}" for side, all_of in (("operand", operands), ("result", results)) for i, s in enumerate(all_of))
        return f"op_dist_attr:{{mesh:{{{mesh}}}{sides},chunk_id:-1}}"

    first, last = chain[0], chain[-1]
    lines = [f'(%0) = "pd_op.data" () {{dtype:float32,name:"a",place:Place(undefined:0),shape:{dims},stop_gradient:[true]}} : () -> tensor<{dense}>',
             f'(%1) = "dist_op.shard_tensor" (%0) {{{dist([], [first])},stop_gradient:[false]}} : (tensor<{dense}>) -> {of_type(first)}']
    for i, (a, b) in enumerate(zip(chain, chain[1:])):
        lines.append(f'(%{i + 2}) = "dist_op.reshard" (%{i + 1}) {{{dist([a], [b])},stop_gradient:[false]}} : ({of_type(a)}) -> {of_type(b)}')
    lines.append(f'() = "builtin.shadow_output" (%{len(chain)}) {{{dist([last], [])},output_name:"out"}} : ({of_type(last)}) -> ')
    return "{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def inputs_of(r, first, dims):
    """What processes begin with, by their coordinates along partial dimensions, and what that combines to."""
    count = math.prod(dims)
    along = sorted(first.partial)
    tensors = {at: [r.choice([-2, -1, 1, 2]) for _ in range(count)] for at in itertools.product(*(range(first.mesh.shape[d]) for d in along))}
    combine = COMBINE[next(iter(first.partial.values()), None)]
    return along, tensors, [combine(v) for v in zip(*tensors.values())]


def trial(tools, work, seed):
    """What went wrong, or nothing."""
    r = random.Random(seed)
    ranks, rank = r.choice([1, 2, 2, 3, 4, 4, 4, 6, 8]), r.randint(1, 3)
    dims = [r.choice([24, 48] if ranks in (3, 6) or rank == 1 else [8, 16]) for _ in range(rank)]
    if any(e % n for e in dims for n in range(1, ranks + 1)):
        dims = [{1: 4, 2: 4, 3: 6, 4: 12, 6: 60, 8: 840}[ranks] if i == 0 else 8 for i in range(rank)]
    chain = drawn_chain(r, ranks, rank)
    uneven = any(along >= 0 and e % s.mesh.shape[along] for s in chain for e, along in zip(dims, s.mapping))
    along, tensors, whole = inputs_of(r, chain[0], dims)
    (work / "program.pir").write_text(program_of(chain, dims))
    rings = set()
    for n in range(ranks):
        to = work / f"rank_{n}"
        to.mkdir()
        made = subprocess.run([tools / "pir-opt", work / "program.pir", f"--passes=dist{{rank={n},rings={work}/rings}}", "--verify-each",
                               "-o", to / "model.pir"], stderr=subprocess.PIPE, text=True)
        if made.returncode:
            return "" if uneven and "unsupported: a dimension of" in made.stderr else made.stderr.splitlines()[0]
        rings.add((work / "rings").read_text())
        at = chain[0].mesh.place(n)
        arrays = {"in_a": chain[0].part(tensors[tuple(at[d] for d in along)], dims, n)} if "pd_op.data" in (to / "model.pir").read_text() else {}
        if n in chain[-1].mesh.ids:
            arrays["out_0"] = chain[-1].part(whole, dims, n)
        with zipfile.ZipFile(to / "tensors.npz", "w") as z:
            for name, (extents, values) in arrays.items():
                z.writestr(f"{name}.npy", write_npy("float32", extents, values))
    if len(rings) > 1:
        return "ranks have different rings"
    ran = subprocess.run([tools / "pir-run", f"--ranks={ranks}", work / "rank_%r/model.pir", f"--case={work}/rank_%r", f"--rings={work}/rings",
                          "--comm-timeout=30", "--pipeline=kernels", "--atol=0", "--rtol=1e-6"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return (ran.stderr.splitlines() or [f"exit code {ran.returncode}"])[-1] if ran.returncode else ""


def main():
    tools, work, first, last = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    failed = 0
    for seed in range(first, last):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        why = trial(tools, work, seed)
        if why:
            failed += 1
            print(f"seed {seed}: {why}")
    print(f"{last - first - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
