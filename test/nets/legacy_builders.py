#!/usr/bin/env python3
"""Legacy graph builders that Paddle 3.3 dropped from its Python API.

  legacy_builders.py SCRIPT ARGUMENTS..   runs a script that makes legacy programs with them

In 3.3 about fifty functions (paddle.matmul, sum, gelu, ...) go straight to
_C_ops, which takes eager tensors and PIR values but not the Variables of a
legacy program, so a layer that calls them cannot be saved as .pdmodel.  The
C++ side still has every op.  install() wraps those functions: on a Variable
they append the op that Paddle 2.x and 3.0 appended, on anything else they call
the original.
"""
import os
import runpy
import sys

os.environ["FLAGS_enable_pir_api"] = "0"  # read when Paddle is imported
import paddle
from paddle.base.framework import Variable, convert_np_dtype_to_dtype_
from paddle.base.layer_helper import LayerHelper


def _append(op, inputs, attrs, dtype, out='Out'):
    helper = LayerHelper(op)
    var = helper.create_variable_for_type_inference(dtype=dtype)
    if dtype == paddle.bool:
        var.stop_gradient = True
    helper.append_op(type=op, inputs=inputs, outputs={out: [var]}, attrs=attrs)
    return var


def _unary(op, dtype=None):
    return lambda x, name=None: _append(op, {'X': [x]}, {}, dtype or x.dtype)


def _as_var(y, x):
    if isinstance(y, Variable):
        return y
    return paddle.full([1], y, x.dtype)


def _binary(op, dtype=None, axis=True):
    def fn(x, y, name=None):
        if not isinstance(x, Variable):
            x, y = _as_var(x, y), y
        y = _as_var(y, x)
        return _append(op, {'X': [x], 'Y': [y]}, {'axis': -1} if axis else {},
                       dtype or x.dtype)
    return fn


def _axes(x, axis):
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return list(range(len(x.shape))), True
    axis = [axis] if isinstance(axis, int) else list(axis)
    return axis, len(axis) == len(x.shape)


def _reduce(op, dtype=None):
    def fn(x, axis=None, keepdim=False, name=None):
        dim, every = _axes(x, axis)
        return _append(op, {'X': [x]}, {'dim': dim, 'keep_dim': keepdim,
                                        'reduce_all': every}, dtype or x.dtype)
    return fn


def _sum(x, axis=None, dtype=None, keepdim=False, name=None):
    dim, every = _axes(x, axis)
    attrs = {'dim': dim, 'keep_dim': keepdim, 'reduce_all': every}
    out = x.dtype
    if dtype is not None:
        out = convert_np_dtype_to_dtype_(dtype) if isinstance(dtype, str) else dtype
    elif x.dtype in (paddle.bool, paddle.int32):
        out = paddle.int64
    if out != x.dtype:
        attrs.update(in_dtype=x.dtype, out_dtype=out)
    return _append('reduce_sum', {'X': [x]}, attrs, out)


def _arg(op):
    def fn(x, axis=None, keepdim=False, dtype='int64', name=None):
        d = convert_np_dtype_to_dtype_(dtype) if isinstance(dtype, str) else dtype
        return _append(op, {'X': [x]}, {
            'axis': 0 if axis is None else axis, 'keepdims': keepdim,
            'flatten': axis is None, 'dtype': d}, d)
    return fn


def _logsumexp(x, axis=None, keepdim=False, name=None):
    dim, every = _axes(x, axis)
    return _append('logsumexp', {'X': [x]}, {
        'axis': dim, 'keepdim': keepdim, 'reduce_all': every}, x.dtype)


def _matmul(x, y, transpose_x=False, transpose_y=False, name=None):
    return _append('matmul_v2', {'X': [x], 'Y': [y]},
                   {'trans_x': transpose_x, 'trans_y': transpose_y}, x.dtype)


def _roll(x, shifts, axis=None, name=None):
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    axis = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    return _append('roll', {'X': [x]}, {'axis': axis, 'shifts': shifts}, x.dtype)


def _tri(lower):
    return lambda x, diagonal=0, name=None: _append(
        'tril_triu', {'X': [x]}, {'diagonal': diagonal, 'lower': lower}, x.dtype)


def _expand_as(x, y, name=None):
    return _append('expand_as_v2', {'X': [x], 'Y': [y]},
                   {'target_shape': list(y.shape)}, x.dtype)


def _gelu(x, approximate=False, name=None):
    return _append('gelu', {'X': [x]}, {'approximate': bool(approximate)}, x.dtype)


def _softplus(x, beta=1, threshold=20, name=None):
    return _append('softplus', {'X': [x]},
                   {'beta': float(beta), 'threshold': float(threshold)}, x.dtype)


def _isclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False, name=None):
    return _append('isclose', {'Input': [x], 'Other': [y]}, {
        'rtol': str(rtol), 'atol': str(atol), 'equal_nan': equal_nan}, paddle.bool)


def _diagonal(x, offset=0, axis1=0, axis2=1, name=None):
    return _append('diagonal', {'Input': [x]}, {
        'offset': offset, 'axis1': axis1, 'axis2': axis2}, x.dtype)


def _grid_sample(x, grid, mode='bilinear', padding_mode='zeros',
                 align_corners=True, name=None):
    return _append('grid_sampler', {'X': [x], 'Grid': [grid]}, {
        'mode': mode, 'padding_mode': padding_mode,
        'align_corners': align_corners}, x.dtype, 'Output')


BUILDERS = {n: _unary(n) for n in (
    'acos acosh asin atanh ceil cos cosh floor log log2 log10 log1p rsqrt '
    'sigmoid sign sin sinh sqrt tanh exp expm1 round abs').split()}
BUILDERS.update({n: _unary(n + '_v2', paddle.bool)
                 for n in ('isfinite', 'isinf', 'isnan')})
BUILDERS.update(
    logical_not=_unary('logical_not', paddle.bool),
    logical_and=_binary('logical_and', paddle.bool, False),
    logical_or=_binary('logical_or', paddle.bool, False),
    logical_xor=_binary('logical_xor', paddle.bool, False),
    greater_than=_binary('greater_than', paddle.bool),
    multiply=_binary('elementwise_mul'), maximum=_binary('elementwise_max'),
    minimum=_binary('elementwise_min'), dot=_binary('dot', axis=False),
    bmm=_binary('bmm', axis=False), matmul=_matmul, sum=_sum,
    amax=_reduce('reduce_amax'), amin=_reduce('reduce_amin'),
    all=_reduce('reduce_all', paddle.bool), any=_reduce('reduce_any', paddle.bool),
    argmax=_arg('arg_max'), argmin=_arg('arg_min'), logsumexp=_logsumexp,
    roll=_roll, tril=_tri(True), triu=_tri(False), expand_as=_expand_as,
    gelu=_gelu, softplus=_softplus, isclose=_isclose, diagonal=_diagonal,
    grid_sample=_grid_sample)


def _has_var(args, kwargs):
    return any(isinstance(a, Variable) for a in list(args) + list(kwargs.values()))


def _wrap(name, builder, original):
    def fn(*args, **kwargs):
        if not paddle.in_dynamic_mode() and _has_var(args, kwargs):
            kwargs = {{'input': 'x', 'other': 'y', 'dim': 'axis'}.get(k, k): v
                      for k, v in kwargs.items()}
            return builder(*args, **kwargs)
        return original(*args, **kwargs)
    fn.__name__ = name
    return paddle.jit.not_to_static(fn)  # to_static takes it as it is


def install():
    for name, builder in BUILDERS.items():
        original = getattr(paddle, name, None) or getattr(paddle.nn.functional, name)
        fn = _wrap(name, builder, original)
        core_fn = getattr(paddle._C_ops, name, None)
        for mname, mod in list(sys.modules.items()):
            if not mname.startswith('paddle') or mname.endswith('_C_ops') or \
                    mname == 'paddle.base.libpaddle.eager.ops':
                continue
            cur = mod.__dict__.get(name)
            if cur is original or (cur is not None and cur is core_fn) or \
                    getattr(cur, '__module__', '').endswith('generated_tensor_methods_patch'):
                setattr(mod, name, fn)
        if hasattr(Variable, name):
            setattr(Variable, name, fn)
    Variable.__matmul__ = _matmul
    Variable.is_cuda = False         # paddle.lerp asks
    # nn.LSTM and nn.GRU hold an uninitialised tensor; reading its .device
    # raises while the layer's tensors become Variables
    tensor = paddle.base.core.eager.Tensor
    fget = tensor.device.fget

    def device(self):
        try:
            return fget(self)
        except ValueError:
            return None
    tensor.device = property(device)


if __name__ == '__main__':
    install()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name='__main__')
