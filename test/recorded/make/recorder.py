#!/usr/bin/env python3
"""Records cases of single operators with PaddlePaddle 3.3.1: an archive of test/recorded/archives/more.

  recorder.py --build BUILD OUT.tar.xz MODULE...

A MODULE is a file beside this one; it states cases with `case`. A case becomes a folder like those of the recordings
of operators: program.pir and program.json, as Paddle writes them, and tensors.npz. The numbers are those that Paddle's
executor computes on a CPU. For an operator without a kernel for CPUs the case has `expect`: a function that computes the
results in float64 from other operators of Paddle, or from NumPy, as the kernel for GPUs is written; the index flags
such a case with `reference`.
"""
import argparse
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

import numpy as np

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "uint16": "bf16", "int32": "i32", "int64": "i64", "int16": "i16",
         "int8": "i8", "uint8": "u8", "bool": "b", "complex64": "c64", "complex128": "c128"}
CASES = []


# ---- arrays. An array of uint16 holds bfloat16.

def to_bf16(a):
    """Rounds to the nearest, to even."""
    bits = np.ascontiguousarray(a, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16).reshape(np.shape(a))


def wide(a):
    """Floats as float64, and complex numbers as complex128; others as they are."""
    if isinstance(a, (list, tuple)) and a and isinstance(a[0], np.ndarray):
        return [wide(x) for x in a]
    if not isinstance(a, np.ndarray):
        return a
    if a.dtype == np.uint16:
        return (a.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return a.astype({"f": np.float64, "c": np.complex128}.get(a.dtype.kind, a.dtype))


def narrow(a, dtype):
    return to_bf16(a) if dtype == np.uint16 else np.asarray(a).astype(dtype)


class Drawn:
    """Seeded numbers: `Drawn(1).f32(3, 4)` is evenly distributed in [-1, 1), in steps that every float has."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def of(self, dtype, *shape, low=-1.0, high=1.0):
        return narrow(np.floor(self.rng.uniform(low, high, shape) * 128) / 128, np.dtype(dtype))

    def f32(self, *shape, **limits):
        return self.of("float32", *shape, **limits)

    def f64(self, *shape, **limits):
        return self.of("float64", *shape, **limits)

    def ints(self, high, *shape, low=0, dtype="int64"):
        return self.rng.randint(low, high, shape).astype(dtype)


# ---- cases

def case(op, name, *, expect=None, like=None, dynamic=(), lod=None, ignore=(), absent=(), flags="", **values):
    """States a case. Values, by name: an array is fed, a list of arrays is a list operand, None is an absent operand;
    others are attributes, or attribute operands. `like`: for each result the operand whose element type it has, where
    the numbers come from `expect`. `dynamic`: operands with unknown extents. `lod`: levels of offsets by operand.
    `ignore`: results that are not fetched; `absent`: results that are left out."""
    CASES.append(types.SimpleNamespace(op=op, name=name, expect=expect, like=like, dynamic=dynamic, lod=lod or {}, ignore=ignore,
                                       absent=absent, flags=flags.split(), values=values))


class Signature:
    def __init__(self, row):
        self.op, _, operands, attrs, results, inplace = row[:6]
        self.operands = [self.parted(x) for x in operands.split()]
        self.attrs = [self.parted(x) for x in attrs.split("\x00")] if "\x00" in attrs else self.attributes(attrs)
        self.results = [self.parted(x) for x in results.split()]
        self.inplace = dict(reversed(x.split("->")) for x in inplace.split())

    @staticmethod
    def parted(text):
        head, _, kind = text.partition(":")
        kind, _, default = kind.partition("=")
        return types.SimpleNamespace(name=head.rstrip("?*~"), optional="?" in head, list="*" in head, kind=kind, default=default or None)

    @classmethod
    def attributes(cls, text):
        """Defaults may hold spaces: an attribute begins where `name:kind` does."""
        found = []
        for word in text.split(" "):
            name, colon, _ = word.partition(":")
            if colon and name.isidentifier():
                found.append(word)
            elif found:
                found[-1] += " " + word
        return [cls.parted(x) for x in found]


def signatures(build, source):
    with tempfile.NamedTemporaryFile(suffix=".tsv") as f:
        subprocess.check_call([build / "bin/opsc", source, f"--list={f.name}"])
        rows = [line.rstrip("\n").split("\t") for line in open(f.name)]
    return {row[0].split(".")[1]: Signature(row) for row in rows[1:]}


# ---- programs as text

def tensor_type(shape, dtype):
    return "tensor<" + "".join(f"{n}x" for n in shape) + NAMES[np.dtype(dtype).name] + ">"


def literal(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(literal(v) for v in value) + "]"
    if isinstance(value, float):
        return repr(value) if "." in repr(value) or "e" in repr(value) or not np.isfinite(value) else repr(value) + ".0"
    return str(value)


def full_type(value):
    return value.dtype.name if isinstance(value, np.generic) else "float32" if isinstance(value, float) else "int32"


class Program:
    def __init__(self, case, signature):
        self.case, self.signature, self.lines, self.count, self.feeds = case, signature, [], 0, {}

    def emit(self, op, operands, attrs, results):
        """Operands are pairs of name and type, or None. Returns one such pair for each result type."""
        out = []
        for kind in results:
            out.append((f"%{self.count}", kind) if kind else ("%absent", "<<NULL TYPE>>"))
            self.count += 1 if kind else 0
        names = [o[0] if kind else f"%none{self.count}_{i}" for i, (o, kind) in enumerate(zip(out, results))]
        used = [o or ("<<NULL VALUE>>", "<<NULL TYPE>>") for o in operands]
        text = ",".join(f"{k}:{v}" for k, v in sorted(attrs.items()))
        self.lines.append(f'    ({", ".join(names)}) = "{op}" ({", ".join(o[0] for o in used)}) {{{text}}} : '
                          f'({", ".join(o[1] for o in used)}) -> {", ".join(o[1] for o in out)}')
        return out

    def data(self, name, array, dynamic):
        shape = [-1] * array.ndim if dynamic else list(array.shape)
        dtype = "bfloat16" if array.dtype == np.uint16 else array.dtype.name
        self.feeds[name] = array
        attrs = {"dtype": dtype, "name": f'"{name}"', "place": "Place(undefined:0)", "shape": literal(shape), "stop_gradient": "[true]"}
        return self.emit("pd_op.data", [], attrs, [tensor_type(shape, array.dtype)])[0]

    def operand(self, o):
        value, dynamic = self.case.values.get(o.name), o.name in self.case.dynamic
        if value is None and not o.default:
            return None
        if isinstance(value, np.ndarray):
            return self.data(o.name, value, dynamic)
        if o.kind == "intarray":
            value = json.loads(o.default) if value is None else value
            return self.emit("pd_op.full_int_array", [], {"dtype": "int64", "place": "Place(cpu)", "value": literal(value)},
                             [tensor_type([len(value)], "int64")])[0]
        if o.kind == "scalar":
            value = json.loads(o.default) if value is None else value
            dtype = full_type(value)
            return self.emit("pd_op.full", [], {"dtype": dtype, "place": "Place(cpu)", "shape": "[1]", "value": literal(np.asarray(value).item())},
                             [tensor_type([1], dtype)])[0]
        members = [self.data(f"{o.name}_{i}", v, dynamic) for i, v in enumerate(value)]
        return self.emit("builtin.combine", members, {}, [f'vec[{",".join(m[1] for m in members)}]'])[0]

    def attributes(self):
        attrs = {}
        for a in self.signature.attrs:
            value = self.case.values.get(a.name)
            if value is None and a.default is None:
                raise SystemExit(f"{self.case.op}/{self.case.name}: no value for the attribute {a.name}")
            attrs[a.name] = a.default if value is None else value if a.kind in ("dtype", "place") else literal(value)
            if a.kind in ("f32", "f64", "f32[]", "f64[]") and value is not None:
                attrs[a.name] = literal(np.asarray(value, float).tolist())
        return attrs

    def write(self, result_types):
        """The text of the program, whose results have these types: None if left out, a list for a list."""
        known = {x.name for x in self.signature.operands + self.signature.attrs}
        for name in self.case.values:
            if name not in known:
                raise SystemExit(f"{self.case.op}/{self.case.name}: the operator has no {name}")
        self.lines, self.count, self.feeds = [], 0, {}
        operands = [self.operand(o) for o in self.signature.operands]
        kinds = [f'vec[{",".join(t)}]' if isinstance(t, list) else t for t in result_types]
        outs = self.emit("pd_op." + self.case.op, operands, self.attributes(), kinds)
        column = 0
        for r, value, kind in zip(self.signature.results, outs, result_types):
            if kind is None or r.name in self.case.ignore:
                continue
            parts = self.emit("builtin.split", [value], {}, kind) if isinstance(kind, list) else [value]
            for part in parts:
                self.emit("pd_op.fetch", [part], {"col": str(column), "name": f'"fetch{column}"'}, [part[1]])
                column += 1
        return "{\n" + "\n".join(self.lines) + "\n}\n"


# ---- Paddle

def load(build, text, folder):
    """Paddle's program of the text, by the JSON that pir-translate makes of it."""
    import paddle
    (folder / "made.pir").write_text(text)
    subprocess.check_call([build / "bin/pir-translate", folder / "made.pir", "--to=json", "--unverified", "-o", folder / "made.json"])
    program = paddle.static.Program()
    paddle.base.core.deserialize_pir_program(str(folder / "made.json"), program, 1)
    return program


def fed(array, levels):
    import paddle
    if not levels:
        return array
    tensor = paddle.base.core.DenseTensor()
    tensor.set(array, paddle.CPUPlace())
    tensor.set_lod(levels)
    return tensor


def execute(program, feeds, lod):
    """What Paddle's executor fetches, in the order of columns. It may write to the memory that it is fed."""
    import paddle
    exe = paddle.static.Executor(paddle.CPUPlace())
    fetched = exe.run(program, feed={k: fed(v.copy(), lod.get(k)) for k, v in feeds.items()}, fetch_list=[], return_numpy=False)
    return [np.array(t) for t in fetched]


def autograd(function, inputs, gradients):
    """Gradients of `function` of float64 arrays by Paddle's eager autograd, with these gradients of its results."""
    import paddle
    paddle.disable_static()
    xs = [None if x is None else paddle.to_tensor(x, stop_gradient=False) for x in inputs]
    outs = function(*xs)
    outs = outs if isinstance(outs, (list, tuple)) else [outs]
    pairs = [(o, paddle.to_tensor(g)) for o, g in zip(outs, gradients) if g is not None]
    wanted = [x for x in xs if x is not None]
    found = iter(paddle.grad([o for o, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True))
    result = []
    for x in xs:
        g = next(found) if x is not None else None
        result.append(None if x is None else np.zeros(x.shape) if g is None else g.numpy())
    paddle.enable_static()
    return result


# ---- recording

def result_slots(case, signature):
    """For each result: None if it is left out, a list with a type for each member, or one type, not known yet."""
    slots = []
    for r in signature.results:
        source = signature.inplace.get(r.name)
        model = case.values.get(source) if source else None
        if r.name in case.absent or (r.optional and source and model is None):
            slots.append(None)
        elif model is not None:  # kernels of lists take the shapes that are stated
            kinds = [tensor_type(a.shape, a.dtype) for a in (model if r.list else [model])]
            slots.append(kinds if r.list else kinds[0])
        elif r.list:
            model = next(case.values[o.name] for o in signature.operands if o.list and o.name in case.values)
            slots.append(["tensor<-1xf32>"] * len(model))
        else:
            slots.append("tensor<-1xf32>")
    return slots


def expected(case, signature, slots):
    values = types.SimpleNamespace(**{o.name: None for o in signature.operands})
    for a in signature.attrs:
        setattr(values, a.name, case.values.get(a.name, a.default))
    for name, value in case.values.items():
        setattr(values, name, wide(value))
    results = case.expect(values)
    likes = (case.like or "").split() or [None] * len(results)
    out = []
    for r, slot, value, like in zip(signature.results, slots, results, likes):
        if slot is None or r.name in case.ignore:
            continue
        model = case.values.get(like)
        model = model if like is None or model is not None else np.zeros(0, like)
        if like is None:
            model = next(v for v in case.values.values() if isinstance(v, np.ndarray) and (v.dtype.kind == "f" or v.dtype == np.uint16))
        parts = value if isinstance(slot, list) else [value]
        models = model if isinstance(model, list) else [model] * len(parts)
        out += [narrow(p, m.dtype) for p, m in zip(parts, models)]
    return out


def stated_types(case, signature, slots, arrays):
    arrays = iter(arrays)
    dims = lambda a: [-1] * a.ndim if case.dynamic else a.shape
    found = []
    for r, slot in zip(signature.results, slots):
        if slot is None or r.name in case.ignore:
            found.append(slot)
        elif isinstance(slot, list):
            found.append([tensor_type(dims(a), a.dtype) for a in (next(arrays) for _ in slot)])
        else:
            a = next(arrays)
            found.append(tensor_type(dims(a), a.dtype))
    return found


def column_text(arrays):
    shape = lambda a: "x".join(map(str, a.shape)) or "scalar"
    return " ".join(f"{n}:{'bfloat16' if a.dtype == np.uint16 else a.dtype.name}:{shape(a)}" for n, a in arrays) or "-"


def save(folder, feeds, outs, lod):
    named = {(f"in_{n}__bf16" if a.dtype == np.uint16 else f"in_{n}"): a for n, a in feeds.items()}
    named.update({(f"out_{i}__bf16" if a.dtype == np.uint16 else f"out_{i}"): a for i, a in enumerate(outs)})
    np.savez(folder / "tensors.npz", **named)
    for name, levels in lod.items():
        (folder / f"lod_{name}.json").write_text(json.dumps(levels))


def record(build, table, root, case, top):
    import paddle
    print(case.op, case.name, flush=True)
    signature = table[case.op]
    writer = Program(case, signature)
    slots = result_slots(case, signature)
    folder = root / top / "cases" / case.op / case.name
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        first = load(build, writer.write(slots), work)
        outs = expected(case, signature, slots) if case.expect else execute(first, writer.feeds, case.lod)
        program = load(build, writer.write(stated_types(case, signature, slots, outs)), work)
        if not case.expect and not case.flags:
            for a, b in zip(outs, execute(program, writer.feeds, case.lod)):
                if a.tobytes() != b.tobytes():
                    raise SystemExit(f"{case.op}/{case.name}: two runs differ")
        (folder / "program.pir").write_text(str(program))
        paddle.base.core.serialize_pir_program(program, str(folder / "program.json"), True, False, True)
    save(folder, writer.feeds, outs, case.lod)
    flags = case.flags + (["dynamic"] if case.dynamic else []) + (["reference"] if case.expect else [])
    attrs = {k: v for k, v in case.values.items() if not isinstance(v, np.ndarray) and not (isinstance(v, list) and v and isinstance(v[0], np.ndarray))}
    return "\t".join([case.op, case.name, "run", " ".join(flags) or "-", column_text(writer.feeds.items()),
                      column_text((f"{i}:", a) for i, a in enumerate(outs)).replace("::", ":out:"), json.dumps(attrs, default=float)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--match", default="", help="only operators whose name holds this")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("modules", nargs="+")
    args = parser.parse_args()
    import paddle
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    sys.modules["recorder"] = sys.modules["__main__"]
    tolerances = {}
    for module in args.modules:
        tolerances.update(getattr(importlib.import_module(module), "TOLERANCES", {}))
    table = signatures(args.build, here.parents[2] / "dialects/pd_op/pd_op.ops")
    paddle.enable_static()
    top = args.out.name.split(".")[0]
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        rows = [getattr(c, "record", lambda *to, c=c: record(*to[:3], c, to[3]))(args.build, table, root, top)
                for c in CASES if args.match in c.op]
        (root / top / "cases_index.tsv").write_text("op\tcase\tkind\tflags\tinputs\toutputs\tattributes\n" + "\n".join(rows) + "\n")
        head = "op\tclass\tresults\tmax_abs_err\tmax_err_over_max_value\tmax_ulp\trtol_f32\tatol_f32\tvaries\n"
        (root / top / "tolerances.tsv").write_text(head + "".join(f"{op}\t-\t-\t-\t-\t-\t{r:g}\t{a:g}\t-\n" for op, (r, a) in tolerances.items()))
        args.out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.check_call(["tar", "-C", root, "--sort=name", "--mtime=2025-01-01", "--owner=0", "--group=0", "--numeric-owner",
                               "-cJf", args.out.resolve(), top], env={**os.environ, "XZ_OPT": "-9e"})
    print(f"{len(rows)} cases of {len({r.split(chr(9))[0] for r in rows})} operators in {args.out}, {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
