"""Programs with the gradients that Paddle added, against ours.

  backward   before.pir with the gradients of its outputs (pass `backward`) equals after.pir, up to names and the order of
             independent ops.

What the caller of Paddle asked for follows from what was recorded: outputs are the first values that are fetched, their gradients
the inputs g0, g1, ..; the gradients that are fetched behind them are those of the inputs that grads.json lists.
"""
import json
import re

from recorded_passes import comparer

SEED = re.compile(r'\(%(\d+)\) = "pd_op.data" .*name:"(g\d+)"')
FETCH = re.compile(r'"pd_op.fetch" \(%(\d+)\) {col:(\d+)')


def request(folder):
    """The options of the pass: (outputs, gradients of outputs, inputs). Values of the program before have the numbers of the
    program behind, less one for each input that holds a gradient and comes first."""
    asked, after = json.loads((folder / "grads.json").read_text()), (folder / "after.pir").read_text()
    seeds = [(int(number), name) for number, name in SEED.findall(after)]
    fetched = [int(number) for number, column in FETCH.findall(after)][:asked["outputs"]]
    losses = [f"%{number - sum(seed < number for seed, _ in seeds)}" for number in fetched]
    return losses, [name for _, name in seeds], asked["inputs"]


def pass_text(folder, more=()):
    """`more`: further options of the pass."""
    losses, seeds, inputs = request(folder)
    options = [f"loss={'|'.join(losses)}"] + ([f"seeds={'|'.join(seeds)}"] if seeds else ["ones"]) + [f"wrt={'|'.join(inputs)}"]
    options += ["prim"] if folder.name.endswith(".prim") else []
    return f"backward{{{','.join([*options, *more])}}}"


def again_text(folder):
    """All forward values are computed again, from the inputs: only the first of these is named as kept."""
    return pass_text(folder, [f"checkpoints={request(folder)[2][0]}"])


def backward_jobs(run):
    compare = comparer(run)

    def jobs(tools, root):
        for grads in sorted((root / "passes/vjp").glob("*/*/grads.json")):
            folder = grads.parent
            if not json.loads(grads.read_text())["has_grad"]:
                continue  # the step of an optimizer
            command = [tools / "pir-opt", folder / "before.pir", f"--passes={pass_text(folder)}", "--verify-each"]
            name = f"backward {folder.parent.name}/{folder.name}"
            yield name, lambda n=name, c=command, f=folder: compare(tools, n, c, f / "after.pir")
    return jobs
