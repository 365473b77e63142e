"""Recorded programs through .pdmodel files of ours and back (kind `legacy` of recorded.py).

From a .pdmodel: read again after writing, it is the same program; by way of JSON too, and from then on the file stays the same to the
byte. From a JSON file: what comes back from .pdmodel gives that .pdmodel again.
"""
import pathlib
import tempfile

from recorded_custom import custom_ops
from recorded_deviations import last_line


class Broken(Exception):
    """A step that failed, or whose result differs."""


class Missing(Exception):
    """A step that says `unsupported` (exit code 3)."""


class Steps:
    def __init__(self, run, tools, folder, path):
        self.run, self.tools, self.folder, self.count, self.custom = run, tools, pathlib.Path(folder), 0, custom_ops(path)

    def to(self, source, form):
        self.count += 1
        made = self.folder / f"{self.count}.{form}"
        code, _, err = self.run([self.tools / "pir-translate", source, f"--to={form}", "-o", made, *self.custom])
        if code:
            raise (Missing if code == 3 else Broken)(f"step {self.count}, to {form}: exit code {code}: {last_line(err)}")
        return made

    def same_program(self, a, b, what):
        code, out, err = self.run([self.tools / "pir-opt", "--diff", a, b, *self.custom])
        if code:
            raise Broken(f"{what}: {last_line(err or out.decode(errors='replace'))}")


def same_bytes(a, b, what):
    if a.read_bytes() != b.read_bytes():
        raise Broken(f"{what} differs")


def pdmodel_steps(steps, path):
    text, json = steps.to(path, "text"), steps.to(path, "json")
    steps.same_program(text, steps.to(steps.to(path, "pdmodel"), "text"), "through .pdmodel")
    again = steps.to(json, "pdmodel")
    json_again = steps.to(again, "json")
    # As text: a list of scalars says the kind of each number in JSON, old files keep them all as float64.
    steps.same_program(steps.to(json, "text"), steps.to(json_again, "text"), "through JSON and .pdmodel")
    same_bytes(again, steps.to(json_again, "pdmodel"), "the second .pdmodel")


def json_steps(steps, path):
    first = steps.to(path, "pdmodel")
    json = steps.to(first, "json")
    second = steps.to(json, "pdmodel")
    steps.same_program(json, steps.to(second, "json"), "the second JSON")
    same_bytes(second, steps.to(steps.to(second, "json"), "pdmodel"), "the third .pdmodel")


def legacy_jobs(run):
    def jobs(tools, root):
        for pattern in ("models/*/*", "real/*/*", "nets/*/*", "passes/translate/*/legacy.pdmodel"):
            for path in sorted(root.glob(pattern)):
                if path.suffix in (".json", ".pdmodel") and path.name not in ("meta.json", "case.json"):
                    yield job(run, tools, path, f"legacy {path.relative_to(root)}")
    return jobs


def job(run, tools, path, name):
    def run_steps():
        with tempfile.TemporaryDirectory() as folder:
            try:
                (pdmodel_steps if path.suffix == ".pdmodel" else json_steps)(Steps(run, tools, folder, path), path)
            except Broken as why:
                return name, "fail", str(why)
            except Missing as why:
                return name, "skip", str(why)
        return name, "pass", ""
    return name, run_steps
