"""Rejections against recordings: every row of ops/errors.tsv is a small change of the first case of an op (an operand of
another rank, extent or element type, an attribute of another value) and what Paddle said. The changed program is written
without the types of its results, with feeds made from those of the case, and run. What Paddle refuses or dies of must be
an error that names the op; what it accepts may be refused here too, but not crash.

A message names an operand or attribute too. Many rows run in one process; the rows of a process that died run again one by one."""
import collections
import math
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import zipfile

import limited
from npy import BITS, CODES, read_npy, write_npy
from recorded_deviations import KNOWN, Array

BATCH, PART = 120, 15
ENDED = (0, 1, 3, 4, 5)  # exit codes of a tool that was not killed
SANITIZERS = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:")
OPS = pathlib.Path(__file__).resolve().parents[2] / "dialects/pd_op/pd_op.ops"
DATA = re.compile(r'\(%(\d+)\) = "pd_op\.data" \(\) \{(.*)\} : \(\) -> .*')
LINE = re.compile(r'\s*\((.*?)\) = ("[^"]+" \()(.*?)\) (\{.*\}) : \((.*)\) -> (.*)')
# What the recording must have fed, because Paddle's message names it: a changed feed of one number was made a float64 by numpy,
# and numbers of another type were drawn anew.
OTHER_TYPE = re.compile(r"trying to retrieve \((\w+)\) does not match the type of data \((\w+)\)")
FED = {"cholesky/lower/x:dtypefloat32->float64": [-1.0], "bernoulli/basic/x:dtypefloat32->float64": [1.68777],
       "tdm_child/basic/x:rank+1[2,1,3]": [-1], "tdm_child/basic/x:0-D": [-1]}
ATTR = re.compile(r"[{,](\w+):")
NULL, NULL_TYPE = "<<NULL VALUE>>", "<<NULL TYPE>>"


class NoProgram(Exception):
    """What this row changes is not in a program: an argument of the Python function alone."""


# ---- feeds
class Feed:
    def __init__(self, name, dtype, shape, values):
        self.name, self.dtype, self.shape, self.values = name, dtype, shape, values

    def resized(self):
        """The values again and again until the shape is full."""
        count = math.prod(self.shape)
        have = self.values or [0]
        return (have * (count // len(have) + 1))[:count]

    def npy(self):
        return write_npy(self.dtype, self.shape, self.resized())

    def type(self):
        return "tensor<" + "".join(f"{d}x" for d in self.shape) + CODES[self.dtype][2] + ">"


# ---- programs
class Program:
    """Lines of a one-op program, its feeds by name, and the op that is asked about."""

    def __init__(self, folder, op, operands):
        self.op, self.operands = f'"pd_op.{op}" (', operands
        self.lines, self.feeds, self.own = [], {}, {}
        stored = zipfile.ZipFile(folder / "tensors.npz")
        arrays = {n[3:-4].removesuffix("__bf16"): read_npy(stored.read(n), n.endswith("__bf16.npy"))
                  for n in stored.namelist() if n.startswith("in_")}
        for line in (folder / "program.pir").read_text().splitlines()[1:-1]:
            found = DATA.search(line)
            if found:
                name = re.search(r'name:"([^"]*)"', found[2])[1]
                self.feeds[found[1]] = Feed(name, *arrays[name])
                self.lines.append((found[1], found[2]))
            elif LINE.match(line):
                self.lines.append(list(LINE.match(line).groups()))
            else:
                raise NoProgram("not lines of ops alone")
        self.at = next(l for l in self.lines if len(l) == 6 and l[1] == self.op)
        self.given = self.at[2].split(", ") if self.at[2] else []

    def fed(self):
        return self.feeds.values()

    def feed_as_recorded(self, key, change, said):
        """Gives the changed feed the type or the numbers that Paddle's message says it had."""
        feed = next((f for f in self.feeds.values() if f.name == change.partition(": ")[0]), None)
        types = OTHER_TYPE.search(said)
        if feed and types and ": dtype" not in change:
            feed.dtype = next((t for t in types.groups() if t != feed.dtype), feed.dtype)
        if feed and key in FED:
            feed.values = FED[key]

    def maker(self, value):
        return next((l for l in self.lines if len(l) == 6 and f"%{value}" in l[0].split(", ")), None)

    def text(self):
        types = {i: f.type() for i, f in self.feeds.items()}
        out = []
        for line in self.lines:
            if len(line) == 2:
                feed = self.feeds[line[0]]
                attrs = re.sub(r"dtype:\w+", "dtype:" + feed.dtype, line[1])
                attrs = re.sub(r"shape:\[[^\]]*\]", "shape:[" + ",".join(map(str, feed.shape)) + "]", attrs)
                out.append(f'    (%{line[0]}) = "pd_op.data" () {{{attrs}}} : () -> {feed.type()}')
                continue
            results, name, operands, attrs, _, made = line
            made = re.sub(r"(?<![\w.])tensor<(?:-?\d+x)*\w+>", "tensor<undefined>", made)
            values = operands.split(", ") if operands else []
            if name == '"builtin.combine" (':
                made = "vec[" + ",".join(types[v[1:]] for v in values) + "]"
            given = ", ".join(NULL_TYPE if v == NULL else types[v[1:]] for v in values)
            out.append(f"    ({results}) = {name}{operands}) {attrs} : ({given}) -> {made}")
            types |= zip((r[1:] for r in results.split(", ")), split_types(made))
        return "\n".join(["{", *out, "}", ""])

    # -- changes
    def change(self, what):
        name, _, change = what.partition(": ")
        feed = [f for f in self.feeds.values() if f.name == name]
        if change == "None" or change == "empty list" or change == "one element fewer":
            return self.change_operand(name, change)
        if change.startswith("last element "):
            members = sorted((f for f in self.feeds.values() if re.fullmatch(name + r"_\d+", f.name)), key=lambda f: int(f.name.rsplit("_")[-1]))
            if not members:
                raise NoProgram("no list of that name is fed")
            return change_member(members[-1], change[13:])
        if feed and change_feed(feed[0], change):
            return None
        before, arrow, after = change.rpartition("->")
        if not arrow:
            raise NoProgram("not understood: " + change)
        return self.change_attr(name, before, after.strip().replace("'", '"'))

    def change_operand(self, name, change):
        if name not in self.operands or self.operands.index(name) >= len(self.given):
            raise NoProgram("not an operand")
        at = self.operands.index(name)
        if change == "None":
            self.given[at] = NULL
            self.at[2] = ", ".join(self.given)
            return
        made = self.maker(self.given[at][1:])
        if not made or made[1] != '"builtin.combine" (':
            raise NoProgram("not a list")
        made[2] = "" if change == "empty list" else ", ".join(made[2].split(", ")[:-1])

    def change_attr(self, name, before, after):
        if name in self.operands and self.operands.index(name) < len(self.given):
            value = self.given[self.operands.index(name)]
            made = self.maker(value[1:]) if value != NULL else None
            if not made or not replace_attr(made, "value", after):
                raise NoProgram("an operand that the program does not make from a constant")
            return
        if before in CODES or before == "main":  # the recording names the attribute in front of it
            name = "dtype" if "dtype:" in self.at[3] else name
        if before[:1] in "['" and attr_of(self.at, name) not in (None, as_text(before)):  # the recording names another attribute
            name = next((n for n in ATTR.findall(self.at[3])[::-1] if attr_of(self.at, n) == as_text(before)), name)
        if not replace_attr(self.at, name, after):
            raise NoProgram("no such attribute in the program")


def program_of(folder, case, op, operands):
    """The program of a case, or one that differs in what a feed replaces: the unknown extents, or the element type."""
    for like in ("", "_dyn0", "_dyn", "_float64", "_bfloat16", "_int64"):
        if (folder / (case + like) / "tensors.npz").exists():
            made = Program(folder / (case + like), op, operands)
            for feed in made.feeds.values():
                feed.dtype = "float32" if feed.dtype == like[1:] and like != "_int64" else feed.dtype
            return made
    raise NoProgram("not recorded")


def find_attr(line, name):
    return re.search(r"[{,]" + name + r':(\[[^\]]*\]|"[^"]*"|Place\([^)]*\)|[^,}]*)', line[3])


def attr_of(line, name):
    found = find_attr(line, name)
    return found[1] if found else None


def as_text(value):
    """A value of Python as IR text has it."""
    return value.replace(" ", "").replace("'", '"')


def replace_attr(line, name, after):
    found = find_attr(line, name)
    if not found:
        return False
    after = after.replace(" ", "")
    after = after + ".0" if re.fullmatch(r"-?\d+", after) and re.fullmatch(r"-?\d+\.\d*", found[1]) else after
    line[3] = line[3][:found.start(1)] + after + line[3][found.end(1):]
    return True


def change_feed(feed, change):
    for pattern, act in ((r"(?:rank[+-]\d )\[(.*)\]", lambda m: [int(v) for v in m[1].split(",") if v.strip()]),
                         (r"0-D", lambda m: []),
                         (r"last dim (?:\d+->)?(\d+)", lambda m: feed.shape[:-1] + [int(m[1])]),
                         (r"first dim \d+->(\d+)", lambda m: [int(m[1])] + feed.shape[1:])):
        found = re.fullmatch(pattern, change)
        if found:
            feed.shape = act(found)
            return True
    found = re.fullmatch(r"dtype \w+->(\w+)", change)
    if found and found[1] in CODES:
        feed.dtype = found[1]
    return bool(found)


def change_member(feed, change):
    if change == "rank-1":
        feed.shape = feed.shape[:-1]
    elif change == "last dim +1":
        feed.shape = feed.shape[:-1] + [feed.shape[-1] + 1]
    elif change == "of another dtype":
        feed.dtype = "int32" if feed.dtype != "int32" else "float32"
    else:
        raise NoProgram("not understood: " + change)


def split_types(text):
    depth, start, out = 0, 0, []
    for i, c in enumerate(text + ","):
        depth += (c in "<[") - (c in ">]")
        if c == "," and not depth:
            out.append(text[start:i].strip())
            start = i + 1
    return out


# ---- running
def declared_names(tools):
    """Of every op: its operands, and its attributes."""
    with tempfile.NamedTemporaryFile("r", suffix=".tsv") as f:
        subprocess.run([tools / "opsc", OPS, f"--list={f.name}"], check=True)
        rows = [l.split("\t") for l in f.read().splitlines()[1:]]
    names = lambda column: [re.match(r"\w+", x)[0] for x in column.split()]
    return {r[0].removeprefix("pd_op."): (names(r[2]), names(r[3])) for r in rows}


class Batch:
    """Rows that run in one process, when the first of them is asked for."""
    pipeline, options, memory, patience = "kernels", [], 6 << 30, 120

    def __init__(self, tools):
        self.tools, self.rows, self.lock, self.answers = tools, [], threading.Lock(), None

    def add(self, program):
        self.rows.append(program)
        return len(self.rows) - 1

    def answer(self, i):
        with self.lock:
            if self.answers is None:
                with tempfile.TemporaryDirectory(prefix="pir-errors-") as top:
                    self.run(pathlib.Path(top))
        return self.answers[i]

    def outputs(self, i):
        """All outputs of a row."""
        with tempfile.TemporaryDirectory(prefix="pir-errors-") as top:
            folder = pathlib.Path(top)
            self.write(self.rows[i], folder)
            subprocess.run([self.tools / "pir-run", folder / "program.pir", f"--pipeline={self.pipeline}", "--ignore-output=999",
                            f"--case={folder}", f"--output-dir={folder}"], check=True)
            return {int(p.stem[4:]): Array.of_file(p.read_bytes()) for p in folder.glob("out_*.npy")}

    def write(self, program, folder):
        (folder / "program.pir").write_text(program.text())
        with zipfile.ZipFile(folder / "tensors.npz", "w") as z:
            for feed in program.fed():
                z.writestr("in_" + feed.name + ("__bf16" if feed.dtype == "bfloat16" else "") + ".npy", feed.npy())
            for output, array in program.own.items():
                z.writestr(f"out_{output}{array.suffix()}.npy", array.file())

    def run(self, top):
        self.answers = self.run_rows(top, self.write_rows(top))

    def write_rows(self, top):
        folders = []
        for i, program in enumerate(self.rows):
            folder = top / f"{i // PART:03}" / f"{i:04}"
            folder.mkdir(parents=True)
            self.write(program, folder)
            folders.append(folder)
        return folders

    def run_rows(self, top, folders):
        """All in one process; when it dies, part by part, and then one by one."""
        if len(folders) == 1:
            return [self.run_alone(folders[0])]
        code, told = self.run_below(top, self.patience)
        if code in ENDED and not any(s in told for s in SANITIZERS):
            return [verdict_of(f, told) for f in folders]
        if len(folders) <= PART:
            return [self.run_alone(f) for f in folders]
        parts = [folders[i:i + PART] for i in range(0, len(folders), PART)]
        return [answer for part in parts for answer in self.run_rows(part[0].parent, part)]

    def run_alone(self, folder):
        code, told = self.run_below(folder, 160 if "san" in str(self.tools) else 20)
        if code in ENDED and not any(s in told for s in SANITIZERS):
            return verdict_of(folder, told)
        return -1, f"exit code {code}: {report_of(told)}"

    def run_below(self, folder, limit):
        command = [self.tools / "pir-run", f"--pipeline={self.pipeline}", "--ignore-output=999", f"--cases={folder}", *self.options]
        try:
            p = limited.run(command, limit, self.address_space(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env=self.environment())
        except subprocess.TimeoutExpired:
            return -1, "timed out"
        return p.returncode, p.stdout.decode(errors="replace")

    def address_space(self):
        """A size that nothing refuses must not take the machine's memory. The sanitizers need the address space."""
        return None if "san" in str(self.tools) else self.memory

    def environment(self):
        """Of the sanitizers: an allocation that is too large fails, as it does without them, where the process takes some of the memory too."""
        most = f"allocator_may_return_null=1:max_allocation_size_mb={(self.memory - self.memory // 8) >> 20}"
        asked = {name: os.environ.get(name, "") for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}
        return os.environ | {name: f"{text}:{most}" if text else most for name, text in asked.items()}


def report_of(told):
    """The line of a sanitizer's report, and where; else the end."""
    found = re.search(r"^.*(?:" + "|".join(SANITIZERS) + r").*$", told, re.M)
    return found[0] + " " + " ".join(re.findall(r"^ +#\d+ \S+ in (\S+ \S+)$", told, re.M)[:4]) if found else told.strip()[-300:]


def verdict_of(folder, told):
    """Messages stand before the line that names the folder of the case."""
    found = re.search(rf"^(FAIL|SKIP) {folder} with .*$", told, re.M)
    if not found:
        return 0, ""
    before = re.split(r"(?m)^(?:FAIL|SKIP) .*\n", told[:found.start()])[-1]
    return 3 if found[1] == "SKIP" else 1, before.strip()


def error_jobs(run):
    def jobs(tools, root):
        table = root / "ops/errors.tsv"
        if not table.exists():
            return
        declared, batch, outside = declared_names(tools), Batch(tools), collections.Counter()
        for row in (l.split("\t") for l in table.read_text().splitlines()[1:]):
            op, case, change = row[:3]
            operands, attrs = declared.get(op, ([], []))
            key = f"{op}/{case}/{change.replace(' ', '')}"
            try:
                program = program_of(root / "ops/cases" / op, case, op, operands)
                program.change(change)
                program.feed_as_recorded(key, change, row[5])
            except NoProgram as e:
                outside[str(e)] += 1
                continue
            if len(batch.rows) == BATCH:
                batch = Batch(tools)
            name = f"errors {key}"
            program.own = KNOWN.own_values(name, [])
            yield name, lambda b=batch, i=batch.add(program), r=row, n=name, o=operands + attrs: error_job(b, i, r, n, o), batch
        for why, count in outside.items():
            print(f"   {count} rows change nothing in a program: {why}", flush=True)
    return jobs


def error_job(batch, i, row, name, names):
    """What Paddle refuses and we compute is a row of deviations.tsv with our numbers."""
    code, message = batch.answer(i)
    if code == 0 and row[3] != "accepted" and KNOWN.key_of(name):
        if batch.rows[i].own:
            return name, "fail", "numbers"
        if KNOWN.accepting:
            KNOWN.numbers[name] = batch.outputs(i)
            return name, "fail", "numbers"
    return name, *judge(row, code, message, names)


def judge(row, code, message, names):
    said, theirs, name = row[3], row[5], f"{row[0]}/{row[1]}/{row[2].replace(' ', '')}"
    if code < 0:
        return "fail", f"crash: {message}"
    if said == "accepted":
        return judge_accepted(name, code, first_message(message))
    if code == 0:
        return "fail", f"accepted; Paddle: {theirs[:140]}"
    if "pd_op." not in message:
        return "fail", f"the message names no op: {message[-200:]}"
    return ("pass", "") if is_specific(message, names) else ("fail", f"the message names no operand or attribute: {message[-200:]}")


def first_message(message):
    """What the first line says, without the place in front or at the end and the list of operands and attributes behind."""
    said = re.sub(r"^.*error: ", "", message.splitlines()[0] if message else "")
    return re.sub(r"\s+", " ", re.sub(r" \(at [^()]*\)$", "", said.partition("; given ")[0])).strip()


def judge_accepted(name, code, ours):
    """A program that Paddle accepts is refused here with the message of its row in stricter.tsv, or accepted."""
    stated = KNOWN.stricter.get(name)
    if code == 3:
        return "skip", ours
    if code == 0:
        return ("fail", "accepted; take it off stricter.tsv") if stated else ("pass", "")
    if stated == ours:
        return "pass", "refused, where Paddle accepts"
    if stated and KNOWN.accepting:
        KNOWN.stricter[name] = ours
    return "fail", f"refused with '{ours}', stricter.tsv says '{stated}'" if stated else f"Paddle accepts it; {ours}"


def is_specific(message, names):
    """Names an operand or attribute of the op, or (of an op that it is expanded to) what was expected and found."""
    text = re.sub(r"^.*?(error|unsupported): ", "", message)
    return "expects" in text and "found" in text or "; given " in text or any(re.search(rf"\b{n}\b", text) for n in names)
