"""Programs that Paddle decomposed, lowered to kernels, or took through its predictor, against ours.

  decomp     before.json through `decompose` equals after.pir; the numbers of what came out (`CASE:numbers`) are those of the
             program before. Of a folder noskip* also what is skipped by default is expanded.
  kernel     before.pir lowered equals kernel.pir, and that in place (`CASE:inplace`) kernel_inplace.pir. What the executor
             printed (`CASE:exec`) likewise.
  pipelines  the loaded model through the passes of the configuration equals what Paddle's had made of it before it was
             lowered (`MODEL.CONFIG`), and lowered and in place (`MODEL.CONFIG:kernel`); each step alone is `MODEL.CONFIG:NN`.

All up to names and the order of independent ops. Numbers of operations (origin_id, [id:..]) count the objects of a process;
that an operation has one is compared, which is not.
"""
import json
import pathlib
import re
import tempfile

from recorded_deviations import digest, last_line, number_job, verdict

CONFIGS = {"cpu": "paddle-cpu", "no_ir_optim": "paddle-cpu", "gpu_list_on_cpu": "paddle-gpu", "onednn": "paddle-onednn",
           "onednn_bf16": "paddle-onednn-bf16"}
KERNEL_PASSES = ("remove_shadow_feed_pass", "inplace_pass")


def comparer(run):
    def compare(tools, name, command, want):
        code, out, err = run(command)
        missing = re.search(r"unknown pass '\w+'|no pipeline is called '[\w-]+'", err)
        if code:
            return name, "skip" if code == 3 or missing else "fail", f"exit code {code}: {missing[0] if missing else last_line(err)}"
        with tempfile.NamedTemporaryFile(suffix=".pir") as f:
            f.write(out)
            f.flush()
            code, differs, err = run([tools / "pir-opt", "--diff", f.name, want])
        if code:
            return name, "fail", f"{last_line(err or differs.decode(errors='replace'))} [{digest(out)}]"
        ours, theirs = (text.count(b"origin_id:") for text in (out, want.read_bytes()))
        return (name, "pass", "") if ours == theirs else (name, "fail", f"{ours} operations have a number, not {theirs}")
    return compare


def lowers_to_onednn(text):
    """oneDNN's kernels and layouts are Paddle's way to run on a CPU; here a program is lowered to none of them."""
    return b"onednn_kernel" in text or b"ONEDNN" in text


def or_skip(name, want, job):
    reason = "lowered to kernels of oneDNN, which are not called here"
    return (lambda: (name, "skip", reason)) if lowers_to_onednn(want.read_bytes()) else job


def decomp_jobs(run):
    compare = comparer(run)

    def jobs(tools, root):
        index = root / "passes/decomp/index.jsonl"
        for row in map(json.loads, index.read_text().splitlines() if index.exists() else ()):
            folder = root / "passes" / row["case"]
            if not (folder / "after.pir").exists():
                continue
            passes = "decompose" + ("{allow=pd_op.softmax}" if folder.name == "whitelist" else "")
            passes += ",decompose_skipped" if folder.name.startswith("noskip") else ""
            before = folder / "before.json" if (folder / "before.json").exists() else folder / "before.pir"
            command = [tools / "pir-opt", before, f"--passes={passes}", "--verify-each"]
            name = f"decomp {folder.parent.name}/{folder.name}"
            yield name, lambda n=name, c=command, f=folder: compare(tools, n, c, f / "after.pir")
            if "maxdiff" in row:
                yield name + ":numbers", lambda n=name + ":numbers", c=command, f=folder: numbers_job(run, tools, n, c, f)
    return jobs


def numbers_job(run, tools, name, command, folder):
    half = "bf16" in folder.name or "bf16" in folder.parent.name or "bfloat16" in folder.parent.name
    with tempfile.NamedTemporaryFile(suffix=".pir") as f:
        code, out, err = run(command + ["--emit=typed"])
        if code:
            return verdict(name, code, err)
        f.write(out)
        f.flush()
        tolerance = 1e-2 if half else 1e-5
        return number_job(run, name, [tools / "pir-run", f.name, f"--case={folder}", "--pipeline=kernels", f"--rtol={tolerance}",
                                      f"--atol={1e-2 if half else 1e-6}"])


def kernel_jobs(run):
    compare = comparer(run)

    def jobs(tools, root):
        for folder in sorted(p for p in (root / "passes/kernel").glob("*") if p.is_dir()):
            pairs = [("", "before.pir", "kernel.pir", "pd_op_to_kernel"),
                     (":inplace", "before.pir", "kernel_inplace.pir", "pd_op_to_kernel,inplace"),
                     (":exec", "exec_before.pir", "exec_kernel.pir", "pd_op_to_kernel")]
            for suffix, before, after, passes in pairs:
                name = f"kernel {folder.name}{suffix}"
                if (folder / before).exists() and (folder / after).exists():
                    if not suffix.startswith(":exec") and re.search(r'"pd_op\.(if|while|pylayer)"', (folder / before).read_text()):
                        passes = f"constant_folding,dead_code_elimination,{passes}"  # the predictor folds regions later
                    command = [tools / "pir-opt", folder / before, f"--passes={passes}"]
                    yield name, or_skip(name, folder / after, lambda n=name, c=command, w=folder / after: compare(tools, n, c, w))
    return jobs


def steps(folder):
    """The changes: (number, pass, program before, program after), and the last program before the lowering."""
    order, before, found = json.loads((folder / "order.json").read_text()), folder / "00_loaded.pir", []
    for row in order:
        if row["pass"] in KERNEL_PASSES and before.name[0] != "k":
            before = folder / "kernel_lowered.pir"
        if row.get("file"):
            found.append((row["file"].split("_")[0], row["pass"], before, folder / row["file"]))
            before = folder / row["file"]
    last = [after for _, which, _, after in found if which not in KERNEL_PASSES]
    return found, last[-1] if last else folder / "00_loaded.pir"


def pipeline_jobs(run):
    compare = comparer(run)

    def jobs(tools, root):
        for folder in sorted(p for p in (root / "passes/pipelines").glob("*") if p.is_dir()):
            found, last = steps(folder)
            pipeline, params = CONFIGS[folder.name.rpartition(".")[2]], folder / "model.pdiparams"
            whole = [tools / "pir-opt", folder / "model.json", f"--pipeline={pipeline}"]
            whole += [f"--params={params}"] if params.exists() else []
            name = f"pipelines {folder.name}"
            yield name, lambda n=name, c=whole, w=last: compare(tools, n, c, w)
            if (folder / "kernel_final.pir").exists():
                lowered = whole + ["--pipeline=paddle-lower"]
                final, label = folder / "kernel_final.pir", name + ":kernel"
                yield label, or_skip(label, final, lambda n=label, c=lowered, w=final: compare(tools, n, c, w))
            for number, which, before, after in found:
                alone = sum(which == other for _, other, _, _ in found) == 1
                if which == "constant_folding_pass" or not alone:
                    continue  # the values of parameters are not in the text; Paddle runs regions one by one, here they are one step
                if lowers_to_onednn(after.read_bytes()):
                    continue
                step = [tools / "pir-opt", before, f"--passes={which.replace('mkldnn', 'onednn')}"]
                yield f"{name}:{number}", lambda n=f"{name}:{number}", c=step, w=after: compare(tools, n, c, w)
    return jobs
