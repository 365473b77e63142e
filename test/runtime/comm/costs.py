"""Costs of collective calls by bench/dist/costs.py, with messages of 10 us and 1 GB/s: `costs.py FOLDER`."""
import math
import sys

sys.path.insert(0, sys.argv[1])
import costs  # noqa: E402

ALPHA, RATE = 1e-5, 1e9
LINK = costs.line(ALPHA, RATE)


def expect(found, wanted):
    if not math.isclose(found, wanted, rel_tol=1e-9):
        sys.exit(f"{found!r} is not {wanted!r}")


def call(kind, ranks, size, algorithm="ring"):
    return costs.call_seconds(kind, ranks, size, LINK, algorithm)


# A ring of 4: all_reduce moves 2 * 3/4 of the tensor in 6 messages, its halves 3/4 in 3.
expect(call("all_reduce", 4, 8e6), 6 * ALPHA + 1.5 * 8e6 / RATE)
for kind in ("all_gather", "reduce_scatter", "all_to_all"):
    expect(call(kind, 4, 8e6), 3 * ALPHA + 0.75 * 8e6 / RATE)
# Trees of 8 take 3 messages of the whole tensor, those of 5 too; a message is one.
for kind in ("broadcast", "reduce"):
    expect(call(kind, 8, 1e6), 3 * (ALPHA + 1e6 / RATE))
    expect(call(kind, 5, 1e6), 3 * (ALPHA + 1e6 / RATE))
expect(call("send", 1024, 1e6), ALPHA + 1e6 / RATE)
# One rank has nobody to wait for.
expect(call("all_reduce", 1, 8e6), 0)
# Halving and doubling move the bytes of the ring in 2 log2(n) messages; an exchange of different parts has no such form.
expect(call("all_reduce", 1024, 1e6, "doubling"), 20 * ALPHA + 2 * 1023 / 1024 * 1e6 / RATE)
expect(call("all_to_all", 4, 8e6, "doubling"), call("all_to_all", 4, 8e6))
expect(call("all_reduce", 1024, 64, "best"), call("all_reduce", 1024, 64, "doubling"))
expect(call("all_reduce", 2, 64, "best"), call("all_reduce", 2, 64))

# A probe of 2 ranks, whose all_reduce takes two messages of a half each: what it measured comes back, and lines between.
measured = costs.links({"all_reduce": {1000: 3e-5, 100000: 2e-4}}, 2)
expect(costs.call_seconds("all_reduce", 2, 1000, measured["all_reduce"]), 3e-5)
expect(costs.call_seconds("all_reduce", 2, 100000, measured["all_reduce"]), 2e-4)
expect(costs.call_seconds("all_reduce", 2, 50500, measured["all_reduce"]), 1.15e-4)
expect(costs.call_seconds("all_reduce", 2, 199000, measured["all_reduce"]), 3.7e-4)
expect(costs.call_seconds("all_reduce", 2, 10, measured["all_reduce"]), 3e-5)
expect(measured["all_reduce"].alpha, 1.5e-5)

# A step of 5 ms with two calls.
calls = [("all_reduce", 8e6), ("send", 1e6)]
expect(costs.step_seconds(5e-3, calls, 4, {"all_reduce": LINK, "send": LINK}), 5e-3 + call("all_reduce", 4, 8e6) + call("send", 4, 1e6))
