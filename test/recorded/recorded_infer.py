"""Inference against recordings: the types of all results are taken out of a one-op program, and must come back."""
import re
import tempfile

from recorded_deviations import last_line

TENSOR = re.compile(r"(?<![\w.])tensor<((?:-?\d+x)*)(\w+)>")


def infer_jobs(run):
    def jobs(tools, root):
        index = root / "ops/cases_index.tsv"
        for line in index.read_text().splitlines()[1:] if index.exists() else ():
            op, case, _, flags, _, outs = line.split("\t")[:6]
            prog = root / "ops/cases" / op / case / "program.pir"
            if prog.exists():
                name = f"infer {op}/{case}"
                yield name, lambda n=name, p=prog, f=flags, o=outs: infer_job(run, tools, n, p, f, o)
    return jobs


def infer_job(run, tools, name, prog, flags, outs):
    want = prog.read_text()
    bare = "\n".join(without_types(l) for l in want.splitlines())
    with tempfile.NamedTemporaryFile("w", suffix=".pir") as f:
        f.write(bare)
        f.flush()
        code, out, err = run([tools / "pir-opt", "--passes=infer_types", f.name])
    if code:
        return name, "fail", f"exit code {code}: {last_line(err)}"
    told_wrong = {int(i) for f in flags.split() if f.startswith("mismatch:") for i in f.split(":")[1].split(",")}
    found, stated, differ = fetched(out.decode()), fetched(want), []
    for col, text in stated.items():
        if col < len(outs.split()) and "~" in outs.split()[col] and re.fullmatch(r"tensor<\w+>", text):
            continue  # an intermediate result that Paddle left without a shape
        run_shape = outs.split()[col].split("=")[-1].split("x") if col < len(outs.split()) and "=" in outs.split()[col] else None
        if col not in told_wrong and not same_type(found.get(col, ""), text, run_shape):
            differ.append(f"output {col} is inferred as {found.get(col, 'nothing')}, printed as {text}")
    return name, "fail" if differ else "pass", "; ".join(differ)


def without_types(line):
    head, arrow, types = line.rpartition(" -> ")
    return head + arrow + TENSOR.sub("tensor<undefined>", types) if arrow and "pd_op.data" not in line else line


def fetched(text):
    """The type of every output, by column."""
    return {int(m.group(1)): m.group(2) for m in re.finditer(r'"pd_op\.fetch" .*\bcol:(\d+).* -> (.*)', text)}


def same_type(found, stated, run_shape):
    """Inference may know an extent that was printed as unknown, if it is that of the run; it may not know less."""
    a, b = TENSOR.fullmatch(found), TENSOR.fullmatch(stated)
    if not a or not b or a.group(2) != b.group(2):
        return found == stated
    ours, theirs = (m.group(1).split("x")[:-1] for m in (a, b))
    if len(ours) != len(theirs):
        return False
    runs = run_shape if run_shape and len(run_shape) == len(ours) else None
    return all(x == y or (y.startswith("-") and (x == "-1" or not runs or x == runs[i])) for i, (x, y) in enumerate(zip(ours, theirs)))
