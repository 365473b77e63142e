#!/usr/bin/env python3
"""Runs the blocks of the documentation: every block fenced as `pir` is read, verified and printed, every block fenced as
`drr` is read as rules.

  docs.py PIR_OPT FILE...
"""
import re
import subprocess
import sys
import tempfile


def main():
    tool, bad, ran = sys.argv[1], 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for block in re.finditer(r"^```(pir|drr)\n(.*?)^```$", text, re.M | re.S):
            line = text.count("\n", 0, block.start()) + 2
            command, given = [tool, "-"], block.group(2).encode()
            with tempfile.NamedTemporaryFile(suffix=".drr") as rules:
                if block.group(1) == "drr":
                    rules.write(given)
                    rules.flush()
                    command, given = [tool, "--rules=" + rules.name, "-"], b"{\n}\n"
                done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            ran += 1
            if done.returncode or done.stderr or not done.stdout:
                bad += 1
                print(f"{path}:{line}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
    print(f"{ran} blocks, {bad} bad")
    return bad != 0 or ran == 0


if __name__ == "__main__":
    sys.exit(main())
