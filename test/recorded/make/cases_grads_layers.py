"""Gradients of whole layers of transformers. Paddle computes them on GPUs alone: the numbers are those of its autograd, of the layer in eager operators."""
import numpy as np

from recorder import Drawn, case

TOLERANCES = {op: (1e-5, 5e-6) for op in ("fused_attention_grad", "fused_feedforward_grad", "fused_gate_attention_grad")}
D = Drawn(3)


class Layer:
    """A layer in eager operators of float64. It keeps intermediate results by name, and the gradient of each."""

    def __init__(self, inputs):
        import paddle
        paddle.disable_static()
        self.inputs = {n: None if a is None else paddle.to_tensor(a.astype("float64"), stop_gradient=False) for n, a in inputs.items()}
        self.kept = {}

    def keep(self, **named):
        self.kept.update(named)
        return next(iter(named.values()))

    def results(self, out, grad):
        """The kept numbers, and a function that gives the gradient of a name."""
        import paddle
        known = {**{n: t for n, t in self.inputs.items() if t is not None}, **self.kept}
        found = paddle.grad([out], list(known.values()), [paddle.to_tensor(grad.astype("float64"))], allow_unused=True)
        grads = {n: None if g is None else g.numpy() for n, g in zip(known, found)}
        numbers = {n: t.numpy().astype("float32") for n, t in self.kept.items()}
        paddle.enable_static()
        return numbers, grads


def normalize(x, scale, bias, epsilon=1e-5):
    mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    n = (x - mean) * (var + epsilon).rsqrt()
    n = n if scale is None else n * scale
    return (n if bias is None else n + bias), mean.flatten(), var.flatten()


def dropped(x, mask, rate, mode):
    import paddle
    return x * paddle.to_tensor(mask.astype("float64")) / ((1 - rate) if mode == "upscale_in_train" else 1)


def state(op, name, values, layer_grads, results, absent, **attrs):
    """`results` names the results in the order of the operator; a left-out one is in `absent`."""
    found = [layer_grads.get(r[:-len("_grad")]) for r in results]
    names = [r for r, f in zip(results, found) if f is None]
    case(op, name, **values, **attrs, expect=lambda c: found, absent=tuple(absent), ignore=tuple(n for n in names if n not in absent))


# ---- attention

ATTENTION = ("qkv_bias_grad qkv_bias_out_grad src_mask_out_grad out_linear_bias_grad ln_scale_grad ln_bias_grad ln_scale_2_grad ln_bias_2_grad x_grad qkv_weight_grad "
             "out_linear_weight_grad ln_out_grad bias_dropout_residual_out_grad qkv_out_grad qktv_out_grad transpose_out_2_grad qk_out_grad softmax_out_grad "
             "attn_dropout_out_grad fmha_out_grad out_linear_out_grad").split()


def attention(name, pre=True, packed=False, mask=True, bias=True, residual=True, mode="upscale_in_train", rates=(0.0, 0.0)):
    import paddle
    b, s, heads, w = 2, 5, 3, 4
    e = heads * w
    x, src = D.f32(b, s, e), D.f32(b, 1, s, s) if mask else None
    inputs = dict(x=x, qkv_weight=D.f32(e, 3 * e) if packed else D.f32(3, heads, w, e), qkv_bias=(D.f32(3 * e) if packed else D.f32(3, heads, w)) if bias else None,
                  out_linear_weight=D.f32(e, e), out_linear_bias=D.f32(e) if bias else None)
    norm = ("ln_scale", "ln_bias") if pre else ("ln_scale_2", "ln_bias_2")
    inputs.update({n: D.f32(e) for n in norm})
    masks = D.ints(2, b, heads, s, s, dtype="uint8"), D.ints(2, b, s, e, dtype="uint8")
    if not rates[0]:
        masks = tuple(np.ones_like(m) for m in masks)
    layer = Layer(inputs)
    i, keep = layer.inputs, layer.keep
    first = i["x"]
    if pre:
        first, mean, var = normalize(i["x"], i["ln_scale"], i["ln_bias"])
        keep(ln_out=first, ln_mean=mean, ln_var=var)
    out = first @ (i["qkv_weight"] if packed else i["qkv_weight"].reshape([-1, e]).t())
    out = keep(qkv_out=out if packed else out.reshape([b, s, 3, heads, w]))
    if bias:
        out = keep(qkv_bias_out=out + i["qkv_bias"])
    turned = keep(transpose_out_2=out.reshape([b, s, 3, heads, w]).transpose([2, 0, 3, 1, 4]))
    scores = keep(qk_out=turned[0] * w**-0.5 @ turned[1].transpose([0, 1, 3, 2]))
    if mask:
        scores = keep(src_mask_out=scores + paddle.to_tensor(src.astype("float64")))
    weights = keep(softmax_out=paddle.nn.functional.softmax(scores, -1))
    weights = keep(attn_dropout_out=dropped(weights, masks[0], rates[0], mode))
    y = keep(qktv_out=weights @ turned[2])
    y = keep(fmha_out=y.transpose([0, 2, 1, 3]))
    y = keep(out_linear_out=y.flatten(2, 3) @ i["out_linear_weight"])
    y = dropped(y if not bias else y + i["out_linear_bias"], masks[1], rates[1], mode)
    y = y + i["x"] if residual else y
    if not pre:
        keep(bias_dropout_residual_out=y)
        y, mean, var = normalize(y, i["ln_scale_2"], i["ln_bias_2"])
        keep(ln_mean_2=mean, ln_var_2=var)
    out_grad = D.f32(b, s, e)
    numbers, grads = layer.results(y, out_grad)
    values = dict(inputs, **numbers, out_grad=out_grad, src_mask=src, attn_dropout_mask_out=masks[0], dropout_mask_out=masks[1])
    absent = [r for r, there in (("qkv_bias_grad", bias), ("qkv_bias_out_grad", bias), ("src_mask_out_grad", mask), ("out_linear_bias_grad", bias), ("ln_scale_grad", pre),
                                 ("ln_bias_grad", pre), ("ln_scale_2_grad", not pre), ("ln_bias_2_grad", not pre), ("ln_out_grad", pre),
                                 ("bias_dropout_residual_out_grad", not pre)) if not there]
    state("fused_attention_grad", name, values, grads, ATTENTION, absent, num_heads=heads if packed else -1, transpose_qkv_wb=packed, pre_layer_norm=pre, epsilon=1e-5,
          attn_dropout_rate=rates[0], is_test=False, attn_dropout_fix_seed=True, attn_dropout_seed=1, attn_dropout_implementation=mode, dropout_rate=rates[1],
          dropout_fix_seed=True, dropout_seed=1, dropout_implementation=mode, ln_epsilon=1e-5, add_residual=residual, ring_id=-1)


attention("pre")
attention("post", pre=False)
attention("packed", packed=True, rates=(0.25, 0.5))
attention("downgraded", mode="downgrade_in_infer", rates=(0.25, 0.5), residual=False)
attention("bare", mask=False, bias=False, pre=False)

# ---- feed forward

FEED = "x_grad linear1_weight_grad linear1_bias_grad linear2_weight_grad linear2_bias_grad ln1_scale_grad ln1_bias_grad ln2_scale_grad ln2_bias_grad".split()


def feed_forward(name, pre=True, act="gelu", mode="upscale_in_train", rates=(0.0, 0.0), residual=True, bias=True):
    import paddle
    b, s, e, inner = 2, 3, 6, 10
    inputs = dict(x=D.f32(b, s, e), linear1_weight=D.f32(e, inner), linear1_bias=D.f32(inner), linear2_weight=D.f32(inner, e), linear2_bias=D.f32(e) if bias else None)
    norm = "ln1" if pre else "ln2"
    inputs.update({f"{norm}_scale": D.f32(e), f"{norm}_bias": D.f32(e)})
    masks = D.ints(2, b, s, inner, dtype="uint8"), D.ints(2, b, s, e, dtype="uint8")
    if not rates[0]:
        masks = tuple(np.ones_like(m) for m in masks)
    layer = Layer(inputs)
    i, keep = layer.inputs, layer.keep
    first = i["x"]
    if pre:
        first, mean, var = normalize(first, i["ln1_scale"], i["ln1_bias"])
        keep(ln1_out=first, ln1_mean=mean, ln1_variance=var)
    a = keep(linear1_out=first @ i["linear1_weight"]) + i["linear1_bias"]
    a = keep(dropout1_out=dropped(a.clip(min=0) if act == "relu" else paddle.nn.functional.gelu(a), masks[0], rates[0], mode))
    y = a @ i["linear2_weight"]
    y = dropped(y + i["linear2_bias"] if bias else y, masks[1], rates[1], mode)
    y = y + i["x"] if residual else y
    if not pre:
        keep(dropout2_out=y)
        y, mean, var = normalize(y, i["ln2_scale"], i["ln2_bias"])
        keep(ln2_mean=mean, ln2_variance=var)
    out_grad = D.f32(b, s, e)
    numbers, grads = layer.results(y, out_grad)
    absent = [f"{'ln2' if pre else 'ln1'}_{n}_grad" for n in ("scale", "bias")] + ([] if bias else ["linear2_bias_grad"])
    state("fused_feedforward_grad", name, dict(inputs, **numbers, out_grad=out_grad, dropout1_mask=masks[0], dropout2_mask=masks[1]), grads, FEED, absent, pre_layer_norm=pre,
          ln1_epsilon=1e-5, ln2_epsilon=1e-5, act_method=act, dropout1_prob=rates[0], dropout2_prob=rates[1], dropout1_implementation=mode,
          dropout2_implementation=mode, is_test=False, dropout1_fix_seed=True, dropout2_fix_seed=True, dropout1_seed_val=1, dropout2_seed_val=1, add_residual=residual,
          ring_id=-1)


feed_forward("pre")
feed_forward("post", pre=False, act="relu", rates=(0.25, 0.5))
feed_forward("downgraded", mode="downgrade_in_infer", rates=(0.5, 0.25), residual=False)
feed_forward("bare", bias=False)

# ---- attention with a gate

GATED = ("query_grad key_grad query_weight_grad key_weight_grad value_weight_grad qkv_weight_grad nonbatched_bias_grad gate_weight_grad gate_bias_grad "
         "out_linear_weight_grad out_linear_bias_grad").split()


def gated(name, merged=True, gating=True, bias=True):
    import paddle
    b, m, r, c, heads, w = 2, 3, 4, 6, 2, 5
    keys = r if merged else 7
    src = D.f32(b, m, 1, 1, keys)
    inputs = dict(query=D.f32(b, m, r, c), nonbatched_bias=D.f32(b, 1, heads, r, keys) if bias else None, out_linear_weight=D.f32(heads, w, c), out_linear_bias=D.f32(c))
    if merged:
        inputs.update(qkv_weight=D.f32(3, heads, w, c))
    else:
        inputs.update(key=D.f32(b, m, keys, c), **{f"{n}_weight": D.f32(c, heads, w) for n in ("query", "key", "value")})
    if gating:
        inputs.update(gate_weight=D.f32(c, heads, w), gate_bias=D.f32(heads, w))
    layer = Layer(inputs)
    i, keep = layer.inputs, layer.keep
    if merged:
        q, k, v = keep(qkv_transpose_out=paddle.einsum("bmrc,thwc->tbmhrw", i["query"], i["qkv_weight"]))
    else:
        q, k, v = (keep(**{f"{n}_transpose_out": paddle.einsum("bmrc,chw->bmhrw", i["query" if n == "query" else "key"], i[f"{n}_weight"])})
                   for n in ("query", "key", "value"))
    scores = q * w**-0.5 @ k.transpose([0, 1, 2, 4, 3]) + paddle.to_tensor(src.astype("float64"))
    scores = scores + i["nonbatched_bias"] if bias else scores
    weights = keep(softmax_out=paddle.nn.functional.softmax(scores, -1))
    y = keep(fmha_out=(weights @ v).transpose([0, 1, 3, 2, 4]))
    if gating:
        y = keep(gate_out=y * paddle.nn.functional.sigmoid(paddle.einsum("bmrc,chw->bmrhw", i["query"], i["gate_weight"]) + i["gate_bias"]))
    y = paddle.einsum("bmrhw,hwc->bmrc", y, i["out_linear_weight"]) + i["out_linear_bias"]
    out_grad = D.f32(b, m, r, c)
    numbers, grads = layer.results(y, out_grad)
    absent = [n for n in GATED if inputs.get(n[:-len("_grad")]) is None]
    state("fused_gate_attention_grad", name, dict(inputs, **numbers, out_grad=out_grad, src_mask=src), grads, GATED, absent, has_gating=gating, merge_qkv=merged,
          use_flash_attn=False)


gated("merged")
gated("separate", merged=False)
gated("without_gate", gating=False)
gated("without_bias", merged=False, bias=False)
