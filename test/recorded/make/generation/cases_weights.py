"""Weights of 8 and 4 bits: rounded by Paddle's kernel for CPUs, read and multiplied in float64 as the kernels for GPUs do."""
import numpy as np

from recorder import Drawn, case, narrow, wide

D = Drawn(11)
ALGOS = {"weight_only_int8": 127, "weight_only_int4": 7, "llm.int8": 127}
ROWS, COLUMNS = 128, 16


def drawn(dtype):
    """Columns of different sizes, and one of zeros."""
    w = D.f32(ROWS, COLUMNS) * np.logspace(-2, 1, COLUMNS).astype(np.float32)
    w[:, 2] = 0
    return narrow(w, np.dtype(dtype))


for algo in ALGOS:
    for group in (-1, 64, 128):
        for dtype in ("float16", "uint16"):
            case("weight_quantize", f"{algo}_{group}_{dtype}".replace(".", "_").replace("-1", "column"), x=drawn(dtype), algo=algo, group_size=group)


def rounded_by_paddle(w, algo, group):
    """What weight_quantize makes of float16 weights, and the weights that it stands for."""
    import paddle
    paddle.disable_static()
    packed, scale = (t.numpy() for t in paddle.nn.quant.weight_quantize(paddle.to_tensor(w), algo=algo, arch=80, group_size=group))
    paddle.enable_static()
    top = ALGOS[algo]
    spread = np.repeat(scale.reshape(-1, COLUMNS), ROWS if group < 0 else group, 0)[:ROWS].astype(np.float32)
    quotient = np.divide(w.astype(np.float32), spread, out=np.zeros_like(spread), where=spread != 0)
    quotient[spread == 0] = 127 if top == 127 else -7  # multiplied by 0 when it is read
    levels = np.clip(np.sign(quotient) * np.floor(np.abs(quotient).astype(np.float64) + 0.5), -top - 1, top)
    if algo == "llm.int8" and (packed.T != levels).any():
        raise SystemExit("Paddle rounds weights in another way")
    return packed, scale, levels * spread.astype(np.float64)


for algo in ALGOS:
    for group in (-1, 64, 128):
        packed, scale, exact = rounded_by_paddle(drawn("float16"), algo, group)
        case("weight_dequantize", f"{algo}_{group}".replace(".", "_").replace("-1", "column"), x=packed, scale=scale, algo=algo, group_size=group, like="scale",
             expect=lambda c, exact=exact: [exact])
        if algo == "llm.int8":
            continue
        for dtype, bias in (("float32", True), ("float32", False), ("float16", True)):
            case("weight_only_linear", f"{algo}_{group}_{dtype}{'' if bias else '_plain'}".replace("weight_only_", "").replace("-1", "column"),
                 x=D.of(dtype, 3, ROWS) if bias else D.of(dtype, 1, 2, ROWS), weight=packed, weight_scale=scale.astype(dtype),
                 bias=D.of(dtype, COLUMNS) if bias else None, weight_dtype=algo[-4:], group_size=group, like="x",
                 expect=lambda c, exact=exact: [wide(c.x) @ exact + (0 if c.bias is None else wide(c.bias))])

TOLERANCES = {"weight_only_linear": (1e-5, 1e-5)}
