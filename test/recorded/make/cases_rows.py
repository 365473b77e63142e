"""Selected rows: made by embedding_sparse_grad, read by get_tensor_from_selected_rows."""
import numpy as np

from recorder import Drawn
from steps import case

IDS = np.array([[1, 5, 1], [7, 5, 2]])
TABLE, ROWS, KEPT, ONE = "tensor<9x4xf32>", "pd_op.selectedrows<9x4xf32>", "tensor<6x4xf32>", "tensor<1xf32>"


def rows(p, grad, ids=IDS, seed=1):
    return p("embedding_sparse_grad", [ids, Drawn(seed).f32(9, 4), grad], [ROWS])[0]


def merged(p, grad):
    return p("merge_selected_rows", [rows(p, grad)], [ROWS])[0]


def read(p, x, kind=KEPT):
    p.fetch(p("get_tensor_from_selected_rows", [x], [kind])[0])


def sums(grad, ids=IDS):
    """The rows in order, and their sums in double precision."""
    numbers = np.unique(ids)
    flat = grad.reshape(-1, grad.shape[-1]).astype(np.float64)
    return numbers, np.stack([flat[ids.ravel() == i].sum(0) for i in numbers])


# ---- rows alone

GRAD = Drawn(2).f32(2, 3, 4)
case("get_tensor_from_selected_rows", "basic", lambda p: read(p, rows(p, GRAD)))
case("merge_selected_rows", "basic", lambda p: read(p, merged(p, GRAD), "tensor<4x4xf32>"))
for op in "square_sr", "sqrt_sr", "share_data_sr":
    case(op, "basic", lambda p, op=op: read(p, p(op, [rows(p, np.abs(GRAD))], [ROWS])[0]))
case("clip_by_norm_sr", "shrunk", lambda p: read(p, p("clip_by_norm_sr", [rows(p, GRAD)], [ROWS], max_norm=0.5)[0], "tensor<4x4xf32>"))
case("clip_by_norm_sr", "short", lambda p: read(p, p("clip_by_norm_sr", [rows(p, GRAD)], [ROWS], max_norm=50.0)[0], "tensor<4x4xf32>"))
case("multiply_sr", "basic", lambda p: read(p, p("multiply_sr", [rows(p, GRAD), np.float32([2.5])], [ROWS])[0]))
for after in False, True:
    case("scale_sr", f"bias_after_{after}".lower(),
         lambda p, after=after: read(p, p("scale_sr", [rows(p, GRAD), 2.0], [ROWS], bias=0.5, bias_after_scale=after)[0]))
case("dgc_clip_by_norm_sr", "begun", lambda p: read(p, p("dgc_clip_by_norm_sr", [rows(p, GRAD), np.float32([3])], [ROWS], max_norm=0.5,
                                                          rampup_begin_step=1.0)[0], "tensor<4x4xf32>"))
case("shape_sr", "basic", lambda p: p.fetch(p("shape_sr", [rows(p, GRAD)], ["tensor<2xi32>"])[0]))
case("shape64_sr", "basic", lambda p: p.fetch(p("shape64_sr", [rows(p, GRAD)], ["tensor<2xi64>"])[0]))
ODD = GRAD.copy()
ODD[0, 0, 0], ODD[1, 2, 1], ODD[1, 0, 3] = np.inf, np.nan, -np.inf


def odd(p, op):
    x = p(op, [rows(p, ODD)], ["pd_op.selectedrows<9x4xb>"])[0]
    read(p, x, "tensor<6x4xb>")


for op, function in ("isnan_sr", np.isnan), ("isinf_sr", np.isinf), ("isfinite_sr", np.isfinite):
    case(op, "basic", lambda p, op=op: odd(p, op), expect=lambda function=function: [function(ODD.reshape(6, 4))])

# ---- optimizers

D = Drawn(3)
PARAM, RATE = D.f32(9, 4), np.float32([0.1])
FIRST, SECOND, THIRD = D.f32(9, 4), np.abs(D.f32(9, 4)), np.abs(D.f32(9, 4))
POWERS = np.float32([0.9]), np.float32([0.999])


def optimizer(op, name, operands, results, unread=(), **attrs):
    """`operands` holds a text where the gradient belongs; `results` are types, None where they are left out. Paddle does not
    write the results of the types `unread`."""
    def build(p):
        grad = rows(p, GRAD)
        found = p(op, [grad if isinstance(v, str) else v for v in operands], results, **attrs)
        p.fetch(*[v for v, kind in zip(found, results) if kind and kind not in unread])
    case(op, name, build)


optimizer("sgd_dense_param_sparse_grad_", "basic", [PARAM, RATE, "grad"], [TABLE, None])
for name, attrs in ("basic", {}), ("nesterov", dict(use_nesterov=True, rescale_grad=0.5)), ("decay", dict(
        regularization_method="l2_decay", regularization_coeff=0.1)):
    optimizer("momentum_dense_param_sparse_grad_", name, [PARAM, "grad", FIRST, RATE], [TABLE, TABLE, None], mu=0.9, **attrs)
optimizer("adagrad_dense_param_sparse_grad_", "basic", [PARAM, "grad", SECOND, RATE], [TABLE, TABLE, None])
optimizer("rmsprop_dense_param_sparse_grad_", "basic", [PARAM, 1 + SECOND, "grad", THIRD, RATE], [TABLE] * 3 + [None] * 2, momentum=0.3)
optimizer("rmsprop_dense_param_sparse_grad_", "centered", [PARAM, 1 + SECOND, "grad", THIRD, RATE, FIRST * np.float32(0.1)],
          [TABLE] * 4 + [None], momentum=0.3, centered=True)
for lazy in False, True:
    for name, skip, attrs in (("basic", None, {}), ("amsgrad", None, dict(amsgrad=True)), ("global", None, dict(use_global_beta_pow=True)),
                              ("skipped", np.array([True]), {}), ("taken", np.array([False]), {})):
        limit, unread = "amsgrad" in attrs, [ONE] if "use_global_beta_pow" in attrs else []
        optimizer("adam_dense_param_sparse_grad_", ("lazy_" if lazy else "") + name,
                  [PARAM, "grad", RATE, FIRST, SECOND, THIRD if limit else None, *POWERS, None, skip, 0.9, 0.999, 1e-8],
                  [TABLE] * 3 + [TABLE if limit else None, ONE, ONE, None], unread, lazy_mode=lazy, **attrs)
optimizer("lamb_sr_", "basic", [PARAM, "grad", RATE, FIRST, SECOND, *POWERS], [TABLE] * 3 + [ONE] * 2 + [None], weight_decay=0.01)


def leader(power):
    """ftrl_sr writes the rows with a gradient; Paddle leaves the others uninitialized, here they stay."""
    numbers, g = sums(GRAD)
    p, s, l = (a.astype(np.float64) for a in (PARAM, SECOND, FIRST))
    at = numbers
    energy = s[at] + g * g
    moved = l[at] + g - (energy**-power - s[at]**-power) / 0.1 * p[at]
    low, curb = 0.1 + 1e-10, energy**-power / 0.1 + 2 * (0.2 + 1e-10)
    p[at] = np.where(np.abs(moved) > low, (low * np.sign(moved) - moved) / curb, 0)
    s[at], l[at] = energy, moved
    return [a.astype(np.float32) for a in (p, s, l)]


for name, power in ("root", -0.5), ("power", -0.7):
    case("ftrl_sr", name, lambda p, power=power: p.fetch(*p("ftrl_sr", [PARAM, SECOND, FIRST, rows(p, GRAD), RATE], [TABLE] * 3, l1=0.1,
                                                            l2=0.2, lr_power=power)), expect=lambda power=power: leader(power))


def both_sparse():
    numbers, kept = sums(GRAD)
    kept[numbers == 5] -= 0.1 * GRAD[0, 1]
    kept[numbers == 7] -= 0.1 * GRAD[1, 0]
    return [kept.astype(np.float32)]


def sparse_step(p):
    table = merged(p, GRAD)
    grad = p("embedding_sparse_grad", [np.array([5, 7]), PARAM, np.stack([GRAD[0, 1], GRAD[1, 0]])], [ROWS])[0]
    read(p, p("sgd_sparse_param_sparse_grad_", [table, RATE, grad], [ROWS, None])[0], "tensor<4x4xf32>")


case("sgd_sparse_param_sparse_grad_", "basic", sparse_step, expect=both_sparse)

# ---- tables that keep some rows

WANTED, AWAY = np.array([[5], [1], [7], [2]]), Drawn(4).f32(4, 4)
for kind in np.int64, np.int32:
    case("sparse_weight_embedding", np.dtype(kind).name, lambda p, kind=kind: p.fetch(*p(
        "sparse_weight_embedding", [WANTED.reshape(2, 2).astype(kind), merged(p, GRAD)], ["tensor<2x2x4xf32>"], padding_idx=1)))
case("sparse_weight_embedding_grad", "basic", lambda p: p.fetch(*p(
    "sparse_weight_embedding_grad", [np.array([3, 1, 2, 3]), merged(p, GRAD), AWAY], [TABLE], padding_idx=2)))
case("sparse_weight_embedding_sparse_grad", "basic", lambda p: read(p, p(
    "sparse_weight_embedding_sparse_grad", [np.array([3, 1, 2, 3]), merged(p, GRAD), AWAY], [ROWS], padding_idx=2)[0], "tensor<4x4xf32>"))
case("lookup_table_grad", "basic", lambda p: p.fetch(*p("lookup_table_grad", [PARAM, WANTED, AWAY], [TABLE], padding_idx=2)))
case("lookup_table_sparse_grad", "basic", lambda p: read(p, p("lookup_table_sparse_grad", [PARAM, WANTED, AWAY], [ROWS])[0], "tensor<4x4xf32>"),
     expect=lambda: [AWAY])


def looked_up():
    numbers, kept = sums(GRAD)
    found = {n: k for n, k in zip(numbers, kept)}
    return [np.stack([found.get(n, np.zeros(4)) if n != 7 else np.zeros(4) for n in [5, 1, 7, 3]]).astype(np.float32)]


case("lookup_table_sr", "test", lambda p: p.fetch(*p("lookup_table_sr", [merged(p, GRAD), np.array([[5], [1], [7], [3]])], ["tensor<4x4xf32>"],
                                                     is_test=True, padding_idx=7)), expect=looked_up)


def summed(ids, padding):
    out = np.zeros((9, 4))
    for i, g in zip(ids, AWAY):
        out[i] += 0 if i == padding else g
    return [out.astype(np.float32)]


case("lookup_table_grad_sr", "basic", lambda p: p.fetch(*p("lookup_table_grad_sr", [merged(p, GRAD), np.array([[3], [1], [2], [3]]), AWAY], [TABLE],
                                                           padding_idx=2)), expect=lambda: summed([3, 1, 2, 3], 2))
case("lookup_table_sparse_grad_sr", "basic", lambda p: read(p, p("lookup_table_sparse_grad_sr", [merged(p, GRAD), WANTED, AWAY], [ROWS])[0],
                                                            "tensor<4x4xf32>"), expect=lambda: [AWAY])
# Numbers between equal limits are known.
case("uniform_random_batch_size_like_sr", "one_value", lambda p: read(p, p(
    "uniform_random_batch_size_like_sr", [rows(p, GRAD)], [ROWS], shape=[3, 4], min=0.5, max=0.5, dtype="float32")[0]),
     expect=lambda: [np.full((6, 4), 0.5, np.float32)])
