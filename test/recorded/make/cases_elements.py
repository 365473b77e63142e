"""Elements of a tensor that a list of indices names, as Paddle indexes eager tensors; boxes cut to images. Most are Paddle's own numbers."""
import numpy as np

from recorder import Drawn, autograd, case

D = Drawn(4)


def indexed(name, shape, axes, indices, dtype="float32", start=0, value=(), accumulate=True, repeated=False):
    """x[start:] indexed along neighbouring axes by arrays that are broadcast together."""
    size = np.dtype(dtype).itemsize
    steps = [int(np.prod(shape[d + 1:])) for d in range(len(shape))]
    inside = [shape[0] - start, *shape[1:]]
    broadcast = np.broadcast_shapes(*(i.shape for i in indices))
    first, behind = axes[0], len(shape) - axes[-1] - 1
    dims = inside[:first] + list(broadcast) + inside[axes[-1] + 1:]
    strides = steps[:first] + [0] * len(broadcast) + steps[axes[-1] + 1:]
    wide = [np.ascontiguousarray(np.broadcast_to(i, broadcast)).reshape([1] * first + list(broadcast) + [1] * behind) for i in indices]
    sizes, jumps = [inside[a] for a in axes], [steps[a] * size for a in axes]
    own = dict(input_dims=dims, input_strides=strides, index_dims=sizes + [-1] + list(wide[0].shape) + [-1], slice_offset=start * steps[0] * size)
    get = dict(own, index_stride=jumps, accumulate=accumulate, is_combined=False)
    put = dict(own, index_strides=jumps)
    x, grad = D.of(dtype, *shape, low=-4, high=4), D.of(dtype, *dims, low=-4, high=4)
    case("index_elementwise_get", name, x=x, index=wide, **get)
    case("index_elementwise_get_grad", name, x=x, index=wide, out_grad=grad, **get)
    case("index_elementwise_put", name, x=x, index=wide, value=2.0, **put)
    case("index_elementwise_put_grad", name, x=x, index=wide, out_grad=D.of(dtype, *shape), **put)
    if not repeated:
        fitted = D.of(dtype, *[dims[d] if d in value else 1 for d in range(len(dims))][min(value, default=0):] if value else [1])
        case("index_elementwise_put_with_tensor", name, x=x, index=wide, value=fitted, **put)
        if dtype == "float32":  # Paddle's kernel takes the elements of a value for 4 bytes wide
            case("index_elementwise_put_with_tensor_grad", name, x=x, index=wide, value=fitted, out_grad=D.of(dtype, *shape), **put)
    return x, wide, grad, get, put


A = np.int64
TOLERANCES = {op: (1e-6, 1e-6) for op in ("index_elementwise_get_grad", "index_elementwise_put_with_tensor_grad")}
indexed("rows", (5, 3), [0], [A([4, 0, 2])], value=(0, 1))
indexed("repeated", (5, 3), [0], [A([1, 1, -1, 3])], repeated=True)
indexed("middle", (3, 5, 2), [1], [A([[0, 4], [2, -2]])], value=(1, 2, 3))
indexed("two", (4, 5, 3), [0, 1], [A([3, 0]), A([1, -1])], value=(1,), dtype="float64")
indexed("offset", (4, 5, 3), [1], [A([2, 0])], start=1, value=(0, 1, 2))
indexed("integers", (4, 3), [1], [A([2, 0])], dtype="int64", value=(0, 1))
indexed("half", (4, 3), [0], [A([2, 0])], dtype="float16", value=(0, 1))
x, wide, grad, get, put = indexed("last", (4, 6), [1], [A([5, 1, 3])], value=(0, 1))


def picked(c):
    out = [c.x_grad_grad[:, [5, 1, 3]]]
    return out


def replaced(source, values):
    out = source.copy()
    out[:, [5, 1, 3]] = values
    return [out]


case("index_elementwise_get_double_grad", "last", index=wide, x_grad_grad=x, **get, expect=picked)
case("index_elementwise_put_double_grad", "last", index=wide, grad_x_grad=x, **put, expect=lambda c: replaced(c.grad_x_grad, 0))
both = dict(grad_out=x, value=grad, index=wide, **put)
case("index_elementwise_put_with_tensor_double_grad", "both", grad_x_grad=x, grad_value_grad=grad, **both, expect=lambda c: replaced(c.grad_x_grad, c.grad_value_grad))
case("index_elementwise_put_with_tensor_double_grad", "x", grad_x_grad=x, **both, expect=lambda c: replaced(c.grad_x_grad, 0))
case("index_elementwise_put_with_tensor_double_grad", "value", grad_value_grad=grad, **both, expect=lambda c: replaced(0 * c.grad_out, c.grad_value_grad))

# ---- boxes

for dtype in "float32", "float64":
    case("box_clip", dtype, input=D.of(dtype, 5, 4, low=-8, high=40), im_info=np.array([[20, 30, 1], [25, 17, 1.5]], dtype), lod={"input": [[0, 2, 5]]})

# ---- sequences

TOLERANCES["match_matrix_tensor_grad"] = (1e-5, 2e-6)
LEVELS, OTHERS = [[0, 3, 4, 9]], [[0, 1, 5, 7]]


def matched(c):
    """The forward op's definition, by autograd: the products of all pairs of rows of two sequences, a matrix for each kind."""
    def run(x, y, w):
        import paddle
        parts = [paddle.einsum("ia,atb,jb->tij", x[a:b], w, y[p:q]).flatten() for a, b, p, q in zip(LEVELS[0], LEVELS[0][1:], OTHERS[0], OTHERS[0][1:])]
        return paddle.concat(parts)
    return autograd(run, [c.x, c.y, c.w], [c.out_grad.ravel()])


PAIRS = sum((b - a) * (q - p) for a, b, p, q in zip(LEVELS[0], LEVELS[0][1:], OTHERS[0], OTHERS[0][1:]))
for name, kinds in ("one_kind", 1), ("three_kinds", 3):
    case("match_matrix_tensor_grad", name, lod={"x": LEVELS, "y": OTHERS}, x=D.f32(9, 4), y=D.f32(7, 4), w=D.f32(4, kinds, 4), tmp=D.f32(9 * 4 * kinds, 1),
         out_grad=D.f32(PAIRS * kinds, 1), dim_t=kinds, expect=matched)


def counted(c):
    """As Paddle's kernel for GPUs is written."""
    sequence = np.repeat(np.arange(3), np.diff(LEVELS[0]))
    return [[np.concatenate([c.cvm, g[:, 2 if c.use_cvm is not False else 0:]], 1)[sequence] for g in c.out_grad]]


for name, use in ("counts", True), ("without_counts", False):
    case("fused_seqpool_cvm_grad", name, lod={"x_0": LEVELS, "x_1": LEVELS}, x=[D.f32(9, 5), D.f32(9, 5)], cvm=D.f32(3, 2),
         out_grad=[D.f32(3, 5 if use else 3) for _ in range(2)], use_cvm=use, ignore=("cvm_grad",), expect=lambda c: counted(c) + [None])
