"""Updates of parameters: of lists, of rows, by layers, and where gradients are compressed."""
import numpy as np

from recorder import Drawn, case

TOLERANCES = {op: (2e-6, 1e-7) for op in ("merged_adam_", "fused_adam_", "lars_momentum_", "sparse_momentum", "dgc_momentum")}
SHAPES = [(3, 4), (5,), (2, 3, 2)]


def adam_lists(d, dtype, amsgrad, rates):
    of = lambda **limits: [d.of(dtype, *s, **limits) for s in SHAPES]
    one = lambda v: np.asarray([v], dtype)
    return [of(), of(), [one(0.01 * (i + 1)) for i in range(rates)], of(), of(low=0, high=1), of(low=0, high=1) if amsgrad else None,
            [one(0.5 + 0.125 * i) for i in range(3)], [one(0.875 - 0.125 * i) for i in range(3)]]


def merged(v):
    """Paddle's own kernel, run eagerly: under the executor its results have no shapes."""
    import paddle
    paddle.disable_static()
    lists = [v.param, v.grad, v.learning_rate, v.moment1, v.moment2, v.moment2_max, v.beta1_pow, v.beta2_pow]
    tensors = [x and [paddle.to_tensor(a) for a in x] for x in lists]
    paddle._C_ops.merged_adam_(*tensors, None, v.beta1, v.beta2, v.epsilon, v.multi_precision, v.use_global_beta_pow, v.amsgrad)
    found = [x and [t.numpy() for t in x] for x in (tensors[0], *tensors[3:])]
    paddle.enable_static()
    return found + [None]


def merged_case(name, dtype="float32", amsgrad=False, shared=False):
    p, g, r, m, v, most, b1, b2 = adam_lists(Drawn(len(name)), dtype, amsgrad, 3)
    case("merged_adam_", name, expect=merged, like="param moment1 moment2 moment2_max beta1_pow beta2_pow param", param=p, grad=g, learning_rate=r, moment1=m, moment2=v, moment2_max=most, beta1_pow=b1, beta2_pow=b2, beta1=0.9,
         beta2=0.99, epsilon=1e-6, multi_precision=False, use_global_beta_pow=shared, amsgrad=amsgrad)


merged_case("plain")
merged_case("plain_float64", "float64")
merged_case("amsgrad", amsgrad=True)
merged_case("shared_powers", shared=True)


def fused_case(name, dtype="float32", amsgrad=False, decayed=False, skip=None, shared=False):
    p, g, r, m, v, most, b1, b2 = adam_lists(Drawn(len(name)), dtype, amsgrad, 1)
    case("fused_adam_", name, params=p, grads=g, learning_rate=r[0], moments1=m, moments2=v, moments2_max=most, beta1_pows=b1, beta2_pows=b2,
         skip_update=None if skip is None else np.array([skip]), beta1=0.9, beta2=0.99, epsilon=1e-6, chunk_size=32768, weight_decay=0.0625,
         use_adamw=decayed, multi_precision=False, use_global_beta_pow=shared, amsgrad=amsgrad)


fused_case("adam")
fused_case("adamw", decayed=True)
fused_case("adamw_float64", "float64", decayed=True)
fused_case("amsgrad", amsgrad=True)
fused_case("skipped", skip=True)
fused_case("taken", skip=False, shared=True)


def lars_case(name, dtype="float32", decays=(0.0005, 0.0625, 0.0), **attrs):
    d = Drawn(len(name))
    of = lambda: [d.of(dtype, *s) for s in SHAPES]
    case("lars_momentum_", name, param=of(), grad=of(), velocity=of(), learning_rate=[np.asarray([0.125 * (i + 1)], dtype) for i in range(3)],
         lars_weight_decay=list(decays), **{"mu": 0.9, "lars_coeff": 0.25, "epsilon": 1e-6, "rescale_grad": 1.0, **attrs})


lars_case("plain")
lars_case("plain_float64", "float64")
lars_case("rescaled", rescale_grad=0.25, epsilon=0.0)


def rows_case(name, axis=0, dtype="float32", index="int64", column=False, **attrs):
    d = Drawn(len(name))
    rows = d.ints(5 if axis == 0 else 4, 3, dtype=index)
    rows[2] = rows[0]
    case("sparse_momentum", name, absent=("master_param_out",), param=d.of(dtype, 5, 4), grad=d.of(dtype, 3, 4) if axis == 0 else d.of(dtype, 5, 3), velocity=d.of(dtype, 5, 4),
         index=rows.reshape(-1, 1) if column else rows, learning_rate=np.asarray([0.125], dtype), axis=axis, **{"mu": 0.9, **attrs})


rows_case("rows")
rows_case("rows_float64", dtype="float64", index="int32")
rows_case("columns", axis=1)
rows_case("nesterov", use_nesterov=True, column=True)
rows_case("decayed", regularization_method="l2_decay", regularization_coeff=0.125, rescale_grad=0.5)


def compressed(v):
    """As Paddle's kernel is written, which expects its results to have memory."""
    lr = v.learning_rate[0]
    if v.current_step_tensor[0] >= v.rampup_begin_step:
        return [v.param - lr * v.grad, None, None, v.grad / v.nranks_tensor[0]]
    scaled = v.grad + (float(v.regularization_coeff) * v.param if v.regularization_method == "l2_decay" else 0)
    moved = v.velocity * v.mu + scaled
    return [v.param - lr * (scaled + moved * v.mu if v.use_nesterov is True else moved), moved, None, v.grad / v.nranks_tensor[0]]


def compressed_case(name, step, **attrs):
    d = Drawn(len(name))
    one = lambda v: np.asarray([v], "float32")
    case("dgc_momentum", name, expect=compressed, absent=("master_param_out",), ignore=() if step < 3 else ("velocity_out",), param=d.f32(3, 4), grad=d.f32(3, 4), velocity=d.f32(3, 4),
         learning_rate=one(0.125), current_step_tensor=one(step), nranks_tensor=one(2), **{"mu": 0.9, "rampup_begin_step": 3.0, **attrs})


compressed_case("early", 1)
compressed_case("late", 4)
compressed_case("early_nesterov", 2, use_nesterov=True, regularization_method="l2_decay", regularization_coeff=0.25)
