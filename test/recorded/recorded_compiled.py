"""Compiled models (kind compiled of recorded.py).

pir-compile compiles every recorded model and network from its JSON, and a program that is linked with libpir_rt alone
(test/runtime/compiled/run_case.c) runs the file on every case, with 1 and 2 threads. With --emulate the files are for
aarch64, and the program runs under qemu-user. A model with an operator of its author's own must be refused by name. Outputs and cases that deviations.tsv has for the kind nets are left to that kind.
"""
import itertools
import tempfile

from recorded_custom import custom_ops
from recorded_deviations import KNOWN, last_line

RULES = {"models": ["1e-5", "1e-4", "0"], "real": ["1e-5", "1e-4", "0"], "nets": ["1e-6", "0", "1e-4"]}


def rule_of(top, folder):
    if "det" in folder.name:
        return ["1e-4", "1e-4", "0"]
    return ["1e-6", "0", "3e-5"] if folder.name == "yolo_tiny" else RULES[top]


def odd_outputs(label, case):
    outputs = range(len(list(case.glob("out_*.npy"))))
    return [str(i) for i in outputs if KNOWN.key_of(f"nets {label}:{i} {case.name}")]


def compiled_job(run, tools, emulated, name, prog, params, cases, rule):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/model.pirm"
        files = [f"--params={params}"] if params else []
        files += ["--target=aarch64"] if emulated else []
        program = ["qemu-aarch64", emulated / "run_case"] if emulated else [tools / "run_case"]
        own = custom_ops(prog)
        code, _, err = run([tools / "pir-compile", prog, *files, *own, "-o", file])
        if own:
            refused = code == 3 and "custom ops" in err
            return name, "pass" if refused else "fail", "" if refused else f"exit code {code}: {last_line(err)}"
        if code:
            return name, "fail", f"exit code {code}: {last_line(err)}"
        label = f"{prog.parent.name}/{prog.name}"
        for case, threads in itertools.product(cases, ("1", "2")):
            if KNOWN.key_of(f"nets {label} {case.name}"):
                continue
            code, _, err = run([*program, file, case, threads, *rule, *odd_outputs(label, case)])
            if code:
                return name, "fail", f"{case.name}, {threads} threads: exit code {code}: {last_line(err)}"
    return name, "pass", ""


def compiled_jobs(run, programs_of, emulated):
    def jobs(tools, root):
        for top in RULES:
            for folder in sorted(p for p in (root / top).glob("*") if p.is_dir()):
                cases = sorted(c for c in folder.glob("case*") if c.is_dir())
                for prog, params in programs_of(folder):
                    if not cases or prog.suffix != ".json":
                        continue
                    name = f"compiled {folder.name}/{prog.name}"
                    yield name, lambda n=name, p=prog, w=params, c=cases, r=rule_of(top, folder): compiled_job(run, tools, emulated(), n, p, w, c, r)
    return jobs
