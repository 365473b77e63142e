#!/usr/bin/env python3
"""Keeps what a benchmark prints in a page, under the machine it ran on.

  results.py FILE SECTION TITLE COMMAND...

Runs COMMAND, shows its output as it comes, and when it succeeds puts it into FILE between the marks of SECTION, with the date and the
processor. Other sections stay as they are, and so do the results of SECTION on other processors.
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


def own_block(blocks):
    """The block that was measured on this processor, or on one that it does not name."""
    for block in blocks:
        named = re.search(r"^\d{4}-\d\d-\d\d, (.*); load average", block.group(), re.M)
        if not named or named[1] == processor():
            return block
    return None


def write(path, section, title, text):
    begin, end = f"<!-- {section} -->\n", f"<!-- /{section} -->\n"
    with open(path) as f:
        old = f.read()
    head = f"## {title}\n\n{time.strftime('%Y-%m-%d')}, {processor()}; load average {os.getloadavg()[1]:.1f}.\n\n"
    new = begin + head + text.strip("\n") + "\n" + end
    blocks = list(re.finditer(re.escape(begin) + ".*?" + re.escape(end), old, re.S))
    own = own_block(blocks)
    if own:
        new = old[:own.start()] + new + old[own.end():]
    elif blocks:
        new = old[:blocks[-1].end()] + "\n" + new + old[blocks[-1].end():]
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
