"""All layers of a transformer over a cache, in NumPy as the kernel for GPUs is written."""
import math

import numpy as np

from generation.cached import packed, softmax, turned, unpacked
from recorder import Drawn, case

D = Drawn(23)


def normed(x, scale, bias, kind, epsilon):
    if kind == "layernorm":
        x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * scale
    return x if bias is None else x + bias


def gelu(x):
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def activated(x, act):
    a, b = np.split(x, 2, -1) if act != "gelu" else (x, 1)
    return gelu(a) * b if act != "swiglu" else a / (1 + np.exp(-a)) * b


def attended(q, ks, vs, bias=0):
    """One query [heads, width] over keys [places, heads, width]."""
    weights = softmax(np.einsum("hd,thd->ht", q, ks) / q.shape[-1]**0.5 + bias)
    return np.einsum("ht,thd->hd", weights, vs)


def transformer(name, layers=2, batch=2, length=5, heads=2, groups=0, width=8, hidden=24, room=9, lengths=None, step=None, cache=True, rotary=0, pairs=False,
                mask=0, bias=True, first=True, norm="layernorm", act="gelu", trans=True, dtype="float32", norm_bias=True, beams=0, dynamic=()):
    length = 1 if step is not None else length
    embed, keys, total = heads * width, groups or heads, heads + 2 * (groups or heads)
    pack = 16 // np.dtype(dtype).itemsize
    most = 0.5 if dtype == "float32" else 0.25  # sums of few digits cancel less
    of = lambda *shape, by=1.0: D.of(dtype, *shape, low=-by, high=by)
    norms = lambda: [(D.f32 if norm == "layernorm" else lambda *s, **k: D.of(dtype, *s, **k))(embed, low=0.5, high=1.5) for _ in range(layers)]
    shifts = lambda: [D.f32(embed) if norm == "layernorm" else of(embed) for _ in range(layers)] if norm_bias else None
    listed = lambda *shape: [of(*shape, by=most) for _ in range(layers)] if bias else None
    weight = lambda: of(total * width, embed, by=most) if trans else of(embed, total * width, by=most)
    spread = (total, width) if groups else (3, heads, width)
    wide = hidden if act == "gelu" else 2 * hidden
    values = dict(
        x=of(batch, length, embed), ln_scales=norms(), ln_biases=shifts(),
        qkv_weights=[weight().reshape(*((*spread, embed) if trans else (embed, *spread))) for _ in range(layers)], qkv_biases=listed(*spread),
        cache_kvs=[of(2, batch, keys, room, width) for _ in range(layers)] if cache else None,
        rotary_tensor=D.f32(2, batch, 1, length, width) if rotary else None, beam_offset=D.ints(beams, batch // beams, beams, room, dtype="int32") if beams else None,
        time_step=None if step is None else np.int32([step]), seq_lengths=None if lengths is None else np.int32(lengths),
        src_mask=of(batch, mask, 1, (step or 0) + 1) if mask else None,
        out_linear_weights=[of(embed, embed, by=most) for _ in range(layers)], out_linear_biases=listed(embed), ffn_ln_scales=norms(), ffn_ln_biases=shifts(),
        ffn1_weights=[of(embed, wide, by=most) for _ in range(layers)], ffn1_biases=listed(wide),
        ffn2_weights=[of(hidden, embed, by=most) for _ in range(layers)], ffn2_biases=listed(embed))

    def layer_of(c, i):
        return {k: None if v is None else v[i] for k, v in vars(c).items() if k in values and (v is None or isinstance(v, list))}

    def attention(c, w, x):
        rows = x @ w["qkv_weights"].reshape((-1, embed) if trans else (embed, -1)).T if trans else x @ w["qkv_weights"].reshape(embed, -1)
        rows = (rows + (0 if w["qkv_biases"] is None else w["qkv_biases"].reshape(-1))).reshape(batch, length, total, width)
        q, k, v = np.split(rows, [heads, heads + keys], 2)
        if rotary:
            cosines, sines = (t.swapaxes(1, 2) for t in c.rotary_tensor)
            q, k = (turned(a, cosines, sines, not pairs, rotary) for a in (q, k))
        kept = None if w["cache_kvs"] is None else (unpacked(w["cache_kvs"][0], pack), w["cache_kvs"][1].copy())
        out = np.zeros((batch, length, heads, width))
        now = [step] * batch if lengths is None else lengths
        each = lambda a: np.repeat(a, heads // keys, 1)
        for b in range(batch):
            if step is not None:
                kept[0][b, :, now[b]], kept[1][b, :, now[b]] = k[b, 0], v[b, 0]
        for b in range(batch):
            if step is not None:
                group = b // beams * beams if beams else b
                at = [group + c.beam_offset[b // beams, b % beams, t] for t in range(now[b])] + [b] if beams else [b] * (now[b] + 1)
                ks, vs = (each(a[at, :, np.arange(now[b] + 1)]) for a in kept)
                out[b, 0] = attended(q[b, 0], ks, vs, c.src_mask[b, :, 0, :now[b] + 1] if mask else 0)
                continue
            n = length if lengths is None else lengths[b]
            for t in range(n):
                out[b, t] = attended(q[b, t], each(k[b, :t + 1]), each(v[b, :t + 1]))
            if kept:
                kept[0][b, :, :n], kept[1][b, :, :n] = k[b, :n].swapaxes(0, 1), v[b, :n].swapaxes(0, 1)
        y = out.reshape(batch, length, embed) @ w["out_linear_weights"] + (0 if w["out_linear_biases"] is None else w["out_linear_biases"])
        return y, kept and np.stack([packed(kept[0], pack), kept[1]])

    def expected(c):
        x, caches = c.x, []
        eps = float(c.epsilon)
        for i in range(layers):
            w = layer_of(c, i)
            a, kept = attention(c, w, normed(x, w["ln_scales"], w["ln_biases"], norm, eps) if first else x)
            a = a + x
            middle = normed(a, *((w["ffn_ln_scales"], w["ffn_ln_biases"]) if first else (w["ln_scales"], w["ln_biases"])), norm, eps)
            h = activated(middle @ w["ffn1_weights"] + (0 if w["ffn1_biases"] is None else w["ffn1_biases"]), act)
            f = h @ w["ffn2_weights"] + (0 if w["ffn2_biases"] is None else w["ffn2_biases"]) + (a if first else middle)
            x = f if first else normed(f, w["ffn_ln_scales"], w["ffn_ln_biases"], norm, eps)
            caches.append(kept)
        if lengths is not None and step is None:
            x = np.where(np.arange(length)[:, None] < np.array(lengths)[:, None, None], x, 0)
        return [caches, x]

    case("fused_multi_transformer_", name, **values, pre_layer_norm=first, rotary_emb_dims=rotary, act_method=act, trans_qkvw=trans, norm_type=norm,
         use_neox_rotary_style=not pairs, gqa_group_size=groups or -1, is_test=True, expect=expected, like="cache_kvs x", dynamic=dynamic)


transformer("prompt")
transformer("prompt_alone", cache=False, layers=1)
transformer("prompt_lengths", lengths=(5, 3), rotary=1, pairs=True)
transformer("prompt_shared", heads=4, groups=2, rotary=1, act="swiglu", norm="rmsnorm", norm_bias=False, bias=False)
transformer("prompt_last", first=False, act="geglu", lengths=(2, 5))
transformer("prompt_unknown", lengths=(1, 4), dynamic=("x", "seq_lengths"))
transformer("token", step=4)
transformer("token_unknown", step=4, dynamic=("x",))
transformer("token_lengths", step=6, lengths=(6, 2), rotary=1, pairs=True, mask=1)
transformer("token_shared", step=3, heads=4, groups=2, rotary=1, act="swiglu", norm="rmsnorm", norm_bias=False, bias=False, trans=False)
transformer("token_last", step=2, first=False, layers=3, act="geglu")
transformer("token_blocks", step=5, rotary=2, mask=2)
transformer("token_beams", step=5, batch=4, beams=2, layers=1)
transformer("float16", step=3, dtype="float16", rotary=1, pairs=True)
transformer("prompt_float16", dtype="float16", layers=1, lengths=(3, 5))

TOLERANCES = {"fused_multi_transformer_": (1e-4, 1e-5)}
