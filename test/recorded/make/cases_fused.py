"""Fused and other operators that Paddle computes on GPUs alone, as their kernels are written, in NumPy."""
import math

import numpy as np

from recorder import Drawn, case, to_bf16

D = Drawn(11)
sigmoid = lambda x: 1 / (1 + np.exp(-x))
away = lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5)
ACTS = {"gelu": lambda x: x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2))), "swish": lambda x: x * sigmoid(x), "relu": lambda x: np.maximum(x, 0)}


# ---- a bias, then an activation

def bias_act(v):
    x = v.x if v.dequant_scales is None else v.x * v.dequant_scales
    x = x if v.bias is None else x + v.bias
    if "glu" in v.act_method:
        a, b = np.split(x, 2, -1)
        out = ACTS["gelu" if v.act_method == "geglu" else "swish"](a) * b
    else:
        out = ACTS[v.act_method](x)
    if v.shift is not None:
        out = (out + v.shift) * v.smooth
    if float(v.quant_scale) > 0:
        out = out * float(v.quant_max_bound) * v.quant_scale
        out = np.clip(np.rint(out) if v.quant_round_type == 0 else away(out), float(v.quant_min_bound), float(v.quant_max_bound))
    return [out]


for act in ("gelu", "relu", "geglu", "swiglu"):
    case("fused_bias_act", act, expect=bias_act, x=D.f32(2, 3, 8), bias=D.f32(8), act_method=act)
case("fused_bias_act", "bf16", expect=bias_act, x=to_bf16(D.f32(5, 8)), act_method="swiglu")
case("fused_bias_act", "moved", expect=bias_act, x=D.f32(5, 8), bias=D.f32(8), shift=D.f32(4), smooth=D.f32(4), act_method="geglu")
case("fused_bias_act", "rounded", expect=bias_act, like="int8", x=D.f32(5, 8), bias=D.f32(8), act_method="relu", quant_scale=0.75, quant_round_type=0)
case("fused_bias_act", "rounded_away", expect=bias_act, like="int8", x=D.f32(5, 8), shift=D.f32(8), smooth=D.f32(8), act_method="gelu",
     quant_scale=1.5)
case("fused_bias_act", "integers", expect=bias_act, like="float16", x=D.ints(500, 5, 8, low=-500, dtype="int32"), bias=D.of("float16", 8),
     dequant_scales=D.f32(8, low=0.001, high=0.01), act_method="gelu", compute_dtype="fp16")


def scaled_sums(v):
    second = v.x2 * v.scale2 + v.bias2 if v.fuse_dual else v.x2
    return [np.maximum(v.x1 * v.scale1 + v.bias1 + second, 0)]


X, PER = (2, 3, 3, 8), (1, 1, 1, 8)
for dual in (False, True):
    case("fused_scale_bias_add_relu", "dual" if dual else "single", expect=scaled_sums, x1=D.of("float16", *X), scale1=D.of("float16", *PER),
         bias1=D.of("float16", *PER), x2=D.of("float16", *X), scale2=D.of("float16", *PER) if dual else None,
         bias2=D.of("float16", *PER) if dual else None, fuse_dual=dual, exhaustive_search=False)


# ---- LSTM of several layers, its weights one tensor each

def lstm(v):
    x, layers, ways = v.x, int(v.num_layers), 2 if v.is_bidirec else 1
    matrices, biases = v.weight_list[:2 * layers * ways], v.weight_list[2 * layers * ways:]
    hs, cs = [], []
    for layer in range(layers):
        outs = []
        for way in range(ways):
            n = layer * ways + way
            wi, wh, b = matrices[2 * n], matrices[2 * n + 1], biases[2 * n] + biases[2 * n + 1]
            h, c, steps = v.init_h[n], v.init_c[n], []
            for t in (range(len(x)) if way == 0 else reversed(range(len(x)))):
                i, f, g, o = np.split(x[t] @ wi.T + h @ wh.T + b, 4, -1)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                steps.append(h)
            outs.append(np.stack(steps if way == 0 else steps[::-1]))
            hs.append(h)
            cs.append(c)
        x = np.concatenate(outs, -1)
    return [x, np.stack(hs), np.stack(cs), None, None]


def several_layers(name, layers, ways, size=3, hidden=4):
    matrices, biases = [], []
    for layer in range(layers):
        for _ in range(ways):
            matrices += [D.f32(4 * hidden, size if layer == 0 else hidden * ways), D.f32(4 * hidden, hidden)]
            biases += [D.f32(4 * hidden), D.f32(4 * hidden)]
    case("cudnn_lstm", name, expect=lstm, x=D.f32(5, 2, size), init_h=D.f32(layers * ways, 2, hidden), init_c=D.f32(layers * ways, 2, hidden),
         weight_list=matrices + biases, is_bidirec=ways == 2, hidden_size=hidden, num_layers=layers, is_test=True, ignore=("reserve", "state_out"))


several_layers("one_layer", 1, 1)
several_layers("two_layers_both_ways", 2, 2)


# ---- experts

def balance_loss(v):
    gates, mask = v.gate_prob, v.dispatch_mask
    sums = mask.sum(0) if mask.ndim > 1 else mask
    clip, ratio = float(v.clip_min), 1.0
    if v.dispatch_tokens_mask is not None:
        length = v.dispatch_tokens_mask.sum()
        if v.tokens_mask is not None and len(gates) != len(v.dispatch_tokens_mask):
            ratio = length / max(v.tokens_mask.sum(), clip)
    elif v.tokens_mask is not None:
        length = v.tokens_mask.sum()
    else:
        length = len(gates) / v.num_experts * gates.shape[1]
    length = max(length, clip)
    loss = (sums / length * gates.sum(0) / length).sum() * v.num_experts / (v.moe_k if v.use_group else 1) * ratio
    return [np.array(loss), np.array(length), sums / length]


def balance(name, tokens_mask=None, dispatch_tokens_mask=None, **values):
    values = {"num_experts": 4, "use_group": False, "moe_k": 2, "clip_min": 1e-6, "dispatch_mask": D.ints(3, 6, 4), **values}
    case("cal_aux_loss", name, expect=balance_loss, gate_prob=D.f32(6, 4, low=0), tokens_mask=tokens_mask,
         dispatch_tokens_mask=dispatch_tokens_mask, **values)


balance("plain")
balance("group", use_group=True, dispatch_mask=D.ints(9, 4), num_experts=8)
balance("masked", tokens_mask=np.array([1, 0, 1, 1, 0, 1], np.float32))
balance("both", tokens_mask=np.array([1, 0, 1, 1, 0, 1], np.float32), dispatch_tokens_mask=np.array([1, 1, 0, 1, 1, 1, 0, 1], bool))
balance("clipped", tokens_mask=np.zeros(6, np.float32), clip_min=2.0)


def expanded(v):
    e, n = v.expert_id, v.num_expert_per_modality
    e = e + np.arange(e.shape[1]) * v.group_size if v.is_group_expert else e
    return [e if n <= 0 else e // n * n * 2 + e % n + v.modality_offset * n]


for name, n, group, dtype in (("of_all", 4, False, "int64"), ("of_groups", 3, True, "int32"), ("none", 0, True, "int64")):
    case("expand_modality_expert_id", name, expect=expanded, like="expert_id", expert_id=D.ints(12, 5, 2, dtype=dtype), num_expert_per_modality=n,
         group_size=6, modality_offset=1, is_group_expert=group)


def sources(v):
    experts = np.repeat(np.arange(len(v.expert_num_global)), v.expert_num_global)
    return [experts // v.num_local_experts, experts % v.num_local_experts]


COUNTS = [2, 0, 3, 1, 0, 4]
case("build_src_rank_and_local_expert_id", "int64", expect=sources, like="int32 int32", expert_num_global_tensor=np.array(COUNTS),
     expert_num_global=COUNTS, num_local_experts=3)

TOLERANCES = {"cudnn_lstm": (1e-5, 1e-6), "cal_aux_loss": (1e-5, 1e-6), "fused_bias_act": (1e-5, 1e-6)}
