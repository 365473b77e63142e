"""Sentences of a beam search: arrays of steps whose offsets say which prefix a candidate continues, by Paddle's kernel for CPUs."""
import numpy as np

from recorder import Drawn, tensor_type
from steps import case

D = Drawn(17)


def drawn_steps(sources, beams, steps, end_id):
    """Ids, scores and offsets of each step: a source has at most `beams` candidates, which continue prefixes in order."""
    found, before = [], [1] * sources
    for _ in range(steps):
        ids, scores, upper, lower, now = [], [], [0], [0], []
        for s in range(sources):
            parents = np.sort(D.rng.randint(0, before[s], beams)) if before[s] else []
            upper.append(upper[-1] + before[s])
            for k in range(before[s]):
                lower.append(lower[-1] + int((np.asarray(parents) == k).sum()))
            now.append(len(parents))
            ids += list(D.rng.randint(0, 6, len(parents)))
            scores += list(np.floor(D.rng.uniform(0, 1, len(parents)) * 4096) / 4096)
        found.append((np.int64(ids).reshape(-1, 1), np.float32(scores).reshape(-1, 1), [upper, lower]))
        before = now
    return found


def decoded(name, sources, beams, steps, dtype="float32", pruned=False):
    end_id = 1
    found = drawn_steps(sources, beams, steps, end_id)
    if pruned:  # the first source ends two steps earlier: a later step has prefixes of it without candidates
        for t in (steps - 2, steps - 1):
            ids, scores, (upper, lower) = found[t]
            n = lower[upper[1]]
            prefixes = upper[1] if t == steps - 2 else 0
            found[t] = (ids[n:], scores[n:], [[0] + [u - upper[1] + prefixes for u in upper[1:]],
                                              [0] * (prefixes + 1) + [x - n for x in lower[upper[1] + 1:]]])

    def build(p):
        short = {"float32": "f32", "float64": "f64"}[dtype]
        arrays = [p("create_array", [], [f"pd_op.tensor_array<{k}>"], dtype=d)[0] for k, d in (("i64", "int64"), (short, dtype))]
        for t, (ids, scores, levels) in enumerate(found):
            for array, values in zip(arrays, (ids, scores.astype(dtype))):
                at = p("full", [], [tensor_type([1], "int64")], shape=[1], value=float(t), dtype="int64", place="Place(cpu)")[0]
                p("array_write_", [array, p.feed(values, levels), at], [array[1]])
        out = p("beam_search_decode", arrays, [tensor_type([-1], "int64"), tensor_type([-1], dtype)], beam_size=beams, end_id=end_id)
        p.fetch(*out)

    case("beam_search_decode", name, build)


decoded("one_source", 1, 2, 3)
decoded("sources", 3, 2, 5)
decoded("beams", 2, 4, 6)
decoded("one_step", 2, 3, 1)
decoded("doubles", 2, 2, 4, dtype="float64")
decoded("pruned", 2, 2, 5, pruned=True)
