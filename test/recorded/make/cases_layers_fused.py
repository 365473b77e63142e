"""Whole layers of transformers as one operator. Paddle computes them on GPUs alone: the results are NumPy's."""
import math

import numpy as np

from recorder import Drawn, case

D = Drawn(1)
erf = np.vectorize(math.erf)


def normalize(x, scale, bias, epsilon):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    out = (x - mean) / np.sqrt(var + epsilon)
    out = out if scale is None else out * scale
    return (out if bias is None else out + bias), mean.ravel(), var.ravel()


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def kept(x, rate, mode):
    """Dropout in a test."""
    return x if mode == "upscale_in_train" else x * (1 - rate)


def plus(x, bias):
    return x if bias is None else x + bias


# ---- attention


def attention_layer(name, pre=True, packed=False, cache=False, mask=True, residual=True, mode="upscale_in_train", rates=(0.0, 0.0), bias=True,
                    dtype="float32", dynamic=()):
    b, s, heads, w = 2, 5, 3, 4
    e, before = heads * w, 3 if cache else 0
    most = 0.3 if dtype == "float16" else 1  # every operator inside rounds
    of = lambda *shape: D.of(dtype, *shape, low=-most, high=most)
    weight = of(e, 3 * e) if packed else of(3, heads, w, e)
    values = dict(x=of(b, s, e), ln_scale=of(e) if pre else None, ln_bias=of(e) if pre else None, qkv_weight=weight,
                  qkv_bias=(of(3 * e) if packed else of(3, heads, w)) if bias else None, cache_kv=of(2, b, heads, before, w) if cache else None,
                  src_mask=of(b, 1, s, s + before) if mask else None, out_linear_weight=of(e, e), out_linear_bias=of(e) if bias else None,
                  ln_scale_2=None if pre else of(e), ln_bias_2=None if pre else of(e))

    def expected(c):
        x = normalize(c.x, c.ln_scale, c.ln_bias, 1e-5)[0] if pre else c.x
        qkv = x @ (c.qkv_weight if packed else c.qkv_weight.reshape(-1, e).T)
        qkv = plus(qkv, None if c.qkv_bias is None else c.qkv_bias.ravel()).reshape(b, s, 3, heads, w).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv
        if cache:
            k, v = (np.concatenate([old, new], 2) for old, new in zip(c.cache_kv, (k, v)))
        weights = kept(softmax(plus(q @ k.swapaxes(-1, -2) / w**0.5, c.src_mask)), rates[0], mode)
        y = (weights @ v).swapaxes(1, 2).reshape(b, s, e) @ c.out_linear_weight
        y = kept(plus(y, c.out_linear_bias), rates[1], mode) + (c.x if residual else 0)
        found = dict(out=y if pre else normalize(y, c.ln_scale_2, c.ln_bias_2, 1e-5)[0], cache_kv_out=np.stack([k, v]), bias_dropout_residual_out=y)
        return [found.get(n) for n in RESULTS]
    keep = {"out"} | ({"cache_kv_out"} if cache else set()) | (set() if pre else {"bias_dropout_residual_out"})
    absent = tuple(n for n, there in (("ln_mean_2", not pre), ("ln_var_2", not pre), ("bias_dropout_residual_out", not pre), ("cache_kv_out", cache)) if not there)
    case("fused_attention", name, **values, num_heads=heads if packed else -1, transpose_qkv_wb=packed, pre_layer_norm=pre, epsilon=1e-5,
         attn_dropout_rate=rates[0], is_test=True, attn_dropout_fix_seed=False, attn_dropout_seed=0, attn_dropout_implementation=mode,
         dropout_rate=rates[1], dropout_fix_seed=False, dropout_seed=0, dropout_implementation=mode, ln_epsilon=1e-5, add_residual=residual, ring_id=-1,
         expect=expected, ignore=tuple(n for n in RESULTS if n not in keep), absent=absent, dynamic=dynamic)


RESULTS = ("ln_mean ln_var ln_out qkv_out qkv_bias_out transpose_out_2 qk_out qktv_out softmax_out attn_dropout_mask_out attn_dropout_out src_mask_out fmha_out "
           "out_linear_out dropout_mask_out ln_mean_2 ln_var_2 bias_dropout_residual_out cache_kv_out out").split()
attention_layer("pre")
attention_layer("post", pre=False)
attention_layer("packed", packed=True)
attention_layer("cache", cache=True, mask=False)
attention_layer("downgrade", mode="downgrade_in_infer", rates=(0.3, 0.2), residual=False)
attention_layer("bare", mask=False, bias=False)
attention_layer("float16", dtype="float16")
attention_layer("dyn", dynamic=("x", "src_mask"))


def feed_forward(name, pre=True, act="gelu", mode="upscale_in_train", rates=(0.0, 0.0), residual=True, bias=True, dtype="float32", dynamic=()):
    b, s, e, inner = 2, 5, 6, 10
    of = lambda *shape: D.of(dtype, *shape)
    first, second = ("ln1", "ln2") if pre else ("ln2", "ln1")
    norms = {f"{first}_scale": of(e), f"{first}_bias": of(e)}

    def expected(c):
        x = normalize(c.x, c.ln1_scale, c.ln1_bias, 1e-5)[0] if pre else c.x
        a = plus(x @ c.linear1_weight, c.linear1_bias)
        a = kept(np.maximum(a, 0) if act == "relu" else a * 0.5 * (1 + erf(a / 2**0.5)), rates[0], mode)
        y = kept(plus(a @ c.linear2_weight, c.linear2_bias), rates[1], mode) + (c.x if residual else 0)
        found = dict(out=y if pre else normalize(y, c.ln2_scale, c.ln2_bias, 1e-5)[0], linear1_out=x @ c.linear1_weight, dropout1_out=a)
        return [found.get(n) for n in FORWARD]
    absent = ("ln2_mean", "ln2_variance") if pre else ("ln1_mean", "ln1_variance", "ln1_out")
    case("fused_feedforward", name, x=of(b, s, e), linear1_weight=of(e, inner), linear1_bias=of(inner) if bias else None, linear2_weight=of(inner, e),
         linear2_bias=of(e) if bias else None, **norms, pre_layer_norm=pre, ln1_epsilon=1e-5, ln2_epsilon=1e-5, act_method=act, dropout1_prob=rates[0],
         dropout2_prob=rates[1], dropout1_implementation=mode, dropout2_implementation=mode, is_test=True, dropout1_fix_seed=False, dropout2_fix_seed=False,
         dropout1_seed_val=0, dropout2_seed_val=0, add_residual=residual, ring_id=-1, expect=expected, absent=absent, dynamic=dynamic,
         ignore=tuple(n for n in FORWARD if n not in ("out", "linear1_out", "dropout1_out")))


FORWARD = "out dropout1_mask dropout2_mask ln1_mean ln1_variance ln2_mean ln2_variance linear1_out ln1_out dropout1_out dropout2_out".split()
feed_forward("pre")
feed_forward("post", pre=False, act="relu")
feed_forward("downgrade", mode="downgrade_in_infer", rates=(0.1, 0.4), residual=False)
feed_forward("bare", bias=False)
feed_forward("float16", dtype="float16")
feed_forward("dyn", dynamic=("x",))


def gated(name, merged=True, gating=True, bias=True):
    b, m, r, c, heads, w = 2, 3, 4, 6, 2, 5
    keys = r if merged else 7
    values = dict(query=D.f32(b, m, r, c), src_mask=D.f32(b, m, 1, 1, keys), nonbatched_bias=D.f32(b, 1, heads, r, keys) if bias else None,
                  out_linear_weight=D.f32(heads, w, c), out_linear_bias=D.f32(c))
    if merged:
        values.update(qkv_weight=D.f32(3, heads, w, c))
    else:
        values.update(key=D.f32(b, m, keys, c), query_weight=D.f32(c, heads, w), key_weight=D.f32(c, heads, w), value_weight=D.f32(c, heads, w))
    if gating:
        values.update(gate_weight=D.f32(c, heads, w), gate_bias=D.f32(heads, w))

    def expected(c):
        if merged:
            q, k, v = np.einsum("nbqa,shca->snbqhc", c.query, c.qkv_weight)
        else:
            q = np.einsum("nbqa,ahc->nbqhc", c.query, c.query_weight)
            k, v = (np.einsum("nbka,ahc->nbkhc", c.key, weight) for weight in (c.key_weight, c.value_weight))
        scores = plus(np.einsum("nbqhc,nbkhc->nbhqk", q, k) * w**-0.5 + c.src_mask, c.nonbatched_bias)
        y = np.einsum("nbhqk,nbkhc->nbqhc", softmax(scores), v)
        if gating:
            y = y / (1 + np.exp(-(np.einsum("nbqc,chv->nbqhv", c.query, c.gate_weight) + c.gate_bias)))
        return [None] * 8 + [np.einsum("nbqhc,hco->nbqo", y, c.out_linear_weight) + c.out_linear_bias]
    made = "query_transpose_out key_transpose_out value_transpose_out qkv_transpose_out softmax_out softmax_lse fmha_out gate_out".split()
    case("fused_gate_attention", name, **values, has_gating=gating, merge_qkv=merged, expect=expected, absent=tuple(made))


gated("merged")
gated("apart", merged=False)
gated("open", gating=False)
gated("bare", merged=False, gating=False, bias=False)


def residual_norm(name, mode="upscale_in_train", rate=0.0, bias=True, dtype="float32", dynamic=()):
    of = lambda *shape: D.of(dtype, *shape)
    def expected(c):
        y = c.residual + kept(plus(c.x, c.bias), rate, mode)
        found = normalize(y, c.ln_scale, c.ln_bias, 1e-5)
        return [found[0], y, None, found[1], found[2]]
    case("fused_bias_dropout_residual_layer_norm", name, x=of(2, 5, 6), residual=of(2, 5, 6), bias=of(6) if bias else None, ln_scale=of(6), ln_bias=of(6),
         dropout_rate=rate, is_test=True, dropout_implementation=mode, ignore=("dropout_mask_out",), expect=expected, dynamic=dynamic,
         like="x x - x x")


residual_norm("basic")
residual_norm("downgrade", "downgrade_in_infer", 0.25)
residual_norm("bare", bias=False)
residual_norm("dyn", dynamic=("x", "residual"))


def pruned(name, first=True, order=False):
    b, heads, n, m, w = 2, 3, 6, 4, 5
    mask = D.f32(b, heads, n, n)

    def expected(c):
        score = np.where(c.mask >= 0, c.attn, 0).sum((1, 2))
        if first:
            score[:, 0] = np.inf
        at = np.argsort(-score, 1, kind="stable")[:, :m]
        at = np.sort(at, 1) if order else at
        return [np.take_along_axis(c.x, at[..., None], 1), at]
    case("fused_token_prune", name, attn=D.f32(b, heads, n, n), x=D.f32(b, n, w), mask=mask, new_mask=D.f32(b, heads, m, m), keep_first_token=first,
         keep_order=order, expect=expected, like="x int64")


pruned("basic")
pruned("ordered", order=True)
pruned("any_first", first=False)
case("qkv_unpack_mha", "flat", q=D.f32(2, 1, 12), k=D.f32(2, 7, 3, 4), v=D.f32(2, 7, 3, 4), expect=lambda c: [np.einsum("bhqk,bkhd->bqhd", softmax(
    np.einsum("bqhd,bkhd->bhqk", c.q.reshape(2, 1, 3, 4), c.k) * 0.5), c.v).reshape(2, 1, 12)])
case("qkv_unpack_mha", "basic", q=D.f32(2, 1, 3, 4), k=D.f32(2, 7, 3, 4), v=D.f32(2, 7, 3, 4), expect=lambda c: [
    np.einsum("bhqk,bkhd->bqhd", softmax(np.einsum("bqhd,bkhd->bhqk", c.q, c.k) * 0.5), c.v)])
