#!/usr/bin/env python3
"""Has real Paddle, and OpenVINO's Paddle front end, run what we write, and compares with the recorded outputs.

  interop.py --bin DIR --work DIR [--match STR] [--list] FOLDER...

A FOLDER holds model folders with `case*` (inputs and outputs), under models/ or real/ or itself. From every program file of
one, whatever its format, pir-translate writes PIR JSON and .pdmodel, each with its parameters. Checks, each in a process of its own:
  json      Paddle Inference runs our JSON
  pdmodel   Paddle Inference runs our .pdmodel, by its three executors: two of .pdmodel files and the one of PIR
  quantised Paddle Inference runs the .pdmodel of a program that pir-opt quantised, with the numbers that our kernels give
  openvino  OpenVINO reads, compiles and runs our .pdmodel, where its operators allow, or takes Paddle's own no better
Training programs (train.json, legacy.train.pdmodel) are run for their recorded steps: the losses must be the recorded ones.
exceptions.tsv names checks that cannot succeed, with the reason; one that does succeed is a failure. Ends with `N of M`.
"""
import argparse
import importlib
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 300  # one check


class Fails(Exception):
    """A check that fails, in words."""


class Lacks(Exception):
    """The other side says that it does not have an operator."""


# ---- comparison: the rule of the recordings (README of models) -------------------------------------------------------
def differs(made, want, full_size, engines=1):
    if made.shape != want.shape or made.dtype != want.dtype:
        return f"{made.dtype}{list(made.shape)} in place of {want.dtype}{list(want.shape)}"
    if want.dtype.kind not in "fc":
        return "" if np.array_equal(made, want) else f"{np.count_nonzero(made != want)} of {want.size} differ"
    finite = np.abs(want[np.isfinite(want)])
    largest = finite.max() if finite.size else 0.0
    allowed = engines * ((1e-4 if full_size else 3e-5) * largest + 1e-6)
    if np.allclose(made, want, rtol=0, atol=allowed, equal_nan=True):
        return ""
    return f"off by {np.nanmax(np.abs(made - want)):.3g}, allowed {allowed:.3g}"


def check_case(case, outputs, full_size, engines=1):
    for i, made in enumerate(outputs):
        want = case / f"out_{i}.npy"
        why = differs(np.asarray(made), np.load(want), full_size, engines) if want.exists() else "it was not recorded"
        if why:
            raise Fails(f"{case.name}, output {i}: {why}")
    if (case / f"out_{len(outputs)}.npy").exists():
        raise Fails(f"{case.name}: only {len(outputs)} outputs")


def inputs_of(case, names):
    return [np.load(case / f"in_{n}.npy") for n in names]


# ---- Paddle ----------------------------------------------------------------------------------------------------------
EXECUTORS = {"naive": (False, False), "new": (False, True), "pir": (True, True)}  # of .pdmodel: PIR or not, the new executor or not


def paddle_config(program, params, executor):
    import paddle.inference as inference
    config = inference.Config(str(program), str(params)) if params else inference.Config(str(program))
    config.disable_gpu()
    config.disable_mkldnn()
    config.switch_ir_optim(False)
    config.set_cpu_math_library_num_threads(1)
    config.disable_glog_info()
    if executor:
        config.enable_new_ir(EXECUTORS[executor][0])
        config.enable_new_executor(EXECUTORS[executor][1])
    return config


def run_paddle(program, params, cases, full_size, executor=None, engines=1):
    import paddle.inference as inference
    predictor = inference.create_predictor(paddle_config(program, params, executor))
    names = predictor.get_input_names()
    for case in [*cases, cases[0]]:  # what a run writes over must not be there in the next
        for name, value in zip(names, inputs_of(case, names)):
            handle = predictor.get_input_handle(name)
            handle.reshape(value.shape)
            handle.copy_from_cpu(value)
        predictor.run()
        check_case(case, [predictor.get_output_handle(n).copy_to_cpu() for n in predictor.get_output_names()], full_size,
                   engines)


def run_pdmodel(program, params, cases, full_size):
    for executor in EXECUTORS:
        try:
            run_paddle(program, params, cases, full_size, executor)
        except Exception as why:
            raise Fails(f"executor {executor}: {' '.join(str(why).split())[-300:]}") from why


# ---- OpenVINO --------------------------------------------------------------------------------------------------------
UNKNOWN = "No creator found for"


def run_openvino(program, params, cases, full_size):
    import openvino
    core = openvino.Core()
    try:
        model = core.read_model(str(program), str(params)) if params else core.read_model(str(program))
    except RuntimeError as why:
        text = " ".join(str(why).split())
        raise (Lacks if UNKNOWN in text else Fails)(text[text.rfind(UNKNOWN):] if UNKNOWN in text else f"read: {text[-300:]}")
    compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    for case in cases:
        values = {}
        for port in compiled.inputs:
            name = next(n for n in port.get_names() if (case / f"in_{n}.npy").exists())
            values[port] = np.load(case / f"in_{name}.npy")
        result = compiled(values)
        check_case(case, [result[o] for o in compiled.outputs], full_size, engines=2)  # each may be that far off


# ---- training --------------------------------------------------------------------------------------------------------
def train_inputs(folder, step):
    return {n: np.load(folder / f"step{step}" / f"{n}.npy") for n in ("x", "y")}


def check_losses(folder, losses):
    want = np.load(folder / "losses.npy").ravel()
    why = differs(np.asarray(losses, want.dtype), want, False)
    if why:
        raise Fails(f"losses: {why}")


def set_variables(folder, scope):
    import paddle
    for path in sorted((folder / "init").glob("*.npy")):
        name = path.name[:-4]
        scope.var(name).get_tensor().set(np.load(path), paddle.CPUPlace())


def run_train_legacy(program, folder):
    import paddle
    from paddle.base import core, framework
    os.environ["FLAGS_enable_pir_api"] = "0"
    paddle.enable_static()
    with paddle.pir_utils.OldIrGuard():
        loaded = paddle.static.Program.parse_from_string(program.read_bytes())
        scope, executor, losses = core.Scope(), paddle.static.Executor(paddle.CPUPlace()), []
        set_variables(folder, scope)
        loss = [o.output("Out")[0] for o in loaded.global_block().ops if o.type in ("reduce_mean", "mean")][-1]
        with paddle.static.scope_guard(scope):
            for step in range(len(np.load(folder / "losses.npy").ravel())):
                losses.append(float(np.asarray(executor.run(loaded, feed=train_inputs(folder, step), fetch_list=[loss])[0]).ravel()[0]))
    check_losses(folder, losses)


def run_train_json(program, folder):
    import paddle
    from paddle.base import core
    paddle.enable_static()
    loaded = paddle.static.Program()
    core.deserialize_pir_program(str(program), loaded, 4)
    scope, executor, losses = core.Scope(), paddle.static.Executor(paddle.CPUPlace()), []
    set_variables(folder, scope)
    means = [o for o in loaded.global_block().ops if o.name() in ("pd_op.mean", "pd_op.mean_all")]
    with paddle.static.scope_guard(scope):
        for step in range(len(np.load(folder / "losses.npy").ravel())):
            made = executor.run(loaded, feed=train_inputs(folder, step), fetch_list=[means[-1].result(0)])
            losses.append(float(np.asarray(made[0]).ravel()[0]))
    check_losses(folder, losses)


# ---- processes -------------------------------------------------------------------------------------------------------
def outcome(check, args):
    """("", "fails" or "lacks") and words; what a check prints is dropped."""
    try:
        check(*args)
        return b"good"
    except Lacks as why:
        return b"lacks " + str(why).encode()
    except Fails as why:
        return b"fails " + str(why).encode()
    except BaseException as why:  # pylint: disable=broad-except  # of any kind: the process ends here
        lines = [l.strip() for l in str(why).splitlines() if l.strip()]
        return b"fails " + f"{type(why).__name__}: {' | '.join(lines[-3:])}".encode()


def apart(check, args):
    """Runs a check in a child of this process, which has Paddle loaded: a crash ends the child alone."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.write(writer, outcome(check, args)[:4000])
        os._exit(0)
    os.close(writer)
    text, end = b"", time.monotonic() + SECONDS
    while select.select([reader], [], [], max(0, end - time.monotonic()))[0]:
        part = os.read(reader, 4096)
        if not part:
            break
        text += part
    else:
        os.kill(child, 9)
        text = b"fails no answer in %d s" % SECONDS
    os.close(reader)
    _, status = os.waitpid(child, 0)
    return text.decode(errors="replace") or f"fails the process died (status {status})"


# ---- what there is to check ------------------------------------------------------------------------------------------
def model_folders(folders):
    for folder in folders:
        for top in (folder / "models", folder / "real", folder):
            for path in sorted(top.glob("*")):
                if path.is_dir() and (any(path.glob("case*/out_0.npy")) or path.name.startswith("train_")):
                    yield path


def params_of(folder, program):
    names = (["legacy.pdiparams"] if program.name == "model.pdmodel" else []) + [
        program.stem + ".pdiparams", "model.pdiparams", "inference.pdiparams"]
    return next((folder / n for n in names if (folder / n).exists()), None)


def written(tool, work, folder, program, to):
    """Our program and parameter file, or the words of the tool."""
    base = work / f"{folder.name}.{program.name}"
    made, params = base.with_name(f"{base.name}.{to}"), base.with_name(f"{base.name}.{to}.pdiparams")
    command = [tool, program, f"--to={to}", "-o", made]
    given = params_of(folder, program)
    if given:
        command += [f"--params={given}", f"--params-out={params}"]
    run = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if run.returncode:
        raise Fails(f"pir-translate, exit code {run.returncode}: {run.stderr.strip().splitlines()[0] if run.stderr.strip() else ''}")
    return made, params if given and params.stat().st_size else None


def full_size(folder):
    return "det" in folder.name


def programs(folder):
    for program in sorted(folder.iterdir()):
        if program.suffix in (".json", ".pdmodel") and program.name not in ("meta.json", "case.json"):
            yield program


def inference_checks(tool, work, folder, openvino):
    cases = sorted(c for c in folder.glob("case*") if c.is_dir())
    for program in programs(folder):
        for to, kind, check in (("json", "json", run_paddle), ("pdmodel", "pdmodel", run_pdmodel),
                                ("pdmodel", "openvino", run_openvino)):
            if kind == "openvino" and not openvino:
                continue

            def run(program=program, to=to, check=check):
                try:
                    made, params = written(tool, work, folder, program, to)
                except Fails as why:
                    return f"fails {why}"
                answer = apart(check, (made, params, cases, full_size(folder)))
                original = next((p for p in (folder / "model.pdmodel", folder / "inference.pdmodel") if p.exists()), None)
                if answer.startswith("fails") and check is run_openvino and original:
                    same = apart(check, (original, params_of(folder, original), cases, full_size(folder)))
                    return answer if same == "good" else f"lacks the same with Paddle's own file: {same[6:]}"
                return answer
            yield f"{kind} {folder.name}/{program.name}", run


# A number in the middle between two integers may be rounded either way, which moves a result by a step of its layer.
STEPS = 300  # of `engines`: 0.9 % of the largest number


def quantised_checks(tools, work, folder):
    """Paddle runs a program that quantise_pass made, with the numbers of our kernels."""
    program, samples = folder / "model.json", folder / "case0"
    if not program.exists() or not samples.is_dir() or not params_of(folder, program):
        return

    def run():
        base = work / f"{folder.name}.quantised"
        made, params = base.with_suffix(".pdmodel"), base.with_suffix(".pdiparams")
        case = base.with_suffix(".case")
        shutil.rmtree(case, ignore_errors=True)
        shutil.copytree(samples, case, ignore=shutil.ignore_patterns("out_*", "*.npz"))
        quantise = [tools / "pir-opt", program, f"--params={params_of(folder, program)}", f"--passes=quantise{{data={samples}}}",
                    "--emit=pdmodel", f"--params-out={params}", "-o", made]
        record = [tools / "pir-run", made, f"--params={params}", "--pipeline=kernels", f"--case={case}", "--record"]
        for command in (quantise, record):
            answer = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
            if answer.returncode:
                text = next((line for line in answer.stderr.splitlines() if "error:" in line), answer.stderr.strip())
                return f"{'lacks' if 'no layer that can be quantised' in text else 'fails'} {text}"
        return apart(run_paddle, (made, params, [case], False, "naive", STEPS))
    yield f"quantised {folder.name}", run


def train_checks(tool, work, folder):
    for name, to, check in (("train.json", "json", run_train_json), ("legacy.train.pdmodel", "pdmodel", run_train_legacy),
                            ("train.json", "pdmodel", run_train_legacy)):
        if not (folder / name).exists():
            continue

        def run(name=name, to=to, check=check):
            try:
                made, _ = written(tool, work, folder, folder / name, to)
            except Fails as why:
                return f"fails {why}"
            return apart(check, (made, folder))
        yield f"{to} {folder.name}/{name}", run


def all_checks(args):
    openvino = importlib.util.find_spec("openvino") is not None
    for folder in model_folders(args.folders):
        if folder.name.startswith("train_"):
            yield from train_checks(args.bin / "pir-translate", args.work, folder)
        else:
            yield from inference_checks(args.bin / "pir-translate", args.work, folder, openvino)
            yield from quantised_checks(args.bin, args.work, folder)


def exceptions():
    lines = (HERE / "exceptions.tsv").read_text().splitlines()
    return dict(l.split("\t", 1) for l in lines if l and not l.startswith("#"))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, type=pathlib.Path)
    ap.add_argument("--work", required=True, type=pathlib.Path)
    ap.add_argument("--match", default="", help="only checks whose name holds this")
    ap.add_argument("folders", nargs="+", type=pathlib.Path)
    args = ap.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    os.environ["GLOG_minloglevel"] = "3"
    importlib.import_module("paddle")  # once; the children share it
    known, good, count, lacking, excused = exceptions(), 0, 0, 0, 0
    for name, run in all_checks(args):
        if args.match not in name:
            continue
        answer = run()
        if answer.startswith("lacks "):
            lacking += 1
            print(f"left out {name}: {answer[6:]}", flush=True)
        elif name in known and answer != "good":
            excused += 1
            print(f"exception {name}: {known[name]}", flush=True)
        elif name in known:
            count += 1
            print(f"FAIL {name}: it succeeds; take it off exceptions.tsv", flush=True)
        else:
            count, good = count + 1, good + (answer == "good")
            if answer != "good":
                print(f"FAIL {name}: {answer[6:]}", flush=True)
    print(f"{lacking} left out: OpenVINO does not take the programs of Paddle itself, or there is no layer to quantise; {excused} named exceptions")
    print(f"{good} of {count}")
    return good != count


if __name__ == "__main__":
    sys.exit(main())
