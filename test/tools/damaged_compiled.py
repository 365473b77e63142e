#!/usr/bin/env python3
"""Damages a compiled model and counts the damaged files that a program runs.

  damaged_compiled.py RUN_CASE MODEL CASE FILE [RUN..]

Changes single bytes, in every region of the file and evenly through it, cuts the file off, and appends to it. FILE is written over and over, and RUN,
the arguments of RUN_CASE that name the model, is run: FILE, or the model whose weights FILE has.
"""
import os
import random
import subprocess
import sys


def main():
    run_case, model, case, file, *run = sys.argv[1:]
    data = bytearray(open(model, "rb").read())
    chance = random.Random(7)
    places = [0, 7, 8, 12, 16, 20, 24, 31] + [chance.randrange(len(data)) for _ in range(80)] + list(range(0, len(data), len(data) // 60))
    variants = [(place, bytes([data[place] ^ (1 << chance.randrange(8))])) for place in places]
    taken, count = 0, 0

    def judge(damaged):
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(damaged)
        p = subprocess.run([run_case, *(run or [file]), case, "1", "1e-5", "1e-4", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if p.returncode == 1 and p.stderr:
            return 0
        print(f"exit code {p.returncode}: {p.stderr.decode(errors='replace').strip()}")
        return 1

    for place, byte in variants:
        damaged = bytearray(data)
        damaged[place:place + 1] = byte
        count, taken = count + 1, taken + judge(damaged)
    for size in (0, 1, 4096, 16383, 16384, len(data) // 2, len(data) - 1):
        count, taken = count + 1, taken + judge(data[:size])
    count, taken = count + 1, taken + judge(data + b"\0")
    print(f"{taken} of {count} damaged files were taken")


if __name__ == "__main__":
    sys.exit(main())
