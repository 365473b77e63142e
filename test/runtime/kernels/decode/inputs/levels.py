"""Products with weights of 8 and 4 bits, with scales for columns and for groups of rows, beside the product of the dequantized
weights in float64: the largest error of each case, on several targets, and how it was computed.
  levels.py BIN TARGET.."""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

PROGRAM = """{{
    (%x) = "pd_op.data" () {{dtype:float32,name:"x",place:Place(undefined:0),shape:[{given},{k}]}} : () -> tensor<{given}x{k}xf32>
    (%a) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[1],value:0}} : () -> tensor<1xf32>
    (%b) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[1],value:{count}}} : () -> tensor<1xf32>
    (%c) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[1],value:1}} : () -> tensor<1xf32>
    (%0) = "pd_op.arange" (%a, %b, %c) {{dtype:float32}} : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<{count}xf32>
    (%1) = "pd_op.sin" (%0) {{}} : (tensor<{count}xf32>) -> tensor<{count}xf32>
    (%s) = "pd_op.full_int_array" () {{dtype:int64,place:Place(cpu),value:[{k},{n}]}} : () -> tensor<2xi64>
    (%2) = "pd_op.reshape" (%1, %s) {{}} : (tensor<{count}xf32>, tensor<2xi64>) -> tensor<{k}x{n}xf32>
    (%w, %t) = "pd_op.weight_quantize" (%2) {{algo:"{algo}",arch:80,group_size:{group}}} : (tensor<{k}x{n}xf32>) -> tensor<{lines}x{k}xi8>, tensor<{scales}xf32>
    (%y) = {product}
    (%d) = "pd_op.weight_dequantize" (%w, %t) {{algo:"{algo}",group_size:{group}}} : (tensor<{lines}x{k}xi8>, tensor<{scales}xf32>) -> tensor<{k}x{n}xf32>
    (%3) = "pd_op.cast" (%d) {{dtype:float64}} : (tensor<{k}x{n}xf32>) -> tensor<{k}x{n}xf64>
    (%4) = "pd_op.cast" (%x) {{dtype:float64}} : (tensor<{given}x{k}xf32>) -> tensor<{given}x{k}xf64>
    (%5) = "pd_op.matmul" (%4, %3) {{transpose_x:false,transpose_y:false}} : (tensor<{given}x{k}xf64>, tensor<{k}x{n}xf64>) -> tensor<{given}x{n}xf64>
    (%6) = "pd_op.cast" (%y) {{dtype:float64}} : (tensor<{given}x{n}xf32>) -> tensor<{given}x{n}xf64>
    (%7) = "pd_op.subtract" (%6, %5) {{}} : (tensor<{given}x{n}xf64>, tensor<{given}x{n}xf64>) -> tensor<{given}x{n}xf64>
    (%8) = "pd_op.abs" (%7) {{}} : (tensor<{given}x{n}xf64>) -> tensor<{given}x{n}xf64>
    (%9) = "pd_op.abs" (%5) {{}} : (tensor<{given}x{n}xf64>) -> tensor<{given}x{n}xf64>
    (%i) = "pd_op.full_int_array" () {{dtype:int64,place:Place(cpu),value:[]}} : () -> tensor<0xi64>
    (%10) = "pd_op.max" (%8, %i) {{keepdim:false}} : (tensor<{given}x{n}xf64>, tensor<0xi64>) -> tensor<f64>
    (%11) = "pd_op.max" (%9, %i) {{keepdim:false}} : (tensor<{given}x{n}xf64>, tensor<0xi64>) -> tensor<f64>
    (%12) = "pd_op.divide" (%10, %11) {{}} : (tensor<f64>, tensor<f64>) -> tensor<f64>
    (%13) = "pd_op.fetch" (%12) {{col:0,name:"error"}} : (tensor<f64>) -> tensor<f64>
    (%14) = "pd_op.fetch" (%y) {{col:1,name:"y"}} : (tensor<{given}x{n}xf32>) -> tensor<{given}x{n}xf32>
}}
"""
LINEAR = ('"pd_op.weight_only_linear" (%x, %w, <<NULL VALUE>>, %t) {{arch:80,group_size:{group},weight_dtype:"{kind}"}} : '
          "(tensor<{given}x{k}xf32>, tensor<{lines}x{k}xi8>, <<NULL TYPE>>, tensor<{scales}xf32>) -> tensor<{given}x{n}xf32>")
BY_OPS = ('"pd_op.matmul" (%x, %e) {{transpose_x:false,transpose_y:false}} : (tensor<{given}x{k}xf32>, tensor<{k}x{n}xf32>) -> '
          "tensor<{given}x{n}xf32>")
# bits, group, rows (a string: any number of them, and these in turn), k, n, by ops
CASES = [(8, 64, 1, 256, 200, False), (8, 128, 3, 512, 36, False), (8, 128, 1, 192, 64, True), (8, 64, 1, 64, 40, False),
         (8, 64, 20, 256, 72, False), (8, 64, "5 40", 256, 72, True), (8, -1, "2 33 37", 320, 36, False), (4, -1, 1, 256, 200, False),
         (4, -1, 1, 2112, 68, True),
         (4, -1, 20, 256, 72, False), (4, 64, 1, 256, 200, False), (4, 128, 16, 256, 36, True), (4, 128, 2, 192, 64, False),
         (4, 64, "7 40", 1024, 52, False), (4, 128, 17, 256, 64, False),
         (4, -1, "1 17 23", 2112, 68, False), (4, 128, "3 9 26", 384, 200, False)]
THREADS = [1, 3]  # whose results have the same bits, for any number of rows
# With --math=int8, which changes no row of whole numbers of which the largest is 127.
ROUNDED = [(4, -1, "1 9 23", 2112, 68, False), (4, 128, "3 33", 384, 200, False), (4, 64, 40, 256, 36, True), (4, 64, 1, 256, 200, False),
           (8, 64, "2 20", 256, 72, False)]
WHOLE = """    (%20) = "pd_op.abs" (%x) {{}} : (tensor<{given}x{k}xf32>) -> tensor<{given}x{k}xf32>
    (%21) = "pd_op.full_int_array" () {{dtype:int64,place:Place(cpu),value:[-1]}} : () -> tensor<1xi64>
    (%22) = "pd_op.max" (%20, %21) {{keepdim:true}} : (tensor<{given}x{k}xf32>, tensor<1xi64>) -> tensor<{given}x1xf32>
    (%23) = "pd_op.divide" (%x, %22) {{}} : (tensor<{given}x{k}xf32>, tensor<{given}x1xf32>) -> tensor<{given}x{k}xf32>
    (%24) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[1],value:127}} : () -> tensor<1xf32>
    (%25) = "pd_op.scale" (%23, %24) {{bias:0.0,bias_after_scale:true}} : (tensor<{given}x{k}xf32>, tensor<1xf32>) -> tensor<{given}x{k}xf32>
    (%r) = "pd_op.rint" (%25) {{}} : (tensor<{given}x{k}xf32>) -> tensor<{given}x{k}xf32>
"""
LARGE = (8, 1, 1024, 1200)  # bits, rows, k, n: weights of more than a megabyte, which are a parameter


def write(path, bits, group, rows, k, n, by_ops, whole=False):
    given = rows if isinstance(rows, int) else -1
    values = dict(given=given, k=k, n=n, count=k * n, group=group, kind=f"int{bits}", algo=f"weight_only_int{bits}", lines=n * bits // 8,
                  scales=f"{-(-k // group)}x{n}" if group > 0 else f"{n}")
    text = PROGRAM.format(product=(BY_OPS if by_ops else LINEAR).format(**values), **values)
    if by_ops:
        line = next(t for t in text.split("\n") if "weight_dequantize" in t)
        text = text.replace("    (%y)", line.replace("%d", "%e") + "\n    (%y)")
    if whole:
        text = text.replace("(%x, %w", "(%r, %w").replace("(%x, %e", "(%r, %e").replace("(%x) {dtype", "(%r) {dtype")
        text = text.replace("    (%a)", WHOLE.format(given=given, k=k) + "    (%a)")
    path.write_text(text)


NETWORK = 4  # layers of a network, each x + tanh(x W / 8), before the layer of its logits
WIDE, LOGITS = 256, 512


class Text:
    """The lines of a program; each op is a new value."""

    def __init__(self):
        self.lines, self.types = [], {}

    def op(self, name, operands, attrs, *types):
        values = [f"%{len(self.types) + i}" for i in range(len(types))]
        self.types.update(zip(values, types))
        given = ", ".join(operands) or ""
        of = ", ".join(f"tensor<{self.types[v]}>" if v in self.types else "<<NULL TYPE>>" for v in operands)
        self.lines.append(f'    ({", ".join(values)}) = "pd_op.{name}" ({given}) {{{attrs}}} : ({of}) -> {", ".join(f"tensor<{t}>" for t in types)}')
        return values if len(values) > 1 else values[0]

    def full(self, value):
        return self.op("full", [], f"dtype:float32,place:Place(cpu),shape:[1],value:{value}", "1xf32")


def write_network(path, bits, group, rows):
    """The logits of a small network of such products, and of the same network in float64 on the dequantized weights."""
    t = Text()
    x = t.op("data", [], f'dtype:float32,name:"x",place:Place(undefined:0),shape:[{rows},{WIDE}]', f"{rows}x{WIDE}xf32")
    ours, right = x, t.op("cast", [x], "dtype:float64", f"{rows}x{WIDE}xf64")
    for i in range(NETWORK + 1):
        n = LOGITS if i == NETWORK else WIDE
        count, scales = WIDE * n, f"{WIDE // group}x{n}xf32" if group > 0 else f"{n}xf32"
        numbers = t.op("arange", [t.full(i), t.full(count + i), t.full(1)], "dtype:float32", f"{count}xf32")
        numbers = t.op("sin", [t.op("multiply", [numbers, numbers], "", f"{count}xf32")], "", f"{count}xf32")
        shape = t.op("full_int_array", [], f"dtype:int64,place:Place(cpu),value:[{WIDE},{n}]", "2xi64")
        w = t.op("reshape", [numbers, shape], "", f"{WIDE}x{n}xf32")
        algo = f'algo:"weight_only_int{bits}"'
        q, s = t.op("weight_quantize", [w], f"{algo},arch:80,group_size:{group}", f"{n * bits // 8}x{WIDE}xi8", scales)
        d = t.op("cast", [t.op("weight_dequantize", [q, s], f"{algo},group_size:{group}", f"{WIDE}x{n}xf32")], "dtype:float64", f"{WIDE}x{n}xf64")
        y = [t.op("weight_only_linear", [ours, q, "<<NULL VALUE>>", s], f'arch:80,group_size:{group},weight_dtype:"int{bits}"', f"{rows}x{n}xf32"),
             t.op("matmul", [right, d], "transpose_x:false,transpose_y:false", f"{rows}x{n}xf64")]
        if i < NETWORK:
            y = [t.op("scale", [v, t.full(0.125)], "bias:0.0,bias_after_scale:true", t.types[v]) for v in y]
            y = [t.op("add", [old, t.op("tanh", [v], "", t.types[v])], "", t.types[v]) for old, v in zip((ours, right), y)]
        ours, right = y
    wide = t.op("cast", [ours], "dtype:float64", t.types[right])
    off = t.op("abs", [t.op("subtract", [wide, right], "", t.types[right])], "", t.types[right])
    axes = t.op("full_int_array", [], "dtype:int64,place:Place(cpu),value:[]", "0xi64")
    most = [t.op("max", [v, axes], "keepdim:false", "f64") for v in (off, t.op("abs", [right], "", t.types[right]))]
    t.op("fetch", [t.op("divide", most, "", "f64")], 'col:0,name:"error"', "f64")
    t.op("fetch", [ours], 'col:1,name:"y"', t.types[ours])
    path.write_text("{\n" + "\n".join(t.lines) + "\n}\n")


def parameter(shape):
    """A tensor of bytes, as it stands in a file of parameters."""
    desc = b"\x08\x15" + b"".join(b"\x10" + bytes([d & 127 | 128, d >> 7]) for d in shape)
    body = bytes(i * 7 % 256 for i in range(256)) * (shape[0] * shape[1] // 256)
    return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + body


def write_large(path):
    """Writes the program with weights from a file, without what the small cases compute them from."""
    bits, rows, k, n = LARGE
    write(path, bits, -1, rows, k, n, False)
    lines = path.read_text().split("\n")
    first, last = (next(i for i, t in enumerate(lines) if t.startswith(f"    (%{name}")) for name in ("a", "w"))
    lines[first:last + 1] = [f'    (%w) = "builtin.parameter" () {{parameter_name:"w"}} : () -> tensor<{n}x{k}xi8>',
                             f'    (%t) = "pd_op.full" () {{dtype:float32,place:Place(cpu),shape:[{n}],value:0.01}} : () -> tensor<{n}xf32>']
    path.write_text("\n".join(lines))
    params = path.with_suffix(".pdiparams")
    params.write_bytes(parameter((n, k)))
    return f"--params={params}"


def measure(bin_, path, rows, k, target, threads, more):
    """Runs a case: its error, its results, and words of how its products are computed."""
    files = {name: path.with_suffix(f".{name}") for name in ("error", "y")}
    how = [f"--input=x={rows}x{k}xf32=random:1", f"--target={target}", f"--threads={threads}", f"--cache={path.parent / 'cache'}"]
    run = subprocess.run([f"{bin_}/pir-run", path, "--explain", *how, *(f"--output={name}=@{file}" for name, file in files.items()), *more],
                         capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    error, y = (file.read_bytes() for file in files.values())
    words = re.findall(r"(scaled_level_product|numbers of 4 bits|packed at load|widened once)", run.stderr + run.stdout)
    return struct.unpack("<d", error[-8:])[0], y, set(words)


def report(bin_, targets, path, rows, k, title, most, more=()):
    errors, words, same = [], set(), True
    for target in targets:
        for count in str(rows).split():
            runs = [measure(bin_, path, count, k, target, threads, more) for threads in (THREADS if isinstance(rows, str) else [1])]
            same &= all(y == runs[0][1] for _, y, _ in runs)
            errors.append(runs[0][0])
            words |= runs[0][2]
    print(f"{title}: {'close' if max(errors) <= most else f'FAR {errors}'}{'' if same else ', OTHER BITS'}; {', '.join(sorted(words))}")


def main(bin_, *targets):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.pir"
        for case in CASES:
            bits, group, rows, k, n, _ = case
            write(path, *case)
            report(bin_, targets, path, rows, k, f"int{bits} group {group} rows {rows} {k}x{n}", 3e-6)
        for case in ROUNDED:
            bits, group, rows, k, n, _ = case
            write(path, *case, whole=True)
            report(bin_, targets, path, rows, k, f"rounded int{bits} group {group} rows {rows} {k}x{n}", 3e-6, ["--math=int8"])
        bits, rows, k, n = LARGE
        report(bin_, targets, path, rows, k, f"int{bits} group -1 rows {rows} {k}x{n}", 3e-6, [write_large(path)])
        for bits, group in ((8, -1), (8, 64), (4, -1), (4, 64), (4, 128)):
            write_network(path, bits, group, 2)
            report(bin_, targets, path, 2, WIDE, f"int{bits} group {group} logits", 1e-5)


main(*sys.argv[1:])
