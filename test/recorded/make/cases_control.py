"""Copies between devices, lists, and arrays of tensors."""
import numpy as np

from recorder import Drawn
from steps import case

X, Y = Drawn(1).f32(2, 3), Drawn(2).f32(4)
ARRAY, INDEX = "pd_op.tensor_array<f32>", "tensor<1xi64>"


def index(p, i):
    return p.emit("pd_op.full", [], {"dtype": "int64", "place": "Place(cpu)", "shape": "[1]", "value": str(i)}, [INDEX])[0]


def array(p, *tensors):
    out = p("create_array", [], [ARRAY], dtype="float32")[0]
    for i, t in enumerate(tensors):
        p("array_write_", [out, t, index(p, i)], [ARRAY])
    return out


def read(p, a):
    p.fetch(*p("array_read", [a, index(p, 1)], ["tensor<-1xf32>"]))
    p.fetch(*p("array_read", [a, index(p, 0)], ["tensor<-1x-1xf32>"]))


def listed(p, *values):
    return p.emit("builtin.combine", values, {}, [f'vec[{",".join(v[1] for v in values)}]'])[0]


def fed(p, *arrays):
    return [p.data(f"x{i}", a, False) for i, a in enumerate(arrays)]


def copied(op, **attrs):
    def build(p):
        a = array(p, X, Y)
        b = p(op, [a], [ARRAY], **attrs)[0]
        p.fetch(*p("array_length", [b], [INDEX]))
        read(p, b)
    return build


def added(p):
    a, b, c = array(p, X, Y), array(p, X * 2, Y * 3), array(p, X - 1)
    out = p("add_n_array", [listed(p, a, b, c)], [ARRAY])[0]
    p.fetch(*p("array_length", [out], [INDEX]))
    read(p, out)


def depending(p):
    x, y = fed(p, X, Y)
    p.fetch(*p("depend", [x, listed(p, y)], [x[1]]))


def shadows(p):
    x, y = fed(p, X, Y)
    out = p("shadow_feed_tensors", [listed(p, x, y)], [f"vec[{x[1]},{y[1]}]"], dst_place_type=0)[0]
    p.fetch(*p.emit("builtin.split", [out], {}, [x[1], y[1]]))


case("assign_array", "basic", copied("assign_array"))
case("memcpy_d2h_multi_io", "basic", copied("memcpy_d2h_multi_io", dst_place_type=0))
case("add_n_array", "basic", added)
case("copy_to", "basic", lambda p: p.fetch(*p("copy_to", [X], ["tensor<2x3xf32>"], place="Place(cpu)", blocking=True)), expect=lambda: [X])
case("depend", "basic", depending, expect=lambda: [X])
case("shadow_feed_tensors", "basic", shadows)
case("lod_array_length", "basic", lambda p: p.fetch(*p("lod_array_length", [listed(p, *fed(p, X, Y, X))], [INDEX])),
     expect=lambda: [np.array([3])])
