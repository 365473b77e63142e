"""Maps of pixels: segmentation, matting, text in images, generation, flow."""

import math

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family
from .backbones import conv_bn, image


@family
def unet(r, inputs):
    """Indices of maxima that unpool, skips of any size (SegNet, UNet)."""
    c = 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = conv_bn(3, c), conv_bn(c, c), conv_bn(2 * c, c)
            self.up = nn.Conv2DTranspose(c, c, 2, 2)

        def forward(self, x):
            x = self.a(x)
            y, at = F.max_pool2d(x, 2, 2, return_mask=True)
            y = self.b(y)
            z = F.max_unpool2d(y, at, 2, 2, output_size=paddle.shape(x)[2:] if r.random() < 0.0 else None)
            u = self.up(y)
            dy, dx = x.shape[2] - u.shape[2], x.shape[3] - u.shape[3]
            u = (
                F.pad(u, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
                if isinstance(dx, int) and dx >= 0
                else F.interpolate(u, paddle.shape(x)[2:], mode="bilinear", align_corners=True)
            )
            return self.c(paddle.concat([u, x], 1)), z

    return Net(), image(inputs)


@family
def context(r, inputs):
    """Pyramids of pools and dilations, attention over positions, channels, classes and criss-crosses."""
    c, way = 8, r.choice(["aspp", "psp", "dual", "object", "cross", "em", "strip"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem = conv_bn(3, c, 3, 4)
            self.branches = nn.LayerList([conv_bn(c, 4, 3, dilation=d) for d in (1, 2, 3)])
            self.pool, self.q, self.k, self.v = conv_bn(c, 4, 1), nn.Conv2D(c, 4, 1), nn.Conv2D(c, 4, 1), nn.Conv2D(c, c, 1)
            self.gamma, self.bases = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.4)), self.create_parameter(
                [1, c, 5], default_initializer=nn.initializer.Normal()
            )
            self.aux = nn.Conv2D(c, 3, 1)

        def forward(self, x):
            x = self.stem(x)
            b, _, h, w = paddle.shape(x)
            size = paddle.shape(x)[2:]
            if way == "aspp":
                z = F.interpolate(self.pool(F.adaptive_avg_pool2d(x, 1)), size, mode="bilinear", align_corners=False)
                return paddle.concat([f(x) for f in self.branches] + [z], 1)
            if way == "psp":
                return paddle.concat(
                    [x]
                    + [
                        F.interpolate(self.pool(F.adaptive_avg_pool2d(x, s)), size, mode="bilinear", align_corners=False)
                        for s in (1, 2, 3, 6)
                    ],
                    1,
                )
            q, k, v = self.q(x), self.k(x), self.v(x)
            if way == "dual":
                a = F.softmax(paddle.bmm(q.flatten(2).transpose([0, 2, 1]), k.flatten(2)), -1)
                p = paddle.bmm(v.flatten(2), a.transpose([0, 2, 1])).reshape([0, c, h, w])
                f = x.flatten(2)
                e = paddle.bmm(f, f.transpose([0, 2, 1]))
                e = F.softmax(paddle.max(e, -1, keepdim=True).expand_as(e) - e, -1)
                return self.gamma * p + paddle.bmm(e, f).reshape([0, c, h, w]) + x
            if way == "object":
                p = F.softmax(self.aux(x).flatten(2), -1)
                region = paddle.bmm(p, x.flatten(2).transpose([0, 2, 1]))
                a = F.softmax(paddle.bmm(x.flatten(2).transpose([0, 2, 1]), region.transpose([0, 2, 1])) * c**-0.5, -1)
                return paddle.bmm(a, region).transpose([0, 2, 1]).reshape(paddle.shape(x))
            if way == "cross":
                qh, kh, vh = (z.transpose([0, 3, 1, 2]).reshape([b * w, -1, h]) for z in (q, k, v))
                qw, kw, vw = (z.transpose([0, 2, 1, 3]).reshape([b * h, -1, w]) for z in (q, k, v))
                inf = paddle.diag(paddle.full([h], -1e9)).unsqueeze(0) if isinstance(h, int) else paddle.eye(h) * -1e9
                eh = (paddle.bmm(qh.transpose([0, 2, 1]), kh) + inf).reshape([b, w, h, h]).transpose([0, 2, 1, 3])
                ew = paddle.bmm(qw.transpose([0, 2, 1]), kw).reshape([b, h, w, w])
                a = F.softmax(paddle.concat([eh, ew], 3), 3)
                ah = a[:, :, :, :h].transpose([0, 2, 1, 3]).reshape([b * w, h, h])
                aw = a[:, :, :, h:].reshape([b * h, w, w])
                oh = paddle.bmm(vh, ah.transpose([0, 2, 1])).reshape([b, w, c, h]).transpose([0, 2, 3, 1])
                ow = paddle.bmm(vw, aw.transpose([0, 2, 1])).reshape([b, h, c, w]).transpose([0, 2, 1, 3])
                return self.gamma * (oh + ow) + x
            if way == "em":
                f, mu = x.flatten(2), self.bases.tile([b, 1, 1])
                for _ in range(2):
                    z = F.softmax(paddle.bmm(f.transpose([0, 2, 1]), mu), 2)
                    mu = F.normalize(paddle.bmm(f, z / (1e-6 + z.sum(1, keepdim=True))), axis=1, p=2)
                return F.relu(paddle.bmm(mu, z.transpose([0, 2, 1])).reshape([b, c, h, w])) + x
            rows, cols = F.adaptive_avg_pool2d(v, (None, 1)), F.adaptive_avg_pool2d(v, (1, None))
            rows, cols = F.interpolate(rows, size, mode="nearest"), F.interpolate(cols, size, mode="nearest")
            return x * F.sigmoid(rows + cols)

    return Net(), image(inputs)


@family
def point_refine(r, inputs):
    """The least certain points are sampled, computed and written back (PointRend); flow fields warp a map (SFNet)."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.coarse, self.mlp, self.flow = (
                conv_bn(3, c, 3, 2),
                nn.Conv2D(c, 3, 3, 2, 1),
                nn.Conv1D(c + 3, 3, 1),
                nn.Conv2D(2 * c, 2, 3, padding=1),
            )

        def forward(self, x):
            f = self.stem(x)
            coarse = self.coarse(f)
            up = F.interpolate(coarse, scale_factor=2, mode="bilinear", align_corners=False)
            b, _, h, w = paddle.shape(up)
            top = paddle.sort(up, 1, descending=True)
            uncertain = -1 * (top[:, 0] - top[:, 1])
            at = paddle.topk(uncertain.flatten(1), 8, 1)[1]
            gx = (at % w).astype("float32") / w.astype("float32") + 0.5 / w.astype("float32")
            gy = (at // w).astype("float32") / h.astype("float32") + 0.5 / h.astype("float32")
            grid = (2 * paddle.stack([gx, gy], -1) - 1).unsqueeze(2)
            fine = F.grid_sample(f, grid, align_corners=False).squeeze(3)
            rough = F.grid_sample(coarse, grid, align_corners=False, mode=r.choice(["bilinear", "nearest"])).squeeze(3)
            logits = self.mlp(paddle.concat([fine, rough], 1))
            out = paddle.put_along_axis(up.flatten(2), at.unsqueeze(1).expand([b, 3, 8]), logits, 2, include_self=True).reshape(
                paddle.shape(up)
            )
            low = F.avg_pool2d(f, 2)
            big = F.interpolate(low, paddle.shape(f)[2:], mode="bilinear", align_corners=True)
            flow = self.flow(paddle.concat([f, big], 1))
            ys, xs = paddle.meshgrid(paddle.linspace(-1.0, 1.0, f.shape[2]), paddle.linspace(-1.0, 1.0, f.shape[3]))
            base = paddle.stack([xs, ys], -1).unsqueeze(0)
            norm = (
                paddle.to_tensor([f.shape[3], f.shape[2]]).astype("float32")
                if isinstance(f.shape[3], int) and f.shape[3] > 0
                else paddle.concat([paddle.shape(f)[3:], paddle.shape(f)[2:3]]).astype("float32")
            )
            warped = F.grid_sample(
                low, base + flow.transpose([0, 2, 3, 1]) / norm, padding_mode=r.choice(["zeros", "border"]), align_corners=True
            )
            return out, warped

    return Net(), image(inputs)


@family
def mask_queries(r, inputs):
    """Queries attend under masks that earlier masks make; rows without any key fall back (Mask2Former)."""
    c, q = 8, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.query, self.embed, self.cls = (
                conv_bn(3, c, 3, 4),
                nn.Embedding(q, c),
                nn.Sequential(nn.Linear(c, c), nn.ReLU(), nn.Linear(c, c)),
                nn.Linear(c, 4),
            )
            self.att, self.norm = nn.MultiHeadAttention(c, 2), nn.LayerNorm(c)

        def forward(self, x):
            f = self.stem(x)
            b = f.shape[0]
            memory = f.flatten(2).transpose([0, 2, 1])
            y = self.query.weight.unsqueeze(0).tile([b, 1, 1])
            for _ in range(2):
                masks = paddle.einsum("bqc,bchw->bqhw", self.embed(y), f)
                hidden = F.sigmoid(F.interpolate(masks, scale_factor=1.0, mode="bilinear").flatten(2)) < 0.5
                hidden = hidden.unsqueeze(1).tile([1, 2, 1, 1])
                full = hidden.astype("int32").sum(-1, keepdim=True) == hidden.shape[-1]
                hidden = paddle.logical_and(hidden, paddle.logical_not(full))
                y = self.norm(y + self.att(y, memory, memory, (hidden.astype("float32")) * -1e9))
            masks = paddle.einsum("bqc,bchw->bqhw", self.embed(y), f)
            scores = F.softmax(self.cls(y))[..., :-1]
            return paddle.einsum("bqk,bqhw->bkhw", scores, F.sigmoid(masks)), scores

    return Net(), image(inputs)


@family
def matting(r, inputs):
    """Trimaps, unfolded patches, guided filters, Laplacians, blurred and dilated alphas."""
    c = 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Conv2D(3, 1, 3, padding=1)
            self.register_buffer("edge", paddle.to_tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]).reshape([1, 1, 3, 3]))

        def box(self, x):
            return F.avg_pool2d(x, 5, 1, 2, exclusive=r.random() < 0.5)

        def forward(self, x):
            alpha = F.sigmoid(self.f(x) * 3)
            trimap = paddle.where(
                alpha > 0.7, paddle.ones_like(alpha), paddle.where(alpha < 0.3, paddle.zeros_like(alpha), paddle.full_like(alpha, 0.5))
            )
            wide = F.max_pool2d(trimap, 3, 1, 1) + F.max_pool2d(-trimap, 3, 1, 1)
            guide = x.mean(1, keepdim=True)
            mi, mp = self.box(guide), self.box(alpha)
            a = (self.box(guide * alpha) - mi * mp) / (self.box(guide * guide) - mi * mi + 1e-2)
            refined = self.box(a) * guide + self.box(mp - a * mi)
            lap = F.conv2d(F.pad(alpha, [1, 1, 1, 1], mode="replicate"), self.edge)
            down = (
                F.interpolate(alpha, scale_factor=0.5, mode="area")
                if r.random() < 0.5
                else F.interpolate(alpha, scale_factor=0.5, mode="bicubic", align_corners=False)
            )
            known = paddle.logical_or(trimap == 0, trimap == 1)
            return refined, lap, down, paddle.where(known, trimap, refined), wide, paddle.argmax(x, 1).astype("uint8")

    return Net(), image(inputs)


@family
def rectify(r, inputs):
    """A thin-plate spline that straightens a text line, then recurrent layers (TPS, CRNN)."""
    k = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.loc, self.fc = nn.Sequential(nn.Conv2D(3, 4, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2D(1)), nn.Linear(4, 2 * k)
            self.conv, self.rnn, self.out = (
                nn.Conv2D(3, 6, (16, 3), (1, 2), (0, 1)),
                nn.LSTM(6, 5, direction="bidirect", num_layers=2),
                nn.Linear(10, 7),
            )

        def forward(self, x):
            at = paddle.linspace(-1.0, 1.0, k // 2)
            one = paddle.ones([k // 2])
            c = paddle.concat([paddle.stack([at, -one], 1), paddle.stack([at, one], 1)])
            d = paddle.norm(c.unsqueeze(1) - c.unsqueeze(0), axis=-1)
            kernel = d**2 * paddle.log(paddle.where(d == 0, paddle.ones_like(d), d))
            delta = paddle.concat(
                [
                    paddle.concat([paddle.ones([k, 1]), c, kernel], 1),
                    paddle.concat([paddle.zeros([2, 3]), c.t()], 1),
                    paddle.concat([paddle.zeros([1, 3]), paddle.ones([1, k])], 1),
                ]
            )
            inverse = paddle.linalg.inv(delta + paddle.eye(k + 3) * 1e-4)
            points = paddle.tanh(self.fc(self.loc(x).flatten(1)).reshape([-1, k, 2])) * 0.2 + c
            b = paddle.shape(x)[0]
            t = paddle.matmul(inverse, paddle.concat([points, paddle.zeros([b, 3, 2])], 1))
            gy, gx = paddle.meshgrid(paddle.arange(-15, 16, 2, dtype="float32") / 16, paddle.arange(-31, 32, 2, dtype="float32") / 32)
            p = paddle.stack([gx, gy], 2).reshape([-1, 2])
            rd = paddle.norm(p.unsqueeze(1) - c.unsqueeze(0), axis=2)
            rbf = paddle.multiply(paddle.square(rd), paddle.log(rd + 1e-6))
            grid = paddle.matmul(paddle.concat([paddle.ones([16 * 32, 1]), p, rbf], 1), t).reshape([-1, 16, 32, 2])
            z = F.grid_sample(x, grid, align_corners=r.random() < 0.5)
            y, _ = self.rnn(F.relu(self.conv(z)).squeeze(2).transpose([0, 2, 1]))
            p = F.softmax(self.out(y), 2)
            return p, p.argmax(2), p.max(2)

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("x", ["B", 3, 16, 32])


@family
def text_maps(r, inputs):
    """Differentiable binarisation, kernels that shrink, contours by Fourier terms (DB, PSE, FCE), 2-D attention decoded in a loop (SAR)."""
    c, words = 6, 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.shrink, self.thresh = conv_bn(3, c, 3, 4), nn.Conv2DTranspose(c, 1, 2, 2), nn.Conv2DTranspose(c, 1, 2, 2)
            self.fourier, self.cell, self.embed = nn.Conv2D(c, 4 * 5, 1), nn.LSTMCell(2 * c, c), nn.Embedding(words, c)
            self.q, self.k, self.e, self.out = nn.Linear(c, c), nn.Conv2D(c, c, 3, padding=1), nn.Conv2D(c, 1, 1), nn.Linear(2 * c, words)

        def forward(self, x):
            f = self.stem(x)
            p, t = F.sigmoid(self.shrink(f)), F.sigmoid(self.thresh(f))
            binary = 1.0 / (1.0 + paddle.exp(-50 * (p - t)))
            co = self.fourier(f).transpose([0, 2, 3, 1]).reshape([f.shape[0], -1, 2, 2, 5])
            theta = paddle.arange(0, 6, dtype="float32") * 2 * math.pi / 6
            m = theta.unsqueeze(0) * paddle.arange(-2, 3, dtype="float32").unsqueeze(1)
            contour = paddle.matmul(co[:, :, 0], paddle.cos(m)) - paddle.matmul(co[:, :, 1], paddle.sin(m))
            b = f.shape[0]
            h = s = paddle.zeros([b, c])
            token = paddle.zeros([b], "int64")
            keys, outs = self.k(f), []
            mean = F.adaptive_max_pool2d(f, 1).flatten(1)
            for _ in range(4):
                _, (h, s) = self.cell(paddle.concat([self.embed(token), mean], 1), (h, s))
                e = self.e(paddle.tanh(keys + self.q(h).unsqueeze([2, 3])))
                a = (
                    F.softmax(e.flatten(1), -1).reshape(e.shape)
                    if isinstance(e.shape[2], int) and e.shape[2] > 0
                    else F.softmax(e.flatten(1), -1).reshape(paddle.shape(e))
                )
                glimpse = (f * a).sum([2, 3])
                y = F.softmax(self.out(paddle.concat([h, glimpse], -1)), -1)
                outs.append(y)
                token = y.argmax(-1)
            return paddle.concat([p, t, binary], 1), contour, paddle.stack(outs, 1)

    return Net(), image(inputs)


@family
def diffusion_step(r, inputs):
    """A UNet with time embeddings, cross attention, and the scheduler's step (DDPM, DDIM)."""
    c = 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.t1, self.t2, self.inp = nn.Linear(c, 2 * c), nn.Linear(2 * c, c), nn.Conv2D(3, c, 3, padding=1)
            self.n1, self.n2, self.c1, self.c2 = (
                nn.GroupNorm(4, c),
                nn.GroupNorm(4, c),
                nn.Conv2D(c, c, 3, padding=1),
                nn.Conv2D(c, c, 3, padding=1),
            )
            self.down, self.norm, self.q, self.kv, self.out = (
                nn.Conv2D(c, c, 3, 2, 1),
                nn.LayerNorm(c),
                nn.Linear(c, c),
                nn.Linear(5, 2 * c),
                nn.Conv2D(c, 3, 3, padding=1),
            )
            beta = paddle.linspace(1e-4**0.5, 0.02**0.5, 50) ** 2
            self.register_buffer("bar", paddle.cumprod(1 - beta, dim=0))

        def forward(self, x, t, context):
            half = c // 2
            f = paddle.exp(-math.log(10000) * paddle.arange(half, dtype="float32") / half)
            e = t.astype("float32").unsqueeze(1) * f.unsqueeze(0)
            e = paddle.concat([paddle.cos(e), paddle.sin(e)], -1)
            e = self.t2(F.silu(self.t1(e)))
            y = self.inp(x)
            z = self.c1(F.silu(self.n1(y))) + e.unsqueeze(-1).unsqueeze(-1)
            scale, shift = paddle.chunk(e, 2, -1)
            y = y + self.c2(
                F.silu(self.n2(z) * (1 + scale.tile([1, 2])[:, :, None, None]) + shift.repeat_interleave(2, -1)[:, :, None, None])
            )
            d = self.down(y)
            b, _, h, w = d.shape
            s = self.norm(d.flatten(2).transpose([0, 2, 1]))
            q = self.q(s)
            k, v = self.kv(context).chunk(2, -1)
            q, k, v = (z.reshape([z.shape[0], z.shape[1], 2, c // 2]) for z in (q, k, v))
            a = F.scaled_dot_product_attention(q, k, v).reshape([b, -1, c])
            d = d + a.transpose([0, 2, 1]).reshape([b, c, h, w])
            noise = self.out(y + F.interpolate(d, scale_factor=2, mode="nearest"))
            bar = paddle.gather(self.bar, t).reshape([-1, 1, 1, 1])
            before = paddle.gather(self.bar, paddle.clip(t - 10, 0)).reshape([-1, 1, 1, 1])
            x0 = (x - (1 - bar).sqrt() * noise) / bar.sqrt()
            x0 = paddle.clip(x0, -1, 1)
            return before.sqrt() * x0 + (1 - before).sqrt() * noise, noise

    return Net(), inputs.sizes({"B": 2, "L": 3}, {"B": 1, "L": 5}).add("x", ["B", 3, 16, 16]).add("t", ["B"], "int64", 0, 50).add(
        "context", ["B", "L", 5]
    )


@family
def super_resolution(r, inputs):
    """Dense residuals, pixel shuffles, channel gates, bicubic skips, frames aligned by flow (ESRGAN, RCAN, BasicVSR)."""
    c, s = 6, r.choice([2, 3])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.head, self.convs, self.tail = (
                nn.Conv2D(3, c, 3, padding=1),
                nn.LayerList([nn.Conv2D(c + 3 * k, 3 if k < 2 else c, 3, padding=1) for k in range(3)]),
                nn.Conv2D(c, 3 * s * s, 3, padding=1),
            )
            self.shuffle, self.flow, self.fuse = nn.PixelShuffle(s), nn.Conv2D(6, 2, 7, padding=3), nn.Conv2D(2 * c, c, 1)

        def warp(self, x, flow):
            b, _, h, w = paddle.shape(x)
            gy, gx = paddle.meshgrid(paddle.arange(h).astype("float32"), paddle.arange(w).astype("float32"))
            grid = paddle.stack([gx, gy], 2).unsqueeze(0) + flow.transpose([0, 2, 3, 1])
            wx = 2.0 * grid[..., 0] / paddle.maximum(w.astype("float32") - 1, paddle.ones([])) - 1.0
            wy = 2.0 * grid[..., 1] / paddle.maximum(h.astype("float32") - 1, paddle.ones([])) - 1.0
            return F.grid_sample(x, paddle.stack([wx, wy], 3), align_corners=True, padding_mode="border")

        def forward(self, x, y):
            f, g = self.head(x), self.head(y)
            flow = paddle.tanh(self.flow(paddle.concat([x, y], 1))) * 3
            f = self.fuse(paddle.concat([f, self.warp(g, flow)], 1))
            z = f
            for k in range(2):
                z = paddle.concat([z, F.leaky_relu(self.convs[k](z), 0.2)], 1)
            f = f + self.convs[2](z) * 0.2
            gate = F.sigmoid(f.mean([2, 3], keepdim=True))
            big = self.shuffle(self.tail(f * gate))
            return paddle.clip(big + F.interpolate(x, scale_factor=s, mode="bicubic", align_corners=False), -1.0, 1.0), F.pixel_unshuffle(
                big, s
            )

    return Net(), inputs.sizes({"B": 1, "H": 12, "W": 10}, {"B": 2, "H": 9, "W": 14}).add("x", ["B", 3, "H", "W"]).add(
        "y", ["B", 3, "H", "W"]
    )


@family
def styles(r, inputs):
    """Modulated filters, adaptive norms, spatial norms of masks, blurs, gram matrices (StyleGAN, SPADE, AdaIN)."""
    c, way = 6, r.choice(["modulated", "adain", "spade", "cycle"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.weight, self.style = nn.Conv2D(3, c, 3, padding=1), self.create_parameter([1, c, c, 3, 3]), nn.Linear(5, c)
            self.two, self.gamma, self.beta, self.norm = (
                nn.Linear(5, 2 * c),
                nn.Conv2D(4, c, 3, padding=1),
                nn.Conv2D(4, c, 3, padding=1),
                nn.InstanceNorm2D(c, weight_attr=False, bias_attr=False),
            )
            self.pad, self.res = nn.Pad2D([1, 1, 1, 1], mode="reflect"), nn.Conv2D(c, c, 3)
            self.register_buffer(
                "blur",
                (paddle.to_tensor([1.0, 3.0, 3.0, 1.0]).unsqueeze(1) * paddle.to_tensor([1.0, 3.0, 3.0, 1.0])).reshape([1, 1, 4, 4]) / 64,
            )

        def forward(self, x, w, labels):
            w = w / paddle.sqrt(paddle.mean(w**2, 1, keepdim=True) + 1e-8)
            f = self.stem(x)
            b, _, h, t = f.shape
            if way == "modulated":
                m = self.weight * (self.style(w) + 1).reshape([b, 1, c, 1, 1])
                m = m * paddle.rsqrt((m**2).sum([2, 3, 4], keepdim=True) + 1e-8)
                y = F.conv2d(f.reshape([1, b * c, h, t]), m.reshape([b * c, c, 3, 3]), padding=1, groups=b).reshape([b, c, h, t])
                y = F.conv2d(F.pad(y, [2, 1, 2, 1]), self.blur.expand([c, 1, 4, 4]), groups=c)
            elif way == "adain":
                g, d = self.two(w).unsqueeze([2, 3]).chunk(2, 1)
                y = (f - f.mean([2, 3], keepdim=True)) / (f.std([2, 3], keepdim=True) + 1e-5) * (1 + g) + d
            elif way == "spade":
                seg = F.one_hot(labels, 4).transpose([0, 3, 1, 2])
                seg = F.interpolate(seg, size=[h, t], mode="nearest")
                y = self.norm(f) * (1 + self.gamma(seg)) + self.beta(seg)
            else:
                y = f + F.relu(self.norm(self.res(self.pad(f))))
            flat = y.flatten(2)
            gram = paddle.bmm(flat, flat.transpose([0, 2, 1])) / (c * 16 * 12)
            noise = y + 0.1 * paddle.mean(y, 1, keepdim=True)
            return paddle.tanh(noise), gram

    return Net(), inputs.sizes({}).add("x", [2, 3, 16, 12]).add("w", [2, 5]).add("labels", [2, 8, 6], "int64", 0, 4)


@family
def optical_flow(r, inputs):
    """A volume of all correlations, looked up around the flow, refined by a recurrent unit (RAFT); shifted costs (PWC-Net)."""
    c, radius = 6, 1

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.stem, self.enc, self.flow = (
                conv_bn(3, c, 3, 4, act=None),
                nn.Conv2D(2 * 9 + 2, c, 3, padding=1),
                nn.Conv2D(c, 2, 3, padding=1),
            )
            self.z, self.r, self.q = (nn.Conv2D(2 * c, c, 3, padding=1) for _ in range(3))
            self.mask = nn.Conv2D(c, 9 * 16, 1)

        def forward(self, x, y):
            f, g = self.stem(x), self.stem(y)
            b, _, h, w = f.shape
            corr = paddle.matmul(f.flatten(2), g.flatten(2), transpose_x=True).reshape([b * h * w, 1, h, w]) / math.sqrt(c)
            pyramid = [corr, F.avg_pool2d(corr, 2, 2)]
            gy, gx = paddle.meshgrid(paddle.arange(h, dtype="float32"), paddle.arange(w, dtype="float32"))
            base = paddle.stack([gx, gy], 0).unsqueeze(0).expand([b, 2, h, w])
            at, state = base, paddle.tanh(f)
            d = paddle.linspace(-radius, radius, 2 * radius + 1)
            delta = paddle.stack(paddle.meshgrid(d, d), -1).reshape([1, 3, 3, 2])
            for _ in range(2):
                outs = []
                for k, p in enumerate(pyramid):
                    centre = at.transpose([0, 2, 3, 1]).reshape([b * h * w, 1, 1, 2]) / 2**k
                    grid = centre + delta
                    ph, pw = p.shape[2], p.shape[3]
                    grid = paddle.concat([2 * grid[..., :1] / (pw - 1) - 1, 2 * grid[..., 1:] / (ph - 1) - 1], -1)
                    outs.append(F.grid_sample(p, grid, align_corners=True).reshape([b, h, w, 9]))
                look = paddle.concat(outs, -1).transpose([0, 3, 1, 2])
                e = F.relu(self.enc(paddle.concat([look, at - base], 1)))
                hx = paddle.concat([state, e], 1)
                z, rr = F.sigmoid(self.z(hx)), F.sigmoid(self.r(hx))
                state = (1 - z) * state + z * paddle.tanh(self.q(paddle.concat([rr * state, e], 1)))
                at = at + self.flow(state)
            mask = F.softmax(self.mask(state).reshape([b, 1, 9, 4, 4, h, w]) * 0.25, 2)
            up = F.unfold(4 * (at - base), 3, paddings=1).reshape([b, 2, 9, 1, 1, h, w])
            up = (mask * up).sum(2).transpose([0, 1, 4, 2, 5, 3]).reshape([b, 2, 4 * h, 4 * w])
            padded = F.pad(g, [1, 1, 1, 1])
            cost = paddle.concat([(f * padded[:, :, i : i + h, j : j + w]).mean(1, keepdim=True) for i in range(3) for j in range(3)], 1)
            return up, F.leaky_relu(cost, 0.1)

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("x", ["B", 3, 32, 24]).add("y", ["B", 3, 32, 24])


@family
def volumes(r, inputs):
    """3-D layers of every kind: clips and scans (I3D, R(2+1)D, UNETR, TSM)."""
    c = 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.bn, self.s, self.t = (
                nn.Conv3D(2, c, 3, padding=1),
                nn.BatchNorm3D(c),
                nn.Conv3D(c, c, (1, 3, 3), padding=(0, 1, 1)),
                nn.Conv3D(c, c, (3, 1, 1), padding=(1, 0, 0), groups=r.choice([1, c])),
            )
            self.up, self.norm = nn.Conv3DTranspose(c, 3, 2, 2, output_padding=r.choice([0, 1])), r.choice(
                [nn.InstanceNorm3D(c), nn.GroupNorm(2, c)]
            )
            self.conv2, self.head = nn.Conv2D(c, c, 3, padding=1), nn.Linear(c, 5)

        def forward(self, x):
            y = F.relu(self.bn(self.a(x)))
            y = self.norm(self.t(F.leaky_relu(self.s(y), 0.01)))
            p = F.max_pool3d(y, (1, 2, 2), (1, 2, 2)) + F.avg_pool3d(y, (1, 2, 2), (1, 2, 2))
            b, _, d, h, w = paddle.shape(y)
            z = y.transpose([0, 2, 1, 3, 4])
            front, back, rest = z[:, 1:, :1], z[:, :-1, 1:2], z[:, :, 2:]
            front = paddle.concat([front, paddle.zeros_like(front[:, :1])], 1)
            back = paddle.concat([paddle.zeros_like(back[:, :1]), back], 1)
            z = paddle.concat([front, back, rest], 2).reshape([-1, c, h, w])
            z = self.conv2(z).reshape([b, d, c, h, w]).mean(1)
            up = self.up(p)
            tri = F.interpolate(p, scale_factor=[1.0, 2.0, 2.0], mode="trilinear", align_corners=r.random() < 0.5, data_format="NCDHW")
            return (
                up,
                tri,
                z,
                self.head(F.adaptive_avg_pool3d(y, 1).flatten(1)),
                F.interpolate(p, size=[3, 4, 5], mode="nearest", data_format="NCDHW"),
            )

    return Net(), inputs.sizes({"B": 1, "D": 4}, {"B": 2, "D": 6}).add("x", ["B", 2, "D", 8, 8])
