"""Forecasting of time series, and recommendation."""

import math

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family


def series(inputs, length=24, channels=3):
    return inputs.sizes({"B": 2}, {"B": 1}, {"B": 5}).add("x", ["B", length, channels])


@family
def informer(r, inputs):
    """Attention of the queries whose scores stand out, among sampled keys; distilling convolutions."""
    c, h, d = 8, 2, 3

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Conv1D(d, c, 3, padding=1, padding_mode=r.choice(["circular", "replicate", "zeros"]))
            self.q, self.k, self.v = nn.Linear(c, c), nn.Linear(c, c), nn.Linear(c, c)
            self.down, self.norm, self.out = nn.Conv1D(c, c, 3, padding=1), nn.BatchNorm1D(c), nn.Linear(c, 1)
            self.register_buffer("sampled", paddle.randint(0, 24, [24, 6]))

        def forward(self, x):
            y = self.embed(x.transpose([0, 2, 1])).transpose([0, 2, 1])
            b, t, _ = y.shape
            q, k, v = (f(y).reshape([b, t, h, c // h]).transpose([0, 2, 1, 3]) for f in (self.q, self.k, self.v))
            some = paddle.index_select(k, self.sampled.flatten(), 2).reshape([b, h, t, 6, c // h])
            scores = paddle.matmul(q.unsqueeze(-2), some, transpose_y=True).squeeze(-2)
            m = scores.max(-1) - scores.sum(-1) / t
            top = paddle.topk(m, 5, axis=-1, sorted=False)[1].sort(-1)
            index = paddle.stack(paddle.meshgrid(paddle.arange(b), paddle.arange(h), paddle.arange(5)), -1)[..., :2]
            index = paddle.concat([index.astype("int64"), top.unsqueeze(-1)], -1)
            chosen = paddle.gather_nd(q, index)
            a = F.softmax(paddle.matmul(chosen, k, transpose_y=True) / math.sqrt(c // h), -1)
            context = v.mean(-2, keepdim=True).expand([b, h, t, c // h])
            update = paddle.matmul(a, v) - paddle.gather_nd(context, index)
            y = paddle.scatter_nd_add(context, index, update).transpose([0, 2, 1, 3]).reshape([b, t, c])
            z = F.max_pool1d(F.elu(self.norm(self.down(y.transpose([0, 2, 1])))), 3, 2, 1).transpose([0, 2, 1])
            return self.out(z), y

    return Net(), series(inputs)


@family
def decomposition(r, inputs):
    """Moving averages, trends, linear layers a channel, instance normalisation that is undone (DLinear, RevIN)."""
    t, d, k, out = 24, 3, r.choice([5, 6, 7]), 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.season, self.trend = nn.LayerList([nn.Linear(t, out) for _ in range(d)]), nn.Linear(t, out)
            self.gain, self.bias = self.create_parameter([d], default_initializer=nn.initializer.Constant(1.0)), self.create_parameter(
                [d], is_bias=True
            )

        def forward(self, x):
            mean = x.mean(1, keepdim=True).detach()
            std = paddle.sqrt(paddle.var(x, 1, keepdim=True, unbiased=False) + 1e-5)
            y = (x - mean) / std * self.gain + self.bias
            front = y[:, :1].tile([1, (k - 1) // 2, 1]) if r.random() < 0.5 else y[:, 0:1, :].repeat_interleave((k - 1) // 2, 1)
            end = y[:, -1:].tile([1, k // 2, 1])
            trend = F.avg_pool1d(paddle.concat([front, y, end], 1).transpose([0, 2, 1]), k, 1)
            season = y.transpose([0, 2, 1]) - trend
            outs = paddle.zeros([x.shape[0], d, out])
            for i in range(d):
                outs[:, i, :] = self.season[i](season[:, i, :])
            z = (outs + self.trend(trend)).transpose([0, 2, 1])
            return (z - self.bias) / (self.gain + 1e-10) * std + mean, season

    return Net(), series(inputs)


@family
def n_beats(r, inputs):
    """Blocks that take away their back-cast: polynomials, Fourier terms, interpolation (N-BEATS, N-HiTS)."""
    t, out = 24, 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.body = nn.LayerList([nn.Sequential(nn.Linear(t, 16), nn.ReLU(), nn.Linear(16, 12)) for _ in range(3)])
            at, to = paddle.arange(t, dtype="float32") / t, paddle.arange(out, dtype="float32") / out
            self.register_buffer("poly_back", paddle.stack([at**p for p in range(3)]))
            self.register_buffer("poly", paddle.stack([to**p for p in range(3)]))
            self.register_buffer(
                "four",
                paddle.concat(
                    [paddle.cos(2 * math.pi * to * k).unsqueeze(0) for k in range(3)]
                    + [paddle.sin(2 * math.pi * to * k).unsqueeze(0) for k in range(3)]
                ),
            )

        def forward(self, x):
            residual, total = x[..., 0], 0
            theta = self.body[0](residual)
            residual, total = residual - theta[:, :3] @ self.poly_back, total + theta[:, 3:6] @ self.poly
            theta = self.body[1](residual)
            total = total + paddle.einsum("bp,pt->bt", theta[:, 6:], self.four)
            pooled = F.max_pool1d(residual.unsqueeze(1), 2, 2).squeeze(1)
            theta = self.body[2](
                F.interpolate(pooled.unsqueeze(1), size=[t], mode="linear", align_corners=r.random() < 0.5, data_format="NCW").squeeze(1)
            )
            knots = theta[:, :3].unsqueeze(1)
            total = (
                total + F.interpolate(knots, size=out, mode=r.choice(["linear", "nearest"]), data_format="NCW").squeeze(1)
                if r.random() < 0.6
                else total
            )
            return total, residual

    return Net(), series(inputs)


@family
def periods(r, inputs):
    """The strongest periods of a Fourier transform fold the series into images (TimesNet); complex weights of modes (FEDformer)."""
    t, d, modes = 24, 4, r.choice([3, 5])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv = nn.LayerList([nn.Conv2D(d, d, 2 * k + 1, padding=k) for k in range(2)])
            self.wr, self.wi = (self.create_parameter([d, d, modes], default_initializer=nn.initializer.Normal(0, 0.3)) for _ in range(2))

        def forward(self, x):
            f = paddle.fft.rfft(x, axis=1)
            power = paddle.abs(f).mean(0).mean(-1)
            power[0] = 0
            _, top = paddle.topk(power, 2)
            weight = paddle.index_select(paddle.abs(f).mean(-1), top, 1)
            outs = []
            for p in (4, 6):
                z = x.reshape([-1, t // p, p, d]).transpose([0, 3, 1, 2])
                z = sum(conv(z) for conv in self.conv) / 2
                outs.append(F.gelu(z).transpose([0, 2, 3, 1]).reshape([-1, t, d]))
            y = (paddle.stack(outs, -1) * F.softmax(weight, 1).unsqueeze([1, 2])).sum(-1)
            z = paddle.fft.rfft(y.transpose([0, 2, 1]))[:, :, :modes]
            z = paddle.einsum("bim,iom->bom", z, paddle.complex(self.wr, self.wi))
            z = paddle.concat([z, paddle.zeros([x.shape[0], d, t // 2 + 1 - modes], "float32").astype("complex64")], -1)
            return paddle.fft.irfft(z, n=t), y

    return Net(), inputs.sizes({"B": 2}, {"B": 1}).add("x", ["B", t, d])


@family
def auto_correlation(r, inputs):
    """Delays with the largest autocorrelation, values rolled by them."""
    t, d = 16, 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

        def forward(self, x):
            q, k, v = self.q(x).transpose([0, 2, 1]), self.k(x).transpose([0, 2, 1]), self.v(x).transpose([0, 2, 1])
            corr = paddle.fft.irfft(paddle.fft.rfft(q, axis=-1) * paddle.conj(paddle.fft.rfft(k, axis=-1)), axis=-1)
            mean = corr.mean(1)
            w, delay = paddle.topk(mean, 3, -1)
            w = F.softmax(w, -1)
            values = paddle.concat([v, v], -1)
            start = paddle.arange(t).reshape([1, 1, t])
            y = paddle.zeros_like(v)
            for i in range(3):
                at = (start + delay[:, i].reshape([-1, 1, 1])).expand([x.shape[0], d, t])
                y = y + paddle.take_along_axis(values, at, -1) * w[:, i].reshape([-1, 1, 1])
            return y, mean

    return Net(), inputs.sizes({"B": 2}, {"B": 3}).add("x", ["B", t, d])


@family
def patches(r, inputs):
    """Patches of a padded series by unfold, attention within channels (PatchTST, iTransformer)."""
    t, d, p, s, c = 24, 3, 8, 4, 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.layer = nn.Linear(p, c), nn.TransformerEncoderLayer(c, 2, 16, 0.0, "gelu")
            self.inverted, self.head, self.bn = nn.Linear(t, c), nn.Linear(7 * c, 6), nn.BatchNorm1D(c)

        def forward(self, x):
            b = x.shape[0]
            y = F.pad(x.transpose([0, 2, 1]), [0, s], mode="replicate", data_format="NCL")
            y = (
                y.unfold(-1, p, s)
                if r.random() < 0.5
                else F.unfold(y.unsqueeze(2), [1, p], [1, s]).reshape([b, d, p, -1]).transpose([0, 1, 3, 2])
            )
            y = self.layer(self.embed(y).reshape([b * d, -1, c]))
            y = self.bn(y.transpose([0, 2, 1])).flatten(1)
            z = self.layer(self.inverted(x.transpose([0, 2, 1])))
            return self.head(y).reshape([b, d, 6]).transpose([0, 2, 1]), z

    return Net(), series(inputs)


@family
def dilated(r, inputs):
    """Causal dilated convolutions with weight normalisation, gates and skips (TCN, WaveNet), even and odd halves (SCINet)."""
    d, c = 3, 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.start = nn.Conv1D(d, c, 1)
            self.filters = nn.LayerList([nn.utils.weight_norm(nn.Conv1D(c, 2 * c, 2, dilation=2**k, padding=2**k)) for k in range(3)])
            self.skips = nn.LayerList([nn.Conv1D(c, 5, 1) for _ in range(3)])
            self.even = nn.Sequential(nn.Pad1D([1, 1], "replicate"), nn.Conv1D(c, c, 3), nn.LeakyReLU(0.01), nn.Tanh())

        def forward(self, x):
            y, skip = self.start(x.transpose([0, 2, 1])), 0.0
            for k, (f, s) in enumerate(zip(self.filters, self.skips)):
                z = f(y)[:, :, : -(2**k)]
                a, b = z.chunk(2, 1)
                z = paddle.tanh(a) * F.sigmoid(b)
                skip = skip + s(z)
                y = (y + z) * math.sqrt(0.5)
            e, o = y[:, :, ::2], y[:, :, 1::2]
            e2 = e * paddle.exp(self.even(o))
            o2 = o * paddle.exp(self.even(e)) - self.even(e2)
            merged = paddle.stack([e2, o2], -1).reshape(y.shape)
            return F.relu(skip), merged

    return Net(), series(inputs)


@family
def skip_rnn(r, inputs):
    """Convolution, recurrence, recurrence with a skip, a linear part (LSTNet); gated residual networks (TFT)."""
    t, d, c, p = 24, 4, 6, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv, self.gru, self.skip = nn.Conv2D(1, c, (5, d)), nn.GRU(c, 5), nn.GRU(c, 3, time_major=True)
            self.out, self.high, self.glu, self.norm = nn.Linear(5 + p * 3, d), nn.Linear(12, 1), nn.Linear(d, 2 * d), nn.LayerNorm(d)
            self.pick = nn.Linear(d * t, d)

        def forward(self, x):
            b = paddle.shape(x)[0]
            y = F.relu(self.conv(x.unsqueeze(1))).squeeze(3)
            _, h = self.gru(y.transpose([0, 2, 1]))
            h = h.squeeze(0)
            s = y[:, :, -20:].reshape([b, c, 5, p]).transpose([2, 0, 3, 1]).reshape([5, b * p, c])
            _, s = self.skip(s)
            z = self.out(paddle.concat([h, s.reshape([b, p * 3])], 1))
            linear = self.high(x[:, -12:].transpose([0, 2, 1]).reshape([-1, 12])).reshape([-1, d])
            chosen = F.softmax(self.pick(x.flatten(1)), -1).unsqueeze(1)
            g = self.norm(F.glu(self.glu(F.elu(x * chosen))) + x)
            return F.sigmoid(z + linear), g

    return Net(), inputs.sizes({"B": 2}, {"B": 1}).add("x", ["B", t, d])


# ---- recommendation


@family
def interactions(r, inputs):
    """Fields crossed in every known way."""
    f, c, words = 5, 4, 20
    ways = r.sample(["fm", "cross", "cin", "pnn", "bilinear", "afm", "mask", "fwfm"], 4)

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.first, self.embed = nn.Embedding(words, 1), nn.Embedding(words, c, sparse=False, padding_idx=0)
            self.cross_w, self.cross_b = self.create_parameter(
                [f * c, f * c], default_initializer=nn.initializer.Normal(0, 0.2)
            ), self.create_parameter([f * c], is_bias=True)
            self.cin, self.attention, self.bilinear = nn.Conv1D(f * f, 6, 1), nn.Linear(c, 4), nn.Linear(c, c, bias_attr=False)
            self.squeeze, self.mask = nn.Sequential(nn.Linear(f, 2), nn.ReLU(), nn.Linear(2, f), nn.ReLU()), nn.Sequential(
                nn.Linear(f * c, 8), nn.ReLU(), nn.Linear(8, f * c)
            )
            self.pairs = self.create_parameter([f * (f - 1) // 2, 1], default_initializer=nn.initializer.Normal())
            self.ln = nn.LayerNorm(f * c)

        def forward(self, ids, weights):
            e = self.embed(ids) * weights.unsqueeze(-1)
            flat = e.flatten(1)
            outs = [paddle.sum(self.first(ids).squeeze(-1) * weights, 1, keepdim=True)]
            left = [i for i in range(f) for _ in range(i + 1, f)]
            right = [j for i in range(f) for j in range(i + 1, f)]
            p, q = paddle.gather(e, paddle.to_tensor(left), axis=1), paddle.gather(e, paddle.to_tensor(right), axis=1)
            if "fm" in ways:
                outs.append(0.5 * (paddle.square(e.sum(1)) - paddle.square(e).sum(1)))
            if "cross" in ways:
                x = flat
                for _ in range(2):
                    x = flat * (paddle.matmul(x, self.cross_w) + self.cross_b) + x
                outs.append(x)
            if "cin" in ways:
                z = paddle.einsum("bhd,bmd->bhmd", e, e).reshape([-1, f * f, c])
                outs.append(F.relu(self.cin(z)).sum(-1))
            if "pnn" in ways:
                outs.append((p * q).sum(-1))
                outs.append(paddle.matmul(e.sum(1).unsqueeze(2), e.sum(1).unsqueeze(1)).flatten(1))
            if "bilinear" in ways:
                a = self.squeeze(e.mean(-1))
                outs.append((self.bilinear(p) * q).flatten(1) + a.sum(1, keepdim=True))
            if "afm" in ways:
                pq = p * q
                a = F.softmax(F.relu(self.attention(pq)).sum(-1, keepdim=True), 1)
                outs.append((a * pq).sum(1))
            if "mask" in ways:
                outs.append(self.ln(flat) * self.mask(flat))
            if "fwfm" in ways:
                outs.append(paddle.matmul((p * q).sum(-1), self.pairs))
            return F.sigmoid(paddle.concat(outs, -1))

    return Net(), inputs.sizes({"B": 2}, {"B": 7}).add("ids", ["B", f], "int64", 0, words).add("weights", ["B", f])


@family
def interest(r, inputs):
    """Histories: activation units, AUGRU, masked softmax, PReLU and Dice (DIN, DIEN)."""
    c, words, way = 6, 20, r.choice(["din", "dien", "bst"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.item, self.unit = nn.Embedding(words, c), nn.Sequential(nn.Linear(4 * c, 8), nn.PReLU(), nn.Linear(8, 1))
            self.gru, self.gates, self.cand = nn.GRU(c, c), nn.Linear(2 * c, 2 * c), nn.Linear(2 * c, c)
            self.block, self.out, self.bn = nn.TransformerEncoderLayer(c, 2, 12, 0.0), nn.Linear(2 * c, 4), nn.BatchNorm1D(4)
            self.alpha = self.create_parameter([4], default_initializer=nn.initializer.Constant(0.2))

        def forward(self, history, target):
            mask = history > 0
            h, q = self.item(history), self.item(target).unsqueeze(1)
            t = h.shape[1]
            query = q.expand([-1, t, -1])
            a = self.unit(paddle.concat([query, h, query - h, query * h], -1)).squeeze(-1)
            a = paddle.where(mask, a, paddle.full_like(a, -(2**31) + 1.0))
            a = F.softmax(a / c**0.5, -1)
            if way == "din":
                user = paddle.matmul(a.unsqueeze(1), h).squeeze(1)
            elif way == "bst":
                user = self.block(paddle.concat([h, q], 1)).mean(1)
            else:
                y, _ = self.gru(h)
                user = paddle.zeros_like(q.squeeze(1))
                for i in range(t):
                    step = y[:, i]
                    u, reset = paddle.chunk(F.sigmoid(self.gates(paddle.concat([step, user], -1))), 2, -1)
                    new = paddle.tanh(self.cand(paddle.concat([step, reset * user], -1)))
                    u = u * a[:, i : i + 1]
                    user = (1 - u) * user + u * new
            z = self.out(paddle.concat([user, q.squeeze(1)], -1))
            p = F.sigmoid(self.bn(z))
            return p * z + (1 - p) * self.alpha * z, a

    return Net(), inputs.sizes({"B": 2, "T": 5}, {"B": 3, "T": 8}).add("history", ["B", "T"], "int64", 0, words).add(
        "target", ["B"], "int64", 1, words
    )


@family
def capsules(r, inputs):
    """Routing: logits that iterate, squashed capsules, label-aware attention (MIND, ComiRec)."""
    c, k, words, rounds = 6, 3, 20, r.choice([2, 3])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.item, self.bilinear = nn.Embedding(words, c, padding_idx=0), nn.Linear(c, c, bias_attr=False)
            self.routing = self.create_parameter([1, k, 8], default_initializer=nn.initializer.Normal())

        def forward(self, history, target):
            mask = (history != 0).astype("float32").unsqueeze(1).tile([1, k, 1])
            low = self.bilinear(self.item(history))
            b = self.routing.tile([paddle.shape(history)[0], 1, 1])
            for i in range(rounds):
                w = F.softmax(paddle.where(mask == 0, paddle.full_like(b, -1e5), b), 1)
                high = paddle.matmul(w, low)
                square = high.square().sum(-1, keepdim=True)
                high = square / (1 + square) / paddle.sqrt(square + 1e-9) * high
                if i < rounds - 1:
                    b = b + paddle.matmul(high, low, transpose_y=True)
            q = self.item(target)
            a = paddle.matmul(high, q.unsqueeze(-1)).squeeze(-1)
            best = paddle.argmax(a, 1)
            user = paddle.gather(high.reshape([-1, c]), best + paddle.arange(paddle.shape(history)[0]) * k)
            soft = (F.softmax(paddle.pow(a, 2), 1).unsqueeze(-1) * high).sum(1)
            logits = paddle.matmul(user, self.item.weight, transpose_y=True)
            return user, soft, F.softmax_with_cross_entropy(logits, target.unsqueeze(-1))

    return Net(), inputs.sizes({"B": 2}, {"B": 4}).add("history", ["B", 8], "int64", 0, words).add("target", ["B"], "int64", 1, words)


@family
def many_tasks(r, inputs):
    """Experts shared by tasks, gates, and probabilities that multiply (MMoE, PLE, ESMM)."""
    d, e, c, tasks = 8, 3, 6, 2

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.experts, self.gates = nn.LayerList([nn.Linear(d, c) for _ in range(e)]), nn.LayerList(
                [nn.Linear(d, e) for _ in range(tasks)]
            )
            self.towers = nn.LayerList([nn.Sequential(nn.Linear(c, 4), nn.ReLU(), nn.Linear(4, 2)) for _ in range(tasks)])

        def forward(self, x):
            each = paddle.stack([F.relu(f(x)) for f in self.experts], 1)
            outs = []
            for gate, tower in zip(self.gates, self.towers):
                g = F.softmax(gate(x)).unsqueeze(-1)
                outs.append(paddle.clip(F.softmax(tower(paddle.sum(each * g, 1))), 1e-6, 1 - 1e-6))
            ctr, cvr = outs[0][:, 1:2], paddle.slice(outs[1], [1], [1], [2])
            loss = F.log_loss(ctr, paddle.ones_like(ctr)) + F.binary_cross_entropy(cvr, paddle.zeros_like(cvr), reduction="none")
            return ctr, ctr * cvr, loss

    return Net(), inputs.sizes({"B": 2}, {"B": 9}).add("x", ["B", d])


@family
def sequential(r, inputs):
    """Self-attention with time intervals and masks, all items scored (SASRec, TiSASRec), session graphs (SR-GNN)."""
    c, words = 6, 15

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.item, self.position, self.gap = nn.Embedding(words, c, padding_idx=0), nn.Embedding(16, c), nn.Embedding(8, c)
            self.q, self.k, self.v, self.edge, self.cell = (
                nn.Linear(c, c),
                nn.Linear(c, c),
                nn.Linear(c, c),
                nn.Linear(c, 2 * c),
                nn.GRUCell(2 * c, c),
            )

        def forward(self, history, times):
            b, t = history.shape
            x = self.item(history) * c**0.5 + self.position(paddle.arange(t))
            gaps = paddle.clip(paddle.abs(times.unsqueeze(2) - times.unsqueeze(1)), 0, 7)
            g = self.gap(gaps)
            a = paddle.matmul(self.q(x), self.k(x), transpose_y=True) + paddle.matmul(g, self.q(x).unsqueeze(-1)).squeeze(-1)
            allowed = paddle.logical_and(paddle.tril(paddle.ones([t, t], "bool")), (history != 0).unsqueeze(1))
            a = F.softmax(paddle.where(allowed, a / c**0.5, paddle.full([], -1e9)), -1)
            y = paddle.matmul(a, self.v(x)) + paddle.einsum("bij,bijc->bic", a, g)
            links = F.one_hot(history, words)
            adjacency = paddle.matmul(links[:, :-1], links[:, 1:], transpose_x=True)
            out = adjacency / paddle.clip(adjacency.sum(-1, keepdim=True), min=1.0)
            nodes = self.item.weight.unsqueeze(0).expand([b, words, c])
            m = paddle.matmul(out, self.edge(nodes)).reshape([-1, 2 * c])
            _, h = self.cell(m, nodes.reshape([-1, c]))
            session = paddle.bmm(links, h.reshape([b, words, c]))
            return paddle.matmul(y[:, -1], self.item.weight, transpose_y=True), session

    return Net(), inputs.sizes({"B": 2, "T": 5}, {"B": 1, "T": 9}).add("history", ["B", "T"], "int64", 0, words).add(
        "times", ["B", "T"], "int64", 0, 30
    )
