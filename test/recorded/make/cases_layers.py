"""Gradients of normalisation and of embeddings."""
import numpy as np

from recorder import Drawn, autograd, case, narrow, wide

TOLERANCES = {"batch_norm_double_grad": (1e-5, 1e-5), "instance_norm_double_grad": (1e-5, 1e-5)}


# ---- second gradients that Paddle has kernels for

def statistics(x, axes, epsilon):
    x64 = wide(x)
    mean, variance = x64.mean(axes), x64.var(axes)
    return narrow(mean.reshape(-1), x.dtype), narrow(1 / np.sqrt(variance + epsilon).reshape(-1), x.dtype)


def second_batch_norm(name, shape, dtype="float32", layout="NCHW", left_out=(), fixed=False, dynamic=()):
    d = Drawn(len(name))
    x, g, h = (d.of(dtype, *shape) for _ in range(3))
    channel = 1 if layout == "NCHW" or len(shape) == 2 else len(shape) - 1
    mean, inverse = statistics(x, tuple(i for i in range(len(shape)) if i != channel), 1e-5)
    c = shape[channel]
    values = dict(x=x, scale=d.of(dtype, c), out_mean=d.of(dtype, c), out_variance=d.of(dtype, c, low=0.5, high=2), saved_mean=mean,
                  saved_variance=inverse, grad_out=g, grad_x_grad=h, grad_scale_grad=d.of(dtype, c), grad_bias_grad=d.of(dtype, c))
    case("batch_norm_double_grad", name, dynamic=dynamic, **{k: None if k in left_out else v for k, v in values.items()}, momentum=0.9,
         epsilon=1e-5, data_format=layout, is_test=False, use_global_stats=fixed, trainable_statistics=False)


second_batch_norm("nchw", (2, 3, 4, 5))
second_batch_norm("nchw_float64", (2, 3, 4, 5), "float64")
second_batch_norm("nhwc", (2, 4, 5, 3), layout="NHWC")
second_batch_norm("matrix", (6, 3))
second_batch_norm("volume", (2, 2, 3, 2, 3))
second_batch_norm("alone", (2, 3, 4, 5), left_out=("grad_scale_grad", "grad_bias_grad"))
second_batch_norm("without_bias", (3, 2, 4), left_out=("grad_bias_grad",))
second_batch_norm("global", (2, 3, 4, 5), fixed=True)
second_batch_norm("global_alone", (2, 3, 4, 5), fixed=True, left_out=("grad_scale_grad", "grad_bias_grad"))
second_batch_norm("dyn", (2, 3, 4, 5), dynamic=("x", "grad_out", "grad_x_grad"))


def second_instance_norm(name, shape, dtype="float32", left_out=()):
    d = Drawn(len(name))
    x, g, h = (d.of(dtype, *shape) for _ in range(3))
    mean, inverse = statistics(x, tuple(range(2, len(shape))), 1e-5)
    values = dict(x=x, scale=d.of(dtype, shape[1]), saved_mean=mean, saved_variance=inverse, grad_y=g, grad_x_grad=h,
                  grad_scale_grad=d.of(dtype, shape[1]), grad_bias_grad=d.of(dtype, shape[1]))
    case("instance_norm_double_grad", name, **{k: None if k in left_out else v for k, v in values.items()}, epsilon=1e-5)


second_instance_norm("image", (2, 3, 4, 5))
second_instance_norm("image_float64", (3, 2, 4, 5), "float64")
second_instance_norm("row", (2, 3, 7))
second_instance_norm("volume", (2, 2, 3, 2, 3))
second_instance_norm("without_scale", (2, 3, 4, 5), left_out=("scale", "grad_scale_grad", "grad_bias_grad"))


# ---- gradients that Paddle has kernels for on GPUs alone

def rms(x, scale, epsilon):
    axes = list(range(x.ndim - max(scale.ndim if scale is not None else 1, 1), x.ndim))
    y = x * (x.square().mean(axes, keepdim=True) + epsilon).rsqrt()
    return y if scale is None else y * scale


def rms_gradient(v):
    scale = v.scale
    if scale is None and len(v.normalized_shape) > 1:
        scale = np.ones(v.normalized_shape)
    dx, ds = autograd(lambda x, s: rms(x, s, v.epsilon), [v.x, scale if scale is not None else np.ones(v.x.shape[-1:])], [v.y_grad])
    return [dx, ds]


def rms_case(name, shape, normed=1, dtype="float32", scale_dtype=None, scaled=True, dynamic=()):
    d = Drawn(len(name))
    x, g = d.of(dtype, *shape), d.of(dtype, *shape)
    axes = tuple(range(len(shape) - normed, len(shape)))
    inverse = (1 / np.sqrt((wide(x) ** 2).mean(axes) + 1e-5)).astype("float32")
    scale = d.of(scale_dtype or dtype, *shape[-normed:]) if scaled else None
    case("rms_norm_grad", name, expect=rms_gradient, like="x scale" if scaled else "x x", dynamic=dynamic, x=x, scale=scale, invvar=inverse,
         y_grad=g, normalized_shape=list(shape[-normed:]), epsilon=1e-5, ignore=() if scaled else ("scale_grad",))


rms_case("row", (3, 8))
rms_case("two_axes", (2, 3, 4, 5), 2)
rms_case("bfloat16", (4, 16), dtype="uint16")
rms_case("float16", (4, 16), dtype="float16")
rms_case("float32_scale", (4, 16), dtype="uint16", scale_dtype="float32")
rms_case("without_scale", (3, 8), scaled=False)
rms_case("dyn", (3, 2, 8), dynamic=("x", "y_grad", "invvar"))


def fast_case(op, name, shape, dtype="float32"):
    d = Drawn(len(name))
    x, g, scale = d.of(dtype, *shape), d.of(dtype, *shape), d.of(dtype, shape[-1])
    x64 = wide(x)
    if op == "fast_rms_norm_grad":
        inverse = (1 / np.sqrt((x64 ** 2).mean(-1) + 1e-5)).astype("float32")
        case(op, name, expect=lambda v: autograd(lambda x, s: rms(x, s, 1e-5), [v.x, v.scale], [v.y_grad]), like="x scale", x=x, scale=scale,
             invvar=inverse, y_grad=g, epsilon=1e-5)
        return
    inverse = (1 / np.sqrt(x64.var(-1) + 1e-5)).astype("float32")

    def layer(x, s, b):
        import paddle
        return paddle.nn.functional.layer_norm(x, x.shape[-1:], s, b, 1e-5)
    case(op, name, expect=lambda v: autograd(layer, [v.x, v.scale, np.zeros_like(v.scale)], [v.y_grad]), like="x scale scale", x=x, scale=scale,
         mean=x64.mean(-1).astype("float32"), invvar=inverse, y_grad=g, epsilon=1e-5)


for fast in ("fast_rms_norm_grad", "fast_ln_grad"):
    fast_case(fast, "row", (3, 16))
    fast_case(fast, "batch", (2, 3, 16))
    fast_case(fast, "batch_bfloat16", (2, 3, 16), "uint16")
    fast_case(fast, "batch_float16", (2, 3, 16), "float16")


def batch_norm(v):
    import paddle
    layout = "NC" + "LHD"[v.x.ndim - 3:v.x.ndim - 2] if v.x.ndim == 3 else v.data_format

    def forward(x, s, b):
        zeros, ones = paddle.zeros_like(s), paddle.ones_like(s)
        return paddle.nn.functional.batch_norm(x, zeros, ones, s, b, training=True, epsilon=v.epsilon, data_format=layout)
    return forward


def sync_case(name, shape, layout="NCHW", dtype="float32"):
    d = Drawn(len(name))
    x, g = d.of(dtype, *shape), d.of(dtype, *shape)
    c = shape[1 if layout == "NCHW" else -1]
    param = "float32" if dtype in ("uint16", "float16") else dtype
    scale, bias = d.of(param, c), d.of(param, c)
    axes = tuple(i for i in range(len(shape)) if i != (1 if layout == "NCHW" else len(shape) - 1))
    mean, inverse = (narrow(a, np.dtype(param)) for a in (wide(x).mean(axes), 1 / np.sqrt(wide(x).var(axes) + 1e-5)))
    case("sync_batch_norm_grad", name, expect=lambda v: autograd(batch_norm(v), [v.x, v.scale, v.bias], [v.out_grad]), like="x scale bias", x=x,
         scale=scale, bias=bias, saved_mean=mean, saved_variance=inverse, reserve_space=None, out_grad=g, momentum=0.9, epsilon=1e-5,
         data_format=layout, is_test=False, use_global_stats=False, trainable_statistics=False)

    def forward(v, test):
        import paddle
        paddle.disable_static()
        tensor = paddle.to_tensor
        mean, variance = tensor(v.mean), tensor(v.variance)
        y = paddle.nn.functional.batch_norm(tensor(v.x), mean, variance, tensor(v.scale), tensor(v.bias), training=not test, momentum=v.momentum,
                                            epsilon=v.epsilon, data_format=v.data_format).numpy()
        found = [y, mean.numpy(), variance.numpy()]
        paddle.enable_static()
        return found + ([np.zeros(c), np.zeros(c)] if test else [v.x.mean(axes), 1 / np.sqrt(v.x.var(axes) + v.epsilon)]) + [None]
    for test in (False, True):
        case("sync_batch_norm_", name + ("_test" if test else ""), expect=lambda v, t=test: forward(v, t), like="x mean mean mean mean x",
             absent=("reserve_space",), ignore=("saved_mean", "saved_variance") if test else (), x=x, mean=d.of(param, c),
             variance=d.of(param, c, low=0.5, high=2), scale=scale, bias=bias, is_test=test, momentum=0.9, epsilon=1e-5, data_format=layout,
             use_global_stats=False, trainable_statistics=False)


sync_case("nchw", (2, 3, 4, 5))
sync_case("nhwc", (2, 4, 5, 3), "NHWC")
sync_case("nchw_float64", (2, 3, 4, 5), dtype="float64")
sync_case("nchw_float16", (2, 3, 4, 5), dtype="float16")


def added_rows(v):
    table = v.main_grad_.copy()
    np.add.at(table, v.token_indices.reshape(-1), v.out_grad.reshape(-1, v.out_grad.shape[-1]))
    return [table]


for added in ("embedding_grad_add_to", "embedding_grad_add_to_"):
    for kind, index, grad in (("rows", "int64", "float32"), ("rows_int32", "int32", "float32"), ("rows_bfloat16", "int64", "uint16")):
        d = Drawn(len(added + kind))
        case(added, kind, expect=added_rows, like="main_grad_", token_indices=d.ints(5, 2, 3, dtype=index), main_grad_=d.f32(5, 4),
             out_grad=d.of(grad, 2, 3, 4))
