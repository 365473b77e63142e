"""Extremes for every operator: the first recorded case of each, with feeds and attributes pushed to where sizes are 0, no
axis is left, products of extents pass 64 bits, and numbers are not finite or no valid index. A run ends with a result or
with an error that names an operator; it does not crash, hang, take the machine's memory, or upset a sanitizer.

Feeds keep to each other: an extent becomes 0 wherever it stands, or in one place alone. What is too large to be fed is made
by a `full` in the program."""
import os
import re
import zlib

from recorded_errors import Batch, NoProgram, Program, declared_names, replace_attr

SHORT = 200  # rows a process: most end at once
SHARE = 6
SMALL = "ungrouped,group{few=0},dce,bind"
NO_ROOM = ("out of memory", "too large", "max_bytes")  # compiled code keeps fewer results
TOLERANCE = ["--rtol=1e-4", "--atol=1e-5"]
HUGE, WIDE = 1 << 40, 1 << 14
INTEGERS = ("0", "-1", "2147483647", "-2147483648", "4611686018427387904", "-9223372036854775808")
FLOATS = ("nan", "inf", "-inf", "0.0", "-1.0")
BITS = {"int8": 7, "uint8": 8, "int16": 15, "int32": 31, "int64": 63}
ATTR = re.compile(r'[{,](\w+):(\[[^\]]*\]|"[^"]*"|\w+\([^)]*\)|[^,}]*)')
INT, FLOAT = re.compile(r"-?\d+$"), re.compile(r"-?(\d+\.\d*|\.\d+|\d+(\.\d*)?e[-+]?\d+|nan|inf)$")


class Extreme(Program):
    """Feeds whose shape is in `made` are made by the program."""

    def __init__(self, *given):
        super().__init__(*given)
        self.made = set()

    def text(self):
        out = super().text().split("\n")
        for at, line in enumerate(out):
            found = re.match(r'( +\((%\d+)\) = )"pd_op.data" \(\) \{.*\} : \(\) -> (.*)$', line)
            feed = self.feeds[found[2][1:]] if found else None
            if feed and feed.name in self.made:
                shape = ",".join(map(str, feed.shape))
                out[at] = f'{found[1]}"pd_op.full" () {{dtype:{feed.dtype},place:Place(cpu),shape:[{shape}],value:1}} : () -> {found[3]}'
        return "\n".join(out)

    def fed(self):
        return [f for f in self.feeds.values() if f.name not in self.made]

    # -- what is changed; each gives whether anything was
    def empty(self, extent):
        before = [f.shape for f in self.feeds.values()]
        for f in self.feeds.values():
            f.shape = [0 if d == extent else d for d in f.shape]
        return before != [f.shape for f in self.feeds.values()]

    def reshape(self, name, shape, made=False):
        for f in self.feeds.values():
            if f.name == name:
                f.shape = shape(f.shape)
                self.made |= {name} if made else set()
        return True

    def flatten_all(self):
        for f in self.feeds.values():
            f.shape = []
        return True

    def make_all(self, extent):
        for f in self.feeds.values():
            f.shape = [extent] * len(f.shape)
        self.made |= {f.name for f in self.feeds.values()}
        return any(f.shape for f in self.feeds.values())

    def spread(self):
        """Two feeds that broadcast to what no memory holds."""
        pair = [f for f in self.feeds.values() if len(f.shape) >= 2][:2]
        if len(pair) < 2:
            return False
        pair[0].shape = [WIDE] + [1] * (len(pair[0].shape) - 1)
        pair[1].shape = [1] * (len(pair[1].shape) - 1) + [WIDE]
        self.made |= {f.name for f in pair}
        return True

    def fill(self, values):
        kinds = [f for f in self.feeds.values() if f.dtype not in BITS and f.dtype != "bool"]
        for f in kinds:
            f.values = values
        return bool(kinds)

    def fill_integers(self, values):
        kinds = [f for f in self.feeds.values() if f.dtype in BITS]
        for f in kinds:
            f.values = values(1 << BITS[f.dtype])
        return bool(kinds)

    def set_attr(self, line, name, value):
        return replace_attr(line, name, value)


def attr_changes(program):
    """(which line of the program, attribute, value): those of the op itself, and of the constants that it reads."""
    lines = [(program.lines.index(program.at), program.at)]
    for value in program.given:
        made = program.maker(value[1:])
        if made and made[1].startswith('"pd_op.full'):
            lines.append((program.lines.index(made), made))
    for at, line in lines:
        for name, value in ATTR.findall(line[3]):
            if line is not program.at and name != "value" or name == "stop_gradient":
                continue
            items = [v.strip() for v in value.strip("[]").split(",")] if value.startswith("[") else [value]
            kind = INTEGERS if INT.match(items[0]) else FLOATS if FLOAT.match(items[0]) else ()
            for new in kind:
                yield at, name, "[" + ",".join([new] + items[1:]) + "]" if value.startswith("[") else new
            if value.startswith("[") and len(items) > 1 and kind:
                yield at, name, "[" + ",".join([kind[2]] * len(items)) + "]"
            if value.startswith("["):
                yield at, name, "[]"


def variants(program):
    """(name, what it does to a fresh copy of the program)"""
    for extent in sorted({d for f in program.feeds.values() for d in f.shape if d}):
        yield f"empty-{extent}", lambda p, e=extent: p.empty(e)
    for f in program.feeds.values():
        name, rank = f.name, len(f.shape)
        for axis in sorted({0, rank - 1} if rank else ()):
            yield f"{name}-axis{axis}-0", lambda p, n=name, a=axis: p.reshape(n, lambda s: s[:a] + [0] + s[a + 1:])
        if rank:
            yield f"{name}-0-D", lambda p, n=name: p.reshape(n, lambda s: [])
            yield f"{name}-huge", lambda p, n=name: p.reshape(n, lambda s: [HUGE] * len(s), made=True)
            yield f"{name}-long", lambda p, n=name: p.reshape(n, lambda s: [1 << 62] + s[1:], made=True)
        if rank > 1:
            yield f"{name}-0-of-huge", lambda p, n=name: p.reshape(n, lambda s: [1 << 58 // (len(s) - 1)] * (len(s) - 1) + [0])
    yield "all-0-D", lambda p: p.flatten_all()
    yield "all-huge", lambda p: p.make_all(HUGE)
    yield "all-wide", lambda p: p.make_all(1 << 31)
    yield "spread", lambda p: p.spread()
    nan, inf = float("nan"), float("inf")
    for name, values in (("nan", [nan]), ("inf", [inf]), ("-inf", [-inf]), ("mixed", [nan, inf, -inf, 0.0, -0.0, 3e38, 1e-45, -3e38, 1.0])):
        yield name, lambda p, v=values: p.fill(v)
    for name, values in (("ints", lambda top: [-1, top - 1, -top, 0, top // 2]), ("least", lambda top: [-top]), ("most", lambda top: [top - 1]),
                         ("below-0", lambda top: [-1])):
        yield name, lambda p, v=values: p.fill_integers(v)
    for at, name, value in attr_changes(program):
        yield f"{name}={value}".replace(" ", ""), lambda p, a=at, n=name, v=value: p.set_attr(p.lines[a], n, v)


class ExtremeBatch(Batch):
    """Called kernels first, which record their results; then compiled code, which is compared with them."""
    memory, patience = 1 << 30, 60

    def run(self, top):
        folders = self.write_rows(top)
        self.pipeline, self.options = "kernels", ["--record"]
        called = self.run_rows(top, folders)
        self.pipeline, self.options = SMALL, TOLERANCE
        self.answers = list(zip(called, self.run_rows(top, folders)))


def extreme_jobs(tools, root):
    """One operator in SHARE; EXTREMES=all asks for all of them."""
    whole = os.environ.get("EXTREMES") == "all"
    declared = declared_names(tools)
    batch = ExtremeBatch(tools)
    for folder in sorted((root / "ops/cases").glob("*/")):
        cases = sorted(p.parent.name for p in folder.glob("*/tensors.npz"))
        if not cases or not whole and zlib.crc32(folder.name.encode()) % SHARE:
            continue
        make = lambda f=folder, c=cases[0]: Extreme(f / c, f.name, declared.get(f.name, ([], []))[0])
        try:
            first = make()
        except (NoProgram, StopIteration):
            continue
        for name, act in variants(first):
            program = make()
            if not act(program):
                continue
            if len(batch.rows) == SHORT:
                batch = ExtremeBatch(tools)
            name = f"extremes {folder.name}/{cases[0]}/{name}"
            yield name, lambda b=batch, i=batch.add(program), n=name: (n, *judge(*b.answer(i))), batch


def judge(called, compiled):
    """Both ways give the same, or both refuse with a message that says where."""
    for way, (code, message) in (("called", called), ("compiled", compiled)):
        if code < 0:
            return "fail", f"crash, {way}: {message}"
        if code and not message:
            return "fail", f"refused without a message, {way}"
        if code and not (named(message) or way == "compiled" and not called[0]):
            return "fail", f"the message names no op, {way}: {message[-200:]}"
    if not called[0] and compiled[0]:
        return "fail", f"compiled: {' '.join(compiled[1].split())[:300]}"
    if called[0] and not compiled[0] and not any(w in called[1] for w in NO_ROOM):
        return "fail", f"compiled it runs, called: {called[1][:200]}"
    return "pass", "refused" if called[0] else ""


def named(message):
    return re.search(r"\.pir:\d+:\d+: error", message) or any(w in message for w in ("pd_op.", "builtin.", "input", "out of memory"))
