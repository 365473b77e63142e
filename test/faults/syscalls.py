#!/usr/bin/env python3
"""System calls that fail: each scenario is run once for every n, with the n-th of its system calls failing.

  syscalls.py [--sample] [--only SCENARIO] [--way WAY] [--at N] BUILD

A run must end with its results, or with an exit status of the manual page and a message. Whichever it is: every output
is the old file or the new one, no unpublished file is left, and a run without failures that follows finds nothing
damaged. Ways to fail: one call (each kind with its error); every call from the n-th on, as on a full disk; a call that
is interrupted or transfers half of its bytes, which must not show at all; and the process is killed before the call,
which may leave an unpublished file. --sample takes a part of the numbers n, the same ones every time. Ends with `N passed, N failed, N skipped`.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import limited

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE.parent / "models" / "digits_cnn"
OLD = b"the old file\n"
UNPUBLISHED = ".pir-new-"
STATUSES = {1, 3, 5}  # invalid or refused by the system, unsupported, a limit


class Scenario:
    """`command` names its files by {out} and {cache}; `outputs` are the files below {out} that it writes."""

    def __init__(self, name, command, outputs=(), sample=1, filled=False):
        self.name, self.command, self.outputs, self.sample, self.filled = name, command, list(outputs), sample, filled


RUN = "pir-run {model}/model.json --case={model}/case0 "
SCENARIOS = [
    Scenario("load", RUN + "--pipeline=kernels", sample=2),
    Scenario("compile with an empty cache", RUN + "--pipeline=compile --cache={cache}", sample=23),
    Scenario("start from the cache", RUN + "--pipeline=compile --cache={cache} --machine=table", filled=True, sample=3),
    Scenario("translate", "pir-translate {model}/model.json --to=pdmodel -o {out}/m.pdmodel --params-out={out}/m.pdiparams",
             ["m.pdmodel", "m.pdiparams"], sample=2),
    Scenario("run with outputs", RUN + "--pipeline=kernels --output-dir={out} --profile={out}/profile.json",
             ["out_0.npy"], sample=3),
    Scenario("write parameters", "pir-translate {model}/model.json --to=json -o {out}/m.json --params-out={out}/",
             ["m.json", "conv2d_0.w_0"], sample=5),
]
# name, kinds of calls, how each fails, whether the run must succeed
WAYS = [
    ("one", "all", "once", False),
    ("no more space", "write,mkdir,ftruncate", "always", False),
    ("no more files", "open", "always", False),
    ("interrupted", "read,write,fsync,send,receive,wait", "interrupted", True),
    ("half", "read,write,send", "short", True),
    ("killed", "all", "killed", False),
    ("compile server", "socketpair,send,receive,read,spawn,wait", "once", False),
    ("compile server interrupted", "send,receive,read,wait", "interrupted", True),
]
SAMPLE_OF_SERVER = 7  # the sample of the ways that few calls belong to


class Bench:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.model = MODEL
        self.library = self.build / "faults" / "libpir_fail.so"
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="pir-syscalls-"))
        self.new = {}    # scenario: the outputs that it makes without failures
        self.cache = {}  # scenario: a folder that it has filled

    def prepare(self, scenario, name):
        """A folder with the old files."""
        folder = self.root / name
        out, cache = folder / "out", folder / "cache"
        out.mkdir(parents=True)
        for file in scenario.outputs:
            (out / file).write_bytes(OLD)
        if scenario.filled:
            shutil.copytree(self.cache[scenario.name], cache, copy_function=shutil.copy2)
            cache.chmod(0o700)
        return folder

    def run(self, scenario, folder, calls=None):
        words = scenario.command.format(model=self.model, out=folder / "out", cache=folder / "cache").split()
        env = dict(os.environ, LC_ALL="C")
        if calls:
            env.update(LD_PRELOAD=str(self.library), PIR_FAIL_CALLS=calls, PIR_FAIL_IN=words[0],
                       PIR_FAIL_REPORT=str(folder / "count"))
        p = limited.run([self.build / "bin" / words[0], *words[1:]], 60, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                        env=env)
        return p.returncode, p.stderr.decode(errors="replace")

    def learn(self, scenario):
        """Runs without failures, for the outputs and a filled cache."""
        filled, scenario.filled = scenario.filled, False
        folder = self.prepare(scenario, "first-" + scenario.name.replace(" ", "-"))
        code, text = self.run(scenario, folder)
        scenario.filled = filled
        assert code == 0, f"{scenario.name}: {text}"
        names = [f.name for f in (folder / "out").iterdir()]
        scenario.outputs = [n for n in sorted(names) if n != "profile.json"]
        self.new[scenario.name] = {n: (folder / "out" / n).read_bytes() for n in scenario.outputs}
        self.cache[scenario.name] = folder / "cache"

    def count(self, scenario, kinds):
        folder = self.prepare(scenario, f"count-{time.monotonic_ns()}")
        code, text = self.run(scenario, folder, f"{kinds}:0:once")
        assert code == 0, text
        total = int((folder / "count").read_text())
        shutil.rmtree(folder)
        return total

    def faults_of(self, scenario, folder, code, text, must_succeed, killed=False):
        """What is wrong after a run; yields sentences."""
        if code and not killed and (must_succeed or code not in STATUSES):
            yield f"exit status {code}: {text[-300:]}"
        if code and not killed and not text.strip():
            yield f"exit status {code} without a message"
        for name, new in self.new[scenario.name].items():
            path = folder / "out" / name
            found = path.read_bytes() if path.exists() else None
            if code == 0 and found != new:
                yield f"status 0, and {name} is not the new file"
            elif found not in (OLD, new):
                yield f"{name} is neither the old file nor the new one"
        known = {*self.new[scenario.name], "profile.json"}
        for path in folder.rglob("*"):
            unpublished = path.name.startswith(UNPUBLISHED)
            if (unpublished and not killed) or (path.parent.name == "out" and not unpublished and path.name not in known):
                yield f"{path.name} is left behind"
        if "cache" in scenario.command:
            code, text = self.run(scenario, folder)
            if code or "damaged" in text:
                yield f"the next start: exit status {code}: {text[-300:]}"

    def attempt(self, scenario, way, n):
        _, kinds, how, must_succeed = way
        folder = self.prepare(scenario, f"{scenario.name}-{way[0]}-{n}".replace(" ", "-"))
        try:
            code, text = self.run(scenario, folder, f"{kinds}:{n}:{how}")
            faults = list(self.faults_of(scenario, folder, code, text, must_succeed, how == "killed"))
            if how == "killed" and code != -9:
                faults.append(f"ended with {code} before it was killed")
        except subprocess.TimeoutExpired:
            code, faults = -1, ["ran for more than 60 s"]
        shutil.rmtree(folder)
        return code, [f"FAIL {scenario.name}, {way[0]}, call {n}: {f}" for f in faults]

    def close(self):
        shutil.rmtree(self.root)


def chosen(total, every, at):
    if at:
        return [at]
    return range(1, total + 1, every)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--way")
    parser.add_argument("--at", type=int)
    parser.add_argument("build")
    args = parser.parse_args()
    bench = Bench(args.build)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for scenario in SCENARIOS:
            if args.only and args.only != scenario.name:
                continue
            bench.learn(scenario)
            for way in WAYS:
                if args.way and args.way != way[0]:
                    continue
                total = bench.count(scenario, way[1])
                every = min(scenario.sample, SAMPLE_OF_SERVER) if "server" in way[0] else scenario.sample
                numbers = chosen(total, every if args.sample else 1, args.at)
                begin, refused = time.monotonic(), 0
                for code, faults in pool.map(lambda n: bench.attempt(scenario, way, n), numbers):
                    refused += code != 0
                    failed += bool(faults)
                    passed += not faults
                    for line in faults:
                        print(line, flush=True)
                print(f"{scenario.name}, {way[0]}: {total} calls, {len(numbers)} tried: {refused} refused with a message, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
    bench.close()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
