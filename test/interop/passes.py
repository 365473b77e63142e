#!/usr/bin/env python3
"""Real Paddle's passes, decompositions and gradients of whole programs, beside ours.

  passes.py --bin DIR --work DIR [--match RE] RECORDED

RECORDED has programs in nets/ and models/, and passes/, whose folders are named as Paddle's passes. Of every program
  pass       each pass alone makes the program that it is in Paddle, or leaves it alone
  decompose  the primitive ops, with extents that only the run shows
  gradients  the gradients of the mean of the first output with respect to inputs and parameters, in Paddle's ops
up to names and the order of independent ops. passes.tsv names what differs, and why: CHECK <TAB> PROGRAMS (RE) <TAB> REASON. Where Paddle refuses or
ends, nothing is compared. Ends with `N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

DYNAMIC = {"FLAGS_prim_enable_dynamic": True}
LEVEL = 4  # all passes of Paddle's manager


# ---- in processes that Paddle may end


def loaded(path):
    import paddle
    program = paddle.static.Program()
    paddle.base.core.deserialize_pir_program(str(path), program)
    return program


def loads_onednn(model):
    """Paddle knows the ops of oneDNN behind its first predictor with them."""
    import paddle.inference
    config = paddle.inference.Config(str(model), str(model.with_suffix(".pdiparams")))
    config.disable_glog_info()
    config.enable_mkldnn()
    paddle.inference.create_predictor(config)


def run_pass(path, name):
    import paddle
    program = loaded(path)
    manager = paddle.pir.PassManager(LEVEL)
    manager.add_pass(name, {})
    manager.run(program)
    return str(program)


def decompose(path):
    import paddle
    from paddle.decomposition import decomp
    paddle.base.core._set_prim_forward_enabled(True)
    paddle.set_flags(DYNAMIC)
    program = loaded(path)
    with paddle.static.program_guard(program):
        decomp.decompose(program, [])
    return str(program)


def is_f32(value):
    return "float32" in str(value.dtype).lower()


def gradients(path, before):
    """Writes the program with its loss to `before`; returns it with the gradients, and the names of what has one."""
    import paddle
    from paddle.autograd.ir_backward import grad
    program = loaded(path)
    block, wanted, names = program.global_block(), [], []
    with paddle.static.program_guard(program):
        fetches = [op for op in block.ops if op.name() == "pd_op.fetch"]
        output = next(op.operand_source(0) for op in fetches if is_f32(op.operand_source(0)))
        for op in fetches:
            block.remove_op(op)
        for op in block.ops:
            key = {"pd_op.data": "name", "builtin.parameter": "parameter_name"}.get(op.name())
            if key and is_f32(op.result(0)) and (key == "name" or not op.result(0).stop_gradient):
                op.result(0).stop_gradient = False
                wanted.append(op.result(0))
                names.append(op.attrs()[key])
        loss = paddle.mean(output)
        paddle._pir_ops.fetch(loss, "fetch0", 0)
        paddle.base.core.serialize_pir_program(program, str(before), True, False, True)
        found = [(v, n) for v, n in zip(grad([loss], wanted, allow_unused=True), names) if v is not None]
        for column, (value, _) in enumerate(found):
            paddle._pir_ops.fetch(value, f"fetch{column + 1}", column + 1)
    return str(program), [name for _, name in found]


def apart(work):
    """Runs the work in a child; returns whether it ended well. What Paddle says is not shown."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.dup2(2, 1)
        try:
            work()
        except BaseException:  # Paddle raises whatever it likes
            os._exit(3)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


# ---- comparing


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def plain(text):
    """Paddle's fetches state persistable if its Python made them."""
    return re.sub(r'("pd_op.fetch".*?)persistable:\[true\],', r"\1", text)


class Checker:
    def __init__(self, tools, folder, known):
        self.tools, self.folder, self.known = tools, folder, known
        self.counts = {"pass": 0, "fail": 0, "skip": 0}

    def end(self, check, program, verdict, why=""):
        if verdict == "fail" and any(re.fullmatch(c, check) and re.fullmatch(p, program) for c, p, _ in self.known):
            verdict = "skip"
        self.counts[verdict] += 1
        if verdict == "fail":
            print(f"FAIL {check} {program}: {why}", flush=True)

    def compare(self, check, program, theirs, source, passes):
        """Ours, of the program `source`, beside the text of theirs."""
        ours = run(self.tools / "pir-opt", source, f"--passes={passes}")
        if ours.returncode:
            return self.end(check, program, "fail", ours.stderr.strip()[-300:])
        files = [self.folder / f"{check}.{who}.pir" for who in ("ours", "theirs")]
        for file, text in zip(files, (ours.stdout, theirs)):
            file.write_text(plain(text))
        done = run(self.tools / "pir-opt", "--diff", *files)
        return self.end(check, program, "fail" if done.returncode else "pass", " ".join(done.stdout.split())[:300])

    def check(self, check, program, path, make):
        """`make` returns Paddle's text, in a child. The pass of ours has the name of the check."""
        theirs = self.folder / "theirs.pir"
        theirs.unlink(missing_ok=True)
        if not apart(lambda: theirs.write_text(make())):
            return self.end(check, program, "skip")
        return self.compare(check, program, theirs.read_text(), path, check)

    def check_gradients(self, program, path):
        before, names, theirs = (self.folder / n for n in ("before.json", "names", "theirs.pir"))

        def make():
            text, found = gradients(path, before)
            theirs.write_text(text)
            names.write_text("|".join(found))
        if not apart(make):
            return self.end("gradients", program, "skip")
        loss = re.search(r'"pd_op.fetch" \((%\d+)\)', run(self.tools / "pir-opt", before, "--passes=").stdout)[1]
        return self.compare("gradients", program, theirs.read_text(), before, f"backward{{loss={loss},ones,wrt={names.read_text()}}}")


def read_known(path):
    rows = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(row) for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--match", default="")
    parser.add_argument("recorded", type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    checker = Checker(args.bin, args.work, read_known(pathlib.Path(__file__).with_name("passes.tsv")))
    passes = sorted(p.name for p in (args.recorded / "passes").glob("*_pass"))
    models = [m for kind in ("nets", "models") for m in sorted((args.recorded / kind).glob("*/model.json"))]
    import paddle
    paddle.enable_static()
    loads_onednn(next(m for m in models if m.with_suffix(".pdiparams").exists()))
    for model in models:
        program = model.parent.name
        checks = [(name, lambda n=name, m=model: run_pass(m, n)) for name in passes]
        checks += [("decompose", lambda m=model: decompose(m))]
        for name, make in checks:
            if re.search(args.match, f"{name} {program}"):
                checker.check(name, program, model, make)
        if re.search(args.match, f"gradients {program}"):
            checker.check_gradients(program, model)
        print(f"{program}: {checker.counts['pass']} passed, {checker.counts['fail']} failed", file=sys.stderr)
    print("{pass} passed, {fail} failed, {skip} skipped".format(**checker.counts))
    return checker.counts["fail"] != 0


if __name__ == "__main__":
    sys.exit(main())
