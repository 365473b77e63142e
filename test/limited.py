"""Runs programs of the tests with limits that do not depend on what else the machine does.

The limit is processor time. A limit on the time of a clock would fail tests on a busy machine; it is ten times as long, for a
program that waits forever. `prlimit` sets the limits, because a function that Python calls between fork and exec may hang in a
process with threads.
"""
import signal
import subprocess

PATIENCE = 10  # seconds of a clock for one second of the processor


def run(command, seconds, memory=None, **options):
    """subprocess.run with at most `seconds` of processor time and `memory` bytes of address space (None: any number).

    Raises subprocess.TimeoutExpired when either time is over."""
    limits = [f"--cpu={seconds}:{seconds + 5}"] + ([f"--as={memory}"] if memory else [])
    done = subprocess.run(["prlimit", *limits, "--", *map(str, command)], timeout=seconds * PATIENCE, **options)
    if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        raise subprocess.TimeoutExpired(command, seconds)
    return done
