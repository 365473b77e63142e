"""Samples and first values for fit_net.pir: fit_samples.py OUT. OUT/data and OUT/data.npz: y is a linear function of x, and noise; OUT/init: zeros.

Beside them data of other kinds, each for one refusal: floats of another type (OUT/f64), another width (OUT/wide), another number of
samples (OUT/fewer), no y (OUT/half), none at all (OUT/none), and one NaN in sample 13 (OUT/nan).
"""
import pathlib
import random
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "recorded"))
import npy

SAMPLES = 22
out, chance = pathlib.Path(sys.argv[1]), random.Random(4)


def save(name, dtype, shape, values):
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    (out / name).write_bytes(npy.write_npy(dtype, shape, values))


x = [[chance.gauss(0, 1) for _ in range(3)] for _ in range(SAMPLES)]
y = [[a + 2 * b + chance.gauss(0, 0.1), 0.5 - c] for a, b, c in x]
x, y = sum(x, []), sum(y, [])
for folder in ("data", "f64", "wide", "fewer", "half", "nan"):
    save(f"{folder}/x.npy", "float32", [SAMPLES, 3], x)
    save(f"{folder}/y.npy", "float32", [SAMPLES, 2], y)
save("f64/y.npy", "float64", [SAMPLES, 2], y)
save("wide/x.npy", "float32", [SAMPLES, 4], x + x[:SAMPLES])
save("fewer/y.npy", "float32", [SAMPLES - 1, 2], y[2:])
(out / "half/y.npy").unlink()
save("nan/y.npy", "float32", [SAMPLES, 2], [float("nan") if i == 26 else v for i, v in enumerate(y)])
save("none/x.npy", "float32", [0, 3], [])
save("none/y.npy", "float32", [0, 2], [])
save("init/w.npy", "float32", [3, 2], [0] * 6)
save("init/b.npy", "float32", [2], [0] * 2)
# A first value that does not change, in several forms: the same numbers in both orders and, for bf16, as bits; and forms that are refused.
w = [1, 2, 3, 4, 5, 6]
for folder, dtype, shape in (("rows", "float32", [3, 2]), ("columns", "float32", [3, 2]), ("bits", "bfloat16", [3, 2]),
                             ("double", "float64", [3, 2]), ("flat", "float32", [6])):
    save(f"{folder}/w.npy", dtype, shape, w)
    save(f"{folder}/b.npy", "float32", [2], [0] * 2)
text = npy.write_npy("float32", [3, 2], [1, 3, 5, 2, 4, 6])
(out / "columns/w.npy").write_bytes(text.replace(b"'fortran_order': False", b"'fortran_order': True "))
net = (pathlib.Path(__file__).parent / "fit_net.pir").read_text()
lines = net.splitlines(keepends=True)
lines[1] = lines[1].replace("stop_gradient:[false],trainable:[true]", "stop_gradient:[true],trainable:[false]")
(out / "frozen.pir").write_text("".join(lines))
lines[1] = lines[1].replace("3x2xf32", "3x2xbf16")
lines[4:5] = ['    (%20) = "pd_op.cast" (%0) {dtype:float32,stop_gradient:[true]} : (tensor<3x2xbf16>) -> tensor<3x2xf32>\n',
              lines[4].replace("(%2, %0)", "(%2, %20)")]
(out / "frozen_bf16.pir").write_text("".join(lines))
# Parameters of f16, and the same numbers in f32: one net that has the first, and one that casts the second.
w = [0.5, -0.25, 0.125, 1, -1.5, 0.75]
for folder, dtype in (("narrow", "float16"), ("wide_first", "float32")):
    save(f"{folder}/w.npy", dtype, [3, 2], w)
    save(f"{folder}/b.npy", "float32", [2], [0] * 2)
net = (pathlib.Path(__file__).parent / "fit_net.pir").read_text().replace("(%2, %0)", "(%2, %15)").splitlines(keepends=True)
casts = [f'    (%{a}) = "pd_op.cast" (%{b}) {{dtype:float{n},stop_gradient:[false]}} : (tensor<3x2xf{m}>) -> tensor<3x2xf{n}>\n'
         for a, b, m, n in ((16, 0, 32, 16), (15, 16, 16, 32), (15, 0, 16, 32))]
(out / "wide.pir").write_text("".join(net[:5] + casts[:2] + net[5:]))
(out / "narrow.pir").write_text("".join([net[0], net[1].replace("3x2xf32", "3x2xf16")] + net[2:5] + casts[2:] + net[5:]))
with zipfile.ZipFile(out / "data.npz", "w") as archive:
    for name in ("x", "y"):
        archive.write(out / f"data/{name}.npy", f"{name}.npy")
