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
}}
"""
LINEAR = ('"pd_op.weight_only_linear" (%x, %w, <<NULL VALUE>>, %t) {{arch:80,group_size:{group},weight_dtype:"{kind}"}} : '
          "(tensor<{given}x{k}xf32>, tensor<{lines}x{k}xi8>, <<NULL TYPE>>, tensor<{scales}xf32>) -> tensor<{given}x{n}xf32>")
BY_OPS = ('"pd_op.matmul" (%x, %e) {{transpose_x:false,transpose_y:false}} : (tensor<{given}x{k}xf32>, tensor<{k}x{n}xf32>) -> '
          "tensor<{given}x{n}xf32>")
# bits, group, rows (a string: any number of them), k, n, by ops
CASES = [(8, 64, 1, 256, 200, False), (8, 128, 3, 512, 36, False), (8, 128, 1, 192, 64, True), (8, 64, 1, 64, 40, False),
         (8, 64, 20, 256, 72, False), (8, 64, "5", 256, 72, True), (4, -1, 1, 256, 200, False), (4, -1, 1, 2112, 68, True),
         (4, -1, 20, 256, 72, False), (4, 64, 1, 256, 200, False), (4, 128, 16, 256, 36, True), (4, 128, 2, 192, 64, False),
         (4, 64, "7", 1024, 52, False), (4, 128, 17, 256, 64, False)]
LARGE = (8, 1, 1024, 1200)  # bits, rows, k, n: weights of more than a megabyte, which are a parameter


def write(path, bits, group, rows, k, n, by_ops):
    given = rows if isinstance(rows, int) else -1
    values = dict(given=given, k=k, n=n, count=k * n, group=group, kind=f"int{bits}", algo=f"weight_only_int{bits}", lines=n * bits // 8,
                  scales=f"{-(-k // group)}x{n}" if group > 0 else f"{n}")
    text = PROGRAM.format(product=(BY_OPS if by_ops else LINEAR).format(**values), **values)
    if by_ops:
        line = next(t for t in text.split("\n") if "weight_dequantize" in t)
        text = text.replace("    (%y)", line.replace("%d", "%e") + "\n    (%y)")
    path.write_text(text)


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


def main(bin_, *targets):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "case.pir"
        for case in [*CASES, None]:
            more = []
            if case:
                bits, group, rows, k, n, _ = case
                write(path, *case)
            else:
                (bits, rows, k, n), group = LARGE, -1
                more = [write_large(path)]
            found, how = [], set()
            for target in targets:
                run = subprocess.run([f"{bin_}/pir-run", path, f"--input=x={rows}x{k}xf32=random:1", "--print", "--explain", f"--target={target}",
                                      *more], capture_output=True, text=True)
                if run.returncode:
                    print(run.stderr)
                    return
                found.append(float(run.stdout.split()[-1]))
                how |= set(re.findall(r"(scaled_level_product|numbers of 4 bits|packed at load)", run.stderr + run.stdout))
            worst = "close" if max(found) <= 3e-6 else f"FAR {found}"
            print(f"int{bits} group {group} rows {rows} {k}x{n}: {worst}; {', '.join(sorted(how))}")


main(*sys.argv[1:])
