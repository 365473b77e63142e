"""Operands of which one is complex and the other real, and gradients of complex operands."""
import numpy as np

from recorder import Drawn, case


def drawn(d, dtype, *shape):
    if np.dtype(dtype).kind == "c":
        part = "float64" if dtype == "complex128" else "float32"
        return (d.of(part, *shape) + 1j * d.of(part, *shape)).astype(dtype)
    if np.dtype(dtype).kind == "i":
        return d.ints(9, *shape, low=-9, dtype=dtype)
    return d.of(dtype, *shape)


# The result of a real x has the complex type of y, whatever type the program states.
PAIRS = [("float32", "complex64"), ("complex64", "float32"), ("float32", "complex128"), ("complex64", "float64"), ("int32", "complex64"),
         ("complex64", "complex128")]


def pairs(op, x_shape, y_shape, **attrs):
    for x_type, y_type in PAIRS:
        d = Drawn(len(op))
        case(op, f"{x_type}_{y_type}", x=drawn(d, x_type, *x_shape), y=drawn(d, y_type, *y_shape), **attrs)
    case(op, "float32_complex64_dyn", dynamic=("x", "y"), x=drawn(d, "float32", *x_shape), y=drawn(d, "complex64", *y_shape), **attrs)


for name in "subtract", "multiply", "divide":
    pairs(name, (3, 4), (4,))
pairs("elementwise_pow", (3, 4), (3, 4))
pairs("matmul", (3, 4), (4, 5), transpose_x=False, transpose_y=False)
pairs("kron", (2, 3), (3, 2))

d = Drawn(5)
for t in "float32", "complex64", "complex128":
    case("kron_grad", t, x=drawn(d, t, 2, 3), y=drawn(d, t, 3, 2), out_grad=drawn(d, t, 6, 6))

for t in "float32", "complex64":
    case("log_double_grad", t, x=drawn(d, t, 3, 4) + np.array(2, t), grad_out=drawn(d, t, 3, 4), grad_x_grad=drawn(d, t, 3, 4))
    case("multiply_double_grad", t, x=drawn(d, t, 3, 4), y=drawn(d, t, 4), grad_out=drawn(d, t, 3, 4), grad_x_grad=drawn(d, t, 3, 4),
         grad_y_grad=drawn(d, t, 4))
case("hardswish_grad", "complex64", x=drawn(d, "complex64", 3, 4), out_grad=drawn(d, "complex64", 3, 4))

# Singular values are real: bounds of complex matrices may be real or complex.
x = drawn(d, "complex64", 4, 2) @ drawn(d, "complex64", 2, 5)
for name, bound in ("zero", 0.0), ("some", 0.5), ("all", 100.0):
    for t in "float32", "complex64":
        case("matrix_rank_tol", f"{name}_{t}", x=x, atol_tensor=np.array(bound, t), use_default_tol=False, hermitian=False)
        case("matrix_rank_atol_rtol", f"{name}_{t}", x=x, atol=np.array(bound, t), rtol=np.array(0.25, t), hermitian=False)
case("matrix_rank_atol_rtol", "complex128", x=x.astype("complex128"), atol=np.array(0.5), rtol=None, hermitian=False)
case("matrix_rank_tol", "hermitian", x=x @ x.conj().T, atol_tensor=np.array(0.5, "float32"), use_default_tol=True, hermitian=True)

# A size of 0 or less is not stated.
for size in -100, 0, 6:
    case("repeat_interleave_with_tensor_index", f"size{size}", x=d.of("float32", 3, 4), repeats=np.array([1, 2, 3]), axis=0, output_size=size)

# A complex number is true where one of its parts is.
parts = np.array([[1 + 1j, 1j, 0], [2, 0, -1j]])
for t in "complex64", "complex128":
    for op in "logical_and", "logical_or", "logical_xor":
        case(op, t, x=parts.astype(t), y=parts[::-1].astype(t))
    case("logical_not", t, x=parts.astype(t))
