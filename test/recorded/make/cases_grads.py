"""Gradients of mixtures of experts, of turned heads and of small fused ops. Paddle computes most of them on GPUs alone."""
import numpy as np

from recorder import Drawn, autograd, case, narrow, wide

TOLERANCES = {op: (1e-5, 2e-6) for op in ("batch_fc_grad", "row_conv_grad", "rank_attention_grad", "fused_batch_norm_act_grad", "fused_bn_add_activation_grad",
                                           "fused_bias_dropout_residual_layer_norm_grad", "fused_rms_norm_ext_grad", "fused_rms_norm_quant_grad",
                                           "weight_only_linear_grad", "resnet_unit_grad", "fused_rotary_position_embedding_grad", "fused_partial_rope_grad", "yolo_box_head")}
D = Drawn(1)

# ---- one process of several

for name, dtype, rank, parts in ("first", "float32", 0, 2), ("last", "float64", 2, 3), ("alone", "uint16", 0, 1):
    g = D.of(dtype, 2, 3, 6)
    case("c_concat_grad", name, out_grad=g, rank=rank, nranks=parts, expect=lambda c, r=rank, n=parts: [np.split(c.out_grad, n, -1)[r]])
case("mp_allreduce_sum_grad", "basic", out_grad=D.f32(2, 3), expect=lambda c: [c.out_grad])
case("print_grad", "silent", out_grad=D.f32(2, 3), first_n=-1, message="", summarize=20, print_phase="FORWARD", is_forward=False,
     expect=lambda c: [c.out_grad])

# ---- rows, products

case("batch_fc_grad", "basic", input=D.f32(2, 3, 4), w=D.f32(2, 4, 5), bias=D.f32(2, 5), out_grad=D.f32(2, 3, 5), expect=lambda c: autograd(
    lambda x, w, b: x @ w + b.unsqueeze(1), [c.input, c.w, c.bias], [c.out_grad]))
for name, dtype, shape, ahead in ("basic", "float32", (2, 5, 3), 3), ("far", "float32", (1, 3, 4), 5), ("float64", "float64", (2, 5, 3), 2):
    case("row_conv_grad", name, x=D.of(dtype, *shape), filter=D.of(dtype, ahead, shape[2]), out_grad=D.of(dtype, *shape), expect=lambda c: row_conv(c))
for name, shape, dynamic in ("basic", (5, 4), ()), ("rows_of_rows", (2, 3, 4), ()), ("dyn", (5, 4), ("out_grad",)):
    rows = int(np.prod(shape[:-1]))
    case("shuffle_batch_grad", name, shuffle_idx=np.random.RandomState(rows).permutation(rows), out_grad=D.f32(*shape), dynamic=dynamic)


def row_conv(c):
    def forward(x, w):
        import paddle
        n, t = w.shape[0], x.shape[1]
        wide = paddle.concat([x, paddle.zeros([x.shape[0], n, x.shape[2]], x.dtype)], 1)
        return sum(wide[:, k:k + t] * w[k] for k in range(n))
    return autograd(forward, [c.x, c.filter], [c.out_grad])


def ranked(c):
    fields, ranks = c.x.shape[1], c.input_help.shape[1] // c.x.shape[1]
    out = np.zeros_like(c.rank_param)
    for i, rank in enumerate(c.ins_rank.ravel()):
        if rank > 0:
            first = (int(rank) - 1) * ranks * fields
            out[first:first + ranks * fields] += np.outer(c.input_help[i], c.out_grad[i])
    return [out]


OFFSETS = np.int32([[1, 1, 0, 2, 1, 0, 0], [3, 1, 0, 3, 2, 0, 0], [0, 0, 0, 0, 0, 0, 0], [2, 2, 3, 1, 4, 3, 2]])
for dtype in "float32", "float64":
    case("rank_attention_grad", dtype, x=D.of(dtype, 4, 2), rank_offset=OFFSETS, rank_param=D.of(dtype, 9 * 2, 3), input_help=D.of(dtype, 4, 6),
         ins_rank=OFFSETS[:, :1].astype(dtype), out_grad=D.of(dtype, 4, 3), max_rank=3, max_size=0, like="rank_param", expect=ranked)



def packed_weight(w):
    """Paddle's own weights of 8 bits, and the numbers that they stand for."""
    import paddle
    paddle.disable_static()
    weight, scale = paddle.nn.quant.weight_quantize(paddle.to_tensor(w.astype("float16")), algo="weight_only_int8", arch=80)
    paddle.enable_static()
    scale = scale.numpy().astype("float32")
    return weight.numpy(), scale, np.round(w / scale.astype("float64")) * scale


WEIGHT, SCALE, MEANT = packed_weight(np.random.RandomState(3).uniform(-1, 1, (64, 32)).astype("float16").astype("float32"))
for name, dtype in ("int8", "float16"), ("bfloat16", "uint16"):
    case("weight_only_linear_grad", name, x=D.of(dtype, 3, 64), weight=WEIGHT, weight_scale=SCALE, out_grad=D.of(dtype, 3, 32), weight_dtype="int8",
         arch=80, group_size=-1, expect=lambda c, dtype=dtype: [c.out_grad @ wide(narrow(MEANT, np.dtype(dtype))).T])

# ---- mixtures of experts

WEIGHTS = np.float32([[0.5, 0.25], [0, 0.75], [0.125, 0.5], [0.25, 0], [0.625, 0.375]])
PLACES = np.int32([[0, 3], [0, 4], [1, 6], [2, 0], [5, 7]])
EXPERTS = np.int32([[0, 1], [2, 1], [0, 2], [0, 3], [1, 2]])


def combined(c, summed):
    x_grad = np.zeros_like(c.x)
    for i in range(5):
        for j in range(2):
            x_grad[c.scatter_index[i, j]] += c.y_grad[i] * c.combine_weights[i, j]
    products = c.y_grad[:, None] * c.x[c.scatter_index]
    return [x_grad, products.sum(2), np.zeros((5, 2))] if summed else [x_grad, products]


for dtype in "float32", "float64", "float16", "uint16":
    values = dict(x=D.of(dtype, 8, 6), combine_weights=D.of(dtype, 5, 2), scatter_index=PLACES, y_grad=D.of(dtype, 5, 6))
    case("moe_combine_grad", dtype, **values, expect=lambda c: combined(c, False))
    if dtype in ("float32", "float64"):
        case("moe_combine_auto_grad", dtype, **values, like="x combine_weights scatter_index", expect=lambda c: combined(c, True))


def unweighted(c):
    x_grad = np.zeros_like(c.x)
    for i, j in zip(*np.nonzero(c.combine_weight > c.epsilon)):
        x_grad[c.scatter_index[i, j]] += c.y_grad[i]
    return [x_grad]


case("moe_combine_no_weight_grad", "basic", x=D.f32(8, 6), combine_weight=WEIGHTS, scatter_index=PLACES, y_grad=D.f32(5, 6), epsilon=1e-15, expect=unweighted)


def dispatched(c, rows, experts, local=False):
    on = (c.combine_weights if not local else c.combine_weights_out) > 0
    x_grad, gates = np.zeros((5, rows.shape[1])), np.zeros((5, experts))
    for i, j in zip(*np.nonzero(on)):
        place = c.scatter_index[j, i]
        if place < len(rows):
            x_grad[i] += rows[place]
        if not local:
            gates[i, c.expert_id[i, j]] += c.combine_weights_grad[i, j]
    return [x_grad, np.where(on, c.combine_weights_out_grad, 0) if local else gates]


def turned_rows(c):
    """Rows of experts on 2 processes, as they lay before they were sent."""
    return c.y_grad.reshape(2, 2, 3, 6).swapaxes(0, 1).reshape(-1, 6)


GATE = dict(combine_weights=WEIGHTS, scatter_index=PLACES.T.copy(), expert_id=EXPERTS, combine_weights_grad=D.f32(5, 2), k=2, capacity=3)
for dtype in "float32", "float16", "uint16":
    case("moe_gate_dispatch_grad", dtype, **GATE, use_pad=True, y_grad=D.of(dtype, 12, 6), like="y_grad float32", expect=lambda c: dispatched(c, c.y_grad, 4))
case("moe_gate_dispatch_auto_grad", "basic", **GATE, use_pad=True, y_grad=D.f32(4, 3, 6), expect=lambda c: dispatched(c, c.y_grad.reshape(-1, 6), 4))
case("moe_gate_dispatch_permute_grad", "basic", **GATE, world_size=2, y_grad=D.f32(2, 6, 6), expect=lambda c: dispatched(c, turned_rows(c), 4))
case("moe_gate_dispatch_partial_nosoftmaxtopk_grad", "basic", combine_weights_out=WEIGHTS, scatter_index=PLACES.T.copy(), scatter_index_rev=np.arange(6, dtype="int32"),
     expert_offset=np.int64([2, 4]), expert_nums_local=np.int64([2, 2]), y_grad=D.f32(6, 6), combine_weights_out_grad=D.f32(5, 2), k=2, capacity=3, use_pad=False,
     expert_start_index=0, expert_end_index=2, expect=lambda c: dispatched(c, c.y_grad, 4, True))


def auxiliary(c):
    def forward(p):
        return (p.sum(0) / float(c.seqlen_float[0]) * paddle_of(c.ce)).sum() * c.num_experts / (c.moe_k if c.use_group else 1)
    return autograd(forward, [c.gate_prob], [c.l_aux_loss_grad])


def paddle_of(a):
    import paddle
    return paddle.to_tensor(a)


for name, grouped in ("basic", False), ("grouped", True):
    case("cal_aux_loss_grad", name, gate_prob=D.f32(5, 4), seqlen_float=np.float32([5]), ce=D.f32(4), l_aux_loss_grad=np.array(0.75, "float32"), num_experts=4, use_group=grouped,
         moe_k=2, expect=auxiliary)

# ---- normalisation


def normalised(name, op, act, dtype="float32"):
    shape = (2, 3, 4, 5)
    x, z = D.of(dtype, *shape), D.of(dtype, *shape)
    x64 = x.astype("float64")
    scale, bias = D.f32(5, low=0.5, high=1.5), D.f32(5)
    mean, inverse = x64.mean((0, 1, 2)), 1 / np.sqrt(x64.var((0, 1, 2)) + 1e-5)
    out = (x64 - mean) * inverse * scale + bias + (z if "add" in op else 0)
    out = np.maximum(out, 0) if act == "relu" else out

    def expected(c):
        def forward(x, s, b, z):
            n = (x - x.mean([0, 1, 2])) * (x.var([0, 1, 2], unbiased=False) + 1e-5).rsqrt() * s + b + z
            return n.clip(min=0) if act == "relu" else n
        found = autograd(forward, [c.x, c.scale, c.bias, (z if "add" in op else np.zeros(shape)).astype("float64")], [c.out_grad])
        return [found[0], found[3], *found[1:3]] if "add" in op else found[:3]
    case(op, name, x=x, scale=scale, bias=bias, out=out.astype(dtype), saved_mean=mean.astype("float32"), saved_variance=inverse.astype("float32"),
         out_grad=D.of(dtype, *shape), momentum=0.9, epsilon=1e-5, act_type=act, expect=expected,
         like="x x scale bias" if "add" in op else "x scale bias")


normalised("relu", "fused_batch_norm_act_grad", "relu")
normalised("identity", "fused_batch_norm_act_grad", "identity")
normalised("relu", "fused_bn_add_activation_grad", "relu")
normalised("float16", "fused_bn_add_activation_grad", "relu", "float16")


def dropped_layer_norm(name, mode, rate, bias=True, shape=(2, 3, 8)):
    n = shape[-1]
    residual, x, b = D.f32(*shape), D.f32(*shape), D.f32(n)
    mask = D.ints(2, *shape, dtype="uint8")
    share = 1 / (1 - rate) if mode == "upscale_in_train" else 1
    summed = residual + (x + (b if bias else 0)) * mask * share
    rows = summed.astype("float64").reshape(-1, n)

    def expected(c):
        def forward(x, residual, bias, scale, shift):
            s = residual + (x if bias is None else x + bias) * paddle_of(mask.astype("float64")) * share
            m = s.mean(-1, keepdim=True)
            return (s - m) * (s.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt() * scale + shift
        return autograd(forward, [c.x, c.residual, c.bias, c.ln_scale, c.ln_bias], [c.y_grad])
    case("fused_bias_dropout_residual_layer_norm_grad", name, x=x, residual=residual, bias=b if bias else None, ln_scale=D.f32(n), ln_bias=D.f32(n),
         ln_mean=rows.mean(1).astype("float32"), ln_variance=rows.var(1).astype("float32"), bias_dropout_residual_out=summed.astype("float32"),
         dropout_mask_out=mask, y_grad=D.f32(*shape), dropout_rate=rate, is_test=False, dropout_fix_seed=True, dropout_seed=1, dropout_implementation=mode,
         ln_epsilon=1e-5, expect=expected, absent=() if bias else ("bias_grad",))


dropped_layer_norm("upscaled", "upscale_in_train", 0.25)
dropped_layer_norm("downgraded", "downgrade_in_infer", 0.5)
dropped_layer_norm("without_bias", "upscale_in_train", 0.25, bias=False)
dropped_layer_norm("matrix", "upscale_in_train", 0.0, shape=(3, 4))


def root_mean_square(x, scale, bias, first):
    axes = list(range(first, x.ndim))
    n = x * ((x * x).mean(axes, keepdim=True) + 1e-5).rsqrt() * scale.reshape(x.shape[first:])
    return n if bias is None else n + bias.reshape(x.shape[first:])


def inverse_root(x, first):
    return (1 / np.sqrt((x.astype("float64")**2).mean(tuple(range(first, x.ndim))) + 1e-5)).astype("float32")


for name, shape, dtype in ("matrix", (3, 8), "float32"), ("rows", (2, 3, 8), "float32"), ("float64", (3, 4), "float64"):
    x = D.of(dtype, *shape)
    case("fused_rms_norm_ext_grad", name, x=x, scale=D.of(dtype, shape[-1]), invvar=inverse_root(x, len(shape) - 1), y_grad=D.of(dtype, *shape), epsilon=1e-5,
         expect=lambda c: autograd(lambda x, s: root_mean_square(x, s, None, x.ndim - 1), [c.x, c.scale], [c.y_grad]))
for name, shape, first, bias in ("basic", (2, 3, 8), 2, False), ("two_axes", (2, 3, 4), 1, False), ("bias", (3, 8), 1, True):
    x, n = D.f32(*shape), int(np.prod(shape[first:]))
    case("fused_rms_norm_quant_grad", name, x=x, norm_weight=D.f32(n), norm_bias=D.f32(n) if bias else None, inv_var=inverse_root(x, first), out_grad=D.f32(*shape),
         epsilon=1e-5, begin_norm_axis=first, quant_scale=-1.0, absent=() if bias else ("norm_bias_grad",), expect=lambda c, first=first: autograd(
             lambda x, w, b: root_mean_square(x, w, b, first), [c.x, c.norm_weight, c.norm_bias], [c.out_grad]))



def residual_unit(name, add=False, shortcut=False, stride=1, dtype="float32"):
    """The operator keeps channels last; the autograd's convolution has them first."""
    n, h, c, out_c, behind = 2, 6, 3, 4, 2
    half = (h - 1) // stride + 1
    values = dict(x=D.of(dtype, n, h, h, c), filter_x=D.of(dtype, out_c, 3, 3, c), scale_x=D.f32(1, 1, 1, out_c), bias_x=D.f32(1, 1, 1, out_c))
    if shortcut:
        values.update(z=D.of(dtype, n, h, h, behind), filter_z=D.of(dtype, out_c, 1, 1, behind), scale_z=D.f32(1, 1, 1, out_c), bias_z=D.f32(1, 1, 1, out_c))
    elif add:
        values.update(z=D.of(dtype, n, half, half, out_c))
    names = list(values)
    kept = {}

    def branch(x, w, scale, bias, padding, s):
        import paddle
        y = paddle.nn.functional.conv2d(x.transpose([0, 3, 1, 2]), w.transpose([0, 3, 1, 2]), stride=stride, padding=padding).transpose([0, 2, 3, 1])
        mean, var = y.mean([0, 1, 2], keepdim=True), y.var([0, 1, 2], unbiased=False, keepdim=True)
        inverse = (var + 1e-5).rsqrt()
        kept.update({f"conv_{s}": y, f"saved_mean_{s}": mean, f"saved_invstd_{s}": inverse})
        return (y - mean) * inverse * scale + bias

    def forward(*given):
        i = dict(zip(names, given))
        y = branch(i["x"], i["filter_x"], i["scale_x"], i["bias_x"], 1, "x")
        if shortcut:
            y = y + branch(i["z"], i["filter_z"], i["scale_z"], i["bias_z"], 0, "z")
        elif add:
            y = y + i["z"]
        kept["out"] = y.clip(min=0)
        return kept["out"]
    grad = D.of(dtype, n, half, half, out_c)
    found = dict(zip(names, autograd(forward, [wide(values[v]) for v in names], [wide(grad)])))
    kept = {k: v.numpy().astype("float32" if k.startswith("saved") else dtype) for k, v in kept.items()}
    results = [f"{k}_{s}" if k else s for s in "xz" for k in ("", "filter", "scale", "bias")]
    case("resnet_unit_grad", name, **values, **kept, bit_mask=np.zeros(1, "int32"), out_grad=grad, stride=stride, stride_z=stride, padding=1, fuse_add=add,
         has_shortcut=shortcut, expect=lambda c: [found.get(r) for r in results], like=" ".join(r if r in values else "-" for r in results),
         absent=tuple(r + "_grad" for r in results if r not in values))


residual_unit("alone")
residual_unit("sum", add=True, stride=2)
residual_unit("shortcut", shortcut=True, stride=2)

# ---- dropout in a test, turned heads

for name, test, mode, p in ("upscaled", True, "upscale_in_train", 0.3), ("downgraded", True, "downgrade_in_infer", 0.3), ("kept", False, "upscale_in_train", 0.0):
    case("fused_dropout_add_grad", name, seed_offset=np.int64([0, 0]), out_grad=D.f32(2, 5), p=p, is_test=test, mode=mode, fix_seed=False,
         expect=lambda c, s=1 - p if mode == "downgrade_in_infer" else 1: [c.out_grad * s, c.out_grad])


def partly_turned(x, cos, sin):
    """The forward op in Paddle's eager operators."""
    import paddle
    kept = x.shape[-1] - cos.shape[-1]
    pairs = x[..., kept:].reshape([*x.shape[:-1], -1, 2])
    lower, upper = pairs[..., 0], pairs[..., 1]
    straight, crossed = paddle.concat([lower, upper], -1), paddle.concat([-upper, lower], -1)
    return paddle.concat([x[..., :kept], straight * cos + crossed * sin], -1)


for name, dtype, width in ("basic", "float32", 10), ("whole", "float32", 4), ("bfloat16", "uint16", 12):
    turned = 4 if width == 4 else 6
    case("fused_partial_rope_grad", name, cos=D.of(dtype, 1, 5, 1, turned), sin=D.of(dtype, 1, 5, 1, turned), out_grad=D.of(dtype, 2, 5, 3, width),
         expect=lambda c: autograd(lambda x: partly_turned(x, paddle_of(c.cos), paddle_of(c.sin)), [c.out_grad], [c.out_grad]))


def turned_heads(name, style, major=False, tables=True, ids=False, dtype="float32", names="qkv", dynamic=()):
    b, s, h, d = 2, 5, 3, 8
    shape = (s, b, h, d) if major else (b, s, h, d)
    cos, sin = (D.of(dtype, 1, 9, 1, d) for _ in range(2)) if tables else (None, None)
    places = D.ints(9, b, s) if ids else None
    at = places if ids else np.broadcast_to(np.arange(s), (b, s))
    angle = at[..., None] / 10000.0**(np.arange(d) // 2 * 2 / d)

    def expected(c):
        c1 = c.cos.reshape(9, d)[at] if tables else np.cos(angle)
        s1 = c.sin.reshape(9, d)[at] if tables else np.sin(angle)
        tables_at = [(v.swapaxes(0, 1) if major else v)[:, :, None] for v in (c1, s1)]

        def forward(x):
            import paddle
            if style:
                pairs = x.reshape([*x.shape[:-1], -1, 2])
                crossed = paddle.stack([-pairs[..., 1], pairs[..., 0]], -1).reshape(x.shape)
            else:
                crossed = paddle.concat([-x[..., d // 2:], x[..., :d // 2]], -1)
            return x * paddle_of(tables_at[0]) + crossed * paddle_of(tables_at[1])
        found = {n: autograd(forward, [getattr(c, f"out_{n}_grad")], [getattr(c, f"out_{n}_grad")])[0] for n in names}
        return [found.get(n) for n in "qkv"]
    case("fused_rotary_position_embedding_grad", name, sin=sin, cos=cos, position_ids=places, **{f"out_{n}_grad": D.of(dtype, *shape) for n in names},
         use_neox_rotary_style=style, time_major=major, rotary_emb_base=10000.0, expect=expected, absent=tuple(f"{n}_grad" for n in "qkv" if n not in names),
         dynamic=dynamic, like=" ".join(f"out_{n}_grad" if n in names else "-" for n in "qkv"))


turned_heads("pairs", True)
turned_heads("halves", False)
turned_heads("halves_tables_made", False, tables=False)
turned_heads("time_major", True, major=True)
turned_heads("positions", False, ids=True)
turned_heads("query_alone", True, tables=False, names="q")
turned_heads("bfloat16", False, dtype="uint16", names="qk")
turned_heads("dyn", False, names="qk", dynamic=("out_q_grad", "out_k_grad"))

# ---- heads of detectors


def activated(c):
    n, boxes, (h, w) = c.x.shape[0], c.x.shape[1] // 7, c.x.shape[2:]
    x = c.x.reshape(n, boxes, 7, h, w)
    out = 1 / (1 + np.exp(-x))
    out[:, :, 2:4] = np.exp(x[:, :, 2:4])
    return [out.reshape(c.x.shape)]


case("yolo_box_head", "basic", x=D.f32(2, 14, 3, 4), anchors=[10, 13, 16, 30], class_num=2, expect=activated)

# ---- elements that are as large as the largest one share its gradient

TIED = np.array([[1, 3, 3, 0], [2, 2, 2, 2], [0, -1, 0, -1]], np.float32)
for op, out in ("max", TIED.max(1)), ("min", TIED.min(1)):
    case(f"{op}_grad", "ties", x=TIED, out=out, out_grad=D.f32(3), axis=[1], keepdim=False, reduce_all=False)
case("sum_grad", "of_another_type", x=D.f32(2, 3), out_grad=D.f64(3), axis=[0], keepdim=False, reduce_all=False)

# ---- grids over boxes

for corners in False, True:
    name = "corners" if corners else "centres"
    case("affine_grid_grad", f"box_{name}", input=D.f32(2, 3, 4), output_grad=D.f32(2, 2, 3, 2, 3), output_shape=[2, 1, 2, 3, 2], align_corners=corners)
    for mode in "bilinear", "nearest":
        for padding in "zeros", "border", "reflection":
            case("grid_sample_grad", f"box_{mode}_{padding}_{name}", x=D.f32(2, 2, 3, 4, 3), grid=D.f32(2, 2, 2, 3, 3) * np.float32(1.37),
                 out_grad=D.f32(2, 2, 2, 2, 3), mode=mode, padding_mode=padding, align_corners=corners)

# ---- what put_along_axis adds, or multiplies with

places = np.array([[0, 2], [1, 3], [2, 0]])
put = dict(arr=D.f32(3, 4), indices=places, values=D.f32(3, 2, low=0.5), out_grad=D.f32(3, 4), axis=1)
product = put["arr"].copy()
np.put_along_axis(product, places, np.take_along_axis(product, places, 1) * put["values"], 1)
case("put_along_axis_grad", "sum_alone", out=put["arr"], reduce="add", include_self=False, **put)
case("put_along_axis_grad", "product", out=product, reduce="mul", include_self=True, **put)
TOLERANCES.update({op: (1e-5, 2e-6) for op in ("affine_grid_grad", "grid_sample_grad", "put_along_axis_grad")})
