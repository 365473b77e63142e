"""Recordings that are not met, and what libpir gives instead (deviations.tsv).

A row names a recording, says why Paddle's is not the one to meet, and states our own result, so that the row is a check too: it
passes when the recording is missed in that way, and fails when the recording is met after all or when our result is another one.
The result is stated as one of

  numbers                     the values in deviations_numbers.tsv, within the tolerance of the recording; or `numbers within 1e-6`,
                              and then the recording may be met too
  equals out_2 as int32, ..   values of the same recording: of another output, or of an input; as another type, or within, likewise
  text 0123456789ab           a digest of the program that a pass, a reader or a pipeline made
  anything else               the message that the comparison or the tool printed

A reason that begins with `not inferred` names something that is missing: such a row is a skip, and fails when the result changes.
`recorded.py --accept` writes the third column and the numbers of the rows that it ran: read them before you commit them.
"""
import contextlib
import hashlib
import itertools
import pathlib
import re
import shutil
import tempfile
import zipfile

from npy import read_npy, write_npy

HERE = pathlib.Path(__file__).resolve().parent
ROWS, NUMBERS, STRICTER = HERE / "deviations.tsv", HERE / "deviations_numbers.tsv", HERE / "stricter.tsv"
UNSUPPORTED, DIFFERENT = 3, 4  # exit codes
LONGEST = 160  # a message that is longer is stated by its beginning and a digest
EQUALS = re.compile(r"equals ((?:in|out)_\w+?)(?: as (\w+))?(?: within (\S+))?$")
WITHIN = re.compile(r"(?:numbers|equals .*) within (\S+)$")
NO_INTEGER = re.compile("[.eaf]")  # nan and inf too
MISSING = "not inferred"  # reasons that begin so name something that is not there yet
MISSED = "as deviations.tsv says"


def digest(data):
    return f"text {hashlib.sha256(data).hexdigest()[:12]}"


def stated_by(why):
    """The part of an outcome that a row states: the digest of a text, or the message without folders."""
    found = re.search(r"\[(text \w+)\]$", why)
    if found:
        return found[1]
    said = re.sub(r"(?<![\w.])/[^\s:]*/", "", " ".join(why.split()))
    return said if len(said) <= LONGEST else f"{said[:LONGEST].strip()} .. {digest(said.encode())}"


def number(text):
    return complex(text) if "j" in text else float(text) if NO_INTEGER.search(text) else int(text)


def shortened(texts):
    """Equal neighbours once, with their number: `0.0*5`."""
    runs = ((text, len(list(run))) for text, run in itertools.groupby(texts))
    return " ".join(text if n == 1 else f"{text}*{n}" for text, n in runs)


def repeated(text):
    for word in text.split():
        value, _, n = word.partition("*")
        yield from [value] * int(n or 1)


class Array:
    """Values of a type and shape, as a row of deviations_numbers.tsv or as a file."""

    def __init__(self, dtype, shape, values):
        self.dtype, self.shape, self.values = dtype, shape, values

    @staticmethod
    def of_row(dtype, shape, values):
        return Array(dtype, [int(d) for d in shape.split("x")] if shape else [], [number(v) for v in repeated(values)])

    @staticmethod
    def of_file(data, bf16=False):
        return Array(*read_npy(data, bf16))

    def row(self):
        return "\t".join([self.dtype, "x".join(map(str, self.shape)), shortened(map(self.text_of, self.values))])

    def text_of(self, v):
        if isinstance(v, complex):
            return str(v).strip("()")
        if not isinstance(v, float):
            return str(int(v))
        text = str(v) if self.dtype == "float64" else f"{v:.9g}"
        return text if NO_INTEGER.search(text) else text + ".0"

    def file(self):
        return write_npy(self.dtype, self.shape, self.values)

    def suffix(self):
        return "__bf16" if self.dtype == "bfloat16" else ""


def read_case(folder):
    """The arrays of a case: (name, bytes) in the order of the file."""
    npz = folder / "tensors.npz"
    if not npz.exists():
        return [(p.stem, p.read_bytes()) for p in sorted(folder.glob("*.npy"))]
    with zipfile.ZipFile(npz) as z:
        return [(n.removesuffix(".npy"), z.read(n)) for n in z.namelist()]


def outputs_of(arrays):
    """Names of the expected outputs, by number: the numbered ones, then the gradients in order."""
    found = {int(n[4:].split("__")[0]): n for n, _ in arrays if re.match(r"out[_/]\d", n)}
    for name in (n for n, _ in arrays if re.match("grad[_/]", n)):
        found[len(found)] = name
    return found


class Deviations:
    def __init__(self):
        self.heads, self.numbers = {}, {}
        self.rows = {name: [reason, result] for name, reason, result in self.read(ROWS)}
        self.stricter = dict(self.read(STRICTER))  # changed programs that Paddle accepts: our message (recorded_errors.py)
        for name, output, *rest in self.read(NUMBERS):
            self.numbers.setdefault(name, {})[int(output.removeprefix("out_"))] = Array.of_row(*rest)
        self.accepting, self.met = False, set()

    def read(self, path):
        lines = path.read_text().splitlines()
        self.heads[path] = [l for l in lines if l.startswith("#")]
        return [l.split("\t") for l in lines if l and l[0] != "#"]

    def key_of(self, name):
        """The row of a job: those of one recording differ in pipeline and threads, and in the case unless the row names it."""
        words = name.split()
        return next((k for k in (" ".join(words[:3]), " ".join(words[:2])) if k in self.rows), None)

    def judge(self, name, result, why):
        key = self.key_of(name)
        if not key:
            return result, why
        self.met.add(key)
        if result == "pass":  # what differs within a bound may agree on another processor
            return ("pass", "") if WITHIN.match(self.rows[key][1]) else ("fail", "agrees; take it off deviations.tsv")
        found, stated = stated_by(why), self.rows[key][1]
        if found == stated:
            return ("skip", self.rows[key][0]) if self.rows[key][0].startswith(MISSING) else ("pass", MISSED)
        if self.accepting and result == "fail":
            self.rows[key][1] = found
        return result, why if result == "skip" else f"gives '{found}', deviations.tsv says '{stated}'"

    def unmet(self, kinds):
        """Rows of these kinds that no job was of."""
        return [k for k in self.rows if k.split()[0] in kinds and k not in self.met]

    # -- numbers
    def own_values(self, name, arrays):
        """Our own values of outputs of a job, by number; empty when its row states none."""
        words, key = name.split(), self.key_of(name)
        stated = EQUALS.match(self.rows[key][1]) if key else None
        if not stated:
            return self.numbers.get(" ".join(words[:3]), self.numbers.get(" ".join(words[:2]), {})) if key else {}
        like, output = Array.of_file(dict(arrays)[stated[1]]), re.search(r":(\d+)$", words[1])
        return {int(output[1] if output else stated[1][4:]): Array(stated[2] or like.dtype, like.shape, like.values)}

    def tolerance(self, name):
        """The options for it that a row states: the class of an operator was measured on Paddle's way to compute it."""
        within = WITHIN.match(self.rows[self.key_of(name)][1])
        return [f"--rtol={within[1]}", f"--atol={within[1]}"] if within else []

    @contextlib.contextmanager
    def own_case(self, name, folder):
        """A copy of a case with our own values in place of the recorded ones, or None."""
        arrays = read_case(folder)
        own, outputs = self.own_values(name, arrays), outputs_of(arrays)
        if not own:
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="pir-own-") as made:
            with zipfile.ZipFile(pathlib.Path(made) / "tensors.npz", "w") as z:
                order = {n: i for i, n in outputs.items()}
                for array, data in arrays:
                    i = order.get(array)
                    put = (f"out_{i}" + own[i].suffix(), own[i].file()) if i in own else (array, data)
                    z.writestr(put[0] + ".npy", put[1])
            for lod in folder.glob("lod_*.json"):
                shutil.copy(lod, made)
            yield pathlib.Path(made)

    def take_numbers(self, name, written, arrays, which):
        """For --accept: the outputs `which` of a run, written to a folder, become the values of the row."""
        words, outputs = name.split(), outputs_of(arrays)
        key = " ".join(words[:3] if words[0] == "nets" else words[:2])
        self.numbers[key] = {i: Array.of_file((written / f"out_{i}.npy").read_bytes(), outputs[i].endswith("__bf16")) for i in which}

    def write(self):
        numbers = [f"{n}\tout_{i}\t{a.row()}" for n, outs in sorted(self.numbers.items()) for i, a in sorted(outs.items())]
        rows = ["\t".join([n, *row]) for n, row in self.rows.items()]
        for path, lines in ((ROWS, rows), (NUMBERS, numbers), (STRICTER, map("\t".join, self.stricter.items()))):
            path.write_text("\n".join([*self.heads[path], *lines]) + "\n")


KNOWN = Deviations()


# ---- jobs that compare numbers
def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"  # whole: a cut would depend on the length of the folder in it


def verdict(name, code, err):
    if code == 0:
        return name, "pass", ""
    return name, "skip" if code == UNSUPPORTED else "fail", f"exit code {code}: {last_line(err)}"


def number_job(run, name, command):
    """A run of pir-run on a case; where its row states numbers, once more against those."""
    code, out, err = run(command)
    if code != DIFFERENT or not KNOWN.key_of(name):
        return verdict(name, code, err)
    given = next(c for c in map(str, command) if c.startswith("--case="))
    folder, differences, message = pathlib.Path(given[7:]), out.decode(errors="replace"), last_line(err)
    with KNOWN.own_case(name, folder) as own:
        if own:
            code, out, err = run([f"--case={own}" if str(c) == given else c for c in command] + KNOWN.tolerance(name))
            if code == 0:
                return name, "fail", KNOWN.rows[KNOWN.key_of(name)][1]
            message = f"not our own numbers either: {last_line(err)}"
    if KNOWN.accepting:
        with tempfile.TemporaryDirectory() as written:
            run([*command, f"--output-dir={written}"])
            which = [int(i) for i in re.findall(r"output (\d+): .*(?:differ|expected)", differences)]
            KNOWN.take_numbers(name, pathlib.Path(written), read_case(folder), which)
        message = "numbers"
    return name, "fail", message
