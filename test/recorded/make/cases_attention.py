"""Attention in tiles, of packed and of padded sequences. Paddle computes it on GPUs alone."""
import numpy as np

from recorder import Drawn, case

TOLERANCES = {}
D = Drawn(1)


def attend(q, k, v, scale, hidden=None, bias=None, cap=0.0):
    """Attention [length, heads, width] of one sequence; `hidden` [heads or 1, queries, keys]. Also the logarithms of the sums."""
    shared = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, shared, 1), np.repeat(v, shared, 1)
    scores = np.einsum("qhd,khd->hqk", q, k) * scale
    if cap:
        scores = cap * np.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    if hidden is not None:
        scores = np.where(hidden, -np.inf, scores)
    most = scores.max(-1, keepdims=True)
    seen = np.isfinite(most)
    weights = np.where(seen, np.exp(scores - np.where(seen, most, 0)), 0)
    total = weights.sum(-1, keepdims=True)
    out = np.einsum("hqk,khd->qhd", weights / np.where(seen, total, 1), v)
    return out, np.where(seen, most + np.log(np.where(seen, total, 1)), np.inf)[..., 0]


def window(queries, keys, before, after):
    own = np.arange(queries)[:, None] + keys - queries
    k = np.arange(keys)
    return ((before >= 0) & (k < own - before)) | ((after >= 0) & (k > own + after))


def batches(q, k, v, scale, mask=None, bias=None, cap=0.0):
    found = [attend(q[i], k[i], v[i], scale, None if mask is None else mask(i), None if bias is None else bias(i), cap) for i in range(len(q))]
    return [np.stack([f[i] for f in found]) for i in range(2)]


def sequences(q, k, v, starts, key_starts, scale, before=-1, after=-1, used=None, key_used=None):
    out, sums = np.zeros((*q.shape[:2], v.shape[2])), np.zeros((q.shape[1], q.shape[0]))
    for i in range(len(starts) - 1):
        a, c = starts[i], key_starts[i]
        n = used[i] if used is not None else starts[i + 1] - a
        m = key_used[i] if key_used is not None else key_starts[i + 1] - c
        if n:
            out[a:a + n], sums[:, a:a + n] = attend(q[a:a + n], k[c:c + m], v[c:c + m], scale, window(n, m, before, after)[None])
    return [out, sums]


# ---- whole batches

V3 = dict(num_splits=0, manual_set_pack_gqa=False, pack_gqa_=False, sm_margin=0)


def third(name, shape, keys, heads, dtype="float32", causal=False, left=-1, right=-1, cap=0.0, dynamic=()):
    b, s, h, w = shape
    q, k, v = (D.of(dtype, *dims) for dims in (shape, (b, keys, heads, w), (b, keys, heads, w + 2)))
    case("flash_attn_v3", name, q=q, k=k, v=v, softmax_scale=0.4, is_causal=causal, window_size_left=left, window_size_right=right, softcap=cap, **V3,
         dynamic=dynamic, like="q float32", expect=lambda c: batches(c.q, c.k, c.v, c.softmax_scale, lambda i: window(
             s, keys, left, 0 if causal else right)[None], cap=cap))


third("basic", (2, 5, 4, 8), 5, 4)
third("causal", (2, 3, 4, 8), 7, 2, causal=True)
third("window", (1, 6, 2, 4), 6, 1, left=2, right=1)
third("softcap", (1, 6, 2, 4), 9, 2, cap=0.5, causal=True)
third("nothing_seen", (1, 6, 2, 4), 3, 2, causal=True)
third("float16", (2, 5, 4, 8), 5, 4, "float16", causal=True)
third("bfloat16", (2, 5, 4, 8), 5, 2, "uint16")
third("dyn", (2, 5, 4, 8), 7, 2, causal=True, dynamic=("q", "k", "v"))


def plain(name, shape, heads, causal=False, dtype="float32"):
    b, s, h, w = shape
    q, k, v = (D.of(dtype, b, s, n, w) for n in (h, heads, heads))
    case("flash_attn", name, q=q, k=k, v=v, dropout=0.0, causal=causal, return_softmax=False, is_test=True, rng_name="", ignore=("softmax", "seed_offset"),
         like="q - q -", expect=lambda c: lone(batches(c.q, c.k, c.v, w**-0.5, lambda i: window(s, s, -1, 0 if causal else -1)[None])))


def lone(found):
    """The results of flash_attn that are fetched, at their places."""
    return [found[0], None, found[1], None]


def packed(name, shape, causal=False):
    b, s, groups, heads, w = shape
    qkv = D.f32(*shape)

    def expected(c):
        q = c.qkv[:, :, :-2].reshape(b, s, -1, w)
        return lone(batches(q, c.qkv[:, :, -2], c.qkv[:, :, -1], w**-0.5, lambda i: window(s, s, -1, 0 if causal else -1)[None]))
    case("flash_attn_qkvpacked", name, qkv=qkv, dropout=0.0, causal=causal, return_softmax=False, is_test=True, rng_name="", expect=expected,
         ignore=("softmax", "softmax_lse", "seed_offset"))


plain("fewer_keys", (2, 5, 4, 8), 2, causal=True)
packed("basic", (2, 5, 3, 2, 8))
packed("grouped", (2, 4, 4, 2, 8), causal=True)

# ---- sequences that follow each other

STARTS, KEY_STARTS = np.int32([0, 3, 3, 8]), np.int32([0, 4, 6, 13])


def third_sequences(name, causal=False, left=-1, right=-1, used=None, dtype="float32", dynamic=()):
    q, k, v = D.of(dtype, 8, 4, 6), D.of(dtype, 13, 2, 6), D.of(dtype, 13, 2, 5)
    lens = {} if used is None else dict(seqused_q=np.int32(used[0]), seqused_k=np.int32(used[1]))
    case("flash_attn_v3_varlen", name, q=q, k=k, v=v, cu_seqlens_q=STARTS, cu_seqlens_k=KEY_STARTS, max_seqlen_q=5, max_seqlen_k=7, **lens,
         softmax_scale=0.4, causal=causal, window_size_left=left, window_size_right=right, softcap=0.0, num_splits=0, manual_set_pack_gqa=False,
         pack_gqa=False, sm_margin=0, dynamic=dynamic, like="q float32", expect=lambda c: sequences(
             c.q, c.k, c.v, STARTS, KEY_STARTS, c.softmax_scale, left, 0 if causal else right, c.seqused_q, c.seqused_k))


third_sequences("basic")
third_sequences("causal", causal=True)
third_sequences("window", left=1, right=2)
third_sequences("used", used=([2, 0, 4], [3, 2, 6]))
third_sequences("float16", causal=True, dtype="float16")
third_sequences("dyn", causal=True, dynamic=("q", "k", "v"))


def unpadded(name, causal):
    q, k, v = D.f32(8, 4, 6), D.f32(13, 2, 6), D.f32(13, 2, 6)
    case("flash_attn_unpadded", name, q=q, k=k, v=v, cu_seqlens_q=STARTS, cu_seqlens_k=KEY_STARTS, max_seqlen_q=5, max_seqlen_k=7, scale=0.3, dropout=0.0,
         causal=causal, return_softmax=False, is_test=True, rng_name="", ignore=("softmax", "seed_offset"), like="q - q -", expect=lambda c: lone(sequences(
             c.q, c.k, c.v, STARTS, KEY_STARTS, c.scale, -1, 0 if causal else -1)))


unpadded("basic", False)
unpadded("causal", True)


def packed_sequences(name, padded, groups=2, causal=True):
    rows = 3 * 5 if padded else 8
    qkv = D.f32(rows, groups + 2, 2, 6)

    def expected(c):
        q, k, v = c.qkv[:, :-2].reshape(rows, -1, 6), c.qkv[:, -2], c.qkv[:, -1]
        at = np.arange(4) * 5 if padded else STARTS
        used = np.diff(STARTS) if padded else None
        return lone(sequences(q, k, v, at, at, c.scale, -1, 0 if causal else -1, used, used))
    case("flash_attn_varlen_qkvpacked", name, qkv=qkv, cu_seqlens_q=STARTS, cu_seqlens_k=STARTS, max_seqlen_q=5, max_seqlen_k=5, scale=0.3, dropout=0.0,
         causal=causal, return_softmax=False, is_test=True, rng_name="", varlen_padded=padded, expect=expected,
         ignore=("softmax", "softmax_lse", "seed_offset"))


packed_sequences("basic", False)
packed_sequences("padded", True)
packed_sequences("alone", False, groups=1, causal=False)

# ---- masks by columns


def column_mask(bounds, queries, causal):
    heads, keys, count = bounds.shape
    hidden = np.zeros((heads, queries, keys), bool)
    for h in range(heads):
        for j in range(keys):
            b = bounds[h, j]
            ends = count == (2 if causal else 4)
            hidden[h, b[0]:b[1] if ends else queries, j] = True
            if causal:
                hidden[h, :j, j] = True
            elif ends:
                hidden[h, b[2]:b[3], j] = True
            else:
                hidden[h, :b[1], j] = True
    return hidden


def masked_columns(op, name, bounds, causal, heads=4, key_heads=2, blocks=None, dtype="float32"):
    b, mask_heads, n, count = bounds.shape
    q, k, v = D.of(dtype, b, n, heads, 6), D.of(dtype, b, n, key_heads, 6), D.of(dtype, b, n, key_heads, 6)

    def expected(c):
        def mask(i):
            hidden = np.repeat(column_mask(bounds[i], n, causal), heads // mask_heads, 0)
            if blocks is None:
                return hidden
            wide = np.repeat(np.repeat(blocks[i], 128, 1), 128, 2)[:, :n, :n]
            return hidden | (np.repeat(wide, heads // wide.shape[0], 0) == 0)
        found = batches(c.q, c.k, c.v, 0.5 if op.endswith("v2") else 6**-0.5, mask)
        return found if op.endswith("v2") else lone(found)
    if op.endswith("v2"):
        extra = dict(block_mask=blocks, softmax_scale=0.5, is_causal=causal, like="q float32")
    else:
        extra = dict(dropout=0.0, causal=causal, return_softmax=False, is_test=True, rng_name="", ignore=("softmax", "seed_offset"), like="q - q -")
    case(op, name, q=q, k=k, v=v, startend_row_indices=bounds, expect=expected, **extra)


N = 10
LOW = np.int32([8] * N + [5] * N).reshape(1, 2, N, 1)
masked_columns("flashmask_attention", "causal", LOW, True)
masked_columns("flashmask_attention", "float16", LOW, True, dtype="float16")
BOTH = np.stack([np.clip(np.arange(N) + 3, 0, N), np.clip(np.arange(N) - 2, 0, N)], -1).astype(np.int32).reshape(1, 1, N, 2)
masked_columns("flashmask_attention", "both_sides", BOTH, False)
RANGE = np.stack([np.clip(np.arange(N) + 2, 0, N), np.clip(np.arange(N) + 5, 0, N)], -1).astype(np.int32).reshape(1, 1, N, 2)
masked_columns("flashmask_attention_v2", "causal_range", np.repeat(RANGE, 2, 0), True)
FOUR = np.concatenate([RANGE, np.zeros_like(RANGE), ], -1)
FOUR[..., 3] = np.clip(np.arange(N) - 6, 0, N)
masked_columns("flashmask_attention_v2", "two_ranges", FOUR, False)
WIDE = np.full((1, 1, 140, 1), 140, np.int32)
masked_columns("flashmask_attention_v2", "blocks", WIDE, True, heads=2, key_heads=1, blocks=np.int32([[[1, 0], [0, 1]], [[1, 1], [1, 1]]])[None])

# ---- a bias, diagonals, lengths


def efficient(name, causal=False, bias=None, diagonal=None, lengths=None, heads=4, scale=-1.0, dtype="float32", dynamic=()):
    q, k, v = D.of(dtype, 2, 5, heads, 6), D.of(dtype, 2, 7, heads, 6), D.of(dtype, 2, 7, heads, 3)

    def expected(c):
        def mask(i):
            own = np.arange(5)[:, None] + (diagonal[i] if diagonal is not None else 0)
            hidden = (np.arange(7) > own) & causal
            return (hidden | (np.arange(7) >= (lengths[i] if lengths is not None else 7)))[None]
        add = None if bias is None else lambda i: np.broadcast_to(c.bias, (2, heads, 5, 7))[i]
        return [batches(c.query, c.key, c.value, scale if scale >= 0 else 6**-0.5, mask, add)[0], None, None]
    case("memory_efficient_attention", name, query=q, key=k, value=v, bias=bias, causal_diagonal=diagonal, seqlen_k=lengths, max_seqlen_q=5, max_seqlen_k=7,
         causal=causal, dropout_p=0.0, scale=scale, is_test=True, expect=expected, ignore=("logsumexp", "seed_and_offset"), dynamic=dynamic)


efficient("basic")
efficient("causal", causal=True, scale=0.3)
efficient("diagonal", causal=True, diagonal=np.int32([2, 0]))
efficient("bias", bias=D.f32(2, 4, 5, 7))
efficient("shared_bias", bias=D.f32(1, 1, 5, 7), causal=True)
efficient("lengths", lengths=np.int32([4, 7]))
efficient("float16", causal=True, dtype="float16")
efficient("dyn", causal=True, dynamic=("query", "key", "value"))


def efficient_sequences():
    q, k, v = D.f32(1, 8, 2, 6), D.f32(1, 13, 2, 6), D.f32(1, 13, 2, 6)
    case("memory_efficient_attention", "sequences", query=q, key=k, value=v, cu_seqlens_q=STARTS, cu_seqlens_k=KEY_STARTS, max_seqlen_q=5, max_seqlen_k=7,
         causal=False, dropout_p=0.0, scale=0.5, is_test=True, ignore=("logsumexp", "seed_and_offset"),
         expect=lambda c: [sequences(c.query[0], c.key[0], c.value[0], STARTS, KEY_STARTS, 0.5)[0][None], None, None])


efficient_sequences()


def variable(name, causal=False, before=0, mask=None, dtype="float32", heads=2):
    b, h, s, w, keys = 2, 4, 5, 6, 6 + before
    q, k, v = D.of(dtype, b, h, s, w), D.of(dtype, b, heads, keys, w), D.of(dtype, b, heads, keys, w)
    rows, key_rows = np.int32([[4], [5]]), np.int32([[6], [3]])

    def expected(c):
        out = np.zeros((b, h, s, w))
        for i in range(b):
            n, m = int(rows[i, 0]), int(key_rows[i, 0]) + before
            hidden = (np.arange(m) > np.arange(n)[:, None] + before) & causal
            bias = None if mask is None else np.broadcast_to(c.mask[i], (h, s, keys))[:, :n, :m]
            rows_first = [c.query[i, :, :n], c.key[i, :, :m], c.value[i, :, :m]]
            out[i, :, :n] = attend(*(x.swapaxes(0, 1) for x in rows_first), 0.4, hidden[None], bias)[0].swapaxes(0, 1)
        return [out]
    case("variable_length_memory_efficient_attention", name, query=q, key=k, value=v, seq_lens=rows, kv_seq_lens=key_rows, mask=mask, scale=0.4,
         causal=causal, pre_cache_length=before, expect=expected)


variable("basic")
variable("causal", causal=True)
variable("cache", causal=True, before=3)
variable("mask", mask=D.f32(2, 1, 5, 6), heads=4)
variable("float16", causal=True, dtype="float16")

# ---- parts

LSE = D.f32(2, 4, 5, low=1, high=2)
case("calc_reduced_attn_scores", "basic", q=D.f32(2, 5, 4, 6), k=D.f32(2, 7, 4, 6), softmax_lse=LSE, like="float32", expect=lambda c: [
    np.exp(np.einsum("bqhd,bkhd->bhqk", c.q, c.k) * 6**-0.5 - c.softmax_lse[..., None]).sum(2, keepdims=True)])
for name, n in ("basic", 3), ("part", 2):
    case("blha_get_max_len", name, seq_lens_encoder=np.int32([[4], [9], [11]]), seq_lens_decoder=np.int32([[0], [5], [2]]),
         batch_size=np.zeros(n, np.int32), like="int32 int32", expect=lambda c, n=n: [np.array([c.seq_lens_encoder[:n].max()]), np.array([c.seq_lens_decoder[:n].max()])])


def partly_turned(c):
    kept = c.x.shape[-1] - c.cos.shape[-1]
    x = c.x[..., kept:]
    x = x.reshape(*x.shape[:-1], -1, 2).swapaxes(-1, -2).reshape(x.shape)
    half = x.shape[-1] // 2
    crossed = np.concatenate([-x[..., half:], x[..., :half]], -1)
    return [np.concatenate([c.x[..., :kept], x * c.cos + crossed * c.sin], -1)]


for name, dtype, width in ("basic", "float32", 10), ("whole", "float32", 4), ("bfloat16", "uint16", 12):
    turned = 4 if width == 4 else 6
    case("fused_partial_rope", name, x=D.of(dtype, 2, 5, 3, width), cos=D.of(dtype, 1, 5, 1, turned), sin=D.of(dtype, 1, 5, 1, turned), expect=partly_turned)
