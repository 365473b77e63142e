#!/usr/bin/env python3
"""Partitioning beside real Paddle: programs over meshes, drawn by a seed, go through Paddle's steps for every rank, and through libpir's.

  partition.py --bin BIN --work DIR [--seed N] [--chains N]     ends with `N passed, N failed, N skipped`
  partition.py --draw RANK RANKS SPECS OUT                       the stages of one rank, by Paddle (a process for each rank)

Programs are chains of reshards over meshes of 1 to 3 dimensions, and steps of optimizers whose parameters are distributed. A stage that
Paddle refuses, and a rank that sends and receives in one move (docs/deviations.md), is skipped; rings are numbered by first use.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

STEPS = [("0_mix", "mix2dist", "1_dist"), ("1_dist", "partition", "2_partition"), ("2_partition", "reshard{only}", "3_reshard"),
         ("3_reshard", "remove_other_rank{only}", "4_remove"), ("4_remove", "dist2dense", "5_dense"), ("0_mix", "dist{only}", "5_dense")]
OPTIMIZERS = ("SGD", "Momentum", "AdamW", "Lamb", "clip")
TRAININGS = [([2], ["s0"], ["r"], ["r"]), ([2], ["r"], ["s1"], ["s0"]), ([2], ["s0"], ["s0"], ["s0"]),
             ([2, 2], ["s0", "r"], ["r", "s1"], ["r", "s0"]), ([2, 2], ["s0", "r"], ["s0", "s1"], ["s0", "r"])]


# ---- specifications
def drawn_mesh(r, ranks, full):
    ids = sorted(r.sample(range(ranks), ranks if full else r.choice([1, 2, ranks // 2 or 1, ranks])))
    return [r.choice({1: [[1]], 2: [[2]], 4: [[4], [2, 2]], 8: [[2, 2, 2], [4, 2], [8]]}[len(ids)]), ids]


def drawn_places(r, mesh, rank, partial):
    places, free = [], list(range(rank))
    for _ in mesh[0]:
        how = r.random()
        if how < 0.45 and free:
            places.append(f"s{free.pop(r.randrange(len(free)))}")
        else:
            places.append("p" if how < 0.6 and partial else "r")
    return places


def drawn_chain(r, i):
    ranks, rank = r.choice([2, 2, 4, 4, 4, 8]), r.randint(1, 3)
    mesh = drawn_mesh(r, ranks, r.random() < 0.7)
    steps = [[mesh, drawn_places(r, mesh, rank, r.random() < 0.4)]]
    for _ in range(r.randint(1, 2)):
        how, rest = r.random(), [n for n in range(ranks) if n not in mesh[1]]
        if how < 0.2:
            mesh = drawn_mesh(r, ranks, False)
        elif how < 0.5 and len(rest) >= len(mesh[1]):
            mesh = [mesh[0], sorted(r.sample(rest, len(mesh[1])))]
        steps.append([mesh, drawn_places(r, mesh, rank, r.random() < 0.3)])
    return ranks, {"name": f"chain_{i}", "dims": [r.choice([8, 16]) for _ in range(rank)], "steps": steps}


def training_specs():
    for i, (shape, *places) in enumerate(TRAININGS):
        count = 4 if len(shape) == 2 else 2
        for optimizer in OPTIMIZERS:
            yield count, {"name": f"train_{i}_{optimizer}", "mesh": [shape, list(range(count))], "places": places, "optimizer": optimizer}


# ---- Paddle
class Drawing:
    def __init__(self, rank, ranks, out):
        ends = [f"127.0.0.1:{7000 + i}" for i in range(ranks)]
        os.environ.update(PADDLE_TRAINER_ID=str(rank), PADDLE_TRAINERS_NUM=str(ranks), PADDLE_TRAINER_ENDPOINTS=",".join(ends),
                          PADDLE_CURRENT_ENDPOINT=ends[rank])
        import paddle
        import paddle.distributed as dist
        from paddle.distributed.auto_parallel.static import mix_to_dist_pass, pir_pass, process_group
        paddle.enable_static()
        self.paddle, self.dist, self.mix, self.steps, self.groups = paddle, dist, mix_to_dist_pass, pir_pass, process_group
        self.rank, self.out = rank, out

    def mesh(self, m):
        import numpy as np
        return self.dist.ProcessMesh(np.array(m[1]).reshape(m[0]).tolist())

    def places(self, names):
        return [self.dist.Replicate() if n == "r" else self.dist.Partial() if n == "p" else self.dist.Shard(int(n[1:])) for n in names]

    def chain(self, spec, main):
        (mesh, places), *rest = spec["steps"]
        y = self.dist.shard_tensor(self.paddle.static.data("a", spec["dims"], "float32"), self.mesh(mesh), self.places(places))
        for mesh, places in rest:
            y = self.dist.reshard(self.paddle.scale(y, 2.0), self.mesh(mesh), self.places(places))
        self.paddle.base.libpaddle.pir.append_shadow_output(main, y, "out", len(main.global_block().ops))
        return []

    def training(self, spec, main, start):
        paddle, mesh, (of_x, *of_weights) = self.paddle, self.mesh(spec["mesh"]), [self.places(p) for p in spec["places"]]
        h = self.dist.shard_tensor(paddle.static.data("x", [4, 8], "float32"), mesh, of_x)
        for name, shape, places in zip("WV", ([8, 8], [8, 4]), of_weights):
            w = paddle.pir.core.create_parameter(dtype="float32", shape=shape, name=name, process_mesh=mesh, placements=places,
                                                 initializer=paddle.nn.initializer.Constant(0.5))
            h = paddle.nn.functional.relu(paddle.matmul(h, w))
        loss = paddle.mean(paddle.square(h))
        self.mix.apply_mix2dist_pass(main)
        gradients = paddle.autograd.ir_backward.append_backward(loss)
        clip = {"grad_clip": paddle.nn.ClipGradByGlobalNorm(1.0)} if spec["optimizer"] == "clip" else {}
        optimizer = getattr(paddle.optimizer, "SGD" if clip else spec["optimizer"])(learning_rate=0.1, **clip)
        optimizer._apply_optimize(loss, start, params_grads=gradients)
        return gradients

    def stages(self, spec):
        """Writes the text of each stage, up to one that Paddle refuses."""
        paddle, to = self.paddle, self.out / spec["name"]
        to.mkdir(parents=True, exist_ok=True)
        self.groups._g_process_group_map.clear()
        self.groups._g_process_group_map[0] = self.groups.ProcessGroup(0, [])

        def write(stage, program):
            (to / f"{stage}.rank{self.rank}.pir").write_text(str(program))

        with paddle.pir_utils.IrGuard():
            main, start = paddle.base.Program(), paddle.base.Program()
            with paddle.base.program_guard(main, start):
                gradients = self.chain(spec, main) if "steps" in spec else self.training(spec, main, start)
            write("0_mix", main)
            self.mix.apply_mix2dist_pass(main)
            write("1_dist", main)
            self.steps.apply_partition_pass(main)
            write("2_partition", main)
            self.steps.ReshardPasses.apply_reshard_pass(main, gradients)
            write("3_reshard", main)
            self.steps.RemovePasses.apply_all(main, start, gradients)
            write("4_remove", main)
            dense = main.clone()
            paddle.base.libpaddle.pir.apply_dist2dense_pass(dense)
            self.steps.remove_unuseful_comm_op_pass(dense)
            write("5_dense", dense)


def draw(rank, ranks, specs, out):
    drawing = Drawing(int(rank), int(ranks), pathlib.Path(out))
    for spec in json.loads(pathlib.Path(specs).read_text()):
        try:
            drawing.stages(spec)
        except (AssertionError, ValueError, RuntimeError, NotImplementedError) as why:
            print(f"{spec['name']}: {str(why).splitlines()[0]}")
    sys.stdout.flush()
    os._exit(0)  # Paddle's end of a process with such programs fails


# ---- libpir
def with_rings_by_use(text):
    ids = {}
    return re.sub(r"ring_id:(\d+)", lambda m: f"ring_id:{ids.setdefault(m[1], len(ids))}", text)


def sends_and_receives(spec, rank):
    """Paddle's loop over places ends at the first one that the rank has a part in."""
    meshes = [mesh for mesh, _ in spec.get("steps", [])]
    return any(a[0] == b[0] and a[1] != b[1] and rank in a[1] and rank in b[1] for a, b in zip(meshes, meshes[1:]))


def left_out(spec, rank):
    meshes = [mesh for mesh, _ in spec.get("steps", [])] or [spec["mesh"]]
    inner = any(a[1] == b[1] and len(a[0]) == 1 and p[0] != q[0] and p[0][0] == q[0][0] == "s" and ("s0" not in (p[0], q[0]) or a[0] == [1])
                for (a, p), (b, q) in zip(spec.get("steps", []), spec.get("steps", [])[1:]))
    # It cuts nothing that becomes partial and split at once, and keeps on rank 0 what becomes partial.
    parts = any((len(b[0]) > 1 or b[1][0]) and any(x != "p" and y == "p" for x, y in zip(p, q))
                for (a, p), (b, q) in zip(spec.get("steps", []), spec.get("steps", [])[1:]))
    return inner or parts or sends_and_receives(spec, rank) or all(rank not in m[1] for m in meshes)


def compare(tools, folder, rank, counts):
    for before, passes, after in STEPS:
        first, last = (folder / f"{stage}.rank{rank}.pir" for stage in (before, after))
        if not first.exists() or not last.exists():
            counts["skipped"] += 1
            continue
        made = subprocess.run([tools / "pir-opt", first, "--passes=" + passes.replace("{only}", f"{{rank={rank}}}")], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        good = not made.returncode and with_rings_by_use(made.stdout) == with_rings_by_use(last.read_text())
        counts["passed" if good else "failed"] += 1
        if not good:
            print(f"FAIL {folder.name} rank {rank} {passes}: {made.stderr.splitlines()[0] if made.returncode else 'another text'}")


def main():
    if sys.argv[1:2] == ["--draw"]:
        return draw(*sys.argv[2:])
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("--work", required=True, type=pathlib.Path)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--chains", type=int, default=40)
    args = ap.parse_args()
    r, specs, counts = random.Random(args.seed), {}, {"passed": 0, "failed": 0, "skipped": 0}
    for ranks, spec in [*(drawn_chain(r, i) for i in range(args.chains)), *training_specs()]:
        specs.setdefault(ranks, []).append(spec)
    out = args.work / f"partition_{args.seed}"
    out.mkdir(parents=True, exist_ok=True)
    for ranks, of in specs.items():
        (out / f"{ranks}.json").write_text(json.dumps(of))
        for rank in range(ranks):
            subprocess.run([sys.executable, __file__, "--draw", str(rank), str(ranks), out / f"{ranks}.json", out], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for spec in of:
                if left_out(spec, rank):
                    counts["skipped"] += 1
                else:
                    compare(args.bin, out / spec["name"], rank, counts)
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return counts["failed"] > 0 or not counts["passed"]


sys.exit(main())
