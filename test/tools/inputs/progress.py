#!/usr/bin/env python3
"""Runs a command with a terminal for standard error, and prints the lines that were drawn there, one below the other.

  progress.py COMMAND..
"""
import os
import pty
import subprocess
import sys

ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stderr=theirs, stdout=subprocess.PIPE)
os.close(theirs)
drawn = b""
try:
    while piece := os.read(ours, 4096):
        drawn += piece
except OSError:  # the other end was closed
    pass
child.communicate()
for line in drawn.decode().split("\r")[1:]:
    print(line.removesuffix("\x1b[K") or "erased")
sys.exit(child.returncode)
