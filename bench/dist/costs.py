"""What collective operators cost, by the alpha-beta model, and steps of programs that make them: formulas alone, nothing is measured here.

A call on n ranks takes `rounds` messages one after the other, each of a `piece` of the tensor (Hockney: a message of m bytes takes alpha + m * beta):

  kind                           algorithm          rounds            piece
  all_gather, reduce_scatter     ring               n - 1             m / n
  all_to_all                     pairwise           n - 1             m / n
  all_reduce                     ring               2 (n - 1)         m / n
  all_reduce, small              halving, doubling  2 log2(n)         m (n - 1) / (n log2(n)), the mean
  all_gather, .. small           doubling           log2(n)           m (n - 1) / (n log2(n)), the mean
  broadcast, reduce              binomial tree      log2(n)           m
  send                           -                  1                 m

m is the whole tensor: of all ranks' parts together. Logarithms are rounded up. A ring moves 2 (n - 1) / n of the tensor through each link, which no
algorithm of all_reduce undercuts (Patarasu, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009; the factor by which
nccl-tests turns times into bus bandwidth). Halving and doubling move as much in fewer rounds (Rabenseifner 2004; Thakur, Rabenseifner, Gropp:
Optimization of collective communication operations in MPICH, 2005, which has the trees too). The communicators of pir/comm.h for MPI send the parts
to all ranks at once: the bytes of a ring, and at most its rounds.
"""
import bisect
import dataclasses
import math

ALGORITHMS = ("ring", "doubling", "best")
TREES = ("broadcast", "reduce")


def rounds_and_piece(kind, ranks, size, algorithm="ring"):
    """How many messages follow each other on a rank, and the bytes of each (a mean where they differ)."""
    if ranks < 2:
        return 0, 0.0
    if kind == "send":
        return 1, float(size)
    logarithm = math.ceil(math.log2(ranks))
    if kind in TREES:
        return logarithm, float(size)
    times = 2 if kind == "all_reduce" else 1
    if algorithm == "ring" or kind == "all_to_all":
        return times * (ranks - 1), size / ranks
    return times * logarithm, size * (ranks - 1) / ranks / logarithm


@dataclasses.dataclass
class Link:
    """Seconds of one message: straight lines between measured points (bytes, seconds), beyond them the slope of the last two."""
    points: list

    def seconds(self, size):
        sizes = [p[0] for p in self.points]
        if len(self.points) == 1 or size <= sizes[0]:
            return self.points[0][1]
        i = min(max(bisect.bisect_left(sizes, size), 1), len(sizes) - 1)
        (x, a), (y, b) = self.points[i - 1], self.points[i]
        return max(a + (b - a) * (size - x) / (y - x), 0.0)

    @property
    def alpha(self):
        """Seconds of the smallest message."""
        return self.points[0][1]

    @property
    def rate(self):
        """Bytes a second of the largest message, without alpha."""
        size, seconds = self.points[-1]
        return size / max(seconds - self.alpha, 1e-12)


def line(alpha, rate):
    """A link of given latency (s) and bandwidth (bytes/s)."""
    return Link([(0, alpha), (1 << 30, alpha + (1 << 30) / rate)])


def links(measured, ranks):
    """A link for each kind of calls, from seconds of calls on so many ranks: {kind: {bytes: seconds}}."""
    out = {}
    for kind, times in measured.items():
        points = []
        for size, seconds in sorted(times.items()):
            rounds, piece = rounds_and_piece(kind, ranks, size)
            points.append((piece, seconds / rounds))
        out[kind] = Link(points)
    return out


def call_seconds(kind, ranks, size, link, algorithm="ring"):
    choices = ("ring", "doubling") if algorithm == "best" else (algorithm,)
    times = []
    for choice in choices:
        rounds, piece = rounds_and_piece(kind, ranks, size, choice)
        times.append(rounds * link.seconds(piece) if rounds else 0.0)
    return min(times)


def step_seconds(compute, calls, ranks, of_kind, algorithm="ring"):
    """A step: the arithmetic of a rank and then its calls, [(kind, bytes)], which nothing hides."""
    return compute + sum(call_seconds(kind, ranks, size, of_kind[kind], algorithm) for kind, size in calls)
