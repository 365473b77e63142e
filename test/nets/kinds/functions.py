"""Functions of Paddle that other kinds do not draw, each with options by chance, applied to inputs and to each other's results."""

import math

import paddle
import paddle.nn.functional as F
from paddle import nn

from drawing import numbers

INPUTS = [
    ("x", ("B", 4, "H", "W"), "float32"),
    ("s", ("B", "T", 6), "float32"),
    ("v", ("B", 6), "float32"),
    ("w", ("B", 6), "float32"),
    ("k", ("B", "T"), "int64"),
    ("label", ("B",), "int64"),
]


def pick(n, *choices):
    return n.rnd.choice(choices)


def share(t):
    """Between 0 and 1."""
    return F.sigmoid(t) * 0.9 + 0.05


def above(t):
    """Over 0."""
    return paddle.abs(t) + 0.3


def matrix(n):
    return n.param([6, 6], 0.5)


def definite(n):
    m = matrix(n)
    return paddle.matmul(m, m, transpose_y=True) + paddle.eye(6) * 2.0


def size(t, axis):
    return paddle.shape(t)[axis]


FUNCTIONS = {}


def function(make):
    FUNCTIONS[make.__name__] = make
    return make


def functions(**table):
    for name, make in table.items():
        make.__name__ = name
        FUNCTIONS[name] = make


# ---- elementwise
functions(
    clamp=lambda n: pick(
        n, lambda: paddle.clip(n.v, min=-0.5), lambda: paddle.clip(n.v, max=0.7), lambda: paddle.clip(n.v, n.w.min(), n.w.max())
    )(),
    copysign=lambda n: paddle.copysign(n.v, n.w),
    degrees=lambda n: [paddle.deg2rad(n.v), paddle.rad2deg(n.w)],
    erfinv=lambda n: paddle.erfinv(paddle.tanh(n.v) * 0.9),
    frexp=lambda n: list(paddle.frexp(n.v)),
    gamma=lambda n: [paddle.gammaln(above(n.v)), paddle.lgamma(n.v * 2 + 0.1)],
    gamma_inc=lambda n: [paddle.gammainc(above(n.v), above(n.w)), paddle.gammaincc(above(n.v), above(n.w))],
    gcd=lambda n: pick(n, paddle.gcd, paddle.lcm)(n.label + 1, n.label * 2 + 3),
    bessel=lambda n: [paddle.i0(n.v), paddle.i0e(n.v), paddle.i1(n.v), paddle.i1e(n.w)],
    ldexp=lambda n: paddle.ldexp(n.s, n.k.unsqueeze(-1) - 2),
    logs=lambda n: [paddle.multigammaln(above(n.v) + 2.5, 3), paddle.log1p(above(n.v)), paddle.logit(share(n.v), pick(n, None, 1e-3))],
    numbers_only=lambda n: paddle.nan_to_num(paddle.log(n.v), nan=0.5, posinf=9.0, neginf=-9.0),
    nextafter=lambda n: paddle.nextafter(n.v, n.w),
    polygamma=lambda n: paddle.polygamma(above(n.v), pick(n, 1, 2, 3)),
    sgn=lambda n: paddle.sgn(n.v),
    sinc=lambda n: paddle.sinc(n.v),
    polar=lambda n: paddle.abs(paddle.polar(above(n.v), n.w)) + paddle.real(paddle.polar(above(n.v), n.w)),
    fractions=lambda n: [paddle.frac(n.v * 3), paddle.trunc(n.v * 3)],
    close=lambda n: [
        paddle.isclose(n.v, n.v + pick(n, 1e-9, 1e-6, 1e-3)).astype("float32"),
        paddle.allclose(n.v, n.w).astype("float32"),
        paddle.equal_all(n.k, n.k).astype("float32"),
    ],
    increment=lambda n: paddle.increment(paddle.full([1], 2.0) * n.v.mean(), 1.5),
    shard=lambda n: paddle.shard_index(n.k.unsqueeze(-1), 6, 2, pick(n, 0, 1), -1),
    lerp=lambda n: paddle.lerp(n.v, n.w, share(n.v)),
    addmm=lambda n: paddle.addmm(matrix(n)[:1], n.v, matrix(n), beta=0.5, alpha=1.5),
    baddbmm=lambda n: paddle.baddbmm(n.s, n.s, matrix(n).unsqueeze(0).expand([size(n.s, 0), 6, 6]), 0.3, 0.7),
    remainders=lambda n: [
        paddle.remainder(n.v, n.w),
        paddle.floor_divide(n.v, above(n.w)),
        paddle.mod(n.k, n.k * 0 + 3),
        paddle.remainder(n.k - 3, n.k * 0 - 2),
        paddle.floor_divide(n.k - 3, n.k * 0 + 2),
    ],
    stanh=lambda n: paddle.stanh(n.v, 0.7, 1.5),
    rsqrt=lambda n: paddle.rsqrt(above(n.v)),
    powers=lambda n: [paddle.pow(n.v, pick(n, 2, 3, -1, 0, 2.0)), paddle.pow(above(n.v), n.w), 2.0**n.v, n.k**2],
    # Not along T: the predictor gives the sum over no elements the extent 0.
    trapezoid=lambda n: [paddle.trapezoid(n.s, dx=0.5), paddle.cumulative_trapezoid(n.v, n.w), paddle.diff(n.s, n=pick(n, 1, 2), axis=-1)],
)

# ---- shapes and places
functions(
    at_least=lambda n: [paddle.atleast_1d(n.v.mean()), paddle.atleast_2d(n.label), paddle.atleast_3d(n.v)],
    stacks=lambda n: [
        paddle.hstack([n.v, n.w]),
        paddle.vstack([n.v, n.w]),
        paddle.dstack([n.v, n.w]),
        paddle.column_stack([n.label, n.v.mean(-1).astype("int64")]),
        paddle.row_stack([n.v, n.w]),
    ],
    splits=lambda n: [*paddle.tensor_split(n.v, pick(n, 4, [1, 3], 2), axis=1), *paddle.hsplit(n.v, 3), *paddle.dsplit(n.s, 2)],
    block_diag=lambda n: paddle.block_diag([n.param([2, 3]), n.param([4, 1])]),
    bucketize=lambda n: [
        paddle.bucketize(n.v, paddle.sort(n.param([5])), right=n.chance(0.5)),
        paddle.searchsorted(paddle.sort(n.v, -1), n.w, right=n.chance(0.5), out_int32=n.chance(0.5)),
    ],
    combinations=lambda n: paddle.combinations(n.param([5]), pick(n, 1, 2), with_replacement=n.chance(0.5)),
    cartesian=lambda n: paddle.cartesian_prod([n.label, n.k[0]]),
    diagonals=lambda n: [
        paddle.diagflat(n.label),
        paddle.diag(n.v[0], 1),
        paddle.diag_embed(n.v, offset=pick(n, 0, 1, -1)),
        paddle.diagonal_scatter(matrix(n) * 1.0, n.v[0], 0),
        paddle.diagonal(n.x, pick(n, 0, 1, -1), pick(n, 0, 2), 3),
    ],
    index_fill=lambda n: paddle.index_fill(n.s, n.label % 6, pick(n, 2, -1), 0.5),
    moves=lambda n: [
        paddle.moveaxis(n.x, 1, -1),
        paddle.swapaxes(n.x, 1, 3),
        paddle.permute(n.s, [2, 0, 1]),
        paddle.matrix_transpose(n.s),
        paddle.rot90(n.x, pick(n, 1, 2, 3, -1), [2, 3]),
    ],
    multiplex=lambda n: paddle.multiplex([n.v, n.w, n.v * 2], (n.label % 3).astype("int32").unsqueeze(-1)),
    select_scatter=lambda n: paddle.select_scatter(n.s, n.s[:, 0] * 2, 1, 0),
    slice_scatter=lambda n: paddle.slice_scatter(n.v, n.w[:, 1:5:2], [1], [1], [5], [2]),
    unflatten=lambda n: paddle.unflatten(n.param([4, 6]), pick(n, -1, 1), pick(n, [2, 3], [-1, 2], [3, -1])),
    triangle_indices=lambda n: [
        paddle.tril_indices(4, 5, pick(n, -1, 0, 1)),
        paddle.triu_indices(5, 4, pick(n, -1, 0, 1)),
        paddle.tril(n.s, pick(n, -2, 1)),
        paddle.triu(n.x, pick(n, -1, 3)),
    ],
    # Paddle's predictor writes over a constant of vander that it has folded: every run gives another number.
    views=lambda n: paddle.as_real(paddle.as_complex(n.v.reshape([-1, 3, 2]))),
    unique=lambda n: paddle.unique(n.k, return_index=True, return_inverse=True, return_counts=True, axis=pick(n, None, 0, 1)),
    unique_rows=lambda n: paddle.unique_consecutive(n.k, return_inverse=True, return_counts=True, axis=pick(n, None, 0)),
    broadcasts=lambda n: [
        paddle.broadcast_to(n.v.unsqueeze(1), [size(n.v, 0), 3, 6]),
        paddle.expand(n.v[:1], [4, 6]),
        *paddle.broadcast_tensors([n.v.unsqueeze(0), n.w.unsqueeze(1)]),
    ],
    repeats=lambda n: [
        paddle.repeat_interleave(n.v, pick(n, 2, 3), 0),
        paddle.repeat_interleave(n.v, n.label % 3, 0),
        paddle.tile(n.v, [2, 1, 3]),
    ],
    cumulates=lambda n: [
        paddle.cummax(n.s, pick(n, 0, 1, 2))[0],
        paddle.cummin(n.s, 1)[1],
        paddle.cumprod(n.v, 1),
        paddle.logcumsumexp(n.s, pick(n, 1, 2)),
        paddle.cumsum(n.k),
    ],
    crop=lambda n: paddle.crop(n.v, [-1, 3], [0, pick(n, 0, 2)]),
    zero_pad=lambda n: [
        F.zeropad2d(n.x, [1, 2, 0, 1]),
        F.pad(n.v, [0, 1, 2, 0]),
        F.pad(n.x, [1, 0, 2, 1, 0, 2, 1, 1], value=pick(n, 0.0, 2.0)),
    ],
    unbinds=lambda n: [*paddle.unbind(n.s, 2)[:2], *paddle.unstack(n.v, 1)[:2]],
    nonzeros=lambda n: [paddle.nonzero(n.k % 2), paddle.argwhere(n.v > 0.2), *paddle.nonzero(n.k % 3, as_tuple=True)],
    meshes=lambda n: list(paddle.meshgrid(n.label, n.k[0])),
    flips=lambda n: [paddle.flip(n.x, [1, -1]), paddle.roll(n.x, pick(n, 3, -1)), paddle.fliplr(n.v) if hasattr(paddle, "fliplr") else n.v],
)

# ---- reductions and orders
functions(
    nan_aware=lambda n: [
        paddle.nanmean(paddle.log(n.s), pick(n, -1, None, 1)),
        paddle.nansum(paddle.log(n.s), pick(n, -1, [0, 1])),
        paddle.nanmedian(paddle.log(n.v), 1, keepdim=n.chance(0.5)),
        paddle.nanquantile(paddle.log(n.v), 0.3, 1),
    ],
    medians=lambda n: [
        paddle.median(n.s, pick(n, 1, 2, None), keepdim=n.chance(0.5)),
        paddle.median(n.v, 1, mode="min")[0],
        paddle.quantile(
            n.s, pick(n, 0.25, [0.1, 0.5]), pick(n, 1, 2), interpolation=pick(n, "linear", "lower", "higher", "midpoint", "nearest")
        ),
    ],
    norms=lambda n: [
        paddle.linalg.vector_norm(n.s, pick(n, 0, 1, 2, 3.5, math.inf, -math.inf), pick(n, -1, [1, 2], None)),
        paddle.linalg.matrix_norm(n.x, pick(n, "fro", 1, -1, math.inf, 2, "nuc"), [2, 3]),
        paddle.dist(n.v, n.w, pick(n, 0, 1, 2, math.inf)),
    ],
    renorm=lambda n: paddle.renorm(n.s, 2.0, pick(n, 0, 1, 2), 1.0),
    reduce_as=lambda n: paddle.reduce_as(n.s, n.s[:1, :, :1]),
    std=lambda n: [
        paddle.std(n.s, pick(n, 1, 2, [1, 2])),
        paddle.var(n.x, [0, 2, 3]),
        paddle.linalg.corrcoef(n.param([3, 5])),
        paddle.linalg.cov(n.param([3, 5])),
    ],
    counts=lambda n: [
        paddle.count_nonzero(n.k, pick(n, None, 1)),
        paddle.bincount(n.k.flatten(), minlength=pick(n, 0, 9)),
        paddle.histogram(n.v, 5, -1, 1),
        paddle.histogram(n.v, 4),
    ],
    modes=lambda n: list(paddle.mode(n.s, pick(n, 1, 2))),
    orders=lambda n: [
        *paddle.topk(n.s, 2, pick(n, 2, -1), largest=n.chance(0.5), sorted=True),
        *paddle.kthvalue(n.s, 1, pick(n, 1, 2), keepdim=n.chance(0.5)),
        paddle.msort(n.v) if hasattr(paddle, "msort") else n.v,
        paddle.argsort(n.s, 2, descending=True),
    ],
    pairs=lambda n: [
        F.pairwise_distance(n.v, n.w),
        paddle.cdist(n.v, n.w, pick(n, 0.0, 1.0, 2.0, 3.0, math.inf)),
        F.pairwise_distance(n.v, n.w, pick(n, 1.0, 2.0)),
        F.cosine_similarity(n.v, n.w, pick(n, 0, 1)),
    ],
    arg_flat=lambda n: [paddle.argmax(n.s), paddle.argmin(n.s, keepdim=True), paddle.argmax(n.s, 1, dtype="int32")],
    logsumexps=lambda n: [paddle.logsumexp(n.s, pick(n, None, [0, 2])), paddle.logaddexp(n.v, n.w)],
    products=lambda n: [
        paddle.prod(n.v, 1),
        paddle.tensordot(n.param([2, 3, 4]), n.param([3, 4, 2]), pick(n, 0, [[1, 2], [0, 1]])),
        paddle.inner(n.v, n.w),
        paddle.dot(n.v, n.w),
        paddle.outer(n.v, n.label.astype("float32")),
        paddle.cross(n.v[:, :3], n.w[:, 3:]),
    ],
    kron=lambda n: paddle.kron(n.v[:1], n.w),
)

# ---- linear algebra
functions(
    eigh=lambda n: [paddle.linalg.eigh(definite(n))[0], paddle.linalg.eigvalsh(definite(n), pick(n, "L", "U"))],
    lu=lambda n: [*paddle.linalg.lu(matrix(n) + paddle.eye(6) * 3.0)[:1]],
    lu_parts=lambda n: list(paddle.linalg.lu_unpack(*paddle.linalg.lu(matrix(n) + paddle.eye(6) * 3.0)[:2])),
    pinv=lambda n: paddle.linalg.pinv(n.param([5, 3])),
    rank=lambda n: paddle.linalg.matrix_rank(definite(n)).astype("float32"),
    expm=lambda n: paddle.linalg.matrix_exp(matrix(n) * 0.3),
    chain=lambda n: paddle.linalg.multi_dot([n.v, matrix(n), n.param([6, 2])]),
    lstsq=lambda n: paddle.linalg.lstsq(n.param([6, 3]), n.param([6, 2]), driver="gels")[0],
    svd=lambda n: [
        paddle.linalg.svd(n.param([6, 4]), full_matrices=False)[1],
        paddle.linalg.svdvals(n.param([4, 6])) if hasattr(paddle.linalg, "svdvals") else n.v,
    ],
    householder=lambda n: paddle.linalg.householder_product(n.param([5, 3], 0.4), n.param([3], 0.4)),
    solves=lambda n: [
        paddle.linalg.solve(definite(n), n.param([6, 2])),
        paddle.linalg.triangular_solve(
            definite(n), n.param([6, 2]), upper=n.chance(0.5), transpose=n.chance(0.5), unitriangular=n.chance(0.3)
        ),
    ],
    inverse=lambda n: [
        paddle.linalg.cholesky_inverse(paddle.linalg.cholesky(definite(n))),
        paddle.linalg.inv(definite(n)),
        paddle.linalg.matrix_power(matrix(n) + paddle.eye(6) * 2, pick(n, 0, 2, 3, -1)),
        paddle.linalg.cond(definite(n), pick(n, None, 1, "fro")),
    ],
    traces=lambda n: [
        paddle.trace(n.x, pick(n, 0, 1, -1), 2, 3),
        paddle.linalg.det(definite(n)),
        paddle.mv(matrix(n), n.v[0]),
        paddle.bmm(n.s, n.s.transpose([0, 2, 1])),
    ],
)

# ---- Fourier
functions(
    ffts=lambda n: [
        paddle.real(paddle.fft.fftn(n.s)),
        paddle.abs(paddle.fft.rfftn(n.s, axes=[1, 2])),
        paddle.fft.irfftn(paddle.fft.rfftn(n.x, axes=[1]), axes=[1]),
        paddle.imag(paddle.fft.ifft2(n.x)),
        paddle.fft.hfft(paddle.fft.fft(n.v)),
        paddle.abs(paddle.fft.ihfft(n.v)),
        paddle.fft.fftshift(n.v, 1),
    ],
    fft_sizes=lambda n: [
        paddle.abs(paddle.fft.fft(n.v, n=pick(n, 4, 9))),
        paddle.abs(paddle.fft.rfft(n.v, n=pick(n, 5, 8), norm=pick(n, "ortho", "forward"))),
        paddle.fft.irfft(paddle.fft.fft(n.v), n=pick(n, 7, 8)),
        paddle.fft.fftfreq(7, 0.5) + n.v.mean(),
        paddle.fft.rfftfreq(8) + n.v.mean(),
    ],
)

# ---- losses
functions(
    cross=lambda n: [
        F.cross_entropy(
            n.v,
            n.label,
            reduction=pick(n, "none", "mean", "sum"),
            label_smoothing=pick(n, 0.0, 0.2),
            ignore_index=pick(n, -100, 2),
            weight=above(n.param([6])) if n.chance(0.5) else None,
        )
    ],
    nll=lambda n: F.nll_loss(
        F.log_softmax(n.v),
        n.label,
        weight=above(n.param([6])) if n.chance(0.5) else None,
        ignore_index=pick(n, -100, 1),
        reduction=pick(n, "none", "mean", "sum"),
    ),
    binary=lambda n: [
        F.binary_cross_entropy_with_logits(
            n.v,
            share(n.w),
            weight=above(n.param([6])) if n.chance(0.5) else None,
            pos_weight=above(n.param([6])) if n.chance(0.5) else None,
            reduction=pick(n, "none", "mean"),
        ),
        F.binary_cross_entropy(share(n.v), share(n.w)),
        F.sigmoid_focal_loss(n.v, (n.w > 0).astype("float32"), reduction="none"),
        F.log_loss(share(n.v[:, :1]), share(n.w[:, :1])),
    ],
    distances=lambda n: [
        F.l1_loss(n.v, n.w, pick(n, "none", "mean", "sum")),
        F.mse_loss(n.v, n.w, pick(n, "none", "sum")),
        F.smooth_l1_loss(n.v, n.w, delta=pick(n, 1.0, 0.5)),
        F.square_error_cost(n.v, n.w),
        F.kl_div(F.log_softmax(n.v), F.softmax(n.w), pick(n, "none", "mean", "sum", "batchmean")),
    ],
    margins=lambda n: [
        F.margin_ranking_loss(n.v, n.w, paddle.sign(n.v), margin=0.1, reduction=pick(n, "none", "mean")),
        F.hinge_embedding_loss(n.v, paddle.sign(n.w)),
        F.soft_margin_loss(n.v, paddle.sign(n.w)),
        F.multi_margin_loss(n.v, n.label, p=pick(n, 1, 2)),
        F.multi_label_soft_margin_loss(n.v, (n.w > 0).astype("float32")),
    ],
    triplets=lambda n: [
        F.triplet_margin_loss(n.v, n.w, n.v * 0.5 + 0.3, swap=n.chance(0.5)),
        F.cosine_embedding_loss(n.v, n.w, paddle.sign(n.v[:, 0]), margin=0.2),
    ],
    likelihoods=lambda n: [
        F.poisson_nll_loss(n.v, above(n.w), full=n.chance(0.5)),
        F.gaussian_nll_loss(n.v, n.w, above(n.v), full=n.chance(0.5)),
        F.dice_loss(F.softmax(n.s), n.k.unsqueeze(-1) % 6),
    ],
    ctc=lambda n: F.ctc_loss(
        F.log_softmax(n.s.transpose([1, 0, 2])),
        n.k[:, :2].astype("int32") % 5 + 1,
        n.label * 0 + size(n.s, 1).astype("int64"),
        n.label % 2 + 1,
        reduction="none",
    ),
    label_smooth=lambda n: F.label_smooth(F.one_hot(n.label, 6), epsilon=0.2),
)

# ---- layers
functions(
    pools1=lambda n: [
        F.adaptive_max_pool1d(n.s.transpose([0, 2, 1]), pick(n, 1, 2)),
        F.adaptive_avg_pool1d(n.s, pick(n, 1, 2, 3, 5)),
        F.max_pool1d(n.s, 2, 2, ceil_mode=n.chance(0.5)),
        F.avg_pool1d(n.s, 3, 2, 1, exclusive=n.chance(0.5)),
        F.lp_pool1d(above(n.s), 2.0, 2),
    ],
    pools2=lambda n: [
        F.lp_pool2d(above(n.x), pick(n, 1.0, 2.0, 3.0), 2, ceil_mode=n.chance(0.5)),
        *F.adaptive_max_pool2d(n.x, pick(n, 2, (3, 1)), return_mask=True),
        F.avg_pool2d(
            n.x,
            pick(n, 3, (2, 3)),
            pick(n, 1, 2),
            pick(n, 0, 1),
            ceil_mode=n.chance(0.5),
            exclusive=n.chance(0.5),
            divisor_override=pick(n, None, 5),
        ),
        *F.max_pool2d(n.x, 2, 2, return_mask=True),
    ],
    pools3=lambda n: [
        F.adaptive_avg_pool3d(n.x.unsqueeze(1), pick(n, 2, (1, 2, 3))),
        F.adaptive_max_pool3d(n.x.unsqueeze(1), 2),
        F.max_pool3d(n.x.unsqueeze(1), 2, 2, ceil_mode=n.chance(0.5)),
        F.avg_pool3d(n.x.unsqueeze(1), (2, 3, 2), (1, 2, 2), (1, 1, 0)),
    ],
    unpool=lambda n: F.max_unpool2d(*F.max_pool2d(F.interpolate(n.x, size=[8, 12]), 2, 2, return_mask=True), 2, 2),
    unpool1=lambda n: F.max_unpool1d(*F.max_pool1d(n.s, 2, 2, return_mask=True), 2, 2),
    conv_pads=lambda n: n.keep(
        lambda: nn.Conv2D(
            4,
            3,
            3,
            pick(n, 1, 2),
            pick(n, 1, [1, 2], [0, 1, 2, 1], "SAME", "VALID"),
            pick(n, 1, 2),
            padding_mode=pick(n, "zeros", "zeros", "reflect", "replicate", "circular"),
        )
    )(n.x),
    deconv=lambda n: n.keep(
        lambda: nn.Conv2DTranspose(
            4, 6, pick(n, 3, 4, (2, 3)), pick(n, 1, 2, 3), pick(n, 0, 1, "SAME", "VALID"), groups=pick(n, 1, 2), dilation=pick(n, 1, 2)
        )
    )(n.x),
    deconv_size=lambda n: F.conv2d_transpose(
        n.x, n.param([4, 3, 3, 3], 0.3), stride=2, padding=1, output_size=[size(n.x, 2) * 2, size(n.x, 3) * 2]
    ),
    conv1=lambda n: [
        n.keep(
            lambda: nn.Conv1D(
                6,
                4,
                3,
                pick(n, 1, 2),
                pick(n, 0, 1, 2, "SAME"),
                pick(n, 1, 2),
                groups=pick(n, 1, 2),
                padding_mode=pick(n, "zeros", "replicate", "circular"),
                data_format="NLC",
            )
        )(n.s)
    ],
    deconv1=lambda n: n.keep(lambda: nn.Conv1DTranspose(6, 4, 3, pick(n, 1, 2), pick(n, 0, 1), groups=pick(n, 1, 2), data_format="NLC"))(
        n.s
    ),
    conv3=lambda n: n.keep(lambda: nn.Conv3D(1, 4, pick(n, 3, (1, 3, 3), (3, 1, 1)), pick(n, 1, (1, 2, 2)), pick(n, 1, "SAME")))(
        n.x.unsqueeze(1)
    ),
    deconv3=lambda n: n.keep(lambda: nn.Conv3DTranspose(1, 2, 2, pick(n, 1, 2), groups=1))(n.x.unsqueeze(1)),
    bilinear=lambda n: n.keep(lambda: nn.Bilinear(6, 6, 3))(n.v, n.w),
    norms1=lambda n: [
        F.layer_norm(n.s, pick(n, [6], 6), n.param([6]), n.param([6])),
        F.instance_norm(n.x),
        F.local_response_norm(n.x, 3, 0.01, 0.6, 1.5),
        F.group_norm(n.x, 2, 1e-4, n.param([4]), n.param([4])),
        F.batch_norm(n.s, n.param([6]), above(n.param([6])), n.param([6]), n.param([6]), data_format="NLC"),
    ],
    resize1=lambda n: [
        F.interpolate(n.s, size=pick(n, [7], [3]), mode="linear", align_corners=n.chance(0.5), align_mode=pick(n, 0, 1), data_format="NWC"),
        F.upsample(n.x, scale_factor=2, mode=pick(n, "nearest", "bilinear")),
    ],
    resize2=lambda n: [
        F.interpolate(
            n.x,
            scale_factor=pick(n, 2, 0.5, 1.7, [2, 1.5]),
            mode=(m := pick(n, "nearest", "bilinear", "bicubic")),
            align_corners=m in ("bilinear", "bicubic") and n.chance(0.5),
            align_mode=pick(n, 0, 1),
        ),
        F.interpolate(
            n.x,
            size=pick(n, [5, 9], [20, 13]),
            mode=(m := pick(n, "nearest", "bilinear", "bicubic")),
            align_corners=m != "nearest" and n.chance(0.5),
            align_mode=pick(n, 0, 1),
        ),
    ],
    gates=lambda n: [
        F.maxout(n.x, 2, 1),
        F.glu(n.v),
        F.prelu(n.x, n.param([1])),
        F.rrelu(n.v, 0.1, 0.3, training=False),
        F.gumbel_softmax(n.v * 0 + 1) * 0 + 1,
        F.swiglu(n.v),
        F.log_sigmoid(n.v),
        F.softplus(n.v, pick(n, 1, 2, 0.5), pick(n, 20, 1)),
        F.hardsigmoid(n.v, pick(n, 0.1, 0.2), 0.4),
        F.celu(n.v, 0.7),
        F.elu(n.v, pick(n, 0.5, 2.0)),
        F.thresholded_relu(n.v, 0.4),
        F.hardshrink(n.v, 0.3),
        F.softshrink(n.v, 0.2),
        F.leaky_relu(n.v, pick(n, 0.3, -0.2)),
    ],
    shifts=lambda n: [
        F.temporal_shift(paddle.concat([n.x, n.x], 0), 2, 0.25),
        F.channel_shuffle(n.x, 2),
        F.pixel_unshuffle(F.interpolate(n.x, size=[8, 12]), pick(n, 2, 4)),
        F.pixel_shuffle(n.x, 2),
        F.sequence_mask(n.label, maxlen=8, dtype=pick(n, "int64", "float32", "bool")),
    ],
    dropouts=lambda n: [
        F.dropout(n.v, 0.4, training=False, mode=pick(n, "upscale_in_train", "downscale_in_infer")),
        F.dropout2d(n.x, training=False),
        F.alpha_dropout(n.v, training=False),
    ],
    folds=lambda n: (
        F.fold(F.unfold(F.interpolate(n.x, size=[8, 12]), 4, 2), [8, 12], 4, 2)
        if n.chance(0.5)
        else F.unfold(n.x, pick(n, 2, [2, 3]), pick(n, 1, 2), pick(n, 0, 1, [1, 0, 2, 1]), pick(n, 1, 2))
    ),
    grid=lambda n: [
        F.grid_sample(
            n.x,
            F.affine_grid(n.param([1, 2, 3], 0.6).expand([size(n.x, 0), 2, 3]), [size(n.x, 0), 4, 5, 6], align_corners=n.chance(0.5)),
            pick(n, "bilinear", "nearest"),
            pick(n, "zeros", "border", "reflection"),
            n.chance(0.5),
        )
    ],
    rowwise=lambda n: [
        F.embedding(n.k, n.param([9, 4]), padding_idx=pick(n, None, 2, -1)),
        F.one_hot(n.k, 7),
        F.linear(n.s, n.param([6, 3]), n.param([3])),
        F.bilinear(n.v, n.w, n.param([2, 6, 6]), n.param([1, 2])),
    ],
    gather_tree=lambda n: F.gather_tree(
        n.k.transpose([1, 0]).unsqueeze(-1).expand([-1, -1, 2]), n.k.transpose([1, 0]).unsqueeze(-1).expand([-1, -1, 2]) % 2
    ),
    class_scores=lambda n: F.hsigmoid_loss(n.v, n.label.unsqueeze(-1) % 5, 5, n.param([4, 6]), n.param([4])),
    scatters=lambda n: [
        paddle.scatter_nd(n.label.unsqueeze(-1), n.v, [8, 6]),
        paddle.index_add(n.v * 1.0, n.label * 0, 0, n.w),
        paddle.put_along_axis(
            n.v,
            n.label.unsqueeze(-1),
            pick(n, 1.5, -2.0),
            1,
            pick(n, "assign", "add", "mul", "amin", "amax", "mean"),
            include_self=n.chance(0.5),
        ),
    ],
    fused_incubate=lambda n: [
        paddle.incubate.identity_loss(n.v, "mean"),
        paddle.incubate.nn.functional.fused_dropout_add(n.v, n.w, 0.3, training=False),
        paddle.incubate.nn.functional.fused_linear(n.v, matrix(n), n.param([6])),
        paddle.incubate.nn.functional.fused_linear_activation(n.v, matrix(n), n.param([6]), activation=pick(n, "gelu", "relu", "none")),
    ],
    temporal=lambda n: [paddle.static.nn.row_conv(n.s, 2)],
    viterbi=lambda n: list(paddle.text.viterbi_decode(n.s, matrix(n), n.label * 0 + 2, n.chance(0.5))),
)

# ---- recurrent layers


@function
def cells(n):
    cls = pick(n, nn.LSTMCell, nn.GRUCell, nn.SimpleRNNCell)
    layer = n.keep(lambda: nn.RNN(cls(6, 5), is_reverse=n.chance(0.5)))
    y, last = layer(n.s, sequence_length=n.label % 2 + 1 if n.chance(0.4) else None)
    return [y, *(last if isinstance(last, (list, tuple)) else [last])]


@function
def both_ways(n):
    layer = n.keep(lambda: nn.BiRNN(nn.GRUCell(6, 4), nn.GRUCell(6, 4)))
    y, (a, b) = layer(n.s)
    return [y, a, b]


@function
def recurrent(n):
    cls = pick(n, nn.LSTM, nn.GRU, nn.SimpleRNN)
    options = {"activation": pick(n, "tanh", "relu")} if cls is nn.SimpleRNN else {}
    two, layers = n.chance(0.5), pick(n, 1, 2, 3)
    layer = n.keep(
        lambda: cls(
            6,
            4,
            layers,
            direction="bidirect" if two else "forward",
            time_major=n.chance(0.3),
            bias_ih_attr=pick(n, None, False),
            bias_hh_attr=None,
            **options,
        )
    )
    layer.eval()
    first = paddle.tanh(n.param([layers * (2 if two else 1), 1, 4])).expand(
        [layers * (2 if two else 1), size(n.s, 1 if layer.time_major else 0), 4]
    )
    given = ((first, first * 0.5) if cls is nn.LSTM else first) if n.chance(0.5) else None
    y, last = layer(n.s, given)
    return [y, *(last if isinstance(last, (list, tuple)) else [last])]


@function
def attention_layers(n):
    layer = n.keep(lambda: nn.MultiHeadAttention(6, 2, kdim=pick(n, None, 6), vdim=None, need_weights=n.chance(0.5)))
    layer.eval()
    made = layer(n.s, n.s * 0.5, n.s, paddle.tril(paddle.ones([size(n.s, 1), size(n.s, 1)])).astype("bool") if n.chance(0.5) else None)
    return list(made) if isinstance(made, (list, tuple)) else [made]


@function
def decoder_layer(n):
    layer = n.keep(lambda: nn.TransformerDecoderLayer(6, 2, 8, 0.0, pick(n, "relu", "gelu"), normalize_before=n.chance(0.5)))
    layer.eval()
    return layer(n.s, n.s * 0.5 + 0.1)


@function
def math_of_results(n):
    u = n.pick(lambda u: u.dtype == "float32" and u.t not in ())
    return pick(
        n, paddle.tanh, F.relu, lambda t: t * 0.5 + 1, lambda t: paddle.sum(t), lambda t: t.flatten(), paddle.sort if u.rank else paddle.abs
    )(u.t)


def step(make):
    def take(n):
        made = make(n)
        for t in made if isinstance(made, (list, tuple)) else [made]:
            n.add(t, ("?",) * len(t.shape))

    take.__name__ = make.__name__
    return take


STEPS = [(1, step(make)) for make in FUNCTIONS.values()]


def draw(n, x, s, v, w, k, label):
    n.x, n.s, n.v, n.w, n.k, n.label = x, s, v, w, k, label
    for tensor, (_, dims, _) in zip((x, s, v, w, k, label), INPUTS):
        n.add(tensor, dims)
    n.grow(STEPS, 6, 12)
    return n.all_outputs()


def feeds(rnd):
    for b, t, h, w in ((rnd.randint(2, 3), rnd.randint(3, 7), rnd.randint(16, 20), rnd.randint(16, 20)), (4, 5, 17, 18), (1, 2, 16, 16)):
        real = {"B": b, "T": t, "H": h, "W": w}
        yield {name: numbers(rnd, [real.get(d, d) for d in dims], dtype) for name, dims, dtype in INPUTS}
