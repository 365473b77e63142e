"""Attention over caches, as the kernels for GPUs are written."""
import numpy as np

from recorder import Drawn, case, narrow

D = Drawn(1)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def rounded(x, scale, ties_away, high=127.0, low=-127.0):
    v = x * high * scale
    v = np.sign(v) * np.floor(np.abs(v) + 0.5) if ties_away else np.rint(v)
    return np.clip(v, low, high)


def turned(x, cosines, sines, halves, blocks=1):
    """Elements turn by their own entries of the tables."""
    block = x.reshape(*x.shape[:-1], blocks, -1) if halves else x.reshape(*x.shape[:-1], -1, 2)
    half = block.shape[-1] // 2
    crossed = np.concatenate([-block[..., half:], block[..., :half]], -1).reshape(x.shape)
    return x * cosines + crossed * sines


# ---- one new token of each sequence


def packed(keys, pack):
    """[batch, heads, places, width] as [batch, heads, width / pack, places, pack], in the shape of the former."""
    b, h, n, w = keys.shape
    return keys.reshape(b, h, n, w // pack, pack).transpose(0, 1, 3, 2, 4).reshape(b, h, n, w)


def unpacked(keys, pack):
    b, h, n, w = keys.shape
    return keys.reshape(b, h, w // pack, n, pack).transpose(0, 1, 3, 2, 4).reshape(b, h, n, w)


def one_token(name, heads=2, key_heads=2, width=8, room=7, lengths=(3, 5), mask=False, bias=False, rotary=None, beams=None, dtype="float32", scale=None,
              out_scale=-1.0, ties_away=1, smooth=False, batch=2):
    pack = 16 // np.dtype(dtype).itemsize
    columns = (heads + 2 * key_heads) * width
    x = D.ints(200, batch, columns, low=-200, dtype="int32") if scale else D.of(dtype, batch, columns)
    cache = D.of(dtype, 2, batch, key_heads, room, width)
    values = dict(x=x, cache_kv=cache, bias=D.of(dtype, heads + 2 * key_heads, width) if bias else None)
    if mask:
        values.update(src_mask=D.of(dtype, batch, mask, 1, max(lengths) + 1 if lengths else mask_length(room)))
    if lengths:
        values.update(sequence_lengths=np.int32(lengths).reshape(-1, 1))
    if rotary:
        values.update(rotary_tensor=D.f32(2, batch, 1, 1, width))
    if beams:
        values.update(beam_cache_offset=D.ints(beams, batch // beams, beams, room, dtype="int32"))
    if scale:
        values.update(qkv_out_scale=D.f32(columns, low=0.001, high=0.01))
    if smooth:
        values.update(out_shift=D.of(dtype, heads * width), out_smooth=D.of(dtype, heads * width))

    def expected(c):
        qkv = c.x.reshape(batch, -1, width) * (c.qkv_out_scale.reshape(-1, width) if scale else 1)
        qkv = qkv + (0 if c.bias is None else c.bias)
        q, k, v = np.split(qkv, [heads, heads + key_heads], 1)
        if rotary:
            cosines, sines = c.rotary_tensor.reshape(2, batch, 1, width)
            q, k = (turned(a, cosines, sines, rotary == "halves") for a in (q, k))
        keys, past = unpacked(c.cache_kv[0], pack), c.cache_kv[1].copy()
        out = np.zeros((batch, heads, width))
        now = lengths or [values["src_mask"].shape[3] - 1] * batch
        for b in range(batch):
            n = now[b]
            if n < 0:
                continue
            keys[b, :, n], past[b, :, n] = k[b], v[b]
        for b in range(batch):
            n = now[b]
            if n < 0:
                continue
            first = b // beams * beams if beams else b
            at = np.array([first + c.beam_cache_offset[b // beams, b % beams, t] for t in range(n)] + [b]) if beams else np.full(n + 1, b)
            ks, vs = (np.repeat(a[at, :, np.arange(n + 1)], heads // key_heads, 1) for a in (keys, past))
            scores = np.einsum("hd,thd->ht", q[b], ks) / width**0.5
            if mask:
                scores = scores + c.src_mask[b, :, 0, :n + 1]
            out[b] = np.einsum("ht,thd->hd", softmax(scores), vs)
        y = out.reshape(batch, -1)
        if smooth:
            y = (y + c.out_shift) * c.out_smooth
        y = rounded(y, out_scale, ties_away) if out_scale > 0 else y
        return [y, np.stack([packed(keys, pack), past]), c.beam_cache_offset]
    case("masked_multihead_attention_", name, **values, seq_len=1, rotary_emb_dims=1 if rotary else 0, use_neox_rotary_style=rotary == "halves",
         compute_dtype="fp32" if scale else "default", out_scale=out_scale, quant_round_type=ties_away, expect=expected,
         like=("int8" if out_scale > 0 else "cache_kv") + " cache_kv beam_cache_offset")


def mask_length(room):
    return room - 1


one_token("basic")
one_token("mask", mask=1)
one_token("mask_each_head", mask=2)
one_token("by_mask", mask=1, lengths=None)
one_token("bias", bias=True, rotary="pairs")
one_token("halves", rotary="halves")
one_token("fewer_keys", heads=4, key_heads=2, rotary="pairs")
one_token("ended", lengths=(4, -1))
one_token("beams", batch=4, beams=2, lengths=(3, 5, 2, 6))
one_token("from_integers", scale=True)
one_token("to_integers", out_scale=0.5)
one_token("to_integers_even", out_scale=0.4, ties_away=0, smooth=True)
one_token("float16", dtype="float16", rotary="pairs")
