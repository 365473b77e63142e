"""Gradients of attention in tiles. Paddle computes them on GPUs alone: the numbers are those of its autograd, of attention in eager operators."""
import numpy as np

from recorder import CASES, Drawn, autograd, case

STATED = len(CASES)
import cases_attention as forward  # noqa: E402: its masks; its cases are another archive's

del CASES[STATED:]
TOLERANCES = {op: (1e-5, 2e-6) for op in ("flash_attn_grad", "flash_attn_qkvpacked_grad", "flash_attn_unpadded_grad", "flash_attn_v3_grad", "flash_attn_v3_varlen_grad",
                                           "flash_attn_varlen_qkvpacked_grad", "flashmask_attention_grad", "flashmask_attention_v2_grad",
                                           "memory_efficient_attention_grad", "fused_dot_product_attention_grad")}
D = Drawn(2)
SUMS = dict(softmax_lse=np.zeros(1, "float32"))  # no kernel of ours reads them
DRAWN = dict(SUMS, seed_offset=np.zeros(2, "int64"))


def attend(q, k, v, scale, hidden=False, bias=None, cap=0.0):
    """Attention [length, heads, width] of one sequence; `hidden` [heads or 1, queries, keys]."""
    import paddle
    shared = q.shape[1] // k.shape[1]
    k, v = (t.repeat_interleave(shared, 1) for t in (k, v))
    scores = paddle.einsum("qhd,khd->hqk", q, k) * scale
    if cap:
        scores = cap * paddle.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    seen = paddle.to_tensor(~np.broadcast_to(hidden, scores.shape)).astype("float64")
    weights = paddle.exp(scores - scores.max(-1, keepdim=True).detach()) * seen
    total = weights.sum(-1, keepdim=True)
    return paddle.einsum("hqk,khd->qhd", weights / (total + (total == 0).astype("float64")), v)


def batches(scale, mask=lambda i: False, cap=0.0):
    def run(q, k, v, bias=None):
        import paddle
        wide = None if bias is None else bias.expand([q.shape[0], q.shape[2], q.shape[1], k.shape[1]])
        return paddle.stack([attend(q[i], k[i], v[i], scale, mask(i), None if bias is None else wide[i], cap) for i in range(len(q))])
    return run


def sequences(starts, key_starts, scale, before=-1, after=-1, used=None, key_used=None):
    def run(q, k, v):
        import paddle
        parts, end = [], 0
        for i in range(len(starts) - 1):
            a, c = int(starts[i]), int(key_starts[i])
            n = int(starts[i + 1] - a if used is None else used[i])
            m = int(key_starts[i + 1] - c if key_used is None else key_used[i])
            if a > end:
                parts.append(paddle.zeros([a - end, q.shape[1], v.shape[2]], "float64"))
            if n:
                parts.append(attend(q[a:a + n], k[c:c + m], v[c:c + m], scale, forward.window(n, m, before, after)[None]))
            end = a + n
        if end < len(q):
            parts.append(paddle.zeros([len(q) - end, q.shape[1], v.shape[2]], "float64"))
        return paddle.concat(parts)
    return run


def gradient(op, name, run, names="q k v", result="out", absent=(), grad=None, **values):
    """A case whose results are the gradients of `run` of the named operands."""
    g = grad if grad is not None else D.of(values["q"].dtype, *values["q"].shape[:-1], values["v"].shape[-1])
    inputs = names.split()
    case(op, name, **values, **{result: g, result + "_grad": g}, absent=absent, like=" ".join(inputs), expect=lambda c: autograd(
        run, [getattr(c, n) for n in inputs], [getattr(c, result + "_grad")]))


# ---- whole batches


def third(name, shape, keys, heads, dtype="float32", causal=False, left=-1, right=-1, cap=0.0, dynamic=()):
    b, s, h, w = shape
    gradient("flash_attn_v3_grad", name, batches(0.4, lambda i: forward.window(s, keys, left, 0 if causal else right)[None], cap),
             q=D.of(dtype, *shape), k=D.of(dtype, b, keys, heads, w), v=D.of(dtype, b, keys, heads, w + 2), **SUMS, softmax_scale=0.4, is_causal=causal,
             window_size_left=left, window_size_right=right, softcap=cap, sm_margin=0, dynamic=dynamic)


third("basic", (2, 5, 4, 8), 5, 4)
third("causal", (2, 3, 4, 8), 7, 2, causal=True)
third("window", (1, 6, 2, 4), 6, 1, left=2, right=1)
third("softcap", (1, 6, 2, 4), 9, 2, cap=0.5, causal=True)
third("nothing_seen", (1, 6, 2, 4), 3, 2, causal=True)
third("float16", (2, 5, 4, 8), 5, 4, "float16", causal=True)
third("bfloat16", (2, 5, 4, 8), 5, 2, "uint16")
third("dyn", (2, 5, 4, 8), 7, 2, causal=True, dynamic=("q", "k", "v", "out_grad"))


def plain(name, shape, heads, causal=False, mask=None, dtype="float32"):
    b, s, h, w = shape

    def run(q, k, v):
        import paddle
        return batches(w**-0.5, lambda i: forward.window(s, s, -1, 0 if causal else -1)[None])(q, k, v, None if mask is None else paddle.to_tensor(mask.astype("float64")))
    gradient("flash_attn_grad", name, run, q=D.of(dtype, *shape), k=D.of(dtype, b, s, heads, w), v=D.of(dtype, b, s, heads, w), attn_mask=mask, **DRAWN,
             dropout=0.0, causal=causal)


plain("basic", (2, 5, 4, 8), 4)
plain("fewer_keys", (2, 5, 4, 8), 2, causal=True)
plain("mask", (2, 5, 4, 8), 4, mask=D.f32(2, 1, 5, 5))
plain("float16", (2, 5, 4, 8), 4, causal=True, dtype="float16")


def split(axis, run):
    """The same of a packed query, key and value."""
    def packed(qkv):
        parts = [qkv.slice([axis], [a], [b]) for a, b in ((0, -2), (-2, -1), (-1, qkv.shape[axis]))]
        return run(parts[0].flatten(axis, axis + 1), parts[1].squeeze(axis), parts[2].squeeze(axis))
    return packed


for name, shape, causal in ("basic", (2, 5, 3, 2, 8), False), ("grouped", (2, 4, 4, 2, 8), True):
    b, s, groups, heads, w = shape
    gradient("flash_attn_qkvpacked_grad", name, split(2, batches(w**-0.5, lambda i, s=s, c=causal: forward.window(s, s, -1, 0 if c else -1)[None])), names="qkv",
             qkv=D.f32(*shape), **DRAWN, grad=D.f32(b, s, (groups - 2) * heads, w), dropout=0.0, causal=causal)

# ---- sequences that follow each other

STARTS, KEY_STARTS = forward.STARTS, forward.KEY_STARTS
CUTS = dict(cu_seqlens_q=STARTS, cu_seqlens_k=KEY_STARTS, max_seqlen_q=5, max_seqlen_k=7)


def third_sequences(name, causal=False, left=-1, right=-1, used=(None, None), dtype="float32"):
    lens = {} if used[0] is None else dict(seqused_q=np.int32(used[0]), seqused_k=np.int32(used[1]))
    gradient("flash_attn_v3_varlen_grad", name, sequences(STARTS, KEY_STARTS, 0.4, left, 0 if causal else right, *used), q=D.of(dtype, 8, 4, 6), k=D.of(dtype, 13, 2, 6),
             v=D.of(dtype, 13, 2, 5), **SUMS, **CUTS, **lens, softmax_scale=0.4, causal=causal, window_size_left=left, window_size_right=right, softcap=0.0, sm_margin=0)


third_sequences("basic")
third_sequences("causal", causal=True)
third_sequences("window", left=1, right=2)
third_sequences("used", used=([2, 0, 4], [3, 2, 6]))
third_sequences("float16", causal=True, dtype="float16")
for name, causal in ("basic", False), ("causal", True):
    gradient("flash_attn_unpadded_grad", name, sequences(STARTS, KEY_STARTS, 0.3, -1, 0 if causal else -1), q=D.f32(8, 4, 6), k=D.f32(13, 2, 6), v=D.f32(13, 2, 6),
             **DRAWN, **CUTS, scale=0.3, dropout=0.0, causal=causal)
for name, padded, groups, causal in ("basic", False, 2, True), ("padded", True, 2, True), ("alone", False, 1, False):
    rows = 15 if padded else 8
    at, used = (np.arange(4) * 5, np.diff(STARTS)) if padded else (STARTS, None)
    gradient("flash_attn_varlen_qkvpacked_grad", name, split(1, sequences(at, at, 0.3, -1, 0 if causal else -1, used, used)), names="qkv",
             qkv=D.f32(rows, groups + 2, 2, 6), **DRAWN, **{**CUTS, "cu_seqlens_k": STARTS, "max_seqlen_k": 5}, grad=D.f32(rows, groups * 2, 6), scale=0.3, dropout=0.0,
             causal=causal, varlen_padded=padded)

# ---- masks by columns


def masked_columns(op, name, bounds, causal, heads=4, key_heads=2, blocks=None, dtype="float32"):
    b, mask_heads, n, count = bounds.shape
    second = "v2" in op

    def mask(i):
        hidden = np.repeat(forward.column_mask(bounds[i], n, causal), heads // mask_heads, 0)
        if blocks is None:
            return hidden
        wide = np.repeat(np.repeat(blocks[i], 128, 1), 128, 2)[:, :n, :n]
        return hidden | (np.repeat(wide, heads // wide.shape[0], 0) == 0)
    extra = dict(block_mask=blocks, softmax_scale=0.5, is_causal=causal, **SUMS) if second else dict(dropout=0.0, causal=causal, **DRAWN)
    gradient(op, name, batches(0.5 if second else 6**-0.5, mask), q=D.of(dtype, b, n, heads, 6), k=D.of(dtype, b, n, key_heads, 6), v=D.of(dtype, b, n, key_heads, 6),
             startend_row_indices=bounds, **extra)


masked_columns("flashmask_attention_grad", "causal", forward.LOW, True)
masked_columns("flashmask_attention_grad", "float16", forward.LOW, True, dtype="float16")
masked_columns("flashmask_attention_grad", "both_sides", forward.BOTH, False)
masked_columns("flashmask_attention_v2_grad", "causal_range", np.repeat(forward.RANGE, 2, 0), True)
masked_columns("flashmask_attention_v2_grad", "two_ranges", forward.FOUR, False)

# ---- a bias


def efficient(name, causal=False, bias=None, heads=4, scale=-1.0, dtype="float32"):
    hidden = (np.arange(7) > np.arange(5)[:, None])[None] & causal
    q, k, v = D.of(dtype, 2, 5, heads, 6), D.of(dtype, 2, 7, heads, 6), D.of(dtype, 2, 7, heads, 3)
    run = batches(scale if scale >= 0 else 6**-0.5, lambda i: hidden)
    g = D.of(dtype, 2, 5, heads, 3)
    case("memory_efficient_attention_grad", name, query=q, key=k, value=v, bias=bias, output=g, logsumexp=np.zeros(1, "float32"), seed_and_offset=np.zeros(2, "int64"),
         output_grad=g, max_seqlen_q=5, max_seqlen_k=7, causal=causal, dropout_p=0.0, scale=scale, absent=() if bias is not None else ("bias_grad",),
         expect=lambda c: autograd(run, [c.query, c.key, c.value, c.bias], [c.output_grad]))


efficient("basic")
efficient("causal", causal=True, scale=0.3)
efficient("bias", bias=D.f32(2, 4, 5, 7))
efficient("shared_bias", bias=D.f32(1, 1, 5, 7), causal=True)
efficient("float16", causal=True, dtype="float16")
for name, bias in ("basic", None), ("bias", D.f32(1, 2, 5, 7)):
    gradient("fused_dot_product_attention_grad", name, batches(0.3), names="q k v bias", q=D.f32(2, 5, 2, 4), k=D.f32(2, 7, 2, 4), v=D.f32(2, 7, 2, 4), bias=bias,
             softmax_out=np.zeros(1, "float32"), rng_state=np.zeros(2, "float32"), scaling_factor=0.3, dropout_probability=0.0,
             bias_type_str="none" if bias is None else "post_scale_bias", absent=() if bias is not None else ("bias_grad",))
