#!/usr/bin/env python3
"""Bad inputs: every row of expected.tsv must end with its exit code and say its message.

A row: FILE <TAB> TOOL AND ARGUMENTS <TAB> EXIT CODE <TAB> PART OF STDERR. `{}` in the arguments stands for
the file, `{dir}` for the folder. Many files lie in packed.tar.xz (test/recorded/packed.py). A tool that
crashes, prints nothing, or leaves an output file fails.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys
import tempfile

for place in ("..", "../recorded"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), place))
import limited
import packed


def run_row(tools, folders, line):
    name, command, code, message = line.rstrip("\n").split("\t")
    folder = next((f for f in folders if os.path.exists(os.path.join(f, name))), folders[0])
    with tempfile.TemporaryDirectory(prefix="pir-bad-") as into:
        return name, fault_of(tools, folder, name, command, int(code), message, into)


def fault_of(tools, folder, name, command, code, message, into):
    """What is wrong with the end of the command, whose output goes to the folder `into`; None: nothing."""
    out = os.path.join(into, "out")
    words = [w.replace("{}", os.path.join(folder, name)).replace("{dir}", folder).replace("{out}", out)
             for w in shlex.split(command)]
    words[0] = os.path.join(tools, words[0])
    try:
        done = limited.run(words, 60, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return "ran for more than 60 s"
    text = done.stderr.decode(errors="replace")
    if done.returncode != code:
        return f"exit code {done.returncode}, expected {code}: {text[:300]}"
    if message not in text:
        return f"stderr lacks '{message}': {text[:300]}"
    return "left a file" if os.listdir(into) else None


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--share", default="0/1", help="K/N: of the rows the K-th of every N")
    ap.add_argument("tools")
    ap.add_argument("folder")
    args = ap.parse_args()
    tools, folder = args.tools, args.folder
    unpacked = str(packed.unpack_all(os.path.dirname(os.path.abspath(tools))) / "bad")
    first, step = map(int, args.share.split("/"))
    with open(os.path.join(folder, "expected.tsv")) as f:
        rows = [l for l in f if l.strip() and not l.startswith("#")][first::step]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, why in pool.map(lambda l: run_row(tools, (unpacked, folder), l), rows):
            bad += why is not None
            print(f"FAIL {name}: {why}" if why else f"ok {name}")
    print(f"{len(rows) - bad} passed, {bad} failed, 0 skipped")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
