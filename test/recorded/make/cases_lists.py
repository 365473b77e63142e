"""Operators over sequences of different lengths, by Paddle's kernels for CPUs; `fused_seqpool_cvm` in NumPy, as its kernel for GPUs is written."""
import numpy as np

from recorder import Drawn, case

D = Drawn(13)
LEVELS, OTHERS = [[0, 3, 4, 9]], [[0, 1, 5, 7]]


def of_kind(dtype):
    return lambda *shape, **limits: D.of(dtype, *shape, **limits)


for kinds in (1, 3):
    case("match_matrix_tensor", f"kinds_{kinds}", lod={"x": LEVELS, "y": OTHERS}, x=D.f32(9, 4), y=D.f32(7, 4), w=D.f32(4, kinds, 4), dim_t=kinds)
case("match_matrix_tensor", "empty_sequence", lod={"x": [[0, 2, 2, 3]], "y": [[0, 3, 4, 5]]}, x=D.f32(3, 2), y=D.f32(5, 2), w=D.f32(2, 2, 2), dim_t=2)

SCRATCH = ("attentioned_x", "attention_fc_out", "lstm_x", "lstm_out")
for name, dtype, first, scalar in (("plain", "float32", False, False), ("states", "float32", True, False), ("scalar", "float64", True, True)):
    of = of_kind(dtype)
    case("attention_lstm", name, lod={"x": LEVELS}, ignore=SCRATCH, x=of(9, 3), c0=of(3, 4), h0=of(3, 4) if first else None,
         attention_weight=of(7, 1), attention_bias=of(1, 1) if scalar else None, attention_scalar=of(1, 1, low=0.5) if scalar else None,
         attention_scalar_bias=of(1, 1) if scalar else None, lstm_weight=of(7, 16), lstm_bias=of(1, 16))
case("attention_lstm", "activations", lod={"x": LEVELS}, ignore=SCRATCH, x=D.f32(9, 3), c0=D.f32(3, 4), attention_weight=D.f32(7, 1),
     lstm_weight=D.f32(7, 16), lstm_bias=D.f32(1, 16), gate_activation="tanh", cell_activation="relu", candidate_activation="identity")

SCRATCH = ("xx", "batched_input", "batched_hidden", "batched_cell", "reordered_h0", "reordered_c0")
for name, peepholes, reverse, first, seq in (("plain", False, False, False, True), ("peepholes", True, False, True, True),
                                             ("reverse", False, True, True, True), ("batched", True, True, False, False)):
    case("fused_embedding_fc_lstm", name, lod={"ids": LEVELS}, ignore=SCRATCH, ids=D.ints(6, 9, 1), embeddings=D.f32(6, 16), weight_h=D.f32(4, 16),
         bias=D.f32(1, 28 if peepholes else 16), h0=D.f32(3, 4) if first else None, c0=D.f32(3, 4) if first else None, use_peepholes=peepholes,
         is_reverse=reverse, use_seq=seq)

for kind in ("SUM", "AVERAGE", "SQRT"):
    case("fusion_seqpool_cvm_concat", kind.lower(), lod={"x_0": LEVELS, "x_1": LEVELS}, x=[D.f32(9, 4, low=0), D.f32(9, 4, low=0)], cvm=D.f32(3, 2),
         pooltype=kind)

# ---- a step of a beam search: two sources with two beams each

BEAMS = [[0, 2, 4], [0, 1, 2, 3, 4]]
for name, ids, attrs in (("ids", True, {}), ("columns", False, {"is_accumulated": False}), ("ended", True, {"end_id": 2})):
    before = np.array([[2], [2], [2], [5]]) if name == "ended" else np.array([[1], [2], [3], [0]])
    case("beam_search", name, lod={"scores": BEAMS, "ids": BEAMS} if ids else {"scores": BEAMS}, pre_ids=before, pre_scores=D.f32(4, 1, low=0.1),
         ids=D.ints(9, 4, 3) if ids else None, scores=D.f32(4, 3, low=0.1), **{"level": 0, "beam_size": 2, "end_id": 0, **attrs})


def pooled(v):
    outs = []
    for x in v.x:
        sums = np.stack([x[a:b].sum(0) for a, b in zip(LEVELS[0], LEVELS[0][1:])]) + float(v.pad_value)
        if v.use_cvm is not False:
            shows, clicks = np.log(sums[:, :1] + 1), np.log(sums[:, 1:2] + 1)
            outs.append(np.concatenate([shows, clicks - shows, sums[:, 2:]], 1))
        else:
            outs.append(sums[:, int(v.cvm_offset):])
    return [outs]


for name, attrs in (("counts", {}), ("no_counts", {"use_cvm": False}), ("offset", {"use_cvm": False, "cvm_offset": 1, "pad_value": 0.5})):
    case("fused_seqpool_cvm", name, expect=pooled, like="x", lod={"x_0": LEVELS, "x_1": LEVELS}, x=[D.f32(9, 4, low=0), D.f32(9, 4, low=0)],
         cvm=D.f32(3, 2), **attrs)

TOLERANCES = {op: (1e-5, 2e-6) for op in ("match_matrix_tensor", "attention_lstm", "fused_embedding_fc_lstm", "fusion_seqpool_cvm_concat",
                                           "fused_seqpool_cvm")}
