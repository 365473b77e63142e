"""Writes rank programs of two ranks, R.pir in a folder: rows to experts and back, parts of tensors from rank to rank."""
import pathlib
import sys


class Text:
    def __init__(self):
        self.lines, self.outputs = [], 0

    def op(self, name, operands, attrs, kinds, result):
        value = f"%{len(self.lines)}"
        self.lines.append(f'    ({value}) = "pd_op.{name}" ({", ".join(operands)}) {{{attrs}}} : ({", ".join(kinds)}) -> {result}')
        return value

    def ints(self, values):
        kind = f"tensor<{len(values)}xi64>"
        return self.op("full_int_array", [], f"dtype:int64,place:Place(cpu),value:[{','.join(map(str, values))}]", [], kind)

    def floats(self, values):
        return self.op("cast", [self.ints(values)], "dtype:float32", [f"tensor<{len(values)}xi64>"], f"tensor<{len(values)}xf32>")

    def show(self, value, kind, name):
        self.op("fetch", [value], f'col:{self.outputs},name:"{name}"', [kind], kind)
        self.outputs += 1


# Entry i + q * 2: rows to expert i of rank q. What comes is what the other ranks send: 3 rows to rank 0, 5 to rank 1.
ROWS = [[0, 1, 2, 3], [10, 11, 12, 13]]
SENT = [[1, 0, 2, 1], [1, 1, 1, 1]]
COMES = [[1, 0, 1, 1], [2, 1, 1, 1]]

for rank in (0, 1):
    t = Text()
    x, sent, comes = t.floats(ROWS[rank]), t.ints(SENT[rank]), t.ints(COMES[rank])
    kinds, counts = ["tensor<4xf32>", "tensor<4xi64>", "tensor<4xi64>"], [sent, comes]
    there = t.op("global_scatter", [x, *counts], "ring_id:0", kinds, "tensor<-1xf32>")
    there = t.op("relu", [there], "", ["tensor<-1xf32>"], "tensor<-1xf32>")  # it has the rows that came
    back = t.op("global_gather", [there, *counts], "ring_id:0", ["tensor<-1xf32>", *kinds[1:]], "tensor<4xf32>")
    t.show(there, "tensor<-1xf32>", "there")
    t.show(back, "tensor<4xf32>", "back")
    if rank == 0:
        t.lines.append(f'    () = "pd_op.partial_send" ({x}) {{id:1,num:2,peer:1,ring_id:0}} : (tensor<4xf32>) -> ')
    else:
        part = t.op("partial_recv", [], "dtype:float32,id:1,num:2,out_shape:[4],peer:0,ring_id:0", [], "tensor<4xf32>")
        t.show(part, "tensor<4xf32>", "part")
    met = t.op("barrier", [x], "ring_id:0", ["tensor<4xf32>"], "tensor<4xf32>")
    t.show(met, "tensor<4xf32>", "met")
    body = "\n".join(t.lines)
    (pathlib.Path(sys.argv[1]) / f"{rank}.pir").write_text("{\n" + body + "\n}\n")
