"""Blocks of image classifiers."""

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family


def image(inputs, c=3, least=16):
    """An image input whose sides both cases choose."""
    return inputs.sizes(
        {"B": 2, "H": 2 * least, "W": 2 * least}, {"B": 1, "H": 2 * least, "W": 3 * least}, {"B": 3, "H": 2 * least, "W": 2 * least}
    ).add("x", ["B", c, "H", "W"])


def conv_bn(i, o, k=3, stride=1, groups=1, act=nn.ReLU, dilation=1):
    layers = [nn.Conv2D(i, o, k, stride, k // 2 * dilation, dilation, groups, bias_attr=False), nn.BatchNorm2D(o)]
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


class Chain(nn.Layer):
    """Layers one after the other, then the mean of each channel and a linear layer."""

    def __init__(self, *layers, width, classes=5):
        super().__init__()
        self.body, self.head = nn.Sequential(*layers), nn.Linear(width, classes)

    def forward(self, x):
        y = self.body(x)
        return self.head(paddle.mean(y, [2, 3])), y


@family
def res2net(r, inputs):
    """Parts of the channels that are added to the next part's input."""
    w, scale, stride = r.choice([4, 8]), r.choice([3, 4]), r.choice([1, 2])

    class Block(nn.Layer):
        def __init__(self, c):
            super().__init__()
            self.reduce, self.expand = conv_bn(c, w * scale, 1), conv_bn(w * scale, c, 1, act=None)
            self.convs = nn.LayerList([conv_bn(w, w) for _ in range(scale - 1)])

        def forward(self, x):
            parts = paddle.split(self.reduce(x), scale, 1)
            outs = [self.convs[0](parts[0])]
            for conv, part in zip(self.convs[1:], parts[1:]):
                outs.append(conv(part + outs[-1]))
            outs.append(parts[-1])
            return F.relu(self.expand(paddle.concat(outs, 1)) + x)

    return Chain(conv_bn(3, 16, 3, stride), Block(16), nn.MaxPool2D(3, 2, 1, ceil_mode=r.random() < 0.5), Block(16), width=16), image(
        inputs
    )


@family
def resnest(r, inputs):
    """Attention over splits of the channels."""
    c, radix, groups = 16, r.choice([2, 3]), r.choice([1, 2])

    class Split(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(c, c * radix, 3, padding=1, groups=groups * radix if c % (groups * radix) == 0 else 1)
            self.bn = nn.BatchNorm2D(c * radix)
            self.down, self.up = nn.Conv2D(c, 8, 1, groups=groups), nn.Conv2D(8, c * radix, 1, groups=groups)

        def forward(self, x):
            y = F.relu(self.bn(self.conv(x)))
            parts = paddle.split(y, radix, 1)
            gap = F.adaptive_avg_pool2d(sum(parts), 1)
            a = self.up(F.relu(self.down(gap)))
            a = a.reshape([0, groups, radix, c // groups]).transpose([0, 2, 1, 3])
            a = F.softmax(a, 1).reshape([0, radix * c, 1, 1])
            return sum(p * q for p, q in zip(paddle.split(a, radix, 1), parts))

    return Chain(conv_bn(3, c), Split(), nn.AvgPool2D(3, 2, 1), width=c), image(inputs)


@family
def sknet(r, inputs):
    """Kernels chosen by attention."""
    c, kinds = r.choice([8, 12]), r.choice([2, 3])

    class Select(nn.Layer):
        def __init__(self):
            super().__init__()
            self.convs = nn.LayerList([conv_bn(c, c, 3, dilation=k + 1) for k in range(kinds)])
            self.fc, self.fcs = nn.Linear(c, 6), nn.LayerList([nn.Linear(6, c) for _ in range(kinds)])

        def forward(self, x):
            feats = paddle.stack([conv(x) for conv in self.convs], 1)
            z = self.fc(feats.sum(1).mean([-1, -2]))
            a = F.softmax(paddle.stack([fc(z) for fc in self.fcs], 1), 1)
            return (feats * a.unsqueeze(-1).unsqueeze(-1)).sum(1)

    return Chain(conv_bn(3, c), Select(), width=c), image(inputs)


@family
def dense(r, inputs):
    """Every layer reads all before it."""
    g = r.choice([4, 6])

    class Layer(nn.Layer):
        def __init__(self, c):
            super().__init__()
            self.bn1, self.conv1 = nn.BatchNorm2D(c), nn.Conv2D(c, 4 * g, 1, bias_attr=False)
            self.bn2, self.conv2 = nn.BatchNorm2D(4 * g), nn.Conv2D(4 * g, g, 3, padding=1, bias_attr=False)

        def forward(self, x):
            y = self.conv2(F.relu(self.bn2(self.conv1(F.relu(self.bn1(x))))))
            return paddle.concat([x, y], 1)

    c, layers = 12, [conv_bn(3, 12)]
    for _ in range(3):
        layers.append(Layer(c))
        c += g
    layers += [nn.BatchNorm2D(c), nn.ReLU(), nn.Conv2D(c, c // 2, 1), nn.AvgPool2D(2, 2), Layer(c // 2)]
    return Chain(*layers, width=c // 2 + g), image(inputs)


@family
def ghost(r, inputs):
    """Half of the channels are cheap images of the others."""
    o = r.choice([12, 15, 20])

    class Ghost(nn.Layer):
        def __init__(self, i, act):
            super().__init__()
            half = (o + 1) // 2
            self.first, self.cheap = conv_bn(i, half, 1), conv_bn(half, half, 3, groups=half, act=nn.ReLU if act else None)

        def forward(self, x):
            y = self.first(x)
            return paddle.concat([y, self.cheap(y)], 1)[:, :o]

    class Add(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.gate = (
                Ghost(o, True),
                Ghost(o, False),
                nn.Sequential(nn.AdaptiveAvgPool2D(1), nn.Conv2D(o, 4, 1), nn.ReLU(), nn.Conv2D(4, o, 1)),
            )

        def forward(self, x):
            y = self.a(x)
            return self.b(y * paddle.clip(self.gate(y), 0.0, 1.0)) + x

    return Chain(Ghost(3, True), Add(), conv_bn(o, o, 5, 2, o, act=None), width=o), image(inputs)


@family
def mobile(r, inputs):
    """Inverted residuals with squeeze and excitation."""
    act = r.choice([nn.Hardswish, nn.ReLU6, nn.Swish])

    class Block(nn.Layer):
        def __init__(self, i, o, k, s, e):
            super().__init__()
            self.same = s == 1 and i == o
            self.up, self.deep, self.down = conv_bn(i, e, 1, act=act), conv_bn(e, e, k, s, e, act=act), conv_bn(e, o, 1, act=None)
            self.squeeze, self.excite = nn.Conv2D(e, e // 4, 1), nn.Conv2D(e // 4, e, 1)

        def forward(self, x):
            y = self.deep(self.up(x))
            z = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))), slope=0.2, offset=0.5)
            y = self.down(y * z)
            return x + y if self.same else y

    k = r.choice([3, 5])
    return Chain(
        conv_bn(3, 8, 3, 2, act=act),
        Block(8, 8, k, 1, 16),
        Block(8, 12, 5, 2, 24),
        Block(12, 12, k, 1, 36),
        nn.Conv2D(12, 20, 1),
        act(),
        width=20,
    ), image(inputs)


@family
def shuffle(r, inputs):
    """Channels are split, computed and shuffled by reshape and transpose."""
    c = r.choice([8, 16])

    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Sequential(
                conv_bn(c // 2, c // 2, 1), conv_bn(c // 2, c // 2, 3, groups=c // 2, act=None), conv_bn(c // 2, c // 2, 1)
            )

        def forward(self, x):
            a, b = paddle.split(x, [c // 2, c // 2], 1)
            y = paddle.concat([a, self.f(b)], 1)
            n, _, h, w = paddle.shape(y)
            return paddle.transpose(paddle.reshape(y, [n, 2, c // 2, h, w]), [0, 2, 1, 3, 4]).reshape([n, c, h, w])

    return Chain(conv_bn(3, c), Block(), Block(), nn.MaxPool2D(3, 2, 1), width=c), image(inputs)


@family
def repvgg(r, inputs):
    """Three branches, and the one convolution they are the same as."""
    c = r.choice([8, 9])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.three, self.one, self.same = (
                conv_bn(3, c),
                conv_bn(c, c, 3, act=None),
                conv_bn(c, c, 1, act=None),
                nn.BatchNorm2D(c),
            )
            self.act = r.choice([F.relu, F.silu])

        def forward(self, x):
            x = self.stem(x)
            y = self.act(self.three(x) + self.one(x) + self.same(x))
            conv, bn = self.three[0], self.three[1]
            t = (bn.weight / (bn._variance + 1e-5).sqrt()).reshape([-1, 1, 1, 1])
            z = F.conv2d(x, conv.weight * t, bn.bias - bn._mean * t.flatten(), padding=1)
            return y, z

    return Net(), image(inputs)


@family
def swin(r, inputs):
    """Windows of tokens, shifted, with a table of relative positions and a mask."""
    c, h, w, side = r.choice([8, 16]), 2, 4, 8

    class Block(nn.Layer):
        def __init__(self, shift):
            super().__init__()
            self.shift = shift
            self.norm1, self.norm2, self.qkv, self.proj = nn.LayerNorm(c), nn.LayerNorm(c), nn.Linear(c, 3 * c), nn.Linear(c, c)
            self.mlp = nn.Sequential(nn.Linear(c, 2 * c), nn.GELU(), nn.Linear(2 * c, c))
            self.table = self.create_parameter([(2 * w - 1) ** 2, h], default_initializer=nn.initializer.TruncatedNormal(std=0.5))
            at = paddle.stack(paddle.meshgrid(paddle.arange(w), paddle.arange(w))).flatten(1)
            rel = (at.unsqueeze(2) - at.unsqueeze(1)).transpose([1, 2, 0]) + (w - 1)
            self.register_buffer("index", rel[:, :, 0] * (2 * w - 1) + rel[:, :, 1])
            zones = paddle.zeros([1, side, side, 1])
            for k, rows in enumerate([slice(0, -w), slice(-w, -w // 2), slice(-w // 2, None)]):
                for m, cols in enumerate([slice(0, -w), slice(-w, -w // 2), slice(-w // 2, None)]):
                    zones[:, rows, cols] = 3.0 * k + m
            z = self.windows(zones, 1).squeeze(-1)
            self.register_buffer("mask", paddle.where(z.unsqueeze(1) == z.unsqueeze(2), paddle.zeros([1]), paddle.full([1], -100.0)))

        def windows(self, x, c):
            b = x.shape[0]
            return x.reshape([b, side // w, w, side // w, w, c]).transpose([0, 1, 3, 2, 4, 5]).reshape([-1, w * w, c])

        def forward(self, x):
            b, l, _ = x.shape
            y = self.norm1(x).reshape([b, side, side, c])
            if self.shift:
                y = paddle.roll(y, [-self.shift, -self.shift], [1, 2])
            y = self.windows(y, c)
            q, k, v = self.qkv(y).reshape([-1, w * w, 3, h, c // h]).transpose([2, 0, 3, 1, 4]).unbind(0)
            bias = paddle.index_select(self.table, self.index.flatten()).reshape([w * w, w * w, h]).transpose([2, 0, 1])
            a = paddle.matmul(q * (c // h) ** -0.5, k, transpose_y=True) + bias.unsqueeze(0)
            if self.shift:
                n = self.mask.shape[0]
                a = a.reshape([-1, n, h, w * w, w * w]) + self.mask.unsqueeze(1).unsqueeze(0)
                a = a.reshape([-1, h, w * w, w * w])
            y = self.proj(paddle.matmul(F.softmax(a), v).transpose([0, 2, 1, 3]).reshape([-1, w * w, c]))
            y = y.reshape([b, side // w, side // w, w, w, c]).transpose([0, 1, 3, 2, 4, 5]).reshape([b, side, side, c])
            if self.shift:
                y = paddle.roll(y, [self.shift, self.shift], [1, 2])
            x = x + y.reshape([b, l, c])
            return x + self.mlp(self.norm2(x))

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.one, self.two = nn.Conv2D(3, c, 4, 4), Block(0), Block(2)
            self.norm, self.reduce = nn.LayerNorm(4 * c), nn.Linear(4 * c, 2 * c, bias_attr=False)

        def forward(self, x):
            y = self.two(self.one(self.embed(x).flatten(2).transpose([0, 2, 1])))
            b = y.shape[0]
            y = y.reshape([b, side, side, c])
            y = paddle.concat([y[:, 0::2, 0::2], y[:, 1::2, 0::2], y[:, 0::2, 1::2], y[:, 1::2, 1::2]], -1)
            return self.reduce(self.norm(y.reshape([b, -1, 4 * c])))

    return Net(), inputs.sizes({"B": 1}, {"B": 3}).add("x", ["B", 3, 4 * side, 4 * side])


@family
def pyramid_transformer(r, inputs):
    """Keys and values on a reduced map; a depthwise convolution in the feed-forward part."""
    c, h, ratio = 16, r.choice([1, 2, 4]), r.choice([2, 4])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.norm = nn.Conv2D(3, c, 7, 4, 3), nn.LayerNorm(c, epsilon=1e-6)
            self.q, self.kv, self.sr, self.srnorm = nn.Linear(c, c), nn.Linear(c, 2 * c), nn.Conv2D(c, c, ratio, ratio), nn.LayerNorm(c)
            self.fc1, self.deep, self.fc2 = nn.Linear(c, 2 * c), nn.Conv2D(2 * c, 2 * c, 3, 1, 1, groups=2 * c), nn.Linear(2 * c, c)

        def forward(self, x):
            x = self.embed(x)
            rows, cols = paddle.shape(x)[2:]
            x = self.norm(x.flatten(2).transpose([0, 2, 1]))
            b, n = paddle.shape(x)[:2]
            q = self.q(x).reshape([b, n, h, c // h]).transpose([0, 2, 1, 3])
            z = x.transpose([0, 2, 1]).reshape([b, c, rows, cols])
            z = self.srnorm(self.sr(z).reshape([b, c, -1]).transpose([0, 2, 1]))
            kv = self.kv(z).reshape([b, -1, 2, h, c // h]).transpose([2, 0, 3, 1, 4])
            a = F.softmax(q @ kv[0].transpose([0, 1, 3, 2]) * (c // h) ** -0.5, -1)
            x = x + (a @ kv[1]).transpose([0, 2, 1, 3]).reshape([b, n, c])
            y = self.fc1(x)
            y = self.deep(y.transpose([0, 2, 1]).reshape([b, 2 * c, rows, cols])).flatten(2).transpose([0, 2, 1])
            return x + self.fc2(F.gelu(y))

    return Net(), image(inputs, least=32)


@family
def class_attention(r, inputs):
    """Talking heads, scaled layers, class tokens and a distillation token."""
    c, h = 16, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Conv2D(3, c, 8, 8)
            self.cls, self.dist = self.create_parameter([1, 1, c]), self.create_parameter([1, 1, c])
            self.pos = self.create_parameter([1, 18, c], default_initializer=nn.initializer.Normal(0, 0.5))
            self.qkv, self.proj, self.before, self.after = nn.Linear(c, 3 * c), nn.Linear(c, c), nn.Linear(h, h), nn.Linear(h, h)
            self.gamma, self.norm = self.create_parameter([c], default_initializer=nn.initializer.Constant(0.5)), nn.LayerNorm(c)
            self.head, self.head2 = nn.Linear(c, 7), nn.Linear(c, 7)

        def forward(self, x):
            x = self.embed(x).flatten(2).transpose([0, 2, 1])
            b = paddle.shape(x)[0]
            x = paddle.concat([self.cls.expand([b, -1, -1]), self.dist.expand([b, -1, -1]), x], 1) + self.pos
            qkv = self.qkv(self.norm(x)).reshape([0, 0, 3, h, c // h]).transpose([2, 0, 3, 1, 4])
            q, k, v = qkv[0], qkv[1], qkv[2]
            a = self.before((q @ k.transpose([0, 1, 3, 2])).transpose([0, 2, 3, 1])).transpose([0, 3, 1, 2])
            a = self.after(F.softmax(a, -1).transpose([0, 2, 3, 1])).transpose([0, 3, 1, 2])
            x = x + self.gamma * self.proj((a @ v).transpose([0, 2, 1, 3]).flatten(2))
            return (self.head(x[:, 0]) + self.head2(x[:, 1])) / 2

    return Net(), inputs.sizes({"B": 1}, {"B": 3}).add("x", ["B", 3, 32, 32])


@family
def cross_covariance(r, inputs):
    """Attention over channels, normalised queries and keys, Fourier positions."""
    c, h = 16, r.choice([2, 4])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.qkv, self.proj = (
                nn.Sequential(conv_bn(3, 8, 3, 2), nn.GELU(), conv_bn(8, c, 3, 2, act=None)),
                nn.Linear(c, 3 * c),
                nn.Linear(c, c),
            )
            self.temperature, self.token = self.create_parameter([h, 1, 1], default_initializer=nn.initializer.Constant(1.5)), nn.Conv2D(
                8, c, 1
            )

        def positions(self, b, rows, cols):
            y = paddle.arange(1, rows + 1, dtype="float32").unsqueeze(1).expand([rows, cols]) / (rows + 1e-6) * 6.283185
            x = paddle.arange(1, cols + 1, dtype="float32").unsqueeze(0).expand([rows, cols]) / (cols + 1e-6) * 6.283185
            f = 10000 ** (2 * (paddle.arange(4, dtype="float32") // 2) / 4)
            x, y = x[:, :, None] / f, y[:, :, None] / f
            x = paddle.stack([paddle.sin(x[:, :, 0::2]), paddle.cos(x[:, :, 1::2])], 3).flatten(2)
            y = paddle.stack([paddle.sin(y[:, :, 0::2]), paddle.cos(y[:, :, 1::2])], 3).flatten(2)
            return self.token(paddle.concat([y, x], -1).transpose([2, 0, 1]).unsqueeze(0)).expand([b, -1, -1, -1])

        def forward(self, x):
            x = self.embed(x)
            b, _, rows, cols = paddle.shape(x)
            x = (x + self.positions(b, rows, cols)).flatten(2).transpose([0, 2, 1])
            q, k, v = self.qkv(x).reshape([0, 0, 3, h, c // h]).transpose([2, 0, 3, 4, 1]).unbind(0)
            q, k = F.normalize(q, axis=-1), F.normalize(k, p=2, axis=-1)
            a = F.softmax((q @ k.transpose([0, 1, 3, 2])) * self.temperature, -1)
            return x + self.proj((a @ v).transpose([0, 3, 1, 2]).flatten(2))

    return Net(), image(inputs)


@family
def outlook(r, inputs):
    """Attention over windows by unfold and fold."""
    c, k = 8, 3

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.v, self.a, self.proj = nn.Conv2D(3, c, 4, 4), nn.Linear(c, c), nn.Linear(c, k**4), nn.Linear(c, c)

        def forward(self, x):
            x = self.embed(x).transpose([0, 2, 3, 1])
            b, h, w, _ = x.shape
            v = F.unfold(self.v(x).transpose([0, 3, 1, 2]), k, 1, 1, 1)
            v = v.reshape([b, c, k * k, h * w]).transpose([0, 3, 2, 1])
            a = F.softmax(self.a(x).reshape([b, h * w, k * k, k * k]) * 0.5, -1)
            y = (a @ v).transpose([0, 3, 2, 1]).reshape([b, c * k * k, h * w])
            y = F.fold(y, [h, w], k, 1, 1, 1)
            return self.proj(y.transpose([0, 2, 3, 1]))

    return Net(), inputs.sizes({"B": 2}, {"B": 1}).add("x", ["B", 3, 32, 24])


@family
def involution(r, inputs):
    """Filters that each position computes."""
    c, k, g = 8, r.choice([3, 5]), 2

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.down, self.up = conv_bn(3, c, 3, 2), conv_bn(c, 4, 1), nn.Conv2D(4, k * k * g, 1)

        def forward(self, x):
            x = self.stem(x)
            w = self.up(self.down(x))
            b, _, rows, cols = w.shape
            w = w.reshape([b, g, k * k, rows, cols]).unsqueeze(2)
            y = F.unfold(x, k, 1, (k - 1) // 2, 1).reshape([b, g, c // g, k * k, rows, cols])
            return (w * y).sum(3).reshape([b, c, rows, cols])

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("x", ["B", 3, 24, 20])


@family
def mixers(r, inputs):
    """Pooling, gating, shifts and large kernels in place of attention."""
    c, way = 12, r.choice(["pool", "gate", "shift", "large", "focal"])

    class Mix(nn.Layer):
        def __init__(self):
            super().__init__()
            self.norm = nn.GroupNorm(1, c)
            self.pool = nn.AvgPool2D(3, 1, 1, exclusive=r.random() < 0.5)
            self.a, self.b, self.c = (
                nn.Conv2D(c, c, 5, padding=2, groups=c),
                nn.Conv2D(c, c, 7, padding=9, groups=c, dilation=3),
                nn.Conv2D(c, c, 1),
            )
            self.f, self.scale = nn.Conv2D(c, 2 * c + 3, 1), self.create_parameter([c], default_initializer=nn.initializer.Constant(0.3))

        def forward(self, x):
            y = self.norm(x)
            if way == "pool":
                y = self.pool(y) - y
            elif way == "gate":
                u, v = paddle.chunk(paddle.concat([y, self.c(y)], 1), 2, 1)
                y = u * F.layer_norm(v.transpose([0, 2, 3, 1]), [c]).transpose([0, 3, 1, 2])
            elif way == "shift":
                p = paddle.chunk(y, 4, 1)
                z = paddle.zeros_like(p[0])
                y = paddle.concat(
                    [
                        F.pad(p[0][:, :, 1:], [0, 0, 0, 1]),
                        F.pad(p[1][:, :, :-1], [0, 0, 1, 0]),
                        F.pad(p[2][:, :, :, 1:], [0, 1, 0, 0]),
                        p[3] + z,
                    ],
                    1,
                )
            elif way == "large":
                y = y * self.c(self.b(self.a(y)))
            else:
                q, context, gates = paddle.split(self.f(y), [c, c, 3], 1)
                total = paddle.zeros_like(q)
                for level in range(2):
                    context = F.gelu(self.a(context))
                    total = total + context * gates[:, level : level + 1]
                y = q * self.c(total + F.gelu(context.mean([2, 3], keepdim=True)) * gates[:, 2:])
            return x + self.scale.unsqueeze(-1).unsqueeze(-1) * y

    return Chain(conv_bn(3, c, 3, 2), Mix(), Mix(), width=c), image(inputs)


@family
def weight_forms(r, inputs):
    """Standardised, normalised, spectral and masked weights."""
    c = 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2D(3, c, 3, padding=1)
            self.wn = nn.utils.weight_norm(nn.Conv2D(c, c, 3, padding=1), dim=r.choice([0, None]))
            self.sn = nn.utils.spectral_norm(nn.Conv2D(c, c, 3, padding=1))
            self.masked = nn.Conv2D(c, c, 5, padding=2)
            self.gain = self.create_parameter([c, 1, 1, 1], default_initializer=nn.initializer.Constant(1.3))

        def forward(self, x):
            w = self.conv.weight
            mean, var = w.mean([1, 2, 3], keepdim=True), w.var([1, 2, 3], keepdim=True, unbiased=False)
            x = F.conv2d(
                x, (w - mean) / paddle.sqrt(paddle.maximum(var * 27, paddle.full([1], 1e-4))) * self.gain, self.conv.bias, padding=1
            )
            x = self.sn(F.elu(self.wn(x)))
            mask = paddle.ones_like(self.masked.weight)
            mask[:, :, 2, 3:] = 0
            mask[:, :, 3:] = 0
            return F.conv2d(x, self.masked.weight * mask, self.masked.bias, padding=2)

    return Net(), image(inputs)


@family
def channels_last(r, inputs):
    """A network in NHWC."""
    c = r.choice([6, 8])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a = nn.Conv2D(3, c, 3, 2, 1, data_format="NHWC")
            self.bn = nn.BatchNorm2D(c, data_format="NHWC")
            self.deep = nn.Conv2D(c, c, 3, padding=1, groups=c, data_format="NHWC")
            self.up = nn.Conv2DTranspose(c, 5, 2, 2, data_format="NHWC")
            self.pool = r.choice([nn.MaxPool2D, nn.AvgPool2D])(3, 2, 1, data_format="NHWC") if r.random() < 0.9 else nn.Identity()
            self.gn = nn.GroupNorm(2, c, data_format="NHWC")
            self.prelu = nn.PReLU(c, data_format="NHWC")

        def forward(self, x):
            x = x.transpose([0, 2, 3, 1])
            x = self.prelu(self.bn(self.a(x)))
            y = self.gn(self.deep(x)) + x
            z = F.interpolate(self.pool(y), scale_factor=2, mode="bilinear", data_format="NHWC", align_corners=r.random() < 0.5)
            return self.up(y), z, F.adaptive_avg_pool2d(y, 2, data_format="NHWC"), F.pixel_unshuffle(y, 2, data_format="NHWC")

    return Net(), image(inputs)
