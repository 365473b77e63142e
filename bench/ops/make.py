#!/usr/bin/env python3
"""Writes the programs of cases.py: per case and size a Paddle program (model.json, model.pdiparams), the same in ONNX, the inputs and
what Paddle computes from them, for the engines of run.py. What is there already, of the same text, is kept.

  make.py FOLDER SET SIZES [CASE...]       SET: the cases of cases.py or limits.py; SIZES: numbers N, as 1,32
"""
import importlib
import os
import re
import sys
import zlib

import numpy as np
import onnx
import onnx.parser
import paddle
import paddle.nn.functional as F

from cases import EMPTY

NUMPY = {"f32": np.float32, "i64": np.int64, "i32": np.int32, "b": np.bool_}
ONNX = {"float32": "float", "int64": "int64", "int32": "int32", "bool": "bool", "float16": "float16"}


def folder_of(root, case, size):
    return os.path.join(root, re.sub(r"[^a-z0-9]+", "_", case.name.lower()), str(size))


def draw(random, kind, shape, below):
    if kind == "b":
        return random.random(shape) < 0.3
    if below == "each":  # every number once: along the first axis of one column, else along the last
        if shape[-1] == 1:
            return random.permutation(shape[0] * 2)[:shape[0]].reshape(shape).astype(NUMPY[kind])
        return np.argsort(random.random((shape[0], 1024)), -1)[:, :shape[-1]].astype(NUMPY[kind])
    if kind == "f32":
        if below == "box":  # corners within 64 x 64, the second behind the first
            first = random.random(shape[:-1] + (2,)) * 40
            return np.concatenate([first, first + 4 + random.random(first.shape) * 20], -1).astype(np.float32)
        x = random.random(shape) + 0.1 if below == "unit" else random.standard_normal(shape) * 0.5
        return (x * 0.1 if below == "small" else x).astype(np.float32)
    return random.integers(0, int(below), shape, dtype=NUMPY[kind])


def tensors_of(case, size):
    """Inputs and constants, as two dicts of arrays."""
    random, found = np.random.default_rng(zlib.crc32(case.name.encode())), ({}, {})
    for text in case.inputs.split():
        name, mark, kind, shape, below = re.fullmatch(r"(\w+)([:=])(\w+)\[([^]]*)\]%?(\w*)", text).groups()
        dims = tuple(int(eval(d, {"N": size})) for d in shape.split(","))
        found[mark == "="][name] = draw(random, kind, dims, below or "2")
    return found


# ---- Paddle

def make_rnn(kind, x, consts):
    """The gates of ONNX stand in another order."""
    order = [0, 2, 3, 1] if kind == "LSTM" else [1, 0, 2]
    hidden = consts["r"].shape[2]
    w, r = (np.concatenate([consts[k][0].reshape(-1, hidden, consts[k].shape[2])[i] for i in order]) for k in "wr")
    b = consts["b"][0].reshape(2, -1, hidden)[:, order].reshape(2, -1)
    attr = [paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(v)) for v in (w, r, b[0], b[1])]
    layer = getattr(paddle.nn, kind)(x.shape[2], hidden, weight_ih_attr=attr[0], weight_hh_attr=attr[1],
                                     bias_ih_attr=attr[2], bias_hh_attr=attr[3])
    layer.eval()
    return layer(x)[0]


def nms(boxes, scores):
    return paddle._C_ops.multiclass_nms3(boxes, scores, None, 0.3, 200, 100, 0.4, True, 1.0, -1)


def make_paddle(case, folder, inputs, consts):
    program, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, startup):
        names = {"paddle": paddle, "F": F, "nms": nms, "rnn": lambda kind, x: make_rnn(kind, x, consts)}
        feeds = [paddle.static.data(k, list(v.shape), str(v.dtype)) for k, v in inputs.items()]
        names.update(zip(inputs, feeds))
        for k, v in consts.items() if "rnn(" not in case.paddle else ():
            names[k] = paddle.create_parameter(list(v.shape), str(v.dtype), default_initializer=paddle.nn.initializer.Assign(v))
        out = eval(case.paddle, names)
        outs = [o for o in (out if isinstance(out, (list, tuple)) else [out]) if o is not None]
        exe = paddle.static.Executor(paddle.CPUPlace())
        exe.run(startup)
        paddle.static.save_inference_model(folder + "/model", feeds, outs, exe, program=program)
        return exe.run(program, feed=inputs, fetch_list=outs)


# ---- ONNX

def typed(name, array):
    return f"{ONNX[str(array.dtype)]}[{', '.join(map(str, array.shape))}] {name}"


def make_onnx(case, folder, inputs, consts, outs):
    names = ["y"] + [f"y{i}" for i in range(1, len(outs))]
    results = ", ".join(f"{ONNX[str(o.dtype)]}[{', '.join('?' for _ in o.shape)}] {n}" for n, o in zip(names, outs))
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": {23 if "RMSNorm" in case.onnx else 21}]> main '
        f'({", ".join(typed(k, v) for k, v in {**inputs, **consts}.items())}) => ({results}) {{ {case.onnx} }}')
    for k, v in consts.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(v, k))
    kept = [i for i in model.graph.input if i.name not in consts]
    del model.graph.input[:]
    model.graph.input.extend(kept)
    onnx.save(model, folder + "/model.onnx")


def make(root, case, size):
    folder = folder_of(root, case, size)
    done = os.path.join(folder, "DONE")
    if os.path.exists(done) and open(done).read() == repr(case):
        return
    os.makedirs(folder, exist_ok=True)
    inputs, consts = tensors_of(case, size)
    outs = make_paddle(case, folder, inputs, consts)
    np.savez(folder + "/in.npz", **inputs)
    np.savez(folder + "/out.npz", **{str(i): o for i, o in enumerate(outs)})
    if case.onnx:
        make_onnx(case, folder, inputs, consts, outs)
    with open(done, "w") as f:
        f.write(repr(case))


def main():
    paddle.enable_static()
    root, wanted = sys.argv[1], sys.argv[4:]
    for case in [EMPTY] + importlib.import_module(sys.argv[2]).CASES:
        for size in map(int, sys.argv[3].split(",")):
            if not wanted or case.name in wanted or case is EMPTY:
                try:
                    make(root, case, size)
                except Exception as e:  # one case that cannot be made must not hide the others; run.py names it
                    print(f"make.py: {case.name}: {str(e)[-300:]}", file=sys.stderr)


if __name__ == "__main__":
    main()
