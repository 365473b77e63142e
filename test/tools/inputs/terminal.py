#!/usr/bin/env python3
"""Runs a command with terminals for standard output and standard error, and prints what it wrote to each, with escapes as text.

  terminal.py [NAME=VALUE..] COMMAND..
"""
import os
import pty
import subprocess
import sys
import threading


def read_all(descriptor, pieces):
    try:
        while piece := os.read(descriptor, 4096):
            pieces.append(piece)
    except OSError:  # the other end was closed
        pass


arguments = sys.argv[1:]
environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
while "=" in arguments[0]:
    name, value = arguments.pop(0).split("=", 1)
    environment[name] = value
ends = [pty.openpty(), pty.openpty()]
child = subprocess.Popen(arguments, stdout=ends[0][1], stderr=ends[1][1], stdin=subprocess.DEVNULL, env=environment)
for _, theirs in ends:
    os.close(theirs)
written = [[], []]
threads = [threading.Thread(target=read_all, args=(ours, pieces)) for (ours, _), pieces in zip(ends, written)]
for t in threads:
    t.start()
for t in threads:
    t.join()
for name, pieces in zip(("out", "err"), written):
    for line in b"".join(pieces).decode().replace("\r\n", "\n").rstrip("\n").split("\n"):
        print(f"{name}: {line!r}"[:-1].replace(": '", ": ", 1).replace(': "', ": ", 1))
sys.exit(child.wait())
