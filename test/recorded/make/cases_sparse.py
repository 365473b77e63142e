"""Sparse tensors: their gradients, convolution and pooling over stored positions, attention at stored positions."""
import numpy as np

from recorder import Drawn, autograd
from steps import case

D = Drawn(1)


def shaped(dims, kind="f32"):
    return "".join(f"{n}x" for n in dims) + kind


def coo(p, values, indices, dims, kind="f32"):
    sparse = f"pd_op.sparsecootensor<{shaped(dims, kind)}>"
    return p("sparse_coo_tensor_sp", [values, indices], [sparse], shape=list(dims))[0]


def dense(p, x, dims, csr=False):
    p.fetch(p("csr_to_dense_sp" if csr else "coo_to_dense_sp", [x], [f"tensor<{shaped(dims)}>"])[0])


def csr(p, x, dims):
    return p("coo_to_csr_sp", [x], [f"pd_op.sparsecsrtensor<{shaped(dims)}>"])[0]


def positions(dims, count, seed):
    """Distinct positions, a column each, in order."""
    flat = np.sort(np.random.RandomState(seed).choice(int(np.prod(dims)), count, replace=False))
    return np.stack(np.unravel_index(flat, dims)).astype(np.int64)


# ---- matrices

MATRIX = 4, 5
A, B, C = positions((4, 3), 6, 1), positions((3, 5), 7, 2), positions(MATRIX, 5, 3)
VALUES = [D.f32(n) for n in (6, 7, 5)]


def matrix(values, at, dims):
    out = np.zeros(dims)
    out[tuple(at)] = values
    return out


def product(p, rows):
    parts = [coo(p, VALUES[2], C, MATRIX), coo(p, VALUES[0], A, (4, 3)), coo(p, VALUES[1], B, (3, 5))]
    if rows:
        parts = [csr(p, x, dims) for x, dims in zip(parts, (MATRIX, (4, 3), (3, 5)))]
    op = "addmm_csr_csr_sp" if rows else "addmm_coo_coo_sp"
    dense(p, p(op, parts, [parts[0][1]], beta=0.5, alpha=2.0)[0], MATRIX, rows)


def summed_product():
    a, b, c = (matrix(v, at, dims) for v, at, dims in zip(VALUES, (A, B, C), ((4, 3), (3, 5), MATRIX)))
    return [(0.5 * c + 2 * a @ b).astype(np.float32)]


for rows, op in (False, "addmm_coo_coo_sp"), (True, "addmm_csr_csr_sp"):
    case(op, "basic", lambda p, rows=rows: product(p, rows), expect=summed_product)


def sum_back(p, axis, keep, dims, rows=False):
    gone = [i % len(dims) for i in axis] or range(len(dims))
    kept = [1 if i in gone else n for i, n in enumerate(dims) if keep or i not in gone] or [1]
    at = positions(dims, 9, 4)
    x = coo(p, Drawn(5).f32(9), at, dims)
    x = csr(p, x, dims) if rows else x
    axes = p.emit("pd_op.full_int_array", [], {"dtype": "int64", "place": "Place(cpu)", "value": str(list(axis))}, [f"tensor<{len(axis)}xi64>"])[0]
    made = f"pd_op.sparse{'csr' if rows else 'coo'}tensor<{shaped(kept)}>"
    out = p("sum_csr_sp" if rows else "sum_coo_sp", [x, axes], [made], dtype="Undefined", keepdim=keep)[0]
    grad = p("scale_csr_sp" if rows else "scale_coo_sp", [out], [made], scale=0.5, bias=0.25, bias_after_scale=True)[0]
    dense(p, p("sum_csr_grad_sp" if rows else "sum_coo_grad_sp", [x, grad, axes], [x[1]], keepdim=keep)[0], dims, rows)


for name, axis, keep, dims in (("rows", [1], False, (4, 5)), ("columns", [0], True, (4, 5)), ("middle", [1], False, (3, 4, 5)),
                               ("last", [-1], True, (3, 4, 5)), ("all", [], False, (4, 5))):
    case("sum_coo_grad_sp", name, lambda p, axis=axis, keep=keep, dims=dims: sum_back(p, axis, keep, dims))


def rows_back():
    """Paddle's kernel gives every row the gradient of the last one (docs/deviations.md)."""
    at = positions((4, 5), 9, 4)
    whole = matrix(Drawn(5).f32(9), at, (4, 5)).sum(1) * 0.5 + 0.25
    return [matrix(whole[at[0]], at, (4, 5)).astype(np.float32)]


case("sum_csr_grad_sp", "rows", lambda p: sum_back(p, [-1], True, (4, 5), True), expect=rows_back)

# ---- stored positions of a space

SPACE = 2, 4, 5, 6
AT = positions(SPACE, 23, 6)
FEATURES = D.f32(23, 3)


def normalized(p, over=""):
    dims = (*SPACE, 3)
    x, grad = coo(p, FEATURES, AT, dims), coo(p, Drawn(7).f32(23, 3), AT, dims)
    row = "tensor<3xf32>"
    mean, (scale, bias) = np.zeros(3, np.float32), Drawn(12).f32(2, 3)
    attrs = dict(momentum=0.9, epsilon=1e-5, data_format="NHWC", is_test=False, use_global_stats=False, trainable_statistics=False)
    out = p(over + "batch_norm_sp_", [x, mean, mean + 1, scale, bias], [x[1], row, row, row, row, "tensor<0xu8>"], **attrs)
    statistics = [out[3], out[4]] if over else [out[1], out[2], out[3], out[4]]
    found = p(over + "batch_norm_grad_sp", [x, p.data("scale", scale, False), p.data("bias", bias, False), *statistics, None, grad],
              [x[1], row, row], **attrs)
    dense(p, found[0], dims)
    p.fetch(*found[1:])


def normalization():
    """Gradients of batch normalisation of the stored elements, in float64."""
    scale, bias = Drawn(12).f32(2, 3)

    def run(x, scale, bias):
        mean = x.mean(0)
        return (x - mean) / ((x - mean).square().mean(0) + 1e-5).sqrt() * scale + bias
    x, s, b = autograd(run, [a.astype(np.float64) for a in (FEATURES, scale, bias)], [Drawn(7).f32(23, 3).astype(np.float64)])
    whole = np.zeros((*SPACE, 3))
    whole[tuple(AT)] = x
    return [a.astype(np.float32) for a in (whole, s, b)]


case("batch_norm_grad_sp", "basic", normalized)
case("sync_batch_norm_grad_sp", "basic", lambda p: normalized(p, "sync_"), expect=normalization)


def window(extents, taps, pads, strides, channels):
    return [extents[0]] + [(n + 2 * p - k) // s + 1 for n, k, p, s in zip(extents[1:], taps, pads, strides)] + [channels]


def convolved(p, extents, at, taps, pads, strides, subm):
    dims, n = (*extents, 3), at.shape[1]
    x = coo(p, Drawn(8).f32(n, 3), at, dims)
    filters = p.data("filter", Drawn(9).f32(*taps, 3, 4), False)
    out_dims = [*extents, 4] if subm else window(extents, taps, pads, strides, 4)
    made = f"pd_op.sparsecootensor<{shaped(out_dims)}>"
    attrs = dict(paddings=pads, dilations=[1] * len(taps), strides=strides, groups=1, subm=subm, key="")
    out, book, counter = p("conv3d_sp", [x, filters], [made, "tensor<3x-1xi32>", f"tensor<{int(np.prod(taps))}xi32>"], **attrs)
    dense(p, out, out_dims)
    grad = p("scale_coo_sp", [out], [made], scale=0.5, bias=0.25, bias_after_scale=True)[0]
    found = p("conv3d_grad_sp", [x, filters, out, book, counter, grad], [x[1], filters[1]], **attrs)
    dense(p, found[0], dims)
    p.fetch(found[1])


for name, taps, pads, strides, subm in (("basic", [3, 3, 3], [0, 0, 0], [1, 1, 1], False), ("strided", [2, 3, 2], [1, 1, 0], [2, 1, 2], False),
                                        ("same", [3, 3, 3], [1, 1, 1], [1, 1, 1], True)):
    case("conv3d_grad_sp", name, lambda p, *a, t=taps, q=pads, s=strides, m=subm: convolved(p, SPACE, AT, t, q, s, m))
PLANE = 2, 6, 7
case("conv3d_grad_sp", "plane", lambda p: convolved(p, PLANE, positions(PLANE, 19, 10), [3, 2], [1, 0], [2, 1], False))
case("conv3d_grad_sp", "plane_same", lambda p: convolved(p, PLANE, positions(PLANE, 19, 10), [3, 3], [1, 1], [1, 1], True))


def pooled(p, taps, pads, strides):
    dims = (*SPACE, 3)
    x = coo(p, Drawn(11).f32(23, 3), AT, dims)
    out_dims = window(SPACE, taps, pads, strides, 3)
    made = f"pd_op.sparsecootensor<{shaped(out_dims)}>"
    out, book, counter = p("maxpool_sp", [x], [made, "tensor<3x-1xi32>", f"tensor<{int(np.prod(taps))}xi32>"], kernel_sizes=taps, paddings=pads,
                           dilations=[1, 1, 1], strides=strides)
    dense(p, out, out_dims)
    grad = p("scale_coo_sp", [out], [made], scale=0.5, bias=0.25, bias_after_scale=True)[0]
    dense(p, p("maxpool_grad_sp", [x, book, counter, out, grad], [x[1]], kernel_sizes=taps)[0], dims)


for name, taps, pads, strides in ("basic", [2, 2, 2], [0, 0, 0], [2, 2, 2]), ("overlapping", [3, 2, 3], [1, 0, 1], [1, 1, 2]):
    case("maxpool_grad_sp", name, lambda p, t=taps, q=pads, s=strides: pooled(p, t, q, s))

# ---- attention at positions

BATCH, HEADS, LENGTH, WIDTH, STORED = 2, 3, 5, 4, 11
Q, K, V, AWAY = (Drawn(i).f32(BATCH, HEADS, LENGTH, WIDTH) for i in range(20, 24))


def lists(seed):
    """Offsets and columns of each head; every row has one column at least."""
    offsets, columns = [], []
    for i in range(BATCH * HEADS):
        r = np.random.RandomState(seed + i)
        extra = np.sort(r.choice([r_ * LENGTH + c for r_ in range(LENGTH) for c in range(1, LENGTH)], STORED - LENGTH, replace=False))
        flat = np.sort(np.concatenate([np.arange(LENGTH) * LENGTH, extra]))
        columns.append(flat % LENGTH)
        offsets.append(np.searchsorted(flat, np.arange(LENGTH + 1) * LENGTH))
    return np.array(offsets).reshape(BATCH, HEADS, -1), np.array(columns).reshape(BATCH, HEADS, -1)


OFFSETS, COLUMNS = lists(30)
KEPT = np.ones((BATCH, LENGTH), np.float32)
KEPT[1, 3] = 0
SEEN = np.ones((LENGTH, LENGTH), np.float32)
SEEN[2, 4] = SEEN[1, 2] = 0


def hidden(kept, seen):
    """What is added to the scores: -inf where no position is stored or a mask is 0."""
    out = np.full((BATCH, HEADS, LENGTH, LENGTH), -np.inf)
    for b in range(BATCH):
        for h in range(HEADS):
            for i in range(LENGTH):
                for c in COLUMNS[b, h, OFFSETS[b, h, i]:OFFSETS[b, h, i + 1]]:
                    if (kept is None or kept[b, c]) and (seen is None or seen[i, c]):
                        out[b, h, i, c] = 0
    return out


def attention(kept=None, seen=None):
    def run(q, k, v):
        import paddle
        scores = paddle.matmul(q, k, transpose_y=True) / WIDTH**0.5 + paddle.to_tensor(hidden(kept, seen))
        weights = paddle.nn.functional.softmax(scores)
        return paddle.matmul(weights, v), weights
    return run


def stored(weights):
    return np.stack([weights[b, h, i, COLUMNS[b, h, j]] for b in range(BATCH) for h in range(HEADS) for i in range(LENGTH)
                     for j in range(OFFSETS[b, h, i], OFFSETS[b, h, i + 1])]).reshape(BATCH, HEADS, STORED)


def forward(kept, seen):
    import paddle
    paddle.disable_static()
    out, weights = attention(kept, seen)(*(paddle.to_tensor(x.astype(np.float64)) for x in (Q, K, V)))
    paddle.enable_static()
    scores = Q.astype(np.float64) @ K.astype(np.float64).swapaxes(-1, -2)
    return [x.astype(np.float32) for x in (out.numpy(), stored(scores), stored(weights.numpy()))]


def backward():
    grads = autograd(lambda q, k, v: attention()(q, k, v)[0], [x.astype(np.float64) for x in (Q, K, V)], [AWAY.astype(np.float64)])
    return [g.astype(np.float32) for g in grads]


HEAD, LIST = "tensor<2x3x5x4xf32>", "tensor<2x3x11xf32>"
for name, kept, seen in ("basic", None, None), ("masked", KEPT, SEEN):
    def build(p, kept=kept, seen=seen):
        p.fetch(*p("sparse_attention", [Q, K, V, OFFSETS.astype(np.int32), COLUMNS.astype(np.int32), kept, seen], [HEAD, LIST, LIST]))
    case("sparse_attention", name, build, expect=lambda kept=kept, seen=seen: forward(kept, seen))


def masked(p):
    """Each head has its own positions, the same number each."""
    mask = np.isfinite(hidden(None, None)).reshape(-1, LENGTH, LENGTH).astype(np.float32)
    return p("dense_to_csr_sp", [mask], [f"pd_op.sparsecsrtensor<{shaped(mask.shape)}>"])[0]


WEIGHTS = f"pd_op.sparsecsrtensor<{shaped((BATCH, HEADS, LENGTH, LENGTH))}>"
for name, kept, seen in ("basic", None, None), ("masked", KEPT, SEEN):
    def build_rows(p, kept=kept, seen=seen):
        out, weights = p("fused_attention_sp", [Q, K, V, masked(p), kept, seen], [HEAD, WEIGHTS])
        p.fetch(out, *p("values_csr_sp", [weights], ["tensor<66xf32>"]))
    case("fused_attention_sp", name, build_rows, expect=lambda kept=kept, seen=seen: [
        x if i == 0 else x.ravel() for i, x in enumerate(forward(kept, seen)) if i != 1])


def rows_attention_back(p):
    q, k, v = (p.data(n, x, False) for n, x in (("q", Q), ("k", K), ("v", V)))
    _, weights = p("fused_attention_sp", [q, k, v, masked(p)], [HEAD, WEIGHTS])
    p.fetch(*p("fused_attention_grad_sp", [q, k, v, weights, AWAY], [HEAD] * 3))


case("fused_attention_grad_sp", "basic", rows_attention_back, expect=backward)


def back(p):
    q, k, v = (p.data(n, x, False) for n, x in (("q", Q), ("k", K), ("v", V)))
    o, c = p.data("offset", OFFSETS.astype(np.int32), False), p.data("columns", COLUMNS.astype(np.int32), False)
    _, scores, weights = p("sparse_attention", [q, k, v, o, c], [HEAD, LIST, LIST])
    p.fetch(*p("sparse_attention_grad", [q, k, v, o, c, scores, weights, AWAY], [HEAD] * 3))


case("sparse_attention_grad", "basic", back, expect=backward)
