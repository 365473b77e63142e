"""Views by strides, second gradients of ops that put elements, third gradients, counts."""
import numpy as np

from recorder import Drawn, case, narrow

TOLERANCES = {"as_strided": (0, 0), "as_strided_grad": (0, 0), "view_dtype": (0, 0), "view_dtype_grad": (0, 0), "index_select_strided_grad": (0, 0),
              "index_add_double_grad": (1e-6, 1e-7), "index_put_double_grad": (1e-6, 1e-7), "masked_fill_double_grad": (0, 0),
              "where_double_grad": (0, 0), "set": (0, 0), "set_": (0, 0)}


# ---- views. The executor of Paddle cannot run them: NumPy has the same views.

def strided(v, memory, size):
    return np.lib.stride_tricks.as_strided(memory.reshape(-1)[v.offset // size:], v.dims, [s * memory.itemsize for s in v.stride])


def strided_case(name, shape, dims, stride, offset, dtype="float32"):
    d = Drawn(len(name))
    x = d.of(dtype, *shape) if dtype[0] != "i" else d.ints(9, *shape, dtype=dtype)
    size = x.itemsize
    attrs = dict(dims=dims, stride=stride, offset=offset * size)
    case("as_strided", name, expect=lambda v: [strided(v, v.input, size).copy()], like="input", input=x, **attrs)
    if dtype[0] == "i":
        return

    def gradient(v):
        found = np.zeros_like(v.input)
        view, steps = strided(v, found, size), np.ndindex(*dims)
        for at in steps:
            view[at] = v.out_grad[at]
        return [found]
    case("as_strided_grad", name, expect=gradient, input=x, out_grad=d.of(dtype, *dims), **attrs)


strided_case("overlapping", (2, 3, 4), [3, 3], [2, 1], 2)
strided_case("transposed", (3, 4), [4, 3], [1, 4], 0, "float64")
strided_case("repeated", (6,), [2, 6], [0, 1], 0)
strided_case("scalar", (5,), [], [], 3)
strided_case("wide_int64", (4, 5), [2, 2, 2], [10, 5, 2], 1, "int64")
strided_case("bfloat16", (3, 4), [2, 3], [4, 1], 4, "uint16")


def viewed_case(name, dtype, other, shape):
    d = Drawn(len(name))
    x = d.of(dtype, *shape) if dtype[0] in "fu" else d.ints(2000, *shape, dtype=dtype)
    paddle_name = {"uint16": "bfloat16"}
    case("view_dtype", name, expect=lambda v: [x.view(other)], like=other, input=x, dtype=paddle_name.get(other, other))
    out = x.view(other)
    g = d.of(other, *out.shape) if other[0] in "fu" else d.ints(2000, *out.shape, dtype=other)
    case("view_dtype_grad", name, expect=lambda v: [g.view(dtype)], like="input", input=x, out_grad=g, dtype=paddle_name.get(other, other))


viewed_case("float32_as_int32", "float32", "int32", (3, 4))
viewed_case("float32_as_int16", "float32", "int16", (3, 4))
viewed_case("int16_as_int64", "int16", "int64", (2, 8))
viewed_case("float64_as_int8", "float64", "int8", (2, 3))

for place, (index, axis) in {"middle": (1, 1), "last": (-1, -1), "first": (0, 0)}.items():
    drawn = Drawn(len(place))
    data, gradient = drawn.f32(3, 4, 5), None
    gradient = drawn.f32(*np.take(data, 0, axis).shape)

    def selected(v):
        found = np.zeros_like(v.x)
        np.moveaxis(found, v.axis, 0)[v.index] = v.out_grad
        return [found]
    case("index_select_strided_grad", place, expect=selected, x=data, out_grad=gradient, index=index, axis=axis)

# The executor fetches `set` as it is; memory of a feed has dense strides.
for op in ("set", "set_"):
    drawn = Drawn(3)
    values = dict(x=drawn.f32(2, 2), source=drawn.f32(6), dims=[2, 2], stride=[3, 1], offset=4)
    case(op, "strided", expect=lambda v: [np.lib.stride_tricks.as_strided(v.source[1:], (2, 2), (24, 8)).copy()], like="source", **values)
    values = dict(x=drawn.ints(9, 3), source=drawn.ints(9, 2, 4), dims=[4, 2], stride=[2, 1], offset=0)
    case(op, "whole_int64", expect=lambda v: [v.source.reshape(4, 2)], like="source", **values)


# ---- second gradients: the op is linear in the elements and in the values

def put_along(arr, indices, values, axis, reduce):
    found = arr.copy()
    for at in np.ndindex(*indices.shape):
        to = list(at)
        to[axis] = indices[at]
        found[tuple(to)] = values[at] + (found[tuple(to)] if reduce == "add" else 0)
    return found


def put_case(name, reduce, axis, dtype="float32", left_out=()):
    d = Drawn(len(name))
    values = dict(arr=d.of(dtype, 3, 4), indices=d.ints(3 if axis == 0 else 4, 2, 3), values=d.of(dtype, 2, 3), grad_values_grad=d.of(dtype, 2, 3),
                  grad_arr_grad=d.of(dtype, 3, 4))

    def expect(v):
        a = np.zeros_like(v.arr) if v.grad_arr_grad is None else v.grad_arr_grad
        b = np.zeros_like(v.values) if v.grad_values_grad is None else v.grad_values_grad
        return [put_along(a, v.indices, b, v.axis, v.reduce)]
    case("put_along_axis_double_grad", name, expect=expect, **{k: None if k in left_out else v for k, v in values.items()}, axis=axis, reduce=reduce,
         include_self=True)


put_case("assign", "assign", 0)
put_case("add", "add", 1)
put_case("add_float64", "add", 0, "float64")
put_case("values_alone", "add", 1, left_out=("grad_arr_grad",))
put_case("arr_alone", "assign", 1, left_out=("grad_values_grad",))


def added_case(name, shape, axis, dtype="float32", left_out=()):
    d = Drawn(len(name))
    count = 3
    value = shape[:axis] + (count,) + shape[axis + 1:]
    values = dict(index=d.ints(shape[axis], count), grad_out=d.of(dtype, *shape), grad_x_grad=d.of(dtype, *shape),
                  grad_add_value_grad=d.of(dtype, *value))

    def expect(v):
        found = np.zeros(shape) if v.grad_x_grad is None else v.grad_x_grad.copy()
        if v.grad_add_value_grad is not None:
            np.add.at(np.moveaxis(found, axis, 0), v.index, np.moveaxis(v.grad_add_value_grad, axis, 0))
        return [found]
    case("index_add_double_grad", name, expect=expect, **{k: None if k in left_out else v for k, v in values.items()}, axis=axis)


added_case("rows", (4, 3), 0)
added_case("columns_float64", (2, 5, 2), 1, "float64")
added_case("x_alone", (4, 3), 0, left_out=("grad_add_value_grad",))
added_case("value_alone", (4, 3), 0, left_out=("grad_x_grad",))


def index_put_case(name, accumulate, left_out=()):
    d = Drawn(len(name))
    values = dict(x=d.f32(3, 4, 2), indices=[d.ints(3, 5), d.ints(4, 5)], value=d.f32(5, 2), grad_x_grad=d.f32(3, 4, 2), grad_value_grad=d.f32(5, 2))

    def expect(v):
        found = np.zeros_like(v.x) if v.grad_x_grad is None else v.grad_x_grad.copy()
        value = np.zeros_like(v.value) if v.grad_value_grad is None else v.grad_value_grad
        if v.accumulate:
            np.add.at(found, tuple(v.indices), value)
        else:
            found[tuple(v.indices)] = value
        return [found]
    case("index_put_double_grad", name, expect=expect, **{k: None if k in left_out else v for k, v in values.items()}, accumulate=accumulate)


index_put_case("add", True)
index_put_case("put", False)
index_put_case("x_alone", False, ("grad_value_grad",))
index_put_case("value_alone", True, ("grad_x_grad",))

for op, names in (("masked_fill_double_grad", ("mask", "grad_value_grad", "grad_x_grad")), ("where_double_grad", ("condition", "grad_x_grad", "grad_y_grad"))):
    for name, absent in (("both", None), ("both_float64", None), ("first", 2), ("second", 1)):
        drawn = Drawn(len(name))
        dtype = "float64" if "64" in name else "float32"
        given = [drawn.ints(2, 3, 4).astype(bool), drawn.of(dtype, 3, 4), drawn.of(dtype, 3, 4)]
        if absent:
            given[absent] = None
        values = dict(zip(names, given))
        case(op, name, expect=lambda v, n=names: [np.where(getattr(v, n[0]), *(0 if getattr(v, k) is None else getattr(v, k) for k in n[1:]))],
             **{k: values[k] for k in (sorted(values, key=lambda k: (k != "mask", k != "grad_x_grad")) if "mask" in values else values)})


# ---- third gradients that Paddle has kernels for; that of a broadcast product writes outside of its memory

def summed(a, shape):
    a = a.sum(tuple(range(a.ndim - len(shape))))
    return a.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True).reshape(shape)


def third_of_product(v):
    g, u, w, p, q, r = v.fwd_grad_out, v.fwd_grad_grad_x, v.fwd_grad_grad_y, v.grad_x_grad, v.grad_y_grad, v.grad_grad_out_grad
    x, y = v.x.shape, v.y.shape
    return [summed(r * w, x), summed(r * u, y), p * w + q * u, summed(r * v.y + q * g, x), summed(r * v.x + p * g, y)]


def product_case(name, shape, other, dtype="float32", left_out=()):
    d = Drawn(len(name))
    out = np.broadcast_shapes(shape, other)
    values = dict(x=d.of(dtype, *shape), y=d.of(dtype, *other), fwd_grad_out=d.of(dtype, *out), fwd_grad_grad_x=d.of(dtype, *shape),
                  fwd_grad_grad_y=d.of(dtype, *other), grad_x_grad=d.of(dtype, *shape), grad_y_grad=d.of(dtype, *other),
                  grad_grad_out_grad=d.of(dtype, *out))
    if dtype.startswith("complex"):
        values = {k: (v + 1j * d.of("float64", *v.shape)).astype(dtype) for k, v in values.items()}
    case("multiply_triple_grad", name, expect=third_of_product if shape != other else None, **{k: None if k in left_out else v for k, v in values.items()}, axis=-1)


product_case("same", (3, 4), (3, 4))
product_case("same_float64", (3, 4), (3, 4), "float64")
product_case("broadcast", (2, 3, 4), (3, 1))
product_case("broadcast_x", (4,), (3, 4))
product_case("complex64", (3, 2), (3, 2), "complex64")


def matrix_case(name, x, y, out, dtype="float32", **transposed):
    d = Drawn(len(name))
    case("matmul_triple_grad", name, x=d.of(dtype, *x), y=d.of(dtype, *y), grad_out=d.of(dtype, *out), grad_grad_x=d.of(dtype, *x),
         grad_grad_y=d.of(dtype, *y), grad_x_grad=d.of(dtype, *x), grad_y_grad=d.of(dtype, *y), grad_grad_out_grad=d.of(dtype, *out),
         **{"transpose_x": False, "transpose_y": False, **transposed})


matrix_case("plain", (3, 4), (4, 2), (3, 2))
matrix_case("transposed_x", (4, 3), (4, 2), (3, 2), transpose_x=True)
matrix_case("transposed_both_float64", (4, 3), (2, 4), (3, 2), "float64", transpose_x=True, transpose_y=True)
matrix_case("batch", (2, 3, 4), (2, 4, 2), (2, 3, 2))


def linear_case(name, x, w, out, transposed=False, left_out=()):
    d = Drawn(len(name))
    values = dict(input=d.f32(*x), weight=d.f32(*w), grad_out=d.f32(*out), grad_input_grad=d.f32(*x), grad_weight_grad=d.f32(*w),
                  grad_bias_grad=d.f32(out[-1]))

    def expect(v):
        turn = np.swapaxes if transposed else lambda a, i, j: a
        h = np.zeros_like(v.input) if v.grad_input_grad is None else v.grad_input_grad
        k = turn(np.zeros_like(v.weight) if v.grad_weight_grad is None else v.grad_weight_grad, 0, 1)
        rows = lambda a: a.reshape(-1, a.shape[-1])
        weight = turn(rows(h).T @ rows(v.grad_out), 0, 1)
        out = h @ turn(v.weight, 0, 1) + v.input @ k
        return [v.grad_out @ k.T, weight, out + (0 if v.grad_bias_grad is None else v.grad_bias_grad)]
    case("linear_v2_double_grad", name, expect=expect, **{k: None if k in left_out else v for k, v in values.items()}, transpose_weight=transposed)


linear_case("matrix", (3, 4), (4, 2), (3, 2))
linear_case("batch", (2, 3, 4), (4, 2), (2, 3, 2))
linear_case("transposed", (3, 4), (2, 4), (3, 2), True)
linear_case("without_bias", (3, 4), (4, 2), (3, 2), left_out=("grad_bias_grad",))
linear_case("input_alone", (3, 4), (4, 2), (3, 2), left_out=("grad_bias_grad", "grad_weight_grad"))


# ---- counts

for dtype in ("int64", "int32"):
    drawn = Drawn(len(dtype))
    case("number_count", dtype, expect=lambda v: [np.bincount(v.numbers[v.numbers >= 0], minlength=9)[:v.upper_range]], like="numbers", numbers=drawn.ints(6, 20, low=-1, dtype=dtype), upper_range=5)
    x = drawn.ints(12, 4, 6, dtype=dtype)
    case("int_bincount", dtype, expect=lambda v: [np.bincount(v.x[(v.x >= v.low) & (v.x < v.high)] - v.low, minlength=v.high - v.low)], like="int64",
         x=x, low=2, high=9, dtype=9)

# Edges of counts: limits of a histogram of integers are integers, and nothing has no variance.
drawn = Drawn(6)
for dtype in "int32", "int64", "float32":
    case("histogram", f"limits_{dtype}", input=drawn.ints(7, 20, low=-6).astype(dtype), bins=4, min=-2.5, max=3.5)
for op in "var", "std":
    case(op, "of_nothing", x=np.zeros((0, 3), np.float32), axis=[0])
    case(op, "of_empty_rows", x=np.zeros((2, 0), np.float32), axis=[1], unbiased=False, correction=0.0)
# Axes of extent 1 are repeated.
case("einsum", "repeated", x=[drawn.f32(2, 3, 4), drawn.f32(1, 4, 5)], equation="sij,sjk->sik", ignore=("inner_cache", "xshape"))
