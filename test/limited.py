"""Runs programs of the tests with limits that do not depend on what else the machine does.

The limit is processor time. A limit on the time of a clock would fail tests on a busy machine; it is ten times as long, for a
program that waits forever. The limits are set from outside when the program has started: a function that Python calls between
fork and exec may hang in a process with threads, and another program that sets them takes half as long as a short test. So what a
program does in its first moments is not limited, nor a process that it starts then: the clock's limit holds for both.
"""
import contextlib
import resource
import signal
import subprocess

PATIENCE = 10  # seconds of a clock for one second of the processor


def run(command, seconds, memory=None, **options):
    """subprocess.run with at most `seconds` of processor time and `memory` bytes of address space (None: any number).

    Raises subprocess.TimeoutExpired when either time is over."""
    if options.pop("capture_output", False):
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([str(word) for word in command], **options) as process:
        try:
            with contextlib.suppress(ProcessLookupError):  # it has ended
                resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 5))
                if memory:
                    resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))
            out, err = process.communicate(timeout=seconds * PATIENCE)
        except BaseException:
            process.kill()
            raise
    if process.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU):
        raise subprocess.TimeoutExpired(command, seconds)
    return subprocess.CompletedProcess(command, process.returncode, out, err)
