"""Models of text."""

import math

import paddle
import paddle.nn.functional as F
from paddle import nn

from . import family

WORDS = 40


def tokens(inputs, *more):
    return inputs.sizes({"B": 2, "T": 8}, {"B": 1, "T": 5}, {"B": 3, "T": 8}).add("ids", ["B", "T"], "int64", 1, WORDS)


def lengths(rng, shape):
    return rng.randint(1, 6, shape)


@family
def bert(r, inputs):
    """Embeddings of words, positions and types, a padding mask made of the ids, a pooler and two heads."""
    c, h = 16, r.choice([2, 4])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.word, self.position, self.kind = nn.Embedding(WORDS, c, padding_idx=0), nn.Embedding(32, c), nn.Embedding(2, c)
            self.norm = nn.LayerNorm(c, epsilon=1e-12)
            layer = nn.TransformerEncoderLayer(c, h, 3 * c, 0.1, r.choice(["gelu", "relu"]), normalize_before=r.random() < 0.3)
            self.encoder, self.pooler = nn.TransformerEncoder(layer, 2), nn.Linear(c, c)
            self.transform, self.bias = nn.Linear(c, c), self.create_parameter([WORDS], is_bias=True)

        def forward(self, ids, kinds):
            ones = paddle.ones_like(ids, dtype="int64")
            positions = paddle.cumsum(ones, axis=-1) - ones
            mask = paddle.unsqueeze((ids == 0).astype("float32") * -1e4, axis=[1, 2])
            x = self.norm(self.word(ids) + self.position(positions) + self.kind(kinds))
            x = self.encoder(x, mask)
            words = paddle.matmul(F.gelu(self.transform(x)), self.word.weight, transpose_y=True) + self.bias
            return paddle.tanh(self.pooler(x[:, 0])), words

    return Net(), tokens(inputs).add("kinds", ["B", "T"], "int64", 0, 2)


@family
def causal_model(r, inputs):
    """Rotary or linear positions, grouped heads, gated layers, the last token's logits."""
    c, h, kv, way = 16, 4, r.choice([1, 2, 4]), r.choice(["rotary", "half", "alibi"])
    e = c // h

    class Block(nn.Layer):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = (
                nn.Linear(c, c, bias_attr=False),
                nn.Linear(c, kv * e, bias_attr=False),
                nn.Linear(c, kv * e, bias_attr=False),
            )
            self.o, self.gate, self.up, self.down = (nn.Linear(*s, bias_attr=False) for s in ((c, c), (c, 24), (c, 24), (24, c)))
            self.n1, self.n2 = (self.create_parameter([c], default_initializer=nn.initializer.Constant(1.0)) for _ in range(2))

        def norm(self, x, w):
            y = x.astype("float32")
            return (y * paddle.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)).astype(x.dtype) * w

        def turn(self, x, cos, sin):
            if way == "rotary":
                a, b = x[..., : e // 2], x[..., e // 2 :]
                return x * cos + paddle.concat([-b, a], -1) * sin
            a, b = x[..., 0::2], x[..., 1::2]
            half, other = cos[..., : e // 2], sin[..., : e // 2]
            return paddle.stack([a * half - b * other, a * other + b * half], -1).flatten(-2)

        def forward(self, x, cos, sin, bias):
            b, t = paddle.shape(x)[0], paddle.shape(x)[1]
            y = self.norm(x, self.n1)
            q = self.q(y).reshape([b, t, h, e]).transpose([0, 2, 1, 3])
            k = self.k(y).reshape([b, t, kv, e]).transpose([0, 2, 1, 3])
            v = self.v(y).reshape([b, t, kv, e]).transpose([0, 2, 1, 3])
            if way != "alibi":
                q, k = self.turn(q, cos, sin), self.turn(k, cos, sin)
            if kv != h:
                k = k.unsqueeze(2).expand([b, kv, h // kv, t, e]).reshape([b, h, t, e])
                v = paddle.repeat_interleave(v, h // kv, axis=1)
            a = paddle.matmul(q, k.transpose([0, 1, 3, 2])) / math.sqrt(e) + bias
            a = paddle.maximum(a, paddle.full([1], -1e9))
            a = F.softmax(a, axis=-1, dtype="float32")
            x = x + self.o(paddle.matmul(a, v).transpose([0, 2, 1, 3]).reshape([b, t, c]))
            y = self.norm(x, self.n2)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.layers, self.head = (
                nn.Embedding(WORDS, c),
                nn.LayerList([Block(), Block()]),
                nn.Linear(c, WORDS, bias_attr=False),
            )

        def forward(self, ids):
            t = ids.shape[1]
            angles = paddle.einsum("i,j->ij", paddle.arange(t, dtype="float32"), 1.0 / 100 ** (paddle.arange(0, e, 2, dtype="float32") / e))
            angles = paddle.concat([angles, angles], -1)[None, None]
            mask = paddle.triu(paddle.full([t, t], float("-inf")), 1)
            if way == "alibi":
                slopes = paddle.to_tensor([2.0 ** -(k + 1) for k in range(h)])
                near = paddle.arange(t, dtype="float32").unsqueeze(0) - paddle.arange(t, dtype="float32").unsqueeze(1)
                mask = mask + slopes.reshape([h, 1, 1]) * near
            x = self.embed(ids)
            for layer in self.layers:
                x = layer(x, angles.cos(), angles.sin(), mask)
            return self.head(x[:, -1])

    return Net(), tokens(inputs)


@family
def encoder_decoder(r, inputs):
    """nn.Transformer with its masks, and scores of given targets."""
    c = 16

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.source, self.target = nn.Embedding(WORDS, c), nn.Embedding(WORDS, c)
            self.body = nn.Transformer(c, 2, 1, 2, 24, 0.0, normalize_before=r.random() < 0.5, activation=r.choice(["relu", "gelu"]))
            self.out = nn.Linear(c, WORDS)
            self.register_buffer("table", self.sinusoids())

        def sinusoids(self):
            at = paddle.arange(32, dtype="float32").unsqueeze(1)
            f = paddle.exp(paddle.arange(0, c, 2, dtype="float32") * -(math.log(10000.0) / c))
            return paddle.stack([paddle.sin(at * f), paddle.cos(at * f)], -1).flatten(1)

        def forward(self, ids, targets):
            t = paddle.shape(targets)[1]
            pad = paddle.cast(ids == 0, "float32").unsqueeze([1, 2]) * -1e9
            later = paddle.tensor.triu(paddle.full([t, t], -1e9), 1)
            source = self.source(ids) * math.sqrt(c) + self.table[: paddle.shape(ids)[1]]
            target = self.target(targets) * math.sqrt(c) + self.table[:t]
            logits = self.out(self.body(source, target, pad, later, pad))
            label = F.one_hot(targets, WORDS) * 0.9 + 0.1 / WORDS
            return (
                logits,
                F.cross_entropy(logits, F.label_smooth(F.one_hot(targets, WORDS)), soft_label=True, reduction="none"),
                (label * F.log_softmax(logits)).sum(-1),
            )

    return Net(), tokens(inputs).add("targets", ["B", "U"], "int64", 1, WORDS).sizes(
        {"B": 2, "T": 8, "U": 4}, {"B": 2, "T": 8, "U": 6}, {"B": 1, "T": 3, "U": 1}
    )


@family
def relative_shift(r, inputs):
    """Transformer-XL's shifted scores of relative positions, with a memory."""
    c, h, m = 16, 2, 4
    e = c // h

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.q, self.kv, self.r = (
                nn.Embedding(WORDS, c),
                nn.Linear(c, c),
                nn.Linear(c, 2 * c),
                nn.Linear(c, c, bias_attr=False),
            )
            self.u, self.v, self.norm = (self.create_parameter([h, e], default_initializer=nn.initializer.Normal(0, 0.3)) for _ in range(3))
            self.memory = self.create_parameter([1, m, c], default_initializer=nn.initializer.Normal())

        def shift(self, x):
            b, n, i, j = paddle.shape(x)
            x = paddle.concat([paddle.zeros([b, n, i, 1]), x], -1).reshape([b, n, j + 1, i])
            return x[:, :, 1:].reshape([b, n, i, j])

        def forward(self, ids):
            x = self.embed(ids)
            b, t = x.shape[0], x.shape[1]
            all_ = paddle.concat([self.memory.expand([b, m, c]), x], 1)
            k = t + m
            at = paddle.arange(k - 1, -1, -1).astype("float32")
            f = 1 / (10000 ** (paddle.arange(0.0, c, 2.0) / c))
            p = paddle.outer(at, f)
            p = self.r(paddle.concat([p.sin(), p.cos()], -1)).reshape([k, h, e])
            q = self.q(x).reshape([b, t, h, e])
            keys, values = paddle.chunk(self.kv(all_).reshape([b, k, 2 * h, e]), 2, 2)
            ac = paddle.einsum("bihd,bjhd->bhij", q + self.u, keys)
            bd = self.shift(paddle.einsum("bihd,jhd->bhij", q + self.v, p))
            later = paddle.triu(paddle.ones([t, k]), 1 + m).astype("bool")
            a = ((ac + bd) * e**-0.5).masked_fill(later, -1e30)
            return paddle.einsum("bhij,bjhd->bihd", F.softmax(a, -1), values).reshape([b, t, c]) * self.norm.flatten()

    return Net(), tokens(inputs)


@family
def sparse_attention(r, inputs):
    """Blocks of keys that are gathered, a band of diagonals, and global tokens."""
    c, w = 8, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.qkv = nn.Embedding(WORDS, c), nn.Linear(c, 3 * c)

        def forward(self, ids):
            x = self.embed(ids)
            b, t = x.shape[0], x.shape[1]
            q, k, v = paddle.split(self.qkv(x), 3, -1)
            n = t // w
            q, k, v = (z.reshape([b, n, w, c]) for z in (q, k, v))
            prior = [paddle.concat([z[:, -1:], z[:, :-1]], 1) for z in (k, v)]
            after = [paddle.concat([z[:, 1:], z[:, :1]], 1) for z in (k, v)]
            keys = paddle.concat([prior[0], k, after[0]], 2)
            values = paddle.concat([prior[1], v, after[1]], 2)
            at = paddle.arange(3 * w).unsqueeze(0) - w - paddle.arange(w).unsqueeze(1)
            band = (paddle.abs(at) <= w).astype("float32")
            edge = paddle.ones([n, 1, 3 * w])
            edge[0, :, :w] = 0
            edge[-1, :, 2 * w :] = 0
            a = paddle.einsum("bnqd,bnkd->bnqk", q, keys) * c**-0.5 - (1 - band * edge) * 1e4
            y = paddle.einsum("bnqk,bnkd->bnqd", F.softmax(a, -1), values).reshape([b, t, c])
            g = F.softmax(paddle.matmul(y[:, :2], y, transpose_y=True), -1) @ y
            y[:, :2] = g
            return y

    return Net(), inputs.sizes({"B": 2, "T": 16}, {"B": 1, "T": 8}).add("ids", ["B", "T"], "int64", 1, WORDS)


@family
def hashed_attention(r, inputs):
    """Tokens sorted by a hash, attended in chunks, and put back."""
    c, w = 8, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.qk, self.v = nn.Embedding(WORDS, c), nn.Linear(c, c), nn.Linear(c, c)
            self.register_buffer("turns", paddle.randn([c, 3]))

        def forward(self, ids):
            x = self.embed(ids)
            b, t = x.shape[0], x.shape[1]
            qk, v = self.qk(x), self.v(x)
            turned = paddle.matmul(qk, self.turns)
            bucket = paddle.argmax(paddle.concat([turned, -turned], -1), -1)
            ticker = bucket * t + paddle.arange(t)
            order = paddle.argsort(ticker, -1)
            back = paddle.argsort(order, -1)
            sqk = paddle.take_along_axis(qk, order.unsqueeze(-1).expand([b, t, c]), 1).reshape([b, -1, w, c])
            sv = paddle.take_along_axis(v, order.unsqueeze(-1).expand([b, t, c]), 1).reshape([b, -1, w, c])
            bq = F.normalize(sqk, axis=-1)
            k = paddle.concat([bq, paddle.roll(bq, 1, 1)], 2)
            v2 = paddle.concat([sv, paddle.roll(sv, 1, 1)], 2)
            dots = paddle.einsum("bnie,bnje->bnij", sqk, k)
            dots = dots - paddle.logsumexp(dots, -1, keepdim=True)
            y = paddle.einsum("bnij,bnje->bnie", paddle.exp(dots), v2).reshape([b, t, c])
            return paddle.take_along_axis(y, back.unsqueeze(-1).expand([b, t, c]), 1)

    return Net(), inputs.sizes({"B": 2, "T": 16}, {"B": 1, "T": 8}).add("ids", ["B", "T"], "int64", 1, WORDS)


@family
def retention(r, inputs):
    """RWKV's and RetNet's recurrences: a loop over tokens and the parallel form."""
    c = 6

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.k, self.v, self.rec = nn.Embedding(WORDS, c), nn.Linear(c, c), nn.Linear(c, c), nn.Linear(c, c)
            self.decay, self.first, self.mix = (
                self.create_parameter([c], default_initializer=nn.initializer.Uniform(0, 1)) for _ in range(3)
            )

        def forward(self, ids):
            x = self.embed(ids)
            past = F.pad(x, [0, 0, 1, 0], data_format="NCHW") if x.ndim == 4 else paddle.concat([paddle.zeros_like(x[:, :1]), x[:, :-1]], 1)
            y = x * self.mix + past * (1 - self.mix)
            k, v, rec = self.k(y), self.v(y), F.sigmoid(self.rec(y))
            b = x.shape[0]
            a, d, m = paddle.zeros([b, c]), paddle.zeros([b, c]), paddle.full([b, c], -1e30)
            w = -paddle.exp(self.decay)
            outs = []
            for t in range(x.shape[1]):
                kt, vt = k[:, t], v[:, t]
                top = paddle.maximum(m, self.first + kt)
                e1, e2 = paddle.exp(m - top), paddle.exp(self.first + kt - top)
                outs.append((e1 * a + e2 * vt) / (e1 * d + e2))
                top = paddle.maximum(m + w, kt)
                e1, e2 = paddle.exp(m + w - top), paddle.exp(kt - top)
                a, d, m = e1 * a + e2 * vt, e1 * d + e2, top
            wkv = paddle.stack(outs, 1)
            at = paddle.arange(x.shape[1]).astype("float32")
            gap = at.unsqueeze(1) - at.unsqueeze(0)
            decay = paddle.where(gap >= 0, 0.9 ** paddle.clip(gap, min=0.0), paddle.zeros_like(gap))
            return rec * wkv, (paddle.matmul(k, v, transpose_y=True) * decay) @ v

    return Net(), tokens(inputs)


@family
def text_cnn(r, inputs):
    """Convolutions of several widths, the largest of each, and a pyramid of them."""
    c = r.choice([6, 8])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(WORDS, c, padding_idx=0)
            self.convs = nn.LayerList([nn.Conv2D(1, 5, (k, c), padding=(k - 1, 0)) for k in (2, 3, 4)])
            self.region, self.conv, self.out = nn.Conv2D(1, 8, (3, c)), nn.Conv2D(8, 8, (3, 1)), nn.Linear(15, 4)

        def forward(self, ids):
            x = self.embed(ids).unsqueeze(1)
            each = [F.relu(conv(x)).squeeze(3) for conv in self.convs]
            pooled = paddle.concat([F.max_pool1d(z, z.shape[2]).squeeze(2) if ids.shape[1] > 0 else z.max(2) for z in each], 1)
            y = self.region(F.pad(x, [0, 0, 1, 1]))
            for _ in range(2):
                z = F.max_pool2d(F.pad(y, [0, 0, 0, 1]), (3, 1), 2, ceil_mode=True)[:, :, :, :1]
                y = self.conv(F.pad(F.relu(z), [0, 0, 1, 1])) + z
            return self.out(pooled), y.max([2, 3])

    return Net(), inputs.sizes({"B": 2, "T": 9}, {"B": 1, "T": 9}).add("ids", ["B", 9], "int64", 1, WORDS)


@family
def tagger(r, inputs):
    """A bidirectional LSTM with lengths, a CRF decoded by Viterbi."""
    c, tags = 8, 5

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.out = (
                nn.Embedding(WORDS, c),
                nn.LSTM(c, 6, direction="bidirect", num_layers=r.choice([1, 2])),
                nn.Linear(12, tags + 2),
            )
            self.transitions = self.create_parameter([tags + 2, tags + 2], default_initializer=nn.initializer.Normal())
            self.decoder = paddle.text.ViterbiDecoder(self.transitions, include_bos_eos_tag=r.random() < 0.5)

        def forward(self, ids, lengths):
            y, (h, _) = self.lstm(self.embed(ids), sequence_length=lengths)
            emission = self.out(y)
            scores, path = self.decoder(emission, lengths)
            return scores, path, h

    return Net(), tokens(inputs).add("lengths", ["B"], "int64", how=lengths)


@family
def parser(r, inputs):
    """Biaffine scores of arcs and labels."""
    c, labels = 8, 4

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.gru = nn.Embedding(WORDS, c), nn.GRU(c, c, direction="bidirectional")
            self.arcs = nn.LayerList([nn.Sequential(nn.Linear(2 * c, 6), nn.LeakyReLU(0.1)) for _ in range(4)])
            self.w = self.create_parameter([1, 7, 6], default_initializer=nn.initializer.Normal())
            self.u = self.create_parameter([labels, 7, 7], default_initializer=nn.initializer.Normal())

        def forward(self, ids):
            x, _ = self.gru(self.embed(ids))
            ha, hd, la, ld = (f(x) for f in self.arcs)
            hd1 = paddle.concat([hd, paddle.ones_like(hd[..., :1])], -1)
            arcs = paddle.einsum("bxi,oij,byj->boxy", hd1, self.w, ha).squeeze(1)
            la1, ld1 = (paddle.concat([z, paddle.ones_like(z[..., :1])], -1) for z in (la, ld))
            rels = paddle.matmul(paddle.matmul(ld1.unsqueeze(1), self.u), la1.unsqueeze(1), transpose_y=True)
            head = paddle.argmax(arcs, -1)
            mask = (ids != 1).astype("int64")
            chosen = paddle.take_along_axis(
                rels.transpose([0, 2, 3, 1]), head.unsqueeze(-1).unsqueeze(-1).expand([-1, -1, 1, labels]), 2
            ).squeeze(2)
            return arcs, head * mask, chosen

    return Net(), tokens(inputs)


@family
def spans(r, inputs):
    """Scores of all pairs of a start and an end, with rotary positions (global pointer), and start and end logits."""
    c, e, kinds = 12, 6, 3

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.dense, self.start, self.end = (
                nn.Embedding(WORDS, c),
                nn.Linear(c, kinds * e * 2),
                nn.Linear(c, 1),
                nn.Linear(c, 1),
            )

        def forward(self, ids):
            x = self.embed(ids)
            y = paddle.stack(paddle.split(self.dense(x), kinds, -1), -2)
            q, k = y[..., :e], y[..., e:]
            at = paddle.arange(0, paddle.shape(ids)[1], dtype="float32")
            f = paddle.pow(paddle.full([1], 100.0), -2 * paddle.arange(0, e // 2, dtype="float32") / e)
            angle = paddle.einsum("n,d->nd", at, f)
            cos = paddle.repeat_interleave(paddle.cos(angle), 2, -1)[None, :, None]
            sin = paddle.repeat_interleave(paddle.sin(angle), 2, -1)[None, :, None]
            q = q * cos + paddle.stack([-q[..., 1::2], q[..., ::2]], -1).reshape_(paddle.shape(q)) * sin
            k = k * cos + paddle.stack([-k[..., 1::2], k[..., ::2]], -1).reshape(paddle.shape(k)) * sin
            logits = paddle.einsum("bmhd,bnhd->bhmn", q, k)
            mask = paddle.tril(paddle.ones_like(logits), -1)
            return (logits - mask * 1e3) / e**0.5, F.sigmoid(self.start(x).squeeze(-1)), F.sigmoid(paddle.squeeze(self.end(x), -1))

    return Net(), tokens(inputs)


@family
def pointer_generator(r, inputs):
    """Shares of copied words are scattered into the vocabulary."""
    c = 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm, self.out, self.gate = nn.Embedding(WORDS, c), nn.LSTM(c, c), nn.Linear(c, WORDS), nn.Linear(c, 1)

        def forward(self, ids):
            b, t = paddle.shape(ids)
            h, (last, _) = self.lstm(self.embed(ids))
            q = last[-1]
            a = F.softmax(paddle.bmm(h, q.unsqueeze(-1)).squeeze(-1), -1)
            context = paddle.bmm(a.unsqueeze(1), h).squeeze(1)
            vocabulary = F.softmax(self.out(context), -1)
            g = F.sigmoid(self.gate(context))
            rows = paddle.arange(b).unsqueeze(1).expand([b, t])
            at = paddle.stack([rows.astype("int64"), ids], -1)
            copied = (
                paddle.scatter_nd(at.reshape([-1, 2]), a.flatten(), [b, WORDS])
                if r.random() < 0.5
                else paddle.put_along_axis(paddle.zeros([b, WORDS]), ids, a, 1, reduce="add")
            )
            return paddle.log(g * vocabulary + (1 - g) * copied + 1e-6)

    return Net(), tokens(inputs)


@family
def switch_experts(r, inputs):
    """Experts with a capacity: tokens are dispatched by scatter and combined by gather."""
    c, experts, top = 8, 4, r.choice([1, 2])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.gate = nn.Embedding(WORDS, c), nn.Linear(c, experts, bias_attr=False)
            self.w1 = self.create_parameter([experts, c, 12], default_initializer=nn.initializer.Normal(0, 0.4))
            self.w2 = self.create_parameter([experts, 12, c], default_initializer=nn.initializer.Normal(0, 0.4))

        def forward(self, ids):
            x = self.embed(ids).reshape([-1, c])
            n = x.shape[0]
            share = F.softmax(self.gate(x), -1)
            value, index = paddle.topk(share, top, -1)
            value = value / value.sum(-1, keepdim=True)
            total = paddle.zeros_like(x)
            for k in range(top):
                mask = F.one_hot(index[:, k], experts)
                place = (paddle.cumsum(mask, 0) - 1) * mask
                kept = (place < 4).astype("float32") * mask
                slot = (place * mask).sum(-1).astype("int64")
                spots = F.one_hot(paddle.clip(slot, 0, 3), 4)
                dispatch = paddle.einsum("ne,nk->nek", kept, spots)
                gathered = paddle.einsum("nek,nc->ekc", dispatch, x)
                y = paddle.bmm(F.gelu(paddle.bmm(gathered, self.w1)), self.w2)
                total = total + paddle.einsum("nek,ekc->nc", dispatch * value[:, k : k + 1].unsqueeze(-1), y)
            balance = (share.mean(0) * F.one_hot(index[:, 0], experts).mean(0)).sum() * experts
            return total.reshape([ids.shape[0], -1, c]), balance

    return Net(), tokens(inputs)


@family
def sampling_step(r, inputs):
    """Temperature, top-k and top-p filters, repetition penalties, minimum lengths: the logits' processors of generation."""

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = self.create_parameter([WORDS, WORDS], default_initializer=nn.initializer.Normal(0, 2))

        def forward(self, ids, temperature, top_p):
            logits = F.embedding(ids[:, -1], self.table)
            score = paddle.index_sample(logits, ids)
            score = paddle.where(score < 0, score * 1.3, score / 1.3)
            rows = paddle.arange(ids.shape[0], dtype="int64").unsqueeze(-1).expand(ids.shape)
            logits = paddle.scatter_nd_add(logits, paddle.stack([rows, ids], -1), paddle.zeros_like(score)) * 1.0
            logits = paddle.put_along_axis(logits, ids, score, 1)
            logits[:, 2] = -1e9
            logits = logits / (temperature.abs() + 0.5)
            least = paddle.topk(logits, 10)[0][:, -1:]
            logits = paddle.where(logits < least, paddle.full_like(logits, -1e9), logits)
            order = paddle.argsort(logits, descending=True)
            ranked = paddle.sort(logits, descending=True)
            total = paddle.cumsum(F.softmax(ranked, -1), -1)
            drop = total > F.sigmoid(top_p)
            drop = drop.astype("int64")
            drop = paddle.concat([paddle.zeros_like(drop[:, :1]), drop[:, :-1]], -1)
            offsets = order + paddle.arange(order.shape[0]).unsqueeze(-1) * order.shape[-1]
            flat = paddle.scatter(drop.flatten(), offsets.flatten(), drop.flatten()).reshape(logits.shape)
            logits = paddle.where(flat == 1, paddle.full_like(logits, -1e9), logits)
            return F.softmax(logits, -1), paddle.argmax(logits, -1, keepdim=True)

    return Net(), tokens(inputs).add("temperature", [1]).add("top_p", ["B", 1])


@family
def dynamic_convolution(r, inputs):
    """Convolutions whose filters the tokens make (ConvBERT, lightweight convolution), grouped linear layers (SqueezeBERT)."""
    c, h, k = 8, 2, r.choice([3, 5])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.deep, self.point, self.kernel = (
                nn.Embedding(WORDS, c),
                nn.Conv1D(c, c, k, padding=k // 2, groups=c),
                nn.Conv1D(c, c, 1),
                nn.Linear(c, h * k),
            )
            self.q, self.out, self.grouped = nn.Linear(c, c), nn.Linear(c, c), nn.Conv1D(c, 2 * c, 1, groups=4)

        def forward(self, ids):
            x = self.embed(ids)
            b, t, _ = x.shape
            key = self.point(self.deep(x.transpose([0, 2, 1]))).transpose([0, 2, 1])
            w = F.softmax(self.kernel(key * self.q(x)).reshape([-1, k, 1]), 1)
            y = F.unfold(self.out(x).transpose([0, 2, 1]).unsqueeze(-1), [k, 1], paddings=[k // 2, 0])
            y = y.transpose([0, 2, 1]).reshape([-1, c // h, k])
            y = paddle.matmul(y, w).reshape([-1, t, c]) if b == 0 else paddle.matmul(y, w).reshape([b, t, c])
            z = self.grouped(y.transpose([0, 2, 1]))
            return y, F.glu(z, 1)

    return Net(), tokens(inputs)


@family
def sentence_pair(r, inputs):
    """Soft alignment of two sentences (ESIM), co-attention, pooling by maximum, mean and attention."""
    c = 8

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed, self.a, self.b, self.out = (
                nn.Embedding(WORDS, c),
                nn.LSTM(c, c, direction="bidirectional"),
                nn.LSTM(8 * c, c, direction="bidirectional"),
                nn.Linear(8 * c, 3),
            )

        def forward(self, ids, other):
            ma, mb = (ids != 1).astype("float32"), (other != 1).astype("float32")
            x, y = self.a(self.embed(ids))[0], self.a(self.embed(other))[0]
            e = paddle.matmul(x, y, transpose_y=True)
            to_y = F.softmax(e + (mb.unsqueeze(1) - 1) * 1e4, 2) @ y
            to_x = F.softmax(e.transpose([0, 2, 1]) + (ma.unsqueeze(1) - 1) * 1e4, -1) @ x
            x, _ = self.b(paddle.concat([x, to_y, x - to_y, x * to_y], -1))
            y, _ = self.b(paddle.concat([y, to_x, y - to_x, y * to_x], -1))
            pools = []
            for z, m in ((x, ma), (y, mb)):
                m = m.unsqueeze(-1)
                pools += [(z * m).sum(1) / (m.sum(1) + 1e-6), (z * m + (m - 1) * 1e4).max(1)]
            return self.out(F.dropout(paddle.concat(pools, -1), 0.3, training=False)), paddle.nn.functional.cosine_similarity(
                pools[0], pools[2], axis=1
            )

    return Net(), tokens(inputs).add("other", ["B", "U"], "int64", 1, WORDS).sizes({"B": 2, "T": 6, "U": 5}, {"B": 1, "T": 3, "U": 7})
