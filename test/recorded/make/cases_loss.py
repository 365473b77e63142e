"""Losses over many classes and their gradients, samples, extrema with positions, products of groups."""
import numpy as np

from recorder import Drawn, autograd, case, narrow, wide

TOLERANCES = {"nce": (1e-5, 1e-5), "nce_grad": (1e-5, 1e-6), "margin_cross_entropy": (2e-5, 1e-5), "margin_cross_entropy_grad": (2e-5, 1e-5)}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ---- noise contrastive estimation: Paddle's own numbers, of equal seeds too

def nce_case(name, truths=1, dtype="float32", sampler=0, seed=7, negatives=(), count=5, left_out=(), gradient=True):
    d = Drawn(len(name))
    rows, width, classes = 4, 6, 11
    probs = np.arange(1, classes + 1, dtype="float32")
    values = dict(input=d.of(dtype, rows, width), label=d.ints(classes, rows, truths), weight=d.of(dtype, classes, width), bias=d.of(dtype, classes),
                  sample_weight=d.of(dtype, rows, low=0.5, high=2), custom_dist_probs=probs / probs.sum(), custom_dist_alias=d.ints(classes, classes, dtype="int32"),
                  custom_dist_alias_probs=d.f32(classes, low=0, high=1))
    if sampler != 2:
        left_out = (*left_out, "custom_dist_probs", "custom_dist_alias", "custom_dist_alias_probs")
    values = {k: None if k in left_out else v for k, v in values.items()}
    attrs = dict(num_total_classes=classes, custom_neg_classes=list(negatives), num_neg_samples=count, sampler=sampler, seed=seed)
    case("nce", name, **values, **attrs)
    if not gradient:
        return
    # The operands that Paddle's gradient reads even where the op lacks them are given.
    labels = np.concatenate([values["label"], d.ints(classes, rows, count)], 1)
    case("nce_grad", name, **values, **attrs, sample_logits=d.of(dtype, rows, truths + count, low=0.05, high=0.95), sample_labels=labels,
         cost_grad=d.of(dtype, rows, 1))


nce_case("uniform")
nce_case("uniform_float64", dtype="float64", truths=2)
nce_case("given", negatives=(0, 3, 5, 5, 10))
nce_case("log_uniform", sampler=1)
nce_case("custom", sampler=2)
nce_case("without_weights", left_out=("sample_weight", "bias"), gradient=False)


# ---- cross entropy over the classes of several processes: each has a part of the softmax

def shared_case(name, shape, labels=1, rank=0, ignored=-100, dtype="float32", index="int64"):
    for op in ("c_softmax_with_cross_entropy_grad", "c_softmax_with_cross_entropy_grad_"):
        d = Drawn(len(name))
        classes = shape[-1]
        label = d.ints(classes * (rank + 2), *shape[:-1], labels, low=classes * rank, dtype=index)
        if ignored >= 0:
            label[tuple(0 for _ in shape)] = ignored

        def expect(v):
            share = (v.label[..., None] == np.arange(classes) + rank * classes).mean(-2)
            found = (v.softmax - share) * v.loss_grad
            return [np.where((v.label == v.ignore_index).any(-1, keepdims=True), 0, found)]
        case(op, name, expect=expect, softmax=narrow(softmax(d.f64(*shape)), np.dtype(dtype)), label=label, loss_grad=d.of(dtype, *shape[:-1], 1),
             ignore_index=ignored, rank=rank, nranks=rank + 2)


shared_case("matrix", (5, 6))
shared_case("second_part", (5, 6), rank=1)
shared_case("ignored", (5, 6), ignored=3)
shared_case("several_labels", (4, 6), labels=3)
shared_case("several_ignored_float64", (4, 6), labels=2, ignored=2, dtype="float64")
shared_case("sequences_int32", (2, 3, 6), index="int32")


def weighted_case(name, total, ignored=-100, rank=0, dtype="float32"):
    d = Drawn(len(name))
    shape, labels = (4, 6), 3

    def expect(v):
        hit = v.label[..., None] == np.arange(6) + rank * 6
        found = v.softmax - (hit * v.smooth_weight[..., None]).sum(-2)
        if ignored >= 0:
            found = np.where(hit.any(-2) & (np.arange(6) + rank * 6 == ignored), 0, found)
        return [found * v.loss_grad[..., :1]]
    case("c_softmax_with_multi_label_cross_entropy_grad", name, expect=expect, softmax=narrow(softmax(d.f64(*shape)), np.dtype(dtype)),
         label=d.ints(6 * (rank + 1), 4, labels), smooth_weight=d.of(dtype, 4, labels, low=0, high=1), loss_grad=d.of(dtype, 4, 1 if total else labels),
         ignore_index=ignored, sum_multi_label_loss=total, rank=rank, nranks=rank + 1)


weighted_case("sum", True)
weighted_case("each_float64", False, dtype="float64")
weighted_case("second_part", True, rank=1)
weighted_case("ignored", True, ignored=2)


def margin(v, logits):
    import paddle
    hit = paddle.nn.functional.one_hot(paddle.to_tensor(v.label.reshape(-1)), logits.shape[-1]).astype("float64").reshape(logits.shape)
    moved = paddle.cos(v.margin1 * paddle.acos(logits) + v.margin2) - v.margin3
    log = paddle.nn.functional.log_softmax((hit * moved + (1 - hit) * logits) * v.scale)
    return log.exp(), -(log * hit).sum(-1, keepdim=True)


def margin_case(name, dtype="float32", index="int64", shape=(4, 7), margins=(1.0, 0.5, 0.0), scale=16.0):
    d = Drawn(len(name))
    logits, label = d.of(dtype, *shape, low=-0.9, high=0.9), d.ints(shape[-1], *shape[:-1], dtype=index)
    attrs = dict(return_softmax=True, ring_id=0, rank=0, nranks=1, margin1=margins[0], margin2=margins[1], margin3=margins[2], scale=scale)

    def forward(v):
        import paddle
        paddle.disable_static()
        found = [t.numpy() for t in margin(v, paddle.to_tensor(v.logits))]
        paddle.enable_static()
        return found

    def backward(v):
        return autograd(lambda x: margin(v, x)[1], [v.logits], [v.loss_grad])
    case("margin_cross_entropy", name, expect=forward, logits=logits, label=label, **attrs)
    import types
    given = types.SimpleNamespace(logits=wide(logits), label=label, **attrs)
    soft = narrow(forward(given)[0], logits.dtype)
    for op in ("margin_cross_entropy_grad", "margin_cross_entropy_grad_"):
        case(op, name, expect=backward, logits=logits, label=label, softmax=soft, loss_grad=d.of(dtype, *shape[:-1], 1), **attrs)


margin_case("angle")
margin_case("angle_float64", "float64", "int32")
margin_case("sphere", margins=(1.35, 0.0, 0.0))
margin_case("cosine", margins=(1.0, 0.0, 0.35), scale=1.0)
margin_case("sequences", shape=(2, 3, 5))
margin_case("float16", "float16", scale=2.0)

for kind, shape in (("column", (5, 1)), ("flat", (5,))):
    drawn = Drawn(len(kind))
    case("cross_entropy_with_softmax_bwd_w_downcast", kind, like="uint16", label=drawn.ints(7, *shape), softmax=narrow(softmax(drawn.f64(5, 7)), np.dtype("float32")),
         loss_grad=drawn.f32(5, 1), expect=lambda v: [(v.softmax - (v.label.reshape(5, 1) == np.arange(7))) * v.loss_grad])


# ---- extrema with positions

def extremum(op, x, dim, keepdim, flatten):
    pick = np.argmax if op.startswith("max") else np.argmin
    if flatten:
        at = np.array(pick(x))
        found = [x.reshape(-1)[at], at]
        return [a.reshape((1,) * x.ndim if keepdim else ()) for a in found]
    at = np.expand_dims(pick(x, dim), dim)
    found = [np.take_along_axis(x, at, dim), at]
    return found if keepdim else [a.squeeze(dim) for a in found]


for op in ("max_with_index", "min_with_index"):
    for name, dim, keepdim, flatten, dtype in (("last", -1, False, False, "float32"), ("first_kept", 0, True, False, "float64"),
                                               ("all", 0, False, True, "float32"), ("all_kept", 0, True, True, "float32"), ("middle", 1, False, False, "float32")):
        drawn = Drawn(len(name) + len(op))
        x = drawn.rng.permutation(24).reshape(2, 3, 4).astype(dtype)
        case(op, name, expect=lambda v, o=op: extremum(o, v.x, v.dim, v.keepdim, v.flatten), like=f"x int64", x=x, dim=dim, keepdim=keepdim, flatten=flatten)
        if flatten:
            continue
        values, at = extremum(op, x, dim, keepdim, False)
        grad = drawn.of(dtype, *values.shape)

        def spread(v):
            found = np.zeros_like(v.x)
            at, g = (v.indices, v.values_grad) if v.keepdim else (np.expand_dims(v.indices, v.dim), np.expand_dims(v.values_grad, v.dim))
            np.put_along_axis(found, at, g, v.dim)
            return [found]
        case(op + "_grad", name, expect=spread, x=x, values=values, indices=at.astype("int64"), values_grad=grad, dim=dim, keepdim=keepdim)


# ---- samples, positions, products of groups

def tree_case(name, positive, dtype=2, index="int64", seed=11):
    # Leaves 0..3, layers with nodes 1..2, 3..6 and 7..9; leaf 3 has a shorter way.
    travel = np.array([[1, 3, 7], [1, 4, 8], [2, 5, 9], [2, 6, 0]], index)
    layer = np.arange(1, 10, dtype=index).reshape(-1, 1)
    case("tdm_sampler", name, x=np.array([[0], [2], [3], [1]], index), travel=travel, layer=layer, output_positive=positive,
         neg_samples_num_list=[1, 2, 2], layer_offset=[0, 2, 6, 9], seed=seed, dtype=dtype)


tree_case("with_positive", True)
tree_case("negative_alone", False)
tree_case("int64", True, dtype=3)
tree_case("tree_int32", True, index="int32", seed=3)

for name, dtype, shape in (("vector", "bool", (9,)), ("matrix", "int64", (3, 4)), ("matrix_float32", "float32", (2, 5))):
    drawn = Drawn(len(name))
    condition = drawn.ints(2, *shape).astype(dtype)
    case("restrict_nonzero", name, expect=lambda v: [np.argwhere(v.condition)], like="int64", condition=condition, total_true_num=int(np.count_nonzero(condition)))


def nucleus_case(name, x, p, k=0, mode="truncated", dtype="float32", threshold=None):
    """A row whose choice is certain: one element alone has the probability p."""
    x = np.asarray(x)
    order = np.argsort(-x, -1, kind="stable")
    top = np.take_along_axis(x, order, -1)
    case("top_p_sampling", name, expect=lambda v: [top[:, :1], order[:, :1], top[:, :k], order[:, :k]], like="x int64 x int64",
         ignore=() if k else ("topk_scores", "topk_ids"), x=narrow(x, np.dtype(dtype)), ps=narrow(np.asarray(p), np.dtype(dtype)),
         threshold=None if threshold is None else narrow(np.asarray(threshold), np.dtype(dtype)), seed=5, k=k, mode=mode)


choices = [[0.125, 0.625, 0.25], [0.75, 0.125, 0.125]]
nucleus_case("certain", choices, [[0.5], [0.25]])
nucleus_case("certain_race", choices, [[0.5], [0.25]], mode="non-truncated")
nucleus_case("with_top", choices, [[0.5], [0.25]], k=2)
nucleus_case("threshold_float16", choices, [[1.0], [1.0]], mode="non-truncated", threshold=[[0.5], [0.5]], dtype="float16")


def grouped_case(name, sizes, trans_lhs, trans_rhs):
    d = Drawn(len(name))
    rows, edges = sum(sizes), np.cumsum([0, *sizes])
    lhs = d.of("uint16", rows, 4)
    rhs = d.of("uint16", rows, 3) if trans_lhs else d.of("uint16", len(sizes), *((3, 4) if trans_rhs else (4, 3)))

    def expect(v):
        parts = []
        for g in range(len(sizes)):
            a = v.lhs[edges[g]:edges[g + 1]]
            if trans_lhs:
                parts.append(a.T @ v.rhs[edges[g]:edges[g + 1]])
            else:
                parts.append(a @ (v.rhs[g].T if trans_rhs else v.rhs[g]))
        return [np.stack(parts) if trans_lhs else np.concatenate(parts)]
    case("batched_gemm", name, expect=expect, lhs=lhs, rhs=rhs, batch_sizes=list(sizes), trans_lhs=trans_lhs, trans_rhs=trans_rhs)


grouped_case("rows", (2, 3, 1), False, False)
grouped_case("transposed_matrices", (2, 0, 4), False, True)
grouped_case("outer", (3, 2), True, False)

# ---- classes that are less likely than exp(-64) times the likeliest one

UNLIKELY = np.array([[0, -70, -5], [0, -100, -3], [-1e9, 2, 0], [3, -np.inf, 1]])
for dtype in "float32", "float64":
    logits = UNLIKELY.astype(dtype)
    case("cross_entropy_with_softmax", f"unlikely_{dtype}", input=logits, label=np.array([[1], [1], [0], [1]]))
    case("cross_entropy_with_softmax", f"unlikely_axis_{dtype}", input=logits.T.copy(), label=np.array([[1, 1, 0, 1]]), axis=0)
