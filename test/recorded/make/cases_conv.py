"""Second gradients of convolutions, correlation, gradients of convolutions with a bias."""
import numpy as np

from recorder import Drawn, autograd, case

TOLERANCES = {op: (1e-5, 1e-5) for op in ("conv2d_grad_grad", "depthwise_conv2d_double_grad", "conv3d_double_grad",
                                           "conv2d_transpose_double_grad", "depthwise_conv2d_bias_grad", "depthwise_conv3d_bias_grad")}


def convolution(v, transposed=False):
    import paddle
    f = paddle.nn.functional

    def forward(x, w, b=None):
        options = dict(stride=v.strides, padding=v.paddings, dilation=v.dilations, groups=v.groups, data_format=v.data_format)
        if transposed:
            size = v.output_size or None
            return f.conv2d_transpose(x, w, b, output_padding=0 if size else v.output_padding or 0, output_size=size, **options)
        return (f.conv2d if x.ndim == 4 else f.conv3d)(x, w, b, **options)
    return forward


def second(v, x, h, transposed=False):
    """The convolution is linear in both: the second gradient follows from four first ones."""
    forward = convolution(v, transposed)
    h = np.zeros_like(x) if h is None else h
    k = np.zeros_like(v.filter) if v.grad_filter_grad is None else v.grad_filter_grad
    dx = autograd(forward, [x, k], [v.grad_out])[0]
    dw = autograd(forward, [h, v.filter], [v.grad_out])[1]
    # By x, the gradient of <C(x, w), g> in the direction h is <C(h, w), g>: C(h, w) is the gradient by g.
    import paddle
    paddle.disable_static()
    out = (forward(paddle.to_tensor(h), paddle.to_tensor(v.filter)) + forward(paddle.to_tensor(x), paddle.to_tensor(k))).numpy()
    paddle.enable_static()
    return [dx, dw, out]


def second_case(op, name, shape, filter_shape, out_shape, dtype="float32", left_out=(), **attrs):
    d = Drawn(len(op + name))
    values = dict(input=d.of(dtype, *shape), filter=d.of(dtype, *filter_shape), grad_out=d.of(dtype, *out_shape),
                  grad_input_grad=d.of(dtype, *shape), grad_filter_grad=d.of(dtype, *filter_shape))
    rank = len(filter_shape) - 2
    given = dict(strides=[1] * rank, paddings=[0] * rank, padding_algorithm="EXPLICIT", dilations=[1] * rank, groups=1,
                 data_format="NCHW" if rank == 2 else "NCDHW")
    kernel = None if op == "conv3d_double_grad" else lambda v: second(v, v.input, v.grad_input_grad)
    case(op, name, expect=kernel, **{k: None if k in left_out else v for k, v in values.items()}, **{**given, **attrs})


for op in ("conv2d_grad_grad", "depthwise_conv2d_double_grad"):
    second_case(op, "padded", (2, 4, 5, 6), (4, 1, 3, 3), (2, 4, 5, 6), paddings=[1, 1], groups=4)
    second_case(op, "strided", (1, 4, 7, 8), (8, 1, 3, 2), (1, 8, 3, 4), strides=[2, 2], groups=4)
    second_case(op, "dilated_float64", (2, 2, 7, 7), (2, 1, 3, 3), (2, 2, 3, 3), "float64", dilations=[2, 2], groups=2)
    second_case(op, "nhwc", (2, 5, 6, 4), (4, 1, 3, 3), (2, 3, 4, 4), groups=4, data_format="NHWC")
    second_case(op, "input_alone", (1, 2, 5, 5), (2, 1, 3, 3), (1, 2, 3, 3), left_out=("grad_filter_grad",), groups=2)
    second_case(op, "filter_alone", (1, 2, 5, 5), (2, 1, 3, 3), (1, 2, 3, 3), left_out=("grad_input_grad",), groups=2)
second_case("conv2d_grad_grad", "groups", (2, 6, 5, 5), (4, 3, 3, 3), (2, 4, 3, 3), groups=2)
second_case("conv2d_grad_grad", "plain", (2, 3, 6, 5), (5, 3, 3, 2), (2, 5, 4, 4))
second_case("conv3d_double_grad", "plain", (1, 2, 4, 5, 4), (3, 2, 2, 3, 2), (1, 3, 3, 3, 3))
second_case("conv3d_double_grad", "padded_float64", (2, 2, 3, 4, 4), (2, 1, 3, 3, 3), (2, 2, 3, 4, 4), "float64", paddings=[1, 1, 1], groups=2)
second_case("conv3d_double_grad", "strided", (1, 2, 5, 5, 5), (2, 2, 3, 3, 3), (1, 2, 2, 2, 2), strides=[2, 2, 2])


def transposed_case(name, shape, filter_shape, out_shape, dtype="float32", output_size=(), **attrs):
    d = Drawn(len(name))
    given = dict(strides=[1, 1], paddings=[0, 0], output_padding=[], padding_algorithm="EXPLICIT", groups=1, dilations=[1, 1], data_format="NCHW")
    case("conv2d_transpose_double_grad", name, expect=lambda v: second(v, v.x, v.grad_x_grad, True), x=d.of(dtype, *shape),
         filter=d.of(dtype, *filter_shape), grad_out=d.of(dtype, *out_shape), grad_x_grad=d.of(dtype, *shape),
         grad_filter_grad=d.of(dtype, *filter_shape), output_size=list(output_size), **{**given, **attrs})


transposed_case("plain", (2, 3, 4, 5), (3, 2, 3, 3), (2, 2, 6, 7))
transposed_case("strided", (1, 2, 3, 3), (2, 2, 3, 3), (1, 2, 5, 5), strides=[2, 2], paddings=[1, 1])
transposed_case("sized", (1, 2, 3, 3), (2, 2, 3, 3), (1, 2, 6, 6), output_size=[6, 6], strides=[2, 2], paddings=[1, 1])
transposed_case("groups_float64", (1, 4, 3, 3), (4, 1, 2, 2), (1, 2, 4, 4), "float64", groups=2)


def biased_case(op, name, shape, filter_shape, out_shape, dtype="float32", **attrs):
    d = Drawn(len(name))
    rank = len(filter_shape) - 2
    given = dict(strides=[1] * rank, paddings=[0] * rank, padding_algorithm="EXPLICIT", dilations=[1] * rank, groups=filter_shape[0],
                 data_format="NCHW" if rank == 2 else "NCDHW")
    case(op, name, expect=lambda v: autograd(convolution(v), [v.input, v.filter, v.bias], [v.out_grad]), input=d.of(dtype, *shape),
         filter=d.of(dtype, *filter_shape), bias=d.of(dtype, filter_shape[0]), out_grad=d.of(dtype, *out_shape), **{**given, **attrs})


biased_case("depthwise_conv2d_bias_grad", "plain", (2, 3, 5, 6), (3, 1, 3, 3), (2, 3, 3, 4))
biased_case("depthwise_conv2d_bias_grad", "padded", (2, 3, 5, 6), (3, 1, 3, 3), (2, 3, 3, 3), strides=[2, 2], paddings=[1, 1])
biased_case("depthwise_conv2d_bias_grad", "nhwc", (2, 5, 6, 3), (3, 1, 3, 3), (2, 3, 4, 3), data_format="NHWC")
biased_case("depthwise_conv3d_bias_grad", "plain", (1, 2, 4, 4, 3), (2, 1, 2, 2, 2), (1, 2, 3, 3, 2))
biased_case("depthwise_conv3d_bias_grad", "padded_float64", (1, 2, 3, 4, 3), (2, 1, 3, 3, 3), (1, 2, 3, 4, 3), "float64", paddings=[1, 1, 1])


# ---- correlation of two maps

def correlation(v):
    """As the kernel for GPUs walks over the padded maps; out of them there are zeros."""
    import paddle
    k, m, s1, s2, pad = v.kernel_size, v.max_displacement, v.stride1, v.stride2, v.pad_size
    reach, steps = (k - 1) // 2, m // s2

    def forward(a, b):
        n, c, height, width = a.shape
        more = pad + reach
        a, b = (paddle.nn.functional.pad(t, [more] * 4) for t in (a, b))
        rows, columns = (-(-(e + 2 * pad - 2 * (reach + m)) // s1) for e in (height, width))
        found = []
        for dy in range(-steps, steps + 1):
            for dx in range(-steps, steps + 1):
                total = 0
                for j in range(k):
                    for i in range(k):
                        top, left = m + j, m + i
                        first = a[:, :, top:top + (rows - 1) * s1 + 1:s1, left:left + (columns - 1) * s1 + 1:s1]
                        top, left = top + dy * s2, left + dx * s2
                        other = b[:, :, top:top + (rows - 1) * s1 + 1:s1, left:left + (columns - 1) * s1 + 1:s1]
                        total = total + (first * other).sum(1)
                found.append(total / (k * k * c))
        return paddle.stack(found, 1)
    return forward


def correlation_case(name, shape, pad, kernel, most, stride1, stride2, dtype="float32"):
    d = Drawn(len(name))
    attrs = dict(pad_size=pad, kernel_size=kernel, max_displacement=most, stride1=stride1, stride2=stride2)
    a, b = d.of(dtype, *shape), d.of(dtype, *shape)

    def forward(v):
        import paddle
        paddle.disable_static()
        found = correlation(v)(paddle.to_tensor(v.input1), paddle.to_tensor(v.input2)).numpy()
        paddle.enable_static()
        return [found]
    case("correlation", name, expect=forward, input1=a, input2=b, **attrs)
    reach, side = (kernel - 1) // 2, 2 * (most // stride2) + 1
    sizes = [-(-(e + 2 * pad - 2 * (reach + most)) // stride1) for e in shape[2:]]
    case("correlation_grad", name, expect=lambda v: autograd(correlation(v), [v.input1, v.input2], [v.out_grad]), input1=a, input2=b,
         out_grad=d.of(dtype, shape[0], side * side, *sizes), **attrs)


correlation_case("flow", (1, 3, 5, 6), 2, 1, 2, 1, 1)
correlation_case("steps_float64", (2, 2, 6, 6), 2, 1, 2, 1, 2, "float64")
correlation_case("strided", (2, 2, 7, 7), 2, 1, 2, 2, 1)
correlation_case("window", (1, 2, 6, 6), 2, 3, 1, 1, 1)


def pooled(v):
    found = np.zeros_like(v.x)
    flat = found.reshape(*found.shape[:2], -1)
    n, c = np.indices(v.saved_idx.shape[:2])
    np.add.at(flat, (n[..., None], c[..., None], v.saved_idx.reshape(*v.saved_idx.shape[:2], -1)), v.out_grad.reshape(*v.out_grad.shape[:2], -1))
    return [found]


def pooled_case(name, dtype):
    d = Drawn(len(name))
    x = d.of(dtype, 2, 3, 6, 6)
    places = np.stack([d.ints(2, 2, 3, 3, 3) + 2 * np.arange(3)[:, None], d.ints(2, 2, 3, 3, 3) + 2 * np.arange(3)])
    index = (places[0] * 6 + places[1]).astype("int32")
    case("max_pool2d_v2_grad", name, expect=pooled, x=x, out=d.of(dtype, 2, 3, 3, 3), saved_idx=index, out_grad=d.of(dtype, 2, 3, 3, 3),
         kernel_size=[2, 2], strides=[2, 2], paddings=[0, 0], data_format="NCHW", global_pooling=False, adaptive=False)


pooled_case("windows", "float32")
pooled_case("windows_float16", "float16")
