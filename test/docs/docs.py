#!/usr/bin/env python3
"""Runs the blocks of the documentation.

  docs.py PIR_OPT FILE...

  ```pir [NAME]      a program: read, verified and printed without a message; kept as NAME for the page's commands
  ```loops [NAME]    loop IR: verified and printed again, the same bytes; of the name `broken`: refused
  ```json [NAME]     a PIR JSON program: reading and writing gives the same JSON
  ```console         `$ command` lines, each followed by exactly what it prints, in a folder with the page's named blocks
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(pir|loops|json|console)(?: ([\w.]+))?\n(.*?)^```$", re.M | re.S)


def run(command, text="", cwd=None):
    done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd,
                          shell=isinstance(command, str))
    return done.returncode, done.stdout.decode(errors="replace")


def check_pir(tool, text, name):
    older = ["--pipeline=none"] if name and name.startswith("older") else []  # brought to today's form, so without a message
    code, out = run([tool, "-"] + older, text)
    return "" if code == 0 and out.startswith(("{", "program")) else f"exit {code}\n{out}"


def check_loops(tool, text, name):
    code, out = run([tool, "--emit=loops", "-"], text)
    return "" if (code == 1 if name == "broken" else code == 0 and out == text) else f"exit {code}\n{out}"


def check_json(tool, text):
    code, out = run([tool, "-", "--emit=json"], text)
    return "" if code == 0 and json.loads(out) == json.loads(text) else f"exit {code}\n{out}"


def check_console(text, folder):
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, want = part.partition("\n")
        _, out = run(command, cwd=folder)
        if out.rstrip() != want.rstrip():
            return f"$ {command}\n{out}"
    return ""


def main():
    tool, bad, ran = shutil.which(sys.argv[1]), 0, 0
    for path in map(pathlib.Path, sys.argv[2:]):
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            for block in BLOCK.finditer(text):
                kind, name, body = block.groups()
                if name:
                    (pathlib.Path(folder) / name).write_text(body)
                wrong = {"pir": lambda: check_pir(tool, body, name), "loops": lambda: check_loops(tool, body, name),
                         "json": lambda: check_json(tool, body),
                         "console": lambda: check_console(body, folder)}[kind]()
                ran += 1
                if wrong:
                    bad += 1
                    print(f"{path}:{text.count(chr(10), 0, block.start()) + 2}: {wrong}")
    print(f"{ran} blocks, {bad} bad")
    return bad != 0 or ran == 0


if __name__ == "__main__":
    sys.exit(main())
