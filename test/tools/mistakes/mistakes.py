"""Typical mistakes at a tool, replayed: mistakes.py BIN MODEL FILE.txt..

A file holds commands behind `$ `, what each prints, and its exit code in brackets, which is never [0]. `..` in an expected
line stands for any text. Commands run in a folder that has the program of MODEL as digits/model.json with its parameters,
and the small files below. Each file holds at least twenty mistakes. Ends with `N passed, N failed, N skipped`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TEXT = """{
    (%0) = "pd_op.data" () {dtype:float32,name:"x",place:Place(undefined:0),shape:[2,3],stop_gradient:[true]} : () -> builtin.tensor<2x3xf32>
    (%1) = "pd_op.OP" (%0) {stop_gradient:[true]} : (builtin.tensor<2x3xf32>) -> builtin.tensor<2x3xf32>
}
"""
FILES = {
    "good.pir": TEXT.replace("OP", "relu"),
    "op.pir": TEXT.replace("OP", "relu66"),
    "value.pir": TEXT.replace("OP", "relu").replace("(%0) {stop", "(%7) {stop"),
    "kind.pir": TEXT.replace("OP", "softmax").replace("{stop_gradient:[true]} : (b", '{axis:"1",stop_gradient:[true]} : (b'),
    "attribute.pir": TEXT.replace("OP", "softmax").replace("{stop_gradient:[true]} : (b", "{axs:1,stop_gradient:[true]} : (b"),
    "type.pir": TEXT.replace("OP", "relu").replace("2x3xf32>\n}", "2x3xfloat32>\n}"),
    "open.pir": TEXT.replace("OP", "relu")[:-2],
    "empty.pir": "",
    "rules.drr": 'pass mine "relu6 for relu" {\n  rule a {\n    match { (%y) = "pd_op.rleu" (%x) {} }\n'
                 '    emit { (%y) = "pd_op.relu6" (%x) {} }\n  }\n}\n',
    "model.onnx": "\x08\x07\x12\x07pytorch",
    "page.json": "<!DOCTYPE html><title>404</title>",
    "other.json": '{"name": "not a program"}',
    "notes.txt": "x = relu(y)\n",
}


def make_folder(model, folder):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for name in ("model.json", "model.pdiparams"):
        (folder / "digits").mkdir(exist_ok=True)
        shutil.copy(model / name, folder / "digits" / name)
    json = (model / "model.json").read_bytes()
    (folder / "alone.json").write_bytes(json)
    (folder / "cut.json").write_bytes(json[:2000])
    (folder / "two").mkdir()
    for name in ("a.json", "b.json"):
        (folder / "two" / name).write_bytes(json)


def read_mistakes(text):
    """(command, expected output) of each."""
    return [(part.split("\n", 1)[0], part.split("\n", 1)[1].rstrip()) for part in re.split(r"^\$ ", text, flags=re.M)[1:]]


def pattern_of(expected):
    return ".*".join(map(re.escape, expected.split("..")))


def replay(command, folder, env):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return f"{(done.stdout + done.stderr).decode(errors='replace').rstrip()}\n[{done.returncode}]"


def main():
    tools, model, files = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    env = {**os.environ, "PATH": f"{tools.resolve()}:{os.environ['PATH']}"}
    counts = [0, 0]
    for path in files:
        mistakes = read_mistakes(pathlib.Path(path).read_text())
        if len(mistakes) < 20:
            print(f"FAIL {path}: {len(mistakes)} mistakes")
            counts[1] += 1
        for command, expected in mistakes:
            with tempfile.TemporaryDirectory() as folder:
                make_folder(model, pathlib.Path(folder))
                before = sorted(p.name for p in pathlib.Path(folder).iterdir())
                made = replay(command, folder, env)
                left = sorted(p.name for p in pathlib.Path(folder).iterdir()) != before
            good = re.fullmatch(pattern_of(expected), made) and not made.endswith("[0]") and not left
            counts[not good] += 1
            if not good:
                print(f"FAIL {path}\n$ {command}\n{made}{chr(10) + 'a file was left' if left else ''}\n-- expected\n{expected}")
    print(f"{counts[0]} passed, {counts[1]} failed, 0 skipped")
    return counts[1] != 0


if __name__ == "__main__":
    sys.exit(main())
