"""Floats of 8 bits, which NumPy lacks: arrays of float32 hold their values, and casts make them from fed numbers."""
import numpy as np

F8 = 448.0  # the greatest number


def rounded8(x):
    """Rounds to f8e4m3fn, to even: 3 bits behind the leading one, the smallest exponent -6."""
    x = np.asarray(x, np.float32).astype(np.float64)
    exponent = np.maximum(np.floor(np.log2(np.maximum(np.abs(x), 1e-30))), -6)
    step = 2.0 ** (exponent - 3)
    return (np.rint(x / step) * step).astype(np.float32)


def typed(a, kind):
    return f"tensor<{'x'.join(map(str, np.shape(a)))}x{kind}>" if np.ndim(a) else f"tensor<{kind}>"


def eight(p, name, a):
    """Feeds an array and casts it to 8 bits."""
    return p("cast", [p.data(name, a, False)], [typed(a, "f8e4m3fn")], dtype="float8_e4m3fn")[0]


def as_float(p, value, shape):
    return p("cast", [value], [typed(np.zeros(shape), "f32")], dtype="float32")[0]


def block_factors(x, block_rows, powers, epsilon=0.0):
    """The factors of the blocks, and the factor of every element; float32, as the kernels compute."""
    rows, columns = x.shape
    factors = np.ones((-(-rows // block_rows), -(-columns // 128)), np.float32)
    for i in range(factors.shape[0]):
        for j in range(factors.shape[1]):
            most = np.float32(max(np.abs(x[i * block_rows:(i + 1) * block_rows, j * 128:(j + 1) * 128]).max(), epsilon))
            factors[i, j] = np.float32(F8) / most if most else 1
    if powers:
        factors = np.exp2(np.floor(np.log2(factors))).astype(np.float32)
    return factors, np.repeat(np.repeat(factors, block_rows, 0), 128, 1)[:rows, :columns]


def rounded_blocks(x, block_rows, powers=False, epsilon=0.0):
    factors, each = block_factors(x, block_rows, powers, epsilon)
    return rounded8(x * each), np.float32(1) / factors
