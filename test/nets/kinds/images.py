"""Convolutional networks. Values are images (B, C, H, W); an image's size is a name of its own, known by its tensor."""
import paddle
import paddle.nn.functional as F
from paddle import nn

from drawing import numbers

from .tensors import ACTIVATIONS

CHANNELS = [1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48]
INPUTS = [("x", ("B", 3, "H", "W"), "float32")]


def image(n, fits=lambda v: True):
    return n.pick(lambda v: v.rank == 4 and fits(v))


def channels(v):
    return v.dims[1]


def like(n, v):
    """Another image of the same size and channels."""
    return n.pick(lambda u: u.dims == v.dims)


def add(n, t, v, c=None, resized=None):
    """An image of v's size, or of another, which is named by how it was made."""
    size = v.dims[2:] if resized is None else (f"{v.dims[2]}{resized}", f"{v.dims[3]}{resized}")
    n.add(t, (v.dims[0], c or channels(v)) + size)


def conv(n):
    v, o = image(n, lambda v: not isinstance(v.dims[2], int)), n.rnd.choice(CHANNELS)  # not on maps smaller than the filter
    k, s = n.rnd.choice([1, 1, 3, 3, 3, 5, (1, 3), (3, 1), 2]), n.rnd.choice([1, 1, 1, 2])
    d = n.rnd.choice([1, 1, 2]) if s == 1 else 1
    g = n.rnd.choice([g for g in (1, 1, 1, 1, 2, 4) if channels(v) % g == 0 and o % g == 0])
    same = s == 1 and n.chance(0.7)
    bias = n.rnd.choice([None, False])
    layer = n.keep(lambda: nn.Conv2D(channels(v), o, k, s, padding="SAME" if same else 1, dilation=d, groups=g, bias_attr=bias))
    t = layer(v.t)
    add(n, n.rnd.choice([F.relu, F.silu, lambda t: t, lambda t: t])(t), v, o, None if same else f"c{k}{s}{d}")


def separable(n):
    v, k = image(n), n.rnd.choice([3, 5, 7])
    m = n.rnd.choice([1, 1, 2])
    layer = n.keep(lambda: nn.Conv2D(channels(v), channels(v) * m, k, padding=k // 2, groups=channels(v)))
    add(n, layer(v.t), v, channels(v) * m)


def batch_norm(n):
    v = image(n)
    layer = n.keep(lambda: nn.BatchNorm2D(channels(v)))
    layer.eval()
    t = F.batch_norm(v.t, layer._mean, layer._variance, layer.weight, layer.bias, training=False)
    add(n, n.rnd.choice([F.relu, F.silu, F.relu6, lambda z: z])(t), v)


def activation(n):
    v = image(n)
    add(n, n.rnd.choice(ACTIVATIONS)(v.t), v)


def prelu(n):
    v = image(n)
    add(n, F.prelu(v.t, n.param([channels(v)], 0.3)), v)


def pool(n):
    v = image(n)
    how = dict(kernel_size=n.rnd.choice([2, 3]), stride=n.rnd.choice([1, 2]), padding=n.rnd.choice([0, 1]), ceil_mode=n.chance(0.3))
    t = F.max_pool2d(v.t, **how) if n.chance(0.5) else F.avg_pool2d(v.t, exclusive=n.chance(0.5), **how)
    add(n, t, v, None, f"p{sorted(how.values())}")


def adaptive_pool(n):
    v, size = image(n), n.rnd.choice([1, 2, 3, (2, 5)])
    t = n.rnd.choice([F.adaptive_avg_pool2d, F.adaptive_max_pool2d])(v.t, size)
    h, w = size if isinstance(size, tuple) else (size, size)
    n.add(t, (v.dims[0], channels(v), h, w))


def plus(n):
    v = image(n)
    t = v.t + like(n, v).t
    add(n, F.relu(t) if n.chance(0.4) else t, v)


def times(n):
    v = image(n)
    add(n, v.t * F.sigmoid(like(n, v).t), v)


def squeeze_excite(n):
    v = image(n)
    c, r = channels(v), max(1, channels(v) // 4)
    down = n.keep(lambda: nn.Conv2D(c, r, 1))
    up = n.keep(lambda: nn.Conv2D(r, c, 1))
    z = up(F.relu(down(F.adaptive_avg_pool2d(v.t, 1))))
    add(n, v.t * n.rnd.choice([F.sigmoid, F.hardsigmoid])(z), v)


def concat(n):
    v = image(n)
    u = image(n, lambda u: u.dims[2:] == v.dims[2:])
    if channels(v) + channels(u) < 100:
        add(n, paddle.concat([v.t, u.t], 1), v, channels(v) + channels(u))


def split(n):
    v = image(n, lambda v: channels(v) % 2 == 0)
    for part in paddle.split(v.t, 2, 1):
        add(n, F.relu(part) if n.chance(0.5) else part, v, channels(v) // 2)


def resize(n):
    v, mode, scale = image(n), n.rnd.choice(["nearest", "bilinear", "bicubic"]), n.rnd.choice([2, 2, 1.5, 0.5])
    corners = mode != "nearest" and n.chance(0.3)
    add(n, F.interpolate(v.t, scale_factor=scale, mode=mode, align_corners=corners), v, None, f"i{scale}")


def resize_like(n):
    """To the size of another image, and joined with it."""
    v, u, mode = image(n), image(n), n.rnd.choice(["nearest", "bilinear"])
    size = n.rnd.choice([lambda: paddle.shape(u.t)[2:], lambda: [paddle.shape(u.t)[2], paddle.shape(u.t)[3]]])()
    t = F.interpolate(v.t, size=size, mode=mode)
    n.add(t, v.dims[:2] + u.dims[2:])
    n.add(paddle.concat([t, u.t], 1), (v.dims[0], channels(v) + channels(u)) + u.dims[2:])


def normalise(n):
    v = image(n)
    groups = [g for g in (1, 2, 4, 8) if channels(v) % g == 0]
    layer = n.keep(lambda: nn.GroupNorm(n.rnd.choice(groups), channels(v)) if n.chance(0.5) else nn.InstanceNorm2D(channels(v)))
    add(n, layer(v.t), v)


def channel_norm(n):
    v = image(n)
    layer = n.keep(lambda: nn.LayerNorm(channels(v)))
    add(n, layer(v.t.transpose([0, 2, 3, 1])).transpose([0, 3, 1, 2]), v)


def response_norm(n):
    v = image(n)
    add(n, F.local_response_norm(v.t, 3), v)


def centre(n):
    v = image(n)
    add(n, v.t - paddle.mean(v.t, [2, 3], keepdim=True), v)


def attend(n):
    v = image(n, lambda v: channels(v) % 4 == 0)
    c = channels(v)
    s = v.t.flatten(2).transpose([0, 2, 1])
    q = n.linear(c, c)(s)
    k = n.linear(c, c)(s)
    t = paddle.matmul(F.softmax(paddle.matmul(q, k, transpose_y=True) * c ** -0.5), s).transpose([0, 2, 1])
    add(n, t.reshape(paddle.shape(v.t)) + v.t, v)


def windows(n):
    """Windows of 2 x 2, each normalised by itself."""
    v = image(n, lambda v: v.dims[2] == "H")
    t = F.unfold(v.t, 3, paddings=1).reshape([0, channels(v), 9, -1])
    t = F.softmax(t, 2).max(2).reshape(paddle.shape(v.t))
    add(n, t, v)


def fold_back(n):
    v = image(n, lambda v: v.dims[2] == "H")
    columns = F.unfold(v.t, 2, strides=1)
    n.add(paddle.mean(columns, -1), (v.dims[0], channels(v) * 4))


def shuffle(n):
    v = image(n, lambda v: channels(v) % 2 == 0)
    add(n, F.channel_shuffle(v.t, 2), v)


def pixel_shuffle(n):
    v = image(n, lambda v: channels(v) % 4 == 0)
    add(n, F.pixel_shuffle(v.t, 2), v, channels(v) // 4, "s")


def pad(n):
    v, mode = image(n), n.rnd.choice(["constant", "reflect", "replicate", "circular"])
    p = [n.rnd.randint(0, 2) for _ in range(4)]
    add(n, F.pad(v.t, p, mode=mode, value=0.5 if mode == "constant" else 0.0), v, None, f"d{p}")


def transposed_conv(n):
    v, o = image(n), n.rnd.choice(CHANNELS[:10])
    k, s = n.rnd.choice([2, 3, 4]), n.rnd.choice([1, 2])
    g = 2 if channels(v) % 2 == 0 and o % 2 == 0 and n.chance(0.3) else 1
    layer = n.keep(lambda: nn.Conv2DTranspose(channels(v), o, k, s, padding=1 if k > 2 else 0, groups=g, output_padding=s - 1 if n.chance(0.3) else 0))
    add(n, layer(v.t), v, o, f"t{len(n.log)}")


def softmax(n):
    v = image(n)
    add(n, F.softmax(v.t, n.rnd.choice([1, 2, 3])), v)


def crop(n):
    v = image(n)
    add(n, v.t[:, :, 1:, :-1], v, None, "l")


def spatial_gate(n):
    v = image(n)
    z = paddle.concat([paddle.mean(v.t, 1, keepdim=True), paddle.max(v.t, 1, keepdim=True)], 1)
    layer = n.keep(lambda: nn.Conv2D(2, 1, 7, padding=3))
    add(n, v.t * F.sigmoid(layer(z)), v)


def channel_bias(n):
    v = image(n)
    p = n.param([1, channels(v), 1, 1])
    add(n, v.t + p if n.chance(0.5) else v.t * p, v)


def channel_attend(n):
    """A one-dimensional convolution over the channels."""
    v = image(n)
    z = paddle.mean(v.t, [2, 3]).unsqueeze(1)
    layer = n.keep(lambda: nn.Conv1D(1, 1, 3, padding=1, bias_attr=False))
    add(n, v.t * F.sigmoid(layer(z)).transpose([0, 2, 1]).unsqueeze(-1), v)


def roll(n):
    v = image(n)
    add(n, paddle.roll(v.t, [1, -2], [2, 3]), v)


def sample(n):
    v = image(n)
    theta = n.param([1, 2, 3], 0.3).expand([paddle.shape(v.t)[0], 2, 3])
    grid = F.affine_grid(theta, [paddle.shape(v.t)[0], paddle.shape(v.t)[1], 7, 6], align_corners=n.chance(0.5)) if n.chance(0.4) else (
        paddle.tanh(n.param([1, 7, 6, 2])).expand([paddle.shape(v.t)[0], 7, 6, 2]))
    t = F.grid_sample(v.t, grid, mode=n.rnd.choice(["bilinear", "nearest"]), padding_mode=n.rnd.choice(["zeros", "border", "reflection"]),
                      align_corners=n.chance(0.5))
    n.add(t, (v.dims[0], channels(v), 7, 6))


def volume(n):
    """The channels as the depth of a volume."""
    v = image(n, lambda v: channels(v) >= 3)
    layer = n.keep(lambda: nn.Conv3D(1, 2, 3, padding=1))
    t = F.max_pool3d(layer(v.t.unsqueeze(1)), (3, 1, 1), (1, 1, 1), (1, 0, 0))
    add(n, t[:, 0] * 0.5 + t[:, 1], v)


def head(n):
    v = image(n)
    n.add(n.linear(channels(v), 5)(paddle.mean(v.t, [2, 3])), (v.dims[0], 5))


def best_channel(n):
    v = image(n)
    n.add(paddle.argmax(v.t, 1).astype("float32").unsqueeze(1) * 0.1, (v.dims[0], 1) + v.dims[2:])


STEPS = [(8, conv), (3, separable), (3, batch_norm), (3, activation), (3, pool), (3, plus), (2, concat), (2, resize_like)] + [(1, f) for f in (
    prelu, adaptive_pool, times, squeeze_excite, split, resize, normalise, channel_norm, response_norm, centre, attend, windows, fold_back,
    shuffle, pixel_shuffle, pad, transposed_conv, softmax, crop, spatial_gate, channel_bias, channel_attend, roll, sample, volume, head, best_channel)]


def draw(n, x):
    n.add(x, ("B", 3, "H", "W"))
    n.grow(STEPS, 10, 36)
    return n.outputs(5)


def feeds(rnd):
    for b, h, w in ((1, rnd.randint(16, 40), rnd.randint(16, 40)), (2, rnd.randint(16, 48), rnd.randint(16, 33)), (3, 16, 17)):
        yield {"x": numbers(rnd, (b, 3, h, w))}
