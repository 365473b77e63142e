"""Attention over caches, as the kernels for GPUs are written: cases of one token, and of blocks."""
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


# ---- a cache in blocks


def blocks(name, enc=(4, 0, 3), dec=(0, 5, 0), heads=2, key_heads=2, width=4, size=3, per_sequence=4, before=0, rope=None, mask=False, target=False, bias=False,
           scale=False, out_scale=-1.0, dtype="float32", in_bytes=False, ties_away=1):
    n = len(enc)
    now = [e if e else int(d > 0) for e, d in zip(enc, dec)]
    starts = np.concatenate([[0], np.cumsum(now)]).astype(np.int32)
    tokens, columns = int(starts[-1]), (heads + 2 * key_heads) * width
    count = n * per_sequence + 1
    tables = np.random.RandomState(len(name)).permutation(count)[:n * per_sequence].reshape(n, per_sequence).astype(np.int32)
    qkv = D.ints(200, tokens, columns, low=-200, dtype="int32") if scale else D.of(dtype, tokens, columns)
    longest = 9
    values = dict(qkv=qkv, key_cache=D.of(dtype, count, key_heads, size, width), value_cache=D.of(dtype, count, key_heads, size, width),
                  seq_lens_encoder=np.int32(enc).reshape(-1, 1), seq_lens_decoder=np.int32(dec).reshape(-1, 1), seq_lens_this_time=np.int32(now).reshape(-1, 1),
                  padding_offsets=np.concatenate([np.full(m, i * longest - starts[i]) for i, m in enumerate(now)]).astype(np.int32),
                  cum_offsets=(np.arange(n) * longest - starts[:-1]).astype(np.int32), cu_seqlens_q=starts, cu_seqlens_k=starts, block_tables=tables)
    if before:
        values.update(pre_key_cache=D.of(dtype, n, key_heads, before, width), pre_value_cache=D.of(dtype, n, key_heads, before, width))
    if rope:
        values.update(rope_emb=D.f32(2, 1, longest, 1, width if rope == "halves" else width // 2))
    if mask:
        values.update(mask=D.of(dtype, n, 1, longest, longest + before))
    if target:
        values.update(tgt_mask=D.of(dtype, n, 1, 1, longest + before))
    if bias:
        values.update(qkv_bias=D.of(dtype, columns))
    if scale:
        values.update(qkv_out_scale=D.f32(columns, low=0.001, high=0.01))

    if in_bytes:
        for name_of in ("key_cache", "value_cache"):
            values[name_of] = D.ints(255, count, key_heads, size, width, low=1, dtype="uint8")
        factors = {k: D.f32(key_heads, low=40, high=120) for k in ("k", "v")}
        values.update({f"cache_{k}_quant_scales": f for k, f in factors.items()})
        values.update({f"cache_{k}_dequant_scales": 1 / f for k, f in factors.items()})

    def stored(rows, which, prompt):
        """What a cache holds of rows of each head."""
        if not in_bytes:
            return rows
        return rounded(rows, factors[which][:, None].astype(float) / 127, ties_away and prompt) + 128

    def read(rows, which):
        return (rows - 128.0) / factors[which][:, None].astype(float) if in_bytes else rows

    def expected(c):
        rows = c.qkv * (c.qkv_out_scale if scale else 1) + (c.qkv_bias if bias else 0)
        rows = rows.reshape(tokens, -1, width)
        keys, past, again = c.key_cache.copy(), c.value_cache.copy(), c.qkv.copy()
        out = np.zeros((tokens, heads, width))
        for b in range(n):
            m, a = now[b], starts[b]
            first = 0 if enc[b] else dec[b]
            q, k, v = np.split(rows[a:a + m], [heads, heads + key_heads], 1)
            if not m:
                continue
            if rope:
                cosines, sines = c.rope_emb[:, 0, first:first + m]
                half = width // 2
                spread = (lambda t: np.concatenate([t[..., :half]] * 2, -1)) if rope == "halves" else (lambda t: np.repeat(t, 2, -1))
                q, k = (turned(x, spread(cosines), spread(sines), rope == "halves") for x in (q, k))
            if enc[b]:
                if not scale:
                    again[a:a + m] = np.concatenate([q, k, v], 1).reshape(m, -1)
            total = before + first + m
            seen = []
            for which, cache, fresh in (("k", keys, k), ("v", past, v)):
                pre = getattr(c, {"k": "pre_key_cache", "v": "pre_value_cache"}[which])
                earlier = [read(cache[tables[b, t // size], :, t % size], which) for t in range(before + first)]
                if enc[b] and before:
                    earlier = list(pre[b].swapaxes(0, 1))
                seen.append(np.repeat(np.stack(earlier + list(fresh)), heads // key_heads, 1))
                for t in range(0 if enc[b] else total - 1, total):
                    row = pre[b, :, t] if t < before and enc[b] else fresh[t - before - first]
                    cache[tables[b, t // size], :, t % size] = stored(row, which, bool(enc[b]))
            ks, vs = seen
            scores = np.einsum("qhd,khd->hqk", q, ks) / width**0.5
            given = c.mask if enc[b] else c.tgt_mask
            if given is not None:
                scores = scores + given[b, :, :m, :total]
            else:
                scores = np.where(np.arange(total) > np.arange(m)[:, None] + total - m, -np.inf, scores)
            out[a:a + m] = np.einsum("hqk,khd->qhd", softmax(scores), vs)
        y = out.reshape(tokens, -1)
        return [rounded(y, out_scale, ties_away) if out_scale > 0 else y, again, keys, past]
    case("block_multihead_attention_", name, **values, max_seq_len=longest, block_size=size, use_neox_style=rope == "halves", out_scale=out_scale,
         quant_round_type=ties_away,
         compute_dtype="fp32" if scale else "default", expect=expected,
         like=("int8" if out_scale > 0 else dtype) + " qkv key_cache value_cache")
