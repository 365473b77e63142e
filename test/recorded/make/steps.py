"""Cases of several operators: values that no feed can hold (selected rows, sparse tensors) are made by one of them."""
import json
import pathlib
import tempfile
import types

import numpy as np

import recorder


class Steps(recorder.Program):
    """A program that is written operator by operator. Values are pairs of a name and a type, as in recorder.Program."""

    def __init__(self, table):
        super().__init__(types.SimpleNamespace(values={}, dynamic=()), None)
        self.table, self.columns, self.lod = table, 0, {}

    def __call__(self, op, operands, results, **attrs):
        """Emits an operator and returns its results. An operand is a value, an array, which is fed, or a number; a result is
        a type, or None where it is left out."""
        self.signature = self.table[op]
        stated = self.signature.operands
        values = [self.value(o, v) for o, v in zip(stated, [*operands] + [None] * (len(stated) - len(operands)))]
        self.case = types.SimpleNamespace(op=op, name="", values=attrs)
        return self.emit("pd_op." + op, values, self.attributes(), results)

    def feed(self, array, levels):
        """A fed array whose rows are divided by levels of offsets."""
        name = f"in{len(self.feeds)}"
        self.lod[name] = levels
        return self.data(name, array, False)

    def value(self, o, v):
        if isinstance(v, np.ndarray):
            return self.data(f"in{len(self.feeds)}", v, False)
        if o.kind != "scalar" or isinstance(v, tuple):
            return v
        number = float(json.loads(o.default) if v is None else v)
        attrs = {"dtype": "float32", "place": "Place(cpu)", "shape": "[1]", "value": recorder.literal(number)}
        return self.emit("pd_op.full", [], attrs, [recorder.tensor_type([1], "float32")])[0]

    def fetch(self, *values):
        for v in values:
            self.emit("pd_op.fetch", [v], {"col": str(self.columns), "name": f'"fetch{self.columns}"'}, [v[1]])
            self.columns += 1

    def text(self):
        return "{\n" + "\n".join(self.lines) + "\n}\n"


def case(op, name, build, expect=None):
    """States a case of `op` that `build` writes with a Steps. `expect` gives the results where Paddle cannot compute them."""
    recorder.CASES.append(types.SimpleNamespace(op=op, name=name, record=lambda *to: record(op, name, build, expect, *to)))


def record(op, name, build, expect, tools, table, root, top):
    import paddle
    print(op, name, flush=True)
    steps = Steps(table)
    build(steps)
    folder = root / top / "cases" / op / name
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        program = recorder.load(tools, steps.text(), pathlib.Path(work))
        outs = expect() if expect else recorder.execute(program, steps.feeds, steps.lod)
        (folder / "program.pir").write_text(str(program))
        paddle.base.core.serialize_pir_program(program, str(folder / "program.json"), True, False, True)
    recorder.save(folder, steps.feeds, outs, steps.lod)
    columns = recorder.column_text((f"{i}:", a) for i, a in enumerate(outs)).replace("::", ":out:")
    return "\t".join([op, name, "run", "reference" if expect else "-", recorder.column_text(steps.feeds.items()), columns, "{}"])
