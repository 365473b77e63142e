"""Products of rounded numbers, and rounding by blocks, as the kernels for GPUs are written. Numbers of 8 bits are made by casts."""
import math

import numpy as np

from eights import as_float, eight, rounded8, rounded_blocks, typed
from recorder import Drawn, case, narrow, to_bf16, wide
from steps import case as steps

D = Drawn(7)


# ---- products

def product8(name, x, y, bias=None, transpose_x=False, transpose_y=False, scale=1.0, kind="float16", act="identity"):
    short = {"float16": "f16", "bfloat16": "bf16"}[kind]

    def expected():
        a, b = rounded8(x).astype(float), rounded8(y).astype(float)
        a, b = (a.swapaxes(-1, -2) if transpose_x else a), (b.swapaxes(-1, -2) if transpose_y else b)
        out = scale * (a @ b) + (0 if bias is None else wide(bias))
        if act == "relu":
            out = np.maximum(out, 0)
        if act == "gelu":
            out = out / 2 * (1 + np.vectorize(math.erf)(out / math.sqrt(2)))
        return [narrow(out, np.dtype("uint16" if kind == "bfloat16" else "float16"))]

    def build(p):
        a, b = eight(p, "x", x), eight(p, "y", y)
        c = None if bias is None else p.data("bias", bias, False)
        out = p("fp8_fp8_half_gemm_fused", [a, b, c], [typed(expected()[0], short)], transpose_x=transpose_x, transpose_y=transpose_y,
                scale=scale, output_dtype=kind, activation_type=act)
        p.fetch(*out)

    steps("fp8_fp8_half_gemm_fused", name, build, expected)


product8("plain", D.f32(5, 16), D.f32(16, 7))
product8("bias_relu", D.f32(2, 5, 32), D.f32(2, 8, 32), D.of("float16", 8), transpose_y=True, scale=0.5, act="relu")
product8("gelu", D.f32(3, 16), D.f32(16, 8), D.of("float16", 8), act="gelu")
product8("bf16", D.f32(16, 5), D.f32(16, 8), to_bf16(D.f32(8)), transpose_x=True, kind="bfloat16")


def each_scale(scale, shape, by_row):
    """The scale of every element."""
    if by_row:
        scale = scale.reshape(-1, shape[0]).T
    else:
        scale = np.repeat(scale, 128, 0)
    return np.repeat(scale, 128, 1)[:shape[0], :shape[1]].astype(float)


def blocks(name, n, m, k, a_rows, b_rows, kind="f32", accumulate=False):
    a, b, old = D.f32(m, k), D.f32(n, k), D.f32(n, m)
    scale = lambda rows, by_row: D.f32(*((-(-k // 128), rows) if by_row else (-(-rows // 128), -(-k // 128))), low=0.1)
    sa, sb = scale(m, a_rows), scale(n, b_rows)
    old = to_bf16(old) if kind == "bf16" else old

    def expected():
        x = rounded8(a).astype(float) * each_scale(sa, a.shape, a_rows)
        y = rounded8(b).astype(float) * each_scale(sb, b.shape, b_rows)
        out = y @ x.T + (wide(old) if accumulate else 0)
        return [narrow(out, old.dtype)]

    def build(p):
        fed = [eight(p, "a", a), p.data("a_scale", sa, False), eight(p, "b", b), p.data("b_scale", sb, False), p.data("old", old, False)]
        fed += [p.data(s, np.zeros(4, np.float32), False) for s in ("bias", "pre_gelu", "workspace")]
        out = p("fp8_gemm_blockwise_", fed, [fed[4][1], fed[6][1], fed[7][1]], transa=True, transb=False, grad=False, accumulate=accumulate,
                use_split_accumulator=True, math_sm_count=1, is_A_1d_scaled=a_rows, is_B_1d_scaled=b_rows)
        p.fetch(out[0])

    steps("fp8_gemm_blockwise_", name, build, expected)


blocks("rows", 6, 5, 256, True, True)
blocks("blocks_of_a", 6, 130, 132, False, True, accumulate=True)
blocks("blocks_of_b", 130, 4, 200, True, False, kind="bf16")


def llm_int8(v):
    x = v.x
    outliers = np.abs(x) > v.threshold
    columns = outliers.reshape(-1, x.shape[-1]).any(0)
    most = np.where(outliers, 0, np.abs(x)).max(-1, keepdims=True)
    levels = np.clip(np.sign(x) * np.floor(np.abs(x * 127 / most) + 0.5), -127, 127) * ~columns
    w = v.weight.astype(float).T
    out = (levels @ w * most / 127 + (x * columns) @ w) * v.weight_scale
    return [out if v.bias is None else out + v.bias]


for name, dtype, threshold, bias in (("f16", "float16", 0.9, True), ("bf16", "uint16", 0.95, False), ("no_outliers", "float16", 6.0, True)):
    case("llm_int8_linear", name, expect=llm_int8, x=D.of(dtype, 3, 4, 32), weight=D.ints(127, 8, 32, low=-127, dtype="int8"),
         bias=D.of(dtype, 8) if bias else None, weight_scale=D.f32(8, low=0.001, high=0.02), threshold=threshold)

for dtype in ("float16", "uint16"):
    case("apply_per_channel_scale", dtype, expect=lambda v: [v.x * v.scales], x=D.of(dtype, 6, 16), scales=D.of(dtype, 16))


# ---- rounding by blocks

def quantised(name, shape, by_row, transposed=False, scales_transposed=False, powers=False, epsilon=0.0, kind="f32"):
    x = D.f32(*shape)
    x[0, :] *= 0.001
    fed = to_bf16(x) if kind == "bf16" else x
    x = wide(fed).astype(np.float32)

    def expected():
        out = []
        for m in (x, x.T) if transposed else (x,):
            numbers, scales = rounded_blocks(m, 1 if by_row else 128, powers, epsilon)
            out += [numbers, scales.T.copy() if scales_transposed else scales]
        return out

    def build(p):
        values = expected()
        kinds = ["f8e4m3fn", "f32"]
        types = [typed(v, kinds[i % 2]) for i, v in enumerate(values)] + ["tensor<0xf8e4m3fn>", "tensor<0xf32>"]
        out = p("fp8_quant_blockwise", [p.data("x", fed, False)], types[:4], epsilon=epsilon, using_1x128_vec_quant=by_row,
                input_transpose=transposed, output_scale_transpose=scales_transposed, return_transpose_only=False, using_e5m2=False,
                using_pow2_scale=powers, using_ue8m0_scale=False)
        for value, found in zip(values, out):
            p.fetch(as_float(p, found, value.shape) if "f8" in found[1] else found)

    steps("fp8_quant_blockwise", name, build, expected)


quantised("rows", (5, 256), True)
quantised("rows_scales_transposed", (4, 256), True, scales_transposed=True, powers=True, kind="bf16")
quantised("blocks", (130, 132), False, epsilon=0.5)
quantised("blocks_transposed", (132, 130), False, transposed=True, powers=True, scales_transposed=True)
quantised("rows_transposed", (6, 130), True, transposed=True, kind="bf16")

TOLERANCES = {"llm_int8_linear": (1e-3, 1e-3)}
