"""Linear algebra over stacks of matrices."""
import paddle

from drawing import numbers

from . import tensors

SIZE = 4
INPUTS = [("m", ("B", SIZE, SIZE), "float32"), ("v", ("B", SIZE), "float32"), ("t", ("B", "T", SIZE), "float32")]


def square(n):
    return n.pick(lambda v: v.rank >= 2 and v.dims[-2:] == (SIZE, SIZE) and v.dtype == "float32")


def definite(t):
    """A symmetric matrix whose eigenvalues are far from 0."""
    return paddle.matmul(t, t, transpose_y=True) * 0.2 + paddle.eye(SIZE) * 2.0


def cholesky(n):
    v = square(n)
    n.add(paddle.linalg.cholesky(definite(v.t), upper=n.chance(0.3)), v.dims)


def cholesky_solve(n):
    v = square(n)
    n.add(paddle.linalg.cholesky_solve(v.t, paddle.linalg.cholesky(definite(v.t)), upper=False), v.dims)


def inverse(n):
    v = square(n)
    n.add(paddle.linalg.inv(definite(v.t)), v.dims)


def solve(n):
    v, u = square(n), square(n)
    if v.dims == u.dims:
        n.add(paddle.linalg.solve(definite(v.t), u.t), v.dims)


def triangular_solve(n):
    v = square(n)
    n.add(paddle.linalg.triangular_solve(paddle.tril(definite(v.t)), v.t, upper=False), v.dims)


def determinant(n):
    v = square(n)
    n.add(paddle.linalg.det(definite(v.t)) * 0.05, v.dims[:-2])


def log_determinant(n):
    v = square(n)
    sign, log = paddle.unbind(paddle.linalg.slogdet(definite(v.t)), 0)
    n.add(sign * log, v.dims[:-2])


def eigenvalues(n):
    v = square(n)
    n.add(paddle.linalg.eigvalsh(definite(v.t)), v.dims[:-1])


def singular_values(n):
    v = square(n)
    n.add(paddle.linalg.svd(v.t)[1], v.dims[:-1])


def orthogonal(n):
    v = square(n)
    q, r = paddle.linalg.qr(definite(v.t))
    n.add(paddle.matmul(q, q, transpose_y=True) + paddle.abs(r), v.dims)


def power(n):
    v = square(n)
    n.add(paddle.linalg.matrix_power(paddle.tanh(v.t) * 0.5, n.rnd.choice([2, 3])), v.dims)


def norm(n):
    v = square(n)
    n.add(n.rnd.choice([lambda: paddle.linalg.norm(v.t, "fro", axis=[-2, -1]), lambda: paddle.linalg.norm(v.t, 2, axis=-1).sum(-1),
                        lambda: paddle.trace(v.t, axis1=-2, axis2=-1)])(), v.dims[:-2])


def product(n):
    v, u = square(n), square(n)
    if v.dims == u.dims:
        n.add(paddle.matmul(v.t, u.t, transpose_x=n.chance(0.5), transpose_y=n.chance(0.5)) * 0.3, v.dims)


def times_vector(n):
    v = n.pick(lambda v: v.dims == ("B", SIZE, SIZE))
    u = n.pick(lambda u: u.dims == ("B", SIZE))
    n.add(paddle.matmul(v.t, u.t.unsqueeze(-1)).squeeze(-1), ("B", SIZE))


def chain(n):
    v = n.pick(lambda v: v.dims == ("B", "T", SIZE))
    n.add(paddle.einsum("bti,btj->bij", v.t, v.t) * 0.1, ("B", SIZE, SIZE))


def diagonals(n):
    v = square(n)
    n.add(n.rnd.choice([lambda: paddle.diag_embed(paddle.diagonal(v.t, axis1=-2, axis2=-1)), lambda: paddle.tril(v.t), lambda: paddle.triu(v.t, 1)])(), v.dims)


def kronecker(n):
    v = n.pick(lambda v: v.dims == (SIZE, SIZE))
    n.add(paddle.kron(v.t, v.t)[:SIZE, :SIZE], (SIZE, SIZE))


def averaged(n):
    v = n.pick(lambda v: v.dims == ("B", SIZE, SIZE))
    n.add(paddle.mean(v.t, 0), (SIZE, SIZE))


STEPS = [(1, s) for _, s in tensors.BASIC if s not in (tensors.merge_dynamic, tensors.mask, tensors.one_hot)] + [(6, f) for f in (
    cholesky, cholesky_solve, inverse, solve, triangular_solve, determinant, log_determinant, eigenvalues, singular_values, orthogonal, power, norm,
    product, times_vector, chain, diagonals, kronecker, averaged)]


def draw(n, m, v, t):
    n.known("B", lambda: paddle.shape(m)[0])
    n.known("T", lambda: paddle.shape(t)[1])
    for tensor, (_, dims, _) in zip((m, v, t), INPUTS):
        n.add(tensor, dims)
    n.grow(STEPS, 6, 20)
    return n.outputs(5)


def feeds(rnd):
    for b, t in ((1, rnd.randint(2, 9)), (rnd.randint(2, 5), rnd.randint(3, 20))):
        real = {"B": b, "T": t}
        yield {name: numbers(rnd, [real.get(d, d) for d in dims], dtype) for name, dims, dtype in INPUTS}
