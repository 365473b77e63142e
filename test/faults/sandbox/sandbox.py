#!/usr/bin/env python3
"""What a model causes on disk: its parameter file is read, and nothing else.

  sandbox.py [--share K/N] BUILD RECORDED

Each scenario runs a tool under BUILD/bin/sandbox, which writes down every path and every call that reaches outside of the
process, and has the kernel refuse all other files (Landlock; a named skip where the kernel has none). Every line must be
one that SECURITY.md names:

  always       the libraries of the system and of libpir, LLVM and optional ones included; the number of processors; the
               memory of the control group; random
               bytes; /proc/self; /dev/null; with compiled code pir-compile-server is started
  of a model   the program, and its parameters: the file named for it, the heads of other .pdiparams files beside it,
               or the files of the folder that the user named
  of options   what the user named: a case, a folder of outputs, a cache

Scenarios: the shipped model by every tool; models whose parameters, inputs, outputs, ops and origins have names that lead
elsewhere, where a file lies in wait; and every recorded model. Ends with `N passed, N failed, N skipped`.
"""
import argparse
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
import limited

TESTS = pathlib.Path(__file__).resolve().parents[2]
MODEL = TESTS / "models" / "digits_cnn"
NOT_OFFERED = 125
# Formats whose reader refuses a NUL byte in a name, and its words.
NO_ZERO = {".json": "\\u0000 is not allowed", ".pdmodel": "a name with a zero byte"}
LEADS = "is no file name inside a folder"
# Folders of libraries; files that the C library and the dynamic linker read.
SYSTEM = ["/lib", "/lib64", "/usr/lib", "/etc/ld.so.cache", "/etc/ld.so.preload", "/sys/devices/system/cpu", "/sys/fs/cgroup/memory.max",
          "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/dev/urandom"]
SINKS = ["/dev/null", "/proc/self/oom_score_adj"]
LOOKS = ["/proc/self/exe", "/proc/self/maps"]


class Scenario:
    """`reads` and `writes` are what the command may touch besides SYSTEM; `ends` its exit statuses."""

    def __init__(self, name, command, reads=(), writes=(), ends=0, says="", compiles=True):
        self.name, self.command, self.says, self.compiles = name, command, says, compiles
        self.ends = ends if isinstance(ends, tuple) else (ends,)
        self.reads, self.writes = [str(p) for p in reads], [str(p) for p in writes]


def inside(path, allowed):
    return any(path == a or path.startswith(a.rstrip("/") + "/") for a in map(os.path.realpath, allowed))


class Sandbox:
    def __init__(self, build, scratch):
        self.build, self.scratch, self.confines = build.resolve(), scratch, True
        self.libraries = [str(self.build / "lib"), *SYSTEM]

    def tool(self, name):
        return self.build / "bin" / name

    def run(self, command, reads=(), writes=()):
        log = self.scratch / "log"
        allowed = [f"--read={p}" for p in reads] + [f"--write={p}" for p in writes]
        done = limited.run([self.tool("sandbox"), log, *allowed, *command], 300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           cwd=self.scratch)
        return done.returncode, done.stdout.decode(errors="replace"), log

    def offered(self):
        """Why nothing can be traced here, or nothing; whether processes can be confined is kept."""
        code, out, _ = self.run(["/bin/true"])
        if code == NOT_OFFERED:
            return out.strip()
        self.confines = self.run(["/bin/true"], reads=["/"])[0] == 0
        return "" if code == 0 else f"/bin/true ends with {code}"

    def sees(self):
        """Whether a file that a command opens, but may not, is found: even though the kernel refuses it."""
        bait = self.scratch / "secret"
        bait.write_text("secret")
        why = self.judge(Scenario("cat", ["/bin/cat", bait], [os.path.realpath("/bin/cat")], ends=1 if self.confines else 0))
        return f"read {bait}" in why.split("; ")

    def stray(self, line, s):
        """Whether a line of the log is nothing that the scenario may do."""
        word, path = line.split("\t", 1)
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) if word == "take" else os.path.realpath(path)
        reads = [*self.libraries, *s.reads, *s.writes]
        if word == "run":
            server = self.build / "lib" / "pir-compile-server"
            return real != os.path.realpath(s.command[0]) and not (s.compiles and real == os.path.realpath(server))
        if word in ("write", "change"):
            return not (path in SINKS or inside(real, s.writes))
        if word == "look":
            beside = any(os.path.dirname(real) == os.path.realpath(os.path.dirname(r)) for r in s.reads)
            return not (path in LOOKS or beside or inside(real, [*reads, self.tool("")]))
        return word not in ("read", "take") or not (path in SINKS or inside(real, reads))

    def judge(self, s):
        """Why the scenario fails, or nothing."""
        names = [*self.libraries, *s.reads, self.tool("")]
        confined = dict(reads=names, writes=[*s.writes, *SINKS]) if self.confines else {}
        code, out, log = self.run(s.command, **confined)
        if code not in s.ends or s.says not in out:
            return f"ends with {code}: {' '.join(out.split())[-300:]}"
        lines = log.read_text(errors="replace").splitlines()
        if not any(line.startswith("run\t") for line in lines):
            return "nothing is written down"
        bad = sorted({line for line in lines if self.stray(line, s)})
        return "; ".join(bad[:5]).replace("\t", " ")


# ---- models that shall lead elsewhere
PROGRAM = """{{
    (%0) = "builtin.parameter" () {{parameter_name:"{parameter}",persistable:[true],stop_gradient:[false]}} : () -> tensor<2x3xf32>
    (%1) = "pd_op.data" () {{dtype:(pd_op.DataType)float32,name:"{input}",place:(pd_op.Place)Place(undefined:0),shape:(pd_op.IntArray)[2,3],stop_gradient:[true]}} : () -> tensor<2x3xf32>
    (%2) = "pd_op.add" (%1, %0) {{{origin}stop_gradient:[false]}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    (%3) = "pd_op.fetch" (%2) {{col:0,name:"{output}"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
}}
"""
OPENING = {
    "load_combine": '(%0) = "pd_op.load_combine" () {{file_path:"{bait}",load_as_fp16:false,model_from_memory:false,stop_gradient:[true]}} : () -> vec[tensor<2x3xf32>]',
    "read_file": '(%0) = "pd_op.read_file" () {{filename:"{bait}",stop_gradient:[true]}} : () -> tensor<-1xu8>\n'
                 '    (%1) = "pd_op.fetch" (%0) {{col:0,name:"y"}} : (tensor<-1xu8>) -> tensor<-1xu8>',
    "save_combine": '(%0) = "pd_op.full" () {{dtype:(pd_op.DataType)float32,place:(pd_op.Place)Place(cpu),shape:(pd_op.IntArray)[2],'
                    'stop_gradient:[true],value:(Double)1}} : () -> tensor<2xf32>\n'
                    '    (%1) = "builtin.combine" (%0) {{stop_gradient:[true]}} : (tensor<2xf32>) -> vec[tensor<2xf32>]\n'
                    '    (%2) = "pd_op.save_combine" (%1) {{file_path:"{bait}",overwrite:true,save_as_fp16:false,save_to_memory:false,'
                    'stop_gradient:[true]}} : (vec[tensor<2xf32>]) -> tensor<2xf32>',
}


class Hostile:
    """Programs in three formats whose names are paths, and the files that lie there."""

    def __init__(self, box):
        self.box, self.home = box, box.scratch / "model"
        self.home.mkdir()
        self.bait = box.scratch / "bait"
        self.record = self.home / "record"

    def tool(self, *command):
        subprocess.run([self.box.tool(command[0]), *map(str, command[1:])], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def write(self, name, parameter="w", input="x", output="y", origin=""):
        """The program files, with their combined parameter file. ZERO in a name becomes a NUL byte."""
        folder = self.home / name
        folder.mkdir()
        text = folder / "m.pir"
        text.write_text(PROGRAM.format(parameter=parameter, input=input, output=output, origin=origin))
        self.tool("pir-translate", text, "--to=json", "-o", folder / "m.json")
        self.tool("pir-translate", text, "--to=pdmodel", "-o", folder / "m.pdmodel")
        shutil.copy(self.record, folder / "m.pdiparams")
        for f in folder.iterdir():
            f.write_bytes(f.read_bytes().replace(b"ZERO", b"\\u0000" if f.suffix == ".json" else b"\0ERO"))
        return [text, folder / "m.json", folder / "m.pdmodel"]

    def make_record(self):
        """A parameter file of one tensor, and copies of it as bait."""
        description = bytes([8, 5, 16, 2, 16, 3])
        self.record.write_bytes(struct.pack("<IQIi", 0, 0, 0, len(description)) + description + bytes(24))
        for suffix in ("", ".npy", ".json", ".pdiparams"):
            shutil.copy(self.record, f"{self.bait}{suffix}")

    def scenarios(self):
        self.make_record()
        yield from self.names_of_parameters()
        yield from self.other_names()
        yield from self.ops_that_open()
        yield from self.special_files()

    def names_of_parameters(self):
        run = [self.box.tool("pir-run"), "--input=2x3xf32=0", "--pipeline=kernels"]
        for what, name in ("up", "../../bait"), ("root", str(self.bait)), ("a folder", ".."), ("zero", "wZERO/../../bait"):
            for f in self.write(f"parameter {what}", name):
                beside = f.with_suffix(".pdiparams")
                title = f"parameter name leads to {what}, {f.suffix}"
                if what == "zero" and f.suffix in NO_ZERO:
                    yield Scenario(title, [*run, f], [f, beside], ends=1, says=NO_ZERO[f.suffix])
                    continue
                folder, out = self.home / f"separate {what} {f.suffix}", self.home / f"written {what} {f.suffix}"
                folder.mkdir(), out.mkdir()
                translate = [self.box.tool("pir-translate"), f, "--to=text", "-o", out / "m.pir", f"--params={beside}", f"--params-out={out}/"]
                yield Scenario(f"{title}, one file", [*run, f], [f, beside])
                yield Scenario(f"{title}, a folder", [*run, f, f"--params={folder}"], [f, folder], ends=1, says=LEADS)
                yield Scenario(f"{title}, written", translate, [f, beside], [out], ends=1, says=LEADS)

    def other_names(self):
        run, case = [self.box.tool("pir-run"), "--pipeline=kernels"], MODEL / "case0"
        origin = f'op_callstack:["  File \\"{self.bait}\\", line 1, in <module>"],'
        for what, name in ("up", "../../bait"), ("root", str(self.bait)), ("zero", "xZERO/../../bait"):
            for f in self.write(f"names {what}", input=name, output=name, origin=origin):
                beside, out = f.with_suffix(".pdiparams"), self.home / f"out {what} {f.suffix}"
                title, reads = f"names lead to {what}, {f.suffix}", [f, beside]
                if what == "zero" and f.suffix in NO_ZERO:
                    yield Scenario(title, [*run, f], reads, ends=1, says=NO_ZERO[f.suffix])
                    continue
                out.mkdir()
                yield Scenario(f"{title}, outputs", [*run, f, "--input=2x3xf32=0", f"--output-dir={out}"], reads, [out])
                yield Scenario(f"{title}, a case", [*run, f, f"--case={case}"], [*reads, case], ends=1, says="has no input")
                yield Scenario(f"{title}, training", [*run, f, f"--train={case}", f"--params={beside}"], [*reads, case], ends=1, says=LEADS)
                yield Scenario(f"{title}, a message with origin", [*run, f, "--input=5x7xf32=0"], reads, ends=1)

    def ops_that_open(self):
        for name, op in OPENING.items():
            text = self.home / f"{name}.pir"
            text.write_text("{\n    " + op.format(bait=self.bait) + "\n}\n")
            for pipeline in "kernels", "compile":
                yield Scenario(f"op {name}, {pipeline}", [self.box.tool("pir-run"), text, f"--pipeline={pipeline}"], [text], ends=3,
                               says=f"pd_op.{name}")
            yield Scenario(f"op {name}, folded", [self.box.tool("pir-opt"), text, "--passes=constant_folding,dce"], [text])

    def special_files(self):
        """A link and a pipe in place of parameters."""
        run = [self.box.tool("pir-run"), "--input=2x3xf32=0", "--pipeline=kernels"]
        f = self.write("special")[1]
        link, pipe = self.home / "with a link", self.home / "with a pipe"
        link.mkdir(), pipe.mkdir()
        (link / "w").symlink_to(self.bait)
        os.mkfifo(pipe / "w")
        yield Scenario("a parameter is a link", [*run, f, f"--params={link}"], [f, link], ends=1, says="symbolic link")
        yield Scenario("a parameter is a pipe", [*run, f, f"--params={pipe}"], [f, pipe], ends=1)
        f.with_suffix(".pdiparams").unlink()
        os.mkfifo(f.with_suffix(".pdiparams"))
        yield Scenario("the parameter file is a pipe", [*run, f], [f, f.parent], ends=1)
        with_cache = [*run, f"--cache={self.home / 'cache'}", pipe / "w"]
        yield Scenario("the program is a pipe", with_cache, [pipe], [self.home / "cache"], ends=1)


# ---- models as they are
def shipped(box):
    reads = [MODEL / n for n in ("model.json", "model.pdmodel", "model.pir", "model.pdiparams", "case0")]
    out, cache = box.scratch / "out", box.scratch / "cache"
    out.mkdir(), cache.mkdir(mode=0o700)
    run = box.tool("pir-run")
    for program in "model.json", "model.pdmodel":
        for pipeline in "kernels", "compile":
            yield Scenario(f"{program}, {pipeline}", [run, MODEL / program, f"--case={MODEL / 'case0'}", f"--pipeline={pipeline}"], reads,
                           compiles=pipeline == "compile")
    for turn in "filled", "used":
        yield Scenario(f"a cache is {turn}", [run, MODEL / "model.json", "--input=2x1x8x8xf32=0", f"--cache={cache}", f"--output-dir={out}"], reads,
                       [out, cache])
    yield Scenario("C program", [box.tool("digits"), MODEL], [MODEL])
    yield Scenario("translate", [box.tool("pir-translate"), MODEL / "model.json", "--to=pdmodel", "-o", out / "m.pdmodel"], reads, [out])
    yield Scenario("passes", [box.tool("pir-opt"), MODEL / "model.json", "--passes=paddle-cpu", "-o", out / "m.pir"], reads, [out])


def recorded(box, root, share):
    first, step = map(int, share.split("/"))
    folders = sorted(p for top in ("models", "real", "nets") for p in (root / top).glob("*") if (p / "model.json").exists())
    for folder in folders[first::step]:
        case = next((c for c in sorted(folder.glob("case*")) if c.is_dir()), None)
        if case and "train" not in folder.name:
            command = [box.tool("pir-run"), folder / "model.json", f"--case={case}", "--atol=1e30", "--rtol=1e30", "--any-float"]
            yield Scenario(f"recorded {folder.name}", command, [folder / "model.json", folder / "model.pdiparams", folder, case],
                           ends=(0, 1, 4))  # the numbers are of other tests


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--share", default="0/1", help="K/N: of the recorded models, the K-th of every N")
    ap.add_argument("build", type=pathlib.Path)
    ap.add_argument("recorded", type=pathlib.Path)
    args = ap.parse_args()
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="pir-sandbox-") as scratch:
        box = Sandbox(args.build, pathlib.Path(scratch).resolve())
        missing = box.offered()
        if missing:
            print(f"skip sandbox: {missing}\n0 passed, 0 failed, 1 skipped")
            return 0
        if not box.confines:
            print("skip confined: the kernel offers no Landlock")
            skipped = 1
        if not box.sees():
            print("FAIL sandbox: a file that is opened is not found")
            failed = 1
        for make in (lambda: shipped(box), Hostile(box).scenarios, lambda: recorded(box, args.recorded.resolve(), args.share)):
            for s in make():
                why = box.judge(s)
                passed, failed = passed + (not why), failed + bool(why)
                if why:
                    print(f"FAIL {s.name}: {why}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
