#!/usr/bin/env python3
"""Reads a text with each of its words damaged in turn, which must end with success or with an error that has a place.

  damaged.py FILE COMMAND...

In COMMAND the word FILE stands for the damaged text. A word is removed, is replaced by words of other kinds, and ends the text.
Prints how many damages were refused, and every run that crashed or named no place.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WORD = re.compile(r'"[^"\n]*"|//[^\n]*|[%$@]?[\w.]+|\.\.\.?|[-<>=!]=|->|\S')
OTHERS = ["7", "%zz", "word", '"text"', "}", "$zz", "-", "2.5", "@zz"]


def damages(text):
    for n, word in enumerate(WORD.finditer(text)):
        if word[0].startswith("//"):
            continue
        before, after = text[:word.start()], text[word.end():]
        yield before + after
        yield before
        for k in range(2):
            yield before + OTHERS[(n + 3 * k) % len(OTHERS)] + after


def read(number, text, suffix, command, folder):
    file = pathlib.Path(folder, f"damaged{number}{suffix}")
    file.write_text(text)
    done = subprocess.run([c.replace("FILE", str(file)) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60)
    told = done.stderr.decode(errors="replace")
    placed = re.search(r"[\w.]+:\d+:\d+: error: ", told)
    file.unlink()
    good = done.returncode == 0 or (done.returncode == 1 and placed)
    return done.returncode, good, told


def main():
    source, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    refused = bad = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(read, n, t, source.suffix, command, folder) for n, t in enumerate(damages(source.read_text()))]
        for job, text in zip(jobs, damages(source.read_text())):
            code, good, told = job.result()
            refused += code != 0
            if not good:
                bad += 1
                print(f"exit code {code}: {told[:300]}\nof:\n{text[-300:]}")
    print(f"{refused} of {len(jobs)} damaged texts are refused, {bad} without a place")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
