"""Operators learned from data, physics, graphs, point clouds, distributions."""

import math

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family


def points(inputs, d=2):
    return inputs.sizes({"N": 6}, {"N": 11}, {"N": 1}).add("x", ["N", d])


@family
def sine_network(r, inputs):
    """Fourier features, sines, modified layers, weight-factorised layers, periods, normalised inputs."""
    d, c = 2, 8
    acts = r.sample(
        [paddle.sin, paddle.tanh, F.silu, lambda v: v * F.sigmoid(v), lambda v: paddle.exp(-v * v), lambda v: paddle.cos(v) + 0.5], 2
    )

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer("b", paddle.randn([d, 4]))
            self.u, self.v, self.h = nn.Linear(8, c), nn.Linear(8, c), nn.LayerList([nn.Linear(8, c), nn.Linear(c, c)])
            self.g, self.w = self.create_parameter([c], default_initializer=nn.initializer.Normal(0, 0.2)), self.create_parameter([c, c])
            self.out, self.omega = nn.Linear(c, 2), self.create_parameter([1], default_initializer=nn.initializer.Constant(3.0))

        def forward(self, x):
            x = (x - 0.1) / 1.5
            y = 2 * math.pi * x @ self.b
            y = paddle.concat([paddle.cos(y), paddle.sin(y)], -1)
            u, v = acts[0](self.u(y)), acts[0](self.v(y))
            for layer in self.h:
                y = acts[1](layer(y))
                y = y * u + (1 - y) * v
            y = paddle.sin(self.omega * (y @ (self.w * paddle.exp(self.g))))
            return self.out(y), (x**2).sum(-1, keepdim=True).sqrt()

    return Net(), points(inputs)


@family
def derivatives(r, inputs):
    """A network whose outputs are derivatives: the program holds gradients."""
    c, act = 6, r.choice([paddle.tanh, F.silu, paddle.sin, F.sigmoid, lambda v: v * v * v])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Linear(2, c), nn.Linear(c, c), nn.Linear(c, 1)

        def forward(self, x):
            x.stop_gradient = False
            u = self.c(act(self.b(act(self.a(x)))))
            g = paddle.grad(u, x, create_graph=True)[0]
            second = paddle.grad(g[:, 0:1], x, create_graph=False)[0]
            return u, g, second[:, 0:1] - g[:, 1:2] * u

    return Net(), points(inputs)


@family
def fourier_operator(r, inputs):
    """Spectral convolutions with complex weights (FNO), adaptive ones with soft shrinkage (AFNO)."""
    c, m, n, way = 4, 3, 12, r.choice(["fno", "afno"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.lift, self.skip, self.project = nn.Linear(3, c), nn.Conv2D(c, c, 1), nn.Linear(c, 1)
            self.weights = nn.ParameterList(
                [self.create_parameter([c, c, m, m, 2], default_initializer=nn.initializer.Normal(0, 0.3)) for _ in range(2)]
            )
            self.w1, self.b1 = self.create_parameter(
                [2, 2, c // 2, c // 2], default_initializer=nn.initializer.Normal(0, 0.5)
            ), self.create_parameter([2, 2, c // 2], is_bias=True)

        def forward(self, a):
            b = a.shape[0]
            gx = paddle.linspace(0, 1, n).reshape([1, n, 1, 1]).expand([b, n, n, 1])
            gy = (
                paddle.linspace(0, 1, n)
                .reshape([1, 1, n, 1])
                .tile([b, 1, n, 1])
                .transpose([0, 1, 2, 3])
                .reshape([b, 1, n, n])
                .transpose([0, 3, 2, 1])[..., :1]
            )
            x = self.lift(paddle.concat([a, gx, gy.expand([b, n, n, 1])], -1)).transpose([0, 3, 1, 2])
            x = F.pad(x, [0, 2, 0, 2])
            f = paddle.fft.rfft2(x, norm=r.choice(["backward", "ortho", "forward"]))
            if way == "fno":
                w1, w2 = (paddle.as_complex(w) for w in self.weights)
                out = paddle.zeros([b, c, n + 2, (n + 2) // 2 + 1], "complex64")
                out[:, :, :m, :m] = paddle.einsum("bixy,ioxy->boxy", f[:, :, :m, :m], w1)
                out[:, :, -m:, :m] = paddle.einsum("bixy,ioxy->boxy", f[:, :, -m:, :m], w2)
                y = paddle.fft.irfft2(out, s=(n + 2, n + 2))
            else:
                z = f.transpose([0, 2, 3, 1]).reshape([b, n + 2, (n + 2) // 2 + 1, 2, c // 2])
                re = F.relu(
                    paddle.einsum("...bi,bio->...bo", z.real(), self.w1[0])
                    - paddle.einsum("...bi,bio->...bo", z.imag(), self.w1[1])
                    + self.b1[0]
                )
                im = F.relu(
                    paddle.einsum("...bi,bio->...bo", z.imag(), self.w1[0])
                    + paddle.einsum("...bi,bio->...bo", z.real(), self.w1[1])
                    + self.b1[1]
                )
                z = paddle.as_complex(F.softshrink(paddle.stack([re, im], -1), 0.01))
                y = paddle.fft.irfft2(z.flatten(3).transpose([0, 3, 1, 2]), s=[n + 2, n + 2])
            y = F.gelu(y + self.skip(x))[..., :n, :n]
            return self.project(y.transpose([0, 2, 3, 1]))

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("a", ["B", n, n, 1])


@family
def deep_operator(r, inputs):
    """A branch and a trunk, tensor products of coordinates, and a norm of residuals (DeepONet, SPINN)."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.branch, self.trunk = nn.Sequential(nn.Linear(10, 12), nn.Tanh(), nn.Linear(12, c)), nn.Sequential(
                nn.Linear(1, 12), nn.Silu(), nn.Linear(12, c)
            )
            self.bias = self.create_parameter([1], is_bias=True)

        def forward(self, u, y):
            b, t = self.branch(u), self.trunk(y)
            g = paddle.einsum("bi,ni->bn", b, t) + self.bias
            cube = paddle.einsum("ni,mi,ki->nmk", t, t * 0.5, paddle.sin(t))
            error = paddle.linalg.norm(g - 0.1, p=2, axis=1) / (paddle.linalg.norm(u, p=2, axis=1) + 1e-3)
            return (
                g,
                cube.mean([1, 2]),
                error,
                F.mse_loss(g, g * 0.5, reduction="none"),
                F.smooth_l1_loss(u, u * 2, reduction="sum", delta=0.7),
            )

    return Net(), inputs.sizes({"B": 2, "N": 5}, {"B": 1, "N": 7}).add("u", ["B", 10]).add("y", ["N", 1])


# ---- graphs


def edges(inputs):
    return (
        inputs.sizes({"N": 6, "E": 9}, {"N": 6, "E": 14})
        .add("x", ["N", 5])
        .add("src", ["E"], "int64", 0, 6)
        .add("dst", ["E"], "int64", 0, 6)
    )


@family
def graph_layers(r, inputs):
    """Messages along edges: sums, means, maxima, attention over neighbours, normalised by degrees."""
    c, way = 6, r.choice(["gcn", "gat", "gin", "sage", "edge"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.w, self.a, self.b, self.out = nn.Linear(5, c), nn.Linear(c, 1), nn.Linear(c, 1), nn.Linear(2 * c, 3)
            self.eps = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.3))

        def forward(self, x, src, dst):
            n = paddle.shape(x)[0]
            h = self.w(x)
            ones = paddle.ones([src.shape[0], 1])
            degree = paddle.geometric.send_u_recv(paddle.ones([x.shape[0], 1]), src, dst, "sum")
            if way == "gcn":
                norm = paddle.pow(paddle.clip(degree, min=1.0), -0.5)
                y = paddle.geometric.send_u_recv(h * norm, src, dst, "sum", out_size=None) * norm
            elif way == "gat":
                e = F.leaky_relu(paddle.geometric.send_uv(self.a(h), self.b(h), src, dst, "add"), 0.2)
                e = paddle.exp(e - e.max())
                total = paddle.scatter_nd_add(paddle.zeros([x.shape[0], 1]), dst.unsqueeze(-1), e)
                a = e / (paddle.gather(total, dst) + 1e-9)
                y = paddle.geometric.send_ue_recv(h, a, src, dst, "mul", "sum")
            elif way == "gin":
                y = (1 + self.eps) * h + paddle.geometric.send_u_recv(h, src, dst, r.choice(["sum", "max", "min"]))
            elif way == "sage":
                y = F.normalize(paddle.geometric.send_u_recv(h, src, dst, "mean"), axis=-1)
            else:
                m = paddle.concat([paddle.gather(h, src), paddle.gather(h, dst) - paddle.gather(h, src)], -1)
                y = paddle.scatter(paddle.zeros([x.shape[0], c]), dst, F.relu(m[:, :c] + m[:, c:]), overwrite=False)
            pooled = paddle.geometric.segment_mean(y, paddle.sort(dst[:1] * 0).expand([x.shape[0]]))
            return self.out(paddle.concat([h, y], -1)), pooled, degree, ones.sum() / n.astype("float32")

    return Net(), edges(inputs)


@family
def dense_graph(r, inputs):
    """Learned adjacencies, Chebyshev polynomials, diffusion, temporal gates (STGCN, MTGNN), message passing by edges of all pairs (SchNet)."""
    n, c = 5, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.e1, self.e2 = (self.create_parameter([n, 4], default_initializer=nn.initializer.Normal()) for _ in range(2))
            self.theta, self.time, self.filter = self.create_parameter([3, c, c]), nn.Conv2D(c, 2 * c, (1, 3)), nn.Linear(8, c)
            self.register_buffer("centres", paddle.linspace(0.0, 3.0, 8))

        def forward(self, x, xyz):
            a = F.softmax(F.relu(self.e1 @ self.e2.t()), 1)
            k = paddle.topk(a, 3, 1)[1]
            mask = paddle.zeros_like(a)
            mask = paddle.put_along_axis(mask, k, 1.0, 1)
            a = a * mask
            a = a / a.sum(1, keepdim=True)
            cheb = [paddle.eye(n), a, 2 * a @ a - paddle.eye(n)]
            y = sum(paddle.einsum("nm,bcmt,cd->bdnt", t, x, self.theta[i]) for i, t in enumerate(cheb))
            p, q = paddle.split(self.time(y), 2, 1)
            gap = xyz.unsqueeze(1) - xyz.unsqueeze(0)
            distance = paddle.sqrt((gap**2).sum(-1) + 1e-9)
            rbf = paddle.exp(-4.0 * (distance.unsqueeze(-1) - self.centres) ** 2)
            cut = 0.5 * (paddle.cos(distance * math.pi / 3) + 1) * (distance < 3).astype("float32")
            m = (self.filter(rbf) * cut.unsqueeze(-1)).sum(1)
            return paddle.tanh(p) * F.sigmoid(q), m, paddle.cross(xyz, xyz.roll(1, 0), axis=1), paddle.cdist(xyz, xyz * 2)

    return Net(), inputs.sizes({"B": 2, "T": 6, "M": 4}, {"B": 1, "T": 9, "M": 7}).add("x", ["B", c, n, "T"]).add("xyz", ["M", 3])


# ---- point clouds


@family
def point_sets(r, inputs):
    """Farthest points, neighbours in a ball or the nearest, grouped features, interpolation by distance (PointNet++, DGCNN)."""
    n, k, m, c = 12, 4, 5, 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.edge, self.group, self.back = nn.Conv2D(6, c, 1), nn.Conv2D(3 + c, c, 1), nn.Conv1D(2 * c, c, 1)

        def forward(self, xyz):
            b = xyz.shape[0]
            inner = paddle.matmul(xyz, xyz, transpose_y=True)
            square = (xyz**2).sum(-1, keepdim=True)
            gap = square - 2 * inner + square.transpose([0, 2, 1])
            near = paddle.topk(-gap, k, -1)[1]
            base = paddle.arange(b).reshape([-1, 1, 1]) * n
            around = paddle.gather(xyz.reshape([-1, 3]), (near + base).flatten()).reshape([b, n, k, 3])
            feats = paddle.concat([around - xyz.unsqueeze(2), xyz.unsqueeze(2).expand([b, n, k, 3])], -1).transpose([0, 3, 1, 2])
            y = F.leaky_relu(self.edge(feats), 0.2).max(-1)
            distance = paddle.full([b, n], 1e10)
            at = paddle.zeros([b], "int64")
            chosen = []
            rows = paddle.arange(b)
            for _ in range(m):
                chosen.append(at)
                centre = paddle.gather_nd(xyz, paddle.stack([rows, at], -1)).unsqueeze(1)
                distance = paddle.minimum(distance, ((xyz - centre) ** 2).sum(-1))
                at = paddle.argmax(distance, -1)
            chosen = paddle.stack(chosen, 1)
            centres = paddle.take_along_axis(xyz, chosen.unsqueeze(-1).expand([b, m, 3]), 1)
            d = ((centres.unsqueeze(2) - xyz.unsqueeze(1)) ** 2).sum(-1)
            index = paddle.arange(n).reshape([1, 1, n]).expand([b, m, n])
            index = paddle.where(d > 2.0, paddle.full_like(index, n), index).sort(-1)[:, :, :k]
            first = index[:, :, :1].expand([b, m, k])
            index = paddle.where(index == n, first, index)
            flat = (index + base).flatten()
            ball = paddle.gather(xyz.reshape([-1, 3]), flat).reshape([b, m, k, 3]) - centres.unsqueeze(2)
            f = paddle.gather(y.transpose([0, 2, 1]).reshape([-1, c]), flat).reshape([b, m, k, c])
            z = F.relu(self.group(paddle.concat([ball, f], -1).transpose([0, 3, 2, 1]))).max(2)
            dist, nearest = paddle.topk(d.transpose([0, 2, 1]), 3, largest=False)
            w = 1.0 / (dist + 1e-3)
            w = w / w.sum(-1, keepdim=True)
            picked = paddle.gather(
                z.transpose([0, 2, 1]).reshape([-1, c]), (nearest + paddle.arange(b).reshape([-1, 1, 1]) * m).flatten()
            ).reshape([b, n, 3, c])
            up = (picked * w.unsqueeze(-1)).sum(2).transpose([0, 2, 1])
            return self.back(paddle.concat([y, up], 1)), chosen, centres

    return Net(), inputs.sizes({"B": 2}, {"B": 1}).add("xyz", ["B", n, 3])


@family
def pillars(r, inputs):
    """Points scattered into a map of cells, means of cells, a bird's view (PointPillars, LSS)."""
    c, side = 6, 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.pfn, self.bn, self.conv = nn.Linear(8, c, bias_attr=False), nn.BatchNorm1D(c), nn.Conv2D(c, 4, 3, padding=1)

        def forward(self, voxels, count, at):
            mean = voxels[:, :, :3].sum(1, keepdim=True) / count.astype("float32").reshape([-1, 1, 1])
            offset = voxels[:, :, :2] - at[:, 1:3].unsqueeze(1).astype("float32")
            x = paddle.concat([voxels, voxels[:, :, :3] - mean, offset[:, :, :1]], -1)
            mask = (paddle.arange(x.shape[1]).unsqueeze(0) < count.unsqueeze(1)).astype("float32").unsqueeze(-1)
            x = x * mask
            x = F.relu(self.bn(self.pfn(x).transpose([0, 2, 1])).transpose([0, 2, 1])).max(1)
            flat = at[:, 0] * side * side + at[:, 1] * side + at[:, 2]
            canvas = paddle.scatter(paddle.zeros([2 * side * side, c]), flat, x, overwrite=True)
            sums = paddle.scatter_nd_add(paddle.zeros([2, side, side, c]), at, x)
            canvas = canvas.reshape([2, side, side, c]).transpose([0, 3, 1, 2])
            order = paddle.argsort(flat, stable=True)
            running = paddle.cumsum(paddle.gather(x, order), 0)
            last = paddle.concat([flat[order][1:] != flat[order][:-1], paddle.ones([1], "bool")])
            kept = running[last]
            kept = paddle.concat([kept[:1], kept[1:] - kept[:-1]])
            return self.conv(canvas), sums.sum([1, 2]), kept.sum(0)

    def cells(rng, shape):
        import numpy as np

        flat = rng.permutation(2 * side * side)[: shape[0]]
        return np.stack([flat // (side * side), flat // side % side, flat % side], -1)

    return Net(), inputs.sizes({"V": 7}, {"V": 12}).add("voxels", ["V", 5, 4]).add("count", ["V"], "int64", 1, 6).add(
        "at", ["V", 3], "int64", how=cells
    )


@family
def radiance(r, inputs):
    """Rays: encoded positions, densities composed along them, finer samples from their shares (NeRF)."""
    n, c = 6, 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3 + 3 * 2 * 3, c), nn.Linear(c, 4)

        def field(self, x):
            f = 2.0 ** paddle.arange(3, dtype="float32")
            y = (x.unsqueeze(-1) * f).flatten(-2)
            return self.b(F.relu(self.a(paddle.concat([x, paddle.sin(y), paddle.cos(y)], -1))))

        def forward(self, origin, direction):
            z = paddle.linspace(0.5, 3.0, n).expand([origin.shape[0], n])
            x = origin.unsqueeze(1) + direction.unsqueeze(1) * z.unsqueeze(-1)
            raw = self.field(x)
            gap = paddle.concat([z[..., 1:] - z[..., :-1], paddle.full_like(z[..., :1], 1e10)], -1) * paddle.linalg.norm(
                direction, axis=-1, keepdim=True
            )
            alpha = 1.0 - paddle.exp(-F.relu(raw[..., 3]) * gap)
            w = alpha * paddle.cumprod(paddle.concat([paddle.ones_like(alpha[..., :1]), 1.0 - alpha + 1e-10], -1), dim=-1)[..., :-1]
            rgb = (w.unsqueeze(-1) * F.sigmoid(raw[..., :3])).sum(-2)
            depth = (w * z).sum(-1)
            mids = 0.5 * (z[..., 1:] + z[..., :-1])
            pdf = (w[..., 1:-1] + 1e-5) / (w[..., 1:-1] + 1e-5).sum(-1, keepdim=True)
            cdf = paddle.concat([paddle.zeros_like(pdf[..., :1]), paddle.cumsum(pdf, -1)], -1)
            u = paddle.linspace(0.05, 0.95, 4).expand([origin.shape[0], 4])
            index = paddle.searchsorted(cdf, u, right=True)
            low, high = paddle.clip(index - 1, min=0), paddle.clip(index, max=cdf.shape[-1] - 1)
            c0, c1 = paddle.take_along_axis(cdf, low, 1), paddle.take_along_axis(cdf, high, 1)
            b0, b1 = paddle.take_along_axis(mids, low, 1), paddle.take_along_axis(mids, high, 1)
            span = paddle.where(c1 - c0 < 1e-5, paddle.ones_like(c0), c1 - c0)
            fine = b0 + (u - c0) / span * (b1 - b0)
            both = paddle.sort(paddle.concat([z, fine], -1), -1)
            return rgb, depth, both, self.field(origin.unsqueeze(1) + direction.unsqueeze(1) * both.unsqueeze(-1))

    return Net(), inputs.sizes({"N": 4}, {"N": 7}).add("origin", ["N", 3]).add("direction", ["N", 3])


# ---- distributions


@family
def distributions(r, inputs):
    """Densities, entropies, distribution functions and divergences."""
    way = r.choice(
        [
            "normal",
            "laplace",
            "gumbel",
            "beta",
            "categorical",
            "lognormal",
            "cauchy",
            "multivariate",
            "exponential",
            "student",
            "poisson",
            "transformed",
        ]
    )
    D = paddle.distribution

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f = nn.Linear(4, 6)

        def forward(self, x, y):
            a, b = self.f(x).split(2, -1)
            s = F.softplus(b) + 0.3
            y = y[:, :3]
            p = paddle.clip(F.sigmoid(y), 0.05, 0.95)
            if way == "normal":
                d, e = D.Normal(a, s), D.Normal(a * 0.5, s + 0.2)
                return d.log_prob(y), d.entropy(), d.probs(y), D.kl_divergence(d, e)
            if way == "laplace":
                d = D.Laplace(a, s)
                return d.log_prob(y), d.entropy(), d.cdf(y), d.icdf(p), D.kl_divergence(d, D.Laplace(y, s))
            if way == "gumbel":
                d = D.Gumbel(a, s)
                return d.log_prob(y), d.entropy(), d.cdf(y), d.mean, d.variance
            if way == "beta":
                d = D.Beta(F.softplus(a) + 0.3, s)
                return d.log_prob(p), d.entropy(), d.mean, d.variance, D.kl_divergence(d, D.Beta(s, s))
            if way == "categorical":
                d, e = D.Categorical(a), D.Categorical(b)
                return d.entropy(), d.kl_divergence(e), d.log_prob(paddle.argmax(y, -1))
            if way == "lognormal":
                d = D.LogNormal(a, s)
                return d.log_prob(paddle.exp(y)), d.entropy(), d.mean
            if way == "cauchy":
                d = D.Cauchy(a, s)
                return d.log_prob(y), d.entropy(), d.cdf(y), d.kl_divergence(D.Cauchy(y, s))
            if way == "multivariate":
                m = paddle.tril(a.unsqueeze(-1) * b.unsqueeze(-2)) * 0.1 + paddle.eye(3)
                d = D.MultivariateNormal(a, scale_tril=m)
                return d.log_prob(y), d.entropy()
            if way == "exponential":
                d = D.Exponential(s)
                return d.log_prob(paddle.exp(y)), d.entropy(), d.cdf(paddle.exp(y)), d.icdf(p)
            if way == "student":
                d = D.StudentT(s + 2.5, a, s)
                return d.log_prob(y), d.entropy(), d.mean
            if way == "poisson":
                d, g = D.Poisson(s), D.Geometric(p)
                k = paddle.floor(paddle.abs(y) * 2)
                return (
                    d.log_prob(k),
                    g.log_pmf(k),
                    g.entropy(),
                    D.Bernoulli(p).entropy(),
                    D.Bernoulli(p).log_prob((y > 0).astype("float32")),
                )
            d = D.TransformedDistribution(
                D.Normal(a, s), [D.AffineTransform(paddle.full([1], 0.5), paddle.full([1], 2.0)), D.TanhTransform()]
            )
            return d.log_prob(paddle.tanh(y) * 0.9), D.StickBreakingTransform().forward(y), D.SigmoidTransform().forward_log_det_jacobian(y)

    return Net(), inputs.sizes({"B": 2}, {"B": 5}).add("x", ["B", 4]).add("y", ["B", 4])


@family
def flows(r, inputs):
    """Splines of rational quadratics, couplings, invertible convolutions (neural spline flows, VITS)."""
    bins, c = 5, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.f, self.w, self.ls, self.t = (
                nn.Linear(c, c * (3 * bins + 1)),
                self.create_parameter([c, c]),
                nn.Linear(2, 2),
                nn.Linear(2, 2),
            )

        def forward(self, x, y):
            h = self.f(x).reshape([x.shape[0], c, 3 * bins + 1])
            tail, least = 3.0, 1e-3
            w, hh, d = F.softmax(h[..., :bins], -1), F.softmax(h[..., bins : 2 * bins], -1), h[..., 2 * bins :]
            w, hh = least + (1 - least * bins) * w, least + (1 - least * bins) * hh
            cw = F.pad(paddle.cumsum(w, -1), [1, 0], data_format="NCL") * 2 * tail - tail
            ch = F.pad(paddle.cumsum(hh, -1), [1, 0], data_format="NCL") * 2 * tail - tail
            d = least + F.softplus(d)
            w, hh = cw[..., 1:] - cw[..., :-1], ch[..., 1:] - ch[..., :-1]
            inside = paddle.logical_and(y >= -tail, y <= tail)
            v = paddle.clip(y, -tail + 1e-4, tail - 1e-4)
            at = (v.unsqueeze(-1) >= cw).astype("int64").sum(-1, keepdim=True) - 1
            at = paddle.clip(at, 0, bins - 1)

            def take(z, at):
                return paddle.take_along_axis(z, at, -1).squeeze(-1)

            x0, y0, dx, dy, d0, d1 = take(cw, at), take(ch, at), take(w, at), take(hh, at), take(d, at), take(d, at + 1)
            slope = dy / dx
            u = (v - x0) / dx
            rest = u * (1 - u)
            bottom = slope + (d0 + d1 - 2 * slope) * rest
            out = y0 + dy * (slope * u**2 + d0 * rest) / bottom
            log = paddle.log(slope**2 * (d1 * u**2 + 2 * slope * rest + d0 * (1 - u) ** 2)) - 2 * paddle.log(bottom)
            out = paddle.where(inside, out, y)
            log = paddle.where(inside, log, paddle.zeros_like(log))
            a, b = out.chunk(2, -1)
            ls = paddle.tanh(self.ls(a))
            z = paddle.concat([a, b * paddle.exp(ls) + self.t(a)], -1)
            w2 = self.w + paddle.eye(c) * 2
            z = z @ w2
            total = log.sum(-1) + ls.sum(-1) + paddle.linalg.slogdet(w2)[1]
            return z, total, paddle.matmul(z, paddle.linalg.inv(w2))

    return Net(), inputs.sizes({"B": 3}, {"B": 6}).add("x", ["B", c]).add("y", ["B", c])
