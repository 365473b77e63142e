"""Choices among the most probable, with the numbers of cuRAND's generator XORWOW, as the kernel for GPUs makes them."""
import numpy as np

from recorder import Drawn, case, narrow

D = Drawn(31)
LOW = 2**32 - 1


class Xorwow:
    """curand_init(seed, 0, 0) and curand_uniform."""

    def __init__(self, seed):
        low = 1099087573 * ((seed & LOW) ^ 0xaad26b49) & LOW
        high = 2591861531 * ((seed >> 32 & LOW) ^ 0xf7dcefdd) & LOW
        self.v = [(123456789 + low) & LOW, 362436069 ^ low, (521288629 + high) & LOW, 88675123 ^ high, (5783321 + low) & LOW]
        self.d = (6615241 + high + low) & LOW

    def share(self):
        t = self.v.pop(0)
        t ^= t >> 2
        self.v.append((self.v[-1] ^ self.v[-1] << 4 ^ t ^ t << 1) & LOW)
        self.d = (self.d + 362437) & LOW
        return np.float32((self.v[-1] + self.d) & LOW) * np.float32(2**-32) + np.float32(2**-33)


def choose(row, p, threshold, numbers, truncated):
    order = np.argsort(-row, kind="stable")
    values = row[order].astype(np.float32)
    sums = np.cumsum(values, dtype=np.float32)
    if truncated:
        reached = sums >= numbers.share() * np.float32(p)
        place = int(np.argmax(reached)) if reached.any() else 0
        allowed = [i for i in range(place + 1) if values[i] >= threshold]
        return order[allowed[-1] if allowed else 0]
    count = int(np.argmax(sums >= np.float32(p))) + 1 if (sums >= np.float32(p)).any() else len(row)
    speeds = np.array([v / -np.log(np.float64(numbers.share())) if v >= threshold else 0 * numbers.share() for v in values[:count]])
    return order[int(np.argmax(speeds))]


def choices(name, rows, columns, p, seed=-1, seeds=None, threshold=None, mode="truncated", k=0, dtype="float32"):
    logits = D.f64(rows, columns, low=-3, high=3)
    x = narrow(np.exp(logits) / np.exp(logits).sum(-1, keepdims=True), np.dtype(dtype))
    ps = narrow(np.full((rows, 1), p), np.dtype(dtype))

    def expected(c):
        ids = [choose(c.x[i], c.ps[i, 0], 0 if threshold is None else c.threshold[i, 0], Xorwow((seed if seeds is None else int(seeds[i])) % 2**64),
                      mode == "truncated") for i in range(rows)]
        order = np.argsort(-c.x, -1, kind="stable")[:, :k]
        ids = np.array(ids).reshape(-1, 1)
        return [np.take_along_axis(c.x, ids, -1), ids, np.take_along_axis(c.x, order, -1), order]

    case("top_p_sampling", name, expect=expected, like="x int64 x int64", ignore=() if k else ("topk_scores", "topk_ids"), x=x, ps=ps,
         threshold=None if threshold is None else narrow(np.full((rows, 1), threshold), np.dtype(dtype)),
         topp_seed=None if seeds is None else np.int64(seeds).reshape(-1, 1), seed=seed, k=k, mode=mode)


choices("one_seed", 4, 12, 0.9, seed=5)
choices("large_seed", 3, 12, 0.9, seed=2**40 + 17)
choices("a_seed_each", 12, 40, 0.8, seeds=np.arange(12) * 1000003 - 5)
choices("many", 6, 300, 0.97, seeds=np.arange(6) + 70, k=3)
choices("whole", 6, 40, 1.0, seeds=np.arange(6) + 10, threshold=0.03)
choices("race", 8, 15, 0.7, seeds=np.arange(8) + 3, mode="non-truncated")
choices("race_threshold", 8, 15, 0.9, seeds=np.arange(8) + 90, mode="non-truncated", threshold=0.1)
choices("float64", 4, 30, 0.9, seeds=np.arange(4) + 1, dtype="float64")
choices("float16", 4, 30, 0.5, seeds=np.arange(4) + 40, dtype="float16", k=2)
