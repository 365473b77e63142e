"""Mixtures of experts, as the kernels for GPUs are written, in NumPy."""
import numpy as np

from eights import as_float, eight, rounded8, rounded_blocks, typed
from recorder import Drawn, case, to_bf16, wide
from steps import case as steps

D = Drawn(9)
sigmoid = lambda x: 1 / (1 + np.exp(-x))


# ---- dispatch by a gate

def dispatched(v, use_pad):
    x, logits, bias = v.x, v.gate_logits, v.corr_bias
    tokens, experts = logits.shape
    k, capacity = int(v.k), int(v.capacity)
    score = logits if bias is None else np.float32(logits) + np.float32(bias)
    chosen = np.argsort(-score, axis=1, kind="stable")[:, :k]
    weights = np.take_along_axis(logits, chosen, 1).astype(np.float64)
    ends = np.cumsum(np.bincount(chosen.ravel(), minlength=experts))
    order = ([(t, i) for i in range(k) for t in range(tokens)] if use_pad else [(t, i) for t in range(tokens) for i in range(k)])
    y = np.zeros((experts * capacity if use_pad else tokens * k, x.shape[1]))
    places = np.zeros((k, tokens))
    for e in range(experts):
        for row, (t, i) in enumerate([p for p in order if chosen[p] == e]):
            if row >= capacity:
                weights[t, i] = 0
                continue
            places[i, t] = (e * capacity if use_pad else ends[e] - np.sum(chosen == e)) + row
            y[int(places[i, t])] = x[t]
    return [y, weights, places, ends, chosen]


KINDS = "gate_logits int32 int64 int32"
for name, dtype, tokens, experts, k, capacity, pad, bias in (
        ("pad", "float32", 7, 4, 2, 3, True, False), ("bias", "float32", 9, 5, 3, 4, False, True), ("bf16", "uint16", 6, 4, 2, 6, True, True),
        ("one", "float32", 5, 3, 1, 2, False, False)):
    values = dict(x=D.of(dtype, tokens, 6), gate_logits=D.f32(tokens, experts, low=0), corr_bias=D.f32(experts) if bias else None, k=k,
                  capacity=capacity)
    case("moe_gate_dispatch", name, expect=lambda v, pad=pad: dispatched(v, pad), like="x " + KINDS, use_pad=pad, **values)
    if not pad:
        continue
    shaped = lambda v: [dispatched(v, True)[0].reshape(v.gate_logits.shape[1], int(v.capacity), -1), *dispatched(v, True)[1:]]
    case("moe_gate_dispatch_auto", name, expect=shaped, like="x " + KINDS, use_pad=True, **values)

    def permuted(v):
        y, *rest = dispatched(v, True)
        shape = (v.gate_logits.shape[1] // 2, 2, int(v.capacity), v.x.shape[1])
        out = np.zeros(shape)
        for e in range(v.gate_logits.shape[1]):
            out[e % shape[0], e // shape[0]] = y.reshape(-1, shape[2], shape[3])[e]
        return [out, *rest]

    case("moe_gate_dispatch_permute", name, expect=permuted, like="x " + KINDS, world_size=2, **values)


def dispatched8(name, use_pad, powers):
    x, logits = to_bf16(D.f32(5, 256)), D.f32(5, 3, low=0)

    def expected():
        class v:
            gate_logits, corr_bias, k, capacity = logits, None, 2, 3
        v.x = wide(x)
        y, weights, places, ends, chosen = dispatched(v, use_pad)
        numbers, scales = rounded_blocks(y.astype(np.float32), 1, powers)
        return [numbers, scales, weights.astype(np.float32), places.astype(np.int32), ends.astype(np.int64), chosen.astype(np.int32)]

    def build(p):
        values = expected()
        types = [typed(a, k) for a, k in zip(values, ("f8e4m3fn", "f32", "f32", "i32", "i64", "i32"))]
        out = p("moe_gate_dispatch_and_quant", [p.data("x", x, False), p.data("gate_logits", logits, False), None], types, k=2, capacity=3,
                use_pad=use_pad, use_pow2_scale=powers)
        p.fetch(as_float(p, out[0], values[0].shape), *out[1:])

    steps("moe_gate_dispatch_and_quant", name, build, expected)


dispatched8("pad", True, False)
dispatched8("packed", False, True)


def dispatched_part(v):
    """The choices of some experts, of each at most `capacity`; its rows are in the order of tokens."""
    chosen, first, end, capacity, pad = v.expert_id.astype(int), int(v.expert_start_index), int(v.expert_end_index), int(v.capacity), v.use_pad
    tokens, k = chosen.shape
    every = np.bincount(chosen.ravel(), minlength=v.num_experts)
    weights, places, local, rows = np.zeros_like(v.combine_weights), np.zeros((k, tokens)), np.zeros(v.num_experts), []
    for e in range(first, end):
        mine = [(t, i) for i in range(k) for t in range(tokens) if chosen[t, i] == e]
        local[e] = len(mine) if pad else min(len(mine), capacity)
        mine = sorted(mine[max(len(mine) - capacity, 0):] if v.reverse_token_drop else mine[:capacity])
        for t, i in mine:
            weights[t, i], places[i, t] = v.combine_weights[t, i], len(rows)
            rows.append(t)
        rows += [tokens] * (capacity - len(mine) if pad else 0)
    y = np.stack([np.zeros(v.x.shape[1]) if t == tokens else v.x[t] for t in rows])
    return [y, weights, places, np.array(rows), every, local]


for name, dtype, pad, reverse in (("pad", "float32", True, False), ("packed", "uint16", False, False), ("reverse", "float32", False, True)):
    case("moe_gate_dispatch_partial_nosoftmaxtopk", name, expect=dispatched_part, like="x combine_weights int32 int32 int64 int64",
         x=D.of(dtype, 8, 4), combine_weights=D.f32(8, 2, low=0.1), expert_id=np.argsort(D.f32(8, 5), 1)[:, :2].astype(np.int32), k=2, capacity=2,
         num_experts=5, use_pad=pad, expert_start_index=1, expert_end_index=4, reverse_token_drop=reverse)


# ---- back to the tokens

def combined(v):
    places = v.scatter_index.astype(int)
    return [(v.x[places] * v.combine_weights[..., None]).sum(1)]


def summed(v):
    places = v.scatter_index.astype(int)
    return [(v.x[places] * (np.abs(v.combine_weight) > float(v.epsilon))[..., None]).sum(1)]


for dtype in ("float32", "float64", "uint16"):
    places = D.ints(12, 6, 2, dtype="int32")
    weights = D.of(dtype, 6, 2)
    weights[1, 0] = weights[4] = 0
    for op in ("moe_combine", "moe_combine_auto"):
        case(op, dtype, expect=combined, x=D.of(dtype, 12, 5), combine_weights=weights, scatter_index=places)
    case("moe_combine_no_weight", dtype, expect=summed, x=D.of(dtype, 12, 5), combine_weight=weights, scatter_index=places)
case("moe_combine_no_weight", "epsilon", expect=summed, x=D.f32(12, 5), combine_weight=D.f32(6, 2), scatter_index=places, epsilon=0.5)


def permuted_rows(v):
    """The rows of an expert begin at a multiple of the alignment and are in the order of tokens."""
    tokens, k = v.expert_routemap_topk.shape
    sizes = [-(-n // v.padding_alignment) * v.padding_alignment for n in v.tokens_per_expert]
    starts, total = np.cumsum([0, *sizes[:-1]]), sum(sizes)
    x, probs, indices = np.zeros((total, v.hidden_states.shape[1])), np.zeros(total), np.full(total, -1)
    rowmap = np.full((tokens, v.num_experts), -1)
    for e, at in enumerate(starts):
        for t, i in np.argwhere(v.expert_routemap_topk == e):
            rowmap[t, e], x[at], probs[at], indices[at] = at, v.hidden_states[t], v.expert_prob_topk[t, i], e
            at += 1
    return [x, rowmap, probs, np.zeros(0), indices if v.return_expert_indices is True else np.zeros(0)]


ROUTES = np.array([[0, 2], [2, -1], [1, 0], [-1, -1], [2, 1]], np.int32)
for name, align, numbered in (("aligned", 4, True), ("packed", 1, False)):
    case("moe_permute", name, expect=permuted_rows, like="hidden_states int32 expert_prob_topk expert_prob_topk int32",
         hidden_states=to_bf16(D.f32(5, 6)), expert_routemap_topk=ROUTES, expert_prob_topk=D.f32(5, 2), num_experts=3, tokens_per_expert=[2, 2, 3],
         padding_alignment=align, do_gather=True, return_expert_indices=numbered)


def unpermuted(v):
    rows = v.zipped_expertwise_rowmap.astype(int)
    probs = v.token_prob_unzipped.ravel()
    weights = (rows >= 0) * (probs[np.maximum(rows, 0)] if v.using_weighted_combine is True else 1)
    chosen = v.expert_routemap_topk.astype(int)
    found = np.take_along_axis(rows, np.maximum(chosen, 0), 1)
    return [(v.hidden_states_unzipped[np.maximum(rows, 0)] * weights[..., None]).sum(1), np.where(chosen < 0, 0, probs[np.maximum(found, 0)])]


ROWMAP = np.array([[0, -1, 4], [-1, 2, 5], [1, 3, -1], [-1, -1, -1]], np.int32)
CHOSEN = np.array([[2, 0], [1, 2], [0, 1], [-1, -1]], np.int32)
for name, mixed, weighted in (("mixed", True, False), ("weighted", True, True)):
    case("moe_unpermute", name, expect=unpermuted, like="hidden_states_unzipped token_prob_unzipped", hidden_states_unzipped=to_bf16(D.f32(6, 5)),
         zipped_expertwise_rowmap=ROWMAP, expert_routemap_topk=CHOSEN, token_prob_unzipped=D.f32(6, 1), total_zipped_tokens_num=4, num_experts=3,
         use_mix_precision=mixed, using_weighted_combine=weighted)


# ---- numbers of 8 bits

def dequantised(name, rows, columns):
    x, scale = D.f32(rows, columns, low=-2, high=2), D.f32(rows, -(-columns // 128), low=0.5)
    expected = lambda: [to_bf16(rounded8(x) * np.repeat(scale, 128, 1)[:, :columns])]

    def build(p):
        p.fetch(*p("fused_act_dequant", [eight(p, "x", x), p.data("x_scale", scale, False)], [typed(x, "bf16")]))

    steps("fused_act_dequant", name, build, expected)


dequantised("whole", 3, 256)
dequantised("rest", 4, 150)


def stacked(op, transposed):
    xs = [to_bf16(D.f32(128, 256)) for _ in range(2)]
    parts = [wide(x).T if transposed else wide(x) for x in xs]
    expected = lambda: list(rounded_blocks(np.concatenate(parts).astype(np.float32), 128))

    def build(p):
        values = expected()
        members = [p.data(f"x_{i}", x, False) for i, x in enumerate(xs)]
        listed = p.emit("builtin.combine", members, {}, [f'vec[{",".join(m[1] for m in members)}]'])[0]
        out, scale = p(op, [listed], [typed(values[0], "f8e4m3fn"), typed(values[1], "f32")])
        p.fetch(as_float(p, out, values[0].shape), scale)

    steps(op, "bf16", build, expected)


stacked("fused_stack_quant", False)
stacked("fused_stack_transpose_quant", True)


def split8(op, name, x, rows, tokens, powers=False, scales=None):
    """`rows`: the rows that are transposed."""
    def expected():
        numbers, scale = rounded_blocks(np.ascontiguousarray(rows.T), 1, powers)
        ends = np.cumsum(tokens)[:-1]
        return [*np.split(numbers, ends, 1), *np.split(scale.T, ends // 128, 0)]

    def build(p):
        values = expected()
        parts, n = [], len(tokens)
        operands = [eight(p, "x", x) if scales is not None else p.data("x", x, False)]
        if op == "fused_transpose_split_quant":
            operands.append(None if scales is None else p.data("input_scales", scales, False))
        kinds = [[typed(v, "f8e4m3fn") for v in values[:n]], [typed(v, "f32") for v in values[n:]]]
        lists = p(op, operands, [f'vec[{",".join(k)}]' for k in kinds], tokens_per_expert=list(tokens), pow_2_scales=powers)
        for value, kind in zip(lists, kinds):
            parts += p.emit("builtin.split", [value], {}, kind)
        p.fetch(*[as_float(p, part, v.shape) if "f8" in part[1] else part for part, v in zip(parts, values)])

    steps(op, name, build, expected)


X = to_bf16(D.f32(384, 20))
split8("fused_transpose_split_quant", "bf16", X, wide(X).astype(np.float32), (128, 256))
split8("fused_transpose_split_quant", "powers", X, wide(X).astype(np.float32), (256, 128), powers=True)
X, S = D.f32(256, 130), D.f32(256, 2, low=0.5)
split8("fused_transpose_split_quant", "rounded", X, wide(to_bf16(rounded8(X) * np.repeat(S, 128, 1)[:, :130])).astype(np.float32), (128, 128),
       scales=S)
X = to_bf16(D.f32(2, 3, 64, 6))
split8("fused_transpose_wlch_split_quant", "bf16", X, wide(X).astype(np.float32).transpose(1, 0, 2, 3).reshape(-1, 6), (128, 256))


def weighted_swiglu(name, prob, powers):
    x, p32 = to_bf16(D.f32(4, 2 * 150, low=-3, high=3)), D.f32(4, 1, low=0) if prob else None

    def expected():
        a, b = np.split(wide(x), 2, 1)
        return list(rounded_blocks((a * sigmoid(a) * b * (1 if p32 is None else p32)).astype(np.float32), 1, powers))

    def build(p):
        values = expected()
        fed = [p.data("x", x, False), None if p32 is None else p.data("prob", p32, False)]
        out, scale = p("fused_weighted_swiglu_act_quant", fed, [typed(values[0], "f8e4m3fn"), typed(values[1], "f32")], using_pow2_scaling=powers)
        p.fetch(as_float(p, out, values[0].shape), scale)

    steps("fused_weighted_swiglu_act_quant", name, build, expected)


weighted_swiglu("plain", False, False)
weighted_swiglu("weights", True, False)
weighted_swiglu("powers", True, True)


def weighted_swiglu_grad(v):
    a, b = np.split(v.o1, 2, -1)
    s = sigmoid(a)
    d, value = v.do2_s * v.unzipped_probs, a * s * b
    do1 = np.concatenate([d * b * s * (1 + a - a * s), d * a * s], -1)
    return [do1, (v.do2_s * value).sum(-1, keepdims=True), value * v.unzipped_probs]


case("fused_swiglu_weighted_bwd", "bf16", expect=weighted_swiglu_grad, like="o1 unzipped_probs o1", o1=D.of("uint16", 5, 12, low=-3, high=3),
     do2_s=D.of("uint16", 5, 6), unzipped_probs=D.f32(5, 1, low=0))

TOLERANCES = {"fused_weighted_swiglu_act_quant": (1e-6, 1e-6), "fused_swiglu_weighted_bwd": (1e-5, 1e-5)}
