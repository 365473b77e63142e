"""Writes small .pdmodel programs of one block: a list of ops between feeds and fetches, without Paddle.

  legacy_desc.py FILE   a program of every collective op before Paddle 3.0, for the text test
"""
import struct
import sys

INT, FLOAT, STRING, INTS, BOOL, LONG = 0, 1, 2, 3, 6, 9  # kinds of attributes
DTYPES = {"bool": 0, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6, "uint8": 20}
TENSOR, FEEDS, FETCHES, RAW = 7, 9, 10, 17  # kinds of variables


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """A number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def slot(name, variables):
    return field(1, name) + b"".join(field(2, v) for v in variables)


def attribute(name, value):
    kind, number = (BOOL, 10) if isinstance(value, bool) else (INT, 3)
    return field(1, name) + field(2, kind) + field(number, int(value))


def op(kind, inputs, outputs, **attributes):
    return b"".join([*(field(1, slot(*s)) for s in inputs.items()), *(field(2, slot(*s)) for s in outputs.items()), field(3, kind),
                     *(field(4, attribute(*a)) for a in attributes.items())])


def variable(name, kind, dtype="float32", shape=()):
    described = field(1, kind)
    if kind == TENSOR:
        described += field(3, field(1, field(1, DTYPES[dtype]) + b"".join(field(2, d) for d in shape)))
    return field(1, name) + field(2, described)


def program(feeds, ops, results):
    """feeds and results: {name: (dtype, shape)}; ops of op()."""
    variables = [variable("feed", FEEDS), variable("fetch", FETCHES)]
    variables += [variable(n, TENSOR, *of) for n, of in {**feeds, **results}.items()]
    fed = [op("feed", {"X": ["feed"]}, {"Out": [n]}, col=i) for i, n in enumerate(feeds)]
    fetched = [op("fetch", {"X": [n]}, {"Out": ["fetch"]}, col=i) for i, n in enumerate(results)]
    block = field(1, 0) + field(2, -1) + b"".join(field(3, v) for v in variables) + b"".join(field(4, o) for o in [*fed, *ops, *fetched])
    return field(1, block) + field(4, field(1, 0))


def every_collective():
    x = ("float32", (4, 3))
    ops, results = [op("c_gen_nccl_id", {}, {"Out": ["id"]}, ring_id=0), op("c_comm_init", {"X": ["id"]}, {}, ring_id=0, rank=0, nranks=2)], {}
    for name in ("c_allreduce_sum", "c_allreduce_max", "c_allreduce_min", "c_allreduce_prod", "c_reduce_sum", "c_reduce_max", "c_reduce_min",
                 "c_reduce_prod", "c_broadcast", "alltoall"):
        ops.append(op(name, {"X": ["x"]}, {"Out": [name]}, ring_id=3, root=1, root_id=1, use_calc_stream=True))
        results[name] = x
    for name, shape in (("c_allgather", (8, 3)), ("c_reducescatter", (2, 3))):
        ops.append(op(name, {"X": ["x"]}, {"Out": [name]}, ring_id=3, nranks=2))
        results[name] = ("float32", shape)
    ops += [op("c_wait_compute", {"X": ["x"]}, {"Out": ["x"]}, ring_id=3),
            op("c_allreduce_max", {"X": ["x"]}, {"Out": ["x"]}, ring_id=3)]
    return program({"x": x}, ops, {**results, "x": x})


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        out.write(every_collective())
