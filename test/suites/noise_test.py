#!/usr/bin/env python3
"""Which rounds bench/noise.py calls disturbed, and when it stops repeating them; with times in milliseconds that benches recorded.

  noise_test.py BENCH
"""
import sys

sys.path.insert(0, sys.argv[1])
from noise import Guard, Round, disturbed  # noqa: E402

# ResNet-50 on a quiet machine: peak in GFLOP/s, then ours and those of the peers.
QUIET = [(118.2, {"pir": 60.13, "ort": 75.89, "openvino": 74.48}), (118.1, {"pir": 60.40, "ort": 75.62, "openvino": 74.70}),
         (117.9, {"pir": 60.02, "ort": 76.10, "openvino": 75.29})]
# MobileNet with another program on both cores: the probe does not see it, the engines do.
LOADED = (118.0, {"pir": 10.45, "ort": 20.6, "openvino": 11.33})
CALM = [(118.0, {"pir": 10.45, "ort": 11.11, "openvino": 11.33}), (118.2, {"pir": 10.51, "ort": 11.02, "openvino": 11.46})]
# The processor slowed down: every engine alike, so that only the probe tells.
SLOW = (107.5, {"pir": 66.0, "ort": 83.4, "openvino": 81.9})


def expect(found, wanted):
    if found != wanted:
        sys.exit(f"{found!r} is not {wanted!r}")


def rounds(recorded):
    return [Round(peak, times) for peak, times in recorded]


def play(recorded, wanted):
    """A guard's measurement of recorded rounds: probes and times come from them in turn, the last again and again."""
    left = list(recorded)
    guard = Guard(lambda: left[0][0])

    def once():
        now = left.pop(0) if len(left) > 1 else left[0]
        return now[1], now
    return guard, guard.measure("resnet50", once, wanted)


def main():
    expect(disturbed(rounds(QUIET), 118.2), [None] * 3)
    expect(disturbed(rounds(QUIET), 130.0), ["peak"] * 3)
    expect(disturbed(rounds(CALM + [LOADED]), 118.2), [None, None, "ort"])
    expect(disturbed(rounds([SLOW] + QUIET), 118.2), ["peak", None, None, None])
    # Just below the shares: 5 % of the peak, 10 % of the time.
    expect(disturbed([Round(95.1, {"a": 10.0}), Round(100.0, {"a": 10.99})], 100.0), [None, None])
    expect(disturbed([Round(95.0, {"a": 10.0}), Round(100.0, {"a": 11.0})], 100.0), ["peak", "a"])
    # Without a probe the times alone tell; an engine that failed has none.
    expect(disturbed([Round(0, {"a": 1.0}), Round(0, {"a": 1.2, "b": 5.0})], 0), [None, "a"])

    guard, quiet = play(QUIET, 3)
    expect((quiet.repeated, quiet.noise, quiet.note(), len(quiet.rounds)), (0, [], "", 3))
    expect(guard.summary(), "rounds repeated for noise: 0, in 1 measurements; none noisy at the end")

    guard, mended = play(CALM + [LOADED, CALM[0]], 3)
    expect((mended.repeated, mended.noise, mended.note()), (1, [], ", 1 round repeated"))
    expect([r.times["ort"] for r in mended.rounds], [11.11, 11.02, 11.11])
    expect(mended.results, CALM + [CALM[0]])
    expect(guard.summary(), "rounds repeated for noise: 1, in 1 measurements; none noisy at the end")

    # It gives up after as many repetitions as rounds, and keeps what it has.
    guard, noisy = play(CALM[:1] + [LOADED], 3)
    expect((noisy.repeated, noisy.noise, len(noisy.rounds)), (3, ["ort"], 6))
    expect(noisy.note(), ", 3 rounds repeated, noisy (ort)")
    expect(guard.summary(), "rounds repeated for noise: 3, in 1 measurements; noisy at the end: resnet50")

    # A slow first network is seen when a later probe is faster, and the best probe stays for those after it.
    guard, late = play([SLOW, QUIET[0], QUIET[1], QUIET[2], QUIET[0]], 3)
    expect((late.repeated, late.noise, min(late.peaks)), (1, [], 117.9))
    expect(guard.best, 118.2)


main()
