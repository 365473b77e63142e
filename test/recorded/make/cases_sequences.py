"""Gradients of ops over sequences of different lengths: Paddle's own numbers."""
import numpy as np

import steps
from recorder import Drawn, case, tensor_type

TOLERANCES = {op: (1e-5, 2e-6) for op in ("gru_grad", "lstm_grad", "sequence_conv_grad", "sequence_conv", "row_conv_grad", "match_matrix_tensor_grad",
                                           "match_matrix_tensor")}
LEVELS = [[0, 3, 4, 9]]


# ---- one operator: the sequences of x are fed

for kind in ("AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST"):
    for dtype in ("float32", "float64"):
        d = Drawn(len(kind))
        x = d.of(dtype, 9, 4)
        largest = np.stack([x[a:b].argmax(0) + a for a, b in zip(LEVELS[0], LEVELS[0][1:])]).astype("int32")
        case("sequence_pool_grad", kind.lower() + ("" if dtype == "float32" else "_float64"), lod={"x": LEVELS}, x=x,
             max_index=largest if kind == "MAX" else None, out_grad=d.of(dtype, 3, 4), is_test=False, pooltype=kind, pad_value=0.0)

for dtype in ("float32", "float64"):
    d = Drawn(4)
    out = d.of(dtype, 9, 1, low=0, high=1)
    case("sequence_softmax_grad", dtype, lod={"x": LEVELS, "out": LEVELS}, x=d.of(dtype, 9, 1), out=out, out_grad=d.of(dtype, 9, 1))

d = Drawn(5)
case("sequence_expand_grad", "rows", lod={"y": [[0, 2, 2, 5]]}, x=d.f32(3, 4), y=d.f32(5, 1), out_grad=d.f32(5, 4))
case("sequence_expand_grad", "sequences", lod={"x": [[0, 2, 3]], "y": [[0, 2, 5]]}, x=d.f32(3, 4), y=d.f32(5, 1), out_grad=d.f32(7, 4))
case("sequence_expand_grad", "first_level_float64", lod={"x": [[0, 1, 3]], "y": [[0, 3, 4], [0, 1, 2, 4, 5]]}, x=d.f64(3, 2), y=d.f64(5, 1),
     out_grad=d.f64(5, 2), ref_level=0)


def convolved(name, start, length, trained=False):
    d = Drawn(len(name))
    x, filter = d.f32(9, 3), d.f32(3 * length, 2)
    padding = d.f32(max(0, -start) + max(0, start + length - 1), 3) if trained else None
    attrs = dict(context_length=length, padding_trainable=trained, context_start=start, context_stride=1)
    case("sequence_conv", name, lod={"x": LEVELS}, x=x, padding_data=padding, filter=filter, **attrs)
    if start > 0:  # Paddle leaves other numbers in the part of a buffer that no sequence reaches
        return
    case("sequence_conv_grad", name, lod={"x": LEVELS}, ignore=() if trained else ("padding_data_grad",), x=x, padding_data=padding, filter=filter,
         out_grad=d.f32(9, 2), **attrs)


convolved("centred", -1, 3)
convolved("behind", 0, 2)
convolved("before", -1, 2)
convolved("apart", 2, 2)
convolved("trained", -1, 3, trained=True)
convolved("trained_wide", -2, 5, trained=True)


# ---- recurrent networks: the forward op keeps states in an order of its own for the gradient

def gru(name, dtype="float32", first=True, biased=True, **attrs):
    def build(p):
        d = Drawn(len(name))
        n, rows = 4, 9
        of = lambda *shape: tensor_type(shape, dtype)
        attrs_ = {"activation": "tanh", "gate_activation": "sigmoid", "is_reverse": False, "origin_mode": False, "is_test": False, **attrs}
        x = p.feed(d.of(dtype, rows, 3 * n), LEVELS)
        h0 = p.data("h0", d.of(dtype, 3, n), False) if first else None
        weight = p.data("weight", d.of(dtype, n, 3 * n), False)
        bias = p.data("bias", d.of(dtype, 1, 3 * n), False) if biased else None
        kept = p("gru", [x, h0, weight, bias], [of(rows, 3 * n), of(rows, n), of(rows, n), of(rows, n)], **attrs_)
        grad = p.feed(d.of(dtype, rows, n), LEVELS)
        grads = p("gru_grad", [x, h0, weight, bias, *kept, grad], [of(rows, 3 * n), of(3, n) if first else None, of(n, 3 * n),
                                                                    of(1, 3 * n) if biased else None], **attrs_)
        p.fetch(kept[3], *(g for g, given in zip(grads, (True, first, True, biased)) if given))
    steps.case("gru_grad", name, build)


gru("plain")
gru("plain_float64", "float64")
gru("reverse", is_reverse=True)
gru("origin", origin_mode=True)
gru("without_state", first=False)
gru("without_bias", biased=False)
gru("rectified", activation="relu", gate_activation="sigmoid")


def lstm(name, dtype="float32", first=True, **attrs):
    def build(p):
        d = Drawn(len(name))
        n, rows = 4, 9
        of = lambda *shape: tensor_type(shape, dtype)
        attrs_ = {"use_peepholes": False, "is_reverse": False, "is_test": False, "gate_activation": "sigmoid", "cell_activation": "tanh",
                  "candidate_activation": "tanh", **attrs}
        biases = 7 * n if attrs_["use_peepholes"] else 4 * n
        x = p.feed(d.of(dtype, rows, 4 * n), LEVELS)
        h0, c0 = (p.data(s, d.of(dtype, 3, n), False) if first else None for s in ("h0", "c0"))
        weight, bias = p.data("weight", d.of(dtype, n, 4 * n), False), p.data("bias", d.of(dtype, 1, biases), False)
        kept = p("lstm", [x, h0, c0, weight, bias], [of(rows, n), of(rows, n), of(rows, 4 * n), of(rows, n)], **attrs_)
        grad = p.feed(d.of(dtype, rows, n), LEVELS)
        grads = p("lstm_grad", [x, h0, c0, weight, bias, *kept, grad],
                  [of(rows, 4 * n), of(3, n) if first else None, of(3, n) if first else None, of(n, 4 * n), of(1, biases)], **attrs_)
        p.fetch(kept[0], kept[1], *(g for g, given in zip(grads, (True, first, first, True, True)) if given))
    steps.case("lstm_grad", name, build)


lstm("plain")
lstm("plain_float64", "float64")
lstm("peepholes", use_peepholes=True)
lstm("reverse", is_reverse=True, use_peepholes=True)
lstm("without_states", first=False)
lstm("rectified", cell_activation="relu", candidate_activation="identity")
