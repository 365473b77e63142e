"""Repeats rounds of a measurement that other work on the machine disturbed.

A round is disturbed when the probe of the multiply-add peak beside it is PEAK_SHARE or more below the best probe of this process with as many
threads, or when an engine took SPREAD or more longer than in its fastest round. The first tells that the processor was slower, the second
that one engine was interrupted. Disturbed rounds are repeated, all engines of a round together, at most as many times as there should be
rounds; then the measurement is called noisy, keeps all of its rounds and says which of them vary.
"""
import dataclasses
import json
import os
import subprocess

PEAK_SHARE, SPREAD = 0.05, 0.10


@dataclasses.dataclass
class Round:
    peak: float   # GFLOP/s, the slower of the probes before and after; 0 where none is known
    times: dict   # of each engine
    result: object = None


def disturbed(rounds, best_peak):
    """What disturbed each round: None, "peak", or the engine that was slow."""
    fastest = {}
    for r in rounds:
        for engine, time in r.times.items():
            fastest[engine] = min(time, fastest.get(engine, time))

    def why(r):
        if r.peak and r.peak <= (1 - PEAK_SHARE) * best_peak:
            return "peak"
        return next((e for e, time in r.times.items() if time >= (1 + SPREAD) * fastest[e]), None)
    return [why(r) for r in rounds]


@dataclasses.dataclass
class Measured:
    rounds: list
    repeated: int
    noise: list  # what still varies; empty when enough rounds were quiet

    def note(self):
        """`, 2 rounds repeated, noisy (peak)`, or nothing."""
        text = f", {self.repeated} round{'s' if self.repeated > 1 else ''} repeated" if self.repeated else ""
        return text + (f", noisy ({', '.join(self.noise)})" if self.noise else "")

    @property
    def results(self):
        return [r.result for r in self.rounds]

    @property
    def peaks(self):
        return [r.peak for r in self.rounds]


class Guard:
    """Of one process and number of threads: `probe` returns the peak now, in GFLOP/s, or 0."""
    def __init__(self, probe):
        self.probe, self.best, self.last = probe, 0.0, None
        self.measurements = self.repeated = 0
        self.noisy = []

    def look(self):
        self.last = self.probe()
        self.best = max(self.best, self.last)
        return self.last

    def round(self, once):
        before = self.look() if self.last is None else self.last
        times, result = once()
        return Round(min(before, self.look()), times, result)

    def measure(self, name, once, wanted):
        """Quiet rounds of `once`, which returns the times by engine and a result of its own: `wanted` of them, unless it stays noisy."""
        rounds, repeated = [self.round(once) for _ in range(wanted)], 0
        why = disturbed(rounds, self.best)
        while sum(not w for w in why) < wanted and repeated < wanted:
            rounds.append(self.round(once))
            repeated += 1
            why = disturbed(rounds, self.best)
        quiet = [r for r, w in zip(rounds, why) if not w]
        noise = [] if len(quiet) >= wanted else sorted({w for w in why if w})
        self.measurements, self.repeated = self.measurements + 1, self.repeated + repeated
        self.noisy += [name] if noise else []
        return Measured(rounds if noise else quiet, repeated, noise)

    def summary(self):
        noisy = f"; noisy at the end: {'; '.join(self.noisy)}" if self.noisy else "; none noisy at the end"
        return f"rounds repeated for noise: {self.repeated}, in {self.measurements} measurements{noisy}"


def probe_of(peak, threads, seconds=0.3):
    """A probe by the program bench/peak.c, pinned as engines are; 0 without it."""
    cpus = sorted(os.sched_getaffinity(0))[:threads]

    def probe():
        if not peak:
            return 0.0
        command = [peak, "--json", "--only=fma", f"--threads={threads}", f"--seconds={seconds}"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus))
        return json.loads(done.stdout)["fma_gflops"]
    return probe
