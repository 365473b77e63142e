"""Loop IR of recorded programs (kind loops of recorded.py).

What pir-opt --emit=loops prints of a program, with its loops verified after every rewrite, is accepted by --verify-loops and printed
again to the byte, for processors and for a device. Of the programs of models/ the object code made of the text is that of the program.
A program whose results are all small is compiled without the bound that leaves those to kernels. One that still has no group computes
nothing: that is what the job asserts then.
"""
import re
import tempfile

from recorded_custom import custom_ops
from recorded_deviations import verdict

TARGETS = ("x86-64-v3", "sapphirerapids", "aarch64", "cuda")
OBJECTS = "x86-64-v3"
NO_GROUP = "nothing to compile"
SMALL = {"cuda": "check,prepare,group{target=cuda,few=0},dce,bind"}
SMALL_CPU = "ungrouped,group{few=0},dce,bind"
IDLE = {"data", "feed", "fetch", "full", "full_int_array", "assign_value", "assign_value_", "uniform", "gaussian", "builtin.parameter",
        "builtin.set_parameter", "builtin.shadow_output"}


def command_of(tools, program, params, target):
    groups = ["--pipeline=compile-cuda"] if target == "cuda" else ["--pipeline=compile"]
    files = [f"--params={params}"] if params else []
    return [tools / "pir-opt", program, f"--target={target}", *groups, *files, *custom_ops(program)]


def of_small_results(command, target):
    passes = "--passes=" + SMALL.get(target, SMALL_CPU)
    return [passes if str(c).startswith("--pipeline=") else c for c in command]


def compared(run, tools, text, target, form, want):
    """Whether the text in the file `text` becomes `want` in a form."""
    code, out, err = run([tools / "pir-opt", text, f"--emit={form}", f"--target={target}"])
    if code:
        return f"{form} of the text: exit code {code}: {err.strip()[:200]}"
    return "" if out == want else f"{form} of the text differs"


def round_job(run, tools, name, command, target, with_object):
    code, loops, err = run([*command, "--emit=loops", "--verify-each"])
    if NO_GROUP in err:
        command = of_small_results(command, target)
        code, loops, err = run([*command, "--emit=loops", "--verify-each"])
    if NO_GROUP in err:
        return name, *idle_job(run, command)
    if code:
        return verdict(name, code, err)
    with tempfile.NamedTemporaryFile(suffix=".loops") as f:
        f.write(loops)
        f.flush()
        code, out, err = run([tools / "pir-opt", "--verify-loops", f.name])
        why = f"verified with exit code {code}: {err.strip()[:200]}" if code or out else ""
        why = why or compared(run, tools, f.name, target, "loops", loops)
        if with_object and not why:
            code, made, err = run([*command, "--emit=obj"])
            why = f"exit code {code}: {err.strip()[-200:]}" if code else compared(run, tools, f.name, target, "obj", made)
    return name, "fail" if why else "pass", why


def idle_job(run, command):
    """A program without groups computes nothing."""
    code, text, err = run(command)
    ops = set(re.findall(r'"([\w.]+)(?:\(phi_kernel\))?" \(', text.decode())) - IDLE
    good = code == 0 and text and not ops
    return "pass" if good else "fail", "there is nothing to compile in it" if good else f"not compiled: {', '.join(sorted(ops)) or err}"


def loop_jobs(run, programs_of):
    def jobs(tools, root):
        for top in ("models", "real", "nets"):
            for folder in sorted(p for p in (root / top).glob("*") if p.is_dir()):
                for program, params in programs_of(folder):
                    for target in TARGETS:
                        name = f"loops {folder.name}/{program.name} {target}"
                        command = command_of(tools, program, params, target)
                        made = top == "models" and program.suffix == ".json" and target == OBJECTS
                        yield name, lambda n=name, c=command, t=target, o=made: round_job(run, tools, n, c, t, o)
    return jobs
