"""Fourier transforms and complex numbers."""
import paddle
import paddle.nn.functional as F

from drawing import broadcast, numbers, replaced

from . import tensors

INPUTS = tensors.INPUTS + [("z", ("B", "T", 6), "complex64")]
COMPLEX = ("complex64", "complex128")


def spectrum(n, least=0):
    return n.pick(lambda v: v.dtype in COMPLEX and v.rank >= least)


def fft(n):
    v = n.pick(lambda v: v.rank and v.dtype in ("float32",) + COMPLEX)
    a, norm = n.axis(v), n.rnd.choice(["backward", "ortho", "forward"])
    n.add(n.rnd.choice([paddle.fft.fft, paddle.fft.ifft])(v.t, axis=a, norm=norm), v.dims)


def rfft(n):
    v = n.floats(1, fits=lambda v: v.dtype == "float32" and isinstance(v.dims[-1], int) and v.dims[-1] > 1)
    n.add(paddle.fft.rfft(v.t, norm=n.rnd.choice(["backward", "ortho"])), v.dims[:-1] + (v.dims[-1] // 2 + 1,))


def irfft(n):
    v = n.pick(lambda v: v.dtype == "complex64" and v.rank and isinstance(v.dims[-1], int) and v.dims[-1] > 1)
    n.add(paddle.fft.irfft(v.t), v.dims[:-1] + (2 * (v.dims[-1] - 1),))


def fft2(n):
    v = n.pick(lambda v: v.rank > 1 and v.dtype in ("float32", "complex64"))
    n.add(paddle.fft.fft2(v.t), v.dims)


def shift(n):
    v = spectrum(n, 1)
    n.add(n.rnd.choice([paddle.fft.fftshift, paddle.fft.ifftshift])(v.t, axes=[n.axis(v)]), v.dims)


def parts(n):
    v = spectrum(n)
    n.add(n.rnd.choice([paddle.real, paddle.imag, paddle.abs])(v.t), v.dims)


def angle(n):
    v = spectrum(n)
    n.add(paddle.cos(paddle.angle(v.t + 0.5)), v.dims)


def pair(n):
    v = spectrum(n)
    u = n.pick(lambda u: u.dtype == v.dtype and broadcast(v.dims, u.dims) is not None)
    n.add(n.rnd.choice([paddle.add, paddle.subtract, paddle.multiply, lambda a, b: a / (paddle.abs(b) + 1.0).astype(a.dtype)])(v.t, u.t),
          broadcast(v.dims, u.dims))


def conj(n):
    v = spectrum(n)
    n.add(n.rnd.choice([paddle.conj, lambda t: t * 0.5, lambda t: -t])(v.t), v.dims)


def join(n):
    v = n.floats(0, 3, lambda v: v.dtype == "float32")
    u = n.pick(lambda u: u.dtype == "float32" and u.dims == v.dims)
    n.add(paddle.complex(v.t, u.t), v.dims)


def views(n):
    v = n.pick(lambda v: v.dtype == "complex64" and v.rank < 4)
    n.add(paddle.as_real(v.t), v.dims + (2,))


def as_complex(n):
    v = n.floats(1, fits=lambda v: v.dtype == "float32" and v.dims[-1] == 2)
    n.add(paddle.as_complex(v.t), v.dims[:-1])


def moves(n):
    v = spectrum(n, 2)
    p = list(range(v.rank))
    n.rnd.shuffle(p)
    n.add(v.t.transpose(p), [v.dims[i] for i in p])


def sums(n):
    v = spectrum(n, 1)
    a = n.axis(v)
    n.add(n.rnd.choice([paddle.sum, paddle.mean])(v.t, axis=a), replaced(v.dims, a))


def product(n):
    v = n.pick(lambda v: v.dtype == "complex64" and v.rank > 1 and isinstance(v.dims[-1], int))
    w = paddle.complex(n.param([v.dims[-1], 3], 0.3), n.param([v.dims[-1], 3], 0.3))
    n.add(paddle.matmul(v.t, w), v.dims[:-1] + (3,))


STEPS = tensors.BASIC + [(6, f) for f in (fft, rfft, irfft, fft2, shift, parts, angle, pair, conj, join, views, as_complex, moves, sums, product)]


def draw(n, x, y, k, z):
    tensors.start(n, x, y, k)
    n.add(z, ("B", "T", 6))
    n.grow(STEPS, 8, 24)
    return n.outputs(6)


def feeds(rnd):
    for feed in tensors.feeds(rnd):
        yield {**feed, "z": numbers(rnd, feed["x"].shape, "complex64")}
