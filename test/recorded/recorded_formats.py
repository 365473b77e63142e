"""Recorded programs through our own formats and back (kinds of recorded.py).

  roundtrip  text -> text and text -> typed -> text to the byte; text -> JSON -> text and typed -> JSON -> typed but for what JSON
             does not hold: attributes of block arguments and the program line. Files of models: -> text -> typed -> text, and
             -> typed -> JSON equal to -> JSON
  json       hand-made JSON files: our text and JSON equal Paddle's after reading; what Paddle refuses is refused or read better

A job that passes may say what it had to look past; recorded.py counts those by what they say.
"""
import re
import tempfile
import threading

from recorded_custom import custom_ops
from recorded_deviations import digest, last_line

ARGUMENT = re.compile(rb"(%(?:arg|kwarg)_\w+(?:: [^{}]*?)?) \{[^{}]*\}")
LOST = "attributes of block arguments are not in JSON"


class Broken(Exception):
    """A step that failed, or whose result differs."""


class Missing(Exception):
    """A step that needs what is not there yet (exit code 3)."""


class Chain:
    """Conversions of one program by pir-translate."""

    def __init__(self, run, tools, *options):
        self.run, self.command = run, [tools / "pir-translate", "--strip-debug", *options]

    def file(self, path, to):
        code, out, err = self.run([*self.command, path, f"--to={to}"])
        if code:
            raise (Missing if code == 3 else Broken)(f"to {to}: exit code {code}: {last_line(err)}")
        return out

    def text(self, data, to):
        with tempfile.NamedTemporaryFile() as f:
            f.write(data)
            f.flush()
            return self.file(f.name, to)


def same(made, want, what):
    if made != want:
        pairs = zip(made.splitlines(), want.splitlines())
        line = next((i + 1 for i, (a, b) in enumerate(pairs) if a != b), 0)
        raise Broken(f"{what} differs, line {line} [{digest(made)}]")


def without_info(typed):
    return re.sub(rb"\Aprogram \{.*\}\n", b"", typed)


def through_json(chain, first, form, json):
    """Whether `json`, made of `first`, gives it back; the note when only what JSON lacks is missing."""
    back = without_info(chain.text(json, form))
    if back == first:
        return ""
    same(ARGUMENT.sub(rb"\1 {}", back), ARGUMENT.sub(rb"\1 {}", first), f"{form} through JSON")
    return LOST


class Batch:
    """Many programs through one process each step (parts of one file). Tells which came back as they were; the others, and
    all when a step failed, are looked at one by one."""

    SEPARATOR = b"// -----\n"

    def __init__(self, run, tools, paths):
        self.run, self.tool, self.paths = run, tools / "pir-opt", paths
        self.lock, self.clean = threading.Lock(), None

    def step(self, parts, form):
        with tempfile.NamedTemporaryFile() as f:
            f.write(self.SEPARATOR.join(p if p.endswith(b"\n") else p + b"\n" for p in parts))
            f.flush()
            code, out, _ = self.run([self.tool, f.name, "--split-input-file", f"--emit={form}", "--strip-debug"])
        made = out.split(self.SEPARATOR)
        if code or len(made) != len(parts):
            raise Broken("batch")
        return made

    def compute(self):
        texts = [path.read_bytes() for path in self.paths]
        typed, json = self.step(texts, "typed"), self.step(texts, "json")
        ways = zip(texts, typed, self.step(texts, "text"), self.step(typed, "text"), self.step(json, "text"),
                   map(bytes.rstrip, json), map(bytes.rstrip, self.step(typed, "json")), self.step(json, "typed"))
        return {path for path, (text, kept, a, b, c, first, again, back) in zip(self.paths, ways)
                if text == a == b == c and first == again and without_info(kept) == without_info(back)}

    def holds(self, path):
        with self.lock:
            if self.clean is None:
                try:
                    self.clean = self.compute()
                except Broken:
                    self.clean = set()
            return path in self.clean


def text_steps(chain, batch, path):
    if batch.holds(path):
        return ""
    text = path.read_bytes()
    same(chain.file(path, "text"), text, "text")
    typed, json = without_info(chain.file(path, "typed")), chain.file(path, "json")
    same(chain.text(typed, "text"), text, "text through typed")
    same(chain.text(typed, "json"), json, "JSON of typed")
    return through_json(chain, text, "text", json) or through_json(chain, typed, "typed", json)


def model_steps(chain, path):
    text, typed = chain.file(path, "text"), chain.file(path, "typed")
    same(chain.text(typed, "text"), text, "text of typed")
    same(chain.text(chain.text(text, "typed"), "text"), text, "text through typed")
    same(chain.text(typed, "typed"), typed, "typed")
    same(chain.text(typed, "json"), chain.file(path, "json"), "JSON of typed")
    return ""


def json_steps(chain, run, folder):
    given, text, again = folder / "input.json", folder / "program.pir", folder / "output.json"
    if not text.exists():
        code, _, err = run([chain.command[0], given, "--to=json"])
        if code not in (0, 1, 3):
            raise Broken(f"exit code {code}: {err}")
        return "Paddle refuses it, so do we" if code else "Paddle refuses it, we read it"
    same(chain.file(given, "text"), text.read_bytes(), "text")
    if again.exists():
        same(chain.file(given, "json"), again.read_bytes(), "JSON")
    return ""


def job(name, steps, *args):
    def run_steps():
        try:
            return name, "pass", steps(*args)
        except Broken as why:
            return name, "fail", str(why)
        except Missing as why:
            return name, "skip", str(why)
    return name, run_steps


def roundtrip_jobs(run):
    def jobs(tools, root):
        chain = Chain(run, tools)
        for top in ("ops/cases", "ops/cases_grad", "passes/printer"):
            paths = sorted(p for p in (root / top).rglob("program.pir")
                           if not (p.parent.parent.name == "json" and p.parent.parent.parent.name == "printer"))
            for i, path in enumerate(paths):
                if i % 50 == 0:
                    batch = Batch(run, tools, paths[i:i + 50])
                # One process serves the batch, so that a share has all of it or nothing.
                yield *job(f"roundtrip {path.parent.relative_to(root / top)}", text_steps, chain, batch, path), batch
        for top in ("models", "real", "nets"):
            for path in sorted((root / top).glob("*/*")):
                if path.suffix in (".json", ".pdmodel") and path.name not in ("meta.json", "case.json"):
                    yield job(f"roundtrip {path.relative_to(root)}", model_steps, Chain(run, tools, *custom_ops(path)), path)
    return jobs


def json_jobs(run):
    def jobs(tools, root):
        chain = Chain(run, tools, "--unverified")  # some lack operands: Paddle prints them too
        for folder in sorted((root / "passes/printer/json").glob("*")):
            yield job(f"json {folder.name}", json_steps, chain, run, folder)
    return jobs
