#!/usr/bin/env python3
"""Says whether the numbers of ours that differ from Paddle's differ only where Paddle's own move with its roundings.

  stability.py --bin DIR NETWORK COMMAND...

Each COMMAND is a pir-run of a program of the network that gave other numbers. Paddle runs that program with noise: every element of
every result of an op that rounds is multiplied by 1 or by 1 + an ulp or two, by chance; 32 times as much if the op sums, because Paddle adds
one after the other. The instability of an element is the largest movement over the runs. Ends with 0 if no element is off by more than the allowed difference and four instabilities, and
the last line says by how much Paddle moves; else with 1.
"""
import argparse
import copy
import itertools
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

os.environ.setdefault("GLOG_minloglevel", "2")
import numpy as np  # noqa: E402
import paddle  # noqa: E402

import paddle_run  # noqa: E402

RUNS, SLACK, ATOL, SHARE = 32, 4, 1e-6, 1e-4
DTYPES = {"0.t_f32": ("float32", 2.0 ** -23), "0.t_f64": ("float64", 2.0 ** -52), "0.t_f16": ("float16", 2.0 ** -10), "0.t_bf16": ("bfloat16", 2.0 ** -7)}
# Ops whose floats are exact: copies of their operand's elements, numbers of a file, whole numbers.
EXACT = set("""abs amax amin arange argmax argmin argsort as_strided assign assign_value cast ceil channel_shuffle concat crop diagonal eye
    expand expand_as fetch flatten flip floor full full_batch_size_like full_int_array full_like full_with_tensor gather gather_nd
    index_sample index_select kthvalue linspace masked_select max maximum median meshgrid min minimum mode one_hot pad pad3d pixel_shuffle
    pixel_unshuffle put_along_axis relu repeat_interleave reshape roll round scatter set_value set_value_with_tensor shadow_output share_data_
    sign slice split split_with_num squeeze stack strided_slice take_along_axis tile topk transpose tril triu trunc unbind unfold unsqueeze
    unstack where while if""".split())
# Ops that add many numbers.
SUMS = set("""addmm baddbmm bmm conv2d conv2d_transpose conv3d cumsum depthwise_conv2d dot einsum group_norm gru instance_norm layer_norm
    log_softmax logcumsumexp logsumexp matmul mean mv norm p_norm pool2d pool3d prod rnn softmax sum trapezoid var""".split())


def attribute(name, kind, value):
    return {"AT": {"#": kind, "D": value}, "N": name}


def operation(name, operands, attributes, result, kind):
    stop = attribute("stop_gradient", "0.a_array", [{"#": "0.a_bool", "D": True}])
    return {"#": name, "A": attributes, "I": [{"%": i} for i in operands], "O": [{"%": result, "TT": kind}], "OA": [stop]}


def place():
    return attribute("place", "1.a_place", [0, 0, ""])


def scalar_kind(dtype):
    return {"#": "0.t_dtensor", "D": [{"#": dtype}, [], "NCHW", [], 0]}


def noise(value, dtype, step, fresh):
    """The ops that multiply a value by 1 or 1 + step, and the name of the product."""
    shape = value["TT"]["D"][1:]
    own, drawn = value["TT"], {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, *shape]}
    half, chance, bits, scale, factors, cast, out = (next(fresh) for _ in range(7))
    made = [operation("1.full", [], [attribute("shape", "1.a_intarray", []), attribute("value", "0.a_f64", 0.5),
                                     attribute("dtype", "1.a_dtype", "float32"), place()], half, scalar_kind("0.t_f32")),
            operation("1.full_like", [value["%"], half], [attribute("dtype", "1.a_dtype", "float32"), place()], chance, drawn),
            operation("1.bernoulli", [chance], [], bits, drawn),
            operation("1.full", [], [attribute("shape", "1.a_intarray", []), attribute("value", "0.a_f64", step),
                                     attribute("dtype", "1.a_dtype", "float32"), place()], scale, scalar_kind("0.t_f32"))]
    wide = DTYPES[dtype][0] == "float64"
    to = "0.t_f64" if wide else "0.t_f32"
    made += [operation("1.cast", [bits], [attribute("dtype", "1.a_dtype", DTYPES[to][0])], cast, {"#": "0.t_dtensor", "D": [{"#": to}, *shape]}),
             operation("1.scale", [cast, scale], [attribute("bias", "0.a_f32", 1.0), attribute("bias_after_scale", "0.a_bool", True)],
                       factors, {"#": "0.t_dtensor", "D": [{"#": to}, *shape]})]
    if dtype != to:
        narrow = next(fresh)
        made.append(operation("1.cast", [factors], [attribute("dtype", "1.a_dtype", DTYPES[dtype][0])], narrow, own))
        factors = narrow
    made.append(operation("1.multiply", [value["%"], factors], [], out, own))
    return made, out


def add_noise(block, draw, renamed, fresh):
    ops = []
    for op in block["ops"]:
        for operand in op.get("I", []):
            operand["%"] = renamed.get(operand["%"], operand["%"])
        for region in op.get("regions", []):
            for inner in region["blocks"]:
                add_noise(inner, draw, renamed, fresh)
        ops.append(op)
        dialect, _, name = op["#"].partition(".")
        if dialect != "1" or name in EXACT:
            continue
        for value in op["O"]:
            dtype = value["TT"]["D"][0]["#"] if value["TT"].get("#") == "0.t_dtensor" else None
            if dtype in DTYPES:
                made, renamed[value["%"]] = noise(value, dtype, draw(dtype) * (32 if name in SUMS else 1), fresh)
                ops += made
    block["ops"] = ops


def largest_id(node):
    if isinstance(node, list):
        return max(map(largest_id, node), default=0)
    if not isinstance(node, dict):
        return 0
    own = node["%"] if isinstance(node.get("%"), int) else 0
    return max([own, *map(largest_id, node.values())])


def noisy(program, seed):
    rng = np.random.default_rng(seed)

    def draw(dtype):
        return float(rng.choice([-2, -1, 1, 2])) * DTYPES[dtype][1]
    changed, renamed = copy.deepcopy(program), {}
    fresh = itertools.count(largest_id(program) + 1)
    add_noise(changed["program"]["regions"][0]["blocks"][0], draw, renamed, fresh)
    return changed


def wide(array):
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def instability(tools, program, params, cases, work):
    """For each case and output the largest movement of each element."""
    feeds = [{p.name[3:-4]: np.load(p) for p in case.glob("in_*.npy")} for case in cases]
    as_json, own = work / "as.json", work / "as.pdiparams"
    subprocess.run([tools / "pir-translate", program, f"--params={params}", "--to=json", "-o", as_json, f"--params-out={own}"], check=True)
    params = own
    text = json.loads(as_json.read_text())
    base = paddle_run.run(as_json, params, feeds)
    moved = [[np.zeros(o.shape) for o in outs] for outs in base]
    for seed in range(RUNS):
        changed = work / "noisy.json"
        changed.write_text(json.dumps(noisy(text, seed)))
        paddle.seed(seed)
        for into, was, now in zip(moved, base, paddle_run.run(changed, params, feeds)):
            for i in range(len(was)):
                if was[i].shape != now[i].shape:
                    into[i][...] = np.inf  # how many there are hangs on a rounding
                    continue
                with np.errstate(invalid="ignore"):
                    step = np.abs(wide(now[i]) - wide(was[i]))
                same = (now[i] == was[i]) | (np.isnan(now[i]) & np.isnan(was[i]))
                into[i] = np.maximum(into[i], np.where(same, 0, np.where(np.isnan(step), np.inf, step)))
    return moved


def excess(made, want, moved):
    """How much more an output is off than it may be; infinite for another shape or type."""
    if made.dtype != want.dtype or made.shape != want.shape:
        return 0.0 if made.dtype == want.dtype and np.isinf(moved).any() else np.inf
    if not want.size:
        return 0.0
    made, want = wide(made), wide(want)
    finite = np.abs(want[np.isfinite(want)])
    allowed = ATOL + SHARE * (finite.max() if finite.size else 0) + SLACK * moved
    off = np.abs(made - want)
    same = (made == want) | (np.isnan(made) & np.isnan(want))
    off = np.where(same, 0, np.where(np.isnan(off), np.inf, off))
    return float(np.max(np.where(np.isinf(allowed), 0, off - np.where(np.isinf(allowed), 0, allowed))))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("network", type=pathlib.Path)
    ap.add_argument("commands", nargs="+")
    args = ap.parse_args()
    cases = sorted(args.network.glob("case*"))
    known, most = {}, 0.0
    with tempfile.TemporaryDirectory(prefix="pir-stability-") as work:
        work = pathlib.Path(work)
        for command in map(shlex.split, args.commands):
            if not command[0].endswith("pir-run"):
                return print("not by numbers") or 1
            program, params = pathlib.Path(command[1]), next(c.split("=", 1)[1] for c in command if c.startswith("--params="))
            if str(params) not in known:
                known[str(params)] = instability(args.bin, program, params, cases, work)
            for k, case in enumerate(cases):
                out = work / "out"
                out.mkdir(exist_ok=True)
                kept = [c for c in command if not c.startswith("--cases=")]
                code = subprocess.run([*kept, f"--case={case}", f"--output-dir={out}"], capture_output=True).returncode
                if code not in (0, 4):
                    return print(f"exit code {code}") or 1
                for i, moved in enumerate(known[str(params)][k]):
                    over = excess(np.load(out / f"out_{i}.npy"), np.load(case / f"out_{i}.npy"), moved)
                    if over > 0:
                        return print(f"{case.name}, output {i}: {over:.3g} more than roundings explain") or 1
                    most = max([most, *moved[np.isfinite(moved)].ravel().tolist()])
    return print(f"a tie: its roundings move Paddle's numbers by up to {most:.3g}") or 0


if __name__ == "__main__":
    sys.exit(main())
