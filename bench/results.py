#!/usr/bin/env python3
"""Keeps what a benchmark prints in a page, under the machine it ran on.

  results.py FILE SECTION TITLE COMMAND...

Runs COMMAND, shows its output as it comes, and when it succeeds puts it into FILE between the marks of SECTION, with the date and the
processor. Other sections stay as they are.
"""
import os
import platform
import re
import subprocess
import sys
import time


def processor():
    with open("/proc/cpuinfo") as f:
        text = f.read()
    name = re.search(r"model name\s*: (.*)", text)
    flags = set((re.search(r"^flags\s*: (.*)", text, re.M) or ["", ""])[1].split())
    isa = [f for f in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if f in flags]
    return f"{name.group(1) if name else platform.machine()} ({', '.join(isa) or 'no AVX2'}), {len(os.sched_getaffinity(0))} processors"


def write(path, section, title, text):
    begin, end = f"<!-- {section} -->\n", f"<!-- /{section} -->\n"
    with open(path) as f:
        old = f.read()
    head = f"## {title}\n\n{time.strftime('%Y-%m-%d')}, {processor()}; load average {os.getloadavg()[1]:.1f}.\n\n"
    new = begin + head + text.strip("\n") + "\n" + end
    if begin in old:
        new = old[:old.index(begin)] + new + old[old.index(end) + len(end):]
    else:
        new = old.rstrip("\n") + "\n\n" + new
    with open(path + ".new", "w") as f:
        f.write(new)
    os.replace(path + ".new", path)


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    path, section, title = sys.argv[1:4]
    child = subprocess.Popen(sys.argv[4:], stdout=subprocess.PIPE, text=True)
    lines = []
    for line in child.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    if child.wait():
        sys.exit(f"results.py: {sys.argv[4]} failed; {path} is as it was")
    write(path, section, title, "```\n" + "".join(lines).strip("\n") + "\n```")


if __name__ == "__main__":
    main()
