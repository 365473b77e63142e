"""Speech: spectra, streaming encoders, durations, vocoders, decoding."""

import math

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family

LENGTHS = {"how": lambda rng, shape: rng.randint(4, 9, shape)}


@family
def spectra_front(r, inputs):
    """Short-time Fourier transforms, mel filters, logarithms, normalised by mean and variance; and back."""
    n, hop = r.choice([(16, 8), (32, 8), (20, 10)])
    mels = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.register_buffer(
                "window", paddle.audio.functional.get_window(r.choice(["hann", "hamming", "blackman"]), n).astype("float32")
            )
            self.register_buffer("bank", paddle.audio.functional.compute_fbank_matrix(8000, n, mels).astype("float32"))
            self.register_buffer("dct", paddle.audio.functional.create_dct(4, mels).astype("float32"))
            self.center, self.mode = r.random() < 0.5, r.choice(["reflect", "constant"])

        def forward(self, x):
            s = paddle.signal.stft(x, n, hop, window=self.window, center=self.center, pad_mode=self.mode, onesided=True)
            power = paddle.abs(s) ** 2
            mel = paddle.matmul(self.bank, power)
            log = 10.0 * paddle.log10(paddle.clip(mel, min=1e-5))
            log = paddle.maximum(log, log.max() - 80.0)
            coefficients = paddle.matmul(log.transpose([0, 2, 1]), self.dct)
            mean, std = coefficients.mean(1, keepdim=True), coefficients.std(1, keepdim=True)
            frames = paddle.signal.frame(x, n, hop)
            energy = (frames**2).sum(-2)
            outs = [(coefficients - mean) / (std + 1e-5), paddle.angle(s + 3.0), energy]
            if self.center:
                outs.append(paddle.signal.istft(s, n, hop, window=self.window, center=True, length=x.shape[-1]))
            outs.append(paddle.signal.overlap_add(frames * self.window.unsqueeze(-1), hop))
            return outs

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("x", ["B", 80])


@family
def streaming(r, inputs):
    """A chunk of frames with caches of attention and convolution, masks of chunks (U2)."""
    c, h = 8, 2

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.sub, self.out = nn.Conv2D(1, 4, 3, 2), nn.Linear(4 * 3, c)
            self.q, self.k, self.v, self.o = (nn.Linear(c, c) for _ in range(4))
            self.point, self.deep, self.bn = nn.Conv1D(c, 2 * c, 1), nn.Conv1D(c, c, 3, groups=c), nn.BatchNorm1D(c)

        def forward(self, x, att, cnn, offset):
            x = F.relu(self.sub(x.unsqueeze(1)))
            b, _, t, f = paddle.shape(x)
            x = self.out(x.transpose([0, 2, 1, 3]).reshape([b, t, 12]))
            at = paddle.arange(t) + offset
            f = paddle.exp(paddle.arange(0, c, 2, dtype="float32") * -(math.log(10000.0) / c))
            angle = at.astype("float32").unsqueeze(1) * f
            x = x + paddle.concat([paddle.sin(angle), paddle.cos(angle)], -1)
            q, k, v = (z(x).reshape([b, -1, h, c // h]).transpose([0, 2, 1, 3]) for z in (self.q, self.k, self.v))
            if att.shape[2] > 0:
                pk, pv = paddle.split(att, 2, -1)
                k, v = paddle.concat([pk, k], 2), paddle.concat([pv, v], 2)
            new = paddle.concat([k, v], -1)
            a = F.softmax(paddle.matmul(q, k, transpose_y=True) / math.sqrt(c // h), -1)
            x = x + self.o(paddle.matmul(a, v).transpose([0, 2, 1, 3]).reshape([b, -1, c]))
            y = F.glu(self.point(x.transpose([0, 2, 1])), 1)
            y = paddle.concat([cnn, y], 2)
            kept = y[:, :, -2:]
            return x + F.silu(self.bn(self.deep(y))).transpose([0, 2, 1]), new[:, :, -6:], kept

    return Net(), inputs.sizes({"T": 9, "P": 4}, {"T": 13, "P": 0}, {"T": 7, "P": 1}).add("x", [1, "T", 7]).add("att", [1, h, "P", c]).add(
        "cnn", [1, c, 2]
    ).add("offset", [1], "int64", 0, 9)


@family
def length_regulator(r, inputs):
    """Frames repeated by durations (FastSpeech 2): by a loop, by repeat_interleave or by a mask of running sums."""
    c, way = 6, r.choice(["repeat", "mask", "gather"])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.duration, self.pitch, self.decoder = (
                nn.Embedding(20, c),
                nn.Conv1D(c, 1, 3, padding=1),
                nn.Conv1D(1, c, 3, padding=1),
                nn.TransformerEncoderLayer(c, 2, 12, 0.0),
            )
            self.norm = nn.LayerNorm(c)

        def forward(self, text):
            x = self.norm(self.embed(text))
            d = self.duration(x.transpose([0, 2, 1])).squeeze(1)
            frames = paddle.clip(paddle.round(paddle.exp(d)), 1, 4).astype("int64")
            x = x + self.pitch(d.unsqueeze(1)).transpose([0, 2, 1])
            if way == "repeat":
                y = paddle.repeat_interleave(x[0], frames[0], 0).unsqueeze(0)
            elif way == "mask":
                end = paddle.cumsum(frames, 1)
                at = paddle.arange(end[0, -1]).unsqueeze(-1)
                inside = paddle.logical_and(at < end[0], at >= (end - frames)[0]).astype("float32")
                y = paddle.matmul(inside, x[0]).unsqueeze(0)
            else:
                end = paddle.cumsum(frames[0])
                at = paddle.searchsorted(end, paddle.arange(end[-1]), right=True)
                y = paddle.index_select(x, at, 1)
            return self.decoder(y), frames

    return Net(), inputs.sizes({"T": 5}, {"T": 8}).add("text", [1, "T"], "int64", 1, 20)


@family
def attention_decoder(r, inputs):
    """A decoder that attends by content and place, step after step, until it stops (Tacotron 2)."""
    c, m = 6, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.pre, self.att, self.dec = nn.Linear(m, c), nn.LSTMCell(2 * c, c), nn.LSTMCell(2 * c, c)
            self.query, self.key, self.place, self.loc, self.v = (
                nn.Linear(c, c),
                nn.Linear(c, c, bias_attr=False),
                nn.Conv1D(2, 3, 3, padding=1),
                nn.Linear(3, c),
                nn.Linear(c, 1),
            )
            self.out, self.stop = nn.Linear(2 * c, m), nn.Linear(2 * c, 1)

        def forward(self, memory):
            b, t, _ = paddle.shape(memory)
            keys = self.key(memory)
            frame = paddle.zeros([b, m])
            context, total, weights = paddle.zeros([b, c]), paddle.zeros([b, t]), paddle.zeros([b, t])
            h1 = c1 = h2 = c2 = paddle.zeros([b, c])
            frames, aligns = [], []
            for i in range(6):
                _, (h1, c1) = self.att(paddle.concat([F.relu(self.pre(frame)), context], -1), (h1, c1))
                where = self.loc(self.place(paddle.stack([weights, total], 1)).transpose([0, 2, 1]))
                e = self.v(paddle.tanh(self.query(h1).unsqueeze(1) + keys + where)).squeeze(-1)
                weights = F.softmax(e, -1)
                total = total + weights
                context = paddle.bmm(weights.unsqueeze(1), memory).squeeze(1)
                _, (h2, c2) = self.dec(paddle.concat([h1, context], -1), (h2, c2))
                y = paddle.concat([h2, context], -1)
                frame = self.out(y)
                frames.append(frame)
                aligns.append(weights)
            return paddle.stack(frames, 1), paddle.stack(aligns, 1), F.sigmoid(self.stop(y))

    return Net(), inputs.sizes({"B": 1, "T": 5}, {"B": 2, "T": 7}).add("memory", ["B", "T", c])


@family
def vocoder(r, inputs):
    """Transposed convolutions and residual stacks, anti-aliased snakes, pseudo quadrature filters (HiFi-GAN, MelGAN, BigVGAN)."""
    c = 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.pre = nn.utils.weight_norm(nn.Conv1D(5, c, 7, padding=3))
            self.ups = nn.LayerList(
                [
                    nn.Conv1DTranspose(c // 2**i, c // 2 ** (i + 1), k, s, (k - s) // 2 if r.random() < 0.7 else 0, output_padding=0)
                    for i, (k, s) in enumerate([(4, 2), (8, 4)])
                ]
            )
            self.res = nn.LayerList([nn.Conv1D(c // 2, c // 2, 3, dilation=d, padding=d) for d in (1, 3)])
            self.post, self.alpha = nn.Conv1D(c // 4, 1, 7, padding=3), self.create_parameter(
                [1, c // 2, 1], default_initializer=nn.initializer.Constant(1.3)
            )
            self.register_buffer("low", paddle.to_tensor([0.1, 0.4, 0.4, 0.1]).reshape([1, 1, 4]).expand([c // 2, 1, 4]))
            self.register_buffer("bands", paddle.randn([1, 4, 9]))
            self.register_buffer(
                "step",
                F.one_hot(paddle.zeros([1], "int64"), 4).reshape([1, 1, 4]).expand([4, 1, 4])
                * paddle.eye(4).unsqueeze(-1).sum(1, keepdim=True),
            )

        def forward(self, mel):
            x = self.pre(mel)
            x = self.ups[0](F.leaky_relu(x, 0.1))
            y = F.conv1d_transpose(F.pad(x, [2, 2], mode="replicate", data_format="NCL"), self.low, stride=2, groups=c // 2)[:, :, 5:-5]
            y = y + paddle.sin(y * self.alpha) ** 2 / (self.alpha + 1e-9)
            y = F.conv1d(F.pad(y, [1, 2], mode="replicate", data_format="NCL"), self.low, stride=2, groups=c // 2)
            n = min(x.shape[-1], y.shape[-1]) if isinstance(x.shape[-1], int) and x.shape[-1] > 0 else None
            x = x + (y[:, :, :n] if n else y[:, :, :1])
            x = sum(conv(F.leaky_relu(x, 0.1)) for conv in self.res) / 2
            wav = paddle.tanh(self.post(F.leaky_relu(self.ups[1](x))))
            sub = wav.reshape([wav.shape[0], 1, -1])[:, :, : 4 * 5].reshape([-1, 4, 5])
            full = F.conv1d(F.pad(F.conv1d_transpose(sub, self.step * 4, stride=4, groups=4), [4, 4], data_format="NCL"), self.bands)
            return wav, full

    return Net(), inputs.sizes({"B": 1, "T": 6}, {"B": 2, "T": 9}).add("mel", ["B", 5, "T"])


@family
def speakers(r, inputs):
    """Statistics pooled over time, dilated stacks with squeeze, angles between embeddings (x-vector, AM softmax)."""
    c = 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layers = nn.LayerList([nn.Conv1D(5 if k == 0 else c, c, 3, dilation=k + 1, padding=k + 1) for k in range(3)])
            self.bn, self.att1, self.att2 = nn.LayerList([nn.BatchNorm1D(c) for _ in range(3)]), nn.Conv1D(3 * c, 4, 1), nn.Conv1D(4, c, 1)
            self.out, self.weight = nn.Linear(2 * c, 6), self.create_parameter([6, 7], default_initializer=nn.initializer.Normal())

        def forward(self, x, share):
            t = x.shape[2]
            for f, bn in zip(self.layers, self.bn):
                x = bn(F.relu(f(x)))
            mask = (
                (paddle.arange(t).astype("float32") < paddle.clip(F.sigmoid(share) * t, 2.0).unsqueeze(-1)).astype("float32").unsqueeze(1)
            )
            total = mask.sum(2, keepdim=True)
            mean = (x * mask / total).sum(2, keepdim=True)
            std = paddle.sqrt(((x - mean) ** 2 * mask / total).sum(2, keepdim=True).clip(1e-6))
            a = paddle.concat([x, mean.expand_as(x), std.expand_as(x)], 1)
            a = self.att2(paddle.tanh(self.att1(a)))
            a = F.softmax(paddle.where(mask.expand_as(a) == 0, paddle.full_like(a, -1e9), a), 2)
            mean = (a * x).sum(2)
            std = paddle.sqrt(paddle.clip((a * x * x).sum(2) - mean**2, min=1e-6))
            e = F.normalize(self.out(paddle.concat([mean, std], 1)), axis=1)
            cosine = paddle.matmul(e, F.normalize(self.weight, axis=0))
            angle = paddle.acos(paddle.clip(cosine, -0.999, 0.999))
            return e, 30 * cosine, paddle.cos(angle + 0.2), F.pairwise_distance(e, e.flip(0), keepdim=True)

    return Net(), inputs.sizes({"B": 2, "T": 8}, {"B": 1, "T": 13}).add("x", ["B", 5, "T"]).add("share", ["B"])


@family
def ctc_greedy(r, inputs):
    """Subsampled frames, recurrent layers, the best path without repeats and blanks."""
    c, words = 8, 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2D(1, 4, (5, 3), (2, 2), (2, 1)), nn.Conv2D(4, 4, 3, (1, 2), 1)
            self.rnn, self.norm, self.out = (
                nn.GRU(4 * 3, c, direction=r.choice(["forward", "bidirect"]), num_layers=2),
                nn.LayerNorm(c),
                nn.Linear(c, words),
            )
            self.two = self.rnn.num_directions == 2

        def forward(self, x, lengths):
            y = F.relu6(self.conv1(x.unsqueeze(1)))
            y = F.hardtanh(self.conv2(y), 0.0, 20.0)
            lengths = (lengths + 1) // 2
            y = y.transpose([0, 2, 1, 3])
            y = y.flatten(2)
            y, _ = self.rnn(y, sequence_length=lengths)
            if self.two:
                y = y[..., :c] + y[..., c:]
            log = F.log_softmax(self.out(self.norm(y)) * 4, -1)
            best = log.argmax(-1)
            path = paddle.unique_consecutive(best[0])
            path = paddle.masked_select(path, path != 0)
            change = paddle.concat([paddle.ones_like(best[:, :1], "bool") if False else best[:, :1] != -1, best[:, 1:] != best[:, :-1]], 1)
            kept = paddle.logical_and(change, best != 0)
            count = kept.astype("int64").sum(-1)
            score = (log.max(-1) * kept.astype("float32")).sum(-1)
            return log, path, count, score

    return Net(), inputs.sizes({"B": 2, "T": 11}, {"B": 1, "T": 16}).add("x", ["B", "T", 12]).add("lengths", ["B"], "int64", **LENGTHS)


@family
def transducer(r, inputs):
    """Stacked LSTM cells with projections and a joint network; alignments by a loop over the triangle."""
    c, words = 6, 5

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.encoder, self.predictor, self.embed = nn.LSTM(4, c, proj_size=r.choice([0, 4])), nn.LSTM(c, c), nn.Embedding(words, c)
            self.enc, self.joint = nn.Linear(4 if self.encoder.proj_size else c, c), nn.Linear(c, words)

        def forward(self, x, y):
            e = self.enc(self.encoder(x)[0])
            p, _ = self.predictor(self.embed(y))
            z = F.log_softmax(self.joint(paddle.tanh(e.unsqueeze(2) + p.unsqueeze(1))), -1)
            alpha = z[:, 0, :, 0].cumsum(-1)
            for t in range(1, x.shape[1]):
                alpha = paddle.logaddexp(
                    alpha + z[:, t, :, 0], paddle.concat([paddle.full_like(alpha[:, :1], -1e9), alpha[:, :-1]], 1) + z[:, t, :, 1]
                )
            return z, alpha

    return Net(), inputs.sizes({"B": 1, "T": 6, "U": 3}, {"B": 2, "T": 6, "U": 4}).add("x", ["B", 6, 4]).add(
        "y", ["B", "U"], "int64", 0, words
    )


@family
def separation(r, inputs):
    """Learned filter banks, dual paths, overlap and add, complex masks (Conv-TasNet, DPRNN, DCCRN)."""
    c, k = 6, 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = nn.Conv1D(1, c, k, k // 2, bias_attr=False), nn.Conv1DTranspose(c, 1, k, k // 2, bias_attr=False)
            self.norm, self.intra, self.inter = nn.GroupNorm(1, c, epsilon=1e-8), nn.LSTM(c, 4, direction="bidirect"), nn.LSTM(c, c)
            self.back, self.mask, self.prelu = nn.Linear(8, c), nn.Conv1D(c, 2 * c, 1), nn.PReLU()
            self.cr, self.ci = nn.Conv2D(1, 2, (3, 2), (2, 1), (1, 0)), nn.Conv2D(1, 2, (3, 2), (2, 1), (1, 0))

        def forward(self, x):
            w = F.relu(self.encoder(x.unsqueeze(1)))
            b = w.shape[0]
            y = self.norm(w)
            y = F.pad(y, [0, 1], data_format="NCL")
            z = F.unfold(y.unsqueeze(-1), [4, 1], [2, 1]).reshape([b, c, 4, -1])
            n = z.shape[-1]
            i = z.transpose([0, 3, 2, 1]).reshape([b * n, 4, c])
            i = self.back(self.intra(i)[0]).reshape([b, n, 4, c])
            j = (i.transpose([0, 2, 1, 3])).reshape([b * 4, n, c])
            j = self.inter(j)[0].reshape([b, 4, n, c]).transpose([0, 3, 1, 2])
            folded = F.fold(j.reshape([b, c * 4, n]), [20, 1], [4, 1], [2, 1]).squeeze(-1)[:, :, :19]
            m = F.sigmoid(self.mask(self.prelu(folded))).reshape([b, 2, c, 19])
            sources = self.decoder((m * w.unsqueeze(1)).reshape([b * 2, c, 19])).reshape([b, 2, -1])
            re, im = y.unsqueeze(1)[:, :, :5], y.flip(2).unsqueeze(1)[:, :, :5]
            real, imag = self.cr(re) - self.ci(im), self.cr(im) + self.ci(re)
            mag = paddle.sqrt(real**2 + imag**2 + 1e-6)
            return sources, paddle.tanh(mag) * paddle.cos(paddle.atan2(imag, real))

    return Net(), inputs.sizes({"B": 1}, {"B": 2}).add("x", ["B", 80])


@family
def quantised_units(r, inputs):
    """Code books: the nearest code, residual codes, Gumbel choices without noise, finite scalars (wav2vec 2.0, EnCodec, FSQ)."""
    c, codes = 4, 9

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv1D(1, c, 10, 5), nn.GroupNorm(c, c)
            self.books = self.create_parameter([3, codes, c], default_initializer=nn.initializer.Normal())
            self.pos = nn.utils.weight_norm(nn.Conv1D(c, c, 4, padding=2, groups=2), dim=2)

        def forward(self, x):
            y = F.gelu(self.norm(self.conv(x.unsqueeze(1))))
            y = y + F.gelu(self.pos(y)[:, :, :-1])
            z = y.transpose([0, 2, 1])
            rest, total, ids = z, paddle.zeros_like(z), []
            for k in range(3):
                book = self.books[k]
                d = rest.pow(2).sum(-1, keepdim=True) - 2 * paddle.matmul(rest, book, transpose_y=True) + book.pow(2).sum(-1)
                at = paddle.argmin(d, -1)
                ids.append(at)
                q = F.embedding(at, book)
                total, rest = total + q, rest - q
            hard = F.one_hot(paddle.argmax(paddle.matmul(z, self.books[0].t()), -1), codes)
            perplexity = paddle.exp(-(hard.mean([0, 1]) * paddle.log(hard.mean([0, 1]) + 1e-7)).sum())
            levels = paddle.to_tensor([8.0, 5.0, 5.0, 5.0])
            half = (levels - 1) * (1 - 1e-3) / 2
            shift = paddle.where(levels % 2 == 0, paddle.full_like(levels, 0.5), paddle.zeros_like(levels))
            fsq = paddle.round(paddle.tanh(z + paddle.atanh(shift / half)) * half - shift)
            base = paddle.cumprod(paddle.concat([paddle.ones([1]), levels[:-1]]), dim=0)
            index = ((fsq + levels // 2) * base).sum(-1).astype("int64")
            return total, paddle.stack(ids, 1), perplexity, fsq, index

    return Net(), inputs.sizes({"B": 1, "T": 60}, {"B": 2, "T": 45}).add("x", ["B", "T"])
