#!/usr/bin/env python3
"""How far the results of whole models are from those of the same program in float64, beside the peers of latency.py.

  accuracy.py --zoo DIR --pir-run EXE [--models A,B|all] [--threads N] [--engines pir,pir-fast,..] [--json FILE [--resume]]

The program in float64 is made by zoo/wide.py (every f32 type and parameter is f64, the inputs are those of case0 as f64) and run by pir-run, op
by op (--pipeline=kernels): that gives y64. How far our compiled code of the float64 program is from it, and Paddle's kernels where they
can run it, says how far y64 can be trusted. The errors of an engine are max |y - y64| / max |y64| and the root of
sum (y - y64)^2 / sum y64^2, of the output where they are largest. At the end: ours over the least of the f32 peers (pir-bf16: over
openvino-bf16), the geometric mean over the networks of bench/zoo, and the worst. A peer that is more than 1e-3 off in f32 computes another
function (the converter of its program or its passes changed it, or a decision in it fell otherwise) and is no measure: it is named.
--json FILE is written after every network; --resume takes from it those that it has.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import latency
from models import DETECTORS, ZOO

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "zoo"))
import wide  # noqa: E402

ANOTHER_FUNCTION = 1e-3
OURS, PEERS = ["pir", "pir-fast", "pir-bf16"], ["ort", "openvino", "paddle", "openvino-bf16"]


def read_outputs(folder):
    return latency.outputs_of(folder)


def write_outputs(folder, arrays):
    import numpy as np
    for i, array in enumerate(arrays):
        np.save(f"{folder}/out_{i}.npy", array)


def plain_paddle(folder, feeds):
    """Paddle's kernels, one for each op of the program."""
    import paddle.inference as pi
    config = pi.Config(folder + "/model.json", folder + "/model.pdiparams")
    config.disable_gpu()
    config.disable_glog_info()
    config.disable_mkldnn()
    config.switch_ir_optim(False)
    predictor = pi.create_predictor(config)
    for name in predictor.get_input_names():
        predictor.get_input_handle(name).copy_from_cpu(feeds[name])
    predictor.run()
    return [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()]


def run_here(engine, folder, case, out, threads):
    """In a child: writes what an engine, not ours, makes of the inputs."""
    feeds = latency.inputs_of(case)
    write_outputs(out, plain_paddle(folder, feeds) if engine == "paddle-f64" else latency.session_of(engine, folder, threads, feeds)())


def run(args, engine, folder, case, pipeline="compile"):
    """The outputs of an engine, or why there are none."""
    with tempfile.TemporaryDirectory() as out:
        if latency.is_ours(engine):
            mode = engine.partition("-")[2]
            command = [args.pir_run, folder + "/model.json", f"--threads={args.threads}", f"--pipeline={pipeline}", f"--output-dir={out}"]
            command += [f"--input={name}=@{path}" for name, path in latency.input_files(case).items()]
            command += [f"--math={mode}"] if mode else []
        else:
            command = [sys.executable, __file__, "--child", engine, folder, case, out, str(args.threads)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(os.environ, OMP_NUM_THREADS=str(args.threads)))
        if done.returncode < 0:
            return f"ended by signal {-done.returncode}"
        if done.returncode:
            return (done.stderr.decode(errors="replace").strip().splitlines() or [f"exit {done.returncode}"])[-1][:160]
        return read_outputs(out)


def errors(found, wanted):
    """The largest error and the root mean square, relative, of the worst output; or why there are none."""
    import numpy as np
    if len(found) < len(wanted):
        return f"{len(found)} outputs instead of {len(wanted)}"
    worst = [0.0, 0.0]
    for i, (y, y64) in enumerate(zip(found, wanted)):
        if y.shape != y64.shape:
            return f"output {i} has the shape {y.shape} instead of {y64.shape}"
        y, y64 = y.astype("f8"), y64.astype("f8")
        if not y64.size:
            continue
        off, most, norm = y - y64, max(1e-30, float(np.max(np.abs(y64)))), max(1e-30, float(np.linalg.norm(y64.ravel())))
        for k, error in enumerate((float(np.max(np.abs(off))) / most, float(np.linalg.norm(off.ravel())) / norm)):
            worst[k] = max(worst[k], error if math.isfinite(error) else math.inf)
    return worst


def widened(folder, there):
    """The float64 program and its inputs; returns the folder of those."""
    import numpy as np
    wide.widen(folder + "/model.json", folder + "/model.pdiparams", there)
    os.mkdir(there + "/case")
    for name, array in latency.inputs_of(folder + "/case0").items():
        np.save(f"{there}/case/in_{name}.npy", array.astype("f8") if array.dtype == np.float32 else array)
    return there + "/case"


def network(args, name):
    """The errors by engine, and those of the other float64 runs; an engine without them has a text."""
    folder, found = os.path.join(args.zoo, name), {}
    with tempfile.TemporaryDirectory(dir=args.zoo) as there:
        case = widened(folder, there)
        wanted = run(args, "pir", there, case, "kernels")
        if isinstance(wanted, str):
            return {"float64": wanted}
        others = {"float64 compiled": run(args, "pir", there, case), "float64 of Paddle": run(args, "paddle-f64", there, case)}
        if "paddle" not in args.engines:
            del others["float64 of Paddle"]
    others.update((engine, run(args, engine, folder, folder + "/case0")) for engine in args.engines)
    for engine, outputs in others.items():
        found[engine] = outputs if isinstance(outputs, str) else errors(outputs, wanted)
    return found


def is_another(row, engine):
    """Whether an engine, or the f32 mode of one that rounds, is far off."""
    e = row.get(engine.partition("-")[0])
    return isinstance(e, list) and e[0] > ANOTHER_FUNCTION


def least_peer(row, k, bf16):
    return min((e[k] for name, e in row.items() if name in PEERS and name.endswith("bf16") == bf16 and not isinstance(e, str)
                and not is_another(row, name)), default=math.nan)


def ratio(row, engine, k):
    """Of our error to the least of the peers; both 0 is 1."""
    ours, best = row.get(engine), least_peer(row, k, engine.endswith("bf16"))
    if ours is None or isinstance(ours, str) or math.isnan(best):
        return math.nan
    return ours[k] / best if best else (1.0 if not ours[k] else math.inf)


def table(rows, engines, k, title):
    print(f"\n{title}")
    print(f"{'network':22}" + "".join(f"{e:>15}" for e in engines) + f"{'pir / best':>12}{'float64':>10}{'Paddle':>10}")
    for name, row in rows.items():
        cells = [row.get(e) for e in engines + ["float64 compiled", "float64 of Paddle"]]
        text = ["-" if c is None or isinstance(c, str) else f"{c[k]:.2e}" for c in cells]
        print(f"{name:22}" + "".join(f"{c:>15}" for c in text[:-2]) + f"{ratio(row, 'pir', k):12.2f}" + "".join(f"{c:>10}" for c in text[-2:]))


def summary(rows):
    for name, row in rows.items():
        for engine, e in row.items():
            if isinstance(e, str):
                print(f"{name}: {engine}: {e}")
            elif engine in PEERS and is_another(row, engine):
                print(f"{name}: {engine}: another function")
    for engine in OURS:
        for k, what in enumerate(("largest", "root mean square")):
            ratios = {name: r for name, row in rows.items() if name in ZOO and 0 < (r := ratio(row, engine, k)) < math.inf}
            if not ratios:
                continue
            worst = max(ratios, key=ratios.get)
            print(f"geometric mean of the {what} error of {engine} over the best peer's, of {len(ratios)} networks of the zoo: "
                  f"{math.exp(sum(map(math.log, ratios.values())) / len(ratios)):.3f}; worst {ratios[worst]:.2f} ({worst})")


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        return run_here(*sys.argv[2:6], int(sys.argv[6]))
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--zoo", required=True, type=os.path.abspath)
    ap.add_argument("--pir-run", required=True)
    ap.add_argument("--models", default="all")
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--engines", default=OURS + PEERS, type=lambda s: s.split(","))
    ap.add_argument("--json")
    ap.add_argument("--resume", action="store_true")
    args = ap.parse_args()
    print("versions: " + ", ".join(f"{e} {latency.version(e)}" for e in args.engines if not latency.is_ours(e)))
    rows, kept = {}, {}
    if args.resume and os.path.exists(args.json or ""):
        with open(args.json) as f:
            kept = json.load(f)
    for name in ZOO + list(DETECTORS) if args.models == "all" else args.models.split(","):
        rows[name] = kept.get(name) or network(args, name)
        print(f"accuracy: {name} done", file=sys.stderr, flush=True)
        if args.json:
            with open(args.json, "w") as f:
                json.dump(kept | rows, f, indent=1)
    table(rows, args.engines, 0, "max |y - y64| / max |y64|")
    table(rows, args.engines, 1, "root of sum (y - y64)^2 / sum y64^2")
    print()
    summary(rows)


if __name__ == "__main__":
    main()
